#include "Conversion/TileToCPUKernels.h"
#include "Conversion/TileToCPUSupport.h"
#include "Target/HostLibrary.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace teeny::test;

static const int awkwardSizes[] = {0, 1, 3, 17, 127, 128, 130, 1000};

static std::vector<float> randomFloats(size_t count, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> distribution(-4, 4);
  std::vector<float> values(count);
  for (float &value : values)
    value = distribution(random);
  return values;
}

static int32_t blocks(int n, int block) { return (n + block - 1) / block; }

// y = x * 2 + 1 for offs < n, blocks of 128.
static const char *scaleKernel = R"(
func.func @kernel(%x: !tile.ptr<f32> NOALIAS, %y: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c128 = arith.constant 128 : i32
  %two = arith.constant dense<2.0> : tensor<128xf32>
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %pid = tile.program_id 0 : i32
  %start = arith.muli %pid, %c128 : i32
  %i = tile.arange 0 to 128 : tensor<128xi32>
  %s = tile.splat %start : i32 -> tensor<128xi32>
  %offs = arith.addi %s, %i : tensor<128xi32>
  %nn = tile.splat %n : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %offs, %nn : tensor<128xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %px = tile.addptr %xs, %offs : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %v = tile.load %px mask %mask : tensor<128x!tile.ptr<f32>>
  %m = arith.mulf %v, %two : tensor<128xf32>
  %r = arith.addf %m, %one : tensor<128xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %py = tile.addptr %ys, %offs : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %py, %r mask %mask : tensor<128x!tile.ptr<f32>>
  return
})";

TEST_CASE("elementwise kernels with masks, in place and not") {
  for (const std::string &target : runnableTargets())
    for (const char *noalias : {"{tile.noalias}", ""}) {
      CpuKernel kernel(replaced(scaleKernel, "NOALIAS", noalias), target);
      for (int n : awkwardSizes) {
        std::vector<float> x = randomFloats(n + 300), y(n + 300, -1.0f), expected = y;
        for (int i = 0; i < n; ++i)
          expected[i] = x[i] * 2 + 1;
        kernel.atOnce = n % 2 ? 1 : 3;
        kernel.run({blocks(n, 128), 1, 1}, x.data(), y.data(), int32_t(n));
        INFO(target << " " << n << " " << noalias);
        CHECK(y == expected);
        if (*noalias)
          continue;
        // The same memory, then memory that overlaps by all but one element.
        std::vector<float> inPlace = x;
        kernel.run({blocks(n, 128), 1, 1}, inPlace.data(), inPlace.data(), int32_t(n));
        std::vector<float> wanted = x;
        std::copy(expected.begin(), expected.begin() + n, wanted.begin());
        CHECK(inPlace == wanted);
        if (n > 128)
          continue; // one program sees all of a tile before it writes; several need not
        std::vector<float> shifted = x;
        kernel.run({blocks(n, 128), 1, 1}, shifted.data(), shifted.data() + 1, int32_t(n));
        wanted = x;
        std::copy(expected.begin(), expected.begin() + n, wanted.begin() + 1);
        CHECK(shifted == wanted);
      }
    }
}

TEST_CASE("the part of a loop where masks hold has vectors and no masks") {
  std::string text = replaced(scaleKernel, "NOALIAS", "{tile.noalias}");
  CHECK(compileTileIR(text, "x86-64").llvm.find("fmul <4 x float>") != std::string::npos);
  CHECK(compileTileIR(text, "x86-64-v3").llvm.find("fmul <8 x float>") != std::string::npos);
  CHECK(compileTileIR(text, "x86-64-v4").llvm.find("fmul <16 x float>") != std::string::npos);
}

