#include "Tile/Transforms/AccessLayouts.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace teeny::tile;

// What one instruction moves for a thread at most.
static constexpr int64_t maxAccessBytes = 16;

AccessWish teeny::tile::wishOf(Operation *access, const AxisInfoMap &facts) {
  Value pointer = access->getOperand(0), mask;
  if (auto load = dyn_cast<LoadOp>(access))
    mask = load.getMask();
  else if (auto store = dyn_cast<StoreOp>(access))
    mask = store.getMask();
  else if (auto atomic = dyn_cast<AtomicRMWOp>(access))
    mask = atomic.getMask();
  AxisInfo pointers = facts.of(pointer);
  auto type = cast<RankedTensorType>(pointer.getType());

  AccessWish wish;
  for (unsigned dim = pointers.dims.size(); dim-- > 0;)
    wish.order.push_back(dim);
  llvm::stable_sort(wish.order, [&](int64_t a, int64_t b) {
    return pointers.dims[a].contiguity > pointers.dims[b].contiguity;
  });
  wish.bytes = type.getNumElements() * pointers.unit;
  // Atomics go one element at a time.
  if (isa<LoadOp, StoreOp>(access))
    wish.width = std::min(facts.accessWidth(pointer, mask, wish.order[0]),
                          std::max<int64_t>(1, maxAccessBytes / pointers.unit));
  return wish;
}

BlockedLayoutAttr teeny::tile::blockedLayout(MLIRContext *context, ArrayRef<int64_t> shape,
                                             ArrayRef<int64_t> order, int64_t width,
                                             ThreadCounts threads) {
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  SmallVector<int64_t> registers(shape.size(), 1), lanes(registers), warps(registers);
  registers[order[0]] = std::min(
      {width, shape[order[0]], std::max<int64_t>(1, elements / (threads.lanes * threads.warps))});
  int64_t lanesLeft = threads.lanes, warpsLeft = threads.warps;
  for (int64_t dim : order) {
    int64_t room = shape[dim] / registers[dim];
    lanes[dim] = std::min(lanesLeft, room);
    warps[dim] = std::min(warpsLeft, room / lanes[dim]);
    lanesLeft /= lanes[dim];
    warpsLeft /= warps[dim];
  }
  lanes[order.back()] *= lanesLeft;
  warps[order.back()] *= warpsLeft;
  return BlockedLayoutAttr::get(context, registers, lanes, warps, order);
}

int64_t teeny::tile::runOfWarp(const LinearLayout &layout, Dim dim) {
  unsigned bits = 0;
  auto held = [&](unsigned bit) {
    uint64_t image = layout.packOut({{dim, uint64_t(1) << bit}});
    for (Dim in : {Dim::reg, Dim::lane})
      for (unsigned i = 0; i < layout.inBits(in); ++i)
        if (layout.basis(in, i) == image)
          return true;
    return false;
  };
  while (bits < layout.outBits(dim) && held(bits))
    ++bits;
  return int64_t(1) << bits;
}
