// Loads that feed dots, begun some iterations ahead of the dots and copied past the registers.
//
// A loop that multiplies what it loads waits for memory in every iteration:
//
//   for i:   a = load(p + i)   a' = convert a to the operand's layout   c = dot(a', ...)
//
// Memory takes about a thousand cycles, the dot a few hundred, and `a` takes registers twice, on
// the way to shared memory and as an operand. Instead, with S stages, S - 1 iterations' tiles are
// under way while one is multiplied, each in a slot of a buffer in shared memory, copied there by
// instructions that do not go through registers. For S = 3:
//
//   slot        0            1            2
//   before      copy 0       copy 1
//   i = 0       wait for 0                copy 2       dot(slot 0)
//   i = 1       copy 3       wait for 1                dot(slot 1)
//   i = 2                    copy 4       wait for 2   dot(slot 2)
//
// Copies form groups, one an iteration, and groups end in order. In iteration i, i + S - 1 groups
// have been made, and all but the last S - 2 must have ended: those up to that of i. Waiting for
// copies is waiting for those of all threads, so a barrier goes with it. The same barrier says that
// all threads have read what iteration i - 1 multiplied; that slot is the next one to be written,
// (i - 1) mod S = (i + S - 1) mod S, so one barrier an iteration will do. Copies therefore come
// right behind the wait, and the dot last.
//
// The rotation itself is upstream's scf::pipelineForLoop: what it takes to begin the copies
// (addresses, masks, the slot's number) is stage 0, most else is stage S - 1. Values that both need
// are computed once for each, rather than carried from one iteration to the next in registers. Small
// tiles that something else than a dot needs are loaded into registers one iteration ahead, in stage
// S - 2. In the last S - 1 iterations there is nothing left to copy: the masks are false, and the
// groups empty of reads. Tested by test/Tile/pipeline-loads.mlir; the manual is Passes.td.
#include "Tile/Transforms/AxisInfo.h"
#include "Tile/Transforms/LayoutRules.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"

namespace teeny::tile {
#define GEN_PASS_DEF_PIPELINELOADS
#include "Tile/Transforms/Passes.h.inc"
} // namespace teeny::tile

using namespace mlir;
using namespace teeny::tile;

namespace {

// A load whose tile only dots read, and the conversions in front of them, of the tile itself or of
// the tile transposed.
struct DotLoad {
  LoadOp load;
  SmallVector<ConvertLayoutOp> reads;
  int64_t width; // elements that one copy moves

  // The tile as a conversion wants it, before it is transposed.
  RankedTensorType typeOf(ConvertLayoutOp read) {
    auto trans = read.getSource().getDefiningOp<TransOp>();
    return trans ? withLayout(load.getType(), sourceLayout(trans, layoutOf(read.getResult())))
                 : read.getType();
  }
};

bool isZero(Value value) {
  return !value || matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
}

std::optional<DotLoad> findDotLoad(LoadOp load, const AxisInfoMap &facts) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || load->hasAttr(volatileAttr) || !type.getElementType().isIntOrFloat() ||
      !isZero(load.getOther()) || load->use_empty())
    return std::nullopt;
  DotLoad found{load, {}, 0};
  auto addRead = [&](Operation *user) {
    auto read = dyn_cast<ConvertLayoutOp>(user);
    auto operand =
        read ? dyn_cast<DotOperandLayoutAttr>(layoutOf(read.getResult())) : DotOperandLayoutAttr();
    if (!operand || !isa<MmaLayoutAttr>(operand.getParent()) ||
        read->getBlock() != load->getBlock())
      return false;
    found.reads.push_back(read);
    return true;
  };
  for (Operation *user : load->getUsers()) {
    auto trans = dyn_cast<TransOp>(user);
    if (trans ? !llvm::all_of(trans->getUsers(), addRead) : !addRead(user))
      return std::nullopt;
  }
  if (found.reads.empty())
    return std::nullopt;
  // What one thread holds side by side in memory, at most 16 bytes and at least 4.
  int64_t bits = type.getElementType().getIntOrFloatBitWidth();
  LinearLayout layout = layoutOf(load.getResult()).toLinear(type.getShape());
  for (unsigned dim = 0; dim < unsigned(type.getRank()); ++dim)
    found.width = std::max(
        found.width,
        std::min<int64_t>({128 / bits, int64_t(layout.consecutive(Dim::reg, tensorDim(dim))),
                           facts.accessWidth(load.getPointer(), load.getMask(), dim)}));
  if (found.width * bits < 32)
    return std::nullopt;
  // A buffer is made for one layout of what reads it, or for any.
  bool isUniform = llvm::all_of(found.reads, [&](ConvertLayoutOp read) {
    return found.typeOf(read) == found.typeOf(found.reads[0]);
  });
  if (!isUniform && !canLieInRows(type, layoutOf(load.getResult()), found.width))
    return std::nullopt;
  return found;
}