TEST_CASE("programs have their place in a grid of three dims") {
  const char *text = R"(
func.func @kernel(%out: !tile.ptr<i32>, %flag: i1, %big: i64, %real: f32, %wide: f64)
    attributes {tile.kernel} {
  %x = tile.program_id 0 : i32
  %y = tile.program_id 1 : i32
  %z = tile.program_id 2 : i32
  %nx = tile.num_programs 0 : i32
  %ny = tile.num_programs 1 : i32
  %nz = tile.num_programs 2 : i32
  %a = arith.muli %z, %ny : i32
  %b = arith.addi %a, %y : i32
  %c = arith.muli %b, %nx : i32
  %p = arith.addi %c, %x : i32
  %c100 = arith.constant 100 : i32
  %s0 = arith.muli %nz, %c100 : i32
  %s1 = arith.addi %s0, %p : i32
  %f = arith.extui %flag : i1 to i32
  %g = arith.trunci %big : i64 to i32
  %h = arith.fptosi %real : f32 to i32
  %k = arith.fptosi %wide : f64 to i32
  %t0 = arith.addi %s1, %f : i32
  %t1 = arith.addi %t0, %g : i32
  %t2 = arith.addi %t1, %h : i32
  %t3 = arith.addi %t2, %k : i32
  %q = tile.addptr %out, %p : !tile.ptr<i32>, i32
  tile.store %q, %t3 : !tile.ptr<i32>
  return
})";
  for (const std::string &target : runnableTargets()) {
    CpuKernel kernel(text, target);
    for (int64_t atOnce : {1, 2, 7, 1000}) {
      kernel.atOnce = atOnce;
      std::vector<int32_t> out(2 * 3 * 5, -1);
      kernel.run({2, 3, 5}, out.data(), true, int64_t(1000), 2000.5f, -7.9);
      for (int i = 0; i < 30; ++i)
        CHECK(out[i] == 500 + i + 1 + 1000 + 2000 - 7);
    }
  }
}

TEST_CASE("two stores that may overlap happen one after the other") {
  // out[i] = 1, then out[i + 1] = 2, over whole tiles: fused, out[i] = 1 would come last.
  const char *text = R"(
func.func @kernel(%out: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.arange 0 to 16 : tensor<16xi32>
  %one = arith.constant dense<1> : tensor<16xi32>
  %two = arith.constant dense<2> : tensor<16xi32>
  %os = tile.splat %out : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %p = tile.addptr %os, %i : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %q = tile.addptr %p, %one : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  tile.store %p, %one : tensor<16x!tile.ptr<i32>>
  tile.store %q, %two : tensor<16x!tile.ptr<i32>>
  return
})";
  for (const std::string &target : runnableTargets()) {
    std::vector<int32_t> out(18, 0);
    CpuKernel(text, target).run({1, 1, 1}, out.data());
    std::vector<int32_t> expected(18, 2);
    expected[0] = 1;
    expected[17] = 0;
    CHECK(out == expected);
  }
}

TEST_CASE("a load keeps its place before a store that might reach it") {
  // x is loaded, then cleared, then what was loaded goes to y.
  const char *text = R"(
func.func @kernel(%x: !tile.ptr<f32>, %y: !tile.ptr<f32> {tile.noalias}) attributes {tile.kernel} {
  %i = tile.arange 0 to 32 : tensor<32xi32>
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  %v = tile.load %p : tensor<32x!tile.ptr<f32>>
  tile.store %p, %zero : tensor<32x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %q = tile.addptr %ys, %i : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
  tile.store %q, %v : tensor<32x!tile.ptr<f32>>
  return
})";
  for (const std::string &target : runnableTargets()) {
    std::vector<float> x = randomFloats(32), y(32), expected = x;
    CpuKernel(text, target).run({1, 1, 1}, x.data(), y.data());
    CHECK(y == expected);
    CHECK(x == std::vector<float>(32, 0.0f));
  }
}

TEST_CASE("masks with limits on both sides of both dims") {
  // out[r][c] = x[r - 1][c - 2] where that is inside [0, n) x [0, n), else -1.
  std::string text = tileKernel(8, 32, R"(
  %m1 = arith.constant dense<1> : tensor<8x32xi32>
  %m2 = arith.constant dense<2> : tensor<8x32xi32>
  %zero = arith.constant dense<0> : tensor<8x32xi32>
  %width = arith.constant dense<32> : tensor<8x32xi32>
  %other = arith.constant dense<-1.0> : tensor<8x32xf32>
  %rr = tile.broadcast %r1 : tensor<8x1xi32> -> tensor<8x32xi32>
  %rm = arith.subi %rr, %m1 : tensor<8x32xi32>
  %cm = arith.subi %cb, %m2 : tensor<8x32xi32>
  %nn = tile.splat %n : i32 -> tensor<8x32xi32>
  %k0 = arith.cmpi sge, %rm, %zero : tensor<8x32xi32>
  %k1 = arith.cmpi slt, %rm, %nn : tensor<8x32xi32>
  %k2 = arith.cmpi sle, %zero, %cm : tensor<8x32xi32>
  %k3 = arith.cmpi sgt, %nn, %cm : tensor<8x32xi32>
  %a0 = arith.andi %k0, %k1 : tensor<8x32xi1>
  %a1 = arith.andi %k2, %k3 : tensor<8x32xi1>
  %mask = arith.andi %a0, %a1 : tensor<8x32xi1>
  %o0 = arith.muli %rm, %width : tensor<8x32xi32>
  %o1 = arith.addi %o0, %cm : tensor<8x32xi32>
  %pm = tile.addptr %xs, %o1 : tensor<8x32x!tile.ptr<f32>>, tensor<8x32xi32>
  %w = tile.load %pm mask %mask other %other : tensor<8x32x!tile.ptr<f32>>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<8x32x!tile.ptr<f32>>
  %po = tile.addptr %os, %offs : tensor<8x32x!tile.ptr<f32>>, tensor<8x32xi32>
  tile.store %po, %w : tensor<8x32x!tile.ptr<f32>>)");
  for (const std::string &target : runnableTargets()) {
    CpuKernel kernel(text, target);
    for (int n : {-3, 0, 1, 5, 7, 29, 100}) {
      std::vector<float> x = randomFloats(256), out(256), expected(256, -1.0f);
      for (int r = 1; r < 8; ++r)
        for (int c = 2; c < 32; ++c)
          if (r - 1 < n && c - 2 < n)
            expected[r * 32 + c] = x[(r - 1) * 32 + c - 2];
      kernel.run({1, 1, 1}, x.data(), out.data(), int32_t(n));
      INFO(target << " " << n);
      CHECK(out == expected);
    }
  }
}

