#include "Target/Host/FloatArithmetic.h"

#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

Type *teeny::withScalar(Type *shapeOf, Type *scalar) {
  if (auto *vector = dyn_cast<VectorType>(shapeOf))
    return VectorType::get(scalar, vector->getElementCount());
  return scalar;
}

namespace {

// Integer and float constants and casts of one shape.
struct Shape {
  IRBuilderBase &b;
  Type *like;

  Type *i16() { return teeny::withScalar(like, b.getInt16Ty()); }
  Type *i32() { return teeny::withScalar(like, b.getInt32Ty()); }
  Type *i64() { return teeny::withScalar(like, b.getInt64Ty()); }
  Type *f32() { return teeny::withScalar(like, b.getFloatTy()); }
  Type *f64() { return teeny::withScalar(like, b.getDoubleTy()); }
  Constant *c16(uint16_t value) { return ConstantInt::get(i16(), value); }
  Constant *c32(uint32_t value) { return ConstantInt::get(i32(), value); }
  Value *bits32(Value *value) { return b.CreateBitCast(value, i32()); }
  Value *float32(Value *bits) { return b.CreateBitCast(bits, f32()); }
};

} // namespace

bool teeny::movesElements(Intrinsic::ID id) {
  return id == Intrinsic::masked_load || id == Intrinsic::masked_gather ||
         id == Intrinsic::masked_expandload || id == Intrinsic::masked_store ||
         id == Intrinsic::masked_scatter || id == Intrinsic::masked_compressstore ||
         id == Intrinsic::vector_reverse || id == Intrinsic::vector_insert ||
         id == Intrinsic::vector_extract;
}

// Adding 112 to the exponent of a normal f16 makes it that of an f32; infinities and NaN need 112
// more; subnormals are small integers times 2^-24.
Value *teeny::extendHalf(IRBuilderBase &b, Value *half) {
  Shape s{b, half->getType()};
  Value *bits = b.CreateZExt(b.CreateBitCast(half, s.i16()), s.i32());
  Value *sign = b.CreateShl(b.CreateAnd(bits, s.c32(0x8000)), 16);
  Value *magnitude = b.CreateAnd(bits, s.c32(0x7fff));
  Value *normal = b.CreateAdd(b.CreateShl(magnitude, 13), s.c32(112u << 23));
  Value *special = b.CreateAdd(normal, s.c32(112u << 23));
  Value *quiet = b.CreateSelect(b.CreateICmpSGT(magnitude, s.c32(0x7c00)),
                                b.CreateOr(special, s.c32(1u << 22)), special);
  Value *subnormal =
      b.CreateFMul(b.CreateSIToFP(magnitude, s.f32()), ConstantFP::get(s.f32(), 0x1p-24));
  Value *result =
      b.CreateSelect(b.CreateICmpSLT(magnitude, s.c32(0x400)), s.bits32(subnormal),
                     b.CreateSelect(b.CreateICmpSLT(magnitude, s.c32(0x7c00)), normal, quiet));
  return s.float32(b.CreateOr(result, sign));
}

// Normal results: round the significand to its upper bits by an integer addition whose carry goes
// into the exponent. Subnormal results: adding 0.5, whose last bit is worth 2^-24, rounds.
Value *teeny::truncateToHalf(IRBuilderBase &b, Value *f32) {
  Shape s{b, f32->getType()};
  Value *bits = s.bits32(f32);
  Value *sign = b.CreateAnd(b.CreateLShr(bits, 16), s.c32(0x8000));
  Value *magnitude = b.CreateAnd(bits, s.c32(0x7fffffff));
  Value *lastBit = b.CreateAnd(b.CreateLShr(magnitude, 13), s.c32(1));
  Value *rounded = b.CreateAdd(b.CreateAdd(magnitude, s.c32(0xfff - (112u << 23))), lastBit);
  Value *normal = b.CreateLShr(rounded, 13);
  Value *half = ConstantFP::get(s.f32(), 0.5);
  Value *subnormal =
      b.CreateSub(s.bits32(b.CreateFAdd(s.float32(magnitude), half)), s.c32(0x3f000000));
  Value *payload = b.CreateAnd(b.CreateLShr(magnitude, 13), s.c32(0x1ff));
  Value *nan = b.CreateOr(payload, s.c32(0x7e00));
  Value *large = b.CreateSelect(b.CreateICmpSGT(magnitude, s.c32(0x7f800000)), nan, s.c32(0x7c00));
  Value *finite = b.CreateSelect(b.CreateICmpSLT(magnitude, s.c32(113u << 23)), subnormal, normal);
  Value *result = b.CreateSelect(b.CreateICmpSLT(magnitude, s.c32(143u << 23)), finite, large);
  Value *narrow = b.CreateTrunc(b.CreateOr(result, sign), s.i16());
  return b.CreateBitCast(narrow, withScalar(f32->getType(), b.getHalfTy()));
}