// Other loads of a loop, of few elements a thread, that can begin one iteration ahead and keep
// their tile in registers until then.
bool isSmallLoad(LoadOp load) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  return type && !load->hasAttr(volatileAttr) &&
         layoutOf(load.getResult()).toLinear(type.getShape()).inSize(Dim::reg) <= 8;
}

class Pipeliner {
public:
  Pipeliner(scf::ForOp loop, const AxisInfoMap &facts) : loop(loop), body(loop.getBody()) {
    for (auto load : body->getOps<LoadOp>())
      if (std::optional<DotLoad> found = findDotLoad(load, facts))
        loads.push_back(*found);
      else if (isSmallLoad(load))
        smallLoads.push_back(load);
  }

  // Bytes of one slot of every buffer; 0 where there is nothing to do.
  int64_t bytesPerStage() {
    int64_t bytes = 0;
    for (DotLoad &each : loads)
      bytes += bufferBytes(cast<RankedTensorType>(each.load.getType()), 1);
    return bytes;
  }

  // Bytes that the loop needs besides: for exchanges, and for left operands from outside of it,
  // which tile-use-warpgroup-dots may put into buffers of their own.
  int64_t otherBytes() {
    int64_t bytes = exchangedBytes(loop);
    llvm::SmallSetVector<Value, 4> operands;
    for (auto dot : body->getOps<DotOp>())
      if (Value lhs = dot.getLhs(); isa_and_nonnull<MmaLayoutAttr>(layoutOf(dot.getResult())) &&
                                    lhs.getParentBlock() != body && operands.insert(lhs))
        bytes += bufferBytes(cast<RankedTensorType>(lhs.getType()), 1);
    return bytes;
  }

  // Whether the copies can be begun apart from everything else.
  bool isPossible() {
    WalkResult writes = loop.walk([&](Operation *op) {
      bool inner = op != loop && isa<LoopLikeOpInterface>(op);
      bool reads = isa<LoadOp>(op) || isMemoryEffectFree(op) ||
                   op->hasTrait<OpTrait::HasRecursiveMemoryEffects>();
      return inner || !reads ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (writes.wasInterrupted())
      return false;
    for (DotLoad &each : loads)
      for (Value value : {each.load.getPointer(), each.load.getMask()})
        if (value && !addAddress(value))
          return false;
    // What the loop carries for addresses must serve nothing else.
    for (BlockArgument argument : carried) {
      if (!loop.getTiedLoopResult(argument).use_empty())
        return false;
      for (OpOperand &use : argument.getUses())
        if (!addresses.contains(use.getOwner()) && !isAddressUse(use))
          return false;
    }
    return true;
  }

  LogicalResult run(IRRewriter &rewriter, int64_t stages);

private:
  // Adds what computes a value in the loop; false if that has effects.
  bool addAddress(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != body || argument == loop.getInductionVar() ||
          !carried.insert(argument))
        return true;
      return addAddress(loop.getTiedLoopYieldedValue(argument)->get());
    }
    Operation *op = value.getDefiningOp();
    if (op->getBlock() != body || addresses.contains(op))
      return true;
    if (!isMemoryEffectFree(op) || op->getNumRegions())
      return false;
    addresses.insert(op);
    return llvm::all_of(op->getOperands(), [&](Value operand) { return addAddress(operand); });
  }

  // A use by the loads themselves, or by the loop to carry an address on.
  bool isAddressUse(OpOperand &use) {
    if (use.getOwner() == body->getTerminator())
      return carried.contains(loop.getRegionIterArg(use.getOperandNumber()));
    return llvm::any_of(loads, [&](DotLoad &each) { return each.load == use.getOwner(); });
  }

