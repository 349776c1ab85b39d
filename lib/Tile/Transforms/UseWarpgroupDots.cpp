// Dots by the matrix instructions of warp groups, where their right operands lie in buffers. Tested
// by test/Tile/use-warpgroup-dots.mlir; the manual is Passes.td.
//
// A left operand can come from registers if it is computed beside the dot. One that comes from
// outside of the loop goes to a buffer of its own: where a loop has branches, ptxas (seen
// with 13.0) forgets that the next iteration needs registers which such an instruction reads in
// this one, and puts other values there.
#include "Tile/Transforms/LayoutRules.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
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

// Whether the left operand is computed in the dot's block, beyond moves of data.
bool isComputedBeside(DotOp dot) {
  Operation *op = dot.getLhs().getDefiningOp();
  while (op && isa<ConvertLayoutOp, TransOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return op && op->getBlock() == dot->getBlock();
}

// A left operand that comes from outside of the loop: where it can be written to a buffer, in front
// of the loop's first copy.
struct Outside {
  scf::ForOp loop;
  BarrierOp barrier;

  explicit Outside(DotOp dot) : loop(dot->getParentOfType<scf::ForOp>()) {
    if (!loop || !loop->hasAttr(buffersAttr) ||
        loop.getRegion().isAncestor(dot.getLhs().getParentRegion()))
      return;
    for (Operation *op = loop->getPrevNode(); op && !barrier; op = op->getPrevNode())
      barrier = dyn_cast<BarrierOp>(op);
    Operation *op = dot.getLhs().getDefiningOp();
    if (barrier && op && op->getBlock() == barrier->getBlock() && !op->isBeforeInBlock(barrier))
      barrier = {};
  }
};

struct UseWarpgroupDots final : teeny::tile::impl::UseWarpgroupDotsBase<UseWarpgroupDots> {
  using UseWarpgroupDotsBase::UseWarpgroupDotsBase;

  void runOnOperation() override {
    left = sharedBytes;
    int64_t exchanged = 0;
    getOperation().walk([&](Operation *op) {
      if (auto alloc = dyn_cast<AllocBufferOp>(op))
        left -= bufferBytes(alloc.getType().getTile(), alloc.getType().getSlots());
      else if (auto loop = dyn_cast<scf::ForOp>(op); loop && loop->hasAttr(buffersAttr))
        exchanged = std::max(exchanged, exchangedBytes(loop));
    });
    left -= exchanged;
    SmallVector<DotOp> dots;
    getOperation().walk([&](DotOp dot) {
      if (fits(dot) && Source(dot.getRhs()).fits())
        dots.push_back(dot);
    });
    for (DotOp dot : dots)
      replace(dot);
    // The tiles of these buffers have the order of the instructions, not a layout of threads.
    for (AllocBufferOp alloc : buffers) {
      BufferType type = alloc.getType();
      RankedTensorType tile = type.getTile();
      alloc.getBuffer().setType(BufferType::get(
          &getContext(), type.getSlots(),
          RankedTensorType::get(tile.getShape(), tile.getElementType()), type.getWriter()));
    }
    buffers.clear();
    written.clear();
  }

private:
  void replace(DotOp dot) {
    IRRewriter rewriter(dot);
    Source from(dot.getLhs()), right(dot.getRhs());
    Value lhs = dot.getLhs(), lhsSlot;
    bool transposed = false;
    if (from.fits()) {
      buffers.insert(from.alloc());
      lhs = from.read.getBuffer(), lhsSlot = from.read.getSlot();
      transposed = from.transposed;
    } else if (!isComputedBeside(dot)) {
      lhs = write(dot, rewriter);
      if (!lhs)
        return;
      lhsSlot = arith::ConstantOp::create(rewriter, dot.getLoc(), rewriter.getI32IntegerAttr(0));
    }
    buffers.insert(right.alloc());
    auto begun = WarpgroupDotOp::create(rewriter, dot.getLoc(), dot.getType(), lhs,
                                        right.read.getBuffer(), right.read.getSlot(), dot.getAcc(),
                                        lhsSlot, transposed, right.transposed);
    rewriter.replaceOpWithNewOp<WaitDotsOp>(dot, 0, begun);
  }

  // The left operand in a buffer of its own; null where there is no place or room for it.
  Value write(DotOp dot, IRRewriter &rewriter) {
    Value operand = dot.getLhs();
    Outside outside(dot);
    if (!outside.barrier)
      return {};
    Value &buffer = written[{operand, outside.loop}];
    if (buffer)
      return buffer;
    // As it was before it became an operand, if that can be written 16 bytes at once.
    auto convert = operand.getDefiningOp<ConvertLayoutOp>();
    Value tile = operand;
    if (convert && canLieInRows(convert.getSource().getType(), layoutOf(convert.getSource()), 8))
      tile = convert.getSource();
    auto type = cast<RankedTensorType>(tile.getType());
    int64_t bytes = bufferBytes(type, 1);
    if (bytes > left)
      return {};
    left -= bytes;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfter(outside.barrier);
    Location loc = dot.getLoc();
    auto slot = RankedTensorType::get(type.getShape(), type.getElementType());
    buffer = AllocBufferOp::create(rewriter, loc,
                                   BufferType::get(&getContext(), 1, slot, layoutOf(tile)));
    Value zero = arith::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(0));
    WriteBufferOp::create(rewriter, loc, tile, buffer, zero);
    return buffer;
  }

  int64_t left = 0; // of shared memory
  llvm::SmallSetVector<AllocBufferOp, 4> buffers;
  DenseMap<std::pair<Value, Operation *>, Value> written;
};

} // namespace
