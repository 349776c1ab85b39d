#include "Conversion/TileToCPU/MathFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace teeny::cpu;

static Value number(Emit e, double value, Type type) {
  return arith::ConstantOp::create(e.b, e.loc, e.b.getFloatAttr(type, value));
}
static Value integer(Emit e, int64_t value, Type type) {
  return arith::ConstantOp::create(e.b, e.loc, e.b.getIntegerAttr(type, value));
}

Value teeny::cpu::constantScalar(Emit e, Attribute value, Type type) {
  if (auto number = dyn_cast<FloatAttr>(value); number && type.isInteger(8))
    value = e.b.getIntegerAttr(type, number.getValue().bitcastToAPInt());
  return arith::ConstantOp::create(e.b, e.loc, cast<TypedAttr>(value));
}

//===-- Integers
//---------------------------------------------------------------------------------------===//

static bool isNonZeroConstant(Value value, bool isSigned) {
  APInt constant;
  return matchPattern(value, m_ConstantInt(&constant)) && !constant.isZero() &&
         !(isSigned && constant.isAllOnes());
}

// Divides by 1 where dividing by the source's number would trap.
template <typename Op> static Value divide(Emit e, ValueRange operands, bool isSigned) {
  Value x = operands[0], y = operands[1];
  auto type = cast<IntegerType>(x.getType());
  if (!isNonZeroConstant(y, isSigned)) {
    auto equal = [&](Value value, const APInt &to) -> Value {
      Value constant = arith::ConstantOp::create(e.b, e.loc, e.b.getIntegerAttr(type, to));
      return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq, value, constant);
    };
    Value traps = equal(y, APInt::getZero(type.getWidth()));
    if (isSigned) {
      Value overflows =
          arith::AndIOp::create(e.b, e.loc, equal(x, APInt::getSignedMinValue(type.getWidth())),
                                equal(y, APInt::getAllOnes(type.getWidth())));
      traps = arith::OrIOp::create(e.b, e.loc, traps, overflows);
    }
    Value one = arith::ConstantOp::create(e.b, e.loc, e.b.getIntegerAttr(type, 1));
    y = arith::SelectOp::create(e.b, e.loc, traps, one, y);
  }
  return Op::create(e.b, e.loc, x, y);
}

template <typename Op> static Value shift(Emit e, ValueRange operands) {
  Value x = operands[0], amount = operands[1];
  unsigned width = x.getType().getIntOrFloatBitWidth();
  APInt constant;
  if (matchPattern(amount, m_ConstantInt(&constant)) && constant.ult(width))
    return Op::create(e.b, e.loc, x, amount);
  Value most = integer(e, width - 1, x.getType());
  Value inRange = arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::ule, amount, most);
  Value safe = arith::MinUIOp::create(e.b, e.loc, amount, most);
  Value result = Op::create(e.b, e.loc, x, safe);
  if (std::is_same_v<Op, arith::ShRSIOp>)
    return result;
  return arith::SelectOp::create(e.b, e.loc, inRange, result, integer(e, 0, x.getType()));
}

//===-- Exponentials and logarithms
//--------------------------------------------------------------------===//

namespace {

// Shorthand for arithmetic on one float type.
struct Floats {
  Emit e;
  FloatType type;
  bool isDouble = type.getWidth() == 64;
  Type bits = e.b.getIntegerType(type.getWidth());

