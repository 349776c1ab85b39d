#include "Graph/IR/Pointwise.h"

#include "llvm/ADT/StringMap.h"

#include <limits>

using namespace teeny::graph;

using Function = PointwiseFunction;
using Parameter = PointwiseFunction::Parameter;

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr Parameter slope[] = {{"slope", 0.01}};
static constexpr Parameter alpha[] = {{"alpha", 1}};
static constexpr Parameter lambda[] = {{"lambda", 0.5}};
static constexpr Parameter unitRange[] = {{"min", -1}, {"max", 1}};
static constexpr Parameter softplus[] = {{"beta", 1}, {"threshold", 20}};
static constexpr Parameter threshold[] = {{"threshold", 0}, {"value", 0}};
static constexpr Parameter range[] = {{"min", -infinity}, {"max", infinity}};

static constexpr Function table[] = {
    // Activations.
    {"relu", 1, Function::numbers, false, {}, "max(x, 0)"},
    {"relu6", 1, Function::floats, false, {}, "min(max(x, 0), 6)"},
    {"leaky_relu", 1, Function::floats, false, slope, "x if x >= 0 else slope * x"},
    {"elu", 1, Function::floats, false, alpha, "x if x > 0 else alpha * (exp(x) - 1)"},
    {"selu",
     1,
     Function::floats,
     false,
     {},
     "1.0507 * (x if x > 0 else 1.6733 * (exp(x) - 1))"},
    {"celu", 1, Function::floats, false, alpha, "x if x > 0 else alpha * (exp(x / alpha) - 1)"},
    {"gelu", 1, Function::floats, false, {}, "x / 2 * (1 + erf(x / sqrt(2)))"},
    {"gelu_tanh",
     1,
     Function::floats,
     false,
     {},
     "x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))"},
    {"silu", 1, Function::floats, false, {}, "x * sigmoid(x)"},
    {"mish", 1, Function::floats, false, {}, "x * tanh(log(1 + exp(x)))"},
    {"hardtanh", 1, Function::floats, false, unitRange, "x between min and max"},
    {"hardsigmoid", 1, Function::floats, false, {}, "min(max(x + 3, 0), 6) / 6"},
    {"hardswish", 1, Function::floats, false, {}, "x * min(max(x + 3, 0), 6) / 6"},
    {"hardshrink", 1, Function::floats, false, lambda, "x if abs(x) > lambda else 0"},
    {"softshrink", 1, Function::floats, false, lambda, "sign(x) * max(abs(x) - lambda, 0)"},
    {"tanhshrink", 1, Function::floats, false, {}, "x - tanh(x)"},
    {"softplus", 1, Function::floats, false, softplus,
     "log(1 + exp(beta * x)) / beta; x where beta * x > threshold"},
    {"softsign", 1, Function::floats, false, {}, "x / (1 + abs(x))"},
    {"threshold", 1, Function::floats, false, threshold, "x if x > threshold else value"},
    {"sigmoid", 1, Function::floats, false, {}, "1 / (1 + exp(-x))"},
    {"log_sigmoid", 1, Function::floats, false, {}, "log(sigmoid(x))"},
    // Arithmetic.
    {"abs", 1, Function::numbers, false, {}, "x if x >= 0 else -x"},
    {"neg", 1, Function::numbers, false, {}, "-x"},
    {"sign", 1, Function::numbers, false, {}, "-1, 0 or 1"},
    {"ceil", 1, Function::floats, false, {}, "The next integer upwards"},
    {"floor", 1, Function::floats, false, {}, "The next integer downwards"},
    {"round", 1, Function::floats, false, {}, "The nearest integer, the even one of two"},
    {"trunc", 1, Function::floats, false, {}, "The next integer towards 0"},
    {"reciprocal", 1, Function::floats, false, {}, "1 / x"},
    {"add", 2, Function::numbers, false, {}, "x + y"},
    {"sub", 2, Function::numbers, false, {}, "x - y"},
    {"mul", 2, Function::numbers, false, {}, "x * y"},
    {"div", 2, Function::floats, false, {}, "x / y"},
    {"mod", 2, Function::numbers, false, {}, "The remainder with the sign of y"},
    {"fmod", 2, Function::numbers, false, {}, "The remainder with the sign of x"},
    {"minimum", 2, Function::numbers, false, {}, "The smaller of x and y"},
    {"maximum", 2, Function::numbers, false, {}, "The larger of x and y"},
    {"clamp", 1, Function::floats, false, range, "x between min and max"},
    // Transcendental functions.
    {"sqrt", 1, Function::floats, false, {}, "The square root"},
    {"rsqrt", 1, Function::floats, false, {}, "1 / sqrt(x)"},
    {"exp", 1, Function::floats, false, {}, "e to the power of x"},
    {"exp2", 1, Function::floats, false, {}, "2 to the power of x"},
    {"expm1", 1, Function::floats, false, {}, "exp(x) - 1, exact near 0"},
    {"log", 1, Function::floats, false, {}, "The natural logarithm"},
    {"log2", 1, Function::floats, false, {}, "The logarithm to base 2"},
    {"log10", 1, Function::floats, false, {}, "The logarithm to base 10"},
    {"log1p", 1, Function::floats, false, {}, "log(1 + x), exact near 0"},
    {"pow", 2, Function::floats, false, {}, "x to the power of y"},
    {"erf", 1, Function::floats, false, {}, "The error function"},
    {"sin", 1, Function::floats, false, {}, "The sine"},
    {"cos", 1, Function::floats, false, {}, "The cosine"},
    {"tan", 1, Function::floats, false, {}, "The tangent"},
    {"asin", 1, Function::floats, false, {}, "The inverse of sin"},
    {"acos", 1, Function::floats, false, {}, "The inverse of cos"},
    {"atan", 1, Function::floats, false, {}, "The inverse of tan"},
    {"atan2",
     2,
     Function::floats,
     false,
     {},
     "The angle of the point (y, x): atan(x / y) in its quadrant"},
    {"sinh", 1, Function::floats, false, {}, "The hyperbolic sine"},
    {"cosh", 1, Function::floats, false, {}, "The hyperbolic cosine"},
    {"tanh", 1, Function::floats, false, {}, "The hyperbolic tangent"},
    {"asinh", 1, Function::floats, false, {}, "The inverse of sinh"},
    {"acosh", 1, Function::floats, false, {}, "The inverse of cosh"},
    {"atanh", 1, Function::floats, false, {}, "The inverse of tanh"},
    // Comparisons, logic, choice.
    {"equal", 2, Function::anything, true, {}, "x == y"},
    {"not_equal", 2, Function::anything, true, {}, "x != y"},
    {"less", 2, Function::numbers, true, {}, "x < y"},
    {"less_equal", 2, Function::numbers, true, {}, "x <= y"},
    {"greater", 2, Function::numbers, true, {}, "x > y"},
    {"greater_equal", 2, Function::numbers, true, {}, "x >= y"},
    {"isnan", 1, Function::floats, true, {}, "Whether x is NaN"},
    {"isinf", 1, Function::floats, true, {}, "Whether x is infinite"},
    {"logical_not", 1, Function::booleans, true, {}, "not x"},
    {"logical_and", 2, Function::booleans, true, {}, "x and y"},
    {"logical_or", 2, Function::booleans, true, {}, "x or y"},
    {"logical_xor", 2, Function::booleans, true, {}, "x != y"},
    {"bitwise_not", 1, Function::integers, false, {}, "Each bit of x inverted"},
    {"bitwise_and", 2, Function::integers, false, {}, "x & y, bit by bit"},
    {"bitwise_or", 2, Function::integers, false, {}, "x | y, bit by bit"},
    {"bitwise_xor", 2, Function::integers, false, {}, "x ^ y, bit by bit"},
    {"where", 3, Function::anything, false, {}, "y if condition else z"},
    {"cast", 1, Function::anything, false, {}, "x as another type"},
};

llvm::ArrayRef<Function> teeny::graph::pointwiseFunctions() { return table; }

const Function *teeny::graph::findPointwise(llvm::StringRef name) {
  static const llvm::StringMap<const Function *> byName = [] {
    llvm::StringMap<const Function *> map;
    for (const Function &function : table)
      map[function.name] = &function;
    return map;
  }();
  return byName.lookup(name);
}
