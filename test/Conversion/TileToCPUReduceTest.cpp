// Reductions, scans, shapes and dots.
#include "Conversion/TileToCPUKernels.h"
#include "Conversion/TileToCPUSupport.h"
#include "Target/HostLibrary.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace teeny::test;

static std::vector<float> integers(size_t count, unsigned seed = 1) { // exact in any order
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float &value : values)
    value = float(int(random() % 2001) - 1000);
  return values;
}

static std::vector<float> runTile(const std::string &text, const std::string &target,
                                  const std::vector<float> &x, size_t outputs, int32_t n = 0) {
  std::vector<float> out(outputs, NAN);
  CpuKernel(text, target).run({1, 1, 1}, x.data(), out.data(), n);
  return out;
}

static std::string storeVector(const std::string &value, int size,
                               const std::string &type = "f32") {
  std::string text = R"(
  %is = tile.arange 0 to N : tensor<Nxi32>
  %outs = tile.splat %out : !tile.ptr<T> -> tensor<Nx!tile.ptr<T>>
  %pouts = tile.addptr %outs, %is : tensor<Nx!tile.ptr<T>>, tensor<Nxi32>
  tile.store %pouts, VALUE : tensor<Nx!tile.ptr<T>>)";
  text = replaced(text, "<N", "<" + std::to_string(size));
  text = replaced(text, "to N", "to " + std::to_string(size));
  return replaced(replaced(text, "<T>", "<" + type + ">"), "VALUE", value);
}

TEST_CASE("sums and maxima along either dim") {
  struct {
    const char *op;
    float (*combine)(float, float);
  } operations[] = {{"arith.addf", [](float a, float b) { return a + b; }},
                    {"arith.maxnumf", [](float a, float b) { return std::fmax(a, b); }},
                    {"arith.minimumf", [](float a, float b) { return std::min(a, b); }}};
  for (const std::string &target : runnableTargets())
    for (auto [op, combine] : operations)
      for (auto [rows, columns] : {std::pair(8, 64), std::pair(64, 8), std::pair(1, 128),
                                   std::pair(128, 1), std::pair(2, 2)})
        for (int axis : {0, 1}) {
          int left = axis == 0 ? columns : rows;
          std::string body = "%s = tile.reduce (%v) axis " + std::to_string(axis) +
                             " { ^bb0(%a: f32, %b: f32): %c = " + op +
                             " %a, %b : f32  tile.yield %c : f32 } : (tensor<RxCxf32>) -> tensor<" +
                             std::to_string(left) + "xf32>" + storeVector("%s", left);
          std::vector<float> x = integers(rows * columns), expected(left);
          for (int i = 0; i < left; ++i) {
            float sum = axis == 0 ? x[i] : x[i * columns];
            for (int k = 1; k < (axis == 0 ? rows : columns); ++k)
              sum = combine(sum, axis == 0 ? x[k * columns + i] : x[i * columns + k]);
            expected[i] = sum;
          }
          INFO(target << " " << op << " " << rows << "x" << columns << " axis " << axis);
          CHECK(runTile(tileKernel(rows, columns, body), target, x, left) == expected);
        }
}