  // Adds what computes a value from the iteration alone; false if there is something else in it.
  bool addOrigin(Value value, llvm::SmallSetVector<Operation *, 16> &origin) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return argument.getOwner() != body || argument == loop.getInductionVar();
    Operation *op = value.getDefiningOp();
    if (op->getBlock() != body || origin.contains(op))
      return true;
    if (!isMemoryEffectFree(op) || op->getNumRegions() ||
        !llvm::all_of(op->getOperands(), [&](Value operand) { return addOrigin(operand, origin); }))
      return false;
    origin.insert(op);
    return true;
  }

  // Small loads that can begin early, with addresses of their own, in `early`.
  void prepareSmallLoads(IRRewriter &rewriter, SmallVectorImpl<Operation *> &early) {
    for (LoadOp load : smallLoads) {
      llvm::SmallSetVector<Operation *, 16> origin;
      if (!llvm::all_of(load->getOperands(),
                        [&](Value operand) { return addOrigin(operand, origin); }))
        continue;
      rewriter.setInsertionPoint(load);
      IRMapping mapping;
      for (Operation *op : origin)
        early.push_back(rewriter.clone(*op, mapping));
      for (OpOperand &operand : load->getOpOperands())
        operand.set(mapping.lookupOrDefault(operand.get()));
      early.push_back(load);
    }
  }

  // Copies of the addresses' operations for the uses that are no addresses.
  void separate(IRRewriter &rewriter) {
    for (Operation &op : llvm::make_early_inc_range(*body)) {
      if (!addresses.contains(&op))
        continue;
      rewriter.setInsertionPointAfter(&op);
      Operation *again = nullptr;
      for (OpResult result : op.getResults())
        for (OpOperand &use : llvm::make_early_inc_range(result.getUses())) {
          Operation *user = body->findAncestorOpInBlock(*use.getOwner());
          if (addresses.contains(user) || isAddressUse(use))
            continue;
          if (!again)
            again = rewriter.clone(op);
          use.set(again->getResult(result.getResultNumber()));
        }
    }
  }

  Value nextSlot(IRRewriter &rewriter, Value slot, SmallVectorImpl<Operation *> &made) {
    Location loc = loop.getLoc();
    auto add = [&](auto op) { return made.push_back(op), op; };
    auto next = add(arith::AddIOp::create(rewriter, loc, slot, one));
    auto wraps = add(arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::eq, next, end));
    return add(arith::SelectOp::create(rewriter, loc, wraps, zero, next));
  }

  scf::ForOp loop;
  Block *body;
  SmallVector<DotLoad> loads;
  SmallVector<LoadOp> smallLoads;
  llvm::SmallSetVector<Operation *, 16> addresses;
  llvm::SmallSetVector<BlockArgument, 4> carried;
  Value zero, one, end;
};

