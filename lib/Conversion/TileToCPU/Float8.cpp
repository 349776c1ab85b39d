// Numbers of 8-bit float types, from and to f32, rounded to nearest even; too large ones become the
// largest finite number, NaN stays NaN.
#include "Conversion/TileToCPU/MathFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace teeny::cpu;

namespace {

struct Format {
  int fraction, bias;
  int64_t largest, firstNan; // patterns without sign; what lies between is infinite
};

// f8E4M3FN has no infinity, f8E5M2 is the upper half of an f16.
Format formatOf(FloatType type) {
  return isa<Float8E5M2Type>(type) ? Format{2, 15, 0x7b, 0x7d} : Format{3, 7, 0x7e, 0x7f};
}

struct Words {
  Emit e;
  Type i32 = e.b.getI32Type(), f32 = e.b.getF32Type(), i8 = e.b.getI8Type();

  Value c(int64_t value) {
    return arith::ConstantOp::create(e.b, e.loc, e.b.getI32IntegerAttr(int32_t(value)));
  }
  Value number(double value) {
    return arith::ConstantOp::create(e.b, e.loc, e.b.getF32FloatAttr(float(value)));
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(e.b, e.loc, x, y); }
  Value both(Value x, Value y) { return arith::AndIOp::create(e.b, e.loc, x, y); }
  Value either(Value x, Value y) { return arith::OrIOp::create(e.b, e.loc, x, y); }
  Value left(Value x, int by) { return arith::ShLIOp::create(e.b, e.loc, x, c(by)); }
  Value right(Value x, int by) { return arith::ShRUIOp::create(e.b, e.loc, x, c(by)); }
  Value less(Value x, Value y) {
    return arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::slt, x, y);
  }
  Value choose(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(e.b, e.loc, condition, yes, no);
  }
  Value toBits(Value x) { return arith::BitcastOp::create(e.b, e.loc, i32, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(e.b, e.loc, f32, x); }
};

} // namespace

Value teeny::cpu::extendFloat8(Emit e, Value bits, FloatType from, Type to) {
  Words w{e};
  Format format = formatOf(from);
  Value word = arith::ExtUIOp::create(e.b, e.loc, w.i32, bits);
  Value sign = w.left(w.both(word, w.c(0x80)), 24), size = w.both(word, w.c(0x7f));
  int up = 23 - format.fraction;
  Value normal = w.add(w.left(size, up), w.c(int64_t(127 - format.bias) << 23));
  Value scale = w.number(std::ldexp(1.0, 1 - format.bias - format.fraction));
  Value asNumber = arith::SIToFPOp::create(e.b, e.loc, w.f32, size);
  Value subnormal = w.toBits(arith::MulFOp::create(e.b, e.loc, asNumber, scale));
  Value result = w.choose(w.less(size, w.c(1 << format.fraction)), subnormal, normal);
  result = w.choose(w.less(w.c(format.largest), size), w.c(0x7f800000), result);
  result = w.choose(w.less(size, w.c(format.firstNan)), result, w.c(0x7fc00000));
  return convertNumber(e, w.fromBits(w.either(result, sign)), w.f32, to);
}

Value teeny::cpu::truncateToFloat8(Emit e, Value value, FloatType to) {
  Words w{e};
  Format format = formatOf(to);
  if (value.getType().getIntOrFloatBitWidth() == 64) {
    // Through f32 rounded to odd: a second rounding then sees that the first was not exact.
    Value near = arith::TruncFOp::create(e.b, e.loc, w.f32, value);
    Value back = arith::ExtFOp::create(e.b, e.loc, value.getType(), near);
    auto abs = [&](Value x) -> Value { return math::AbsFOp::create(e.b, e.loc, x); };
    Value inexact = arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::ONE, back, value);
    Value below =
        arith::CmpFOp::create(e.b, e.loc, arith::CmpFPredicate::OLT, abs(back), abs(value));
    Value bits = w.toBits(near);
    Value odd = w.choose(below, w.either(bits, w.c(1)), w.either(w.add(bits, w.c(-1)), w.c(1)));
    Value isOdd = arith::TruncIOp::create(e.b, e.loc, e.b.getI1Type(), bits);
    value = w.fromBits(w.choose(inexact, w.choose(isOdd, bits, odd), bits));
  } else {
    value = convertNumber(e, value, value.getType(), w.f32);
  }
  Value bits = w.toBits(value);
  Value sign = w.both(w.right(bits, 24), w.c(0x80)), size = w.both(bits, w.c(0x7fffffff));
  int down = 23 - format.fraction;
  Value lastBit = w.both(w.right(size, down), w.c(1));
  int64_t rebias = (int64_t(1) << (down - 1)) - 1 - (int64_t(127 - format.bias) << 23);
  Value normal = w.right(w.add(w.add(size, w.c(rebias)), lastBit), down);
  // The sum's last bit is worth the smallest subnormal, so adding rounds.
  double magic = std::ldexp(1.0, 1 - format.bias - format.fraction + 23);
  Value sum = arith::AddFOp::create(e.b, e.loc, w.fromBits(size), w.number(magic));
  Value subnormal = arith::SubIOp::create(e.b, e.loc, w.toBits(sum), w.toBits(w.number(magic)));
  Value isSmall = w.less(size, w.c(int64_t(127 + 1 - format.bias) << 23));
  Value result = w.choose(isSmall, subnormal, normal);
  result = w.choose(w.less(w.c(format.largest), result), w.c(format.largest), result);
  result = w.choose(w.less(w.c(0x7f800000), size), w.c(0x7f), result);
  return arith::TruncIOp::create(e.b, e.loc, w.i8, w.either(result, sign));
}
