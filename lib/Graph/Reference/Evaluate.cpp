#include "Graph/Reference/Evaluate.h"

#include "Graph/IR/Graph.h"
#include "Graph/Reference/EvaluateTyped.h"
#include "TensorFile/SafeTensors.h"

using namespace teeny;
using namespace teeny::graph;

using Dims = std::map<std::string, int64_t>;

static GraphOp graphOf(mlir::ModuleOp module) { return *module.getOps<GraphOp>().begin(); }

static Expr::Lookup lookupIn(const Dims &dims) {
  return [&dims](const std::string &name) -> std::optional<int64_t> {
    auto found = dims.find(name);
    return found == dims.end() ? std::nullopt : std::optional(found->second);
  };
}

static std::string shapeText(const HostTensor &tensor) {
  std::string text = name(tensor.dtype()) + std::string("[");
  for (size_t i = 0; i < tensor.shape().size(); ++i)
    text += (i ? ", " : "") + std::to_string(tensor.shape()[i]);
  return text + "]";
}

//===-- Dims
//------------------------------------------------------------------------------------===//

static Error misfit(InputOp input, const HostTensor &given) {
  auto type = llvm::cast<GraphTensorType>(input.getResult().getType());
  return {ErrorCode::invalid, "input '" + input.getName().str() + "' is " + shapeText(given) +
                                  ", the graph takes " + typeText(type)};
}

static Status solveInput(InputOp input, const HostTensor &given, Dims &dims) {
  auto type = llvm::cast<GraphTensorType>(input.getResult().getType());
  if (dtypeOf(type.getDtype()) != given.dtype() || type.getRank() != int64_t(given.shape().size()))
    return misfit(input, given);
  for (auto [size, value] : llvm::zip(type.getShape(), given.shape())) {
    Expr expr = size.getExpr();
    if (std::optional<Expr::Linear> linear = expr.linear()) {
      Result<int64_t> solved = linear->solve(value);
      if (!solved)
        return solved.error().in("input '" + input.getName().str() + "'");
      auto [known, isNew] = dims.try_emplace(linear->name, *solved);
      if (known->second != *solved)
        return misfit(input, given);
    } else if (expr.constant() != value) {
      return misfit(input, given);
    }
  }
  return {};
}

static Status checkDims(GraphOp graph, const Dims &dims) {
  for (auto dim : graph.getDims().getAsRange<DimAttr>()) {
    int64_t value = dims.at(dim.getName().str());
    if (value >= dim.getMin() && value <= dim.getMax() && value % dim.getMultipleOf() == 0)
      continue;
    std::string allowed =
        "from " + std::to_string(dim.getMin()) + " to " + std::to_string(dim.getMax());
    if (dim.getMultipleOf() != 1)
      allowed += " and a multiple of " + std::to_string(dim.getMultipleOf());
    return Error{ErrorCode::outOfRange, "dim '" + dim.getName().str() + "' is " +
                                            std::to_string(value) + ", must be " + allowed};
  }
  for (auto requirement : graph.getBlock().getOps<RequireOp>()) {
    Result<int64_t> holds = requirement.getCondition().getExpr().evaluate(lookupIn(dims));
    if (!holds)
      return holds.error();
    if (*holds == 0)
      return Error{ErrorCode::outOfRange, requirement.getMessage().str()};
  }
  return {};
}

Result<Dims> teeny::solveDims(mlir::ModuleOp module, const NamedTensors &inputs) {
  GraphOp graph = graphOf(module);
  Dims dims;
  for (auto dim : graph.getDims().getAsRange<DimAttr>())
    if (dim.getMin() == dim.getMax())
      dims[dim.getName().str()] = dim.getMin();
  for (auto input : graph.getBlock().getOps<InputOp>()) {
    auto given = inputs.find(input.getName().str());
    if (given == inputs.end())
      return Error{ErrorCode::notFound, "input '" + input.getName().str() + "' is not given"};
    if (Status status = solveInput(input, given->second, dims); !status)
      return status.error();
  }
  if (Status status = checkDims(graph, dims); !status)
    return status.error();
  return dims;
}

//===-- Values
//----------------------------------------------------------------------------------===//

namespace {

class Evaluator {
public:
  Evaluator(const NamedTensors &inputs, Dims dims) : inputs(inputs), dims(std::move(dims)) {}

