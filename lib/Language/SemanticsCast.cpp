// Conversions between element types, and constants as scalars.
#include "Language/Semantics.h"

#include <cmath>

namespace teeny::lang {

Tensor Semantics::number(const Value &value, ElementType type) {
  std::optional<Integer> integer = value.asInteger();
  if (integer && !type.isFloat())
    return {emit.constant(type, *integer), type};
  return {emit.constant(type, *value.asFloat()), type};
}

std::optional<ElementType> Semantics::elementType(const Value &value) {
  if (const Tensor *tensor = value.tensor())
    return tensor->type.element;
  if (value.constantOf<bool>())
    return ElementType(ScalarType::int1);
  if (std::optional<Integer> integer = value.asInteger()) {
    for (ScalarType type : {ScalarType(ScalarType::int32), ScalarType(ScalarType::uint32),
                            ScalarType(ScalarType::int64), ScalarType(ScalarType::uint64)})
      if (*integer >= type.minimum() && *integer <= type.maximum())
        return ElementType(type);
    errors.fail("the integer " + toString(*integer) + " does not fit in 64 bits");
    return std::nullopt;
  }
  if (const double *number = value.constantOf<double>()) {
    // What single precision has no normal number for is kept in double precision.
    double size = std::fabs(*number);
    bool single = *number == 0 || std::isinf(*number) || std::isnan(*number) ||
                  (size >= 0x1p-126 && size <= 0x1.fffffep127);
    return ElementType(single ? ScalarType::fp32 : ScalarType::fp64);
  }
  if (value)
    errors.fail("expected a scalar or tile, found " + value.describe());
  return std::nullopt;
}

Tensor Semantics::toTensor(const Value &value) {
  if (const Tensor *tensor = value.tensor())
    return *tensor;
  std::optional<ElementType> type = elementType(value);
  return type ? number(value, *type) : Tensor();
}

Tensor Semantics::bitcast(Tensor value, ElementType to) {
  const ElementType from = value.type.element;
  if (from == to)
    return value;
  if (from.isPointer() || to.isPointer())
    return cast(value, to);
  if (from.bits() != to.bits())
    return fail("cannot reinterpret " + from.name() + " (" + std::to_string(from.bits()) +
                    " bits) as " + to.name() + " (" + std::to_string(to.bits()) + " bits)",
                "without bitcast=True the value is converted");
  Type type = value.type.withElement(to);
  bool sameInIR = !from.isFloat() && !to.isFloat();
  return {sameInIR ? value.value : emit.convert(Convert::bitcast, value.value, type), type};
}

Tensor Semantics::toBool(Tensor value) {
  if (!value || value.type.element.isBool())
    return value;
  return cast(value, ScalarType::int1);
}

Tensor Semantics::cast(Tensor value, ElementType to, Rounding rounding) {
  if (!value)
    return {};
  const ElementType from = value.type.element;
  if (from == to)
    return value;
  Type type = value.type.withElement(to);
  auto convert = [&](Convert how) { return Tensor{emit.convert(how, value.value, type), type}; };
  auto unsupported = [&] {
    return fail("cannot convert " + value.type.name() + " to " + to.name());
  };
  auto isNonZero = [&]() -> Tensor {
    mlir::Value zero = emit.filled(value.type, 0);
    return {from.isFloat() ? emit.compareFloat(Compare::ne, value.value, zero)
                           : emit.compareInt(Compare::ne, true, value.value, zero),
            type};
  };

  bool narrows = from.isFloat() && to.isFloat() && to.bits() < from.bits();
  if (rounding != Rounding::unspecified && !narrows)
    return fail("fp_downcast_rounding is for conversions to a narrower float; this one is from " +
                from.name() + " to " + to.name());

  if (from.isPointer() || to.isPointer()) {
    if (from.isPointer() && to.isPointer())
      return from.scalar == to.scalar && from.pointerDepth == to.pointerDepth
                 ? Tensor{value.value, type}
                 : convert(Convert::pointerCast);
    if (from.isPointer() && to.isInteger() && to.bits() == 64)
      return convert(Convert::pointerToInt);
    if (from.isPointer() && to.isBool())
      return cast(cast(value, ScalarType::int64), to);
    if (from.isInteger()) {
      if (from.bits() != 64)
        value = cast(value, ScalarType::int64);
      return convert(Convert::intToPointer);
    }
    return unsupported();
  }
  for (ElementType type : {from, to})
    if (type.is(ScalarType::fp8e4b8) || type.is(ScalarType::fp8e5b16) ||
        type.is(ScalarType::fp8e4b15))
      return fail("conversions of " + type.name() + " are not supported",
                  "use tl.float8e4nv or tl.float8e5");
  if (from.isFloat() && to.isFloat()) {
    if (narrows)
      return convert(rounding == Rounding::towardZero ? Convert::truncateFloatTowardZero
                                                      : Convert::truncateFloat);
    if (from.bits() < to.bits())
      return convert(Convert::extendFloat);
    // fp16 and bf16, or two kinds of fp8: by way of a type that holds both.
    ScalarType wide = from.bits() == 8 ? ScalarType::fp16 : ScalarType::fp32;
    return cast(cast(value, wide), to);
  }
  if (from.isInteger() && to.isInteger()) {
    if (to.isBool())
      return isNonZero();
    if (from.bits() == to.bits())
      return {value.value, type};
    if (from.bits() > to.bits())
      return convert(Convert::truncate);
    return convert(from.scalar.isSigned() ? Convert::signExtend : Convert::extend);
  }
  if (from.isFloat()) {
    if (from.scalar.isFloat8())
      return cast(cast(value, ScalarType::fp32), to);
    if (to.isBool())
      return isNonZero();
    return convert(to.scalar.isSigned() ? Convert::floatToSigned : Convert::floatToUnsigned);
  }
  if (!to.isFloat())
    return unsupported();
  if (to.scalar.isFloat8())
    return cast(cast(value, ScalarType::fp32), to);
  return convert(from.scalar.isSigned() ? Convert::signedToFloat : Convert::unsignedToFloat);
}

} // namespace teeny::lang
