// Blocks as lists of steps; LoopFusion.h has the rules for joining a group.
#include "Conversion/TileToCPU/Aliasing.h"
#include "Conversion/TileToCPU/Planner.h"
#include "Conversion/TileToCPU/Reads.h"
#include "Conversion/TileToCPU/ShapeMaps.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

namespace {

constexpr size_t mostMembers = 8; // more values at once than registers are no gain

class Grouper {
public:
  explicit Grouper(Plan &plan) : plan(plan) {}

  void block(Block &block) {
    std::vector<Step> steps;
    Pending pending;
    for (Operation &op : block)
      operation(op, steps, pending);
    flush(steps, pending);
    plan.steps[&block] = std::move(steps);
  }

private:
  struct Pending {
    Group group;
    SmallVector<Reads> reads; // of each member
  };

  Plan &plan;

  void operation(Operation &op, std::vector<Step> &steps, Pending &pending) {
    if (isLazy(&op)) {
      for (Value result : op.getResults())
        if (plan.kept.contains(result))
          add({Member::Kind::materialise, &op, result, result}, steps, pending);
      return;
    }
    if (auto store = dyn_cast<tile::StoreOp>(op); store && isTensor(store.getPointer())) {
      add({Member::Kind::store, &op, store.getPointer(), {}}, steps, pending);
      return;
    }
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      add({Member::Kind::reduce, &op, reduce.getSources()[0], {}}, steps, pending);
      return;
    }
    if (auto loop = dyn_cast<scf::ForOp>(op))
      assignAll(op, loop.getInitArgs(), loop.getRegionIterArgs(), steps, pending);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      assignAll(op, loop.getInits(), loop.getBeforeArguments(), steps, pending);
    else if (op.hasTrait<OpTrait::IsTerminator>()) {
      terminator(op, steps, pending);
      return;
    }
    bool simple = op.getNumRegions() == 0 && isPure(&op) && !takesTensors(op);
    if (!simple || usesReductionOf(op, pending.group))
      flush(steps, pending);
    if (isa<tile::BarrierOp>(op)) // a program is one thread here
      return;
    steps.push_back({&op, {}});
    control(op);
  }

  static bool takesTensors(Operation &op) {
    return llvm::any_of(op.getOperands(), [](Value operand) { return isTensor(operand); });
  }

  void control(Operation &op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      share(loop.getResults(), loop.getRegionIterArgs());
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      share(loop.getResults(), loop.getAfterArguments());
    if (isa<tile::ReduceOp, tile::ScanOp>(op))
      return;
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        block(inner);
  }

  void share(ValueRange values, ValueRange places) {
    for (auto [value, place] : llvm::zip(values, places))
      if (isTensor(value))
        plan.place[value] = place;
  }

  // What a terminator yields goes to the places of whoever receives it.
  void terminator(Operation &op, std::vector<Step> &steps, Pending &pending) {
    Operation *parent = op.getParentOp();
    if (auto condition = dyn_cast<scf::ConditionOp>(op))
      assignAll(op, condition.getArgs(), cast<scf::WhileOp>(parent).getAfterArguments(), steps,
                pending);
    else if (auto loop = dyn_cast<scf::ForOp>(parent))
      assignAll(op, op.getOperands(), loop.getRegionIterArgs(), steps, pending);
    else if (auto loop = dyn_cast<scf::WhileOp>(parent))
      assignAll(op, op.getOperands(), loop.getBeforeArguments(), steps, pending);
    else if (isa<scf::IfOp>(parent))
      assignAll(op, op.getOperands(), parent->getResults(), steps, pending);
    flush(steps, pending);
  }

  void assignAll(Operation &op, ValueRange values, ValueRange targets, std::vector<Step> &steps,
                 Pending &pending) {
    // Tiles of this yield that earlier assignments overwrite: reading one of them later, or at
    // another element, needs the old tile as a whole. Same-group reads at the element come first.
    SmallVector<std::pair<Value, Member>> assigned;
    DenseMap<Value, size_t> groupOf;
    for (auto [value, target] : llvm::zip(values, targets)) {
      if (!isTensor(value) || plan.placeOf(value) == target)
        continue;
      Member member{Member::Kind::assign, &op, value, target};
      add(member, steps, pending);
      groupOf[target] = steps.size();
      assigned.push_back({target, member});
    }
    for (auto &[target, member] : assigned)
      for (TileRead read : readsOf(member, plan.kept).tiles) {
        Value place = plan.placeOf(read.tile);
        auto overwritten = groupOf.find(place);
        if (overwritten == groupOf.end())
          continue;
        if (overwritten->second < groupOf[target] ||
            (overwritten->second == groupOf[target] && !read.atElement))
          plan.buffered.insert(place);
      }
  }

  void add(Member member, std::vector<Step> &steps, Pending &pending) {
    Reads reads = readsOf(member, plan.kept);
    ArrayRef<int64_t> shape = shapeOf(member.value);
    if (!pending.group.members.empty() && !mayJoin(pending, member, reads, shape))
      flush(steps, pending);
    Group &group = pending.group;
    if (group.members.empty())
      group.shape.assign(shape.begin(), shape.end());
    if (auto reduce = dyn_cast<tile::ReduceOp>(member.op); member.kind == Member::Kind::reduce)
      group.reduceAxis = reduce.getAxis();
    group.members.push_back(member);
    pending.reads.push_back(std::move(reads));
  }

