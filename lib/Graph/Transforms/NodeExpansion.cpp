// What the families share: operands, attributes, sizes, and making operations.
#include "Graph/Transforms/NodeExpansion.h"

#include "Graph/IR/NodeKinds.h"
#include "Graph/IR/Pointwise.h"
#include "Graph/Transforms/CallShapes.h"
#include "Support/Diagnostics.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

NodeExpansion::NodeExpansion(GraphOp graph, NodeOp node, llvm::StringSet<> &names)
    : graph(graph), node(node), names(names), prover(graph), builder(node) {}

Value NodeExpansion::expand() {
  using Family = Value (NodeExpansion::*)();
  static const llvm::StringMap<Family> families = {
      {"batch_norm", &NodeExpansion::expandBatchNorm},
      {"reshape", &NodeExpansion::expandReshape},
      {"flatten", &NodeExpansion::expandView},
      {"squeeze", &NodeExpansion::expandView},
      {"unsqueeze", &NodeExpansion::expandView},
      {"transpose", &NodeExpansion::expandView},
      {"expand", &NodeExpansion::expandExpand},
      {"slice", &NodeExpansion::expandSlice},
      {"pad", &NodeExpansion::expandPad},
      {"concat", &NodeExpansion::expandConcat},
      {"sum", &NodeExpansion::expandReduction},
      {"mean", &NodeExpansion::expandReduction},
      {"max", &NodeExpansion::expandReduction},
      {"min", &NodeExpansion::expandReduction},
      {"prod", &NodeExpansion::expandReduction},
      {"argmax", &NodeExpansion::expandReduction},
      {"argmin", &NodeExpansion::expandReduction},
      {"softmax", &NodeExpansion::expandSoftmax},
      {"layer_norm", &NodeExpansion::expandNorm},
      {"rms_norm", &NodeExpansion::expandNorm},
      {"matmul", &NodeExpansion::expandMatmul},
      {"linear", &NodeExpansion::expandLinear},
      {"conv1d", &NodeExpansion::expandConv},
      {"conv2d", &NodeExpansion::expandConv},
      {"max_pool2d", &NodeExpansion::expandPool},
      {"avg_pool2d", &NodeExpansion::expandPool},
      {"global_avg_pool2d", &NodeExpansion::expandReduction},
  };
  auto family = families.find(node.getKind());
  assert((family != families.end() || findPointwise(node.getKind())) &&
         "a kind that nothing expands");
  Value result = family == families.end() ? expandMap() : (this->*family->second)();
  if (!result)
    return {};
  // The name of an operation that made the result is the node's from now on.
  if (Operation *maker = result.getDefiningOp(); maker->getLoc() == node.getLoc())
    maker->setAttr("name", node.getNameAttr());
  return result;
}

InFlightDiagnostic NodeExpansion::error(Location place) {
  InFlightDiagnostic report = emitError(place);
  report << "node '" << node.getName() << "': ";
  return report;
}

//===-- Operands and attributes
//-----------------------------------------------------------------===//

std::optional<NodeExpansion::Named> NodeExpansion::find(StringRef role) {
  for (auto [index, name] : llvm::enumerate(node.getRoles().getAsRange<StringAttr>()))
    if (name == role)
      return Named{node.getOperand(index), "'" + role.str() + "'", operandLoc(node, index)};
  return std::nullopt;
}

int64_t NodeExpansion::integer(StringRef name, int64_t otherwise) {
  auto value = node.getAttrs().getAs<IntegerAttr>(name);
  return value ? value.getInt() : otherwise;
}

double NodeExpansion::real(StringRef name, double otherwise) {
  Attribute value = node.getAttrs().get(name);
  if (auto whole = dyn_cast_or_null<IntegerAttr>(value))
    return double(whole.getInt());
  return value ? cast<FloatAttr>(value).getValueAsDouble() : otherwise;
}

bool NodeExpansion::flag(StringRef name) {
  auto value = node.getAttrs().getAs<BoolAttr>(name);
  return value && value.getValue();
}

