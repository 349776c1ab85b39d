#include "Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace teeny::tile;

// The types of a load's mask and other follow from the pointer's, so its assembly does not repeat
// them.
static ParseResult parseMaskAndOther(OpAsmParser &,
                                     std::optional<OpAsmParser::UnresolvedOperand> mask,
                                     std::optional<OpAsmParser::UnresolvedOperand> other,
                                     Type pointer, Type &maskType, Type &otherType) {
  Type element = getElementTypeOrSelf(pointer);
  auto ptr = dyn_cast<PtrType>(element);
  if (!ptr)
    return failure();
  maskType = withElementType(pointer, IntegerType::get(pointer.getContext(), 1));
  otherType = withElementType(pointer, ptr.getPointee());
  return success();
}
static void printMaskAndOther(OpAsmPrinter &, Operation *, Value, Value, Type, Type, Type) {}

static ParseResult parseStoreTypes(OpAsmParser &, std::optional<OpAsmParser::UnresolvedOperand>,
                                   Type pointer, Type &value, Type &mask) {
  auto ptr = dyn_cast<PtrType>(getElementTypeOrSelf(pointer));
  if (!ptr)
    return failure();
  value = withElementType(pointer, ptr.getPointee());
  mask = withElementType(pointer, IntegerType::get(pointer.getContext(), 1));
  return success();
}
static void printStoreTypes(OpAsmPrinter &, Operation *, Value, Type, Type, Type) {}

#define GET_OP_CLASSES
#include "Tile/IR/TileOps.cpp.inc"

LogicalResult ArangeOp::verify() { return success(); }
OpFoldResult SplatOp::fold(FoldAdaptor) { return {}; }
LogicalResult SplatOp::verify() { return success(); }
OpFoldResult ExpandDimsOp::fold(FoldAdaptor) { return {}; }
LogicalResult ExpandDimsOp::verify() { return success(); }
OpFoldResult BroadcastOp::fold(FoldAdaptor) { return {}; }
LogicalResult BroadcastOp::verify() { return success(); }
OpFoldResult ConvertLayoutOp::fold(FoldAdaptor) { return {}; }
LogicalResult ConvertLayoutOp::verify() { return success(); }
OpFoldResult AddPtrOp::fold(FoldAdaptor) { return {}; }
LogicalResult AddPtrOp::verify() { return success(); }
LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location>, ValueRange operands,
                                       DictionaryAttr, OpaqueProperties, RegionRange,
                                       SmallVectorImpl<Type> &types) {
  auto ptr = dyn_cast<PtrType>(getElementTypeOrSelf(operands[0].getType()));
  if (!ptr)
    return failure();
  types.push_back(withElementType(operands[0].getType(), ptr.getPointee()));
  return success();
}
LogicalResult LoadOp::verify() { return success(); }
LogicalResult StoreOp::verify() { return success(); }
OpFoldResult ReshapeOp::fold(FoldAdaptor) { return {}; }
LogicalResult ReshapeOp::verify() { return success(); }
OpFoldResult TransOp::fold(FoldAdaptor) { return {}; }
LogicalResult TransOp::verify() { return success(); }
OpFoldResult PtrCastOp::fold(FoldAdaptor) { return {}; }
LogicalResult JoinOp::verify() { return success(); }
LogicalResult SplitOp::verify() { return success(); }
LogicalResult AtomicRMWOp::verify() { return success(); }
LogicalResult AtomicCASOp::verify() { return success(); }
LogicalResult ReduceOp::verify() { return success(); }
LogicalResult ScanOp::verify() { return success(); }
LogicalResult DotOp::verify() { return success(); }
LogicalResult PtrToIntOp::verify() { return success(); }
LogicalResult IntToPtrOp::verify() { return success(); }
LogicalResult PtrCastOp::verify() { return success(); }
LogicalResult ReduceOp::verifyRegions() { return success(); }
LogicalResult ScanOp::verifyRegions() { return success(); }
