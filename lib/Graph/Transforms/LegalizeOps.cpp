// Typed operations that kernels are written for become calls of the declarations under
// kernels/core. Passes.td says which; tested by test/Graph/legalize-ops.mlir.
#include "Graph/IR/CoreForm.h"
#include "Graph/Transforms/CallShapes.h"
#include "Graph/Transforms/Passes.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace teeny::graph {
#define GEN_PASS_DEF_GRAPHLEGALIZEOPS
#include "Graph/Transforms/Passes.h.inc"
} // namespace teeny::graph

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

namespace {

class Legalizer {
public:
  explicit Legalizer(GraphOp graph) : graph(graph), builder(graph.getContext()) {}

  LogicalResult run() {
    for (auto requirement : graph.getBlock().getOps<RequireOp>())
      conditions.insert(requirement.getConditionAttr());
    for (Operation &op : llvm::make_early_inc_range(graph.getBlock())) {
      std::optional<CoreForm> form = coreForm(&op);
      builder.setInsertionPoint(&op);
      if (form)
        replace(&op, *form);
    }
    return failure(failed);
  }

private:
  void replace(Operation *op, const CoreForm &form) {
    StringRef name = op->getAttrOfType<StringAttr>("name").getValue();
    std::vector<Requirement> required;
    CallOp call = createCall(builder, graph, op->getLoc(), name, form.declaration,
                             op->getOperands(), form.attrs.getValue(), required);
    if (!call) {
      failed = true;
      return;
    }
    builder.setInsertionPoint(call);
    for (const Requirement &requirement : required) {
      auto condition = ExprAttr::get(graph.getContext(), requirement.condition);
      if (conditions.insert(condition).second)
        RequireOp::create(builder, requirement.location, condition, requirement.message);
    }
    // The declaration says the same shape, in its own words.
    call.getResult(0).setType(cast<GraphTensorType>(op->getResult(0).getType()));
    op->replaceAllUsesWith(call);
    op->erase();
  }

  GraphOp graph;
  OpBuilder builder;
  llvm::SmallPtrSet<Attribute, 16> conditions;
  bool failed = false;
};

struct LegalizeOps final : graph::impl::GraphLegalizeOpsBase<LegalizeOps> {
  void runOnOperation() override {
    for (auto graph : getOperation().getOps<GraphOp>())
      if (failed(Legalizer(graph).run()))
        signalPassFailure();
  }
};

} // namespace
