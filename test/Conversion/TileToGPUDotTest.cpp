// Dots compiled to PTX and run, against loops over small numbers, which are exact in every format.
#include "../Target/PtxTypes.h"
#include "TileToGPUSupport.h"

#include <catch2/catch.hpp>

using namespace teeny::test;

namespace {
// The numbers that a matrix instruction multiplies, as a type that the host has: the bits of 16-bit
// floats.
struct MatrixCase {
  const char *element, *sum, *precision, *target;
  int kWidth, k;
};

// Small integers are exact in every format.
uint64_t bitsFor(const std::string &element, int value) {
  return element == "i8" ? uint64_t(uint8_t(value)) : fromDouble(element, value);
}
} // namespace

TEST_CASE("dots by matrix instructions") {
  for (MatrixCase c :
       {MatrixCase{"f16", "f32", "ieee", "sm_90a", 2, 32},
        MatrixCase{"bf16", "f32", "ieee", "sm_80", 2, 16},
        MatrixCase{"f16", "f32", "ieee", "sm_75", 2, 32},
        MatrixCase{"f16", "f16", "ieee", "sm_80", 2, 16},
        MatrixCase{"f32", "f32", "tf32", "sm_80", 1, 16},
        MatrixCase{"f32", "f32", "tf32x3", "sm_80", 1, 8},
        MatrixCase{"i8", "i32", "ieee", "sm_80", 4, 64},
        // Other elements side by side than the instruction has: the order along k is free.
        MatrixCase{"f16", "f32", "ieee", "sm_80", 4, 64}})
    for (const char *warps : {"2, 2", "4, 1", "1, 4"}) {
      std::string element = c.element, sum = c.sum, memory = layouts2D[0];
      std::string acc =
          std::string("#tile.mma<version = 2, warps = [") + warps + "], instruction = [16, 8]>";
      auto operand = [&](int index) {
        return "#tile.dot_operand<index = " + std::to_string(index) + ", parent = " + acc +
               ", k_width = " + std::to_string(c.kWidth) + ">";
      };
      int m = 64, n = 32, k = c.k;
      KernelText kernel(4);
      std::string x = kernel.argument("x", "!tile.ptr<" + element + ">"),
                  y = kernel.argument("y", "!tile.ptr<" + element + ">"),
                  z = kernel.argument("z", "!tile.ptr<" + sum + ">");
      std::string a = kernel.load(x, element, m, k, memory),
                  b = kernel.load(y, element, k, n, memory), start = kernel.load(z, sum, m, n, acc);
      std::string left =
          kernel.add("$ = tile.convert_layout " + a + " : " + tileType(m, k, element, memory) +
                     " -> " + tileType(m, k, element, operand(0)));
      std::string right =
          kernel.add("$ = tile.convert_layout " + b + " : " + tileType(k, n, element, memory) +
                     " -> " + tileType(k, n, element, operand(1)));
      std::string dot =
          kernel.add("$ = tile.dot " + std::string(c.precision) + " " + left + ", " + right + ", " +
                     start + " : " + tileType(m, k, element, operand(0)) + " * " +
                     tileType(k, n, element, operand(1)) + " -> " + tileType(m, n, sum, acc));
      kernel.store(z, dot, sum, m, n, acc);
      INFO(kernel.str());
      PtxMachine machine(compileToPtx(kernel.str(), c.target));

      std::vector<int32_t> left32 = scrambled(m * k), right32 = scrambled(m * k + k * n);
      right32.erase(right32.begin(), right32.begin() + m * k);
      unsigned bytes = bitsOf(element == "i8" ? "s8" : element) / 8,
               sumBytes = bitsOf(sum == "i32" ? "s32" : sum) / 8;
      std::vector<uint8_t> as(m * k * bytes), bs(k * n * bytes), cs(m * n * sumBytes);
      auto put = [](std::vector<uint8_t> &data, unsigned size, size_t i, uint64_t bits) {
        std::memcpy(data.data() + i * size, &bits, size);
      };
      for (int i = 0; i < m * k; ++i)
        put(as, bytes, i, bitsFor(element, left32[i] %= 5));
      for (int i = 0; i < k * n; ++i)
        put(bs, bytes, i, bitsFor(element, right32[i] %= 4));
      for (int i = 0; i < m * n; ++i)
        put(cs, sumBytes, i, sum == "i32" ? uint64_t(i % 7) : fromDouble(sum, i % 7));
      machine.run("kernel", {1, 1, 1},
                  {machine.buffer(as), machine.buffer(bs), machine.buffer(cs)});
      bool allEqual = true;
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
          int expected = (i * n + j) % 7;
          for (int l = 0; l < k; ++l)
            expected += left32[i * k + l] * right32[l * n + j];
          uint64_t bits = 0;
          std::memcpy(&bits, cs.data() + (i * n + j) * sumBytes, sumBytes);
          allEqual &= (sum == "i32" ? double(int32_t(bits)) : toDouble(sum, bits)) == expected;
        }
      CHECK(allEqual);
    }
}

