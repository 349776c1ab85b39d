// Runs on the CPU through the C API: numbers against formulas.
#include "Runtime/ApiHelper.h"

using namespace teeny;
using namespace teeny::test;

static float expectedSaxpy(float a, float x, float y) { return a * x + y; }

TEST_CASE("every batch in range works, 0 and 1 included") {
  BundleHandle bundle = open(saxpyBundle(2.0f));
  SessionHandle run = session(bundle);
  for (int64_t batch : {0, 1, 3, 64, 3}) {
    CAPTURE(batch);
    size_t count = batch * 24;
    std::vector<float> x = ramp(count, 1, 0.5f), y = ramp(count, -3, 0.25f), out(count, -1.0f);
    ok(bindInput(run, "x", x.data(), TEENY_F32, {batch, 3, 8}));
    ok(bindInput(run, "y", y.data(), TEENY_F32, {batch, 3, 8}));
    ok(bindOutput(run, "out", out.data(), TEENY_F32, {batch, 3, 8}));
    ok(teeny_run(run.get()));
    for (size_t i = 0; i < count; ++i)
      REQUIRE(out[i] == expectedSaxpy(2.0f, x[i], y[i]));
    int64_t value = -1;
    ok(teeny_get_dim_value(run.get(), "B", &value));
    REQUIRE(value == batch);
    teeny_run_statistics statistics;
    ok(teeny_get_statistics(run.get(), &statistics));
    REQUIRE(statistics.launches == (batch == 0 ? 0 : 1));
    REQUIRE(statistics.used_graph == 0);
  }
}

TEST_CASE("outputs that are not bound live in the session") {
  BundleHandle bundle = open(saxpyBundle(-1.0f));
  SessionHandle run = session(bundle);
  std::vector<float> x = ramp(48, 0, 1), y = ramp(48, 100, 2);
  ok(bindInput(run, "x", x.data(), TEENY_F32, {2, 3, 8}));
  ok(bindInput(run, "y", y.data(), TEENY_F32, {2, 3, 8}));
  ok(teeny_run(run.get()));
  teeny_tensor out;
  ok(teeny_get_output_tensor(run.get(), "out", &out));
  REQUIRE((out.rank == 3 && out.shape[0] == 2 && out.shape[1] == 3 && out.shape[2] == 8));
  REQUIRE((out.dtype == TEENY_F32 && out.memory == TEENY_HOST));
  std::vector<float> read = test::read<float>(run, "out", 48);
  for (size_t i = 0; i < 48; ++i) {
    REQUIRE(read[i] == expectedSaxpy(-1.0f, x[i], y[i]));
    REQUIRE(static_cast<float *>(out.data)[i] == read[i]);
  }

  // Bound, then unbound again.
  std::vector<float> mine(48, 0.0f);
  ok(bindOutput(run, "out", mine.data(), TEENY_F32, {2, 3, 8}));
  ok(teeny_run(run.get()));
  REQUIRE(mine == read);
  REQUIRE(test::read<float>(run, "out", 48) == read);
  ok(teeny_bind_output(run.get(), "out", nullptr));
  mine.assign(48, 7.0f);
  ok(teeny_run(run.get()));
  REQUIRE(mine == std::vector<float>(48, 7.0f));
}

TEST_CASE("shapes of outputs are known before a run") {
  BundleHandle bundle = open(saxpyBundle());
  SessionHandle run = session(bundle);
  std::vector<float> x = ramp(24 * 5, 0, 1);
  ok(bindInput(run, "x", x.data(), TEENY_F32, {5, 3, 8}));
  ok(bindInput(run, "y", x.data(), TEENY_F32, {5, 3, 8}));
  ok(teeny_prepare(run.get()));
  teeny_tensor out;
  ok(teeny_get_output_tensor(run.get(), "out", &out));
  REQUIRE(out.shape[0] == 5);
}

