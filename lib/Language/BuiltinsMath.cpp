// Elementwise functions and dot.
#include "Language/Call.h"
#include "Language/Generator.h"

#include <limits>

namespace teeny::lang {
namespace {

//===-- Arithmetic by name --------------------------------------------------------------------===//

Value arithmetic(Call &call, ast::BinaryOp op) {
  return call.generator.binary(op, call[0], call[1]);
}
Value add(Call &call) { return arithmetic(call, ast::BinaryOp::add); }
Value sub(Call &call) { return arithmetic(call, ast::BinaryOp::sub); }
Value mul(Call &call) { return arithmetic(call, ast::BinaryOp::mul); }

Value where(Call &call) {
  Tensor condition = call.tensor(0);
  return condition ? call.semantics.select(condition, call[1], call[2]) : Tensor();
}

std::optional<NanRule> nanRule(Call &call, unsigned index) {
  if (!call.has(index))
    return NanRule::dropped;
  std::optional<Integer> value = call[index].asInteger();
  if (value == Integer(0xFFFF))
    return NanRule::propagated;
  if (value == Integer(0))
    return NanRule::dropped;
  call.fail(call.parameter(index) + " must be tl.PropagateNan.ALL or tl.PropagateNan.NONE, found " +
            call[index].describe());
  return std::nullopt;
}

Value extremum(Call &call, bool isMax) {
  std::optional<NanRule> nan = nanRule(call, 2);
  Tensor lhs = nan ? call.tensor(0) : Tensor(), rhs = lhs ? call.tensor(1) : Tensor();
  return rhs ? call.semantics.extremum(isMax, lhs, rhs, *nan) : Tensor();
}
Value maximum(Call &call) { return extremum(call, true); }
Value minimum(Call &call) { return extremum(call, false); }

Value clamp(Call &call) {
  std::optional<NanRule> nan = nanRule(call, 3);
  Tensor x = nan ? call.tensor(0) : Tensor();
  Tensor low = x ? call.tensor(1) : Tensor(), high = low ? call.tensor(2) : Tensor();
  if (!high)
    return {};
  if (!x.type.element.isFloat() && !low.type.element.isFloat() && !high.type.element.isFloat())
    return call.fail("tl.clamp takes floats, found " + x.type.name(),
                     "use tl.minimum and tl.maximum");
  // A NaN stays one if it propagates; else it becomes the lower bound.
  Tensor raised = call.semantics.extremum(true, x, low, *nan);
  return raised ? call.semantics.extremum(false, raised, high, *nan) : Tensor();
}

//===-- Functions of one value ----------------------------------------------------------------===//

// The operand, which must be fp32 or fp64.
Tensor floatOperand(Call &call, unsigned index = 0) {
  Tensor value = call.tensor(index);
  if (!value)
    return {};
  ElementType element = value.type.element;
  if (element.is(ScalarType::fp32) || element.is(ScalarType::fp64))
    return value;
  call.fail(call.builtin.fullName() + " takes fp32 or fp64, found " + value.type.name(),
            "convert with .to(tl.float32)");
  return {};
}

template <Math op> Value function(Call &call) {
  Tensor value = floatOperand(call);
  return value ? Tensor{call.semantics.emit.math(op, value.value), value.type} : Tensor();
}

// A function that the library has for each width, as NAME_f32 and NAME_f64.
Value fromLibrary(Call &call, Tensor x, Tensor y) {
  if (y && !call.semantics.unify(x, y, x, y, call.builtin.name))
    return {};
  Arguments arguments;
  ElementType element = x.type.element;
  if (!element.is(ScalarType::fp32) && !element.is(ScalarType::fp64))
    return call.fail(call.builtin.fullName() + " takes fp32 or fp64, found " + x.type.name(),
                     "convert with .to(tl.float32)");
  arguments.positional.push_back(x);
  if (y)
    arguments.positional.push_back(y);
  std::string name = std::string(call.builtin.name) + (element.bits() == 64 ? "_f64" : "_f32");
  Value function = call.generator.libraryFunction(name);
  if (!function)
    return call.fail(call.builtin.fullName() + " of " + element.name() + " is not in the library");
  return call.generator.call(function, std::move(arguments));
}

Value fromLibrary(Call &call) {
  bool two = llvm::StringRef(call.builtin.signature).contains(',');
  Tensor x = call.tensor(0), y = x && two ? call.tensor(1) : Tensor();
  return x && (y || !two) ? fromLibrary(call, x, y) : Value();
}

// What every target has as an instruction in single precision; the library has it in double.
template <Math op> Value instruction(Call &call) {
  Tensor value = floatOperand(call);
  if (!value)
    return {};
  if (value.type.element.is(ScalarType::fp64))
    return fromLibrary(call);
  return Tensor{call.semantics.emit.math(op, value.value), value.type};
}

Value absolute(Call &call) {
  Tensor value = call.tensor(0);
  if (!value)
    return {};
  ElementType element = value.type.element;
  if (element.isPointer())
    return call.fail("tl.abs of a pointer");
  if (element.isFloat())
    return Tensor{call.semantics.emit.math(Math::absf, value.value), value.type};
  if (element.scalar.isUnsigned())
    return value;
  return Tensor{call.semantics.emit.math(Math::absi, value.value), value.type};
}

// Functions under another name than the library's.
Value alias(Call &call, const char *name) {
  Value function = call.generator.libraryFunction(name);
  Tensor x = floatOperand(call);
  if (!x)
    return {};
  if (!function || !x.type.element.is(ScalarType::fp32))
    return call.fail(call.builtin.fullName() + " takes fp32, found " + x.type.name());
  Arguments arguments;
  arguments.positional.push_back(x);
  return call.generator.call(function, std::move(arguments));
}
Value fastLog(Call &call) { return alias(call, "log_f32"); }
Value fastLog2(Call &call) { return alias(call, "log2_f32"); }
Value fastTanh(Call &call) { return alias(call, "tanh_f32"); }
Value fastSin(Call &call) { return alias(call, "sin_f32"); }
Value fastCos(Call &call) { return alias(call, "cos_f32"); }

// 2^(x log2 e), without what the product loses.
Value fastExp(Call &call) {
  Tensor x = floatOperand(call);
  if (!x)
    return {};
  if (!x.type.element.is(ScalarType::fp32))
    return call.fail(call.builtin.fullName() + " takes fp32, found " + x.type.name());
  Tensor scaled = call.semantics.binary(ast::BinaryOp::mul, x, Value::floating(1.4426950408889634));
  return Tensor{call.semantics.emit.math(Math::exp2, scaled.value), scaled.type};
}

Value isNan(Call &call) {
  Tensor x = floatOperand(call);
  return x ? call.semantics.compare(Compare::ne, x, x) : Tensor();
}
Value compareSize(Call &call, Compare op) {
  Tensor x = floatOperand(call);
  if (!x)
    return {};
  Tensor size{call.semantics.emit.math(Math::absf, x.value), x.type};
  return call.semantics.compare(op, size, Value::floating(std::numeric_limits<double>::infinity()));
}
Value isInfinite(Call &call) { return compareSize(call, Compare::eq); }
Value isFinite(Call &call) { return compareSize(call, Compare::lt); }

Value toNearestInt(Call &call) {
  Tensor x = floatOperand(call);
  if (!x)
    return {};
  Tensor rounded{call.semantics.emit.math(Math::roundEven, x.value), x.type};
  return call.semantics.cast(rounded, ScalarType::int64);
}

//===-- Functions of more ---------------------------------------------------------------------===//

Value fma(Call &call) {
  Tensor x = call.tensor(0), y = x ? call.tensor(1) : Tensor(), z = y ? call.tensor(2) : Tensor();
  if (!z)
    return {};
  // Twice: the first round finds the common type and shape, the second gives it to all.
  Semantics &meaning = call.semantics;
  for (unsigned round = 0; round != 2; ++round)
    if (!meaning.unify(x, y, x, y, "tl.fma") || !meaning.unify(z, x, z, x, "tl.fma") ||
        !meaning.unify(z, y, z, y, "tl.fma"))
      return {};
  if (!x.type.element.isFloat())
    return call.fail("tl.fma takes floats, found " + x.type.name());
  return Tensor{meaning.emit.fma(x.value, y.value, z.value), x.type};
}

Value divide(Call &call) {
  Tensor x = call.tensor(0), y = x ? call.tensor(1) : Tensor();
  if (!y)
    return {};
  if (!x.type.element.isFloat() || !y.type.element.isFloat())
    return call.fail(call.builtin.fullName() + " takes floats, found " + x.type.name() + " and " +
                     y.type.name());
  return call.semantics.binary(ast::BinaryOp::div, x, y);
}

// The exponent may be an integer, which becomes a float.
Value power(Call &call) {
  Tensor x = call.tensor(0), y = x ? call.tensor(1) : Tensor();
  if (!y)
    return {};
  if (x.type.element.isFloat() && y.type.element.isInteger())
    y = call.semantics.cast(y, x.type.element);
  return fromLibrary(call, x, y);
}

Value remainder(Call &call) {
  Tensor x = floatOperand(call), y = x ? floatOperand(call, 1) : Tensor();
  return y ? call.semantics.binary(ast::BinaryOp::mod, x, y) : Tensor();
}

Value highProduct(Call &call) {
  Tensor x = call.tensor(0), y = x ? call.tensor(1) : Tensor();
  if (!y || !call.semantics.unify(x, y, x, y, "tl.umulhi"))
    return {};
  if (!x.type.element.isInteger() || x.type.element.bits() < 32)
    return call.fail("tl.umulhi takes integers of 32 or 64 bits, found " + x.type.name());
  return Tensor{call.semantics.emit.highProduct(/*isSigned=*/false, x.value, y.value), x.type};
}

Value dot(Call &call) {
  static const llvm::StringRef names[] = {"ieee", "tf32", "tf32x3"};
  Tensor lhs = call.tensor(0), rhs = lhs ? call.tensor(1) : Tensor();
  if (!rhs)
    return {};
  if (call.has(3) && call.has(4))
    return call.fail("tl.dot takes input_precision or allow_tf32, not both");
  std::optional<unsigned> precision = call.word(3, names, 1);
  std::optional<bool> tf32 = call.boolean(4, true);
  if (!precision || !tf32)
    return {};
  DotPrecision how = DotPrecision(*precision);
  if (call.has(4))
    how = *tf32 ? DotPrecision::tf32 : DotPrecision::ieee;
  if (call.generator.options.fp32Dot)
    how = *call.generator.options.fp32Dot;
  if (!lhs.type.element.is(ScalarType::fp32))
    how = DotPrecision::ieee; // there is nothing to choose
  bool valid = true;
  Tensor acc = call.optionalTensor(2, valid);
  ElementType out = ScalarType::fp32;
  if (call.has(6)) {
    std::optional<ElementType> given = call.elementType(6);
    if (!given)
      return {};
    out = *given;
  }
  return valid ? call.semantics.dot(lhs, rhs, acc, how, out) : Tensor();
}

} // namespace

llvm::ArrayRef<Builtin> mathBuiltins() {
  using B = Builtin;
  constexpr uint8_t math = B::language | B::math | B::libdevice | B::member;
  constexpr uint8_t device = B::math | B::libdevice;
  static const char *const two = "x, y, sanitize_overflow=True", *const nan =
                                                                     "x, y, propagate_nan=None";
  static const Builtin table[] = {
      {"add", two, B::language, false, add},
      {"sub", two, B::language, false, sub},
      {"mul", two, B::language, false, mul},
      {"where", "condition, x, y", B::language, false, where},
      {"maximum", nan, B::language, false, maximum},
      {"minimum", nan, B::language, false, minimum},
      {"max", "x, y", B::math, false, maximum},
      {"min", "x, y", B::math, false, minimum},
      {"clamp", "x, min, max, propagate_nan=None", B::language, false, clamp},
      {"abs", "x", math, false, absolute},
      {"exp", "x", math, false, fromLibrary},
      {"exp2", "x", math, false, instruction<Math::exp2>},
      {"log", "x", math, false, fromLibrary},
      {"log2", "x", math, false, fromLibrary},
      {"sin", "x", math, false, fromLibrary},
      {"cos", "x", math, false, fromLibrary},
      {"erf", "x", math, false, fromLibrary},
      {"tanh", "x", device, false, fromLibrary},
      {"tan", "x", device, false, fromLibrary},
      {"asin", "x", device, false, fromLibrary},
      {"acos", "x", device, false, fromLibrary},
      {"atan", "x", device, false, fromLibrary},
      {"atan2", "x, y", device, false, fromLibrary},
      {"sinh", "x", device, false, fromLibrary},
      {"cosh", "x", device, false, fromLibrary},
      {"asinh", "x", device, false, fromLibrary},
      {"acosh", "x", device, false, fromLibrary},
      {"atanh", "x", device, false, fromLibrary},
      {"expm1", "x", device, false, fromLibrary},
      {"log1p", "x", device, false, fromLibrary},
      {"log10", "x", device, false, fromLibrary},
      {"exp10", "x", device, false, fromLibrary},
      {"erfc", "x", device, false, fromLibrary},
      {"erfinv", "x", device, false, fromLibrary},
      {"lgamma", "x", device, false, fromLibrary},
      {"cbrt", "x", device, false, fromLibrary},
      {"pow", "x, y", device, false, power},
      {"fmod", "x, y", device, false, remainder},
      {"trunc", "x", device, false, function<Math::trunc>},
      {"rint", "x", device, false, function<Math::roundEven>},
      {"nearbyint", "x", device, false, function<Math::roundEven>},
      {"round", "x", device, false, function<Math::round>},
      {"llrint", "x", device, false, toNearestInt},
      {"isnan", "x", device, false, isNan},
      {"isinf", "x", device, false, isInfinite},
      {"isfinited", "x", device, false, isFinite},
      {"finitef", "x", device, false, isFinite},
      {"fast_expf", "x", device, false, fastExp},
      {"fast_exp2f", "x", device, false, instruction<Math::exp2>},
      {"fast_logf", "x", device, false, fastLog},
      {"fast_log2f", "x", device, false, fastLog2},
      {"fast_sinf", "x", device, false, fastSin},
      {"fast_cosf", "x", device, false, fastCos},
      {"fast_tanhf", "x", device, false, fastTanh},
      {"fast_dividef", "x, y", device, false, divide},
      {"sqrt", "x", math, false, function<Math::sqrt>},
      {"sqrt_rn", "x", math, false, function<Math::sqrt>},
      {"rsqrt", "x", math, false, function<Math::rsqrt>},
      {"floor", "x", math, false, function<Math::floor>},
      {"ceil", "x", math, false, function<Math::ceil>},
      {"fma", "x, y, z", B::language | B::math | B::libdevice, false, fma},
      {"fdiv", "x, y, ieee_rounding=False", B::language | B::math, false, divide},
      {"div_rn", "x, y", B::language | B::math | B::libdevice, false, divide},
      {"umulhi", "x, y", B::language | B::math, false, highProduct},
      {"dot",
       "input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, "
       "out_dtype=fp32",
       B::language, false, dot},
  };
  return table;
}

} // namespace teeny::lang
