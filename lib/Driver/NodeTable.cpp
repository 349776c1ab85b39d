#include "Driver/NodeTable.h"

#include "Graph/IR/Graph.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

namespace {

constexpr size_t columns = std::tuple_size_v<NodeRow>;

// What an operation costs; nothing where only its kernel knows.
struct Cost {
  std::optional<Expr> flops;
  Expr bytes = 0;
};

} // namespace

static Expr size(Value value, int64_t dim) { return tensorType(value).getShape()[dim].getExpr(); }

static Expr bytesOf(Value value) {
  GraphTensorType type = tensorType(value);
  return type.elements() * dtypeBytes(type.getDtype());
}

static Cost costOf(Operation *op) {
  Cost cost;
  if (isa<ReshapeOp, ConstantOp>(op)) {
    cost.flops = 0;
    return cost;
  }
  for (Value operand : op->getOperands())
    cost.bytes = cost.bytes + bytesOf(operand);
  for (Value result : op->getResults())
    cost.bytes = cost.bytes + bytesOf(result);
  if (isa<PermuteOp, ExpandOp, SliceOp, PadOp, ConcatOp>(op))
    cost.flops = 0;
  else if (auto map = dyn_cast<MapOp>(op))
    cost.flops = tensorType(map.getResult()).elements() *
                 int64_t(llvm::range_size(map.getBlock().getOps<ApplyOp>()));
  else if (auto reduce = dyn_cast<ReduceOp>(op))
    cost.flops = tensorType(reduce.getOperand()).elements();
  else if (auto matmul = dyn_cast<MatmulOp>(op))
    cost.flops = 2 * tensorType(matmul.getResult()).elements() *
                 size(matmul.getLhs(), matmul.getTransposed()[0] ? 1 : 2);
  else if (auto conv = dyn_cast<ConvOp>(op))
    cost.flops = 2 * tensorType(conv.getResult()).elements() * size(conv.getFilter(), 1) *
                 size(conv.getFilter(), 2) * size(conv.getFilter(), 3);
  else if (auto pool = dyn_cast<PoolOp>(op))
    cost.flops =
        tensorType(pool.getResult()).elements() * (pool.getWindow()[0] * pool.getWindow()[1]);
  return cost;
}

static std::string kindOf(Operation *op) {
  if (auto call = dyn_cast<CallOp>(op))
    return call.getCallee().str();
  StringRef kind = op->getName().stripDialect();
  auto map = dyn_cast<MapOp>(op);
  if (!map)
    return kind.str();
  std::string functions;
  for (auto apply : map.getBlock().getOps<ApplyOp>())
    functions += (functions.empty() ? "" : ", ") + apply.getFunction().str();
  return functions.empty() ? "map" : functions;
}

static bool isParam(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getOperand();
  return isa_and_nonnull<ParamOp, ConstantOp>(value.getDefiningOp());
}

std::vector<NodeRow> teeny::nodeRows(ModuleOp module) {
  auto graphs = module.getOps<GraphOp>();
  if (graphs.empty())
    return {}; // kernels alone
  std::vector<NodeRow> rows = {{"node", "op", "result", "parameters", "flops", "bytes"}};
  Expr flops = 0, bytes = 0, parameters = 0;
  bool isWhole = true; // the flops of all nodes are known
  GraphOp graph = *graphs.begin();
  for (auto param : graph.getBlock().getOps<ParamOp>())
    parameters = parameters + tensorType(param.getResult()).elements();
  for (Operation &op : graph.getBlock()) {
    if (isa<RequireOp, OutputOp, ParamOp>(op))
      continue;
    std::string types;
    for (Value result : op.getResults())
      types += (types.empty() ? "" : ", ") + typeText(tensorType(result));
    std::string name = op.getAttrOfType<StringAttr>("name").str();
    if (isa<InputOp>(op)) {
      rows.push_back({name, "input", types, "", "", ""});
      continue;
    }
    Cost cost = costOf(&op);
    Expr read = 0;
    for (Value operand : op.getOperands())
      if (isParam(operand) && !isa<ReshapeOp>(op))
        read = read + tensorType(operand).elements();
    rows.push_back({name, kindOf(&op), types, read.constant() == 0 ? "" : read.str(),
                    cost.flops ? cost.flops->str() : "?", cost.bytes.str()});
    isWhole &= cost.flops.has_value();
    flops = flops + cost.flops.value_or(0);
    bytes = bytes + cost.bytes;
  }
  auto text = [](const Expr &sum) { return sum.tooLarge() ? std::string("?") : sum.str(); };
  rows.push_back(
      {"all", "", "", text(parameters), text(flops) + (isWhole ? "" : " and more"), text(bytes)});
  return rows;
}

std::string teeny::nodeTable(llvm::ArrayRef<NodeRow> rows) {
  std::array<size_t, columns> widths = {};
  for (const NodeRow &row : rows)
    for (size_t column = 0; column < columns; ++column)
      widths[column] = std::max(widths[column], row[column].size());
  std::string table;
  for (const NodeRow &row : rows) {
    std::string line;
    for (size_t column = 0; column < columns; ++column)
      line += row[column] + std::string(widths[column] - row[column].size() + 2, ' ');
    table += StringRef(line).rtrim().str() + "\n";
  }
  return table;
}