Value *teeny::extendBFloat(IRBuilderBase &b, Value *bfloat) {
  Shape s{b, bfloat->getType()};
  Value *bits = b.CreateZExt(b.CreateBitCast(bfloat, s.i16()), s.i32());
  return s.float32(b.CreateShl(bits, 16));
}

Value *teeny::truncateToBFloat(IRBuilderBase &b, Value *f32) {
  Shape s{b, f32->getType()};
  Value *bits = s.bits32(f32);
  Value *lastBit = b.CreateAnd(b.CreateLShr(bits, 16), s.c32(1));
  Value *rounded = b.CreateAdd(b.CreateAdd(bits, s.c32(0x7fff)), lastBit);
  Value *isNan = b.CreateICmpUGT(b.CreateAnd(bits, s.c32(0x7fffffff)), s.c32(0x7f800000));
  Value *result = b.CreateSelect(isNan, b.CreateOr(bits, s.c32(1u << 22)), rounded);
  Value *narrow = b.CreateTrunc(b.CreateLShr(result, 16), s.i16());
  return b.CreateBitCast(narrow, withScalar(f32->getType(), b.getBFloatTy()));
}

// `value` plus or minus one unit in the last place where `inexact` and the last bit is 0, so that
// the bit becomes 1; away from zero where `larger`.
static Value *setOdd(IRBuilderBase &b, Value *value, Value *inexact, Value *larger) {
  Type *type = value->getType();
  Type *integer = teeny::withScalar(type, b.getIntNTy(type->getScalarSizeInBits()));
  Value *bits = b.CreateBitCast(value, integer);
  Value *even =
      b.CreateICmpEQ(b.CreateAnd(bits, ConstantInt::get(integer, 1)), ConstantInt::get(integer, 0));
  Value *step =
      b.CreateSelect(larger, ConstantInt::get(integer, 1), ConstantInt::getAllOnesValue(integer));
  Value *moved = b.CreateBitCast(b.CreateAdd(bits, step), type);
  return b.CreateSelect(b.CreateAnd(inexact, even), moved, value);
}

static Value *magnitude(IRBuilderBase &b, Value *value) {
  return b.CreateUnaryIntrinsic(Intrinsic::fabs, value);
}

Value *teeny::truncateToOdd(IRBuilderBase &b, Value *f64) {
  Shape s{b, f64->getType()};
  Value *nearest = b.CreateFPTrunc(f64, s.f32());
  Value *back = b.CreateFPExt(nearest, s.f64());
  Value *inexact = b.CreateFCmpONE(back, f64); // false for NaN
  return setOdd(b, nearest, inexact, b.CreateFCmpOLT(magnitude(b, back), magnitude(b, f64)));
}

// x + y rounded, and what the rounding lost (Knuth).
static std::pair<Value *, Value *> twoSum(IRBuilderBase &b, Value *x, Value *y) {
  Value *sum = b.CreateFAdd(x, y);
  Value *yPart = b.CreateFSub(sum, x);
  Value *error = b.CreateFAdd(b.CreateFSub(x, b.CreateFSub(sum, yPart)), b.CreateFSub(y, yPart));
  return {sum, error};
}

Value *teeny::addToOdd(IRBuilderBase &b, Value *x, Value *y) {
  auto [sum, error] = twoSum(b, x, y);
  Value *zero = ConstantFP::get(sum->getType(), 0.0);
  Value *inexact = b.CreateFCmpONE(error, zero); // false where infinities made it NaN
  Value *larger = b.CreateICmpEQ(b.CreateFCmpOGT(error, zero), b.CreateFCmpOGT(sum, zero));
  return setOdd(b, sum, inexact, larger);
}

