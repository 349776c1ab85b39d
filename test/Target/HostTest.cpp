#include "Target/Host/Host.h"
#include "Target/Host/Link.h"
#include "Target/HostLibrary.h"
#include "Target/ParseLLVM.h"

#include "llvm/BinaryFormat/ELF.h"

#include <catch2/catch.hpp>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <thread>

using namespace teeny;
using namespace teeny::test;

static HostCode compile(const std::string &text, const std::string &target,
                        HostOptions options = {}) {
  ParsedModule module(text);
  Result<Target> parsed = parseTarget(target);
  REQUIRE(parsed);
  Result<HostCode> code = compileForHost(module.get(), *parsed, options);
  INFO((code ? std::string() : code.error().message));
  REQUIRE(code);
  return std::move(*code);
}

// A loop over n elements: out[i] = body(x[i], y[i], z[i]), where the body defines %r.
static std::string elementwise(const std::string &in, const std::string &out,
                               const std::string &body) {
  std::string text = R"(
llvm.func @f(%n: i64, %x: !llvm.ptr, %y: !llvm.ptr, %z: !llvm.ptr, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  llvm.br ^head(%zero : i64)
^head(%i: i64):
  %more = llvm.icmp "slt" %i, %n : i64
  llvm.cond_br %more, ^body, ^end
^body:
  %px = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, IN
  %py = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, IN
  %pz = llvm.getelementptr %z[%i] : (!llvm.ptr, i64) -> !llvm.ptr, IN
  %po = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, OUT
  %a = llvm.load %px : !llvm.ptr -> IN
  %b = llvm.load %py : !llvm.ptr -> IN
  %c = llvm.load %pz : !llvm.ptr -> IN
  BODY
  llvm.store %r, %po : OUT, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^head(%next : i64)
^end:
  llvm.return
})";
  auto replace = [&](const std::string &name, const std::string &value) {
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), value);
  };
  replace("IN", in);
  replace("OUT", out);
  replace("BODY", body);
  return text;
}

using Elementwise = void(int64_t, const void *, const void *, const void *, void *);

template <typename In, typename Out>
static std::vector<Out> runOn(const std::string &target, const std::string &text,
                              const std::vector<In> &x, const std::vector<In> &y = {},
                              const std::vector<In> &z = {}) {
  HostCode code = compile(text, target);
  HostLibrary library(code.library);
  std::vector<Out> out(x.size());
  library.function<Elementwise>("f")(x.size(), x.data(), y.empty() ? x.data() : y.data(),
                                     z.empty() ? x.data() : z.data(), out.data());
  return out;
}

template <typename To, typename From> static To bits(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

// f16 as a number, by the definition of the format.
static double halfValue(uint16_t half) {
  int exponent = half >> 10 & 31, fraction = half & 1023;
  double size = exponent == 31  ? (fraction ? std::nan("") : INFINITY)
                : exponent == 0 ? std::ldexp(fraction, -24)
                                : std::ldexp(1024 + fraction, exponent - 25);
  return half & 0x8000 ? -size : size;
}
static double bfloatValue(uint16_t value) { return bits<float>(uint32_t(value) << 16); }

// Nearest to even among the values of a 16-bit format, by search: patterns of positive numbers are
// ordered as the numbers are. `infinity` is the pattern that follows the largest finite one.
static uint16_t nearestPattern(long double value, double (*decode)(uint16_t), uint16_t infinity) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  long double size = std::fabs(value);
  // Rounding treats infinity as the next number after the largest finite one.
  auto number = [&](uint16_t pattern) -> long double {
    if (pattern < infinity)
      return decode(pattern);
    return 2 * (long double)decode(infinity - 1) - decode(infinity - 2);
  };
  uint16_t low = 0, high = infinity;
  if (size >= number(infinity))
    return sign | infinity;
  while (high - low > 1) {
    uint16_t middle = (low + high) / 2;
    (number(middle) <= size ? low : high) = middle;
  }
  long double below = size - number(low), above = number(high) - size;
  bool up = above < below || (above == below && low % 2 == 1);
  return sign | (up ? high : low);
}
static uint16_t toHalf(long double value) { return nearestPattern(value, halfValue, 0x7c00); }
static uint16_t toBFloat(long double value) { return nearestPattern(value, bfloatValue, 0x7f80); }

