// Functions that the GPU has instructions for, and roundings toward zero. The others never get
// here: they are written in the kernel language.
#include "Conversion/TileToGPU/Patterns.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;

namespace {
// An operation of f32 as an intrinsic; 16-bit floats are computed in f32 and rounded once. f64 is
// left to the exact operations of LLVM.
template <typename Op> class IntrinsicPattern final : public OpConversionPattern<Op> {
public:
  IntrinsicPattern(const TypeConverter &types, MLIRContext *context, StringRef name)
      : OpConversionPattern<Op>(types, context, /*benefit=*/2), name(name) {}

  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Type type = op.getType();
    // LLVM's own division and square root are correctly rounded.
    if (type.isF64() || op->hasAttr(tile::correctlyRoundedAttr))
      return rewriter.notifyMatchFailure(op, "expected an operation that may be approximated");
    Emit emit(rewriter, op.getLoc());
    Type f32 = rewriter.getF32Type();
    SmallVector<Value> operands(adaptor.getOperands());
    if (type != f32)
      for (Value &operand : operands)
        operand = arith::ExtFOp::create(rewriter, op.getLoc(), f32, operand);
    Value result = emit.intrinsic(name, f32, operands);
    if (type != f32)
      result = arith::TruncFOp::create(rewriter, op.getLoc(), type, result);
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  StringRef name;
};

// A rounding toward zero: to nearest, then one step back where that went away from zero.
class TowardZeroPattern final : public OpConversionPattern<arith::TruncFOp> {
public:
  TowardZeroPattern(const TypeConverter &types, MLIRContext *context)
      : OpConversionPattern(types, context, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (op.getRoundingmode() != arith::RoundingMode::toward_zero)
      return rewriter.notifyMatchFailure(op, "expected another rounding");
    Location loc = op.getLoc();
    Value value = adaptor.getIn();
    Type type = op.getType(), bits = rewriter.getIntegerType(type.getIntOrFloatBitWidth());
    Value nearest = arith::TruncFOp::create(rewriter, loc, type, value);
    Value back = arith::ExtFOp::create(rewriter, loc, value.getType(), nearest);
    auto compare = [&](arith::CmpFPredicate predicate, Value to) {
      return arith::CmpFOp::create(rewriter, loc, predicate, back, to).getResult();
    };
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(value.getType()));
    Value isPositive = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGT, value, zero);
    Value tooLarge = arith::SelectOp::create(rewriter, loc, isPositive,
                                             compare(arith::CmpFPredicate::OGT, value),
                                             compare(arith::CmpFPredicate::OLT, value));
    // A finite value that became infinite steps back to the largest.
    Value pattern = arith::BitcastOp::create(rewriter, loc, bits, nearest);
    Value one = arith::ConstantOp::create(rewriter, loc, rewriter.getIntegerAttr(bits, 1));
    Value stepped = arith::SubIOp::create(rewriter, loc, pattern, one);
    Value chosen = arith::SelectOp::create(rewriter, loc, tooLarge, stepped, pattern);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, type, chosen);
    return success();
  }
};
} // namespace

LogicalResult teeny::gpu::verifyMath(Operation *kernel) {
  WalkResult result = kernel->walk([](Operation *op) {
    if (!isa_and_present<math::MathDialect>(op->getDialect()))
      return WalkResult::advance();
    if (isa<math::AbsFOp, math::AbsIOp, math::CeilOp, math::FloorOp, math::TruncOp, math::RoundOp,
            math::RoundEvenOp, math::CopySignOp, math::CountLeadingZerosOp,
            math::CountTrailingZerosOp, math::CtPopOp, math::FmaOp, math::SqrtOp, math::RsqrtOp>(
            op))
      return WalkResult::advance();
    if (isa<math::Exp2Op>(op) && !op->getResult(0).getType().isF64())
      return WalkResult::advance();
    op->emitOpError("of ") << op->getResult(0).getType()
                           << " is no instruction of a GPU: expected it to be expanded before";
    return WalkResult::interrupt();
  });
  return success(!result.wasInterrupted());
}

void teeny::gpu::populateMathPatterns(const TypeConverter &types, RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<TowardZeroPattern>(types, context);
  patterns.add<IntrinsicPattern<arith::DivFOp>>(types, context, "llvm.nvvm.div.full");
  patterns.add<IntrinsicPattern<math::Exp2Op>>(types, context, "llvm.nvvm.ex2.approx.ftz.f");
  patterns.add<IntrinsicPattern<math::SqrtOp>>(types, context, "llvm.nvvm.sqrt.approx.ftz.f");
  patterns.add<IntrinsicPattern<math::RsqrtOp>>(types, context, "llvm.nvvm.rsqrt.approx.ftz.f");
}
