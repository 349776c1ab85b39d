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

// What a map does first with the element of a convolution: products with and sums of params of the
// channel, element * scale + shift as a whole.
struct Scaling {
  ConvOp conv;
  Value element, result; // the argument of the map, and what became of it
  SmallVector<ApplyOp> steps{};
  SmallVector<Value> params{}; // for each step, as an operand of the map
  bool hasProduct = false;
};

// The operand of the map that the argument stands for, if it is a known value for each channel that
// nothing else in the map uses; null otherwise.
Value channelParam(MapOp map, Value inner, ConvOp conv) {
  auto argument = dyn_cast<BlockArgument>(inner);
  if (!argument || !argument.hasOneUse())
    return {};
  Value tensor = map.getOperand(argument.getArgNumber());
  ArrayRef<ExprAttr> shape = tensorType(tensor).getShape();
  bool isPerChannel = shape.size() == 3 && shape[0] == tensorType(conv.getFilter()).getShape()[0] &&
                      shape[1].getConstant() == 1 && shape[2].getConstant() == 1;
  return isPerChannel && isKnown(tensor) ? tensor : Value();
}

std::optional<Scaling> findScaling(MapOp map) {
  for (auto [operand, argument] :
       llvm::zip_equal(map.getOperands(), map.getBlock().getArguments())) {
    auto conv = operand.getDefiningOp<ConvOp>();
    if (!conv || !operand.hasOneUse() || !isKnown(conv.getFilter()) ||
        operand.getType() != conv.getResult().getType())
      continue;
    Scaling found{conv, argument, argument};
    for (Value current = argument; current.hasOneUse();) {
      auto step = dyn_cast<ApplyOp>(*current.user_begin());
      if (!step || step.getNumOperands() != 2)
        break;
      StringRef function = step.getFunction();
      bool isFirst = step.getOperand(0) == current;
      if (function != "mul" && function != "add" && (function != "sub" || !isFirst))
        break;
      Value param = channelParam(map, step.getOperand(isFirst ? 1 : 0), conv);
      if (!param || step.getType() != argument.getType())
        break;
      found.steps.push_back(step);
      found.params.push_back(param);
      found.hasProduct |= function == "mul";
      current = found.result = step.getResult();
    }
    if (found.hasProduct)
      return found;
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

// A map before `map`: the function of the elements of operands, the first of which has its shape.
Value combine(MapOp map, StringRef word, StringRef function, ArrayRef<Value> operands) {
  OpBuilder builder(map); // the params are there
  GraphTensorType type = tensorType(operands[0]);
  auto combined = MapOp::create(builder, map.getLoc(), type, freshName(map, word), operands);
  Block &block = combined.getBody().emplaceBlock();
  for (size_t i = 0; i < operands.size(); ++i)
    block.addArgument(type.getDtype(), map.getLoc());
  OpBuilder inner(map.getContext());
  inner.setInsertionPointToEnd(&block);
  auto value = ApplyOp::create(inner, map.getLoc(), type.getDtype(), function, block.getArguments(),
                               DictionaryAttr());
  YieldOp::create(inner, map.getLoc(), value);
  return combined.getResult();
}

void fold(MapOp map, Scaling scaling) {
  Value scale, shift;
  for (auto [step, param] : llvm::zip_equal(scaling.steps, scaling.params)) {
    if (step.getFunction() == "mul") {
      scale = scale ? combine(map, "scale", "mul", {scale, param}) : param;
      if (shift)
        shift = combine(map, "shift", "mul", {shift, param});
    } else if (shift) {
      shift = combine(map, "shift", step.getFunction(), {shift, param});
    } else {
      shift = step.getFunction() == "add" ? param : combine(map, "shift", "neg", {param});
    }
  }
  ConvOp conv = scaling.conv;
  MLIRContext *context = map.getContext();
  Value filter = conv.getFilter();
  GraphTensorType type = tensorType(filter);
  auto one = ExprAttr::get(context, Expr(1));
  OpBuilder builder(map);
  auto scale4 = ReshapeOp::create(
      builder, map.getLoc(),
      GraphTensorType::get(context, {type.getShape()[0], one, one, one}, type.getDtype()),
      freshName(map, "filter_scale"), scale);
  Value scaled = combine(map, "filter", "mul", {filter, scale4.getResult()});
  conv->moveBefore(map);
  conv.getFilterMutable().assign(scaled);

  Value result = scaling.element;
  if (shift) {
    map->insertOperands(map->getNumOperands(), shift);
    Value argument = map.getBlock().addArgument(scaling.element.getType(), map.getLoc());
    OpBuilder inner(scaling.steps.back());
    result = ApplyOp::create(inner, map.getLoc(), argument.getType(), "add",
                             ValueRange{scaling.element, argument}, DictionaryAttr());
  }
  scaling.result.replaceAllUsesWith(result);
  for (ApplyOp step : llvm::reverse(scaling.steps))
    step.erase();
  // Without the params that are folded.
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
        fold(map, std::move(*scaling));
    });
  }
};

} // namespace