static std::vector<float> interestingFloats() {
  std::vector<float> values;
  for (int exponent = -150; exponent <= 128; ++exponent)
    for (double factor : {1.0, 1.5, 1 + 0x1p-11, 1 + 0x3p-11, 1 + 0x1p-10, 1 + 0x1p-8, 1 + 0x3p-8,
                          1 + 0x1p-7, 1 + 0x1p-11 + 0x1p-23, 1 + 0x1p-8 - 0x1p-23, 2 - 0x1p-23})
      for (double sign : {1.0, -1.0})
        values.push_back(float(std::ldexp(sign * factor, exponent)));
  for (float value : {0.0f, -0.0f, 65504.0f, 65519.996f, 65520.0f, 65536.0f, 0.5f, 1.5f, 2.5f,
                      8388607.5f, 8388608.0f, 0.49999997f, INFINITY, -INFINITY,
                      std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()})
    values.push_back(value);
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    float value = bits<float>(uint32_t(random()));
    if (!std::isnan(value))
      values.push_back(value);
  }
  return values;
}

static std::vector<uint16_t> allPatterns() {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = uint16_t(i);
  return all;
}

TEST_CASE("every f16 and bf16 extends to its value") {
  for (const std::string &target : runnableTargets()) {
    auto half = runOn<uint16_t, float>(
        target, elementwise("f16", "f32", "%r = llvm.fpext %a : f16 to f32"), allPatterns());
    auto bfloat = runOn<uint16_t, double>(
        target, elementwise("bf16", "f64", "%r = llvm.fpext %a : bf16 to f64"), allPatterns());
    size_t wrong = 0;
    for (size_t i = 0; i < half.size(); ++i) {
      double expected = halfValue(i);
      bool right = std::isnan(expected)
                       ? std::isnan(half[i]) && std::signbit(half[i]) == bool(i & 0x8000)
                       : bits<uint32_t>(half[i]) == bits<uint32_t>(float(expected));
      expected = bfloatValue(i);
      right &= std::isnan(expected) ? std::isnan(bfloat[i])
                                    : bits<uint64_t>(bfloat[i]) == bits<uint64_t>(expected);
      wrong += !right;
    }
    INFO(target);
    CHECK(wrong == 0);
  }
}

TEST_CASE("f32 and f64 round to the nearest f16 and bf16, ties to even") {
  std::vector<float> singles = interestingFloats();
  std::vector<double> doubles(singles.begin(), singles.end());
  // Just beside every middle between two f16: rounding to f32 first would end on the middle.
  for (uint16_t i = 0; i < 0x7bff; i += 7) {
    double middle = (halfValue(i) + halfValue(i + 1)) / 2;
    doubles.insert(doubles.end(), {middle, middle * (1 + 0x1p-40), middle * (1 - 0x1p-40)});
    middle = (bfloatValue(i) + bfloatValue(i + 1)) / 2;
    doubles.insert(doubles.end(), {middle, middle * (1 + 0x1p-40), middle * (1 - 0x1p-40)});
  }
  doubles.insert(doubles.end(), {1e300, -1e300, 1e-300, 4e-324});
  for (const std::string &target : runnableTargets()) {
    auto truncate = [&](const char *from, const char *to) {
      return elementwise(from, to, std::string("%r = llvm.fptrunc %a : ") + from + " to " + to);
    };
    auto half = runOn<float, uint16_t>(target, truncate("f32", "f16"), singles);
    auto bfloat = runOn<float, uint16_t>(target, truncate("f32", "bf16"), singles);
    auto halfFromDouble = runOn<double, uint16_t>(target, truncate("f64", "f16"), doubles);
    auto bfloatFromDouble = runOn<double, uint16_t>(target, truncate("f64", "bf16"), doubles);
    size_t wrong = 0;
    for (size_t i = 0; i < singles.size(); ++i)
      wrong += half[i] != toHalf(singles[i]) || bfloat[i] != toBFloat(singles[i]);
    for (size_t i = 0; i < doubles.size(); ++i)
      wrong +=
          halfFromDouble[i] != toHalf(doubles[i]) || bfloatFromDouble[i] != toBFloat(doubles[i]);
    INFO(target);
    CHECK(wrong == 0);
  }
}

TEST_CASE("NaN stays NaN in every conversion") {
  std::vector<float> nans;
  for (uint32_t pattern : {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff800001u, 0x7fffffffu})
    nans.push_back(bits<float>(pattern));
  for (const std::string &target : runnableTargets())
    for (const char *type : {"f16", "bf16"}) {
      auto out = runOn<float, uint16_t>(
          target, elementwise("f32", type, std::string("%r = llvm.fptrunc %a : f32 to ") + type),
          nans);
      for (size_t i = 0; i < nans.size(); ++i) {
        CHECK(std::isnan(type[0] == 'f' ? halfValue(out[i]) : bfloatValue(out[i])));
        CHECK(bool(out[i] & 0x8000) == std::signbit(nans[i]));
      }
    }
}

