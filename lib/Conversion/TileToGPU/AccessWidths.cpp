#include "Conversion/TileToGPU/AccessWidths.h"
#include "Conversion/TileToGPU/Distribution.h"
#include "Tile/Transforms/AxisInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;
using tile::Dim;

static unsigned accessWidth(const tile::AxisInfoMap &facts, Value pointer, Value mask) {
  auto type = cast<RankedTensorType>(pointer.getType());
  tile::LinearLayout layout = linearLayout(type);
  Type pointee = cast<tile::PtrType>(type.getElementType()).getPointee();
  int64_t most = 128 / storageBits(registerType(pointee));
  int64_t width = 1;
  for (unsigned dim = 0; dim < unsigned(type.getRank()); ++dim)
    width =
        std::max(width, std::min({most, int64_t(layout.consecutive(Dim::reg, tile::tensorDim(dim))),
                                  facts.accessWidth(pointer, mask, dim)}));
  return width;
}

// Comparisons that make up the mask of an access of `width` elements are decided once for these.
// Those of masks that another access needs for each of its elements keep to the narrowest.
static void shareMask(const tile::AxisInfoMap &facts, Value mask, unsigned width,
                      llvm::DenseMap<Operation *, unsigned> &widths) {
  Operation *op = mask ? mask.getDefiningOp() : nullptr;
  if (!op || !isa<RankedTensorType>(mask.getType()))
    return;
  if (isa<tile::BroadcastOp, tile::ExpandDimsOp>(op))
    return shareMask(facts, op->getOperand(0), width, widths);
  if (!isa<arith::CmpIOp, arith::AndIOp>(op))
    return;
  tile::LinearLayout layout = linearLayout(mask.getType());
  int64_t equal = 1;
  for (auto [dim, fact] : llvm::enumerate(facts.of(mask).dims))
    equal = std::max(equal, std::min(int64_t(layout.consecutive(Dim::reg, tile::tensorDim(dim))),
                                     fact.constancy));
  auto [entry, isNew] = widths.try_emplace(op, unsigned(std::min<int64_t>(equal, width)));
  if (!isNew)
    entry->second = std::min<unsigned>(entry->second, width);
  if (isa<arith::AndIOp>(op))
    for (Value part : op->getOperands())
      shareMask(facts, part, width, widths);
}

llvm::DenseMap<Operation *, unsigned> teeny::gpu::findAccessWidths(func::FuncOp kernel) {
  tile::AxisInfoMap facts(kernel);
  llvm::DenseMap<Operation *, unsigned> widths;
  kernel.walk([&](Operation *op) {
    Value pointer, mask;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      pointer = load.getPointer(), mask = load.getMask();
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      pointer = store.getPointer(), mask = store.getMask();
    if (!pointer || !isa<RankedTensorType>(pointer.getType()))
      return;
    unsigned width = widths[op] = accessWidth(facts, pointer, mask);
    shareMask(facts, mask, width, widths);
  });
  return widths;
}
