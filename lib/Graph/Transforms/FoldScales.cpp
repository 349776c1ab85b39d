// Scales of channels go into the filters of convolutions. Passes.td says when; tested by
// test/Graph/fold-scales.mlir.
#include "Graph/IR/Graph.h"
#include "Graph/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

namespace teeny::graph {
#define GEN_PASS_DEF_GRAPHFOLDSCALES
#include "Graph/Transforms/Passes.h.inc"
} // namespace teeny::graph

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

namespace {

// Whether the value is made of params alone: it will be computed when compiling.
bool isKnown(Value value) {
  // Each operation once, however many ways lead to it.
  llvm::SetVector<Operation *> makers;
  makers.insert(value.getDefiningOp());
  for (size_t i = 0; i < makers.size(); ++i) {
    Operation *op = makers[i];
    if (isa<ParamOp, ConstantOp>(op))
      continue;
    if (!isa<MapOp, ReshapeOp>(op))
      return false;
    for (Value operand : op->getOperands())
      makers.insert(operand.getDefiningOp());
  }
  return true;
}

// A product in a map of the element of a convolution with one of a scale.
struct Scaling {
  ConvOp conv;
  ApplyOp product;
  Value element, scale; // operands of the product; the scale as an operand of the map
};

std::optional<Scaling> findScaling(MapOp map) {
  for (auto [operand, argument] :
       llvm::zip_equal(map.getOperands(), map.getBlock().getArguments())) {
    auto conv = operand.getDefiningOp<ConvOp>();
    if (!conv || !operand.hasOneUse() || !argument.hasOneUse() || !isKnown(conv.getFilter()) ||
        operand.getType() != conv.getResult().getType())
      continue;
    auto product = dyn_cast<ApplyOp>(*argument.user_begin());
    if (!product || product.getFunction() != "mul")
      continue;
    Value other = product.getOperand(product.getOperand(0) == argument ? 1 : 0);
    auto scale = dyn_cast<BlockArgument>(other);
    if (!scale || !scale.hasOneUse())
      continue;
    Value tensor = map.getOperand(scale.getArgNumber());
    ArrayRef<ExprAttr> shape = tensorType(tensor).getShape();
    ExprAttr channels = tensorType(conv.getFilter()).getShape()[0];
    bool isPerChannel = shape.size() == 3 && shape[0] == channels && shape[1].getConstant() == 1 &&
                        shape[2].getConstant() == 1;
    if (isPerChannel && isKnown(tensor))
      return Scaling{conv, product, argument, tensor};
  }
  return std::nullopt;
}

// A name that no operation of the graph has.
std::string freshName(MapOp map, StringRef word) {
  std::string name = (map.getName() + "." + word).str();
  auto isTaken = [&](Operation &op) {
    auto taken = op.getAttrOfType<StringAttr>("name");
    return taken && taken == name;
  };
  while (llvm::any_of(*map->getBlock(), isTaken))
    name += "_";
  return name;
}

void fold(MapOp map, const Scaling &scaling) {
  ConvOp conv = scaling.conv;
  MLIRContext *context = map.getContext();
  Value filter = conv.getFilter();
  GraphTensorType type = tensorType(filter);
  auto one = ExprAttr::get(context, Expr(1));
  OpBuilder builder(map); // the scale is there
  auto scale = ReshapeOp::create(
      builder, map.getLoc(),
      GraphTensorType::get(context, {type.getShape()[0], one, one, one}, type.getDtype()),
      freshName(map, "filter_scale"), scaling.scale);
  auto scaled = MapOp::create(builder, map.getLoc(), type, freshName(map, "filter"),
                              ValueRange{filter, scale.getResult()});
  Block &block = scaled.getBody().emplaceBlock();
  for (unsigned i = 0; i < 2; ++i)
    block.addArgument(type.getDtype(), map.getLoc());
  OpBuilder inner(context);
  inner.setInsertionPointToEnd(&block);
  auto product = ApplyOp::create(inner, map.getLoc(), type.getDtype(), "mul", block.getArguments(),
                                 DictionaryAttr());
  YieldOp::create(inner, map.getLoc(), product);
  conv->moveBefore(map);
  conv.getFilterMutable().assign(scaled.getResult());

  ApplyOp gone = scaling.product;
  gone.replaceAllUsesWith(scaling.element);
  gone.erase();
  // Without the scale.
  for (unsigned i = map.getNumOperands(); i-- > 0;)
    if (map.getBlock().getArgument(i).use_empty()) {
      map.getBlock().eraseArgument(i);
      map->eraseOperand(i);
    }
}

struct FoldScales final : graph::impl::GraphFoldScalesBase<FoldScales> {
  void runOnOperation() override {
    getOperation().walk([](MapOp map) {
      if (std::optional<Scaling> scaling = findScaling(map))
        fold(map, *scaling);
    });
  }
};

} // namespace