  void flush(std::vector<Step> &steps, Pending &pending) {
    if (!pending.group.members.empty()) {
      dropPrivate(pending.group);
      steps.push_back({nullptr, std::move(pending.group)});
    }
    pending = {};
  }

  // A tile that only its own group reads needs no memory.
  void dropPrivate(Group &group) {
    auto isMember = [&](Operation *user) {
      return llvm::any_of(group.members, [&](const Member &member) {
        return member.op == user && member.kind != Member::Kind::assign;
      });
    };
    auto isPrivate = [&](Value tile) {
      SmallVector<Value> work = {tile};
      while (!work.empty())
        for (Operation *user : work.pop_back_val().getUsers()) {
          if (isMember(user))
            continue;
          if (!isLazy(user))
            return false;
          work.append(user->result_begin(), user->result_end());
        }
      return true;
    };
    for (Member &member : group.members)
      if (member.kind == Member::Kind::materialise)
        member.needed = !isPrivate(member.value);
  }

  bool mayJoin(Pending &pending, const Member &member, const Reads &reads,
               ArrayRef<int64_t> shape) {
    Group &group = pending.group;
    if (ArrayRef<int64_t>(group.shape) != shape || group.members.size() == mostMembers)
      return false;
    if (auto reduce = dyn_cast<tile::ReduceOp>(member.op); member.kind == Member::Kind::reduce)
      if (group.reduceAxis && *group.reduceAxis != reduce.getAxis())
        return false;
    for (Value scalar : reads.scalars)
      if (isReductionOf(scalar, group))
        return false;
    for (auto [other, otherReads] : llvm::zip(group.members, pending.reads)) {
      for (const TileRead &read : reads.tiles)
        if (writesTile(other, plan.placeOf(read.tile)) &&
            (!read.atElement || other.kind == Member::Kind::reduce))
          return false;
      if (member.kind == Member::Kind::assign)
        for (const TileRead &read : otherReads.tiles)
          if (plan.placeOf(read.tile) == member.target && !read.atElement)
            return false;
      if (other.kind == Member::Kind::store) {
        for (const LoadRead &read : reads.loads)
          if (mayAlias(other.value, read.load->getOperand(0)))
            return false;
        if (member.kind == Member::Kind::store && mayAlias(other.value, member.value) &&
            !(other.value == member.value && lanesDiffer(member.value)))
          return false;
      }
      if (member.kind == Member::Kind::store)
        for (const LoadRead &read : otherReads.loads)
          if (mayAlias(member.value, read.load->getOperand(0)) &&
              !(read.atElement && read.load->getOperand(0) == member.value &&
                lanesDiffer(member.value)))
            return false;
    }
    return true;
  }

  bool writesTile(const Member &member, Value place) {
    switch (member.kind) {
    case Member::Kind::store:
      return false;
    case Member::Kind::materialise:
    case Member::Kind::assign:
      return member.target == place;
    case Member::Kind::reduce:
      return llvm::is_contained(member.op->getResults(), place);
    }
    llvm_unreachable("kind of member");
  }

  static bool isReductionOf(Value value, const Group &group) {
    Operation *op = value.getDefiningOp();
    return op && llvm::any_of(group.members, [&](const Member &member) {
             return member.kind == Member::Kind::reduce && member.op == op;
           });
  }

  static bool usesReductionOf(Operation &op, const Group &group) {
    return llvm::any_of(op.getOperands(),
                        [&](Value operand) { return isReductionOf(operand, group); });
  }
};

} // namespace

// A dot adds to its accumulator where that is: in the tile that the loop carries, or in the result
// of another dot that nobody else reads.
static void shareAccumulators(func::FuncOp kernel, Plan &plan) {
  DenseMap<Operation *, size_t> order;
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { order[op] = order.size(); });
  auto readAfter = [&](Value tile, Operation *dot) {
    SmallVector<Value> work = {tile};
    while (!work.empty())
      for (Operation *user : work.pop_back_val().getUsers()) {
        if (order[user] > order[dot])
          return true;
        if (isLazy(user) && user != dot)
          work.append(user->getResults().begin(), user->getResults().end());
      }
    return false;
  };
  kernel.walk([&](tile::DotOp dot) {
    Value result = dot.getResult(), acc = dot.getAcc();
    if (plan.kept.contains(acc) && acc.hasOneUse() && acc.getDefiningOp<tile::DotOp>()) {
      plan.place[result] = plan.placeOf(acc);
      return;
    }
    if (!result.hasOneUse())
      return;
    OpOperand &use = *result.getUses().begin();
    auto loop = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
    if (!loop || use.getOwner() != loop.getBody()->getTerminator())
      return;
    Value carried = loop.getRegionIterArg(use.getOperandNumber());
    Reads reads;
    collectReads(acc, plan.kept, false, reads);
    bool inPlace = llvm::all_of(reads.tiles, [&](const TileRead &read) {
      return plan.placeOf(read.tile) != carried || read.atElement;
    });
    if (inPlace && !readAfter(carried, dot) && dot->getBlock() == loop.getBody())
      plan.place[result] = carried;
  });
}

void cpu::groupRoots(func::FuncOp kernel, Plan &plan) {
  shareAccumulators(kernel, plan);
  Grouper(plan).block(kernel.getBody().front());
}
