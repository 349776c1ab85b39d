// Dots by the matrix instructions of warp groups, where their operands lie in buffers. Tested by
// test/Tile/use-warpgroup-dots.mlir; the manual is Passes.td.
#include "Tile/Transforms/LayoutRules.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace teeny::tile {
#define GEN_PASS_DEF_USEWARPGROUPDOTS
#include "Tile/Transforms/Passes.h.inc"
} // namespace teeny::tile

using namespace mlir;
using namespace teeny::tile;

namespace {

// Whether the instructions can multiply so: 64 rows to each four warps, 16 of k at a time.
bool fits(DotOp dot) {
  auto result = dot.getType();
  auto layout = dyn_cast_or_null<MmaLayoutAttr>(cast<RankedTensorType>(result).getEncoding());
  if (!layout || layout.getRank() != 2 || layout.getWarps()[0] % 4 || layout.getWarps()[1] != 1)
    return false;
  auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
  auto rhs = cast<RankedTensorType>(dot.getRhs().getType());
  auto tile = cast<RankedTensorType>(result);
  Type element = rhs.getElementType();
  int64_t n = tile.getDimSize(1);
  return (element.isF16() || element.isBF16()) && lhs.getElementType() == element &&
         tile.getElementType().isF32() && tile.getDimSize(0) % (16 * layout.getWarps()[0]) == 0 &&
         n >= 16 && n <= 256 && rhs.getDimSize(0) % 16 == 0 &&
         cast<DotOperandLayoutAttr>(lhs.getEncoding()).getKWidth() == 2;
}

// Whether the buffer can have the order that descriptors state: rows of 32 to 128 bytes, copied 16
// bytes at a time, slots at multiples of 1024 bytes.
bool fits(AllocBufferOp alloc) {
  BufferType type = alloc.getType();
  RankedTensorType tile = type.getTile();
  if (tile.getRank() != 2 || !tile.getElementType().isIntOrFloat() ||
      tile.getElementTypeBitWidth() != 16 || tile.getNumElements() * 2 % 1024)
    return false;
  for (Operation *user : alloc->getUsers())
    if (auto copy = dyn_cast<CopyAsyncOp>(user); copy && copy.getWidth() != 8)
      return false;
  LinearLayout writer = type.getWriter().toLinear(tile.getShape());
  for (unsigned dim = 0; dim < 2; ++dim)
    if (writer.consecutive(Dim::reg, tensorDim(dim)) >= 8)
      return tile.getDimSize(dim) >= 16 && tile.getDimSize(1 - dim) >= 8;
  return false;
}

// Whether all that is read of the buffer are operands of this number of such dots.
bool serves(AllocBufferOp alloc, unsigned number, const llvm::SmallSetVector<DotOp, 4> &dots) {
  for (Operation *user : alloc->getUsers()) {
    auto read = dyn_cast<ReadBufferOp>(user);
    if (!read)
      continue;
    for (OpOperand &use : read->getUses())
      if (auto dot = dyn_cast<DotOp>(use.getOwner());
          !dot || use.getOperandNumber() != number || !dots.contains(dot))
        return false;
  }
  return true;
}

AllocBufferOp bufferOf(Value tile) {
  auto read = tile.getDefiningOp<ReadBufferOp>();
  return read ? read.getBuffer().getDefiningOp<AllocBufferOp>() : AllocBufferOp();
}

struct UseWarpgroupDots final : teeny::tile::impl::UseWarpgroupDotsBase<UseWarpgroupDots> {
  using UseWarpgroupDotsBase::UseWarpgroupDotsBase;

  void runOnOperation() override {
    llvm::SmallSetVector<DotOp, 4> dots;
    getOperation().walk([&](DotOp dot) {
      AllocBufferOp left = bufferOf(dot.getLhs()), right = bufferOf(dot.getRhs());
      if (left && right && left != right && fits(dot) && fits(left) && fits(right))
        dots.insert(dot);
    });
    // A buffer has one order: all that read it must be such dots.
    auto isServed = [&](DotOp dot) {
      return serves(bufferOf(dot.getLhs()), 0, dots) && serves(bufferOf(dot.getRhs()), 1, dots);
    };
    while (dots.remove_if([&](DotOp dot) { return !isServed(dot); }))
      ;

    IRRewriter rewriter(&getContext());
    llvm::SmallSetVector<AllocBufferOp, 4> buffers;
    for (DotOp dot : dots) {
      auto lhs = dot.getLhs().getDefiningOp<ReadBufferOp>();
      auto rhs = dot.getRhs().getDefiningOp<ReadBufferOp>();
      buffers.insert(bufferOf(lhs));
      buffers.insert(bufferOf(rhs));
      rewriter.setInsertionPoint(dot);
      rewriter.replaceOpWithNewOp<WarpgroupDotOp>(dot, dot.getType(), lhs.getBuffer(),
                                                  lhs.getSlot(), rhs.getBuffer(), rhs.getSlot(),
                                                  dot.getAcc());
    }
    // The tiles of these buffers have the order of the instructions, not a layout of threads.
    for (AllocBufferOp alloc : buffers) {
      for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
        if (isa<ReadBufferOp>(user))
          rewriter.eraseOp(user);
      BufferType type = alloc.getType();
      RankedTensorType tile = type.getTile();
      alloc.getBuffer().setType(BufferType::get(
          &getContext(), type.getSlots(),
          RankedTensorType::get(tile.getShape(), tile.getElementType()), type.getWriter()));
    }
  }
};

} // namespace