TEST_CASE("indices of a mask that wrap are outside of every straight line") {
  // start + i < n in i32, with start near the largest number: where the sum wraps the mask holds.
  const char *text = R"(
func.func @kernel(%out: !tile.ptr<i32>, %start: i32, %n: i32) attributes {tile.kernel} {
  %i = tile.arange 0 to 16 : tensor<16xi32>
  %s = tile.splat %start : i32 -> tensor<16xi32>
  %nn = tile.splat %n : i32 -> tensor<16xi32>
  %sum = arith.addi %s, %i : tensor<16xi32>
  %mask = arith.cmpi slt, %sum, %nn : tensor<16xi32>
  %os = tile.splat %out : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %p = tile.addptr %os, %i : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  tile.store %p, %sum mask %mask : tensor<16x!tile.ptr<i32>>
  return
})";
  for (const std::string &target : runnableTargets()) {
    CpuKernel kernel(text, target);
    for (int32_t start : {INT32_MAX - 5, INT32_MAX - 15, INT32_MAX - 14, INT32_MIN, -3, 0})
      for (int32_t n : {0, INT32_MAX, INT32_MIN, 5, INT32_MAX - 3}) {
        std::vector<int32_t> out(16, 77), expected = out;
        for (int i = 0; i < 16; ++i) {
          int32_t sum = int32_t(uint32_t(start) + uint32_t(i));
          if (sum < n)
            expected[i] = sum;
        }
        kernel.run({1, 1, 1}, out.data(), start, n);
        INFO(target << " " << start << " " << n);
        CHECK(out == expected);
      }
  }
}

TEST_CASE("stores to rows that lie apart share one loop") {
  // Two stores, 64 elements apart in the same memory, of what both make of one load.
  std::string text = R"(
func.func @kernel(%x: !tile.ptr<f32> {tile.noalias}, %out: !tile.ptr<f32> {tile.noalias})
    attributes {tile.kernel} {
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %far = arith.constant dense<FAR> : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %px = tile.addptr %xs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %px : tensor<64x!tile.ptr<f32>>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %os, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %q = tile.addptr %p, %far : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %s = arith.addf %v, %v : tensor<64xf32>
  %t = arith.mulf %v, %v : tensor<64xf32>
  tile.store %p, %s : tensor<64x!tile.ptr<f32>>
  tile.store %q, %t : tensor<64x!tile.ptr<f32>>
  return
})";
  auto countLoops = [&](const std::string &far) {
    std::string structure =
        compileTileIR(replaced(text, "FAR", far), "x86-64-v3", /*structureOnly=*/true).structure;
    size_t count = 0, at = 0;
    structure = structure.substr(0, structure.find("func.func @kernel"));
    for (; (at = structure.find("scf.for", at)) != std::string::npos; ++at)
      ++count;
    return count;
  };
  CHECK(countLoops("64") == 1);
  CHECK(countLoops("-64") == 1);
  CHECK(countLoops("63") == 2);
  for (const std::string &target : runnableTargets())
    for (int far : {64, 63, 1}) {
      std::vector<float> x = randomFloats(64), out(128), expected(128);
      CpuKernel(replaced(text, "FAR", std::to_string(far)), target)
          .run({1, 1, 1}, x.data(), out.data());
      for (int i = 0; i < 64; ++i)
        expected[i] = x[i] + x[i];
      for (int i = 0; i < 64; ++i)
        expected[i + far] = x[i] * x[i];
      CHECK(out == expected);
    }
}
