#include "Graph/Reference/Pointwise.h"

#include "Graph/Reference/HostTensor.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

using namespace teeny;

using Parameters = std::map<std::string, double>;

//===-- Values
//----------------------------------------------------------------------------------===//

Scalar Scalar::ofReal(DType type, double value) {
  // A tensor knows how to round.
  HostTensor one(type, {});
  one.setReal(0, value);
  return {type, one.real(0), 0};
}

Scalar Scalar::ofWhole(DType type, int64_t value) {
  HostTensor one(type, {});
  one.setInteger(0, value);
  return {type, 0, one.integer(0)};
}

// Float to integer cuts towards 0; what does not fit has no meaning, and becomes the nearest that
// does.
static int64_t cut(double value) {
  constexpr double limit = 9223372036854775808.0;
  if (std::isnan(value))
    return 0;
  if (value >= limit)
    return std::numeric_limits<int64_t>::max();
  return value < -limit ? std::numeric_limits<int64_t>::min() : int64_t(value);
}

static Scalar cast(const Scalar &from, DType to) {
  if (isFloat(to)) {
    double value = isFloat(from.type) ? from.real : double(from.whole);
    if (from.type == DType::u64)
      value = double(uint64_t(from.whole));
    return Scalar::ofReal(to, value);
  }
  if (to == DType::boolean)
    return Scalar::ofWhole(to, isFloat(from.type) ? from.real != 0 : from.whole != 0);
  return Scalar::ofWhole(to, isFloat(from.type) ? cut(from.real) : from.whole);
}

//===-- Floats
//----------------------------------------------------------------------------------===//

using Unary = double (*)(double);
using Binary = double (*)(double, double);
using Parametric = double (*)(double, const Parameters &);

static double nanOr(double x, double otherwise) { return std::isnan(x) ? x : otherwise; }
static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
static double between(double x, double low, double high) {
  return nanOr(x, std::min(std::max(x, low), high));
}

static const std::map<std::string_view, Unary> unaryFunctions = {
    {"relu", [](double x) { return nanOr(x, std::max(x, 0.0)); }},
    {"relu6", [](double x) { return between(x, 0, 6); }},
    {"selu",
     [](double x) {
       return 1.0507009873554805 * (x > 0 ? x : 1.6732632423543772 * std::expm1(x));
     }},
    {"gelu", [](double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); }},
    {"gelu_tanh",
     [](double x) {
       return x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * std::pow(x, 3))));
     }},
    {"silu", [](double x) { return x * sigmoid(x); }},
    {"mish", [](double x) { return x * std::tanh(softplus(x)); }},
    {"hardsigmoid", [](double x) { return between(x + 3, 0, 6) / 6; }},
    {"hardswish", [](double x) { return x * between(x + 3, 0, 6) / 6; }},
    {"tanhshrink", [](double x) { return x - std::tanh(x); }},
    {"softsign", [](double x) { return x / (1 + std::fabs(x)); }},
    {"sigmoid", sigmoid},
    {"log_sigmoid", [](double x) { return -softplus(-x); }},
    {"abs", [](double x) { return std::fabs(x); }},
    {"neg", [](double x) { return -x; }},
    {"sign", [](double x) { return double((x > 0) - (x < 0)); }},
    {"ceil", [](double x) { return std::ceil(x); }},
    {"floor", [](double x) { return std::floor(x); }},
    {"round", [](double x) { return std::nearbyint(x); }},
    {"trunc", [](double x) { return std::trunc(x); }},
    {"reciprocal", [](double x) { return 1 / x; }},
    {"sqrt", [](double x) { return std::sqrt(x); }},
    {"rsqrt", [](double x) { return 1 / std::sqrt(x); }},
    {"exp", [](double x) { return std::exp(x); }},
    {"exp2", [](double x) { return std::exp2(x); }},
    {"expm1", [](double x) { return std::expm1(x); }},
    {"log", [](double x) { return std::log(x); }},
    {"log2", [](double x) { return std::log2(x); }},
    {"log10", [](double x) { return std::log10(x); }},
    {"log1p", [](double x) { return std::log1p(x); }},
    {"erf", [](double x) { return std::erf(x); }},
    {"sin", [](double x) { return std::sin(x); }},
    {"cos", [](double x) { return std::cos(x); }},
    {"tan", [](double x) { return std::tan(x); }},
    {"asin", [](double x) { return std::asin(x); }},
    {"acos", [](double x) { return std::acos(x); }},
    {"atan", [](double x) { return std::atan(x); }},
    {"sinh", [](double x) { return std::sinh(x); }},
    {"cosh", [](double x) { return std::cosh(x); }},
    {"tanh", [](double x) { return std::tanh(x); }},
    {"asinh", [](double x) { return std::asinh(x); }},
    {"acosh", [](double x) { return std::acosh(x); }},
    {"atanh", [](double x) { return std::atanh(x); }},
};

static const std::map<std::string_view, Parametric> parametricFunctions = {
    {"leaky_relu", [](double x, const Parameters &p) { return x >= 0 ? x : x * p.at("slope"); }},
    {"elu",
     [](double x, const Parameters &p) { return x > 0 ? x : p.at("alpha") * std::expm1(x); }},
    {"celu",
     [](double x, const Parameters &p) {
       return x > 0 ? x : p.at("alpha") * std::expm1(x / p.at("alpha"));
     }},
    {"hardtanh",
     [](double x, const Parameters &p) { return between(x, p.at("min"), p.at("max")); }},
    {"clamp", [](double x, const Parameters &p) { return between(x, p.at("min"), p.at("max")); }},
    {"hardshrink",
     [](double x, const Parameters &p) { return std::fabs(x) <= p.at("lambda") ? 0 : x; }},
    {"softshrink",
     [](double x, const Parameters &p) {
       double bound = p.at("lambda");
       return std::fabs(x) <= bound ? 0 : x - std::copysign(bound, x);
     }},
    {"softplus",
     [](double x, const Parameters &p) {
       double scaled = x * p.at("beta");
       return scaled > p.at("threshold") ? x : softplus(scaled) / p.at("beta");
     }},
    {"threshold",
     [](double x, const Parameters &p) { return x <= p.at("threshold") ? p.at("value") : x; }},
};

