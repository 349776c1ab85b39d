// Conversions of 8-bit floats, which in registers are their bits. Targets that have the
// instructions convert in pairs; for the others here is arithmetic that gives the same: ties to
// even, and values too large become the largest.
//
// f8E4M3FN has 1 sign, 4 exponent and 3 fraction bits, no infinity, and one NaN, all bits set; the
// largest value is 448. f8E5M2 is the upper byte of an f16; the largest value is 57344.
#include "Conversion/TileToGPU/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;

static bool isFloat8(Type type) {
  auto real = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return real && real.getWidth() == 8;
}

namespace {
struct Format {
  StringRef name; // in intrinsics
  int fractionBits, bias;
  double largest;
  int64_t nan;
};

// Arithmetic on scalars, in short.
struct Bits {
  Emit &emit;
  OpBuilder &b = emit.builder;
  Location loc = emit.loc;

  Value constant(int64_t value) { return emit.i32(value); }
  Value real(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(value)));
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubIOp::create(b, loc, x, y); }
  Value both(Value x, int64_t mask) {
    return arith::AndIOp::create(b, loc, x, emit.integer(x.getType(), mask));
  }
  Value either(Value x, Value y) { return arith::OrIOp::create(b, loc, x, y); }
  Value left(Value x, int64_t by) {
    return arith::ShLIOp::create(b, loc, x, emit.integer(x.getType(), by));
  }
  Value right(Value x, int64_t by) {
    return arith::ShRUIOp::create(b, loc, x, emit.integer(x.getType(), by));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value equal(Value x, int64_t y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x, emit.integer(x.getType(), y));
  }
  Value less(arith::CmpFPredicate predicate, Value x, double y) {
    return arith::CmpFOp::create(b, loc, predicate, x, real(y));
  }
  Value cast(Value x, Type type) { return arith::BitcastOp::create(b, loc, type, x); }
};
} // namespace

static std::optional<Format> formatOf(Type type) {
  type = getElementTypeOrSelf(type);
  if (isa<Float8E4M3FNType>(type))
    return Format{"e4m3x2", 3, 7, 448, 0x7f};
  if (isa<Float8E5M2Type>(type))
    return Format{"e5m2x2", 2, 15, 57344, 0x7f};
  return std::nullopt;
}

// The value as f16, which has all of both formats.
static Value widened(Emit &emit, Value byte, const Format &format) {
  Bits bits{emit};
  Type i16 = emit.builder.getI16Type(), f16 = emit.builder.getF16Type();
  Value word = arith::ExtUIOp::create(emit.builder, emit.loc, i16, byte);
  if (format.fractionBits == 2)
    return bits.cast(bits.left(word, 8), f16);
  // Shifted to the fields of an f16 the exponent is 8 too small, for subnormal values also.
  Value magnitude = bits.both(word, 0x7f);
  Value scale =
      arith::ConstantOp::create(emit.builder, emit.loc, emit.builder.getF16FloatAttr(256));
  Value scaled =
      arith::MulFOp::create(emit.builder, emit.loc, bits.cast(bits.left(magnitude, 7), f16), scale);
  Value known =
      bits.select(bits.equal(magnitude, 0x7f), emit.integer(i16, 0x7fff), bits.cast(scaled, i16));
  return bits.cast(bits.either(known, bits.left(bits.both(word, 0x80), 8)), f16);
}

// An f32 rounded to the format.
static Value narrowed(Emit &emit, Value value, const Format &format) {
  Bits bits{emit};
  Type i32 = emit.builder.getI32Type(), f32 = emit.builder.getF32Type();
  int dropped = 23 - format.fractionBits, leastExponent = 1 - format.bias;
  Value all = bits.cast(value, i32);
  Value magnitude = bits.cast(bits.both(all, 0x7fffffff), f32);
  Value isNan = bits.less(arith::CmpFPredicate::UNO, value, 0);
  Value limited = bits.select(bits.less(arith::CmpFPredicate::OGT, magnitude, format.largest),
                              bits.real(format.largest), magnitude);
  // Normal values: half of the last place is added, less one where the last bit is even; then
  // another bias.
  Value word = bits.cast(limited, i32);
  Value odd = bits.both(bits.right(word, dropped), 1);
  Value rounded = bits.add(bits.add(word, bits.constant((int64_t(1) << (dropped - 1)) - 1)), odd);
  Value normal = bits.sub(bits.right(rounded, dropped),
                          bits.constant(int64_t(127 - format.bias) << format.fractionBits));
  // Subnormal ones: adding a power of two whose last place is theirs makes the processor round.
  double magic = std::ldexp(1.0, 23 + leastExponent - format.fractionBits);
  Value shifted = arith::AddFOp::create(emit.builder, emit.loc, limited, bits.real(magic));
  Value subnormal = bits.sub(bits.cast(shifted, i32), bits.cast(bits.real(magic), i32));
  Value isSmall = bits.less(arith::CmpFPredicate::OLT, limited, std::ldexp(1.0, leastExponent));
  Value result = bits.select(isSmall, subnormal, normal);
  result = bits.select(isNan, bits.constant(format.nan), result);
  result = bits.either(result, bits.right(bits.both(all, int64_t(0x80000000)), 24));
  return arith::TruncIOp::create(emit.builder, emit.loc, emit.builder.getI8Type(), result);
}