LogicalResult Pipeliner::run(IRRewriter &rewriter, int64_t stages) {
  separate(rewriter);
  SmallVector<Operation *> ahead(addresses.begin(), addresses.end()), early, behind;
  prepareSmallLoads(rewriter, early);
  Location loc = loop.getLoc();
  rewriter.setInsertionPoint(loop);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(rewriter, loc, rewriter.getI32IntegerAttr(value));
  };
  zero = constant(0), one = constant(1), end = constant(stages);
  SmallVector<Value> buffers;
  for (DotLoad &each : loads) {
    RankedTensorType tile = each.typeOf(each.reads[0]);
    if (llvm::any_of(each.reads, [&](auto read) { return each.typeOf(read) != tile; }))
      tile = RankedTensorType::get(tile.getShape(), tile.getElementType());
    auto type =
        BufferType::get(rewriter.getContext(), stages, tile, layoutOf(each.load.getResult()));
    buffers.push_back(AllocBufferOp::create(rewriter, loc, type));
  }
  // The buffers' memory is free, and will be again.
  BarrierOp::create(rewriter, loc);
  rewriter.setInsertionPointAfter(loop);
  WaitCopiesOp::create(rewriter, loc, 0);

  // The loop carries the slots to write and to read next.
  rewriter.setInsertionPoint(loop);
  auto replaced = loop.replaceWithAdditionalYields(
      rewriter, {zero, zero}, /*replaceInitOperandUsesInLoop=*/false,
      [&](OpBuilder &, Location, ArrayRef<BlockArgument> slots) {
        rewriter.setInsertionPointToStart(body);
        auto wait = WaitCopiesOp::create(rewriter, loc, stages - 2);
        behind.push_back(wait);
        rewriter.setInsertionPoint(body->getTerminator());
        return SmallVector<Value>{nextSlot(rewriter, slots[0], ahead),
                                  nextSlot(rewriter, slots[1], behind)};
      });
  if (failed(replaced))
    return failure();
  loop = cast<scf::ForOp>(replaced->getOperation());
  body = loop.getBody();
  Value writeSlot = loop.getRegionIterArgs().end()[-2], readSlot = loop.getRegionIterArgs().back();
  Operation *last = nullptr;
  for (auto &&[each, buffer] : llvm::zip(loads, buffers)) {
    LoadOp load = each.load;
    rewriter.setInsertionPoint(load);
    last = CopyAsyncOp::create(rewriter, load.getLoc(), load.getPointer(), buffer, writeSlot,
                               load.getMask(), each.width);
    ahead.push_back(last);
    for (ConvertLayoutOp read : each.reads) {
      auto trans = read.getSource().getDefiningOp<TransOp>();
      rewriter.setInsertionPoint(read);
      Value tile =
          ReadBufferOp::create(rewriter, read.getLoc(), each.typeOf(read), buffer, readSlot);
      if (trans)
        tile = TransOp::create(rewriter, read.getLoc(), read.getType(), tile, trans.getOrder());
      rewriter.replaceOp(read, tile);
      if (trans && trans->use_empty())
        rewriter.eraseOp(trans);
    }
    rewriter.eraseOp(load);
  }
  rewriter.setInsertionPointAfter(last);
  ahead.push_back(CommitCopiesOp::create(rewriter, loc));

  scf::PipeliningOption options;
  options.peelEpilogue = false;
  options.supportDynamicLoops = true;
  options.getScheduleFn = [&](scf::ForOp, std::vector<std::pair<Operation *, unsigned>> &schedule) {
    unsigned latest = stages - 1;
    DenseMap<Operation *, unsigned> stageOf;
    for (Operation *op : ahead)
      stageOf[op] = 0;
    for (Operation *op : early)
      stageOf[op] = latest - 1;
    // Copies, small loads, and the rest, each in order.
    schedule.push_back({behind[0], latest});
    for (ArrayRef<Operation *> list : {ArrayRef(ahead), ArrayRef(early)})
      for (Operation &op : body->without_terminator())
        if (llvm::is_contained(list, &op))
          schedule.push_back({&op, stageOf.lookup(&op)});
    for (Operation &op : body->without_terminator())
      if (&op != behind[0] && !stageOf.contains(&op))
        schedule.push_back({&op, latest});
  };
  options.predicateFn = [](RewriterBase &rewriter, Operation *op, Value predicate) {
    auto add = [&](Value pointer, MutableOperandRange mask) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(op);
      Type type = cast<RankedTensorType>(pointer.getType()).clone(rewriter.getI1Type());
      Value both = SplatOp::create(rewriter, op->getLoc(), type, predicate);
      if (!mask.empty())
        both = arith::AndIOp::create(rewriter, op->getLoc(), mask[0].get(), both);
      mask.assign(both);
    };
    if (auto copy = dyn_cast<CopyAsyncOp>(op))
      add(copy.getPointer(), copy.getMaskMutable());
    else if (auto load = dyn_cast<LoadOp>(op))
      add(load.getPointer(), load.getMaskMutable());
    return op;
  };
  rewriter.setInsertionPoint(loop);
  FailureOr<scf::ForOp> pipelined = scf::pipelineForLoop(rewriter, loop, options);
  if (succeeded(pipelined))
    (*pipelined)->setAttr(buffersAttr, rewriter.getUnitAttr());
  return pipelined;
}

struct PipelineLoads final : teeny::tile::impl::PipelineLoadsBase<PipelineLoads> {
  using PipelineLoadsBase::PipelineLoadsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    SmallVector<scf::ForOp> loops;
    function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    AxisInfoMap facts(function);
    // Decided for all loops before the first changes: facts hold for what was there.
    SmallVector<std::pair<Pipeliner, int64_t>, 0> plans;
    for (scf::ForOp loop : loops)
      if (Pipeliner pipeliner(loop, facts); pipeliner.bytesPerStage() && pipeliner.isPossible())
        plans.push_back({std::move(pipeliner), numStages(loop)});
    int64_t left = sharedBytes;
    IRRewriter rewriter(function.getContext());
    for (auto &[pipeliner, stages] : plans) {
      int64_t bytes = pipeliner.bytesPerStage();
      stages = std::min(stages, (left - pipeliner.otherBytes()) / bytes);
      if (stages < 2)
        continue;
      left -= stages * bytes;
      if (failed(pipeliner.run(rewriter, stages)))
        return signalPassFailure();
    }
  }
};

} // namespace
