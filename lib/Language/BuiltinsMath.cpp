// Elementwise functions and dot.
#include "Language/Call.h"
#include "Language/Generator.h"

#include <algorithm>

namespace teeny::lang {
namespace {

//===-- Arithmetic by name
//--------------------------------------------------------------------------------------===//

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

//===-- Functions of one value
//----------------------------------------------------------------------------------===//

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

// In single precision exp(x) is 2^(x log2 e), which the hardware has.
Value exponential(Call &call) {
  Tensor x = floatOperand(call);
  if (!x)
    return {};
  Emitter &emit = call.semantics.emit;
  if (x.type.element.is(ScalarType::fp64))
    return Tensor{emit.math(Math::exp, x.value), x.type};
  Tensor scale = call.semantics.splat(
      {emit.constant(ScalarType::fp32, 1.4426950408889634), Type(ScalarType::fp32)}, x.type.shape);
  return Tensor{emit.math(Math::exp2, emit.arith(Arith::mulf, x.value, scale.value)), x.type};
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

//===-- Functions of more
//---------------------------------------------------------------------------------------===//

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
      {"exp", "x", math, false, exponential},
      {"exp2", "x", math, false, function<Math::exp2>},
      {"log", "x", math, false, function<Math::log>},
      {"log2", "x", math, false, function<Math::log2>},
      {"sin", "x", math, false, function<Math::sin>},
      {"cos", "x", math, false, function<Math::cos>},
      {"erf", "x", math, false, function<Math::erf>},
      {"tanh", "x", B::math | B::libdevice, false, function<Math::tanh>},
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
