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
    {"relu", 1, Function::numbers, false, {}},
    {"relu6", 1, Function::floats, false, {}},
    {"leaky_relu", 1, Function::floats, false, slope},
    {"elu", 1, Function::floats, false, alpha},
    {"selu", 1, Function::floats, false, {}},
    {"celu", 1, Function::floats, false, alpha},
    {"gelu", 1, Function::floats, false, {}},
    {"gelu_tanh", 1, Function::floats, false, {}},
    {"silu", 1, Function::floats, false, {}},
    {"mish", 1, Function::floats, false, {}},
    {"hardtanh", 1, Function::floats, false, unitRange},
    {"hardsigmoid", 1, Function::floats, false, {}},
    {"hardswish", 1, Function::floats, false, {}},
    {"hardshrink", 1, Function::floats, false, lambda},
    {"softshrink", 1, Function::floats, false, lambda},
    {"tanhshrink", 1, Function::floats, false, {}},
    {"softplus", 1, Function::floats, false, softplus},
    {"softsign", 1, Function::floats, false, {}},
    {"threshold", 1, Function::floats, false, threshold},
    {"sigmoid", 1, Function::floats, false, {}},
    {"log_sigmoid", 1, Function::floats, false, {}},
    // Arithmetic.
    {"abs", 1, Function::numbers, false, {}},
    {"neg", 1, Function::numbers, false, {}},
    {"sign", 1, Function::numbers, false, {}},
    {"ceil", 1, Function::floats, false, {}},
    {"floor", 1, Function::floats, false, {}},
    {"round", 1, Function::floats, false, {}},
    {"trunc", 1, Function::floats, false, {}},
    {"reciprocal", 1, Function::floats, false, {}},
    {"add", 2, Function::numbers, false, {}},
    {"sub", 2, Function::numbers, false, {}},
    {"mul", 2, Function::numbers, false, {}},
    {"div", 2, Function::floats, false, {}},
    {"mod", 2, Function::numbers, false, {}},
    {"fmod", 2, Function::numbers, false, {}},
    {"minimum", 2, Function::numbers, false, {}},
    {"maximum", 2, Function::numbers, false, {}},
    {"clamp", 1, Function::floats, false, range},
    // Transcendental functions.
    {"sqrt", 1, Function::floats, false, {}},
    {"rsqrt", 1, Function::floats, false, {}},
    {"exp", 1, Function::floats, false, {}},
    {"exp2", 1, Function::floats, false, {}},
    {"expm1", 1, Function::floats, false, {}},
    {"log", 1, Function::floats, false, {}},
    {"log2", 1, Function::floats, false, {}},
    {"log10", 1, Function::floats, false, {}},
    {"log1p", 1, Function::floats, false, {}},
    {"pow", 2, Function::floats, false, {}},
    {"erf", 1, Function::floats, false, {}},
    {"sin", 1, Function::floats, false, {}},
    {"cos", 1, Function::floats, false, {}},
    {"tan", 1, Function::floats, false, {}},
    {"asin", 1, Function::floats, false, {}},
    {"acos", 1, Function::floats, false, {}},
    {"atan", 1, Function::floats, false, {}},
    {"atan2", 2, Function::floats, false, {}},
    {"sinh", 1, Function::floats, false, {}},
    {"cosh", 1, Function::floats, false, {}},
    {"tanh", 1, Function::floats, false, {}},
    {"asinh", 1, Function::floats, false, {}},
    {"acosh", 1, Function::floats, false, {}},
    {"atanh", 1, Function::floats, false, {}},
    // Comparisons, logic, choice.
    {"equal", 2, Function::anything, true, {}},
    {"not_equal", 2, Function::anything, true, {}},
    {"less", 2, Function::numbers, true, {}},
    {"less_equal", 2, Function::numbers, true, {}},
    {"greater", 2, Function::numbers, true, {}},
    {"greater_equal", 2, Function::numbers, true, {}},
    {"isnan", 1, Function::floats, true, {}},
    {"isinf", 1, Function::floats, true, {}},
    {"logical_not", 1, Function::booleans, true, {}},
    {"logical_and", 2, Function::booleans, true, {}},
    {"logical_or", 2, Function::booleans, true, {}},
    {"logical_xor", 2, Function::booleans, true, {}},
    {"bitwise_not", 1, Function::integers, false, {}},
    {"bitwise_and", 2, Function::integers, false, {}},
    {"bitwise_or", 2, Function::integers, false, {}},
    {"bitwise_xor", 2, Function::integers, false, {}},
    {"where", 3, Function::anything, false, {}},
    {"cast", 1, Function::anything, false, {}},
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
