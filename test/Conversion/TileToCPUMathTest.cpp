// Scalar functions, element by element.
#include "Conversion/TileToCPUKernels.h"
#include "Conversion/TileToCPUSupport.h"
#include "Target/HostLibrary.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

using namespace teeny::test;

template <typename In, typename Out>
static std::vector<Out> apply(const std::string &target, const std::string &text,
                              const std::vector<In> &x, const std::vector<In> &y = {}) {
  std::vector<Out> out(x.size());
  CpuKernel(text, target)
      .run({int32_t(x.size() + 63) / 64, 1, 1}, x.data(), y.empty() ? x.data() : y.data(),
           out.data(), int32_t(x.size()));
  return out;
}

template <typename To, typename From> static To bits(From value) {
  To result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

static std::string unary(const char *op, const char *type) {
  return binaryKernel(type, type, std::string("%r = ") + op + " %a : tensor<64x" + type + ">");
}

// The distance from the exact value in units of the result's last place.
template <typename T> static double error(T actual, long double exact) {
  if (std::isnan(exact))
    return std::isnan(actual) ? 0 : INFINITY;
  T rounded = T(exact);
  if (actual == rounded)
    return 0;
  if (std::isinf(rounded) || std::isinf(actual))
    return std::isinf(rounded) && std::fabs(actual) == std::numeric_limits<T>::max() ? 1 : INFINITY;
  T next = std::nextafter(std::fabs(rounded), T(INFINITY)) - std::fabs(rounded);
  return double(std::fabs(actual - exact) / next);
}

template <typename T> static std::vector<T> manyNumbers(double limit) {
  std::vector<T> values = {T(0),
                           T(-0.0),
                           T(1),
                           T(-1),
                           T(0.5),
                           T(2),
                           T(INFINITY),
                           T(-INFINITY),
                           T(NAN),
                           std::numeric_limits<T>::max(),
                           std::numeric_limits<T>::min(),
                           std::numeric_limits<T>::denorm_min(),
                           T(limit),
                           T(-limit)};
  std::mt19937_64 random(7);
  for (int i = 0; i < 100000; ++i)
    values.push_back(T(std::uniform_real_distribution<double>(-limit, limit)(random)));
  for (int i = 0; i < 20000; ++i) {
    if constexpr (sizeof(T) == 4)
      values.push_back(bits<T>(uint32_t(random())));
    else
      values.push_back(bits<T>(uint64_t(random())));
    values.push_back(T(1) +
                     T(std::ldexp(double(int(random() % 4096)) - 2048, -14 - int(random() % 20))));
  }
  return values;
}

TEST_CASE("exponentials and logarithms are within two units in the last place") {
  struct {
    const char *op;
    long double (*exact)(long double);
    double limit;
  } functions[] = {{"math.exp2", [](long double x) { return std::exp2(x); }, 160},
                   {"math.exp", [](long double x) { return std::exp(x); }, 110},
                   {"math.log2", [](long double x) { return std::log2(x); }, 1000},
                   {"math.log", [](long double x) { return std::log(x); }, 1000},
                   {"math.rsqrt", [](long double x) { return 1 / std::sqrt(x); }, 1000}};
  for (const std::string &target : runnableTargets())
    for (auto [op, exact, limit] : functions) {
      std::vector<float> x = manyNumbers<float>(limit);
      std::vector<float> y = apply<float, float>(target, unary(op, "f32"), x);
      double worst = 0;
      for (size_t i = 0; i < x.size(); ++i)
        worst = std::max(worst, error(y[i], exact(x[i])));
      INFO(target << " " << op << " f32");
      CHECK(worst <= 2);
      std::vector<double> dx = manyNumbers<double>(limit * 8);
      std::vector<double> dy = apply<double, double>(target, unary(op, "f64"), dx);
      worst = 0;
      for (size_t i = 0; i < dx.size(); ++i)
        worst = std::max(worst, error(dy[i], exact(dx[i])));
      INFO("f64");
      CHECK(worst <= 2);
    }
}

TEST_CASE("integer division never traps") {
  std::vector<int32_t> x = {7, -7, 7, -7, 5, 0, INT32_MIN, INT32_MIN, INT32_MIN, 3, INT32_MAX};
  std::vector<int32_t> y = {2, 2, -2, -2, 0, 0, -1, 0, 1, INT32_MIN, -1};
  for (const std::string &target : runnableTargets()) {
    auto run = [&](const char *op) {
      return apply<int32_t, int32_t>(
          target,
          binaryKernel("i32", "i32", std::string("%r = ") + op + " %a, %b : tensor<64xi32>"), x, y);
    };
    auto quotient = run("arith.divsi"), rest = run("arith.remsi");
    auto unsignedQuotient = run("arith.divui"), unsignedRest = run("arith.remui");
    for (size_t i = 0; i < x.size(); ++i) {
      bool overflow = x[i] == INT32_MIN && y[i] == -1;
      CHECK(quotient[i] == (y[i] == 0 || overflow ? x[i] : x[i] / y[i]));
      CHECK(rest[i] == (y[i] == 0 || overflow ? 0 : x[i] % y[i]));
      uint32_t a = uint32_t(x[i]), b = uint32_t(y[i]);
      CHECK(uint32_t(unsignedQuotient[i]) == (b == 0 ? a : a / b));
      CHECK(uint32_t(unsignedRest[i]) == (b == 0 ? 0 : a % b));
    }
  }
}

TEST_CASE("shifts by the width and more, and floats beyond the integers, are defined") {
  for (const std::string &target : runnableTargets()) {
    std::vector<int32_t> x = {-5, -5, -5, -5, 9, 9, 9}, y = {0, 1, 31, 32, 33, -1, 3};
    auto run = [&](const char *op) {
      return apply<int32_t, int32_t>(
          target,
          binaryKernel("i32", "i32", std::string("%r = ") + op + " %a, %b : tensor<64xi32>"), x, y);
    };
    CHECK(run("arith.shli") == std::vector<int32_t>{-5, -10, INT32_MIN, 0, 0, 0, 72});
    CHECK(run("arith.shrsi") == std::vector<int32_t>{-5, -3, -1, -1, 0, 0, 1});
    CHECK(run("arith.shrui") == std::vector<int32_t>{-5, 0x7ffffffd, 1, 0, 0, 0, 1});
    std::vector<float> f = {1.9f, -1.9f, 3e9f, -3e9f, 6e9f, INFINITY, -INFINITY, NAN};
    auto convert = [&](const char *op) {
      return apply<float, int32_t>(
          target,
          binaryKernel("f32", "i32",
                       std::string("%r = ") + op + " %a : tensor<64xf32> to tensor<64xi32>"),
          f);
    };
    CHECK(convert("arith.fptosi") ==
          std::vector<int32_t>{1, -1, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MAX, INT32_MIN, 0});
    CHECK(convert("arith.fptoui") ==
          std::vector<int32_t>{1, 0, int32_t(3000000000u), 0, -1, -1, 0, 0});
  }
}

// The number that a pattern of an 8-bit format stands for, by its definition.
static double float8Value(int pattern, int fraction, int bias, bool hasInfinity) {
  int exponent = (pattern & 0x7f) >> fraction, rest = pattern & ((1 << fraction) - 1);
  double sign = pattern & 0x80 ? -1 : 1;
  if (hasInfinity ? exponent == 31 : (pattern & 0x7f) == 0x7f)
    return hasInfinity && rest == 0 ? sign * INFINITY : NAN;
  return sign * (exponent ? std::ldexp((1 << fraction) + rest, exponent - bias - fraction)
                          : std::ldexp(rest, 1 - bias - fraction));
}

TEST_CASE("8-bit floats: every pattern, and the nearest for what lies between") {
  struct {
    const char *type;
    int fraction, bias;
    bool hasInfinity;
    int largest;
  } formats[] = {{"f8E4M3FN", 3, 7, false, 0x7e}, {"f8E5M2", 2, 15, true, 0x7b}};
  std::vector<uint8_t> patterns(256);
  for (int i = 0; i < 256; ++i)
    patterns[i] = uint8_t(i);
  for (const std::string &target : runnableTargets())
    for (const auto &format : formats) {
      INFO(target << " " << format.type);
      auto value = [&](int pattern) {
        return float8Value(pattern, format.fraction, format.bias, format.hasInfinity);
      };
      std::string type = format.type;
      auto extended = apply<uint8_t, float>(
          target,
          binaryKernel(type, "f32",
                       "%r = arith.extf %a : tensor<64x" + type + "> to tensor<64xf32>"),
          patterns);
      for (int i = 0; i < 256; ++i)
        CHECK((std::isnan(value(i)) ? std::isnan(extended[i]) : extended[i] == value(i)));
      // Values, middles, and their neighbours.
      std::vector<float> x = {INFINITY, -INFINITY, 1e9f, -1e9f, NAN, 1e-30f};
      for (int i = 0; i < format.largest; ++i)
        for (float f : {float(value(i)), float((value(i) + value(i + 1)) / 2)})
          for (float g : {f, std::nextafter(f, INFINITY), std::nextafter(f, -1.0f)})
            x.insert(x.end(), {g, -g});
      auto rounded = apply<float, uint8_t>(
          target,
          binaryKernel("f32", type,
                       "%r = arith.truncf %a : tensor<64xf32> to tensor<64x" + type + ">"),
          x);
      for (size_t i = 0; i < x.size(); ++i) {
        if (std::isnan(x[i])) {
          CHECK(std::isnan(value(rounded[i])));
          continue;
        }
        double size = std::min(1e6, double(std::fabs(x[i])));
        int best = 0;
        for (int p = 1; p <= format.largest; ++p) {
          double previous = std::fabs(value(best) - size), distance = std::fabs(value(p) - size);
          if (distance < previous || (distance == previous && p % 2 == 0))
            best = p;
        }
        CHECK(int(rounded[i]) == (best | (std::signbit(x[i]) ? 0x80 : 0)));
      }
    }
}

TEST_CASE("f16 arithmetic, comparisons, selections and conversions toward zero") {
  std::string body = R"(%wa = arith.extf %a : tensor<64xf16> to tensor<64xf32>
  %t = arith.truncf %wa to_nearest_even : tensor<64xf32> to tensor<64xf16>
  %less = arith.cmpf olt, %a, %b : tensor<64xf16>
  %sel = arith.select %less, %a, %b : tensor<64xi1>, tensor<64xf16>
  %p = arith.mulf %sel, %t : tensor<64xf16>
  %r = arith.extf %p : tensor<64xf16> to tensor<64xf32>)";
  std::string toward = R"(%r = arith.truncf %a toward_zero : tensor<64xf32> to tensor<64xf16>)";
  auto half = [](uint16_t h) {
    int exponent = h >> 10 & 31, fraction = h & 1023;
    double size = exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24);
    return h & 0x8000 ? -size : size;
  };
  std::mt19937 random(3);
  std::vector<uint16_t> x(500), y(500);
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = uint16_t(random() % 0x4000 | (random() & 0x8000)); // below 2, so products are finite
    y[i] = uint16_t(random() % 0x4000 | (random() & 0x8000));
  }
  std::vector<float> f = {65519.0f, 65520.0f, 1e9f,  -1e9f, INFINITY,
                          1.0f,     0.1f,     -0.1f, 1e-7f, 6e-8f};
  for (const std::string &target : runnableTargets()) {
    auto out = apply<uint16_t, float>(target, binaryKernel("f16", "f32", body), x, y);
    for (size_t i = 0; i < x.size(); ++i) {
      double product = std::min(half(x[i]), half(y[i])) * half(x[i]);
      // The two f16 around the product, by steps of the last place.
      double step =
          std::ldexp(1.0, std::max(std::ilogb(std::max(std::fabs(product), 1e-30)) - 10, -24));
      CHECK(out[i] == float(std::nearbyint(product / step) * step));
    }
    auto cut = apply<float, uint16_t>(target, binaryKernel("f32", "f16", toward), f);
    for (size_t i = 0; i < f.size(); ++i) {
      if (std::isinf(f[i])) {
        CHECK(cut[i] == 0x7c00);
        continue;
      }
      double size = std::min(65504.0, double(std::fabs(f[i])));
      double step = std::ldexp(1.0, std::max(std::ilogb(size) - 10, -24));
      CHECK(half(cut[i]) == std::copysign(std::floor(size / step) * step, double(f[i])));
    }
  }
}

TEST_CASE("what has no code on CPUs is an error at its place") {
  CompiledText compiled = compileTileIR(unary("math.tan", "f32"), "x86-64-v3");
  CHECK(compiled.error == "'math.tan' is not supported on CPUs\n");
}
