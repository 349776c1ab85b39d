// Nodes that become reductions, and calls of ops over rows.
#include "Graph/Transforms/NodeExpansion.h"

#include "Support/Diagnostics.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

Value NodeExpansion::expandReduction() {
  Named x = get("x");
  Shape from = shapeOf(x.value);
  int64_t rank = from.size();
  StringRef word = node.getKind();
  bool isPool = word == "global_avg_pool2d", isArg = word.starts_with("arg");
  if (isPool && !hasRank(x, 3, /*atLeast=*/true))
    return {};
  if ((isPool || word == "mean") && !isFloat(x))
    return {};
  if (!isNumber(x))
    return {};
  SmallVector<int64_t> axes;
  if (isPool) {
    axes = {rank - 2, rank - 1};
  } else if (isArg) {
    axes = {integer("axis", 0)};
  } else if (auto given = list("axes")) {
    axes.assign(given->begin(), given->end());
  } else {
    llvm::append_range(axes, llvm::seq<int64_t>(0, rank));
  }
  for (int64_t &value : axes) {
    std::optional<int64_t> dim = axis(value, rank, isArg ? "axis" : "axes");
    if (!dim)
      return {};
    value = *dim;
  }
  llvm::sort(axes);
  if (auto twice = std::adjacent_find(axes.begin(), axes.end()); twice != axes.end()) {
    error(attributeLoc(node, "axes")) << "'axes' has dim " << *twice << " twice";
    return {};
  }

  // Reduced dims that are not neighbours become so, as the last.
  Value value = x.value;
  Shape kept, shown, reduced;
  SmallVector<int64_t> order;
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isReduced = llvm::is_contained(axes, dim);
    (isReduced ? reduced : kept).push_back(from[dim]);
    if (!isReduced)
      order.push_back(dim);
    if (!isReduced || flag("keepdims") || isPool)
      shown.push_back(isReduced ? Expr(1) : from[dim]);
  }
  bool areNeighbours = axes.empty() || axes.back() - axes.front() + 1 == int64_t(axes.size());
  size_t outer = areNeighbours && !axes.empty() ? axes.front() : kept.size();
  if (!areNeighbours) {
    llvm::append_range(order, axes);
    value = permute(value, order, "ordered");
  }
  ArrayRef<Expr> keptSizes = kept;
  Expr before = product(keptSizes.take_front(outer)), after = product(keptSizes.drop_front(outer));
  Expr along = product(reduced);
  ReduceKind kind = isPool ? ReduceKind::Mean : *symbolizeReduceKind(word);
  bool needsOne = kind != ReduceKind::Sum && kind != ReduceKind::Prod && kind != ReduceKind::Mean;
  if (needsOne &&
      !requireThat(atLeast(along, 1), x.place,
                   "'" + word.str() + "' of no elements: " + along.str() + " are reduced"))
    return {};
  value = reshape(value, {before, along, after}, "collapsed");
  Type dtype = isArg ? Type(builder.getI64Type()) : dtypeOf(x.value);
  Value result = ReduceOp::create(builder, node.getLoc(), type({before, after}, dtype),
                                  fresh("reduced"), value, kind);
  return reshape(result, shown, "shaped");
}

Value NodeExpansion::expandSoftmax() {
  Named x = get("x");
  int64_t rank = tensorType(x.value).getRank();
  std::optional<int64_t> dim = axis(integer("axis", -1), rank, "axis");
  if (!isFloat(x) || !dim)
    return {};
  Value value = x.value;
  SmallVector<int64_t> order, back(rank);
  for (int64_t other = 0; other < rank; ++other)
    if (other != *dim)
      order.push_back(other);
  order.push_back(*dim);
  for (auto [to, from] : llvm::enumerate(order))
    back[from] = to;
  bool isLast = *dim == rank - 1;
  if (!isLast)
    value = permute(value, order, "ordered");
  Shape shape = shapeOf(value);
  value = reshape(value, {product(ArrayRef<Expr>(shape).drop_back()), shape.back()}, "rows");
  Operation *made = call("nn.softmax", value, {}, "softmax");
  if (!made)
    return {};
  value = reshape(made->getResult(0), shape, "shaped");
  return isLast ? value : permute(value, back, "restored");
}

// Layer and RMS norm, over the last dims: those of the weight.
Value NodeExpansion::expandNorm() {
  Named x = get("x"), weight = get("weight");
  std::optional<Named> bias = find("bias");
  Shape shape = shapeOf(x.value);
  int64_t inner = tensorType(weight.value).getRank(), outer = int64_t(shape.size()) - inner;
  if (!isFloat(x) || !hasRank(weight, 1, /*atLeast=*/true) || !hasRank(x, inner, /*atLeast=*/true))
    return {};
  for (const std::optional<Named> &param : {std::optional(weight), bias}) {
    if (!param)
      continue;
    if (!hasRank(*param, inner) || !sameDtype(x, *param))
      return {};
    for (int64_t dim = 0; dim < inner; ++dim)
      if (!unify(size(x, outer + dim), size(*param, dim)))
        return {};
  }
  ArrayRef<Expr> sizes = shape;
  Expr columns = product(sizes.drop_front(outer));
  SmallVector<Value> operands = {
      reshape(x.value, {product(sizes.take_front(outer)), columns}, "rows")};
  operands.push_back(inner == 1 ? weight.value : reshape(weight.value, {columns}, "weight"));
  if (bias)
    operands.push_back(inner == 1 ? bias->value : reshape(bias->value, {columns}, "bias"));
  NamedAttribute eps = builder.getNamedAttr("eps", builder.getF64FloatAttr(real("eps", 1e-5)));
  Operation *made = call(("nn." + node.getKind()).str(), operands, eps, "norm");
  return made ? reshape(made->getResult(0), shape, "shaped") : Value();
}
