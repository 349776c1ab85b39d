// Typed operations that kernels are written for become calls of the declarations under
// kernels/core. Passes.td says which; tested by test/Graph/legalize-ops.mlir.
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
      builder.setInsertionPoint(&op);
      if (auto matmul = dyn_cast<MatmulOp>(op))
        legalize(matmul);
      else if (auto conv = dyn_cast<ConvOp>(op))
        legalize(conv);
      else if (auto pool = dyn_cast<PoolOp>(op))
        legalize(pool);
      else if (auto reduce = dyn_cast<ReduceOp>(op))
        legalize(reduce);
    }
    return failure(failed);
  }

private:
  NamedAttribute integer(StringRef name, int64_t value) {
    return builder.getNamedAttr(name, builder.getI64IntegerAttr(value));
  }
  NamedAttribute flag(StringRef name, bool value) {
    return builder.getNamedAttr(name, builder.getBoolAttr(value));
  }
  NamedAttribute text(StringRef name, StringRef value) {
    return builder.getNamedAttr(name, builder.getStringAttr(value));
  }

  void legalize(MatmulOp op) {
    replace(op, op.getName(), "core.matmul",
            {flag("TA", op.getTransposed()[0]), flag("TB", op.getTransposed()[1])});
  }

  // STRIDE_H, STRIDE_W, PAD_TOP, PAD_LEFT, PAD_BOTTOM, PAD_RIGHT, DILATION_H, DILATION_W.
  SmallVector<NamedAttribute> window(ArrayRef<int64_t> strides, ArrayRef<int64_t> pads,
                                     ArrayRef<int64_t> dilations) {
    return {integer("STRIDE_H", strides[0]),     integer("STRIDE_W", strides[1]),
            integer("PAD_TOP", pads[0]),         integer("PAD_LEFT", pads[1]),
            integer("PAD_BOTTOM", pads[2]),      integer("PAD_RIGHT", pads[3]),
            integer("DILATION_H", dilations[0]), integer("DILATION_W", dilations[1])};
  }

  void legalize(ConvOp op) {
    SmallVector<NamedAttribute> attrs = window(op.getStrides(), op.getPads(), op.getDilations());
    attrs.push_back(integer("GROUPS", op.getGroups()));
    replace(op, op.getName(), "core.conv2d", attrs);
  }

  void legalize(PoolOp op) {
    SmallVector<NamedAttribute> attrs = window(op.getStrides(), op.getPads(), op.getDilations());
    attrs.append({text("KIND", stringifyPoolKind(op.getKind())),
                  integer("KERNEL_H", op.getWindow()[0]), integer("KERNEL_W", op.getWindow()[1]),
                  flag("COUNT_PAD", op.getCountPad())});
    replace(op, op.getName(), "core.pool2d", attrs);
  }

  void legalize(ReduceOp op) {
    StringRef kind = stringifyReduceKind(op.getKind());
    bool isArg = kind.consume_front("arg");
    replace(op, op.getName(), isArg ? "core.arg_reduce" : "core.reduce", text("KIND", kind));
  }

  void replace(Operation *op, StringRef name, StringRef declared, ArrayRef<NamedAttribute> attrs) {
    std::vector<Requirement> required;
    CallOp call = createCall(builder, graph, op->getLoc(), name, declared, op->getOperands(), attrs,
                             required);
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