// x * y as a sum of two f64 (Dekker: 53 bits split in 26 and 27).
static std::pair<Value *, Value *> twoProduct(IRBuilderBase &b, Value *x, Value *y) {
  auto split = [&](Value *v) {
    Value *scaled = b.CreateFMul(v, ConstantFP::get(v->getType(), 134217729.0)); // 2^27 + 1
    Value *high = b.CreateFSub(scaled, b.CreateFSub(scaled, v));
    return std::pair(high, b.CreateFSub(v, high));
  };
  Value *product = b.CreateFMul(x, y);
  auto [xh, xl] = split(x);
  auto [yh, yl] = split(y);
  Value *error = b.CreateFSub(b.CreateFMul(xh, yh), product);
  error = b.CreateFAdd(error, b.CreateFMul(xh, yl));
  error = b.CreateFAdd(error, b.CreateFMul(xl, yh));
  return {product, b.CreateFAdd(error, b.CreateFMul(xl, yl))};
}

Value *teeny::fusedMultiplyAdd(IRBuilderBase &b, Value *x, Value *y, Value *z) {
  Shape s{b, x->getType()};
  if (x->getType()->getScalarType()->isFloatTy()) {
    auto wide = [&](Value *v) { return b.CreateFPExt(v, s.f64()); };
    Value *sum = addToOdd(b, b.CreateFMul(wide(x), wide(y)), wide(z));
    return b.CreateFPTrunc(sum, s.f32());
  }
  auto [productHigh, productLow] = twoProduct(b, x, y);
  auto [lowHigh, lowLow] = twoSum(b, z, productLow);
  auto [high, highLow] = twoSum(b, productHigh, lowHigh);
  Value *exact = b.CreateFAdd(high, addToOdd(b, lowLow, highLow));
  // Where the error terms left the range (infinities, products near the limits): one rounding more.
  Value *plain = b.CreateFAdd(productHigh, z);
  Value *usable = b.CreateFCmpORD(exact, exact);
  return b.CreateSelect(usable, exact, plain);
}

Value *teeny::roundToInteger(IRBuilderBase &b, Value *value, Rounding rounding) {
  Type *type = value->getType();
  auto constant = [&](double number) { return ConstantFP::get(type, number); };
  // From here on every value is an integer; below, the sum has no bits for fractions.
  Value *limit = constant(type->getScalarType()->isFloatTy() ? 0x1p23 : 0x1p52);
  Value *size = magnitude(b, value);
  Value *nearest = b.CreateFSub(b.CreateFAdd(size, limit), limit);
  Value *one = constant(1), *zero = constant(0);
  auto whole = [&] { // toward zero
    return b.CreateFSub(nearest, b.CreateSelect(b.CreateFCmpOGT(nearest, size), one, zero));
  };
  Value *result = nullptr;
  switch (rounding) {
  case Rounding::nearestEven:
    result = nearest;
    break;
  case Rounding::trunc:
    result = whole();
    break;
  case Rounding::nearestAway: {
    Value *below = whole();
    Value *up = b.CreateFCmpOGE(b.CreateFSub(size, below), constant(0.5));
    result = b.CreateFAdd(below, b.CreateSelect(up, one, zero));
    break;
  }
  case Rounding::floor:
  case Rounding::ceil: {
    Value *below = whole();
    Value *negative = b.CreateFCmpOLT(value, zero);
    Value *away = rounding == Rounding::floor ? negative : b.CreateNot(negative);
    Value *inexact = b.CreateFCmpOLT(below, size);
    result = b.CreateFAdd(below, b.CreateSelect(b.CreateAnd(away, inexact), one, zero));
    break;
  }
  }
  result = b.CreateBinaryIntrinsic(Intrinsic::copysign, result, value);
  // Ordered: NaN and infinities pass through.
  return b.CreateSelect(b.CreateFCmpOLT(size, limit), result, value);
}