TEST_CASE("aligned memory is used in place, other memory is copied") {
  BundleHandle bundle = open(saxpyBundle());
  SessionHandle run = session(bundle);
  alignas(64) float x[28], y[28], out[28];
  for (int i = 0; i < 28; ++i) {
    x[i] = static_cast<float>(i);
    y[i] = 0.5f;
    out[i] = -7.0f;
  }
  for (int shift : {0, 1, 4}) { // floats from a 64-byte boundary
    CAPTURE(shift);
    ok(bindInput(run, "x", x + shift, TEENY_F32, {1, 3, 8}));
    ok(bindInput(run, "y", y, TEENY_F32, {1, 3, 8}));
    ok(bindOutput(run, "out", out + shift, TEENY_F32, {1, 3, 8}));
    ok(teeny_run(run.get()));
    for (int i = shift; i < shift + 24; ++i)
      REQUIRE(out[i] == 2.0f * x[i] + 0.5f);
    teeny_run_statistics statistics;
    ok(teeny_get_statistics(run.get(), &statistics));
    REQUIRE(statistics.copied_in == (shift == 1 ? 96 : 0));
    REQUIRE(statistics.copied_out == (shift == 1 ? 96 : 0));
  }
  REQUIRE(out[0] == 0.5f); // each run wrote its own part
}

TEST_CASE("an output may overlap an input, not another output") {
  SECTION("out = 2 * x + y over y, one element later") {
    BundleHandle bundle = open(saxpyBundle());
    SessionHandle run = session(bundle, "cpu", 1);
    std::vector<float> x = ramp(24, 0, 1);
    alignas(64) float memory[32];
    for (int i = 0; i < 32; ++i)
      memory[i] = static_cast<float>(100 + i);
    ok(bindInput(run, "x", x.data(), TEENY_F32, {1, 3, 8}));
    ok(bindInput(run, "y", memory, TEENY_F32, {1, 3, 8}));
    ok(bindOutput(run, "out", memory + 4, TEENY_F32, {1, 3, 8}));
    ok(teeny_run(run.get()));
    for (int i = 0; i < 24; ++i)
      REQUIRE(memory[4 + i] == 2.0f * x[i] + static_cast<float>(100 + i));
  }
  SECTION("two outputs") {
    TestBundle two;
    size_t x = two.input("x", DType::i32, {"1"});
    size_t a = two.output("a", DType::u32, {"1"}), b = two.output("b", DType::u32, {"1"});
    size_t kernel = two.kernel("copy_word", {"x", "out!"});
    two.cpuCode(kernel);
    two.launch("a", kernel, {"1"}, {"@" + std::to_string(x), "@" + std::to_string(a)});
    two.launch("b", kernel, {"1"}, {"@" + std::to_string(x), "@" + std::to_string(b)});
    BundleHandle bundle = open(two);
    SessionHandle run = session(bundle);
    int32_t word = 5;
    uint32_t memory[2] = {};
    ok(bindInput(run, "x", &word, TEENY_I32, {1}));
    ok(bindOutput(run, "a", memory, TEENY_U32, {1}));
    ok(bindOutput(run, "b", memory, TEENY_U32, {1}));
    REQUIRE(failure(teeny_run(run.get())) == "invalid: the outputs 'a' and 'b' overlap in memory");
    ok(bindOutput(run, "b", memory + 1, TEENY_U32, {1}));
    ok(teeny_run(run.get()));
    REQUIRE((memory[0] == 5 && memory[1] == 5));
  }
}

TEST_CASE("two outputs of one buffer are both written") {
  TestBundle twins;
  size_t x = twins.input("x", DType::i32, {"1"});
  size_t a = twins.output("a", DType::u32, {"1"});
  twins.outputOf(a, "b", DType::u32, {"1", "1"});
  size_t kernel = twins.kernel("copy_word", {"x", "out!"});
  twins.cpuCode(kernel);
  twins.launch("copy", kernel, {"1"}, {"@" + std::to_string(x), "@" + std::to_string(a)});
  BundleHandle bundle = open(twins);
  SessionHandle run = session(bundle);
  int32_t word = 77;
  alignas(16) uint32_t first[1] = {}, second[1] = {};
  ok(bindInput(run, "x", &word, TEENY_I32, {1}));
  ok(bindOutput(run, "a", first, TEENY_U32, {1}));
  ok(bindOutput(run, "b", second, TEENY_U32, {1, 1}));
  ok(teeny_run(run.get()));
  REQUIRE((first[0] == 77 && second[0] == 77));
}

