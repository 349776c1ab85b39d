// What goes wrong is said exactly, before anything is allocated or run.
#include "Runtime/ApiHelper.h"

#include <thread>

using namespace teeny;
using namespace teeny::test;

namespace {
struct Saxpy {
  BundleHandle bundle = open(saxpyBundle());
  SessionHandle run = session(bundle);
  std::vector<float> data = std::vector<float>(24 * 70);
  teeny_status x(std::vector<int64_t> shape, teeny_dtype dtype = TEENY_F32) {
    return bindInput(run, "x", data.data(), dtype, std::move(shape));
  }
  teeny_status y(std::vector<int64_t> shape) {
    return bindInput(run, "y", data.data(), TEENY_F32, std::move(shape));
  }
};
} // namespace

TEST_CASE("what is wrong with one tensor is said when it is bound") {
  Saxpy s;
  CHECK(failure(s.x({2, 3, 8}, TEENY_F16)) == "invalid: input 'x': the dtype is f16, expected f32");
  CHECK(failure(s.x({2, 24})) == "invalid: input 'x': the rank is 2, expected 3, of (B, 3, 8)");
  CHECK(failure(s.x({-1, 3, 8})) == "invalid: input 'x' axis 0: the size is -1, below 0");
  CHECK(failure(s.x({INT64_MAX, INT64_MAX, 8})) ==
        "out of range: input 'x': a tensor of shape (9223372036854775807, 9223372036854775807, 8) "
        "has too many bytes");
  CHECK(failure(bindInput(s.run, "x", nullptr, TEENY_F32, {1, 3, 8})) ==
        "invalid: input 'x': the data is NULL");
  CHECK(failure(bindInput(s.run, "z", s.data.data(), TEENY_F32, {1, 3, 8})) ==
        "not found: the bundle has no input 'z'; it has: x, y");
  CHECK(failure(bindOutput(s.run, "x", s.data.data(), TEENY_F32, {1, 3, 8})) ==
        "not found: the bundle has no output 'x'; it has: out");
  CHECK(failure(s.x({1, 3, 8}, static_cast<teeny_dtype>(99))) ==
        "invalid: input 'x': there is no dtype 99");
  ok(bindInput(s.run, "x", nullptr, TEENY_F32, {0, 3, 8})); // nothing to point at

  int64_t shape[] = {2, 3, 8}, transposed[] = {24, 1, 3}, contiguous[] = {24, 8, 1};
  teeny_tensor tensor = {s.data.data(), TEENY_F32, TEENY_HOST, 3, shape, transposed};
  CHECK(failure(teeny_bind_input(s.run.get(), "x", &tensor)) ==
        "unsupported: input 'x': the strides are (24, 1, 3), which is not contiguous row-major for "
        "the shape (2, 3, 8); copy the tensor first");
  tensor.strides = contiguous;
  ok(teeny_bind_input(s.run.get(), "x", &tensor));
  int64_t one[] = {1, 3, 8}, anything[] = {-5, 8, 1};
  tensor.shape = one;
  tensor.strides = anything; // the stride of an axis of size 1 does not matter
  ok(teeny_bind_input(s.run.get(), "x", &tensor));
  tensor.memory = TEENY_DEVICE;
  CHECK(failure(teeny_bind_input(s.run.get(), "x", &tensor)) ==
        "unsupported: input 'x': the data is device memory, and the session runs on the CPU");
}

TEST_CASE("what is wrong with the sizes is said when the dims are solved") {
  Saxpy s;
  CHECK(failure(teeny_run(s.run.get())) == "invalid: input 'x' is not bound");
  ok(s.x({2, 3, 8}));
  CHECK(failure(teeny_run(s.run.get())) == "invalid: input 'y' is not bound");
  ok(s.y({3, 3, 8}));
  CHECK(failure(teeny_run(s.run.get())) == "invalid: input 'y' axis 0: the size is 3, expected B = "
                                           "2, because input 'x' axis 0 makes B = 2");
  ok(s.y({2, 4, 8}));
  CHECK(failure(teeny_run(s.run.get())) == "invalid: input 'y' axis 1: the size is 4, expected 3");
  ok(s.x({65, 3, 8}));
  CHECK(failure(teeny_run(s.run.get())) ==
        "out of range: input 'x' axis 0: B = 65 is outside 0 to 64");
  ok(s.x({2, 3, 8}));
  ok(s.y({2, 3, 8}));
  ok(bindOutput(s.run, "out", s.data.data() + 48, TEENY_F32, {3, 3, 8}));
  CHECK(failure(teeny_run(s.run.get())) ==
        "invalid: output 'out' axis 0: the size is 3, expected B = 2");
  CHECK(failure(teeny_bind_output(s.run.get(), "nope", nullptr)) ==
        "not found: the bundle has no output 'nope'; it has: out");
  ok(teeny_bind_output(s.run.get(), "out", nullptr));
  ok(teeny_run(s.run.get()));
}

