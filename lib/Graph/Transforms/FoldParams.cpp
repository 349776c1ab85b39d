// Maps of params are computed when compiling, by their references. Passes.td says which. The
// residual network has some: ShippedGraphsTest holds what it computes to PyTorch.
#include "Graph/IR/Graph.h"
#include "Graph/Reference/EvaluateTyped.h"
#include "Graph/Transforms/Passes.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace teeny::graph {
#define GEN_PASS_DEF_GRAPHFOLDPARAMS
#include "Graph/Transforms/Passes.h.inc"
} // namespace teeny::graph

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

namespace {

// What is computed is part of the bundle, so it must not be much more than what it is made of.
constexpr int64_t mostElements = int64_t(1) << 26, freeElements = 4096;

std::optional<SmallVector<int64_t>> fixedShape(GraphTensorType type) {
  SmallVector<int64_t> shape;
  for (ExprAttr size : type.getShape()) {
    std::optional<int64_t> constant = size.getConstant();
    if (!constant)
      return std::nullopt;
    shape.push_back(*constant);
  }
  return shape;
}

class ParamFolder {
public:
  void run(GraphOp graph) {
    for (Operation &op : llvm::make_early_inc_range(graph.getBlock()))
      if (auto map = dyn_cast<MapOp>(op))
        fold(map);
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(graph.getBlock())))
      if (op.use_empty() && (isTyped(&op) || isa<ParamOp>(op)))
        op.erase();
  }

private:
  bool isKnown(Value value) {
    Operation *op = value.getDefiningOp();
    if (!fixedShape(tensorType(value)) || !isa<FloatType>(tensorType(value).getDtype()))
      return false;
    return isa<ParamOp, ConstantOp>(op) ||
           (isa<ReshapeOp, PermuteOp, ExpandOp>(op) && isKnown(op->getOperand(0)));
  }

  // Of the data that a known value is made of.
  static int64_t storedElements(Value value) {
    Operation *op = value.getDefiningOp();
    while (!isa<ParamOp, ConstantOp>(op))
      op = op->getOperand(0).getDefiningOp();
    return tensorType(op->getResult(0)).elements().constant().value_or(0);
  }

  // Null if data cannot be read, which is reported when the bundle is written.
  const HostTensor *valueOf(Value value) {
    std::unique_ptr<HostTensor> &known = values[value];
    if (known)
      return known.get();
    Operation *op = value.getDefiningOp();
    if (auto param = dyn_cast<ParamOp>(op)) {
      Result<HostTensor> data = readParamData(param);
      if (!data)
        return nullptr;
      return (values[value] = std::make_unique<HostTensor>(std::move(*data))).get();
    }
    return compute(op);
  }

  const HostTensor *compute(Operation *op) {
    SmallVector<const HostTensor *> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(valueOf(operand));
      if (!operands.back())
        return nullptr;
    }
    GraphTensorType type = tensorType(op->getResult(0));
    SmallVector<int64_t> shape = *fixedShape(type);
    auto result = std::make_unique<HostTensor>(*dtypeOf(type.getDtype()),
                                               std::vector<int64_t>(shape.begin(), shape.end()));
    auto none = [](const std::string &) -> std::optional<int64_t> { return std::nullopt; };
    if (!evaluateTyped(op, operands, none, *result))
      return nullptr;
    return (values[op->getResult(0)] = std::move(result)).get();
  }

  void fold(MapOp map) {
    GraphTensorType type = tensorType(map.getResult());
    std::optional<SmallVector<int64_t>> shape = fixedShape(type);
    if (!shape || !isa<FloatType>(type.getDtype()) ||
        !llvm::all_of(map.getOperands(), [&](Value v) { return isKnown(v); }))
      return;
    std::optional<int64_t> elements = type.elements().constant();
    int64_t stored = 0;
    for (Value operand : map.getOperands())
      stored = std::max(stored, storedElements(operand));
    if (!elements || *elements > std::min(mostElements, std::max(freeElements, 2 * stored)))
      return;
    const HostTensor *result = compute(map);
    if (!result)
      return;
    auto bytes = result->bytes();
    auto data = DenseElementsAttr::getFromRawBuffer(
        RankedTensorType::get(*shape, type.getDtype()),
        {reinterpret_cast<const char *>(bytes.data()), bytes.size()});
    OpBuilder builder(map);
    auto constant = ConstantOp::create(builder, map.getLoc(), type, map.getName(), data);
    std::unique_ptr<HostTensor> known = std::move(values[map.getResult()]);
    values.erase(map.getResult());
    values[constant.getResult()] = std::move(known);
    map.replaceAllUsesWith(constant.getResult());
    map.erase();
  }

  llvm::DenseMap<Value, std::unique_ptr<HostTensor>> values;
};

struct FoldParams final : graph::impl::GraphFoldParamsBase<FoldParams> {
  void runOnOperation() override {
    for (auto graph : getOperation().getOps<GraphOp>())
      ParamFolder().run(graph);
  }
};

} // namespace