TEST_CASE("parameters of every kind reach the kernel") {
  TestBundle all;
  all.dim("N", 0, 1000000);
  size_t x = all.input("x", DType::u8, {"N"});
  size_t out = all.output("out", DType::f64, {"7"});
  size_t kernel =
      all.kernel("params", {"out!", "a:i1", "b:i8", "c:i16", "d:i32", "e:i64", "f:f32", "g:f64"});
  all.cpuCode(kernel);
  all.launch("all", kernel, {"1"},
             {"@" + std::to_string(out), "N == 3", "-100 - N", "-30000", "-2000000000 + N",
              "-1000000000000 * N", "#0.1", "#0.1"});
  (void)x;
  BundleHandle bundle = open(all);
  SessionHandle run = session(bundle);
  uint8_t bytes[3] = {};
  ok(bindInput(run, "x", bytes, TEENY_U8, {3}));
  ok(teeny_run(run.get()));
  std::vector<double> expected = {1, -103, -30000, -1999999997, -3000000000000, double(0.1f), 0.1};
  REQUIRE(read<double>(run, "out", 7) == expected);

  std::vector<uint8_t> many(30);
  ok(bindInput(run, "x", many.data(), TEENY_U8, {30}));
  REQUIRE(failure(teeny_run(run.get())) ==
          "out of range: launch 'all': argument 'b': -N - 100 = -130 is outside -128 to 127");
}

TEST_CASE("guards choose variants") {
  TestBundle guarded;
  guarded.dim("N", 0, 1000);
  size_t x = guarded.input("x", DType::f32, {"N"});
  size_t out = guarded.output("out", DType::f32, {"N"});
  size_t kernel = guarded.kernel("saxpy", {"x", "y", "out!", "n:i32", "a:f32"});
  guarded.cpuCode(kernel);
  std::string in = "@" + std::to_string(x), to = "@" + std::to_string(out);
  for (auto [factor, guard] :
       {std::pair("#9", "N % 16 == 0"), std::pair("#4", "N > 100"), std::pair("#1", "1")})
    guarded.launch("scale", kernel, {"cdiv(N, 128)"}, {in, in, to, "N", factor}, guard);
  BundleHandle bundle = open(guarded);
  SessionHandle run = session(bundle);
  for (auto [size, factor] : {std::pair(160, 10), std::pair(161, 5), std::pair(7, 2)}) {
    std::vector<float> values = ramp(size, 1, 1);
    ok(bindInput(run, "x", values.data(), TEENY_F32, {size}));
    ok(teeny_run(run.get()));
    std::vector<float> result = read<float>(run, "out", size);
    for (int i = 0; i < size; ++i)
      REQUIRE(result[i] == values[i] * static_cast<float>(factor));
  }
}

TEST_CASE("weights, temporaries, parts and zeroed memory") {
  // t = 1 * w + x for each half of t, which are parts of one temporary; out = 2 * t + w. `c` counts
  // the programs of a launch, from zero in every run, in memory that `t` had before.
  TestBundle model;
  size_t x = model.input("x", DType::f32, {"256"});
  std::vector<float> weights = ramp(256, 1000, 1);
  size_t w = model.param("w", DType::f32, weights);
  size_t t = model.temporary("t", "1024", 0, 2);
  size_t low = model.part("low", t, "0", "512", 0, 0),
         high = model.part("high", t, "512", "512", 1, 1);
  size_t c = model.temporary("c", "4", 3, 4, true);
  size_t out = model.output("out", DType::f32, {"256"});
  size_t total = model.output("total", DType::u32, {"1"});
  size_t saxpy = model.kernel("saxpy", {"x", "y", "out!", "n:i32", "a:f32"});
  size_t count = model.kernel("count", {"counter!"});
  size_t word = model.kernel("copy_word", {"counter", "out!"});
  for (size_t kernel : {saxpy, count, word})
    model.cpuCode(kernel);
  auto at = [](size_t buffer, const char *offset = "") {
    return "@" + std::to_string(buffer) + offset;
  };
  model.launch("low", saxpy, {"1"}, {at(w), at(x), at(low), "128", "#1"});
  model.launch("high", saxpy, {"1"}, {at(w, "+512"), at(x, "+512"), at(high), "128", "#1"});
  model.launch("both", saxpy, {"2"}, {at(t), at(w), at(out), "256", "#2"});
  model.launch("count", count, {"5", "2", "3"}, {at(c)});
  model.launch("total", word, {"1"}, {at(c), at(total)});
  BundleHandle bundle = open(model);
  SessionHandle run = session(bundle);
  std::vector<float> values = ramp(256, 0, 0.5f);
  ok(bindInput(run, "x", values.data(), TEENY_F32, {256}));
  for (int repeat = 0; repeat < 3; ++repeat) {
    ok(teeny_run(run.get()));
    std::vector<float> result = read<float>(run, "out", 256);
    for (int i = 0; i < 256; ++i)
      REQUIRE(result[i] == 2 * (weights[i] + values[i]) + weights[i]);
    REQUIRE(read<uint32_t>(run, "total", 1)[0] == 30);
  }
  teeny_run_statistics statistics;
  ok(teeny_get_statistics(run.get(), &statistics));
  REQUIRE(statistics.launches == 5);
  REQUIRE(statistics.param_bytes == 0); // used in the bundle's memory
}

