#include "Runtime/DLPack.h"
#include "Runtime/ApiHelper.h"

#include <thread>

using namespace teeny;
using namespace teeny::test;
namespace dl = teeny::rt::dlpack;

namespace {
// A tensor of the other library, which counts how often it was given back.
struct Foreign {
  std::vector<float> data;
  std::vector<int64_t> shape, strides;
  int deleted = 0;

  explicit Foreign(std::vector<int64_t> sizes) : data(24 * 8 + 4), shape(std::move(sizes)) {}

  dl::Tensor tensor(dl::DataType type = {dl::ieeeFloat, 32, 1}) {
    return {data.data(),
            {dl::cpu, 0},
            static_cast<int32_t>(shape.size()),
            type,
            shape.data(),
            strides.empty() ? nullptr : strides.data(),
            0};
  }
  dl::ManagedTensor managed(dl::Tensor tensor) {
    return {tensor, this,
            [](dl::ManagedTensor *self) { ++static_cast<Foreign *>(self->context)->deleted; }};
  }
};

DLManagedTensor *c(dl::ManagedTensor &tensor) {
  return reinterpret_cast<DLManagedTensor *>(&tensor);
}
DLManagedTensorVersioned *c(dl::ManagedTensorVersioned &tensor) {
  return reinterpret_cast<DLManagedTensorVersioned *>(&tensor);
}
} // namespace

TEST_CASE("DLPack tensors are bound and given back") {
  BundleHandle bundle = open(saxpyBundle());
  SessionHandle run = session(bundle);
  Foreign x({2, 3, 8}), y({2, 3, 8}), out({2, 3, 8});
  x.strides = {24, 8, 1};
  for (int i = 0; i < 48; ++i) {
    x.data[i] = static_cast<float>(i);
    y.data[i + 4] = 0.5f;
  }
  auto mx = x.managed(x.tensor()), my = y.managed(y.tensor());
  my.tensor.byteOffset = 16;
  dl::ManagedTensorVersioned mo = {1,
                                   3,
                                   &out,
                                   [](dl::ManagedTensorVersioned *self) { ++static_cast<Foreign *>(self->context)->deleted; },
                                   0,
                                   out.tensor()};
  ok(teeny_bind_input_dlpack(run.get(), "x", c(mx)));
  ok(teeny_bind_input_dlpack(run.get(), "y", c(my)));
  ok(teeny_bind_output_dlpack_versioned(run.get(), "out", c(mo)));
  ok(teeny_run(run.get()));
  for (int i = 0; i < 48; ++i)
    REQUIRE(out.data[i] == 2.0f * static_cast<float>(i) + 0.5f);
  REQUIRE((x.deleted == 0 && y.deleted == 0 && out.deleted == 0));

  Foreign x2({2, 3, 8});
  auto mx2 = x2.managed(x2.tensor());
  ok(teeny_bind_input_dlpack(run.get(), "x", c(mx2)));
  REQUIRE((x.deleted == 1 && x2.deleted == 0));
  run.reset();
  REQUIRE((x.deleted == 1 && x2.deleted == 1 && y.deleted == 1 && out.deleted == 1));
}

