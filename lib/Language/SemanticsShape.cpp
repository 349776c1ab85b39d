// Shapes: broadcasting, reshaping, permuting.
#include "Language/Semantics.h"

#include "llvm/Support/MathExtras.h"

namespace teeny::lang {

bool Semantics::checkShape(llvm::ArrayRef<int64_t> shape) {
  int64_t elements = 1;
  for (size_t dim = 0; dim != shape.size(); ++dim) {
    if (shape[dim] <= 0 || !llvm::isPowerOf2_64(uint64_t(shape[dim]))) {
      errors.fail("dim " + std::to_string(dim) + " of the shape " + shapeText(shape) +
                  " is not a power of two");
      return false;
    }
    if (shape[dim] > maxTileElements || (elements *= shape[dim]) > maxTileElements) {
      errors.fail("a tile of shape " + shapeText(shape) + " has more than " +
                  std::to_string(maxTileElements) + " elements");
      return false;
    }
  }
  return true;
}

Tensor Semantics::splat(Tensor scalar, llvm::ArrayRef<int64_t> shape) {
  if (!scalar || shape.empty())
    return scalar;
  Type type = scalar.type.withShape(shape);
  return {emit.splat(scalar.value, type), type};
}

Tensor Semantics::broadcastTo(Tensor value, llvm::ArrayRef<int64_t> shape) {
  if (!value)
    return {};
  if (!value.type.isTile())
    return splat(value, shape);
  if (value.type.shape == shape)
    return value;
  auto mismatch = [&] {
    return fail("cannot broadcast " + shapeText(value.type.shape) + " to " + shapeText(shape));
  };
  if (value.type.rank() != shape.size())
    return mismatch();
  for (size_t dim = 0; dim != shape.size(); ++dim)
    if (value.type.shape[dim] != shape[dim] && value.type.shape[dim] != 1)
      return mismatch();
  Type type = value.type.withShape(shape);
  return {emit.broadcast(value.value, type), type};
}

bool Semantics::broadcastPair(Tensor &lhs, Tensor &rhs, const char *what) {
  if (lhs.type.shape == rhs.type.shape)
    return true;
  if (!lhs.type.isTile())
    return bool(lhs = splat(lhs, rhs.type.shape));
  if (!rhs.type.isTile())
    return bool(rhs = splat(rhs, lhs.type.shape));
  Type left = lhs.type, right = rhs.type;
  while (lhs.type.rank() < rhs.type.rank())
    lhs = expandDims(lhs, 0);
  while (rhs.type.rank() < lhs.type.rank())
    rhs = expandDims(rhs, 0);
  llvm::SmallVector<int64_t> shape;
  for (unsigned dim = 0; dim != lhs.type.rank(); ++dim) {
    int64_t a = lhs.type.shape[dim], b = rhs.type.shape[dim];
    if (a != b && a != 1 && b != 1) {
      errors.fail(
          std::string(what) + " of tiles of shapes " + shapeText(left.shape) + " and " +
              shapeText(right.shape) + ", which differ at dim " + std::to_string(dim),
          left.rank() == 1 && right.rank() == 1
              ? "to combine every element with every other, index one [:, None] and one [None, :]"
              : "");
      return false;
    }
    shape.push_back(a == 1 ? b : a);
  }
  if (!checkShape(shape))
    return false;
  lhs = broadcastTo(lhs, shape);
  rhs = broadcastTo(rhs, shape);
  return lhs && rhs;
}

bool Semantics::broadcastAll(llvm::MutableArrayRef<Tensor> values, const char *what) {
  // Once to find the common shape, once to give it to the earlier ones.
  for (unsigned round = 0; round != 2; ++round)
    for (Tensor &value : values.drop_front(values.empty() ? 0 : 1))
      if (!broadcastPair(values.front(), value, what))
        return false;
  return true;
}

Tensor Semantics::expandDims(Tensor value, unsigned axis) {
  Type type = value.type;
  type.shape.insert(type.shape.begin() + axis, 1);
  if (!value.type.isTile())
    return splat(value, type.shape);
  return {emit.expandDims(value.value, axis, type), type};
}

Tensor Semantics::reshape(Tensor value, llvm::ArrayRef<int64_t> shape) {
  if (!value || !checkShape(shape))
    return {};
  Type type = value.type.withShape(shape);
  if (type.elements() != value.type.elements())
    return fail("cannot reshape " + shapeText(value.type.shape) + " (" +
                std::to_string(value.type.elements()) + " elements) to " + shapeText(shape) + " (" +
                std::to_string(type.elements()) + ")");
  if (shape.empty())
    return toScalar(value);
  if (!value.type.isTile())
    return splat(value, shape);
  if (type == value.type)
    return value;
  return {emit.reshape(value.value, type), type};
}

Tensor Semantics::toScalar(Tensor value) {
  if (!value || !value.type.isTile())
    return value;
  if (value.type.elements() != 1)
    return fail("expected a scalar or a tile of one element, found " + value.type.name());
  // Reducing over a dim of one element combines nothing: the region is there for form's sake.
  while (value.type.isTile()) {
    Type type = value.type.withShape(llvm::ArrayRef(value.type.shape).drop_front());
    mlir::Type element = emit.ir(type.element);
    DetachedRegion region = emit.enterRegion({element, element});
    emit.leaveRegion();
    mlir::Value first = region.argument(0);
    value = {emit.reduce(value.value, 0, std::move(region), first, type)[0], type};
  }
  return value;
}

Tensor Semantics::permute(Tensor value, llvm::ArrayRef<int64_t> order) {
  unsigned rank = value.type.rank();
  llvm::SmallVector<bool> seen(rank, false);
  bool valid = order.size() == rank;
  for (int64_t dim : order) {
    valid = valid && dim >= 0 && dim < int64_t(rank) && !seen[size_t(dim)];
    if (valid)
      seen[size_t(dim)] = true;
  }
  if (!valid)
    return fail("the order " + shapeText(order) + " is no permutation of the " +
                std::to_string(rank) + " dims of " + value.type.name());
  Type type = value.type;
  llvm::SmallVector<int32_t> narrow;
  bool identity = true;
  for (unsigned dim = 0; dim != rank; ++dim) {
    type.shape[dim] = value.type.shape[size_t(order[dim])];
    narrow.push_back(int32_t(order[dim]));
    identity = identity && order[dim] == int64_t(dim);
  }
  return identity ? value : Tensor{emit.transpose(value.value, narrow, type), type};
}

Tensor Semantics::join(Tensor lhs, Tensor rhs) {
  if (!lhs || !rhs || !broadcastPair(lhs, rhs, "tl.join"))
    return {};
  if (!(lhs.type.element == rhs.type.element))
    return fail("tl.join of " + lhs.type.name() + " and " + rhs.type.name() +
                ": the element types differ");
  bool scalars = !lhs.type.isTile();
  if (scalars) {
    lhs = expandDims(lhs, 0);
    rhs = expandDims(rhs, 0);
  }
  Type type = lhs.type;
  type.shape.push_back(2);
  if (!checkShape(type.shape))
    return {};
  Tensor result{emit.join(lhs.value, rhs.value, type), type};
  return scalars ? reshape(result, {2}) : result;
}

std::pair<Tensor, Tensor> Semantics::split(Tensor value) {
  if (!value)
    return {};
  if (!value.type.isTile() || value.type.shape.back() != 2) {
    errors.fail("tl.split takes a tile whose last dim is 2, found " + value.type.name());
    return {};
  }
  bool flat = value.type.rank() == 1;
  if (flat)
    value = expandDims(value, 0);
  Type type = value.type.withShape(llvm::ArrayRef(value.type.shape).drop_back());
  auto [lhs, rhs] = emit.split(value.value, type);
  Tensor left{lhs, type}, right{rhs, type};
  if (flat)
    return {toScalar(left), toScalar(right)};
  return {left, right};
}

} // namespace teeny::lang