  Status evaluate(mlir::Operation &op) {
    if (auto input = llvm::dyn_cast<InputOp>(op)) {
      values[input.getResult()] = inputs.at(input.getName().str());
      return {};
    }
    if (auto param = llvm::dyn_cast<ParamOp>(op))
      return readParam(param);
    if (auto call = llvm::dyn_cast<CallOp>(op))
      return run(call);
    if (auto output = llvm::dyn_cast<OutputOp>(op)) {
      for (auto [value, name] : llvm::zip(output.getOperands(), output.getNames()))
        outputs[llvm::cast<mlir::StringAttr>(name).getValue().str()] = values.at(value);
      return {};
    }
    if (llvm::isa<RequireOp>(op))
      return {};
    if (isTyped(&op))
      return runTyped(op);
    return Error{ErrorCode::unsupported, "no reference for " + op.getName().getStringRef().str()};
  }

  NamedTensors outputs;

private:
  Result<HostTensor> zeros(mlir::Value value) {
    auto type = llvm::cast<GraphTensorType>(value.getType());
    std::vector<int64_t> shape;
    for (ExprAttr size : type.getShape()) {
      Result<int64_t> extent = size.getExpr().evaluate(lookupIn(dims));
      if (!extent)
        return extent.error();
      shape.push_back(*extent);
    }
    DType dtype = *dtypeOf(type.getDtype());
    constexpr int64_t mostBytes = int64_t(1) << 36;
    std::optional<int64_t> bytes = tensorBytes(dtype, shape);
    if (!bytes || *bytes > mostBytes)
      return Error{ErrorCode::outOfMemory, "a tensor of type " + typeText(type) + " is too large"};
    return HostTensor(dtype, shape);
  }

  Status readParam(ParamOp param) {
    Result<HostTensor> data = readParamData(param);
    if (!data)
      return data.error();
    Result<HostTensor> expected = zeros(param.getResult());
    if (!expected)
      return expected.error();
    if (data->shape() != expected->shape())
      return Error{ErrorCode::invalid, "the data of '" + param.getName().str() + "' is " +
                                           shapeText(*data) + ", not " + shapeText(*expected)};
    values[param.getResult()] = std::move(*data);
    return {};
  }

  Status runTyped(mlir::Operation &op) {
    std::vector<const HostTensor *> operands;
    for (mlir::Value operand : op.getOperands())
      operands.push_back(&values.at(operand));
    Result<HostTensor> result = zeros(op.getResult(0));
    if (!result)
      return result.error();
    Status status = evaluateTyped(&op, operands, lookupIn(dims), *result);
    values[op.getResult(0)] = std::move(*result);
    return status;
  }

  Status run(CallOp call) {
    OpOp op = call.declaration();
    ReferenceOp reference = findReference(std::string_view(op.getSymName()));
    if (!reference)
      return Error{ErrorCode::unsupported, "op '" + op.getSymName().str() + "' has no reference"};
    ReferenceCall arguments;
    for (auto [declared, value] : llvm::zip(op.operandTensors(), call.getTensors()))
      arguments.operands[declared.getName().str()] = &values.at(value);
    for (mlir::NamedAttribute attr : call.getAttrs())
      arguments.attrs[attr.getName().str()] = referenceAttr(attr.getValue());
    auto outputs = op.tensors(TensorRole::Output);
    for (auto [declared, value] : llvm::zip(outputs, call.getResults())) {
      Result<HostTensor> result = zeros(value);
      if (!result)
        return result.error().in("node '" + call.getName().str() + "'");
      arguments.results[declared.getName().str()] = std::move(*result);
    }
    reference(arguments);
    for (auto [declared, value] : llvm::zip(outputs, call.getResults()))
      values[value] = std::move(arguments.results[declared.getName().str()]);
    return {};
  }

  const NamedTensors &inputs;
  Dims dims;
  // Operands of a call are pointed to while it runs, so values must stay where they are.
  struct Less {
    bool operator()(mlir::Value a, mlir::Value b) const {
      return a.getAsOpaquePointer() < b.getAsOpaquePointer();
    }
  };
  std::map<mlir::Value, HostTensor, Less> values;
};

} // namespace

Result<NamedTensors> teeny::evaluateGraph(mlir::ModuleOp module, const NamedTensors &inputs) {
  Result<Dims> dims = solveDims(module, inputs);
  if (!dims)
    return dims.error();
  Evaluator evaluator(inputs, *dims);
  for (mlir::Operation &op : graphOf(module).getBlock())
    if (Status status = evaluator.evaluate(op); !status)
      return status.error();
  return evaluator.outputs;
}
