// Every math function against its exact value: f32 against long double, f64 against values computed
// with 60 digits (fixtures.py); and the same kernels on the machine that interprets PTX. The bounds
// are those that kernels/README.md states.
#include "RunKernel.h"

#include "Base/File.h"
#include "TensorFile/SafeTensors.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

using namespace teeny;
using namespace teeny::test;

namespace {

using Exact = long double (*)(long double, long double);
const long double pi = acosl(-1);

long double sinpiOf(long double x, long double) {
  long double a = fmodl(fabsl(x), 2), r = a > 1.5L ? a - 2 : a > 0.5L ? 1 - a : a;
  return std::isinf(x) ? NAN : copysignl(1, x) * (a == 1 || a == 0 ? 0 : sinl(pi * r));
}
long double cospiOf(long double x, long double) {
  long double a = fmodl(fabsl(x), 2);
  return std::isinf(x) ? NAN : fabsl(a - 1) == 0.5L ? 0 : cosl(pi * (a > 1 ? a - 2 : a));
}
// Newton's method from the other side: erf(y) = x, near 1 in its complement.
long double erfinvOf(long double x, long double) {
  long double a = fabsl(x);
  if (!(a < 1))
    return a == 1 ? copysignl(INFINITY, x) : NAN;
  long double y = a < 0.9L ? a : sqrtl(-logl((1 - a) * 0.9L));
  for (int i = 0; i < 60; ++i) {
    long double miss = a < 0.5L ? erfl(y) - a : (1 - a) - erfcl(y);
    long double step = miss * sqrtl(pi) / 2 * expl(y * y);
    y -= step / (1 + y * step);
  }
  return copysignl(y, x);
}
long double rcbrtOf(long double x, long double) { return 1 / cbrtl(x); }
long double rhypotOf(long double x, long double y) { return 1 / hypotl(x, y); }
long double rsqrtOf(long double x, long double) { return 1 / sqrtl(x); }

#define UNARY(f) [](long double x, long double) { return f(x); }

struct Function {
  const char *name;
  unsigned arity;
  Exact exact;        // for f32
  double single, f64; // bounds in units in the last place; 0 without a fixture
  // Whether a GPU gives the CPU's bits: not what is made of instructions that approximate.
  bool sameBits;
};

const Function functions[] = {
    {"exp", 1, UNARY(expl), 2, 1, false},
    {"exp2", 1, UNARY(exp2l), 2, 1, false},
    {"exp10", 1, UNARY(exp10l), 1, 1, true},
    {"expm1", 1, UNARY(expm1l), 1.1, 1, true},
    {"log", 1, UNARY(logl), 1, 1, true},
    {"log2", 1, UNARY(log2l), 2, 1, true},
    {"log10", 1, UNARY(log10l), 1, 1, true},
    {"log1p", 1, UNARY(log1pl), 1, 1, true},
    {"sin", 1, UNARY(sinl), 2, 1, true},
    {"cos", 1, UNARY(cosl), 2, 1, true},
    {"tan", 1, UNARY(tanl), 1.1, 1, true},
    {"asin", 1, UNARY(asinl), 2, 2, true},
    {"acos", 1, UNARY(acosl), 2, 2, true},
    {"atan", 1, UNARY(atanl), 1, 1, true},
    {"sinh", 1, UNARY(sinhl), 1, 1, true},
    {"cosh", 1, UNARY(coshl), 1, 1, true},
    {"tanh", 1, UNARY(tanhl), 2, 3, false},
    {"asinh", 1, UNARY(asinhl), 1.1, 1, true},
    {"acosh", 1, UNARY(acoshl), 1, 1, true},
    {"atanh", 1, UNARY(atanhl), 1.1, 1, true},
    {"sinpi", 1, sinpiOf, 1, 1, true},
    {"cospi", 1, cospiOf, 1, 1, true},
    {"erf", 1, UNARY(erfl), 2, 2, false},
    {"erfc", 1, UNARY(erfcl), 2, 2, true},
    {"erfinv", 1, erfinvOf, 2, 2, true},
    {"lgamma", 1, UNARY(lgammal), 1, 4, true},
    {"tgamma", 1, UNARY(tgammal), 1, 6, true},
    {"cbrt", 1, UNARY(cbrtl), 1, 1, true},
    {"rcbrt", 1, rcbrtOf, 2, 2, true},
    {"rsqrt", 1, rsqrtOf, 2, 2, false},
    {"sqrt_rn", 1, UNARY(sqrtl), 0.5, 0, true},
    {"pow", 2, powl, 2, 1, false},
    {"atan2", 2, atan2l, 1, 1, true},
    {"hypot", 2, hypotl, 1, 1, true},
    {"rhypot", 2, rhypotOf, 2, 2, true},
    {"fmod", 2, fmodl, 0, 0.1, true},
    {"remainder", 2, remainderl, 0, 0, true},
    {"fdim", 2, fdiml, 0.5, 0, true},
    {"div_rn", 2, [](long double x, long double y) { return x / y; }, 0.5, 0, true},
};

std::string kernelOf(const Function &function) {
  std::string call =
      std::string("libdevice.") + function.name + (function.arity == 2 ? "(a, b)" : "(a)");
  return R"(import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=1.0)
    b = tl.load(y + i, mask=i < n, other=1.0)
    tl.store(out + i, )" +
         call + ", mask=i < n)\n";
}

constexpr int block = 128;
template <typename T> std::string specs() {
  std::string t = sizeof(T) == 4 ? "fp32" : "fp64";
  return "x=*" + t + ",y=*" + t + ",out=*" + t + ",n=i32,BLOCK=" + std::to_string(block);
}

template <typename T>
std::vector<T> onCpu(const Function &function, const std::vector<T> &x, const std::vector<T> &y) {
  std::vector<T> out(x.size());
  KernelOnCpu(kernelOf(function), specs<T>())
      .run(int(x.size() + block - 1) / block, x.data(), y.data(), out.data(), int(x.size()));
  return out;
}

template <typename T>
std::vector<T> onGpu(const Function &function, std::vector<T> x, std::vector<T> y) {
  std::vector<T> out(x.size());
  PtxMachine machine(compileToPtx(kernelOf(function), specs<T>()));
  int programs = int(x.size() + block - 1) / block;
  machine.run("kernel", {programs, 1, 1},
              {machine.buffer(x), machine.buffer(y), machine.buffer(out), x.size()});
  return out;
}

// The distance from the exact value in units of the result's last place.
template <typename T> double ulps(T actual, long double exact, long double rest = 0) {
  if (std::isnan(exact))
    return std::isnan(actual) ? 0 : INFINITY;
  T rounded = T(exact);
  if (std::isinf(rounded) || std::isinf(actual) || std::isnan(actual))
    return rounded == actual ? 0 : INFINITY;
  if (rounded == 0 && actual == 0 && std::signbit(rounded) != std::signbit(actual))
    return INFINITY;
  T last = std::nextafter(std::fabs(rounded), T(INFINITY)) - std::fabs(rounded);
  if (std::isinf(last))
    last = std::numeric_limits<T>::max() - std::nextafter(std::numeric_limits<T>::max(), T(0));
  return double(std::fabs((actual - exact - rest) / last));
}

template <typename To, typename From> To bits(From value) {
  To result;
  std::memcpy(&result, &value, sizeof result);
  return result;
}

// Where an answer is promised for absolute errors only.
bool nearNegativeZeroOfLgamma(const Function &function, long double x, long double exact) {
  return std::string(function.name) == "lgamma" && x < 0 && std::fabs(exact) < 1;
}

std::vector<float> arguments(unsigned seed) {
  std::vector<float> values = {0.0f,     -0.0f,  0.5f,     -0.5f,    1.0f,       -1.0f,    1.5f,
                               2.0f,     -2.0f,  3.0f,     INFINITY, -INFINITY,  NAN,      1e-45f,
                               -1e-45f,  1e-38f, 3.4e38f,  -3.4e38f, 88.7228f,   -103.97f, 89.4f,
                               38.5318f, 35.04f, -45.154f, 10.05f,   16777215.0f};
  std::mt19937_64 random(seed);
  if (seed % 2) // other pairs
    std::shuffle(values.begin(), values.end(), random);
  for (float limit : {1.0f, 1.1f, 10.0f, 100.0f, 70000.0f})
    for (int i = 0; i < 1500; ++i)
      values.push_back(std::uniform_real_distribution<float>(-limit, limit)(random));
  for (int i = 0; i < 3000; ++i)
    values.push_back(bits<float>(uint32_t(random())));
  return values;
}

} // namespace

