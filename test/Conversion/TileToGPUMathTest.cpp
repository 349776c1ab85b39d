// Arithmetic on tiles compiled to PTX and run: what LLVM and we make of each operation, on every
// target.
#include "../Target/PtxTypes.h"
#include "TileToGPUSupport.h"

#include <catch2/catch.hpp>

using namespace teeny::test;

namespace {
// Applies a line to the tiles %a (loaded) and %b (the constant) of 128 elements.
template <typename T>
std::vector<T> apply(const std::string &line, const std::string &element,
                     const std::string &constant, std::vector<T> in, const std::string &target) {
  const std::string &layout = layouts1D[1];
  std::string type = tileType(128, 0, element, layout);
  KernelText kernel(4);
  std::string x = kernel.argument("x", "!tile.ptr<" + element + ">"),
              y = kernel.argument("y", "!tile.ptr<" + element + ">");
  std::string a = kernel.load(x, element, 128, 0, layout);
  std::string b = kernel.add("$ = arith.constant dense<" + constant + "> : " + type);
  std::string filled = line;
  for (auto [from, to] : {std::pair("%a", a), std::pair("%b", b), std::pair("TYPE", type)})
    for (size_t at; (at = filled.find(from)) != std::string::npos;)
      filled.replace(at, 2 + 2 * (from[0] == 'T'), to);
  kernel.store(y, kernel.add(filled), element, 128, 0, layout);
  in.resize(128, in.back());
  return run<T, T>(kernel, in, 128, target);
}

const char *const targets[] = {"sm_75", "sm_80", "sm_90a", "sm_120"};
} // namespace

TEST_CASE("the functions that the GPU has, in f32") {
  std::vector<float> in{0.25f, 2.0f, 1.0f, 9.0f, -0.75f, -3.5f, 1e30f, 0.0f, 2.5f, -2.5f};
  struct {
    const char *line;
    double (*expected)(double);
    bool onlyPositive;
  } const functions[] = {
      {"$ = math.exp2 %a : TYPE", [](double x) { return std::exp2(x); }, false},
      {"$ = math.sqrt %a : TYPE", [](double x) { return std::sqrt(x); }, true},
      {"$ = math.rsqrt %a : TYPE", [](double x) { return 1 / std::sqrt(x); }, true},
      {"$ = arith.divf %a, %b : TYPE", [](double x) { return x / 3; }, false},
      {"$ = math.absf %a : TYPE", [](double x) { return std::fabs(x); }, false},
      {"$ = math.floor %a : TYPE", [](double x) { return std::floor(x); }, false},
      {"$ = math.ceil %a : TYPE", [](double x) { return std::ceil(x); }, false},
      {"$ = math.trunc %a : TYPE", [](double x) { return std::trunc(x); }, false},
      {"$ = math.roundeven %a : TYPE", [](double x) { return std::nearbyint(x); }, false},
      {"$ = math.fma %a, %b, %b : TYPE", [](double x) { return x * 3 + 3; }, false},
      {"$ = arith.negf %a : TYPE", [](double x) { return -x; }, false},
      {"$ = arith.maximumf %a, %b : TYPE", [](double x) { return std::max(x, 3.0); }, false},
      {"$ = arith.minnumf %a, %b : TYPE", [](double x) { return std::min(x, 3.0); }, false},
      {"$ = math.copysign %b, %a : TYPE", [](double x) { return std::copysign(3.0, x); }, false},
      {"$ = arith.remf %a, %b : TYPE", [](double x) { return std::fmod(x, 3.0); }, true},
  };
  for (const char *target : targets)
    for (const auto &function : functions) {
      INFO(function.line << " for " << target);
      std::vector<float> out = apply<float>(function.line, "f32", "3.0", in, target);
      for (size_t i = 0; i < in.size(); ++i) {
        if ((function.onlyPositive && in[i] < 0) ||
            (std::string(function.line).find("remf") != std::string::npos && in[i] > 1e9))
          continue;
        CHECK(double(out[i]) == Approx(double(float(function.expected(in[i])))).epsilon(1e-6));
      }
    }
}

TEST_CASE("minimum and maximum propagate NaN or not, as asked") {
  float nan = std::nanf("");
  for (const char *target : targets) {
    CHECK(std::isnan(
        apply<float>("$ = arith.maximumf %a, %b : TYPE", "f32", "3.0", {nan}, target)[0]));
    CHECK(apply<float>("$ = arith.maxnumf %a, %b : TYPE", "f32", "3.0", {nan}, target)[0] == 3);
    CHECK(std::isnan(
        apply<float>("$ = arith.minimumf %a, %b : TYPE", "f32", "3.0", {nan}, target)[0]));
    CHECK(apply<float>("$ = arith.minnumf %a, %b : TYPE", "f32", "3.0", {nan}, target)[0] == 3);
  }
}

