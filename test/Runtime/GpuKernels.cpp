// Launches of single kernels on the CUDA device: host memory is copied there and back, device
// memory is used where it is.
#include "Runtime/GpuHelper.h"
#include "Runtime/smoke_ptx.h"

using namespace teeny;
using namespace teeny::test;

namespace {

TestBundle kernels() {
  TestBundle bundle("kernels");
  size_t saxpy = bundle.kernel("saxpy", {"x", "y", "out!", "n:i32", "a:f32"});
  bundle.types(saxpy, {"*fp32:4", "*fp32:4", "*fp32:4", "i32", "fp32"});
  size_t params = bundle.kernel(
      "params", {"out!", "a:i1", "b:i8", "c:i16", "d:i32", "e:i64", "f:f32", "g:f64"});
  bundle.types(params, {"*fp64:8", "i1", "i8", "i16", "i32", "i64", "fp32", "fp64"});
  for (size_t kernel : {saxpy, params})
    bundle.gpuCode(kernel, "compute_80", textBytes(smokePtx));
  return bundle;
}

// A launch of saxpy with tensors of float.
struct Saxpy {
  const SessionHandle &session;
  int32_t grid[3] = {1, 1, 1};
  void operator()(const Bound &x, const Bound &y, const Bound &out, int64_t n, double a) {
    const teeny_argument arguments[] = {{"x", TEENY_ARGUMENT_TENSOR, &x.tensor, 0, 0},
                                        {"y", TEENY_ARGUMENT_TENSOR, &y.tensor, 0, 0},
                                        {"out", TEENY_ARGUMENT_TENSOR, &out.tensor, 0, 0},
                                        {"n", TEENY_ARGUMENT_INT, nullptr, n, 0},
                                        {"a", TEENY_ARGUMENT_FLOAT, nullptr, 0, a}};
    grid[0] = static_cast<int32_t>((n + 127) / 128);
    ok(teeny_launch_kernel(session.get(), "saxpy", grid, arguments, 5));
  }
  teeny_run_statistics statistics() const {
    teeny_run_statistics statistics;
    ok(teeny_get_statistics(session.get(), &statistics));
    return statistics;
  }
};

} // namespace

TEST_CASE("kernels of a bundle on host memory") {
  if (!gpu())
    return;
  NothingLeaks check;
  BundleHandle bundle = open(kernels());
  SessionHandle run = session(bundle, "cuda", 0);
  Saxpy saxpy{run};
  for (int64_t n : {1, 128, 1000, 1000, 1}) {
    CAPTURE(n);
    std::vector<float> x = ramp(n, 1, 0.5f), y = ramp(n, -3, 0.25f), out(n + 4, -1.0f);
    saxpy(Bound(x.data(), TEENY_F32, {n}), Bound(y.data(), TEENY_F32, {n}),
          Bound(out.data(), TEENY_F32, {n + 4}), n, 2);
    for (int64_t i = 0; i < n + 4; ++i) // what is not written comes back as it was
      REQUIRE(out[i] == (i < n ? 2 * x[i] + y[i] : -1.0f));
    teeny_run_statistics statistics = saxpy.statistics();
    CHECK(statistics.launches == 1);
    CHECK(statistics.used_graph == 0);
    CHECK(statistics.copied_in == size_t(4 * (3 * n + 4)));
    CHECK(statistics.copied_out == size_t(4 * (n + 4)));
  }
  CHECK(saxpy.statistics().graphs_made == 0);

  // A grid of no programs copies nothing.
  Bound none(nullptr, TEENY_F32, {0});
  saxpy(none, none, none, 0, 1);
  CHECK(saxpy.statistics().launches == 0);
  CHECK(saxpy.statistics().copied_in == 0);
}

TEST_CASE("pieces of host memory that overlap are one on the device") {
  if (!gpu())
    return;
  NothingLeaks check;
  BundleHandle bundle = open(kernels());
  SessionHandle run = session(bundle, "cuda", 0);
  Saxpy saxpy{run};
  std::vector<float> data = ramp(257, 0, 1), other = ramp(256, 0, 1);
  Bound first(data.data(), TEENY_F32, {256}), shifted(data.data() + 1, TEENY_F32, {256}),
      rest(other.data(), TEENY_F32, {256});
  saxpy(shifted, rest, rest, 256, 10); // in place
  for (int i = 0; i < 256; ++i)
    REQUIRE(other[i] == 10.0f * float(i + 1) + float(i));
  CHECK(saxpy.statistics().copied_in == 4 * (256 + 256));
  saxpy(rest, shifted, first, 1, 0); // data[0] = data[1], seen through two tensors
  CHECK(data[0] == 1);
  for (int i = 1; i < 257; ++i)
    REQUIRE(data[i] == float(i));
  CHECK(saxpy.statistics().copied_in == 4 * (257 + 256));
  CHECK(saxpy.statistics().copied_out == 4 * 256);
}

TEST_CASE("kernels get values of every kind, on the caller's stream too") {
  if (!gpu())
    return;
  NothingLeaks check;
  BundleHandle bundle = open(kernels());
  SessionHandle run = session(bundle, "cuda", 0);
  std::vector<double> out(7);
  Bound bound(out.data(), TEENY_F64, {7});
  const teeny_argument arguments[] = {{nullptr, TEENY_ARGUMENT_TENSOR, &bound.tensor, 0, 0},
                                      {nullptr, TEENY_ARGUMENT_INT, nullptr, 1, 0},
                                      {nullptr, TEENY_ARGUMENT_INT, nullptr, -5, 0},
                                      {nullptr, TEENY_ARGUMENT_INT, nullptr, -30000, 0},
                                      {nullptr, TEENY_ARGUMENT_INT, nullptr, INT32_MIN, 0},
                                      {nullptr, TEENY_ARGUMENT_INT, nullptr, -1000000000000, 0},
                                      {nullptr, TEENY_ARGUMENT_FLOAT, nullptr, 0, 0.1},
                                      {nullptr, TEENY_ARGUMENT_FLOAT, nullptr, 0, 0.1}};
  const int32_t grid[] = {1, 1, 1};
  ok(teeny_set_timings(run.get(), TEENY_TIMINGS_LAUNCHES));
  ok(teeny_launch_kernel_on_stream(run.get(), "params", grid, arguments, 8, nullptr));
  teeny_launch_info info;
  ok(teeny_get_launch(run.get(), 0, &info)); // waits
  CHECK(std::string(info.kernel) == "params");
  CHECK(info.device_us > 0);
  CHECK(out == std::vector<double>{1, -5, -30000, -2147483648.0, -1e12, double(0.1f), 0.1});
}
