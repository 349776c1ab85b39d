// The CUDA device, by itself: a bundle with kernels written in PTX, for the driver to compile. One
// program with nothing to find but the driver: `gpu_smoke` is to be run on a machine with a GPU.
// Where there is none, each case says that it is skipped.
//
// The same program also runs with a fake driver (FakeCuda.cpp), which shows on any machine that the
// device makes the calls it should.
#include "Runtime/GpuHelper.h"
#include "Runtime/smoke_ptx.h"

#include <atomic>
#include <thread>

using namespace teeny;
using namespace teeny::test;
using rt::cuda::CUcontext;
using rt::cuda::CUdeviceptr;
using rt::cuda::CUstream;
using rt::cuda::Driver;

static std::string at(size_t buffer, const std::string &offset = "") {
  return "@" + std::to_string(buffer) + offset;
}

// t = 2 * x + y, r = t with each block of 128 reversed, out = a * r + x where a is 3 if N is a
// multiple of 256, else 5; total counts programs in memory that is zeroed; ws = w + w; params and
// ids as in kernels.c.
static TestBundle smokeModel(const std::string &target = "compute_80",
                             std::string_view ptx = smokePtx) {
  TestBundle model("smoke");
  model.dim("N", 0, 1 << 22, 128);
  size_t x = model.input("x", DType::f32, {"N"}), y = model.input("y", DType::f32, {"N"});
  size_t w = model.param("w", DType::f32, ramp(256, 1000, 1));
  size_t t = model.temporary("t", "4*N", 0, 1), r = model.temporary("r", "4*N", 1, 2);
  size_t counter = model.temporary("counter", "4", 3, 4, true);
  size_t out = model.output("out", DType::f32, {"N"});
  size_t total = model.output("total", DType::u32, {"1"});
  size_t params = model.output("params", DType::f64, {"7"});
  size_t ids = model.output("ids", DType::i64, {"60"});
  size_t ws = model.output("ws", DType::f32, {"256"});

  size_t saxpy = model.kernel("saxpy", {"x", "y", "out!", "n:i32", "a:f32"});
  size_t count = model.kernel("count", {"counter!"});
  size_t word = model.kernel("copy_word", {"counter", "out!"});
  size_t reverse = model.kernel("shared_reverse", {"x", "out!"});
  size_t all =
      model.kernel("params", {"out!", "a:i1", "b:i8", "c:i16", "d:i32", "e:i64", "f:f32", "g:f64"});
  size_t coordinates = model.kernel("coordinates", {"out!"});
  for (size_t kernel : {saxpy, count, word, reverse, all, coordinates})
    model.gpuCode(kernel, target, textBytes(ptx), kernel == reverse ? 65536 : 0);

  model.launch("t", saxpy, {"N // 128"}, {at(x), at(y), at(t), "N", "#2"});
  model.launch("r", reverse, {"N // 128"}, {at(t), at(r)});
  model.launch("out", saxpy, {"N // 128"}, {at(r), at(x), at(out), "N", "#3"}, "N % 256 == 0");
  model.launch("out", saxpy, {"N // 128"}, {at(r), at(x), at(out), "N", "#5"});
  model.launch("count", count, {"N // 128", "2", "3"}, {at(counter)});
  model.launch("total", word, {"1"}, {at(counter), at(total)});
  model.launch("params", all, {"1"},
               {at(params), "N == 128", "N % 1000 // 10 - 60", "-30000", "-2000000000 + N",
                "-1000000000000 * N", "#0.1", "#0.1"});
  model.launch("ids", coordinates, {"5", "4", "3"}, {at(ids)});
  model.launch("ws", saxpy, {"1"}, {at(w), at(w), at(ws), "128", "#1"});
  model.launch("ws2", saxpy, {"1"}, {at(w, "+512"), at(w, "+512"), at(ws, "+512"), "128", "#1"});
  return model;
}

static float expectedOut(const std::vector<float> &x, const std::vector<float> &y, size_t i) {
  size_t from = i / 128 * 128 + 127 - i % 128;
  float a = x.size() % 256 == 0 ? 3.0f : 5.0f;
  return a * (2.0f * x[from] + y[from]) + x[i];
}

// Small integers, so that every sum is exact.
static std::vector<float> integers(size_t count, int seed) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = static_cast<float>((i * 7 + seed * 13) % 1001) - 500.0f;
  return values;
}

