#include "Conversion/TileToCPU/Reads.h"

#include "Conversion/TileToCPU/ShapeMaps.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <set>

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

bool cpu::isLazy(Operation *op) {
  if (op->getNumResults() == 0 || !isTensor(op->getResult(0)))
    return false;
  if (isa<arith::ArithDialect, math::MathDialect>(op->getDialect()))
    return true;
  return isa<tile::ArangeOp, tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp, tile::ReshapeOp,
             tile::TransOp, tile::JoinOp, tile::SplitOp, tile::ConvertLayoutOp, tile::AddPtrOp,
             tile::PtrToIntOp, tile::IntToPtrOp, tile::PtrCastOp, tile::LoadOp>(op);
}

namespace {

// A dim of the root that an index runs along; or none, or several.
using IndexMap = std::vector<int>;
constexpr int fixed = -1, mixed = -2;

class Walker {
public:
  Walker(const DenseSet<Value> &kept, ArrayRef<int64_t> shape, Reads &reads)
      : kept(kept), shape(shape), reads(reads) {}

  void visit(Value value, const IndexMap &map, bool compute) {
    if (!isTensor(value)) {
      reads.scalars.push_back(value);
      return;
    }
    if (!seen.insert({value.getAsOpaquePointer(), map}).second)
      return;
    if (kept.contains(value) && !compute) {
      reads.tiles.push_back({value, isElement(value, map)});
      return;
    }
    Operation *op = value.getDefiningOp();
    assert(op && "a tile from outside is kept");
    if (auto sources = mapToOperand(value)) {
      IndexMap inner;
      for (DimSource source : *sources)
        inner.push_back(source.kind == DimSource::dim     ? map[source.number]
                        : source.kind == DimSource::mixed ? mixed
                                                          : fixed);
      visit(op->getOperand(0), inner, false);
      return;
    }
    IndexMap inner = map;
    if (isa<tile::JoinOp>(op))
      inner.pop_back();
    if (isa<tile::LoadOp>(op))
      reads.loads.push_back({op, isElement(value, map)});
    for (Value operand : op->getOperands())
      visit(operand, inner, false);
  }

  static IndexMap identity(size_t rank) {
    IndexMap map(rank);
    for (size_t i = 0; i < rank; ++i)
      map[i] = int(i);
    return map;
  }

private:
  const DenseSet<Value> &kept;
  ArrayRef<int64_t> shape;
  Reads &reads;
  std::set<std::pair<const void *, IndexMap>> seen;

  bool isElement(Value value, const IndexMap &map) const {
    return shapeOf(value) == shape && map == identity(shape.size());
  }
};

} // namespace

void cpu::collectReads(Value value, const DenseSet<Value> &kept, bool compute, Reads &reads) {
  if (!isTensor(value)) {
    reads.scalars.push_back(value);
    return;
  }
  ArrayRef<int64_t> shape = shapeOf(value);
  Walker(kept, shape, reads).visit(value, Walker::identity(shape.size()), compute);
}

Reads cpu::readsOf(const Member &member, const DenseSet<Value> &kept) {
  Reads reads;
  switch (member.kind) {
  case Member::Kind::store:
  case Member::Kind::reduce:
    for (Value operand : member.op->getOperands())
      collectReads(operand, kept, false, reads);
    break;
  case Member::Kind::materialise:
    collectReads(member.value, kept, true, reads);
    break;
  case Member::Kind::assign:
    collectReads(member.value, kept, false, reads);
    break;
  }
  return reads;
}