TEST_CASE("a function without a neutral number, over two tiles at once") {
  // The largest value and the first place where it is, of every row; then of all as scalars.
  std::string argmax = R"({ ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %gt = arith.cmpf ogt, %a, %b : f32
    %eq = arith.cmpf oeq, %a, %b : f32
    %lt = arith.cmpi slt, %i, %j : i32
    %tie = arith.andi %eq, %lt : i1
    %left = arith.ori %gt, %tie : i1
    %m = arith.select %left, %a, %b : f32
    %k = arith.select %left, %i, %j : i32
    tile.yield %m, %k : f32, i32 })";
  std::string perRow = "%m, %k = tile.reduce (%v, %cb) axis 1 " + argmax +
                       " : (tensor<RxCxf32>, tensor<RxCxi32>) -> (tensor<16xf32>, tensor<16xi32>)" +
                       storeVector("%k", 16, "i32");
  for (const std::string &target : runnableTargets()) {
    std::vector<float> x = integers(16 * 32, 3);
    x[5] = x[9] = 5000; // a tie
    std::vector<int32_t> out(16, -1);
    CpuKernel(tileKernel(16, 32, perRow, "i32"), target).run({1, 1, 1}, x.data(), out.data(), 0);
    for (int r = 0; r < 16; ++r)
      CHECK(out[r] == std::max_element(&x[r * 32], &x[r * 32] + 32) - &x[r * 32]);

    std::string along0 = replaced(perRow, "axis 1", "axis 0");
    along0 = replaced(along0, "%cb)", "%rr)");
    along0 = "%rr = tile.broadcast %r1 : tensor<Rx1xi32> -> tensor<RxCxi32>\n" +
             replaced(replaced(along0, "<16xf32>", "<32xf32>"), "<16x", "<32x");
    along0 = replaced(along0, "to 16", "to 32");
    std::vector<int32_t> columns(32, -1);
    CpuKernel(tileKernel(16, 32, along0, "i32"), target)
        .run({1, 1, 1}, x.data(), columns.data(), 0);
    for (int c = 0; c < 32; ++c) {
      int best = 0;
      for (int r = 1; r < 16; ++r)
        if (x[r * 32 + c] > x[best * 32 + c])
          best = r;
      CHECK(columns[c] == best);
    }
  }
}

TEST_CASE("softmax of rows, with a mask") {
  const char *text = R"(
func.func @kernel(%x: !tile.ptr<f32> NOALIAS, %out: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel} {
  %row = tile.program_id 0 : i32
  %start = arith.muli %row, %n : i32
  %i = tile.arange 0 to 256 : tensor<256xi32>
  %nn = tile.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %i, %nn : tensor<256xi32>
  %x0 = tile.addptr %x, %start : !tile.ptr<f32>, i32
  %xs = tile.splat %x0 : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %px = tile.addptr %xs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %least = arith.constant dense<0xFF800000> : tensor<256xf32>
  %v = tile.load %px mask %mask other %least : tensor<256x!tile.ptr<f32>>
  %m = tile.reduce (%v) axis 0 { ^bb0(%a: f32, %b: f32): %c = arith.maxnumf %a, %b : f32  tile.yield %c : f32 }
         : (tensor<256xf32>) -> f32
  %ms = tile.splat %m : f32 -> tensor<256xf32>
  %d = arith.subf %v, %ms : tensor<256xf32>
  %scale = arith.constant dense<1.44269504> : tensor<256xf32>
  %d2 = arith.mulf %d, %scale : tensor<256xf32>
  %e = math.exp2 %d2 : tensor<256xf32>
  %s = tile.reduce (%e) axis 0 { ^bb0(%a: f32, %b: f32): %c = arith.addf %a, %b : f32  tile.yield %c : f32 }
         : (tensor<256xf32>) -> f32
  %ss = tile.splat %s : f32 -> tensor<256xf32>
  %r = arith.divf %e, %ss : tensor<256xf32>
  %o0 = tile.addptr %out, %start : !tile.ptr<f32>, i32
  %os = tile.splat %o0 : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %po = tile.addptr %os, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %po, %r mask %mask : tensor<256x!tile.ptr<f32>>
  return
})";
  for (const std::string &target : runnableTargets())
    for (const char *noalias : {"{tile.noalias}", ""}) {
      CpuKernel kernel(replaced(text, "NOALIAS", noalias), target);
      for (int n : {1, 3, 17, 127, 130, 256}) {
        std::vector<float> x(3 * n), out(3 * n, -1.0f);
        std::mt19937 random(n);
        for (float &value : x)
          value = std::uniform_real_distribution<float>(-20, 20)(random);
        std::vector<double> expected(3 * n);
        for (int r = 0; r < 3; ++r) {
          double most = -INFINITY, sum = 0;
          for (int i = 0; i < n; ++i)
            most = std::max<double>(most, x[r * n + i]);
          for (int i = 0; i < n; ++i)
            sum += std::exp(x[r * n + i] - most);
          for (int i = 0; i < n; ++i)
            expected[r * n + i] = std::exp(x[r * n + i] - most) / sum;
        }
        kernel.run({3, 1, 1}, x.data(), out.data(), int32_t(n));
        for (int i = 0; i < 3 * n; ++i)
          CHECK(out[i] == Approx(expected[i]).epsilon(1e-5).margin(1e-9));
        if (!*noalias) { // in place
          kernel.run({3, 1, 1}, x.data(), x.data(), int32_t(n));
          CHECK(x == out);
        }
      }
    }
}

