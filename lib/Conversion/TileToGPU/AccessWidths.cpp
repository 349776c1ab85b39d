#include "Conversion/TileToGPU/AccessWidths.h"
#include "Conversion/TileToGPU/Distribution.h"
#include "Tile/Transforms/AxisInfo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/MapVector.h"

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

// Bits of a register's number whose change stays within an aligned group of equal elements.
static unsigned equalRegisters(const tile::AxisInfoMap &facts, Value value) {
  tile::LinearLayout layout = linearLayout(value.getType());
  tile::AxisInfo info = facts.of(value);
  unsigned equal = 0;
  for (unsigned bit = 0; bit < layout.inBits(Dim::reg); ++bit) {
    auto stays = [&](unsigned dim) {
      return int64_t(layout.basis(Dim::reg, bit, tile::tensorDim(dim))) < info.dims[dim].constancy;
    };
    if (llvm::all_of(llvm::seq<unsigned>(info.dims.size()), stays))
      equal |= 1u << bit;
  }
  return equal;
}

// Notes the comparisons, and conjunctions of such, behind a mask: whether all accesses under them
// move several elements.
static void noteMask(Value mask, bool isWide, llvm::MapVector<Operation *, bool> &allWide) {
  Operation *op = mask ? mask.getDefiningOp() : nullptr;
  if (!op || !isa<RankedTensorType>(mask.getType()))
    return;
  if (isa<tile::BroadcastOp, tile::ExpandDimsOp>(op))
    return noteMask(op->getOperand(0), isWide, allWide);
  if (!isa<arith::CmpIOp, arith::AndIOp>(op))
    return;
  auto [entry, isNew] = allWide.try_emplace(op, isWide);
  if (!isNew)
    entry->second &= isWide;
  if (isa<arith::AndIOp>(op))
    for (Value part : op->getOperands())
      noteMask(part, isWide, allWide);
}

AccessFacts teeny::gpu::findAccessFacts(func::FuncOp kernel) {
  tile::AxisInfoMap facts(kernel);
  AccessFacts found;
  llvm::MapVector<Operation *, bool> allWide;
  kernel.walk([&](Operation *op) {
    Value pointer, mask;
    if (auto load = dyn_cast<tile::LoadOp>(op))
      pointer = load.getPointer(), mask = load.getMask();
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      pointer = store.getPointer(), mask = store.getMask();
    else if (auto atomic = dyn_cast<tile::AtomicRMWOp>(op))
      pointer = atomic.getPointer(), mask = atomic.getMask();
    if (!pointer || !isa<RankedTensorType>(pointer.getType()))
      return;
    unsigned width = found.widths[op] = accessWidth(facts, pointer, mask);
    noteMask(mask, width > 1, allWide);
  });
  // Where each element has its own access, a comparison for each is cheaper than predicates that
  // live long.
  for (auto [op, isWide] : allWide)
    if (isWide)
      found.equalRegisters[op] = equalRegisters(facts, op->getResult(0));
  return found;
}