std::optional<ArrayRef<int64_t>> NodeExpansion::list(StringRef name) {
  if (auto value = node.getAttrs().getAs<DenseI64ArrayAttr>(name))
    return value.asArrayRef();
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> NodeExpansion::repeated(StringRef name, size_t count,
                                                            int64_t otherwise, int64_t min) {
  ArrayRef<int64_t> given = list(name).value_or(ArrayRef<int64_t>(otherwise));
  Location place = attributeLoc(node, name);
  if (given.size() != 1 && given.size() != count) {
    error(place) << "'" << name << "' is one integer or a list of " << count << ", found "
                 << given.size();
    return std::nullopt;
  }
  for (int64_t value : given)
    if (value < min || value > INT32_MAX) {
      error(place) << "'" << name << "' must be from " << min << " to " << INT32_MAX << ", found "
                   << value;
      return std::nullopt;
    }
  SmallVector<int64_t> values(given);
  values.resize(count, values.front());
  return values;
}

std::optional<int64_t> NodeExpansion::axis(int64_t value, int64_t rank, StringRef attribute) {
  if (value >= -rank && value < rank)
    return value < 0 ? value + rank : value;
  error(attributeLoc(node, attribute)) << "there is no dim " << value << " among " << rank;
  return std::nullopt;
}

//===-- Sizes
//-----------------------------------------------------------------------------------===//

NodeExpansion::Shape NodeExpansion::shapeOf(Value value) {
  Shape shape;
  for (ExprAttr size : tensorType(value).getShape())
    shape.push_back(size.getExpr());
  return shape;
}

Expr NodeExpansion::product(ArrayRef<Expr> sizes) {
  Expr all = 1;
  for (const Expr &size : sizes)
    all = all * size;
  return all;
}

NodeExpansion::Size NodeExpansion::size(const Named &tensor, int64_t dim) {
  return {shapeOf(tensor.value)[dim], "size " + std::to_string(dim) + " of " + tensor.text,
          tensor.place};
}

bool NodeExpansion::hasRank(const Named &tensor, int64_t rank, bool atLeast) {
  int64_t found = tensorType(tensor.value).getRank();
  if (found == rank || (atLeast && found > rank))
    return true;
  error(tensor.place) << tensor.text << " of '" << node.getKind() << "' has "
                      << (atLeast ? "at least " : "") << counted(rank, "dim") << ", found "
                      << typeText(tensorType(tensor.value));
  return false;
}

bool NodeExpansion::sameDtype(const Named &a, const Named &b) {
  if (dtypeOf(a.value) == dtypeOf(b.value))
    return true;
  InFlightDiagnostic report = error(node.getLoc());
  report << a.text << " is of type " << dtypeName(dtypeOf(a.value)) << ", but " << b.text
         << " of type " << dtypeName(dtypeOf(b.value));
  report.attachNote(a.place) << a.text << " is " << typeText(tensorType(a.value));
  report.attachNote(b.place) << b.text << " is " << typeText(tensorType(b.value));
  report.attachNote() << "hint: a node of kind 'cast' makes one type of another";
  return false;
}

bool NodeExpansion::isFloat(const Named &tensor) {
  if (isa<FloatType>(dtypeOf(tensor.value)))
    return true;
  error(tensor.place) << "'" << node.getKind() << "' takes floats, found "
                      << typeText(tensorType(tensor.value));
  return false;
}

bool NodeExpansion::isNumber(const Named &tensor) {
  if (!dtypeOf(tensor.value).isInteger(1))
    return true;
  error(tensor.place) << "'" << node.getKind() << "' takes numbers, found "
                      << typeText(tensorType(tensor.value));
  return false;
}

bool NodeExpansion::unify(const Size &a, const Size &b) {
  Truth equal = prover.areEqual(a.expr, b.expr);
  std::string text = a.text + " is " + a.expr.str() + ", but " + b.text + " is " + b.expr.str();
  if (equal == Truth::maybe)
    required.push_back(
        {node.getLoc(), equalTo(a.expr, b.expr), "node '" + node.getName().str() + "': " + text});
  if (equal != Truth::no)
    return true;
  InFlightDiagnostic report = error(node.getLoc());
  report << text;
  report.attachNote(a.place) << a.text << " is " << a.expr.str();
  report.attachNote(b.place) << b.text << " is " << b.expr.str();
  return false;
}

bool NodeExpansion::requireThat(const Expr &condition, Location place,
                                const std::string &violated) {
  Truth truth = prover.isTrue(condition);
  if (truth == Truth::no)
    error(place) << violated;
  else if (truth == Truth::maybe)
    required.push_back({place, condition, "node '" + node.getName().str() + "': " + violated});
  return truth != Truth::no;
}

std::optional<NodeExpansion::Shape> NodeExpansion::broadcast(ArrayRef<Named> tensors) {
  size_t rank = 0;
  for (const Named &tensor : tensors)
    rank = std::max<size_t>(rank, tensorType(tensor.value).getRank());
  Shape shape;
  for (size_t dim = 0; dim < rank; ++dim) {
    // The first that is not the number 1 decides.
    std::optional<Size> decided;
    for (const Named &tensor : tensors) {
      int64_t own = int64_t(dim) - int64_t(rank) + tensorType(tensor.value).getRank();
      if (own < 0)
        continue;
      Size here = size(tensor, own);
      if (here.expr.constant() == 1)
        continue;
      if (decided && !unify(*decided, here))
        return std::nullopt;
      if (!decided)
        decided = here;
    }
    shape.push_back(decided ? decided->expr : Expr(1));
  }
  return shape;
}

//===-- Operations
//------------------------------------------------------------------------------===//

std::string NodeExpansion::fresh(StringRef word) {
  std::string name = (node.getName() + "." + word).str();
  for (unsigned i = 2; !names.insert(name).second; ++i)
    name = (node.getName() + "." + word + llvm::Twine(i)).str();
  return name;
}

GraphTensorType NodeExpansion::type(ArrayRef<Expr> shape, Type dtype) {
  SmallVector<ExprAttr> sizes;
  for (const Expr &size : shape)
    sizes.push_back(ExprAttr::get(node.getContext(), size));
  return GraphTensorType::get(node.getContext(), sizes, dtype);
}

Value NodeExpansion::reshape(Value value, ArrayRef<Expr> shape, StringRef word) {
  return ReshapeOp::create(builder, node.getLoc(), type(shape, dtypeOf(value)), fresh(word), value);
}

Value NodeExpansion::permute(Value value, ArrayRef<int64_t> permutation, StringRef word) {
  Shape from = shapeOf(value), to;
  for (int64_t dim : permutation)
    to.push_back(from[dim]);
  return PermuteOp::create(builder, node.getLoc(), type(to, dtypeOf(value)), fresh(word), value,
                           builder.getDenseI64ArrayAttr(permutation));
}

Operation *NodeExpansion::call(StringRef op, ValueRange operands, ArrayRef<NamedAttribute> attrs,
                               StringRef word) {
  return createCall(builder, graph, node.getLoc(), fresh(word), op, operands, attrs, required);
}

Value NodeExpansion::map(ValueRange operands, ArrayRef<Expr> shape, StringRef word,
                         llvm::function_ref<Value(Body &)> body) {
  // The region comes first: it tells the type.
  Region region;
  Block &block = region.emplaceBlock();
  for (Value operand : operands)
    block.addArgument(dtypeOf(operand), node.getLoc());
  Body inner{OpBuilder(node.getContext()), node.getLoc(), block.getArguments()};
  inner.builder.setInsertionPointToEnd(&block);
  Value result = body(inner);
  YieldOp::create(inner.builder, node.getLoc(), result);
  auto map =
      MapOp::create(builder, node.getLoc(), type(shape, result.getType()), fresh(word), operands);
  map.getBody().takeBody(region);
  return map;
}

Value NodeExpansion::Body::apply(StringRef function, ValueRange operands, Type result,
                                 DictionaryAttr attrs) {
  if (!result)
    result = findPointwise(function)->isPredicate ? builder.getI1Type() : operands.back().getType();
  return ApplyOp::create(builder, place, result, function, operands, attrs);
}

Value NodeExpansion::Body::literal(double value, Type type) {
  TypedAttr attr;
  if (isa<FloatType>(type))
    attr = builder.getFloatAttr(type, value);
  else
    attr = builder.getIntegerAttr(type, int64_t(value));
  return LiteralOp::create(builder, place, type, attr);
}

Value NodeExpansion::addBias(Value value, const Named &bias, unsigned dimsAfter) {
  Shape shape = shapeOf(bias.value);
  shape.append(dimsAfter, Expr(1));
  Value shaped = dimsAfter ? reshape(bias.value, shape, "bias") : bias.value;
  return map({value, shaped}, shapeOf(value), "biased",
             [](Body &body) { return body.apply("add", body.elements); });
}
