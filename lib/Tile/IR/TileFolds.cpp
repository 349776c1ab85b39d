// Folders, canonicalisation and integer ranges of the tile dialect. What they share: a tile that is
// the same everywhere stays a splat through every change of shape, and a change of shape that
// changes nothing is its source.
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace teeny::tile;

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type,
                                            Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

namespace {

// A constant splat as one of another tensor type with the same elements.
OpFoldResult foldSplat(Attribute source, Type result) {
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(source))
    return splat.resizeSplat(cast<ShapedType>(result));
  return {};
}

// op(splat x) is splat x of the other type.
template <typename Op> struct SplatThrough final : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto splat = op.getSource().template getDefiningOp<SplatOp>();
    if (!splat)
      return rewriter.notifyMatchFailure(op, "expected a splat as its source");
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), splat.getSource());
    return success();
  }
};

// A tile of equal pointers moved by equal offsets is one pointer moved once.
struct AddPtrOfSplats final : OpRewritePattern<AddPtrOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AddPtrOp op, PatternRewriter &rewriter) const override {
    auto pointer = op.getPointer().getDefiningOp<SplatOp>();
    if (!pointer)
      return rewriter.notifyMatchFailure(op, "expected a splat pointer");
    Value offset;
    SplatElementsAttr constant;
    if (auto splat = op.getOffset().getDefiningOp<SplatOp>())
      offset = splat.getSource();
    else if (matchPattern(op.getOffset(), m_Constant(&constant)))
      offset = arith::ConstantOp::create(rewriter, op.getLoc(),
                                         cast<TypedAttr>(constant.getSplatValue<Attribute>()));
    else
      return rewriter.notifyMatchFailure(op, "expected a splat offset");
    Value moved = AddPtrOp::create(rewriter, op.getLoc(), pointer.getSource(), offset);
    rewriter.replaceOpWithNewOp<SplatOp>(op, op.getType(), moved);
    return success();
  }
};

// A mask that is the same everywhere: all or nothing.
std::optional<bool> knownMask(Value mask) {
  APInt value;
  if (mask && matchPattern(mask, m_ConstantInt(&value)))
    return !value.isZero();
  return std::nullopt;
}

struct LoadWithKnownMask final : OpRewritePattern<LoadOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(LoadOp op, PatternRewriter &rewriter) const override {
    std::optional<bool> mask = knownMask(op.getMask());
    if (!mask)
      return rewriter.notifyMatchFailure(op, "expected a constant mask");
    if (*mask) {
      auto load = LoadOp::create(rewriter, op.getLoc(), op.getPointer(), Value(), Value());
      load->setDiscardableAttrs(op->getDiscardableAttrDictionary());
      rewriter.replaceOp(op, load);
      return success();
    }
    if (!op.getOther())
      return rewriter.notifyMatchFailure(op, "expected 'other' where nothing is read");
    rewriter.replaceOp(op, op.getOther());
    return success();
  }
};

struct StoreWithKnownMask final : OpRewritePattern<StoreOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(StoreOp op, PatternRewriter &rewriter) const override {
    std::optional<bool> mask = knownMask(op.getMask());
    if (!mask)
      return rewriter.notifyMatchFailure(op, "expected a constant mask");
    if (*mask)
      rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
    else
      rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

//===-- Making and shaping tiles
//----------------------------------------------------------------===//

OpFoldResult ArangeOp::fold(FoldAdaptor) {
  if (getType().getNumElements() != 1)
    return {};
  return DenseElementsAttr::get(getType(), APInt(32, int32_t(getStart()), /*isSigned=*/true));
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (isa_and_nonnull<IntegerAttr, FloatAttr>(adaptor.getSource()))
    return DenseElementsAttr::get(cast<ShapedType>(getType()), adaptor.getSource());
  return {};
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return foldSplat(adaptor.getSource(), getType());
}
void ExpandDimsOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SplatThrough<ExpandDimsOp>>(context);
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<BroadcastOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return foldSplat(adaptor.getSource(), getType());
}
void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SplatThrough<BroadcastOp>>(context);
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ReshapeOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return foldSplat(adaptor.getSource(), getType());
}
void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SplatThrough<ReshapeOp>>(context);
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  if (llvm::equal(getOrder(), llvm::seq<int32_t>(0, getOrder().size())) &&
      getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<TransOp>()) {
    SmallVector<int32_t> order;
    for (int32_t dim : getOrder())
      order.push_back(inner.getOrder()[dim]);
    setOrder(order);
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return foldSplat(adaptor.getSource(), getType());
}
void TransOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<SplatThrough<TransOp>>(context);
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ConvertLayoutOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return foldSplat(adaptor.getSource(), getType());
}
void ConvertLayoutOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *context) {
  patterns.add<SplatThrough<ConvertLayoutOp>>(context);
}

//===-- Pointers and memory
//---------------------------------------------------------------------===//

OpFoldResult AddPtrOp::fold(FoldAdaptor) {
  if (matchPattern(getOffset(), m_Zero()))
    return getPointer();
  return {};
}
void AddPtrOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<AddPtrOfSplats>(context);
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  auto inner = getPointer().getDefiningOp<IntToPtrOp>();
  return inner ? inner.getSource() : Value();
}

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto inner = getSource().getDefiningOp<PtrToIntOp>();
  return inner && inner.getPointer().getType() == getType() ? inner.getPointer() : Value();
}

OpFoldResult PtrCastOp::fold(FoldAdaptor) {
  if (getPointer().getType() == getType())
    return getPointer();
  if (auto inner = getPointer().getDefiningOp<PtrCastOp>()) {
    getPointerMutable().assign(inner.getPointer());
    return getResult();
  }
  return {};
}

void LoadOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<LoadWithKnownMask>(context);
}
void StoreOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<StoreWithKnownMask>(context);
}

//===-- Integer ranges
//--------------------------------------------------------------------------===//

// The values of an i32 from `low` to `high`.
static ConstantIntRanges i32Range(int64_t low, int64_t high) {
  return ConstantIntRanges::fromSigned(APInt(32, low, /*isSigned=*/true),
                                       APInt(32, high, /*isSigned=*/true));
}

void ProgramIdOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  set(getResult(), i32Range(0, gridMax(*this, getAxis()) - 1));
}
void NumProgramsOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  set(getResult(), i32Range(1, gridMax(*this, getAxis())));
}
void ArangeOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn set) {
  set(getResult(), i32Range(int32_t(getStart()), int64_t(int32_t(getEnd())) - 1));
}
void SplatOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  set(getResult(), ranges[0]);
}
void ExpandDimsOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  set(getResult(), ranges[0]);
}
void BroadcastOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  set(getResult(), ranges[0]);
}
void ReshapeOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  set(getResult(), ranges[0]);
}
void TransOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  set(getResult(), ranges[0]);
}
void JoinOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  set(getResult(), ranges[0].rangeUnion(ranges[1]));
}
void SplitOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  set(getLhs(), ranges[0]);
  set(getRhs(), ranges[0]);
}
void ConvertLayoutOp::inferResultRanges(ArrayRef<ConstantIntRanges> ranges, SetIntRangeFn set) {
  set(getResult(), ranges[0]);
}
