// Nodes that become maps.
#include "Graph/Transforms/NodeExpansion.h"

#include "Graph/IR/NodeKinds.h"
#include "Graph/IR/Pointwise.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

static bool isIn(Type type, PointwiseFunction::Domain domain) {
  switch (domain) {
  case PointwiseFunction::floats:
    return isa<FloatType>(type);
  case PointwiseFunction::numbers:
    return !type.isInteger(1);
  case PointwiseFunction::integers:
    return isa<IntegerType>(type);
  case PointwiseFunction::booleans:
    return type.isInteger(1);
  case PointwiseFunction::anything:
    return true;
  }
  llvm_unreachable("all are listed");
}

static StringRef domainText(PointwiseFunction::Domain domain) {
  static constexpr StringLiteral texts[] = {"floats", "numbers", "integers", "bools", "anything"};
  return texts[domain];
}

// Whether a number of a file is a value of the type.
static bool holds(Type type, Attribute number) {
  if (isa<FloatType>(type))
    return true;
  auto whole = dyn_cast<IntegerAttr>(number);
  if (!whole)
    return false;
  unsigned bits = type.getIntOrFloatBitWidth();
  int64_t value = whole.getInt();
  if (bits == 64)
    return value >= 0 || !type.isUnsignedInteger();
  if (type.isUnsignedInteger() || bits == 1)
    return value >= 0 && value < int64_t(1) << bits;
  return value >= -(int64_t(1) << (bits - 1)) && value < int64_t(1) << (bits - 1);
}

Value NodeExpansion::expandMap() {
  const PointwiseFunction &function = *findPointwise(node.getKind());
  const NodeKind &kind = *findNodeKind(node.getKind());
  // Tensors first; then numbers, whose type is theirs.
  SmallVector<Named> tensors;
  std::optional<Named> typed;
  for (StringRef role : kind.inputs) {
    std::optional<Named> tensor = find(role);
    if (!tensor)
      continue;
    tensors.push_back(*tensor);
    if (role == "condition") {
      if (dtypeOf(tensor->value).isInteger(1))
        continue;
      error(tensor->place) << "'condition' is of type bool, found "
                           << typeText(tensorType(tensor->value));
      return {};
    }
    if (typed && !sameDtype(*typed, *tensor))
      return {};
    if (!typed)
      typed = *tensor;
  }
  if (!typed) {
    error(node.getLoc()) << "one of 'x' and 'y' must be a tensor, whose type the result has";
    return {};
  }
  Type dtype = dtypeOf(typed->value);
  if (!isIn(dtype, function.domain)) {
    error(typed->place) << "'" << node.getKind() << "' takes " << domainText(function.domain)
                        << ", found " << typeText(tensorType(typed->value));
    return {};
  }
  std::optional<Shape> shape = broadcast(tensors);
  if (!shape)
    return {};
  NamedAttrList parameters;
  for (const PointwiseFunction::Parameter &parameter : function.parameters)
    parameters.set(parameter.name,
                   builder.getF64FloatAttr(real(parameter.name, parameter.defaultValue)));
  for (StringRef role : kind.inputs)
    if (Attribute number = node.getAttrs().get(role);
        number && !find(role) && !holds(dtype, number)) {
      error(node.getLoc()) << "'" << role << "' must be a number of type " << dtypeName(dtype);
      return {};
    }

  SmallVector<Value> operands;
  for (const Named &tensor : tensors)
    operands.push_back(tensor.value);
  return map(operands, *shape, "map", [&](Body &body) {
    SmallVector<Value> elements;
    size_t next = 0;
    for (StringRef role : kind.inputs)
      elements.push_back(find(role) ? Value(body.elements[next++])
                                    : body.literal(real(role, 0), dtype));
    Type result;
    if (auto to = node.getAttrs().getAs<TypeAttr>("to"))
      result = to.getValue();
    return body.apply(node.getKind(), elements, result,
                      parameters.empty() ? DictionaryAttr()
                                         : parameters.getDictionary(node.getContext()));
  });
}

// x * scale + shift for each channel. What is made of params alone is a map of its own, over the
// channels: it can be computed when compiling.
Value NodeExpansion::expandBatchNorm() {
  Named x = get("x"), mean = get("mean"), variance = get("variance");
  std::optional<Named> weight = find("weight"), bias = find("bias");
  if (!hasRank(x, 2, /*atLeast=*/true) || !isFloat(x))
    return {};
  for (const std::optional<Named> &param :
       {std::optional(mean), std::optional(variance), weight, bias})
    if (param &&
        (!hasRank(*param, 1) || !sameDtype(mean, *param) || !unify(size(x, 1), size(*param, 0))))
      return {};
  double eps = real("eps", 1e-5);
  Shape channels = shapeOf(mean.value);
  SmallVector<Value> scaleOf = {variance.value}, shiftOf = {mean.value};
  if (weight)
    scaleOf.push_back(weight->value);
  Value scale = map(scaleOf, channels, "scale", [&](Body &body) {
    Value variance = body.elements[0], epsilon = body.literal(eps, variance.getType());
    Value scale = body.apply("rsqrt", body.apply("add", {variance, epsilon}));
    return weight ? body.apply("mul", {body.elements[1], scale}) : scale;
  });
  shiftOf.push_back(scale);
  if (bias)
    shiftOf.push_back(bias->value);
  Value shift = map(shiftOf, channels, "shift", [&](Body &body) {
    Value moved = body.apply("mul", {body.elements[0], body.elements[1]});
    return bias ? body.apply("sub", {body.elements[2], moved}) : body.apply("neg", moved);
  });
  Shape shape = channels;
  shape.append(tensorType(x.value).getRank() - 2, Expr(1));
  if (shape.size() > 1) {
    scale = reshape(scale, shape, "scales");
    shift = reshape(shift, shape, "shifts");
  }
  Type dtype = dtypeOf(x.value), params = dtypeOf(mean.value);
  return map({x.value, scale, shift}, shapeOf(x.value), "normalized", [&](Body &body) {
    Value element = body.elements[0];
    if (dtype != params)
      element = body.apply("cast", element, params);
    Value scaled = body.apply("mul", {element, body.elements[1]});
    Value result = body.apply("add", {scaled, body.elements[2]});
    return dtype == params ? result : body.apply("cast", result, dtype);
  });
}
