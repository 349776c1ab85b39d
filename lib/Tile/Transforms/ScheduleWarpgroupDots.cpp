// When the dots of warp groups begin, and when they are waited for.
//
// The matrix instructions run on their own; the threads do arithmetic meanwhile, or begin copies.
// tile-use-warpgroup-dots waits for each dot at once. Take attention, whose iteration is
//
//   wait for copies   copies ahead   s = q k   wait   p = softmax(s)   o += p v   wait
//
// Here nothing runs beside anything. This pass
//
// 1. lets what only the next iteration needs be waited for there, in front of its wait for copies:
//    the barrier in that says that all threads have done with the slot that is written next;
// 2. begins dots whose operands are there as soon as copies have been waited for, in front of the
//    next copies, as long as their results take few registers;
// 3. moves the other waits to where the result is used, and lets those dots run on which were begun
//    since.
//
//   wait for o   wait for copies   s = q k   copies ahead   wait for s   p = softmax(s)   o += p v
//
// In the gradients, a second product of what was loaded begins with the first and runs while the
// exponentials of the first are computed. Tested by test/Tile/schedule-warpgroup-dots.mlir; the
// manual is Passes.td.
#include "Tile/Transforms/LayoutRules.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

namespace teeny::tile {
#define GEN_PASS_DEF_SCHEDULEWARPGROUPDOTS
#include "Tile/Transforms/Passes.h.inc"
} // namespace teeny::tile

using namespace mlir;
using namespace teeny::tile;

namespace {

// Results in registers of one thread that dots may hold which begin early.
constexpr int64_t maxEarlyRegisters = 128;

int64_t registersOf(WarpgroupDotOp dot) {
  auto tile = cast<RankedTensorType>(dot.getType());
  return layoutOf(dot.getResult()).toLinear(tile.getShape()).inSize(Dim::reg);
}

// A loop whose dots read buffers that copies fill in it.
class Scheduler {
public:
  explicit Scheduler(scf::ForOp loop) : loop(loop), body(loop.getBody()) {}

  void run() {
    auto waits = body->getOps<WaitCopiesOp>();
    if (waits.empty())
      return;
    copiesThere = *waits.begin();
    carryDots();
    beginEarly();
  }

private:
  void carryDots() {
    OpBuilder builder(loop.getContext());
    Operation *yield = body->getTerminator();
    for (OpOperand &operand : yield->getOpOperands()) {
      auto wait = operand.get().getDefiningOp<WaitDotsOp>();
      if (!wait || wait->getBlock() != body || !wait->hasOneUse())
        continue;
      unsigned number = operand.getOperandNumber();
      operand.set(wait.getDot());
      wait->erase();
      BlockArgument variable = loop.getRegionIterArg(number);
      builder.setInsertionPoint(copiesThere);
      auto before = WaitDotsOp::create(builder, loop.getLoc(), 0, variable);
      variable.replaceAllUsesExcept(before, before);
      Value result = loop.getResult(number);
      builder.setInsertionPointAfter(loop);
      auto after = WaitDotsOp::create(builder, loop.getLoc(), 0, result);
      result.replaceAllUsesExcept(after, after);
    }
  }

  void beginEarly() {
    Operation *last = copiesThere;
    int64_t registers = 0;
    for (auto dot : llvm::make_early_inc_range(body->getOps<WarpgroupDotOp>())) {
      bool ready = llvm::all_of(dot->getOperands(), [&](Value operand) {
        Operation *op = operand.getDefiningOp();
        return !op || op->getBlock() != body || op->isBeforeInBlock(last);
      });
      // A sum that the loop carries takes its registers anyhow.
      int64_t more = dot.getAcc().getDefiningOp<WaitDotsOp>() ? 0 : registersOf(dot);
      if (!ready || registers + more > maxEarlyRegisters)
        continue;
      registers += more;
      dot->moveAfter(last);
      last = dot;
    }
  }

  scf::ForOp loop;
  Block *body;
  Operation *copiesThere = nullptr; // the wait for copies at the begin of the body
};

// Waits right before the first use.
void delay(WaitDotsOp wait) {
  Block *block = wait->getBlock();
  auto dot = wait.getDot().getDefiningOp<WarpgroupDotOp>();
  if (!dot || dot->getBlock() != block)
    return;
  Operation *first = block->getTerminator();
  for (Operation *user : wait->getUsers())
    if (Operation *op = block->findAncestorOpInBlock(*user); op->isBeforeInBlock(first))
      first = op;
  wait->moveBefore(first);
  // Groups end in order.
  unsigned since = 0;
  for (Operation *op = dot->getNextNode(); op != wait; op = op->getNextNode())
    since += isa<WarpgroupDotOp>(op);
  wait.setPending(since);
}

struct ScheduleWarpgroupDots final
    : teeny::tile::impl::ScheduleWarpgroupDotsBase<ScheduleWarpgroupDots> {
  using ScheduleWarpgroupDotsBase::ScheduleWarpgroupDotsBase;

  void runOnOperation() override {
    getOperation().walk([](scf::ForOp loop) {
      if (loop->hasAttr(buffersAttr))
        Scheduler(loop).run();
    });
    getOperation().walk([](WaitDotsOp wait) { delay(wait); });
  }
};

} // namespace