TEST_CASE("f32 functions are within their bounds of exact values") {
  std::vector<float> x = arguments(2), y = arguments(3);
  for (const Function &function : functions) {
    std::vector<float> out = onCpu<float>(function, x, y);
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i != x.size(); ++i) {
      double error = ulps(out[i], function.exact(x[i], y[i]));
      if (error > worst)
        worst = error, at = i;
    }
    INFO(function.name << "(" << x[at] << ", " << y[at] << ") = " << out[at] << ", exactly "
                       << function.exact(x[at], y[at]));
    CHECK(worst <= function.single);
  }
}

TEST_CASE("f64 functions are within their bounds of values with more digits") {
  Result<MappedFile> file =
      MappedFile::open(TEENY_SOURCE_DIR "/test/Language/math/math_f64.safetensors");
  REQUIRE(file);
  Result<SafeTensors> fixtures = SafeTensors::parse(file->bytes());
  REQUIRE(fixtures);
  size_t tested = 0;
  for (const Function &function : functions) {
    auto column = [&](const char *name) {
      const TensorView *tensor = fixtures->find(std::string(function.name) + "." + name);
      std::vector<double> values;
      if (!tensor)
        return values;
      size_t size = size_t(tensor->shape[0]);
      values.resize(size);
      if (tensor->dtype == DType::f64)
        std::memcpy(values.data(), tensor->data.data(), size * 8);
      for (size_t i = 0; tensor->dtype == DType::f32 && i != size; ++i)
        values[i] = reinterpret_cast<const float *>(tensor->data.data())[i];
      return values;
    };
    std::vector<double> x = column("x"), y = column("y"), value = column("value"),
                        rest = column("rest");
    REQUIRE(x.empty() == (function.f64 == 0));
    if (x.empty())
      continue;
    ++tested;
    y.resize(x.size(), 1.0);
    std::vector<double> out = onCpu<double>(function, x, y);
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i != x.size(); ++i) {
      int exponent;
      std::frexp(value[i], &exponent);
      double error = ulps(out[i], value[i], ldexpl(rest[i], exponent - 53));
      if (nearNegativeZeroOfLgamma(function, x[i], value[i]))
        error *= std::fabs(value[i]);
      if (error > worst)
        worst = error, at = i;
    }
    INFO(function.name << "(" << x[at] << ", " << y[at] << ") = " << out[at] << ", exactly "
                       << value[at]);
    CHECK(worst <= function.f64);
  }
  CHECK(tested > 30);
}

