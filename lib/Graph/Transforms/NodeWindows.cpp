// Nodes that look at windows: convolutions and pooling.
#include "Graph/Transforms/NodeExpansion.h"

#include "Support/Diagnostics.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

std::optional<Expr> NodeExpansion::windowResults(const Size &input, const Expr &window,
                                                 int64_t before, int64_t after, int64_t stride,
                                                 int64_t dilation, bool ceil) {
  Expr padded = input.expr + before + after, reach = dilation * (window - 1) + 1;
  std::string text = input.text + " is " + input.expr.str();
  if (before || after)
    text += ", " + padded.str() + " with padding";
  text += "; the window spans " + reach.str();
  if (!requireThat(atLeast(padded, reach), input.place, text))
    return std::nullopt;
  if (ceil)
    return min(cdiv(padded - reach, stride), floorDiv(input.expr + before - 1, stride)) + 1;
  return floorDiv(padded - reach, stride) + 1;
}

// Padding is one integer, one for each dim, or what lies before and then what lies after each dim.
static std::optional<SmallVector<int64_t>> padsOf(std::optional<ArrayRef<int64_t>> given,
                                                  size_t dims) {
  ArrayRef<int64_t> values = given.value_or(ArrayRef<int64_t>());
  SmallVector<int64_t> pads(2 * dims, values.empty() ? 0 : values[0]);
  if (values.size() > 1 && values.size() != dims && values.size() != 2 * dims)
    return std::nullopt;
  if (values.size() == dims || values.size() == 2 * dims)
    for (size_t i = 0; i < pads.size(); ++i)
      pads[i] = values[i % values.size()];
  if (llvm::any_of(pads, [](int64_t pad) { return pad < 0 || pad > INT32_MAX; }))
    return std::nullopt;
  return pads;
}

Value NodeExpansion::expandConv() {
  Named x = get("x"), weight = get("weight");
  std::optional<Named> bias = find("bias");
  size_t dims = node.getKind() == "conv1d" ? 1 : 2;
  if (!hasRank(x, dims + 2) || !hasRank(weight, dims + 2) || !isFloat(x) || !sameDtype(x, weight))
    return {};
  auto strides = repeated("stride", dims, 1, 1), dilations = repeated("dilation", dims, 1, 1);
  auto pads = padsOf(list("padding"), dims);
  int64_t groups = integer("groups", 1);
  if (!pads || groups < 1) {
    StringRef name = pads ? "groups" : "padding";
    error(attributeLoc(node, name))
        << (pads ? "'groups' must be at least 1"
                 : "'padding' is an integer of at least 0, one for each dim, or those before "
                   "and then those after each");
    return {};
  }
  if (!strides || !dilations)
    return {};
  Shape in = shapeOf(x.value), filter = shapeOf(weight.value);
  Size channels{filter[1] * groups, "size 1 of 'weight' times the groups", weight.place};
  Location at = node.getAttrs().contains("groups") ? attributeLoc(node, "groups") : weight.place;
  if (!unify(size(x, 1), channels))
    return {};
  if (!requireThat(isMultipleOf(filter[0], groups), at,
                   "size 0 of 'weight' is " + filter[0].str() + ", not a multiple of the " +
                       std::to_string(groups) + " groups"))
    return {};
  if (bias &&
      (!hasRank(*bias, 1) || !sameDtype(x, *bias) || !unify(size(weight, 0), size(*bias, 0))))
    return {};
  Shape out = {in[0], filter[0]};
  for (size_t dim = 0; dim < dims; ++dim) {
    std::optional<Expr> results =
        windowResults(size(x, dim + 2), filter[dim + 2], (*pads)[dim], (*pads)[dim + dims],
                      (*strides)[dim], (*dilations)[dim]);
    if (!results)
      return {};
    out.push_back(*results);
  }
  Value input = x.value, kernel = weight.value;
  Shape shown = out;
  if (dims == 1) {
    // A row of an image of one row.
    input = reshape(input, {in[0], in[1], Expr(1), in[2]}, "rows");
    kernel = reshape(kernel, {filter[0], filter[1], Expr(1), filter[2]}, "filter");
    out.insert(out.begin() + 2, Expr(1));
    strides->insert(strides->begin(), 1);
    dilations->insert(dilations->begin(), 1);
    pads = SmallVector<int64_t>{0, (*pads)[0], 0, (*pads)[1]};
  }
  Value result = ConvOp::create(builder, node.getLoc(), type(out, dtypeOf(x.value)), fresh("conv"),
                                input, kernel, *strides, *pads, *dilations, groups);
  if (dims == 1)
    result = reshape(result, shown, "shaped");
  return bias ? addBias(result, *bias, dims) : result;
}

Value NodeExpansion::expandPool() {
  Named x = get("x");
  if (!hasRank(x, 4) || !isFloat(x))
    return {};
  auto window = repeated("kernel", 2, 1, 1);
  if (!window)
    return {};
  bool hasStride = list("stride").has_value();
  auto strides = hasStride ? repeated("stride", 2, 1, 1) : window,
       dilations = repeated("dilation", 2, 1, 1);
  auto pads = padsOf(list("padding"), 2);
  if (!strides || !dilations)
    return {};
  for (size_t i = 0; pads && i < 4; ++i)
    if ((*pads)[i] > (*window)[i % 2] / 2)
      pads = std::nullopt; // a window might see nothing but the border
  if (!pads) {
    error(attributeLoc(node, "padding"))
        << "'padding' is at least 0 and at most half of 'kernel': an integer, one for "
           "each dim, or those before and then those after each";
    return {};
  }
  Shape in = shapeOf(x.value), out = {in[0], in[1]};
  for (size_t dim = 0; dim < 2; ++dim) {
    std::optional<Expr> results =
        windowResults(size(x, dim + 2), Expr((*window)[dim]), (*pads)[dim], (*pads)[dim + 2],
                      (*strides)[dim], (*dilations)[dim], flag("ceil"));
    if (!results)
      return {};
    out.push_back(*results);
  }
  PoolKind kind = node.getKind() == "max_pool2d" ? PoolKind::Max : PoolKind::Average;
  return PoolOp::create(builder, node.getLoc(), type(out, dtypeOf(x.value)), fresh("pool"), x.value,
                        kind, *window, *strides, *pads, *dilations, flag("count_pad"),
                        flag("ceil"));
}