static void checkConstants(const SessionHandle &run, int64_t n) {
  REQUIRE(read<uint32_t>(run, "total", 1)[0] == n / 128 * 6);
  std::vector<double> expected = {n == 128 ? 1.0 : 0.0,
                                  double(n % 1000 / 10 - 60),
                                  -30000,
                                  -2000000000.0 + double(n),
                                  -1e12 * double(n),
                                  double(0.1f),
                                  0.1};
  REQUIRE(read<double>(run, "params", 7) == expected);
  std::vector<int64_t> ids = read<int64_t>(run, "ids", 60);
  for (int64_t p = 0; p < 60; ++p)
    REQUIRE(ids[p] == p * 1000003 + p % 5 + p / 5 % 4 * 17 + p / 20 * 289);
  std::vector<float> ws = read<float>(run, "ws", 256);
  for (int i = 0; i < 256; ++i)
    REQUIRE(ws[i] == 2.0f * static_cast<float>(1000 + i));
}

static teeny_run_statistics statisticsOf(const SessionHandle &run) {
  teeny_run_statistics statistics;
  ok(teeny_get_statistics(run.get(), &statistics));
  return statistics;
}

static void runHost(const SessionHandle &run, int64_t n, int seed) {
  CAPTURE(n, seed);
  std::vector<float> x = integers(n, seed), y = integers(n, seed + 1), out(n, -1.0f);
  ok(bindInput(run, "x", x.data(), TEENY_F32, {n}));
  ok(bindInput(run, "y", y.data(), TEENY_F32, {n}));
  ok(bindOutput(run, "out", out.data(), TEENY_F32, {n}));
  ok(teeny_run(run.get()));
  for (int64_t i = 0; i < n; ++i)
    REQUIRE(out[i] == expectedOut(x, y, i));
  checkConstants(run, n);
}

TEST_CASE("numbers, for several sizes, launched directly and as graphs") {
  if (!gpu())
    return;
  NothingLeaks check;
  BundleHandle bundle = open(smokeModel());
  for (bool graphs : {true, false}) {
    CAPTURE(graphs);
    SessionHandle run = session(bundle, "cuda", 0, nullptr, graphs);
    REQUIRE(std::string(teeny_session_device(run.get())).find("cuda:0 (") == 0);
    for (int repeat = 0; repeat < 3; ++repeat)
      for (int64_t n : {0, 128, 256, 384, 12800}) {
        runHost(run, n, repeat);
        teeny_run_statistics statistics = statisticsOf(run);
        CHECK(statistics.used_graph == (graphs && repeat > 0));
        CHECK(statistics.launches == (n == 0 ? 5u : 9u));
        CHECK(statistics.copied_in == size_t(8 * n));
        CHECK(statistics.copied_out == size_t(4 * n));
        CHECK(statistics.param_bytes >= 1024);
      }
    CHECK(statisticsOf(run).graphs_made == (graphs ? 5u : 0u));
  }
}

namespace {
// The primary context that sessions use, current for this thread; device memory in it.
class Cuda {
public:
  explicit Cuda(const Driver &driver) : driver(driver) {
    require(driver.deviceGet(&device, 0));
    require(driver.primaryCtxRetain(&context, device));
    require(driver.ctxPushCurrent(context));
  }
  ~Cuda() {
    for (CUdeviceptr address : memory)
      driver.memFree(address);
    driver.ctxPopCurrent(&context);
    driver.primaryCtxRelease(device);
  }
  void require(int result) { REQUIRE(result == rt::cuda::success); }

  CUdeviceptr allocate(size_t bytes) {
    CUdeviceptr address = 0;
    require(driver.memAlloc(&address, bytes));
    memory.push_back(address);
    return address;
  }
  void put(CUdeviceptr to, const std::vector<float> &values) {
    require(driver.memcpyHtoDAsync(to, values.data(), values.size() * 4, nullptr));
    require(driver.streamSynchronize(nullptr));
  }
  std::vector<float> get(CUdeviceptr from, size_t count) {
    std::vector<float> values(count);
    require(driver.memcpyDtoHAsync(values.data(), from, count * 4, nullptr));
    require(driver.streamSynchronize(nullptr));
    return values;
  }

  const Driver &driver;
  int device = 0;
  CUcontext context = nullptr;
  std::vector<CUdeviceptr> memory;
};
} // namespace

static void bindDevice(const SessionHandle &run, const char *name, CUdeviceptr address, int64_t n) {
  Bound bound(reinterpret_cast<void *>(address), TEENY_F32, {n}, TEENY_DEVICE);
  if (std::string(name) == "out")
    ok(teeny_bind_output(run.get(), name, &bound.tensor));
  else
    ok(teeny_bind_input(run.get(), name, &bound.tensor));
}