static double flooredRemainder(double x, double y) {
  double r = std::fmod(x, y);
  return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static const std::map<std::string_view, Binary> binaryFunctions = {
    {"add", [](double x, double y) { return x + y; }},
    {"sub", [](double x, double y) { return x - y; }},
    {"mul", [](double x, double y) { return x * y; }},
    {"div", [](double x, double y) { return x / y; }},
    {"mod", flooredRemainder},
    {"fmod", [](double x, double y) { return std::fmod(x, y); }},
    {"minimum", [](double x, double y) { return nanOr(x, nanOr(y, std::min(x, y))); }},
    {"maximum", [](double x, double y) { return nanOr(x, nanOr(y, std::max(x, y))); }},
    {"pow", [](double x, double y) { return std::pow(x, y); }},
    {"atan2", [](double x, double y) { return std::atan2(x, y); }},
};

//===-- Integers and bools
//----------------------------------------------------------------------===//

static bool isUnsigned(DType type) {
  return type == DType::u8 || type == DType::u16 || type == DType::u32 || type == DType::u64;
}

static bool less(const Scalar &x, const Scalar &y) {
  if (isFloat(x.type))
    return x.real < y.real;
  return isUnsigned(x.type) ? uint64_t(x.whole) < uint64_t(y.whole) : x.whole < y.whole;
}

static bool equal(const Scalar &x, const Scalar &y) {
  return isFloat(x.type) ? x.real == y.real : x.whole == y.whole;
}

// Towards 0; by 0 it is 0.
static int64_t cutRemainder(const Scalar &x, const Scalar &y) {
  if (y.whole == 0)
    return 0;
  if (isUnsigned(x.type))
    return int64_t(uint64_t(x.whole) % uint64_t(y.whole));
  return y.whole == -1 ? 0 : x.whole % y.whole;
}

// Wrapped to the type by the caller.
static int64_t wholeFunction(std::string_view function, std::span<const Scalar> operands) {
  const Scalar &x = operands[0], &y = operands.back();
  auto bits = [](const Scalar &value) { return uint64_t(value.whole); };
  if (function == "add")
    return int64_t(bits(x) + bits(y));
  if (function == "sub")
    return int64_t(bits(x) - bits(y));
  if (function == "mul")
    return int64_t(bits(x) * bits(y));
  if (function == "neg")
    return int64_t(0 - bits(x));
  if (function == "abs")
    return isUnsigned(x.type) || x.whole >= 0 ? x.whole : int64_t(0 - bits(x));
  if (function == "sign")
    return isUnsigned(x.type) ? x.whole != 0 : (x.whole > 0) - (x.whole < 0);
  if (function == "relu")
    return isUnsigned(x.type) ? x.whole : std::max<int64_t>(x.whole, 0);
  if (function == "minimum")
    return less(x, y) ? x.whole : y.whole;
  if (function == "maximum")
    return less(x, y) ? y.whole : x.whole;
  if (function == "fmod")
    return cutRemainder(x, y);
  if (function == "mod") {
    int64_t r = cutRemainder(x, y);
    return !isUnsigned(x.type) && r != 0 && (r < 0) != (y.whole < 0) ? r + y.whole : r;
  }
  if (function == "bitwise_not")
    return ~x.whole;
  if (function.ends_with("_not"))
    return x.whole == 0;
  if (function.ends_with("_and"))
    return x.whole & y.whole;
  if (function.ends_with("_or"))
    return x.whole | y.whole;
  assert(function.ends_with("_xor") && "a function that integers do not have");
  return x.whole ^ y.whole;
}

Scalar teeny::applyPointwise(std::string_view function, std::span<const Scalar> operands,
                             const Parameters &parameters, DType result) {
  const Scalar &x = operands[0], &y = operands.back();
  auto truth = [&](bool value) { return Scalar::ofWhole(result, value); };
  if (function == "cast")
    return cast(x, result);
  if (function == "where")
    return x.whole ? operands[1] : y;
  if (function == "equal")
    return truth(equal(x, y));
  if (function == "not_equal")
    return truth(!equal(x, y));
  if (function == "less")
    return truth(less(x, y));
  if (function == "greater")
    return truth(less(y, x));
  if (function == "less_equal")
    return truth(less(x, y) || equal(x, y));
  if (function == "greater_equal")
    return truth(less(y, x) || equal(x, y));
  if (function == "isnan")
    return truth(std::isnan(x.real));
  if (function == "isinf")
    return truth(std::isinf(x.real));
  if (!isFloat(x.type))
    return Scalar::ofWhole(result, wholeFunction(function, operands));
  if (auto found = unaryFunctions.find(function); found != unaryFunctions.end())
    return Scalar::ofReal(result, found->second(x.real));
  if (auto found = parametricFunctions.find(function); found != parametricFunctions.end())
    return Scalar::ofReal(result, found->second(x.real, parameters));
  auto found = binaryFunctions.find(function);
  assert(found != binaryFunctions.end() && "a function that has no reference");
  return Scalar::ofReal(result, found->second(x.real, y.real));
}