// With significands as integers, x = mx * 2^ex and y = my * 2^ey (ex >= ey since |x| >= |y|), the
// remainder is (mx * 2^(ex-ey)) mod my. As many bits as fit in 64 are taken in at a time.
Function *teeny::remainderFunction(Module &module, Type *type) {
  bool isFloat = type->isFloatTy();
  const char *name = isFloat ? "teeny.fmod.f32" : "teeny.fmod.f64";
  if (Function *known = module.getFunction(name))
    return known;
  const unsigned fraction = isFloat ? 23 : 52, exponentMask = isFloat ? 0xff : 0x7ff;
  auto *function = Function::Create(FunctionType::get(type, {type, type}, false),
                                    GlobalValue::InternalLinkage, name, module);
  LLVMContext &context = module.getContext();
  auto block = [&](const char *label) { return BasicBlock::Create(context, label, function); };
  BasicBlock *entry = block("entry"), *special = block("special"), *compare = block("compare");
  BasicBlock *small = block("small"), *divide = block("divide"), *loop = block("loop");
  BasicBlock *step = block("step"), *done = block("done");
  IRBuilder<> b(entry);
  Type *i64 = b.getInt64Ty();
  Value *x = function->getArg(0), *y = function->getArg(1);
  Value *absX = b.CreateUnaryIntrinsic(Intrinsic::fabs, x);
  Value *absY = b.CreateUnaryIntrinsic(Intrinsic::fabs, y);
  Value *infinity = ConstantFP::getInfinity(type);
  Value *usable = b.CreateAnd(b.CreateFCmpOLT(absX, infinity),
                              b.CreateFCmpOGT(absY, ConstantFP::get(type, 0.0)));
  b.CreateCondBr(usable, compare, special);

  b.SetInsertPoint(special); // NaN
  Value *product = b.CreateFMul(x, y);
  b.CreateRet(b.CreateFDiv(product, product));

  b.SetInsertPoint(compare);
  b.CreateCondBr(b.CreateFCmpOLT(absX, absY), small, divide);
  b.SetInsertPoint(small);
  b.CreateRet(x);

  b.SetInsertPoint(divide);
  auto parts = [&](Value *value) {
    Type *integer = b.getIntNTy(type->getPrimitiveSizeInBits());
    Value *bits = b.CreateZExt(b.CreateBitCast(value, integer), i64);
    Value *exponent = b.CreateAnd(b.CreateLShr(bits, fraction), exponentMask);
    Value *low = b.CreateAnd(bits, (uint64_t(1) << fraction) - 1);
    Value *subnormal = b.CreateICmpEQ(exponent, b.getInt64(0));
    Value *significand = b.CreateSelect(subnormal, low, b.CreateOr(low, uint64_t(1) << fraction));
    return std::pair(significand, b.CreateSelect(subnormal, b.getInt64(1), exponent));
  };
  auto [mx, ex] = parts(absX);
  auto [my, ey] = parts(absY);
  Value *first = b.CreateURem(mx, my);
  Value *distance = b.CreateSub(ex, ey);
  b.CreateBr(loop);

  b.SetInsertPoint(loop);
  PHINode *rest = b.CreatePHI(i64, 2), *left = b.CreatePHI(i64, 2);
  b.CreateCondBr(b.CreateICmpSGT(left, b.getInt64(0)), step, done);
  b.SetInsertPoint(step);
  Value *bits = b.CreateBinaryIntrinsic(Intrinsic::smin, left, b.getInt64(63 - fraction));
  Value *next = b.CreateURem(b.CreateShl(rest, bits), my);
  Value *nextLeft = b.CreateSub(left, bits);
  b.CreateBr(loop);
  rest->addIncoming(first, divide);
  rest->addIncoming(next, step);
  left->addIncoming(distance, divide);
  left->addIncoming(nextLeft, step);

  // rest * 2^ey, normalised; an exponent below 1 means a subnormal, to which the shift is exact.
  b.SetInsertPoint(done);
  Value *zeros = b.CreateBinaryIntrinsic(Intrinsic::ctlz, rest, b.getFalse());
  Value *shift = b.CreateSub(zeros, b.getInt64(63 - fraction));
  Value *room = b.CreateSub(ey, b.getInt64(1));
  Value *used = b.CreateBinaryIntrinsic(Intrinsic::smin, shift, room);
  Value *significand = b.CreateShl(rest, used);
  Value *normal = b.CreateICmpUGE(significand, b.getInt64(uint64_t(1) << fraction));
  Value *exponent = b.CreateSelect(normal, b.CreateSub(ey, used), b.getInt64(0));
  Value *fractionBits = b.CreateAnd(significand, (uint64_t(1) << fraction) - 1);
  Value *pattern = b.CreateOr(fractionBits, b.CreateShl(exponent, fraction));
  Type *integer = b.getIntNTy(type->getPrimitiveSizeInBits());
  Value *result = b.CreateBitCast(b.CreateTrunc(pattern, integer), type);
  b.CreateRet(b.CreateBinaryIntrinsic(Intrinsic::copysign, result, x));
  return function;
}
