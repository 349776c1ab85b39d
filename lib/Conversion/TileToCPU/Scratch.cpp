// Where kept tiles lie in scratch memory.
#include "Conversion/TileToCPU/Planner.h"
#include "Conversion/TileToCPU/Reads.h"
#include "Conversion/TileToCPU/ShapeMaps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

int64_t cpu::storedBytes(Type element) {
  if (element.isIntOrFloat())
    return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
  return 8; // pointers, index
}

namespace {

constexpr int64_t alignment = 64; // of scratch memory, a cache line

struct Life {
  int64_t first, last, bytes;
  Value place;             // whose life it is; null for
  Operation *op = nullptr; // work tile `number` of this operation
  unsigned number = 0;
  bool second = false; // copy of a buffered place
  int64_t offset = 0;
};

// Steps are numbered in program order; a tile lives from the first that touches it to the last.
class Placer {
public:
  explicit Placer(Plan &plan) : plan(plan) {}

  void run(Block &block) {
    number(block);
    for (auto [first, last] : loops)
      for (Life &life : lives)
        if (life.first < first && life.last >= first)
          life.last = std::max(life.last, last);
    pack();
  }

private:
  Plan &plan;
  int64_t now = 0;
  std::vector<Life> lives;
  DenseMap<Value, size_t> lifeOf;
  SmallVector<std::pair<int64_t, int64_t>> loops; // inner before outer

  void number(Block &block) {
    for (Step &step : plan.steps[&block]) {
      ++now;
      if (!step.op) {
        for (Member &member : step.group.members)
          touch(member);
        continue;
      }
      Reads reads;
      bool isLoop = isa<scf::ForOp, scf::WhileOp>(step.op);
      if (!step.op->getNumRegions() || !isa<scf::IfOp, scf::ForOp, scf::WhileOp>(step.op))
        for (Value operand : step.op->getOperands())
          if (isTensor(operand))
            collectReads(operand, plan.kept, false, reads);
      touch(reads);
      for (Value result : step.op->getResults())
        if (isTensor(result) && !isLoop && !result.use_empty())
          touch(result);
      for (auto [i, tile] : llvm::enumerate(workTiles(step.op)))
        lives.push_back({now,
                         now,
                         elementCount(tile.shape) * storedBytes(tile.element),
                         {},
                         step.op,
                         unsigned(i)});
      if (!isa<scf::IfOp, scf::ForOp, scf::WhileOp>(step.op))
        continue;
      int64_t start = now;
      for (Region &region : step.op->getRegions())
        for (Block &inner : region)
          number(inner);
      ++now;
      if (isLoop)
        loops.push_back({start, now});
    }
  }

  void touch(const Member &member) {
    touch(readsOf(member, plan.kept));
    if (member.kind == Member::Kind::assign ||
        (member.kind == Member::Kind::materialise && member.needed))
      touch(member.target);
    if (member.kind == Member::Kind::reduce)
      for (Value result : member.op->getResults())
        if (isTensor(result))
          touch(result);
  }

  void touch(const Reads &reads) {
    for (const TileRead &read : reads.tiles)
      touch(read.tile);
  }

  void touch(Value tile) {
    Value place = plan.placeOf(tile);
    auto [found, isNew] = lifeOf.insert({place, lives.size()});
    if (!isNew) {
      lives[found->second].last = now;
      return;
    }
    Type element = cast<RankedTensorType>(place.getType()).getElementType();
    int64_t bytes = elementCount(shapeOf(place)) * storedBytes(element);
    lives.push_back({now, now, bytes, place});
  }

  // First fit in order of birth.
  void pack() {
    for (size_t i = 0, count = lives.size(); i < count; ++i)
      if (lives[i].place && plan.buffered.contains(lives[i].place)) {
        lives.push_back(lives[i]);
        lives.back().second = true;
      }
    std::vector<Life *> sorted;
    for (Life &life : lives)
      sorted.push_back(&life);
    llvm::stable_sort(sorted, [](Life *a, Life *b) { return a->first < b->first; });
    std::vector<Life *> placed;
    for (Life *life : sorted) {
      int64_t offset = 0;
      std::map<int64_t, int64_t> taken; // begin -> end
      for (Life *other : placed)
        if (other->first <= life->last && life->first <= other->last)
          taken[other->offset] = std::max(taken[other->offset], other->offset + other->bytes);
      for (auto [begin, end] : taken) {
        if (offset + life->bytes <= begin)
          break;
        offset = std::max<int64_t>(offset, llvm::alignTo(end, alignment));
      }
      life->offset = offset;
      placed.push_back(life);
      plan.scratchBytes = std::max(plan.scratchBytes, offset + life->bytes);
    }
    plan.scratchBytes = llvm::alignTo(plan.scratchBytes, alignment);
    for (const Life &life : lives) {
      if (life.op)
        plan.workOffsets[{life.op, life.number}] = life.offset;
      else
        (life.second ? plan.secondOffsets : plan.offsets)[life.place] = life.offset;
    }
  }
};

} // namespace

void cpu::placeTiles(func::FuncOp kernel, Plan &plan) {
  Placer(plan).run(kernel.getBody().front());
}

Plan cpu::planLoops(func::FuncOp kernel) {
  Plan plan;
  decideKeeping(kernel, plan.kept);
  groupRoots(kernel, plan);
  placeTiles(kernel, plan);
  return plan;
}
