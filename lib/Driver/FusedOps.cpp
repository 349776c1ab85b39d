#include "Driver/FusedOps.h"

#include "Graph/IR/Graph.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

static void addFunctions(Block &block, std::vector<std::string> &ops) {
  for (auto apply : block.getOps<ApplyOp>())
    ops.push_back(apply.getFunction().str());
}

FusedOps teeny::fusedOps(ModuleOp module) {
  FusedOps result;
  for (GraphOp graph : module.getOps<GraphOp>())
    for (Operation &op : graph.getBlock()) {
      auto name = op.getAttrOfType<StringAttr>("name");
      if (!name)
        continue;
      std::vector<std::string> &ops = result[name.getValue()];
      if (auto call = dyn_cast<CallOp>(op)) {
        ops.push_back(call.getCallee().str());
        if (!call.getEpilogue().empty())
          addFunctions(call.getEpilogue().front(), ops);
      } else if (auto map = dyn_cast<MapOp>(op)) {
        addFunctions(map.getBlock(), ops);
      }
      if (ops.empty())
        ops.push_back(op.getName().stripDialect().str());
    }
  return result;
}