  Value c(double value) { return number(e, value, type); }
  Value i(int64_t value) { return integer(e, value, bits); }
  Value add(Value x, Value y) { return arith::AddFOp::create(e.b, e.loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(e.b, e.loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(e.b, e.loc, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(e.b, e.loc, x, y); }
  Value fma(Value x, Value y, Value z) { return multiplyAdd(e, x, y, z); }
  Value compare(arith::CmpFPredicate predicate, Value x, Value y) {
    return arith::CmpFOp::create(e.b, e.loc, predicate, x, y);
  }
  Value choose(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(e.b, e.loc, condition, yes, no);
  }
  Value toBits(Value x) { return arith::BitcastOp::create(e.b, e.loc, bits, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(e.b, e.loc, type, x); }
  int fractionBits() { return isDouble ? 52 : 23; }
  int bias() { return isDouble ? 1023 : 127; }

  // 2^n for an integer n in the range of normal exponents.
  Value power(Value n) {
    Value biased = arith::AddIOp::create(e.b, e.loc, n, i(bias()));
    return fromBits(arith::ShLIOp::create(e.b, e.loc, biased, i(fractionBits())));
  }
};

} // namespace

Value teeny::cpu::exponential(Emit e, Value x, bool base2) {
  Floats f{e, cast<FloatType>(x.getType())};
  // Beyond these the result is 0 or infinite. Comparisons let NaN pass.
  double lowest = f.isDouble ? -1080 : -152, highest = f.isDouble ? 1025 : 129;
  double unit = base2 ? 1 : 0.693147180559945309417232;
  x = f.choose(f.compare(arith::CmpFPredicate::OLT, x, f.c(lowest * unit)), f.c(lowest * unit), x);
  x = f.choose(f.compare(arith::CmpFPredicate::OGT, x, f.c(highest * unit)), f.c(highest * unit),
               x);
  Value scaled = base2 ? x : f.mul(x, f.c(1.44269504088896340735992));
  // Adding 1.5 * 2^fraction rounds to an integer, which is then in the low bits of the sum.
  double magic = f.isDouble ? 0x1.8p52 : 0x1.8p23;
  Value shifted = f.add(scaled, f.c(magic));
  Value n = f.sub(shifted, f.c(magic));
  Value t;
  if (base2) {
    t = f.mul(f.sub(x, n), f.c(0.693147180559945309417232));
  } else {
    // ln 2 in two parts, the first with zeros at its end so that n times it is exact.
    double high = f.isDouble ? 0x1.62e42fefap-1 : 0x1.62e4p-1;
    double low = f.isDouble ? 0x1.cf79abc9e3b39p-40 : 0x1.7f7d1cp-20;
    t = f.sub(f.sub(x, f.mul(n, f.c(high))), f.mul(n, f.c(low)));
  }
  // 1 + t + t^2 (1/2 + t/6 + ...)
  int terms = f.isDouble ? 13 : 7;
  double factorial = 1;
  SmallVector<double> coefficients; // of t^2 and up
  for (int k = 2; k <= terms; ++k)
    coefficients.push_back(1 / (factorial *= k));
  Value sum = f.c(coefficients.back());
  for (double coefficient : llvm::reverse(ArrayRef<double>(coefficients).drop_back()))
    sum = f.fma(sum, t, f.c(coefficient));
  Value tail = f.fma(sum, f.mul(t, t), t);
  Value result = f.add(tail, f.c(1));

  // 2^n in two factors, so that results below the normal numbers come out right.
  Value whole = arith::SubIOp::create(e.b, e.loc, f.toBits(shifted), f.toBits(f.c(magic)));
  Value half = arith::ShRSIOp::create(e.b, e.loc, whole, f.i(1));
  Value rest = arith::SubIOp::create(e.b, e.loc, whole, half);
  return f.mul(f.mul(result, f.power(half)), f.power(rest));
}

Value teeny::cpu::logarithm(Emit e, Value x, bool base2) {
  Floats f{e, cast<FloatType>(x.getType())};
  double least = f.isDouble ? 0x1p-1022 : 0x1p-126, scale = f.isDouble ? 0x1p54 : 0x1p25;
  int scaleBits = f.isDouble ? 54 : 25, fraction = f.fractionBits();
  Value subnormal = f.compare(arith::CmpFPredicate::OLT, x, f.c(least));
  Value normal = f.choose(subnormal, f.mul(x, f.c(scale)), x);
  // Subtracting the bits of sqrt(1/2) makes the exponent that of the nearest power of 2.
  Value root = f.toBits(f.c(0.70710678118654752440));
  Value distance = arith::SubIOp::create(e.b, e.loc, f.toBits(normal), root);
  Value exponent = arith::ShRSIOp::create(e.b, e.loc, distance, f.i(fraction));
  Value power = arith::ShLIOp::create(e.b, e.loc, exponent, f.i(fraction));
  Value m = f.fromBits(arith::SubIOp::create(e.b, e.loc, f.toBits(normal), power));
  exponent = arith::SubIOp::create(
      e.b, e.loc, exponent,
      Value(arith::SelectOp::create(e.b, e.loc, subnormal, f.i(scaleBits), f.i(0))));
  Value n = arith::SIToFPOp::create(e.b, e.loc, f.type, exponent);

  // log m = 2 s + s^3 (2/3 + 2/5 s^2 + ...), s = (m - 1) / (m + 1); m - 1 is exact. With d = m - 1,
  // 2 s = d - s d, so the largest term is exact too.
  Value d = f.sub(m, f.c(1)), s = f.div(d, f.add(m, f.c(1))), z = f.mul(s, s);
  int terms = f.isDouble ? 10 : 5;
  Value sum = f.c(2.0 / (2 * terms + 1));
  for (int k = terms - 1; k >= 1; --k)
    sum = f.fma(sum, z, f.c(2.0 / (2 * k + 1)));
  Value small = f.mul(s, f.sub(f.mul(sum, z), d)); // log m = d + small
  Value result;
  if (base2) {
    // d times 1 / ln 2 in two parts, the first and d short enough for an exact product.
    Value mask = f.i(f.isDouble ? -(int64_t(1) << 27) : -(int64_t(1) << 12));
    Value dHigh = f.fromBits(arith::AndIOp::create(e.b, e.loc, f.toBits(d), mask));
    Value dLow = f.sub(d, dHigh);
    double high = f.isDouble ? 0x1.7154764p0 : 0x1.714p0;
    double low = f.isDouble ? 0x1.2b82fe1777d10p-28 : 1.44269504088896340735992 - high;
    Value rest = f.add(dLow, small);
    Value lowPart = f.add(f.mul(f.add(d, small), f.c(low)), f.mul(rest, f.c(high)));
    result = f.add(f.add(n, f.mul(dHigh, f.c(high))), lowPart);
  } else {
    double high = f.isDouble ? 0x1.62e42fefap-1 : 0x1.62e4p-1;
    double low = f.isDouble ? 0x1.cf79abc9e3b39p-40 : 0x1.7f7d1cp-20;
    result = f.add(f.mul(n, f.c(high)), f.add(d, f.add(small, f.mul(n, f.c(low)))));
  }
  Value infinity = f.c(std::numeric_limits<double>::infinity());
  Value zero = f.c(0);
  result = f.choose(f.compare(arith::CmpFPredicate::OEQ, x, infinity), infinity, result);
  result = f.choose(f.compare(arith::CmpFPredicate::OEQ, x, zero), f.sub(zero, infinity), result);
  Value nan = f.c(std::numeric_limits<double>::quiet_NaN());
  return f.choose(f.compare(arith::CmpFPredicate::OGE, x, zero), result, nan);
}

//===-- Conversions
//------------------------------------------------------------------------------------===//

static bool isFloat8(Type type) {
  auto number = dyn_cast<FloatType>(type);
  return number && number.getWidth() == 8;
}

// Rounded to nearest, then one step back where that went away from zero.
static Value truncateTowardZero(Emit e, Value value, Type type) {
  Value nearest = arith::TruncFOp::create(e.b, e.loc, type, value);
  Value back = arith::ExtFOp::create(e.b, e.loc, value.getType(), nearest);
  Value tooLarge = arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::OGT,
                                         math::AbsFOp::create(e.b, e.loc, back),
                                         math::AbsFOp::create(e.b, e.loc, value));
  // An infinite value must stay; a finite one that became infinite steps back to the largest.
  Type bits = e.b.getIntegerType(type.getIntOrFloatBitWidth());
  Value pattern = arith::BitcastOp::create(e.b, e.loc, bits, nearest);
  Value stepped = arith::SubIOp::create(e.b, e.loc, pattern, integer(e, 1, bits));
  Value chosen = arith::SelectOp::create(e.b, e.loc, tooLarge, stepped, pattern);
  return arith::BitcastOp::create(e.b, e.loc, type, chosen);
}

Value teeny::cpu::convertNumber(Emit e, Value value, Type from, Type to) {
  if (from == to)
    return value;
  if (isFloat8(from))
    return extendFloat8(e, value, cast<FloatType>(from), to);
  unsigned fromBits = from.getIntOrFloatBitWidth(), toBits = to.getIntOrFloatBitWidth();
  if (isa<IntegerType>(from)) {
    if (isa<FloatType>(to))
      return arith::SIToFPOp::create(e.b, e.loc, to, value);
    if (fromBits < toBits)
      return arith::ExtSIOp::create(e.b, e.loc, to, value);
    return fromBits > toBits ? arith::TruncIOp::create(e.b, e.loc, to, value).getResult() : value;
  }
  if (fromBits < toBits)
    return arith::ExtFOp::create(e.b, e.loc, to, value);
  if (fromBits > toBits)
    return arith::TruncFOp::create(e.b, e.loc, to, value);
  Value wide = arith::ExtFOp::create(e.b, e.loc, e.b.getF32Type(), value); // f16 <-> bf16
  return arith::TruncFOp::create(e.b, e.loc, to, wide);
}

//===-- Dispatch
//---------------------------------------------------------------------------------------===//

static Value transcendental(Emit e, Operation *op, Value x) {
  Type type = x.getType();
  if (type.getIntOrFloatBitWidth() < 32) {
    Value wide = arith::ExtFOp::create(e.b, e.loc, e.b.getF32Type(), x);
    Value result = transcendental(e, op, wide);
    return result ? arith::TruncFOp::create(e.b, e.loc, type, result).getResult() : Value();
  }
  if (isa<math::Exp2Op, math::ExpOp>(op))
    return exponential(e, x, isa<math::Exp2Op>(op));
  if (isa<math::Log2Op, math::LogOp>(op))
    return logarithm(e, x, isa<math::Log2Op>(op));
  if (isa<math::RsqrtOp>(op)) {
    Value root = math::SqrtOp::create(e.b, e.loc, x);
    return arith::DivFOp::create(e.b, e.loc, number(e, 1, type), root);
  }
  return {};
}

SmallVector<Value> teeny::cpu::scalarFunction(Emit e, Operation *op, ValueRange operands,
                                              std::string &unsupported) {
  if (isa<arith::DivSIOp>(op))
    return {divide<arith::DivSIOp>(e, operands, true)};
  if (isa<arith::DivUIOp>(op))
    return {divide<arith::DivUIOp>(e, operands, false)};
  if (isa<arith::RemSIOp>(op))
    return {divide<arith::RemSIOp>(e, operands, true)};
  if (isa<arith::RemUIOp>(op))
    return {divide<arith::RemUIOp>(e, operands, false)};
  if (isa<arith::ShLIOp>(op))
    return {shift<arith::ShLIOp>(e, operands)};
  if (isa<arith::ShRSIOp>(op))
    return {shift<arith::ShRSIOp>(e, operands)};
  if (isa<arith::ShRUIOp>(op))
    return {shift<arith::ShRUIOp>(e, operands)};

  Type to = op->getNumResults() ? getElementTypeOrSelf(op->getResult(0).getType()) : Type();
  Type from = op->getNumOperands() ? getElementTypeOrSelf(op->getOperand(0).getType()) : Type();
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op))
    return {saturateToInteger(e, operands[0], to, isa<arith::FPToSIOp>(op))};
  if (isa<arith::ExtFOp>(op) && isFloat8(from))
    return {extendFloat8(e, operands[0], cast<FloatType>(from), to)};
  if (auto truncate = dyn_cast<arith::TruncFOp>(op)) {
    if (isFloat8(to))
      return {truncateToFloat8(e, operands[0], cast<FloatType>(to))};
    if (truncate.getRoundingmode() == arith::RoundingMode::toward_zero)
      return {truncateTowardZero(e, operands[0], to)};
  }
  if (isa<math::Exp2Op, math::ExpOp, math::Log2Op, math::LogOp, math::RsqrtOp>(op))
    return {transcendental(e, op, operands[0])};
  if (isa<arith::BitcastOp>(op) && (isFloat8(from) || isFloat8(to)))
    return {operands[0]}; // to or from i8, which is what they are here

  bool plain = isa<arith::ArithDialect>(op->getDialect()) ||
               isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp, math::TruncOp,
                   math::RoundOp, math::RoundEvenOp, math::FmaOp, math::SqrtOp, math::CopySignOp,
                   math::CtPopOp, math::CountLeadingZerosOp, math::CountTrailingZerosOp>(op);
  auto known8 = [](Type type) { return isFloat8(getElementTypeOrSelf(type)); };
  if (!plain || llvm::any_of(op->getOperandTypes(), known8) ||
      llvm::any_of(op->getResultTypes(), known8)) {
    unsupported = "'" + op->getName().getStringRef().str() + "' is not supported on CPUs";
    return {};
  }
  OperationState state(e.loc, op->getName());
  state.addOperands(operands);
  for (Type type : op->getResultTypes())
    state.addTypes(getElementTypeOrSelf(type));
  for (NamedAttribute attribute : op->getAttrs())
    if (!attribute.getName().getValue().contains('.')) // hints of other dialects
      state.addAttribute(attribute.getName(), attribute.getValue());
  return SmallVector<Value>(e.b.create(state)->getResults());
}