TEST_CASE("f16 and bf16 arithmetic rounds once, the same on every target") {
  std::mt19937 random(2);
  std::vector<uint16_t> x(20000), y(x.size()), z(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] = random() & 0xbfff, y[i] = random() & 0xbfff, z[i] = random() & 0xbfff;
  }
  for (const std::string &target : runnableTargets())
    for (std::string type : {"f16", "bf16"}) {
      bool isHalf = type == "f16";
      auto decode = isHalf ? halfValue : bfloatValue;
      auto round = isHalf ? toHalf : toBFloat;
      auto sum = runOn<uint16_t, uint16_t>(
          target, elementwise(type, type, "%r = llvm.fadd %a, %b : " + type), x, y);
      auto quotient = runOn<uint16_t, uint16_t>(
          target, elementwise(type, type, "%r = llvm.fdiv %a, %b : " + type), x, y);
      auto fused =
          runOn<uint16_t, uint16_t>(target,
                                    elementwise(type, type,
                                                "%r = llvm.intr.fma(%a, %b, %c) : (" + type + ", " +
                                                    type + ", " + type + ") -> " + type),
                                    x, y, z);
      auto minimum = runOn<uint16_t, uint16_t>(
          target,
          elementwise(type, type,
                      "%r = llvm.intr.minimum(%a, %b) : (" + type + ", " + type + ") -> " + type),
          x, y);
      size_t wrong = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        double a = decode(x[i]), b = decode(y[i]), c = decode(z[i]);
        wrong += sum[i] != round((long double)a + b);
        if (b != 0)
          wrong += quotient[i] != round((long double)a / b);
        // 64 bits hold the sum of an f16 product and an f16; for bf16 only with near exponents.
        long double exact = (long double)a * b + c;
        if (isHalf || std::abs(std::ilogb((long double)a * b) - std::ilogb(c)) < 40)
          wrong += fused[i] != round(exact);
        wrong += minimum[i] != round(std::fmin(a, b)) && a != b;
      }
      INFO(target << " " << type);
      CHECK(wrong == 0);
    }
}

TEST_CASE("integers convert to f16 and bf16 with one rounding") {
  std::mt19937_64 random(3);
  std::vector<int64_t> values = {0, 1, -1, 65504, 65519, 65520, INT64_MAX, INT64_MIN};
  for (int i = 0; i < 20000; ++i)
    values.push_back(int64_t(random()) >> (random() % 64));
  for (int shift = 10; shift < 62; ++shift) // middles of bf16, and beside them
    for (int64_t beside : {-1, 0, 1})
      values.push_back((int64_t(0x101) << shift >> 1) + beside);
  for (const std::string &target : runnableTargets()) {
    auto half = runOn<int64_t, uint16_t>(
        target, elementwise("i64", "f16", "%r = llvm.sitofp %a : i64 to f16"), values);
    auto bfloat = runOn<int64_t, uint16_t>(
        target, elementwise("i64", "bf16", "%r = llvm.sitofp %a : i64 to bf16"), values);
    auto unsignedToBFloat = runOn<int64_t, uint16_t>(
        target, elementwise("i64", "bf16", "%r = llvm.uitofp %a : i64 to bf16"), values);
    size_t wrong = 0;
    for (size_t i = 0; i < values.size(); ++i)
      wrong += half[i] != toHalf(values[i]) || bfloat[i] != toBFloat(values[i]) ||
               unsignedToBFloat[i] != toBFloat(uint64_t(values[i]));
    INFO(target);
    CHECK(wrong == 0);
  }
}