TEST_CASE("a*N + b is solved, and must have an integer solution") {
  TestBundle model;
  model.dim("N", 1, 100);
  model.dim("M", 0, 64, 4);
  model.manifest.requirements.push_back({expr("N <= M + 10"), "too few rows"});
  model.input("x", DType::u8, {"3*N + 2", "M"});
  model.input("y", DType::u8, {"40 - 2*N"});
  model.output("z", DType::u8, {"N*M"});
  BundleHandle bundle = open(model);
  SessionHandle run = session(bundle);
  std::vector<uint8_t> data(10000);
  auto solve = [&](int64_t x0, int64_t x1, int64_t y0) {
    ok(bindInput(run, "x", data.data(), TEENY_U8, {x0, x1}));
    ok(bindInput(run, "y", data.data(), TEENY_U8, {y0}));
    return teeny_prepare(run.get());
  };
  ok(solve(3 * 7 + 2, 8, 40 - 2 * 7));
  int64_t value;
  ok(teeny_get_dim_value(run.get(), "N", &value));
  CHECK(value == 7);
  CHECK(failure(teeny_get_dim_value(run.get(), "K", &value)) ==
        "not found: the bundle has no dim 'K'");
  teeny_tensor z;
  ok(teeny_get_output_tensor(run.get(), "z", &z));
  CHECK(z.shape[0] == 56);

  CHECK(failure(solve(24, 8, 26)) ==
        "invalid: input 'x' axis 0: the size is 24, expected 3*N + 2 with an integer N");
  CHECK(failure(solve(2, 8, 40)) == "out of range: input 'x' axis 0: N = 0 is outside 1 to 100");
  CHECK(failure(solve(23, 6, 26)) == "out of range: input 'x' axis 1: M = 6 is no multiple of 4");
  CHECK(failure(solve(23, 8, 27)) == "invalid: input 'y' axis 0: the size is 27, expected 40 - 2*N "
                                     "= 26, because input 'x' axis 0 makes N = 7");
  CHECK(failure(solve(3 * 19 + 2, 8, 2)) == "out of range: requirement 'N <= M + 10' does not hold "
                                            "at M = 8, N = 19: too few rows");
  CHECK(failure(teeny_get_dim_value(run.get(), "N", &value)) ==
        "invalid: the session is not prepared: call teeny_prepare or teeny_run after binding "
        "tensors");
}

TEST_CASE("outputs are read only after a run, and whole") {
  Saxpy s;
  float value;
  CHECK(failure(teeny_read_output(s.run.get(), "out", &value, 4)) ==
        "invalid: there has been no successful run since tensors were bound");
  ok(s.x({1, 3, 8}));
  ok(s.y({1, 3, 8}));
  ok(teeny_run(s.run.get()));
  CHECK(failure(teeny_read_output(s.run.get(), "out", &value, 4)) ==
        "invalid: output 'out' has 96 bytes, not 4");
  CHECK(failure(teeny_read_output(s.run.get(), "x", &value, 4)) ==
        "not found: the bundle has no output 'x'");
}