TEST_CASE("a DLPack tensor that does not fit stays with its owner") {
  BundleHandle bundle = open(saxpyBundle());
  SessionHandle run = session(bundle);
  Foreign x({2, 3, 8});
  auto refused = [&](dl::Tensor tensor) {
    auto managed = x.managed(tensor);
    return failure(teeny_bind_input_dlpack(run.get(), "x", c(managed)));
  };
  CHECK(refused(x.tensor({dl::ieeeFloat, 16, 1})) ==
        "invalid: input 'x': the dtype is f16, expected f32");
  CHECK(refused(x.tensor({dl::ieeeFloat, 32, 4})) ==
        "unsupported: input 'x': no bundle has the DLPack type with code 2, 32 bits and 4 lanes");
  CHECK(refused(x.tensor({5, 64, 1})) ==
        "unsupported: input 'x': no bundle has the DLPack type with code 5, 64 bits and 1 lanes");
  dl::Tensor elsewhere = x.tensor();
  elsewhere.device = {dl::cuda, 1};
  CHECK(refused(elsewhere).find("unsupported: input 'x': the data is on the device cuda:1, and the "
                                "session runs on cpu (") == 0);
  elsewhere.device = {7, 0};
  CHECK(refused(elsewhere) ==
        "unsupported: input 'x': the data is on a device of the DLPack type 7, "
        "expected CPU or CUDA memory");
  x.strides = {24, 1, 3};
  CHECK(refused(x.tensor()).find("unsupported: input 'x': the strides are (24, 1, 3)") == 0);
  x.strides.clear();
  dl::Tensor bad = x.tensor();
  bad.shape = nullptr;
  CHECK(refused(bad) == "invalid: input 'x': the DLPack tensor has no valid shape");

  dl::ManagedTensorVersioned later = {2, 0, &x, nullptr, 0, x.tensor()};
  CHECK(failure(teeny_bind_input_dlpack_versioned(run.get(), "x", c(later))) ==
        "unsupported: input 'x': the tensor is DLPack version 2, expected 1");
  dl::ManagedTensorVersioned constant = {1, 0, &x, nullptr, dl::readOnlyFlag, x.tensor()};
  CHECK(failure(teeny_bind_output_dlpack_versioned(run.get(), "out", c(constant))) ==
        "invalid: output 'out': the DLPack tensor is read-only");
  ok(teeny_bind_input_dlpack_versioned(run.get(), "x", c(constant)));
  CHECK(failure(teeny_bind_input_dlpack(run.get(), "x", nullptr)) ==
        "invalid: the argument 'tensor' is NULL");
  CHECK(x.deleted == 0);
}

TEST_CASE("every element type of DLPack that bundles have") {
  using Case = std::pair<dl::DataType, DType>;
  for (auto [type, expected] :
       {Case{{0, 8, 1}, DType::i8}, Case{{0, 16, 1}, DType::i16}, Case{{0, 32, 1}, DType::i32},
        Case{{0, 64, 1}, DType::i64}, Case{{1, 8, 1}, DType::u8}, Case{{1, 16, 1}, DType::u16},
        Case{{1, 32, 1}, DType::u32}, Case{{1, 64, 1}, DType::u64}, Case{{2, 16, 1}, DType::f16},
        Case{{2, 32, 1}, DType::f32}, Case{{2, 64, 1}, DType::f64}, Case{{4, 16, 1}, DType::bf16},
        Case{{6, 8, 1}, DType::boolean}, Case{{10, 8, 1}, DType::f8e4m3},
        Case{{12, 8, 1}, DType::f8e5m2}})
    CHECK(dl::dtypeOf(type) == expected);
  for (dl::DataType type : {dl::DataType{0, 4, 1}, dl::DataType{2, 8, 1}, dl::DataType{3, 64, 1},
                            dl::DataType{6, 1, 1}, dl::DataType{2, 32, 2}})
    CHECK_FALSE(dl::dtypeOf(type));
}

TEST_CASE("many sessions of one bundle on many threads") {
  BundleHandle bundle = open(saxpyBundle(3.0f));
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread < 6; ++thread)
    threads.emplace_back([&, thread] {
      for (int made = 0; made < 4; ++made) {
        teeny_session_options options = TEENY_SESSION_OPTIONS_INIT;
        options.device = "cpu";
        options.threads = 1 + thread % 3;
        teeny_session *session = nullptr;
        if (teeny_session_create(bundle.get(), &options, &session) != TEENY_OK) {
          ++wrong;
          return;
        }
        SessionHandle closer(session);
        for (int64_t batch = 0; batch < 16; ++batch) {
          std::vector<float> x = ramp(batch * 24, static_cast<float>(thread), 1), out(batch * 24);
          Bound bx(x.data(), TEENY_F32, {batch, 3, 8}), bo(out.data(), TEENY_F32, {batch, 3, 8});
          if (teeny_bind_input(session, "x", &bx.tensor) ||
              teeny_bind_input(session, "y", &bx.tensor) ||
              teeny_bind_output(session, "out", &bo.tensor) || teeny_run(session))
            ++wrong;
          for (size_t i = 0; i < out.size(); ++i)
            wrong += out[i] != 4.0f * x[i];
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  REQUIRE(wrong == 0);
}
