#include "Conversion/TileToGPU/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;

namespace {
// Any operation that works element by element, on tiles and on scalars whose type changes.
class ElementwisePattern final : public ConversionPattern {
public:
  ElementwisePattern(KernelContext &context, MLIRContext *mlirContext)
      : ConversionPattern(context.types, MatchAnyOpTypeTag(), 1, mlirContext), context(context) {}

  LogicalResult matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                                ConversionPatternRewriter &rewriter) const override {
    // Results, if there are several (of extended products), have one shape and layout.
    if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() == 0)
      return rewriter.notifyMatchFailure(op, "expected an elementwise operation");
    if (failed(verifyFloat8(op)))
      return failure();
    Type result = op->getResult(0).getType();
    SmallVector<Type> types;
    for (Type type : op->getResultTypes())
      types.push_back(registerType(type));
    for (Type type : op->getOperandTypes())
      if (isa<RankedTensorType>(type) && isa<RankedTensorType>(result) &&
          linearLayout(type) != linearLayout(result))
        return op->emitOpError("has operands of different layouts");

    unsigned equal = context.access.equalRegisters.lookup_or(op, 0);
    SmallVector<SmallVector<Value>> registers(types.size());
    for (unsigned i = 0, n = registerCount(result); i < n; ++i) {
      if (i & equal) {
        registers.front().push_back(registers.front()[i & ~equal]);
        continue;
      }
      SmallVector<Value> arguments;
      for (ValueRange values : operands)
        arguments.push_back(values[values.size() == 1 ? 0 : i]);
      Operation *scalar = Operation::create(op->getLoc(), op->getName(), types, arguments,
                                            op->getDiscardableAttrDictionary(),
                                            op->getPropertiesStorage(), BlockRange(), 0);
      rewriter.insert(scalar);
      for (auto [number, value] : llvm::enumerate(scalar->getResults()))
        registers[number].push_back(value);
    }
    rewriter.replaceOpWithMultiple(op, std::move(registers));
    return success();
  }

private:
  KernelContext &context;
};

class ConstantPattern final : public TilePattern<arith::ConstantOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(arith::ConstantOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Attribute value = op.getValue();
    auto dense = dyn_cast<DenseElementsAttr>(value);
    if (dense) {
      if (!dense.isSplat())
        return op.emitOpError("has different elements: expected one value for the whole tile");
      value = dense.getSplatValue<Attribute>();
    }
    Type type = registerType(op.getType());
    if (auto real = dyn_cast<FloatAttr>(value); real && real.getType() != type)
      value = rewriter.getIntegerAttr(type, real.getValue().bitcastToAPInt());
    Value scalar = arith::ConstantOp::create(rewriter, op.getLoc(), cast<TypedAttr>(value));
    SmallVector<Value> registers(registerCount(op.getType()), scalar);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

class PoisonPattern final : public TilePattern<ub::PoisonOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(ub::PoisonOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value scalar = ub::PoisonOp::create(rewriter, op.getLoc(), registerType(op.getType()));
    SmallVector<Value> registers(registerCount(op.getType()), scalar);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};
} // namespace

void teeny::gpu::populateElementwisePatterns(KernelContext &context, RewritePatternSet &patterns) {
  patterns.add<ElementwisePattern, ConstantPattern, PoisonPattern>(context, patterns.getContext());
}
