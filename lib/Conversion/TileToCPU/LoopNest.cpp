// Loop nests, and how masks divide them.
//
// Most masks say that an index is inside something: `offs < n`, `(rows < m) & (columns < n)`. In a
// loop over `i` such a mask holds exactly on a range of i, whose ends are known before the loop. So
// the innermost loop is made up to three times, over parts of its range:
//
//   for i in [0, first)      as written: each masked load and store tests its mask
//   for i in [first, last)   where all masks hold: none is tested, any vector width works
//   for i in [last, count)   as written
//
// A conjunct that does not depend on i makes the middle range empty where it is false. Conjuncts of
// other forms are still tested in the middle. Where a group does nothing but masked stores, what
// lies outside of the ranges of all stores is left out. Indices of masks may wrap (only offsets of
// addresses never do): where an index would within this loop, the middle is empty and the others
// cover everything.
#include "Conversion/TileToCPU/Emitter.h"
#include "Conversion/TileToCPU/ShapeMaps.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

// Takes dims in row-major order, except that the one along which most accesses go from an element
// to its neighbour in memory comes last.
SmallVector<unsigned> Emitter::loopOrder(const Group &group) {
  unsigned rank = group.shape.size();
  SmallVector<unsigned> order(rank);
  std::iota(order.begin(), order.end(), 0u);
  if (rank < 2)
    return order;
  Nest trial;
  trial.group = &group;
  trial.depth = 1;
  trial.levels = {{b.getInsertionBlock(), nullptr}};
  Nest *outside = std::exchange(nest, &trial);
  unsigned best = rank - 1;
  int bestScore = -1;
  for (unsigned dim = rank; dim-- > 0;) {
    if (group.shape[dim] == 1)
      continue;
    Indices indices(rank, Index{{}, 0, false});
    indices[dim] = {{}, 1, true};
    int score = 0;
    auto add = [&](const Slope &slope) {
      score += slope.isZero()                                             ? 1
               : slope.known && slope.isConstant() && slope.constant == 1 ? 2
                                                                          : 0;
    };
    for (const Member &member : group.members) {
      if (member.kind == Member::Kind::materialise || member.kind == Member::Kind::assign)
        score += dim == rank - 1 ? 2 : 0;
      forEachAccess(member, indices, [&](const Access &access) {
        if (access.op) {
          add(slope(access.op->getOperand(0), access.indices, /*emitting=*/false));
          return;
        }
        bool depends = llvm::any_of(access.indices, [](const Index &index) { return index.level; });
        score += !depends ? 1 : access.indices.back().inner ? 2 : 0;
      });
    }
    if (score > bestScore) {
      best = dim;
      bestScore = score;
    }
  }
  nest = outside;
  order.erase(order.begin() + best);
  order.push_back(best);
  return order;
}

void Emitter::emitNest(ArrayRef<int64_t> shape, ArrayRef<unsigned> order, const Group *group,
                       ValueRange carried, Body body, After after) {
  OpBuilder::InsertPoint end = b.saveInsertionPoint();
  Nest opened;
  opened.group = group;
  opened.depth = shape.size();
  Block::iterator at = end.getPoint();
  opened.levels.push_back({end.getBlock(), at == end.getBlock()->end() ? nullptr : &*at});
  Nest *outside = std::exchange(nest, &opened);
  Indices indices(shape.size());

  auto enter = [&](scf::ForOp loop) {
    Block *block = loop.getBody();
    Operation *terminator = block->empty() ? nullptr : &block->back();
    opened.levels.push_back({block, terminator});
  };

  for (unsigned i = 0; i + 1 < shape.size(); ++i) {
    goTo(i);
    auto loop = scf::ForOp::create(b, loc, i64(0), i64(shape[order[i]]), i64(1));
    opened.levels[i].next = loop;
    enter(loop);
    indices[order[i]] = {loop.getInductionVar(), int(i) + 1, false};
  }

  SmallVector<Value> values(carried);
  if (shape.empty()) {
    values = body(indices, values);
  } else {
    opened.count = shape[order.back()];
    indices[order.back()] = {{}, opened.depth, true};
    SmallVector<Segment> parts = segments(indices);
    int level = opened.depth - 1;
    goTo(level);
    OpBuilder::InsertPoint afterLoops = b.saveInsertionPoint();
    bool isFirst = true;
    for (const Segment &part : parts) {
      if (failed)
        break;
      b.restoreInsertionPoint(afterLoops);
      auto loop = scf::ForOp::create(b, loc, part.from, part.to, i64(1), values);
      if (isFirst)
        opened.levels[level].next = loop;
      isFirst = false;
      enter(loop);
      opened.counter = loop.getInductionVar();
      std::set<ElementKey> known;
      if (!part.masksHold)
        std::swap(known, opened.knownTrue);
      SmallVector<Value> next = body(indices, loop.getRegionIterArgs());
      if (!part.masksHold)
        std::swap(known, opened.knownTrue);
      if (!failed && !values.empty()) {
        goTo(opened.depth);
        scf::YieldOp::create(b, loc, next);
      }
      values.assign(loop.getResults().begin(), loop.getResults().end());
      opened.levels.pop_back();
      opened.inner.clear();
      opened.counter = {};
    }
    b.restoreInsertionPoint(afterLoops);
    bool atEnd = afterLoops.getPoint() == afterLoops.getBlock()->end();
    opened.levels[level].next = atEnd ? nullptr : &*afterLoops.getPoint();
  }
  if (after && !failed)
    after(indices, values);
  nest = outside;
  b.restoreInsertionPoint(end);
}
