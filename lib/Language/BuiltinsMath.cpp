// Elementwise functions other than those of floats, and dot.
#include "Language/Call.h"
#include "Language/Generator.h"

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

Value absolute(Call &call) {
  Tensor value = call.tensor(0);
  if (!value)
    return {};
  ElementType element = value.type.element;
  if (element.isPointer())
    return call.fail("tl.abs of a pointer");
  if (element.scalar.isFloat8()) { // without the sign's bit
    Tensor bits = call.semantics.bitcast(value, ScalarType::uint8);
    bits = call.semantics.binary(ast::BinaryOp::bitAnd, bits, Value::integer(0x7F));
    return call.semantics.bitcast(bits, element);
  }
  if (element.isFloat())
    return Tensor{call.semantics.emit.math(Math::absf, value.value), value.type};
  if (element.scalar.isUnsigned())
    return value;
  return Tensor{call.semantics.emit.math(Math::absi, value.value), value.type};
}

//===-- Integers ------------------------------------------------------------------------------===//

// The upper half of the product; tl.umulhi takes the bits as unsigned, mulhi has the type's sign.
Value highProduct(Call &call) {
  std::string name = call.builtin.fullName();
  Tensor x, y;
  if (!call.semantics.unify(call[0], call[1], x, y, name.c_str()))
    return {};
  if (!x.type.element.isInteger() || x.type.element.bits() < 32)
    return call.fail(name + " takes integers of 32 or 64 bits, found " + x.type.name());
  bool isSigned = llvm::StringRef(call.builtin.name) == "mulhi" && x.type.element.scalar.isSigned();
  return Tensor{call.semantics.emit.highProduct(isSigned, x.value, y.value), x.type};
}

// Counts of bits are int32.
template <Math op> Value countBits(Call &call) {
  Tensor x = call.tensor(0);
  if (!x)
    return {};
  if (!x.type.element.isInteger() || x.type.element.bits() < 32)
    return call.fail(call.builtin.fullName() + " takes integers of 32 or 64 bits, found " +
                     x.type.name());
  return call.semantics.cast(Tensor{call.semantics.emit.math(op, x.value), x.type},
                             ScalarType::int32);
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
      {"umulhi", "x, y", B::language | B::math, false, highProduct},
      {"mulhi", "x, y", B::math | B::libdevice, false, highProduct},
      {"clz", "x", B::math | B::libdevice, false, countBits<Math::leadingZeros>},
      {"popc", "x", B::math | B::libdevice, false, countBits<Math::ones>},
      {"dot",
       "input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, "
       "out_dtype=fp32",
       B::language, false, dot},
  };
  return table;
}

} // namespace teeny::lang
