// Nodes that become products of matrices.
#include "Graph/Transforms/NodeExpansion.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

Value NodeExpansion::expandMatmul() {
  Named a = get("a"), b = get("b");
  if (!hasRank(a, 2, /*atLeast=*/true) || !hasRank(b, 2, /*atLeast=*/true) || !isNumber(a) ||
      !sameDtype(a, b))
    return {};
  bool flags[] = {flag("transpose_a"), flag("transpose_b")};
  Shape left = shapeOf(a.value), right = shapeOf(b.value);
  int64_t la = left.size(), lb = right.size();
  if (!unify(size(a, flags[0] ? la - 2 : la - 1), size(b, flags[1] ? lb - 1 : lb - 2)))
    return {};
  Expr rows = left[flags[0] ? la - 1 : la - 2], columns = right[flags[1] ? lb - 2 : lb - 1];

  // The leading dims are broadcast like operands of a map.
  ArrayRef<Expr> leftSizes = left, rightSizes = right;
  ArrayRef<Expr> leftBatch = leftSizes.drop_back(2), rightBatch = rightSizes.drop_back(2);
  Shape batch;
  for (size_t dim = 0, rank = std::max(leftBatch.size(), rightBatch.size()); dim < rank; ++dim) {
    int64_t i = int64_t(dim + leftBatch.size()) - int64_t(rank),
            j = int64_t(dim + rightBatch.size()) - int64_t(rank);
    if (i >= 0 && j >= 0 && leftBatch[i].constant() != 1 && rightBatch[j].constant() != 1 &&
        !unify(size(a, i), size(b, j)))
      return {};
    bool isLeft = i >= 0 && (j < 0 || leftBatch[i].constant() != 1);
    batch.push_back(isLeft ? leftBatch[i] : rightBatch[j]);
  }
  Shape shape = batch;
  shape.append({rows, columns});
  Expr count = product(batch);

  auto product3 = [&](Value lhs, Value rhs, ArrayRef<Expr> result) {
    Value made = MatmulOp::create(builder, node.getLoc(), type(result, dtypeOf(lhs)),
                                  fresh("product"), lhs, rhs, builder.getDenseBoolArrayAttr(flags));
    return reshape(made, shape, "shaped");
  };
  // One right matrix for all: the left ones are one tall matrix.
  if (!flags[0] && product(rightBatch).constant() == 1) {
    Value lhs = reshape(a.value, {Expr(1), product(leftSizes.drop_back(1)), left.back()}, "left");
    Value rhs = reshape(b.value, {Expr(1), right[lb - 2], right[lb - 1]}, "right");
    return product3(lhs, rhs, {Expr(1), product(leftBatch) * rows, columns});
  }
  auto operand = [&](const Named &tensor, ArrayRef<Expr> sizes, StringRef word) {
    Shape full = batch;
    llvm::append_range(full, sizes.take_back(2));
    Value value = tensor.value;
    bool isWhole = sizes.size() == full.size();
    for (size_t dim = 0; isWhole && dim < full.size(); ++dim)
      isWhole = sizes[dim].constant() != 1 || full[dim].constant() == 1;
    if (!isWhole)
      value = ExpandOp::create(builder, node.getLoc(), type(full, dtypeOf(value)),
                               fresh("repeated"), value);
    return reshape(value, {count, full[full.size() - 2], full.back()}, word);
  };
  Value lhs = operand(a, leftSizes, "left"), rhs = operand(b, rightSizes, "right");
  return product3(lhs, rhs, {count, rows, columns});
}

Value NodeExpansion::expandLinear() {
  Named x = get("x"), weight = get("weight");
  std::optional<Named> bias = find("bias");
  if (!hasRank(x, 1, /*atLeast=*/true) || !hasRank(weight, 2) || !isFloat(x) ||
      !sameDtype(x, weight))
    return {};
  Shape shape = shapeOf(x.value);
  if (!unify(size(x, shape.size() - 1), size(weight, 1)))
    return {};
  if (bias &&
      (!hasRank(*bias, 1) || !sameDtype(x, *bias) || !unify(size(weight, 0), size(*bias, 0))))
    return {};
  Expr rows = product(ArrayRef<Expr>(shape).drop_back()), inner = shape.back();
  Expr columns = shapeOf(weight.value)[0];
  Value lhs = reshape(x.value, {Expr(1), rows, inner}, "rows");
  Value rhs = reshape(weight.value, {Expr(1), columns, shapeOf(weight.value)[1]}, "weight");
  Value made =
      MatmulOp::create(builder, node.getLoc(), type({Expr(1), rows, columns}, dtypeOf(x.value)),
                       fresh("product"), lhs, rhs, builder.getDenseBoolArrayAttr({false, true}));
  shape.back() = columns;
  Value result = reshape(made, shape, "shaped");
  return bias ? addBias(result, *bias, 0) : result;
}