TEST_CASE("program ids, grids of three dimensions and waiting programs") {
  TestBundle model;
  size_t x = model.input("x", DType::u8, {"1"});
  (void)x;
  size_t ids = model.output("ids", DType::i64, {"60"}),
         done = model.output("done", DType::i64, {"500"});
  size_t waits = model.temporary("waits", "4000", 1, 2, true);
  size_t scratch = model.output("scratch", DType::i32, {"300"});
  size_t coordinates = model.kernel("coordinates", {"out!"});
  size_t chain = model.kernel("chain", {"done!"});
  size_t copy = model.kernel("saxpy", {"x", "y", "out!", "n:i32", "a:f32"});
  size_t own = model.kernel("own_scratch", {"out!"});
  model.cpuCode(coordinates);
  model.cpuCode(chain);
  model.cpuCode(copy);
  model.cpuCode(own, 1024);
  auto at = [](size_t buffer) { return "@" + std::to_string(buffer); };
  model.launch("ids", coordinates, {"5", "4", "3"}, {at(ids)});
  model.launch("chain", chain, {"500"}, {at(waits)});
  // As floats, 0 * waits + waits copies the bits of small integers.
  model.launch("copy", copy, {"8"}, {at(waits), at(waits), at(done), "1000", "#0"});
  model.launch("scratch", own, {"300"}, {at(scratch)});
  BundleHandle bundle = open(model);
  for (int threads : {1, 2, 5}) {
    SessionHandle run = session(bundle, "cpu", threads);
    uint8_t byte = 0;
    ok(bindInput(run, "x", &byte, TEENY_U8, {1}));
    ok(teeny_run(run.get()));
    std::vector<int64_t> result = read<int64_t>(run, "ids", 60);
    for (int64_t z = 0, p = 0; z < 3; ++z)
      for (int64_t y = 0; y < 4; ++y)
        for (int64_t x = 0; x < 5; ++x, ++p)
          REQUIRE(result[p] == p * 1000003 + x + y * 17 + z * 289);
    std::vector<int64_t> counts = read<int64_t>(run, "done", 500);
    for (int64_t p = 0; p < 500; ++p)
      REQUIRE(counts[p] == p + 1);
    REQUIRE(read<int32_t>(run, "scratch", 300) == std::vector<int32_t>(300, 1));
  }
}

TEST_CASE("timings name each launch") {
  BundleHandle bundle = open(saxpyBundle());
  SessionHandle run = session(bundle);
  std::vector<float> x = ramp(24 * 64, 0, 1);
  ok(bindInput(run, "x", x.data(), TEENY_F32, {64, 3, 8}));
  ok(bindInput(run, "y", x.data(), TEENY_F32, {64, 3, 8}));
  teeny_run_statistics statistics;
  teeny_launch_info info;
  ok(teeny_run(run.get()));
  ok(teeny_get_statistics(run.get(), &statistics));
  REQUIRE(statistics.device_us == 0);
  ok(teeny_set_timings(run.get(), TEENY_TIMINGS_RUN));
  ok(teeny_run(run.get()));
  ok(teeny_get_statistics(run.get(), &statistics));
  REQUIRE(statistics.device_us > 0);
  ok(teeny_get_launch(run.get(), 0, &info));
  REQUIRE(info.device_us == 0);
  ok(teeny_set_timings(run.get(), TEENY_TIMINGS_LAUNCHES));
  ok(teeny_run(run.get()));
  ok(teeny_get_statistics(run.get(), &statistics));
  ok(teeny_get_launch(run.get(), 0, &info));
  REQUIRE((info.device_us > 0 && info.device_us <= statistics.device_us));
  REQUIRE(std::string(info.name) == "saxpy");
  REQUIRE(std::string(info.node) == "node_saxpy");
  REQUIRE(std::string(info.kernel) == "saxpy");
  REQUIRE(info.target == TestBundle::hostTarget());
  REQUIRE((info.grid[0] == 12 && info.grid[1] == 1 && info.grid[2] == 1));
  REQUIRE(failure(teeny_get_launch(run.get(), 1, &info)) ==
          "not found: there is no launch 1: the last run had 1");
}
