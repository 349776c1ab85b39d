// Which tiles are kept in scratch memory; LoopFusion.h has the reasons.
#include "Conversion/TileToCPU/Aliasing.h"
#include "Conversion/TileToCPU/Planner.h"
#include "Conversion/TileToCPU/Reads.h"
#include "Conversion/TileToCPU/ShapeMaps.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

namespace {

// Costs of scalar operations, in additions.
constexpr int64_t loadCost = 2, divisionCost = 8, functionCost = 16, limit = 1000;
// How often the body of a loop runs, and an element is needed by broadcasting, at most to count.
constexpr int64_t guessedTrips = 8, mostUses = 64;

int64_t ownCost(Operation *op, int64_t operands) {
  if (isa<tile::LoadOp>(op))
    return loadCost;
  if (isa<tile::TileDialect>(op->getDialect()) || isa<arith::ConstantOp>(op))
    return 0;
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
    return matchPattern(op->getOperand(1), m_Constant()) ? divisionCost / 2 : divisionCost;
  if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return divisionCost;
  if (isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::FloorOp, math::CeilOp>(op))
    return 1;
  if (isa<math::MathDialect>(op->getDialect()) || isa<arith::RemFOp>(op))
    return functionCost;
  // Index arithmetic becomes addresses and loop bounds.
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType()));
  return isFloat || operands > 0 ? 1 : 0;
}

class Keeper {
public:
  Keeper(func::FuncOp kernel, DenseSet<Value> &kept) : kept(kept) {
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      order[op] = ops.size();
      ops.push_back(op);
      if (isa<tile::StoreOp, tile::AtomicRMWOp, tile::AtomicCASOp>(op))
        writers.push_back(op);
    });
  }

  void run() {
    for (Operation *op : ops)
      keepForced(op);
    for (Operation *op : ops)
      for (Value result : op->getResults())
        if (isTensor(result))
          cost[result] = treeCost(op);
    // Users come after what they use, so from the end all needs of a tile are known.
    for (Operation *op : llvm::reverse(ops))
      decide(op);
  }

