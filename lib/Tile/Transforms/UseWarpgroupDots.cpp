// Dots by the matrix instructions of warp groups, where their right operands lie in buffers. Tested
// by test/Tile/use-warpgroup-dots.mlir; the manual is Passes.td.
#include "Tile/Transforms/LayoutRules.h"
#include "Tile/Transforms/Passes.h"

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

// What an operand is read from: a slot of a buffer, which may hold it transposed.
struct Source {
  ReadBufferOp read;
  bool transposed = false;

  explicit Source(Value operand) {
    auto trans = operand.getDefiningOp<TransOp>();
    transposed = bool(trans);
    read = (trans ? trans.getSource() : operand).getDefiningOp<ReadBufferOp>();
  }
  AllocBufferOp alloc() { return read.getBuffer().getDefiningOp<AllocBufferOp>(); }
  // Whether the buffer is or can be one that the instructions read.
  bool fits() {
    if (!read)
      return false;
    for (Operation *user : read.getBuffer().getUsers())
      if (auto copy = dyn_cast<CopyAsyncOp>(user)) {
        BufferType type = copy.getBuffer().getType();
        if (!canLieInRows(type.getTile(), type.getWriter(), copy.getWidth()))
          return false;
      }
    return true;
  }
};

struct UseWarpgroupDots final : teeny::tile::impl::UseWarpgroupDotsBase<UseWarpgroupDots> {
  using UseWarpgroupDotsBase::UseWarpgroupDotsBase;

  void runOnOperation() override {
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) {
      if (fits(dot) && Source(dot.getRhs()).fits())
        dots.push_back(dot);
    });

    IRRewriter rewriter(&getContext());
    llvm::SmallSetVector<AllocBufferOp, 4> buffers;
    for (DotOp dot : dots) {
      Source left(dot.getLhs()), right(dot.getRhs());
      Value lhs = dot.getLhs(), lhsSlot;
      bool fromBuffer = left.fits();
      if (fromBuffer) {
        buffers.insert(left.alloc());
        lhs = left.read.getBuffer(), lhsSlot = left.read.getSlot();
      }
      buffers.insert(right.alloc());
      rewriter.setInsertionPoint(dot);
      auto begun = WarpgroupDotOp::create(rewriter, dot.getLoc(), dot.getType(), lhs,
                                          right.read.getBuffer(), right.read.getSlot(),
                                          dot.getAcc(), lhsSlot, fromBuffer && left.transposed,
                                          right.transposed);
      rewriter.replaceOpWithNewOp<WaitDotsOp>(dot, 0, begun);
    }
    // The tiles of these buffers have the order of the instructions, not a layout of threads.
    for (AllocBufferOp alloc : buffers) {
      BufferType type = alloc.getType();
      RankedTensorType tile = type.getTile();
      alloc.getBuffer().setType(BufferType::get(
          &getContext(), type.getSlots(),
          RankedTensorType::get(tile.getShape(), tile.getElementType()), type.getWriter()));
    }
  }
};

} // namespace