TEST_CASE("fma rounds once with and without hardware") {
  std::mt19937_64 random(4);
  std::vector<float> x, y, z;
  std::vector<float> edges = {0.0f,      -0.0f,    1.0f,     -1.0f, 1 + 0x1p-12f,  0x1p-126f,
                              0x1p-149f, 0x1p127f, INFINITY, NAN,   3.4028235e38f, 0x1.000002p0f};
  for (float a : edges)
    for (float b : edges)
      for (float c : edges)
        x.push_back(a), y.push_back(b), z.push_back(c);
  for (int i = 0; i < 100000; ++i) {
    float a = bits<float>(uint32_t(random())), b = bits<float>(uint32_t(random()));
    x.push_back(a), y.push_back(b);
    // Near -a*b, or near the last bit of a*b, where a second rounding would show.
    double scale = i % 2 ? -1.0 : std::ldexp(1.0, -24 - int(random() % 3));
    z.push_back(float(double(a) * b * scale * (1 + std::ldexp(double(random() % 5), -24))));
  }
  std::vector<double> dx, dy, dz;
  for (int i = 0; i < 100000; ++i) {
    auto make = [&] { return std::ldexp(double(int64_t(random())), int(random() % 200) - 160); };
    double a = make(), b = make();
    double scale = i % 2 ? -1.0 : std::ldexp(1.0, -53 - int(random() % 3));
    dx.push_back(a), dy.push_back(b), dz.push_back(i % 3 ? a * b * scale : make());
  }
  for (const std::string &target : runnableTargets()) {
    auto single = runOn<float, float>(
        target,
        elementwise("f32", "f32", "%r = llvm.intr.fma(%a, %b, %c) : (f32, f32, f32) -> f32"), x, y,
        z);
    auto wide = runOn<double, double>(
        target,
        elementwise("f64", "f64", "%r = llvm.intr.fma(%a, %b, %c) : (f64, f64, f64) -> f64"), dx,
        dy, dz);
    size_t wrong = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      float expected = std::fma(x[i], y[i], z[i]);
      wrong += std::isnan(expected) ? !std::isnan(single[i])
                                    : bits<uint32_t>(expected) != bits<uint32_t>(single[i]);
    }
    INFO(target);
    CHECK(wrong == 0);
    wrong = 0;
    for (size_t i = 0; i < dx.size(); ++i)
      wrong += bits<uint64_t>(std::fma(dx[i], dy[i], dz[i])) != bits<uint64_t>(wide[i]);
    CHECK(wrong == 0);
  }
}

TEST_CASE("rounding to integers and remainders need no library") {
  std::vector<float> values = interestingFloats();
  values.push_back(NAN);
  std::vector<double> doubles(values.begin(), values.end());
  doubles.insert(doubles.end(), {0.49999999999999994, 4503599627370495.5, 1e300, -0.5, 1.5});
  std::mt19937 random(5);
  std::vector<float> divisors(values);
  std::shuffle(divisors.begin(), divisors.end(), random);
  std::vector<double> doubleDivisors(doubles);
  std::shuffle(doubleDivisors.begin(), doubleDivisors.end(), random);
  struct {
    const char *name;
    double (*expected)(double);
  } functions[] = {{"floor", std::floor},
                   {"ceil", std::ceil},
                   {"trunc", std::trunc},
                   {"round", std::round},
                   {"roundeven", [](double x) { return std::nearbyint(x); }}};
  auto same = [](double x, double y) {
    return std::isnan(x) ? std::isnan(y) : bits<uint64_t>(x) == bits<uint64_t>(y);
  };
  for (const std::string &target : runnableTargets()) {
    for (auto [name, expected] : functions) {
      auto call = [name = name](const char *type) {
        return elementwise(
            type, type, std::string("%r = llvm.intr.") + name + "(%a) : (" + type + ") -> " + type);
      };
      auto single = runOn<float, float>(target, call("f32"), values);
      auto wide = runOn<double, double>(target, call("f64"), doubles);
      size_t wrong = 0;
      for (size_t i = 0; i < values.size(); ++i)
        wrong += !same(expected(values[i]), single[i]);
      for (size_t i = 0; i < doubles.size(); ++i)
        wrong += !same(expected(doubles[i]), wide[i]);
      INFO(target << " " << name);
      CHECK(wrong == 0);
    }
    auto single = runOn<float, float>(
        target, elementwise("f32", "f32", "%r = llvm.frem %a, %b : f32"), values, divisors);
    auto wide = runOn<double, double>(
        target, elementwise("f64", "f64", "%r = llvm.frem %a, %b : f64"), doubles, doubleDivisors);
    size_t wrong = 0;
    for (size_t i = 0; i < values.size(); ++i)
      wrong += !same(std::fmod(values[i], divisors[i]), single[i]);
    for (size_t i = 0; i < doubles.size(); ++i)
      wrong += !same(std::fmod(doubles[i], doubleDivisors[i]), wide[i]);
    INFO(target << " frem");
    CHECK(wrong == 0);
  }
}