TEST_CASE("scans in both directions along both dims") {
  for (const std::string &target : runnableTargets())
    for (int axis : {0, 1})
      for (bool reverse : {false, true}) {
        std::string body = "%s = tile.scan (%v) axis " + std::to_string(axis) +
                           (reverse ? " reverse" : "") + R"( { ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32 } : (tensor<RxCxf32>) -> tensor<RxCxf32>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<RxCx!tile.ptr<f32>>
  %po = tile.addptr %os, %offs : tensor<RxCx!tile.ptr<f32>>, tensor<RxCxi32>
  tile.store %po, %s : tensor<RxCx!tile.ptr<f32>>)";
        std::vector<float> x = integers(8 * 16), expected = x;
        for (int i = 1; i < (axis ? 16 : 8); ++i)
          for (int k = 0; k < (axis ? 8 : 16); ++k) {
            int at = reverse ? (axis ? 15 : 7) - i : i, before = reverse ? at + 1 : at - 1;
            auto index = [&](int j) { return axis ? k * 16 + j : j * 16 + k; };
            expected[index(at)] += expected[index(before)];
          }
        INFO(target << " axis " << axis << " reverse " << reverse);
        CHECK(runTile(tileKernel(8, 16, body), target, x, 128) == expected);
      }
}

TEST_CASE("tiles change shape") {
  // The transpose; merging dims; pairs taken apart and put together the other way round.
  std::string store = R"(
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<SHAPEx!tile.ptr<f32>>
  %io = tile.arange 0 to 128 : tensor<128xi32>
  %oo = tile.reshape %io : tensor<128xi32> -> tensor<SHAPExi32>
  %po = tile.addptr %os, %oo : tensor<SHAPEx!tile.ptr<f32>>, tensor<SHAPExi32>
  tile.store %po, %r : tensor<SHAPEx!tile.ptr<f32>>)";
  for (const std::string &target : runnableTargets()) {
    std::vector<float> x = integers(128);
    std::string body = "%r = tile.trans %v by [1, 0] : tensor<RxCxf32> -> tensor<CxRxf32>" +
                       replaced(store, "SHAPE", "16x8");
    std::vector<float> out = runTile(tileKernel(8, 16, body), target, x, 128);
    for (int r = 0; r < 8; ++r)
      for (int c = 0; c < 16; ++c)
        CHECK(out[c * 8 + r] == x[r * 16 + c]);

    body = R"(%t = tile.trans %v by [1, 0] : tensor<RxCxf32> -> tensor<CxRxf32>
  %r = tile.reshape %t : tensor<CxRxf32> -> tensor<4x32xf32>)" +
           replaced(store, "SHAPE", "4x32");
    out = runTile(tileKernel(8, 16, body), target, x, 128);
    for (int i = 0; i < 128; ++i)
      CHECK(out[i] == x[i % 8 * 16 + i / 8]);

    body = R"(%p = tile.reshape %v : tensor<RxCxf32> -> tensor<64x2xf32>
  %e, %o = tile.split %p : tensor<64x2xf32> -> tensor<64xf32>, tensor<64xf32>
  %d = arith.addf %e, %e : tensor<64xf32>
  %r = tile.join %o, %d : tensor<64xf32>, tensor<64xf32> -> tensor<64x2xf32>)" +
           replaced(store, "SHAPE", "64x2");
    out = runTile(tileKernel(8, 16, body), target, x, 128);
    for (int i = 0; i < 128; ++i)
      CHECK(out[i] == (i % 2 ? 2 * x[i - 1] : x[i + 1]));
  }
}
