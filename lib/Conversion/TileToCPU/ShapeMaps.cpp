#include "Conversion/TileToCPU/ShapeMaps.h"

#include "Tile/IR/Tile.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

bool cpu::isTensor(Type type) { return isa<RankedTensorType>(type); }

ArrayRef<int64_t> cpu::shapeOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getShape();
}

int64_t cpu::elementCount(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

static SmallVector<DimSource> identity(unsigned rank) {
  SmallVector<DimSource> map;
  for (unsigned i = 0; i < rank; ++i)
    map.push_back({DimSource::dim, i});
  return map;
}

// Dims that are not 1 correspond in order, or the reshape mixes.
static SmallVector<DimSource> reshape(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<DimSource> map;
  unsigned next = 0;
  for (int64_t size : from) {
    if (size == 1) {
      map.push_back({DimSource::constant, 0});
      continue;
    }
    while (next < to.size() && to[next] == 1)
      ++next;
    if (next == to.size() || to[next] != size)
      return SmallVector<DimSource>(from.size(), {DimSource::mixed});
    map.push_back({DimSource::dim, next++});
  }
  return map;
}

std::optional<SmallVector<DimSource>> cpu::mapToOperand(Value result) {
  SmallVector<DimSource> map;
  Operation *op = result.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (isa<tile::SplatOp>(op))
    return map;
  if (isa<tile::ConvertLayoutOp>(op))
    return identity(shapeOf(result).size());
  if (isa<tile::SplitOp>(op)) {
    map = identity(shapeOf(result).size());
    map.push_back({DimSource::constant, cast<OpResult>(result).getResultNumber()});
    return map;
  }
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(op)) {
    map = identity(shapeOf(expand.getResult()).size());
    map.erase(map.begin() + expand.getAxis());
    return map;
  }
  if (auto broadcast = dyn_cast<tile::BroadcastOp>(op)) {
    for (auto [i, size] : llvm::enumerate(shapeOf(broadcast.getSource())))
      map.push_back(size == 1 ? DimSource{DimSource::constant, 0}
                              : DimSource{DimSource::dim, unsigned(i)});
    return map;
  }
  if (auto trans = dyn_cast<tile::TransOp>(op)) {
    map.resize(trans.getOrder().size());
    for (auto [i, from] : llvm::enumerate(trans.getOrder()))
      map[from] = {DimSource::dim, unsigned(i)};
    return map;
  }
  if (auto shaped = dyn_cast<tile::ReshapeOp>(op))
    return reshape(shapeOf(shaped.getSource()), shapeOf(shaped.getResult()));
  return std::nullopt;
}