TEST_CASE("three tf32 products come near to f32") {
  for (auto [precision, tolerance] : {std::pair("tf32", 2e-3), std::pair("tf32x3", 2e-6)}) {
    std::string memory = layouts2D[0], acc = layouts2D[4];
    auto operand = [&](int index) {
      return "#tile.dot_operand<index = " + std::to_string(index) + ", parent = " + acc +
             ", k_width = 1>";
    };
    KernelText kernel(4);
    std::string x = kernel.argument("x", "!tile.ptr<f32>"),
                y = kernel.argument("y", "!tile.ptr<f32>");
    std::string a = kernel.load(x, "f32", 32, 8, memory), b = kernel.load(x, "f32", 8, 16, memory);
    std::string left =
        kernel.add("$ = tile.convert_layout " + a + " : " + tileType(32, 8, "f32", memory) +
                   " -> " + tileType(32, 8, "f32", operand(0)));
    std::string right =
        kernel.add("$ = tile.convert_layout " + b + " : " + tileType(8, 16, "f32", memory) +
                   " -> " + tileType(8, 16, "f32", operand(1)));
    std::string zero =
        kernel.add("$ = arith.constant dense<0.0> : " + tileType(32, 16, "f32", acc));
    std::string dot =
        kernel.add("$ = tile.dot " + std::string(precision) + " " + left + ", " + right + ", " +
                   zero + " : " + tileType(32, 8, "f32", operand(0)) + " * " +
                   tileType(8, 16, "f32", operand(1)) + " -> " + tileType(32, 16, "f32", acc));
    kernel.store(y, dot, "f32", 32, 16, acc);
    std::vector<float> in;
    for (int value : scrambled(256))
      in.push_back(float(value) * 0.00317f);
    std::vector<float> out = run<float, float>(kernel, in, 512, "sm_80");
    double worst = 0;
    for (int i = 0; i < 32; ++i)
      for (int j = 0; j < 16; ++j) {
        double sum = 0, size = 0;
        for (int l = 0; l < 8; ++l) {
          sum += double(in[i * 8 + l]) * in[l * 16 + j];
          size += std::fabs(double(in[i * 8 + l]) * in[l * 16 + j]);
        }
        worst = std::max(worst, std::fabs(out[i * 16 + j] - sum) / size);
      }
    CHECK(worst < tolerance);
    CHECK(worst > tolerance / 1000); // it is not computed in f64 by accident
  }
}

TEST_CASE("dots by multiply-adds") {
  for (const std::string &layout : layouts2D) {
    if (layout.find("mma") != std::string::npos)
      continue;
    int m = 16, n = 32, k = 8;
    auto operand = [&](int index) {
      return "#tile.dot_operand<index = " + std::to_string(index) + ", parent = " + layout +
             ", k_width = 0>";
    };
    KernelText kernel(4);
    std::string x = kernel.argument("x", "!tile.ptr<i32>"),
                y = kernel.argument("y", "!tile.ptr<i32>");
    std::string a = kernel.load(x, "i32", m, k, layout), b = kernel.load(x, "i32", k, n, layout),
                c = kernel.load(x, "i32", m, n, layout);
    std::string left =
        kernel.add("$ = tile.convert_layout " + a + " : " + tileType(m, k, "i32", layout) + " -> " +
                   tileType(m, k, "i32", operand(0)));
    std::string right =
        kernel.add("$ = tile.convert_layout " + b + " : " + tileType(k, n, "i32", layout) + " -> " +
                   tileType(k, n, "i32", operand(1)));
    std::string dot =
        kernel.add("$ = tile.dot ieee " + left + ", " + right + ", " + c + " : " +
                   tileType(m, k, "i32", operand(0)) + " * " + tileType(k, n, "i32", operand(1)) +
                   " -> " + tileType(m, n, "i32", layout));
    kernel.store(y, dot, "i32", m, n, layout);
    std::vector<int32_t> in = scrambled(m * n), expected = in;
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j)
        for (int l = 0; l < k; ++l)
          expected[i * n + j] += in[i * k + l] * in[l * n + j];
    CHECK(run<int32_t, int32_t>(kernel, in, m * n) == expected);
  }
}
