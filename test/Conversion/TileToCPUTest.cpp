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

static std::string replaced(std::string text, const std::string &name, const std::string &by) {
  for (size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += by.size())
    text.replace(at, name.size(), by);
  return text;
}

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