private:
  struct Need {
    Operation *root;
    int64_t elements;
  };

  DenseSet<Value> &kept;
  std::vector<Operation *> ops;
  DenseMap<Operation *, size_t> order;
  SmallVector<Operation *> writers;
  DenseMap<Value, int64_t> cost;
  DenseMap<Value, SmallVector<Need>> needs;
  DenseSet<Value> forced; // by an operation that reads elements out of order

  // Tiles that cross control flow or that no expression yields.
  void keepForced(Operation *op) {
    if (op->getNumRegions() && !isa<func::FuncOp, tile::ReduceOp, tile::ScanOp>(op))
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            if (isTensor(argument))
              kept.insert(argument);
    for (Value result : op->getResults())
      if (isTensor(result) && !isLazy(op))
        kept.insert(result);
  }

  int64_t treeCost(Operation *op) {
    if (!isLazy(op))
      return 1;
    int64_t total = 0;
    for (Value operand : op->getOperands())
      if (isTensor(operand))
        total += kept.contains(operand) ? 1 : cost.lookup(operand);
    return std::min(limit, total + ownCost(op, total));
  }

  void decide(Operation *op) {
    if (!isLazy(op)) {
      for (Value operand : op->getOperands())
        if (isTensor(operand))
          need(operand, {op, elementCount(shapeOf(operand))});
      return;
    }
    bool keep = false;
    for (Value result : op->getResults())
      if (isTensor(result))
        keep |= mustKeep(result, op);
    if (keep)
      for (Value result : op->getResults())
        if (isTensor(result))
          kept.insert(result);
    for (Value operand : op->getOperands()) {
      if (!isTensor(operand))
        continue;
      if (keep) {
        need(operand, {op, elementCount(shapeOf(op->getResult(0)))});
        continue;
      }
      for (Value result : op->getResults())
        for (Need each : needs.lookup(result))
          need(operand, each);
    }
    if (auto reshape = dyn_cast<tile::ReshapeOp>(op))
      if (mixes(op) && cost.lookup(reshape.getSource()) > 0)
        forced.insert(reshape.getSource());
  }

  static bool mixes(Operation *op) {
    auto sources = mapToOperand(op->getResult(0));
    return sources &&
           llvm::any_of(*sources, [](DimSource source) { return source.kind == DimSource::mixed; });
  }

  void need(Value value, Need added) {
    SmallVector<Need> &all = needs[value];
    for (Need &known : all)
      if (known.root == added.root) {
        known.elements = std::max(known.elements, added.elements);
        return;
      }
    all.push_back(added);
  }

  bool mustKeep(Value value, Operation *op) {
    ArrayRef<Need> all = needs[value];
    if (all.empty())
      return false;
    if (forced.contains(value))
      return true;
    if (isa<tile::LoadOp>(op))
      for (Need each : all)
        if (mayNotWait(op, each.root))
          return true;
    // Addresses stay expressions: kept, they would hide that accesses are next to each other.
    if (isa<tile::PtrType>(getElementTypeOrSelf(value.getType())))
      return false;
    int64_t uses = 0;
    for (Need each : all) {
      int64_t times = std::max<int64_t>(1, each.elements / elementCount(shapeOf(value)));
      if (inDeeperLoop(op, each.root))
        times *= guessedTrips;
      uses += std::min(times, mostUses);
    }
    // Again and again, or written once and read.
    return (uses - 1) * cost.lookup(value) > divisionCost + 2 * uses;
  }

  static bool isLoop(Operation *op) { return isa<scf::ForOp, scf::WhileOp>(op); }

  static bool inDeeperLoop(Operation *op, Operation *root) {
    for (Operation *loop = root->getParentOp(); loop; loop = loop->getParentOp())
      if (isLoop(loop) && !loop->isProperAncestor(op))
        return true;
    return false;
  }

  // An atomic that orders other memory stands still, and so does all around it.
  static bool writes(Operation *writer, Value pointer) {
    if (auto atomic = dyn_cast<tile::AtomicRMWOp>(writer))
      if (atomic.getOrder() != tile::MemoryOrder::relaxed)
        return true;
    if (auto atomic = dyn_cast<tile::AtomicCASOp>(writer))
      if (atomic.getOrder() != tile::MemoryOrder::relaxed)
        return true;
    return mayAlias(writer->getOperand(0), pointer);
  }

  // Whether the load would read something else at the root than where it stands.
  bool mayNotWait(Operation *load, Operation *root) {
    Value pointer = load->getOperand(0);
    for (Operation *writer : writers) {
      if (!writes(writer, pointer))
        continue;
      if (writer == root) {
        if (!readsOnlyOwnElement(load, root))
          return true;
        continue;
      }
      if (order[load] < order[writer] && order[writer] < order[root])
        return true;
      for (Operation *loop = root->getParentOp(); loop; loop = loop->getParentOp())
        if (isLoop(loop) && loop->isProperAncestor(writer) && !loop->isProperAncestor(load))
          return true;
    }
    return false;
  }

  // A store of what was loaded through the same tile of addresses: each lane reads, then writes.
  bool readsOnlyOwnElement(Operation *load, Operation *store) {
    if (!isa<tile::StoreOp>(store) || store->getOperand(0) != load->getOperand(0) ||
        !lanesDiffer(load->getOperand(0)))
      return false;
    Reads reads;
    for (Value operand : store->getOperands())
      collectReads(operand, kept, false, reads);
    return llvm::all_of(reads.loads,
                        [&](const LoadRead &read) { return read.load != load || read.atElement; });
  }
};

} // namespace

void cpu::decideKeeping(func::FuncOp kernel, DenseSet<Value> &kept) { Keeper(kernel, kept).run(); }