// The same by the instructions, which convert two values.
static SmallVector<Value> widenedPairs(Emit &emit, ValueRange bytes, const Format &format) {
  SmallVector<Value> results;
  Type f16 = emit.builder.getF16Type();
  for (unsigned i = 0; i < bytes.size(); i += 2) {
    Value pair[] = {bytes[i], bytes[std::min<unsigned>(i + 1, bytes.size() - 1)]};
    Value both = emit.intrinsic(("llvm.nvvm." + format.name + ".to.f16x2.rn").str(),
                                VectorType::get(2, f16), {emit.pack(pair)});
    llvm::append_range(results, emit.members(both, 2));
  }
  results.truncate(bytes.size());
  return results;
}

static SmallVector<Value> narrowedPairs(Emit &emit, ValueRange values, const Format &format) {
  SmallVector<Value> results;
  for (unsigned i = 0; i < values.size(); i += 2) {
    // The first operand becomes the upper byte.
    Value second = values[std::min<unsigned>(i + 1, values.size() - 1)];
    Value both = emit.intrinsic(("llvm.nvvm.ff.to." + format.name + ".rn").str(),
                                emit.builder.getI16Type(), {second, values[i]});
    llvm::append_range(results, emit.unpack(both, emit.builder.getI8Type()));
  }
  results.truncate(values.size());
  return results;
}

namespace {
class ExtendPattern final : public TilePattern<arith::ExtFOp> {
public:
  ExtendPattern(KernelContext &context, MLIRContext *mlirContext)
      : TilePattern(context, mlirContext, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(arith::ExtFOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<Format> format = formatOf(op.getIn().getType());
    if (!format)
      return rewriter.notifyMatchFailure(op, "expected an 8-bit float");
    Emit emit(rewriter, op.getLoc());
    SmallVector<Value> values;
    if (context.facts.fp8Conversion)
      values = widenedPairs(emit, adaptor.getIn(), *format);
    else
      for (Value byte : adaptor.getIn())
        values.push_back(widened(emit, byte, *format));
    Type type = registerType(op.getType());
    for (Value &value : values)
      if (type != value.getType()) {
        // All values of f16 are values of f32; to bf16 they are rounded.
        value = arith::ExtFOp::create(rewriter, op.getLoc(),
                                      type.isF64() ? type : rewriter.getF32Type(), value);
        if (type != value.getType())
          value = arith::TruncFOp::create(rewriter, op.getLoc(), type, value);
      }
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

class TruncatePattern final : public TilePattern<arith::TruncFOp> {
public:
  TruncatePattern(KernelContext &context, MLIRContext *mlirContext)
      : TilePattern(context, mlirContext, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(arith::TruncFOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    std::optional<Format> format = formatOf(op.getType());
    if (!format)
      return rewriter.notifyMatchFailure(op, "expected an 8-bit float");
    Emit emit(rewriter, op.getLoc());
    SmallVector<Value> values;
    Type f32 = rewriter.getF32Type();
    for (Value value : adaptor.getIn()) {
      if (value.getType().isF64())
        value = arith::TruncFOp::create(rewriter, op.getLoc(), f32, value);
      else if (!value.getType().isF32())
        value = arith::ExtFOp::create(rewriter, op.getLoc(), f32, value);
      values.push_back(value);
    }
    if (context.facts.fp8Conversion)
      values = narrowedPairs(emit, values, *format);
    else
      for (Value &value : values)
        value = narrowed(emit, value, *format);
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

// Between an 8-bit float and i8 nothing happens.
class BitcastPattern final : public TilePattern<arith::BitcastOp> {
public:
  BitcastPattern(KernelContext &context, MLIRContext *mlirContext)
      : TilePattern(context, mlirContext, /*benefit=*/2) {}
  LogicalResult matchAndRewrite(arith::BitcastOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!isFloat8(op.getIn().getType()) && !isFloat8(op.getType()))
      return rewriter.notifyMatchFailure(op, "expected an 8-bit float");
    rewriter.replaceOpWithMultiple(op, {adaptor.getIn()});
    return success();
  }
};
} // namespace

LogicalResult teeny::gpu::verifyFloat8(Operation *op) {
  if (isa<arith::SelectOp, arith::BitcastOp, arith::ConstantOp>(op))
    return success();
  bool converts = isa<arith::ExtFOp, arith::TruncFOp>(op);
  for (Type type : llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                            llvm::to_vector(op->getResultTypes())))
    if (isFloat8(type) && !(converts && formatOf(type)))
      return op->emitOpError("computes with ") << getElementTypeOrSelf(type)
                                               << ", which a GPU cannot: expected a conversion to "
                                                  "a wider type before";
  return success();
}

void teeny::gpu::populateFloat8Patterns(KernelContext &context, RewritePatternSet &patterns) {
  patterns.add<ExtendPattern, TruncatePattern, BitcastPattern>(context, patterns.getContext());
}