TEST_CASE("device memory in place, new addresses, and addresses that are not aligned") {
  const Driver *driver = gpu();
  if (!driver)
    return;
  NothingLeaks check;
  Cuda cuda(*driver);
  const int64_t n = 512;
  const size_t bytes = 4 * n + 64;
  BundleHandle bundle = open(smokeModel());
  SessionHandle run = session(bundle, "cuda:0");
  CUdeviceptr x = cuda.allocate(bytes), y = cuda.allocate(bytes);
  CUdeviceptr out[2] = {cuda.allocate(bytes), cuda.allocate(bytes)};
  for (int repeat = 0; repeat < 6; ++repeat) {
    CAPTURE(repeat);
    size_t shift = repeat == 5 ? 4 : 0; // not aligned to 16 bytes
    std::vector<float> a = integers(n, repeat), b = integers(n, repeat + 5);
    cuda.put(x + shift, a);
    cuda.put(y, b);
    bindDevice(run, "x", x + shift, n);
    bindDevice(run, "y", y, n);
    bindDevice(run, "out", out[repeat % 2] + shift, n);
    ok(teeny_run(run.get()));
    std::vector<float> result = cuda.get(out[repeat % 2] + shift, n);
    for (int64_t i = 0; i < n; ++i)
      REQUIRE(result[i] == expectedOut(a, b, i));
    checkConstants(run, n);
    teeny_run_statistics statistics = statisticsOf(run);
    CHECK(statistics.copied_in == (shift ? 4u * n : 0u));
    CHECK(statistics.copied_out == (shift ? 4u * n : 0u));
    // Direct, instantiated, then updated in place for the other address.
    CHECK(statistics.graphs_made == (repeat > 0 ? 1u : 0u));
    CHECK(statistics.graph_updates == size_t(repeat > 1 ? repeat - 1 : 0));
  }
}

TEST_CASE("runs on the caller's streams come one after the other") {
  const Driver *driver = gpu();
  if (!driver)
    return;
  NothingLeaks check;
  Cuda cuda(*driver);
  const int64_t n = 128 * 2000;
  BundleHandle bundle = open(smokeModel());
  SessionHandle run = session(bundle, "cuda");
  CUstream streams[2];
  for (CUstream &stream : streams)
    cuda.require(driver->streamCreate(&stream, rt::cuda::streamNonBlocking));
  CUdeviceptr x = cuda.allocate(4 * n), y = cuda.allocate(4 * n), middle = cuda.allocate(4 * n),
              out = cuda.allocate(4 * n);
  std::vector<float> a = integers(n, 1), b = integers(n, 2);
  cuda.put(x, a);
  cuda.put(y, b);
  for (int repeat = 0; repeat < 4; ++repeat) {
    // The second run takes the result of the first, and the arena is the same: each must wait.
    bindDevice(run, "x", x, n);
    bindDevice(run, "y", y, n);
    bindDevice(run, "out", middle, n);
    ok(teeny_run_on_stream(run.get(), streams[0]));
    bindDevice(run, "x", middle, n);
    bindDevice(run, "out", out, n);
    ok(teeny_run_on_stream(run.get(), streams[1]));
    cuda.require(driver->streamSynchronize(streams[1]));
    std::vector<float> result = cuda.get(out, n), first(n);
    for (int64_t i = 0; i < n; ++i)
      first[i] = expectedOut(a, b, i);
    for (int64_t i = 0; i < n; ++i)
      REQUIRE(result[i] == expectedOut(first, b, i));
  }
  run.reset();
  for (CUstream stream : streams)
    cuda.require(driver->streamDestroy(stream));
}

TEST_CASE("timings of a run and of its launches") {
  if (!gpu())
    return;
  NothingLeaks check;
  BundleHandle bundle = open(smokeModel());
  SessionHandle run = session(bundle, "cuda");
  ok(teeny_set_timings(run.get(), TEENY_TIMINGS_RUN));
  for (int repeat = 0; repeat < 3; ++repeat) {
    runHost(run, 1280, 1);
    teeny_run_statistics statistics = statisticsOf(run);
    CHECK(statistics.device_us > 0);
    CHECK(statistics.used_graph == (repeat > 0));
  }
  ok(teeny_set_timings(run.get(), TEENY_TIMINGS_LAUNCHES));
  runHost(run, 1280, 2);
  teeny_run_statistics statistics = statisticsOf(run);
  CHECK(statistics.used_graph == 0);
  double sum = 0;
  for (size_t i = 0; i < statistics.launches; ++i) {
    teeny_launch_info info;
    ok(teeny_get_launch(run.get(), i, &info));
    CHECK(info.device_us >= 0);
    CHECK(std::string(info.target) == "compute_80");
    sum += info.device_us;
  }
  CHECK(sum <= statistics.device_us * 1.01 + 1);
  teeny_launch_info info;
  ok(teeny_get_launch(run.get(), 3, &info));
  CHECK(std::string(info.name) == "count");
  CHECK((info.grid[0] == 10 && info.grid[1] == 2 && info.grid[2] == 3));
}