TEST_CASE("bf16 that control flow chooses keeps its bits") {
  // Where y is negative, the neighbour in z: a load that cannot be done in advance.
  std::string text = elementwise("bf16", "bf16", R"(%bits = llvm.bitcast %b : bf16 to i16
  %none = llvm.mlir.constant(0 : i16) : i16
  %negative = llvm.icmp "slt" %bits, %none : i16
  llvm.cond_br %negative, ^other, ^join(%a : bf16)
^other:
  %j = llvm.xor %i, %one : i64
  %pj = llvm.getelementptr %z[%j] : (!llvm.ptr, i64) -> !llvm.ptr, bf16
  %d = llvm.load %pj : !llvm.ptr -> bf16
  llvm.br ^join(%d : bf16)
^join(%r: bf16):)");
  std::vector<uint16_t> x = allPatterns(), y(x.size()), z(x.rbegin(), x.rend());
  for (size_t i = 0; i < x.size(); ++i)
    y[i] = i % 3 ? 0x3f80 : 0xbf80;
  for (const std::string &target : runnableTargets()) {
    auto out = runOn<uint16_t, uint16_t>(target, text, x, y, z);
    size_t wrong = 0;
    for (size_t i = 0; i < x.size(); ++i)
      wrong += out[i] != (i % 3 ? x[i] : z[i ^ 1]);
    INFO(target);
    CHECK(wrong == 0);
  }
}

// The bits of a value go through everything that moves elements, for vectors too.
TEST_CASE("f16 and bf16 that are moved keep their bits on every target") {
  struct Move {
    const char *what, *body;
    std::vector<int>
        from; // for each of four elements of the result: of which one of a, or 4 + of b
  };
  const Move moves[] = {
      {"a splat",
       R"(%s = llvm.load %x : !llvm.ptr -> IN
  %u = llvm.mlir.poison : vector<4xIN>
  %v = llvm.insertelement %s, %u[%zero : i64] : vector<4xIN>
  %r = llvm.shufflevector %v, %u [0, 0, 0, 0] : vector<4xIN>)",
       {0, 0, 0, 0}},
      {"a shuffle of two",
       R"(%r = llvm.shufflevector %a, %b [3, 4, 1, 6] : vector<4xIN>)",
       {3, 4, 1, 6}},
      {"elements",
       R"(%e = llvm.extractelement %a[%three : i64] : vector<4xIN>
  %r = llvm.insertelement %e, %b[%one : i64] : vector<4xIN>)",
       {4, 3, 6, 7}},
      {"a choice of the whole",
       R"(%q = llvm.icmp "sgt" %n, %one : i64
  %r = llvm.select %q, %b, %a : i1, vector<4xIN>)",
       {4, 5, 6, 7}},
      {"a choice by element",
       R"(%m = llvm.mlir.constant(dense<[true, false, false, true]> : vector<4xi1>) : vector<4xi1>
  %f = llvm.freeze %b : vector<4xIN>
  %r = llvm.select %m, %a, %f : vector<4xi1>, vector<4xIN>)",
       {0, 5, 6, 3}},
      {"masked accesses",
       R"(%m = llvm.mlir.constant(dense<[true, false, true, false]> : vector<4xi1>) : vector<4xi1>
  %l = llvm.intr.masked.load %x, %m, %b {alignment = 2 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xIN>) -> vector<4xIN>
  llvm.intr.masked.store %l, %out, %m {alignment = 2 : i32} : vector<4xIN>, vector<4xi1> into !llvm.ptr
  %r = llvm.intr.masked.load %out, %m, %l {alignment = 2 : i32} : (!llvm.ptr, vector<4xi1>, vector<4xIN>) -> vector<4xIN>)",
       {0, 5, 2, 7}},
      {"a number of bits",
       R"(%w = llvm.bitcast %a : vector<4xIN> to i64
  %k = llvm.mlir.constant(16 : i64) : i64
  %hi = llvm.lshr %w, %k : i64
  %lo = llvm.shl %w, %three16 : i64
  %both = llvm.or %hi, %lo : i64
  %r = llvm.bitcast %both : i64 to vector<4xIN>)",
       {1, 2, 3, 0}},
  };
  // A signalling NaN, a quiet one with a payload, a subnormal, and minus zero are not to change.
  const std::vector<uint16_t> x = {0x7f81, 0xffc5, 0x0003, 0x8000},
                              y = {0x7c01, 0xfe07, 0x3f80, 0x0001};
  for (const Move &move : moves)
    for (const char *type : {"f16", "bf16"})
      for (const std::string &target : runnableTargets()) {
        std::string text = std::string(R"(
llvm.func @f(%n: i64, %x: !llvm.ptr, %y: !llvm.ptr, %z: !llvm.ptr, %out: !llvm.ptr {llvm.noalias}) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %three = llvm.mlir.constant(3 : i64) : i64
  %three16 = llvm.mlir.constant(48 : i64) : i64
  %a = llvm.load %x {alignment = 2 : i64} : !llvm.ptr -> vector<4xIN>
  %b = llvm.load %y {alignment = 2 : i64} : !llvm.ptr -> vector<4xIN>
  )") + move.body + R"(
  llvm.store %r, %out {alignment = 2 : i64} : vector<4xIN>, !llvm.ptr
  llvm.return
})";
        for (size_t place; (place = text.find("IN")) != std::string::npos;)
          text.replace(place, 2, type);
        CAPTURE(move.what, type, target);
        auto out = runOn<uint16_t, uint16_t>(target, text, x, y);
        for (size_t i = 0; i < 4; ++i)
          CHECK(out[i] == (move.from[i] < 4 ? x[move.from[i]] : y[move.from[i] - 4]));
      }
}

