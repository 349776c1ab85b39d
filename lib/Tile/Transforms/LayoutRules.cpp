#include "Tile/Transforms/LayoutRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace teeny::tile;

LayoutInterface teeny::tile::layoutOf(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor ? dyn_cast_or_null<LayoutInterface>(tensor.getEncoding()) : LayoutInterface();
}

RankedTensorType teeny::tile::withLayout(Type tile, LayoutInterface layout) {
  auto tensor = cast<RankedTensorType>(tile);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(), layout);
}

bool teeny::tile::isElementwise(Operation *op) {
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<AddPtrOp, PtrCastOp, PtrToIntOp, IntToPtrOp>(op);
}

bool teeny::tile::isTileAccess(Operation *op) {
  return isa<LoadOp, StoreOp, AtomicRMWOp, AtomicCASOp>(op) &&
         isa<RankedTensorType>(op->getOperand(0).getType());
}

bool teeny::tile::isCheap(Operation *op) {
  if (op->getNumRegions() || !isMemoryEffectFree(op))
    return false;
  if (isa<ArangeOp, SplatOp, ExpandDimsOp, BroadcastOp, TransOp, ReshapeOp, JoinOp, SplitOp,
          arith::ConstantOp>(op))
    return true;
  return isElementwise(op) && op->getName().getDialectNamespace() != "math";
}

bool teeny::tile::canLieInRows(RankedTensorType tile, LayoutInterface writer, int64_t width) {
  if (tile.getRank() != 2 || !tile.getElementType().isIntOrFloat() ||
      tile.getElementTypeBitWidth() != 16 || tile.getNumElements() * 2 % 1024 || width != 8)
    return false;
  LinearLayout linear = writer.toLinear(tile.getShape());
  for (unsigned dim = 0; dim < 2; ++dim)
    if (linear.consecutive(Dim::reg, tensorDim(dim)) >= 8)
      return tile.getDimSize(dim) >= 16 && tile.getDimSize(1 - dim) >= 8;
  return false;
}

int64_t teeny::tile::exchangedBytes(scf::ForOp loop) {
  int64_t bytes = 16384; // reductions and scans
  loop.walk([&](ConvertLayoutOp op) {
    RankedTensorType type = op.getType();
    int64_t element = type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 64;
    bytes = std::max(bytes, type.getNumElements() * std::max<int64_t>(element, 8) / 8);
  });
  return bytes;
}

int64_t teeny::tile::bufferBytes(RankedTensorType tile, int64_t slots) {
  return llvm::alignTo(slots * tile.getNumElements() * tile.getElementTypeBitWidth() / 8, 1024);
}

int64_t teeny::tile::kWidthOf(Type element) {
  return std::max<int64_t>(1, 32 / element.getIntOrFloatBitWidth());
}

namespace {

// A tile whose elements are moved to other coordinates: the layout by its map, by a readable name
// where there is one.
LayoutInterface moved(const LinearLayout &linear, MLIRContext *context) {
  return LinearMapLayoutAttr::get(context, linear);
}

SmallVector<int64_t> permuted(ArrayRef<int64_t> list, ArrayRef<int32_t> order) {
  return llvm::map_to_vector(order, [&](int32_t dim) { return list[dim]; });
}

// Dim i of the result is dim order[i] of the source.
LayoutInterface transposed(LayoutInterface source, ArrayRef<int64_t> sourceShape,
                           ArrayRef<int32_t> order) {
  auto blocked = dyn_cast<BlockedLayoutAttr>(source);
  if (!blocked)
    return moved(source.toLinear(sourceShape).transpose(order), source.getContext());
  SmallVector<int64_t> newPlace(order.size());
  for (auto [i, dim] : llvm::enumerate(order))
    newPlace[dim] = i;
  return BlockedLayoutAttr::get(
      source.getContext(), permuted(blocked.getRegisters(), order),
      permuted(blocked.getLanes(), order), permuted(blocked.getWarps(), order),
      llvm::map_to_vector(blocked.getOrder(), [&](int64_t dim) { return newPlace[dim]; }));
}

SmallVector<int32_t> inverted(ArrayRef<int32_t> order) {
  SmallVector<int32_t> inverse(order.size());
  for (auto [i, dim] : llvm::enumerate(order))
    inverse[dim] = i;
  return inverse;
}

// Two tiles side by side in a new last dim: two registers of one thread.
LayoutInterface paired(LayoutInterface half, ArrayRef<int64_t> halfShape) {
  LinearLayout pair = LinearLayout::identity(1, Dim::reg, tensorDim(halfShape.size()));
  return moved(pair * half.toLinear(halfShape), half.getContext());
}

LayoutInterface halved(LayoutInterface pair, ArrayRef<int64_t> pairShape) {
  Dim last = tensorDim(pairShape.size() - 1);
  LinearLayout linear = pair.toLinear(pairShape);
  std::optional<LinearLayout> half = linear.divide(LinearLayout::identity(1, Dim::reg, last));
  // Both halves in one thread, at its lowest register bit, or no layout.
  return half ? moved(half->withoutOut(last), pair.getContext()) : LayoutInterface();
}

ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

} // namespace

LayoutInterface teeny::tile::resultLayout(Operation *op, LayoutInterface source) {
  MLIRContext *context = op->getContext();
  return TypeSwitch<Operation *, LayoutInterface>(op)
      .Case([&](ExpandDimsOp op) {
        // The only layouts with a result are slices; any other is reached by way of a map.
        auto slice = dyn_cast<SliceLayoutAttr>(source);
        return slice && slice.getDim() == op.getAxis() ? slice.getParent() : LayoutInterface();
      })
      .Case([&](BroadcastOp) { return source; })
      .Case([&](TransOp op) { return transposed(source, shapeOf(op.getSource()), op.getOrder()); })
      .Case([&](ReshapeOp op) {
        return moved(source.toLinear(shapeOf(op.getSource())).reshape(shapeOf(op.getResult())),
                     context);
      })
      .Case([&](JoinOp op) { return paired(source, shapeOf(op.getLhs())); })
      .Case([&](SplitOp op) { return halved(source, shapeOf(op.getSource())); })
      .Case([&](ReduceOp op) {
        return source.getRank() > 1
                   ? LayoutInterface(SliceLayoutAttr::get(context, op.getAxis(), source))
                   : LayoutInterface();
      })
      .Default([&](Operation *) { return source; });
}

LayoutInterface teeny::tile::sourceLayout(Operation *op, LayoutInterface result) {
  MLIRContext *context = op->getContext();
  return TypeSwitch<Operation *, LayoutInterface>(op)
      .Case([&](ExpandDimsOp op) {
        return LayoutInterface(SliceLayoutAttr::get(context, op.getAxis(), result));
      })
      .Case([&](BroadcastOp) { return result; })
      .Case([&](TransOp op) {
        return transposed(result, shapeOf(op.getResult()), inverted(op.getOrder()));
      })
      .Case([&](ReshapeOp op) {
        return moved(result.toLinear(shapeOf(op.getResult())).reshape(shapeOf(op.getSource())),
                     context);
      })
      .Case([&](JoinOp op) { return halved(result, shapeOf(op.getResult())); })
      .Case([&](SplitOp op) { return paired(result, shapeOf(op.getLhs())); })
      .Case([&](ReduceOp op) {
        auto slice = dyn_cast<SliceLayoutAttr>(result);
        return slice && slice.getDim() == op.getAxis() ? slice.getParent() : LayoutInterface();
      })
      .Default([&](Operation *) { return result; });
}