TEST_CASE("devices, targets and options are checked") {
  TestBundle model = saxpyBundle();
  BundleHandle bundle = open(model);
  auto create = [&](const char *device, const char *target, int threads = 0) {
    teeny_session_options options = TEENY_SESSION_OPTIONS_INIT;
    options.device = device;
    options.target = target;
    options.threads = threads;
    teeny_session *session = nullptr;
    teeny_status status = teeny_session_create(bundle.get(), &options, &session);
    SessionHandle closer(session);
    return status;
  };
  ok(create("cpu", nullptr));
  ok(create(nullptr, nullptr)); // no GPU code: the driver is not even looked for
  ok(create("cpu", TestBundle::hostTarget().c_str()));
  for (const char *name : {"tpu", "cuda:", "cuda:x", "cuda:-1", "cuda:1x", "CPU"})
    CHECK(failure(create(name, nullptr)) ==
          "invalid: unknown device '" + std::string(name) + "', expected cpu, cuda or cuda:N");
  std::string unknown = failure(create("cpu", "compute_80"));
  CHECK(
      unknown.find("unsupported: kernel 'saxpy' has no code of target 'compute_80' for the device "
                   "cpu (") == 0);
  CHECK(unknown.find("); it has code for: " + TestBundle::hostTarget()) != std::string::npos);
  CHECK(failure(create("cpu", nullptr, -1)) ==
        "invalid: the number of threads is -1, expected 0 to 4096");
  teeny_session_options zero = {};
  teeny_session *session = nullptr;
  CHECK(failure(teeny_session_create(bundle.get(), &zero, &session)) ==
        "invalid: the session options are not initialised: use TEENY_SESSION_OPTIONS_INIT");
  CHECK(failure(teeny_session_create(nullptr, nullptr, &session)) ==
        "invalid: the argument 'bundle' is NULL");
}

TEST_CASE("code that is damaged or lacks its entry is refused") {
  SECTION("an entry that is not there") {
    TestBundle model = saxpyBundle();
    model.manifest.kernels[0].code[0].symbol = "no_such_kernel";
    BundleHandle bundle = open(model);
    teeny_session *session = nullptr;
    CHECK(failure(teeny_session_create(bundle.get(), nullptr, &session)) ==
          "invalid: kernel 'saxpy': the code 'teeny/code/kernels." + TestBundle::hostTarget() +
              ".so' has no symbol 'no_such_kernel'");
  }
  SECTION("a changed byte") {
    std::vector<std::byte> bytes = saxpyBundle().bytes();
    const std::string mark = "\x7f"
                             "ELF";
    auto text = reinterpret_cast<const char *>(bytes.data());
    size_t at = std::string_view(text, bytes.size()).find(mark);
    REQUIRE(at != std::string_view::npos);
    bytes[at + 200] ^= std::byte(1);
    BundleHandle bundle = open(bytes);
    std::string name = "teeny/code/kernels." + TestBundle::hostTarget() + ".so";
    CHECK(failure(teeny_verify(bundle.get())).find(name) != std::string::npos);
    teeny_session *session = nullptr;
    CHECK(failure(teeny_session_create(bundle.get(), nullptr, &session)) ==
          "invalid: the code '" + name + "' does not have the hash of the manifest");
  }
}

TEST_CASE("NULL arguments are errors") {
  teeny_bundle *bundle = nullptr;
  CHECK(failure(teeny_open_file(nullptr, nullptr, &bundle)) ==
        "invalid: the argument 'path' is NULL");
  CHECK(failure(teeny_open_file("x", nullptr, nullptr)) ==
        "invalid: the argument 'bundle' is NULL");
  CHECK(failure(teeny_open_memory(nullptr, 8, nullptr, &bundle)) ==
        "invalid: the argument 'data' is NULL");
  CHECK(failure(teeny_run(nullptr)) == "invalid: the argument 'session' is NULL");
  CHECK(failure(teeny_verify(nullptr)) == "invalid: the argument 'bundle' is NULL");
  CHECK(failure(teeny_bind_input(nullptr, "x", nullptr)) ==
        "invalid: the argument 'session' is NULL");
  teeny_close(nullptr);
  teeny_session_destroy(nullptr);
}

TEST_CASE("the text of an error belongs to the thread that made it") {
  teeny_bundle *bundle = nullptr;
  REQUIRE(teeny_open_file("/no/such/file", nullptr, &bundle) == TEENY_NOT_FOUND);
  std::string mine = teeny_last_error();
  std::string others = "unset";
  std::thread([&] { others = teeny_last_error(); }).join();
  CHECK(others == "");
  CHECK(mine.find("/no/such/file") != std::string::npos);
  CHECK(teeny_last_error() == mine);
}
