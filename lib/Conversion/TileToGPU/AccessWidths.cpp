#include "Conversion/TileToGPU/AccessWidths.h"
#include "Conversion/TileToGPU/Distribution.h"
#include "Tile/Transforms/AxisInfo.h"

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

llvm::DenseMap<Operation *, unsigned> teeny::gpu::findAccessWidths(func::FuncOp kernel) {
  tile::AxisInfoMap facts(kernel);
  llvm::DenseMap<Operation *, unsigned> widths;
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op); load && isa<RankedTensorType>(load.getType()))
      widths[op] = accessWidth(facts, load.getPointer(), load.getMask());
    if (auto store = dyn_cast<tile::StoreOp>(op);
        store && isa<RankedTensorType>(store.getPointer().getType()))
      widths[op] = accessWidth(facts, store.getPointer(), store.getMask());
  });
  return widths;
}