TEST_CASE("libraries are ELF for their machine, export kernels only and import nothing") {
  std::string text = elementwise("bf16", "f16", R"(%w = llvm.fpext %a : bf16 to f32
  %q = llvm.intr.floor(%w) : (f32) -> f32
  %s = llvm.call @helper(%q) : (f32) -> f32
  %r = llvm.fptrunc %s : f32 to f16)") +
                     R"(
llvm.func internal @helper(%x: f32) -> f32 attributes {no_inline} {
  %r = llvm.frem %x, %x : f32
  llvm.return %r : f32
})";
  for (const char *target : {"x86-64", "x86-64-v3", "x86-64-v4", "aarch64"}) {
    HostCode code = compile(text, target);
    CHECK(code.symbols == std::vector<std::string>{"f"});
    REQUIRE(code.library.substr(0, 4) == "\x7f"
                                         "ELF");
    int machine = uint8_t(code.library[18]) | uint8_t(code.library[19]) << 8;
    CHECK(machine ==
          (target == std::string("aarch64") ? llvm::ELF::EM_AARCH64 : llvm::ELF::EM_X86_64));
    CHECK(code.library[16] == llvm::ELF::ET_DYN);
    Result<DynamicSymbols> symbols = readDynamicSymbols(code.library);
    REQUIRE(symbols);
    CHECK(symbols->imports.empty());
  }
}

TEST_CASE("the same module gives the same bytes, from any thread") {
  std::string text = elementwise("f16", "f16", "%r = llvm.fmul %a, %b : f16");
  std::array<std::string, 4> libraries;
  std::vector<std::thread> threads;
  for (std::string &library : libraries)
    threads.emplace_back([&] {
      ParsedModule module(text);
      Result<Target> target = parseTarget("x86-64-v3");
      Result<HostCode> code = compileForHost(module.get(), *target);
      library = code ? code->library : code.error().message;
    });
  for (std::thread &thread : threads)
    thread.join();
  CHECK(libraries[0].size() > 500);
  for (const std::string &library : libraries)
    CHECK(library == libraries[0]);
}

TEST_CASE("a call that no library answers is an error with its name") {
  ParsedModule module(elementwise("f32", "f32", "%r = llvm.call @expf(%a) : (f32) -> f32") +
                      "\nllvm.func @expf(f32) -> f32");
  Result<Target> target = parseTarget("x86-64-v3");
  Result<HostCode> code = compileForHost(module.get(), *target);
  REQUIRE(!code);
  CHECK(code.error().message ==
        "internal error: generated code calls 'expf', which no library provides; only memcpy, "
        "memmove and memset may be called");
}

TEST_CASE("conversions and arithmetic of f16 are vectorised where only arithmetic exists") {
  HostOptions options;
  options.keepLLVM = options.keepAssembly = true;
  std::string text = elementwise("f16", "f16", "%r = llvm.fmul %a, %b : f16");
  CHECK(compile(text, "x86-64", options).llvm.find(" x float>") != std::string::npos);
  HostCode code = compile(text, "x86-64-v3", options);
  CHECK(code.assembly.find("vcvtph2ps") != std::string::npos);
  CHECK(code.assembly.find("ymm") != std::string::npos);
}