TEST_CASE("a GPU gives the same bits where it has no approximations, else nearly the same") {
  std::vector<float> x = arguments(2), y = arguments(3);
  std::vector<float> sampleX(x.begin(), x.begin() + 26), sampleY(y.begin(), y.begin() + 26);
  for (size_t i = 26; i < x.size(); i += 43) {
    sampleX.push_back(x[i]);
    sampleY.push_back(y[i]);
  }
  std::vector<double> wideX(sampleX.begin(), sampleX.end()), wideY(sampleY.begin(), sampleY.end());
  auto same = [&](const Function &function, auto cpu, auto gpu) {
    for (size_t i = 0; i != cpu.size(); ++i) {
      INFO(function.name << " of " << 8 * sizeof cpu[i] << " bits of " << sampleX[i] << ", "
                         << sampleY[i] << " is " << cpu[i] << " and " << gpu[i]);
      bool isDouble = sizeof cpu[i] == 8;
      if (function.sameBits || isDouble)
        CHECK((std::memcmp(&cpu[i], &gpu[i], sizeof cpu[i]) == 0 ||
               (std::isnan(cpu[i]) && std::isnan(gpu[i]))));
      else if (std::fabs(cpu[i]) > 1.2e-38 && std::fabs(sampleX[i]) > 1.2e-38) // or they flush
        CHECK(ulps(gpu[i], cpu[i]) <= 5);
    }
  };
  for (const Function &function : functions) {
    same(function, onCpu<float>(function, sampleX, sampleY),
         onGpu<float>(function, sampleX, sampleY));
    same(function, onCpu<double>(function, wideX, wideY), onGpu<double>(function, wideX, wideY));
  }
}