TEST_CASE("sessions on many threads share modules") {
  if (!gpu())
    return;
  NothingLeaks check;
  BundleHandle bundle = open(smokeModel());
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      teeny_session_options options = TEENY_SESSION_OPTIONS_INIT;
      options.device = "cuda";
      teeny_session *session = nullptr;
      if (teeny_session_create(bundle.get(), &options, &session) != TEENY_OK) {
        ++wrong;
        return;
      }
      SessionHandle closer(session);
      for (int repeat = 0; repeat < 20; ++repeat) {
        int64_t n = 128 * (1 + (repeat + thread) % 3);
        std::vector<float> x = integers(n, thread), y = integers(n, repeat), out(n);
        Bound bx(x.data(), TEENY_F32, {n}), by(y.data(), TEENY_F32, {n}),
            bo(out.data(), TEENY_F32, {n});
        if (teeny_bind_input(session, "x", &bx.tensor) ||
            teeny_bind_input(session, "y", &by.tensor) ||
            teeny_bind_output(session, "out", &bo.tensor) || teeny_run(session))
          ++wrong;
        for (int64_t i = 0; i < n; ++i)
          wrong += out[i] != expectedOut(x, y, i);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  REQUIRE(wrong == 0);
}

TEST_CASE("what a GPU cannot do is said") {
  if (!gpu())
    return;
  NothingLeaks check;
  auto create = [](const TestBundle &model, const char *device, const char *target = nullptr) {
    BundleHandle bundle = open(model);
    teeny_session_options options = TEENY_SESSION_OPTIONS_INIT;
    options.device = device;
    options.target = target;
    teeny_session *session = nullptr;
    teeny_status status = teeny_session_create(bundle.get(), &options, &session);
    SessionHandle closer(session);
    return status;
  };
  ok(create(smokeModel(), "cuda", "compute_80"));
  CHECK(failure(create(smokeModel(), "cuda:99"))
            .find("environment: there is no device cuda:99: the "
                  "CUDA driver shows ") == 0);
  CHECK(failure(create(smokeModel(), "cuda", "sm_75"))
            .find("unsupported: kernel 'saxpy' has no code of target 'sm_75' for the device cuda:0 "
                  "(") == 0);
  CHECK(failure(create(smokeModel(), "cpu"))
            .find("unsupported: kernel 'saxpy' has no code for the device cpu (") == 0);

  std::string broken(smokePtx);
  broken.replace(broken.find("mul.rn.f32"), 10, "mul.xx.f32");
  std::string refused = failure(create(smokeModel("compute_80", broken), "cuda"));
  CHECK(refused.find("environment: kernel 'saxpy': the driver (CUDA ") == 0);
  CHECK(refused.find("refuses the code 'teeny/code/saxpy.compute_80.ptx': ") != std::string::npos);
  CHECK(refused.find("error") != std::string::npos); // of the driver's compiler
  std::cout << "a broken PTX gives:\n" << refused << "\n";

  TestBundle entry = smokeModel();
  entry.manifest.kernels[0].code[0].symbol = "nothing";
  CHECK(failure(create(entry, "cuda"))
            .find("invalid: kernel 'saxpy': no entry 'nothing' in the "
                  "code: ") == 0);
  TestBundle shared = smokeModel();
  shared.manifest.kernels[3].code[0].sharedBytes = 1 << 20;
  CHECK(failure(create(shared, "cuda"))
            .find("unsupported: kernel 'shared_reverse': 1048576 bytes of dynamic and 0 of static "
                  "shared memory are wanted, this GPU has ") == 0);

  TestBundle grid = smokeModel();
  grid.manifest.launches[3].variants[0].grid[1] = 65536;
  BundleHandle bundle = open(grid);
  SessionHandle run = session(bundle, "cuda");
  std::vector<float> x = integers(128, 1);
  ok(bindInput(run, "x", x.data(), TEENY_F32, {128}));
  ok(bindInput(run, "y", x.data(), TEENY_F32, {128}));
  CHECK(failure(teeny_run(run.get())) ==
        "unsupported: kernel 'count': the grid is 1 x 65536 x 3, a "
        "GPU takes at most 65535 along y and z");
}

TEST_CASE("without a device name, a bundle with GPU code runs on the GPU") {
  if (!gpu())
    return;
  NothingLeaks check;
  BundleHandle bundle = open(smokeModel());
  SessionHandle run = session(bundle, nullptr);
  CHECK(std::string(teeny_session_device(run.get())).find("cuda:0 (") == 0);
  std::cout << "device: " << teeny_session_device(run.get()) << "\n";
  runHost(run, 384, 3);
}