TEST_CASE("16-bit floats are rounded after each operation") {
  for (const char *target : targets)
    for (std::string element : {"f16", "bf16"})
      for (auto [line, expected] :
           {std::pair(
                "$ = arith.addf %a, %b : TYPE", +[](double x) { return x + 3.25; }),
            std::pair(
                "$ = arith.mulf %a, %b : TYPE", +[](double x) { return x * 3.25; }),
            std::pair(
                "$ = arith.subf %a, %b : TYPE", +[](double x) { return x - 3.25; }),
            std::pair(
                "$ = arith.divf %a, %b : TYPE", +[](double x) { return x / 3.25; }),
            std::pair(
                "$ = math.exp2 %a : TYPE", +[](double x) { return std::exp2(x); }),
            std::pair(
                "$ = arith.maximumf %a, %b : TYPE", +[](double x) { return std::max(x, 3.25); })}) {
        INFO(line << " of " << element << " for " << target);
        std::vector<uint16_t> in;
        for (double value : {0.1, 1.7, -2.3, 100.5, 6.0, 0.0})
          in.push_back(uint16_t(fromDouble(element, value)));
        std::vector<uint16_t> out = apply<uint16_t>(line, element, "3.25", in, target);
        for (size_t i = 0; i < in.size(); ++i)
          CHECK(toDouble(element, out[i]) ==
                toDouble(element, fromDouble(element, expected(toDouble(element, in[i])))));
      }
}

TEST_CASE("integers divide as in C, shift and compare") {
  std::vector<int32_t> in{7, -7, 100, -100, 0, INT32_MAX, INT32_MIN + 1};
  for (auto [line, expected] :
       {std::pair(
            "$ = arith.divsi %a, %b : TYPE", +[](int32_t x) { return x / 3; }),
        std::pair(
            "$ = arith.remsi %a, %b : TYPE", +[](int32_t x) { return x % 3; }),
        std::pair(
            "$ = arith.divui %a, %b : TYPE", +[](int32_t x) { return int32_t(uint32_t(x) / 3); }),
        std::pair(
            "$ = arith.shrsi %a, %b : TYPE", +[](int32_t x) { return x >> 3; }),
        std::pair(
            "$ = arith.maxsi %a, %b : TYPE", +[](int32_t x) { return std::max(x, 3); }),
        std::pair(
            "$ = math.ctpop %a : TYPE", +[](int32_t x) { return __builtin_popcount(x); }),
        std::pair(
            "$ = math.absi %a : TYPE", +[](int32_t x) { return std::abs(x); })}) {
    std::vector<int32_t> out = apply<int32_t>(line, "i32", "3", in, "sm_80");
    for (size_t i = 0; i < in.size(); ++i)
      CHECK(out[i] == expected(in[i]));
  }
}

TEST_CASE("a function without an instruction is refused by name") {
  KernelText kernel(4);
  kernel.argument("x", "f32");
  std::string y = kernel.argument("y", "!tile.ptr<f32>");
  kernel.add("tile.store " + y + ", " + kernel.add("$ = math.sin %x : f32") + " : !tile.ptr<f32>");
  CHECK_THROWS_WITH(compileToPtx(kernel.str()),
                    Catch::Contains("'math.sin' op of 'f32' is no instruction of a GPU"));
}

TEST_CASE("8-bit floats are converted alike with and without instructions for it") {
  for (auto [name, type] : {std::pair("e4m3", "f8E4M3FN"), std::pair("e5m2", "f8E5M2")})
    for (const char *target : {"sm_80", "sm_90a"}) {
      // All patterns widened.
      const std::string &layout = layouts1D[1];
      KernelText widen(4);
      std::string x = widen.argument("x", "!tile.ptr<" + std::string(type) + ">"),
                  y = widen.argument("y", "!tile.ptr<f32>");
      std::string bytes = widen.load(x, type, 256, 0, layout);
      std::string wide =
          widen.add("$ = arith.extf " + bytes + " : " + tileType(256, 0, type, layout) + " to " +
                    tileType(256, 0, "f32", layout));
      widen.store(y, wide, "f32", 256, 0, layout);
      std::vector<uint8_t> patterns(256);
      for (int i = 0; i < 256; ++i)
        patterns[i] = uint8_t(i);
      std::vector<float> values = run<uint8_t, float>(widen, patterns, 256, target);
      for (int i = 0; i < 256; ++i) {
        double expected = float8(name, i);
        CHECK((std::isnan(expected) ? std::isnan(values[i]) : values[i] == float(expected)));
      }

      KernelText narrow(4);
      x = narrow.argument("x", "!tile.ptr<f32>"),
      y = narrow.argument("y", "!tile.ptr<" + std::string(type) + ">");
      std::string given = narrow.load(x, "f32", 1024, 0, layout);
      std::string made =
          narrow.add("$ = arith.truncf " + given + " : " + tileType(1024, 0, "f32", layout) +
                     " to " + tileType(1024, 0, type, layout));
      narrow.store(y, made, type, 1024, 0, layout);
      std::vector<float> in;
      for (int i = 0; i < 127; ++i) // values, the middle between neighbours, and a bit beyond
        for (double factor : {0.0, 0.5, 0.51, 0.25})
          in.push_back(float(float8(name, i) + factor * (float8(name, i + 1) - float8(name, i))));
      for (int i = in.size(); i < 1024; ++i)
        in.push_back(-in[i - 508] * 1.001f);
      std::vector<uint8_t> out = run<float, uint8_t>(narrow, in, 1024, target);
      for (int i = 0; i < 1024; ++i)
        if (std::isfinite(in[i]))
          CHECK(unsigned(out[i]) == nearestFloat8(name, in[i]));
    }
}
