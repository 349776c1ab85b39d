// Closes the phase of shapes. Passes.td says how; tested by test/Graph/verify-shapes.mlir.
#include "Graph/IR/Graph.h"
#include "Graph/Transforms/Passes.h"

namespace teeny::graph {
#define GEN_PASS_DEF_GRAPHVERIFYSHAPES
#include "Graph/Transforms/Passes.h.inc"
} // namespace teeny::graph

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

namespace {

struct VerifyShapes final : graph::impl::GraphVerifyShapesBase<VerifyShapes> {
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      for (Type type : op->getResultTypes()) {
        auto tensor = dyn_cast<GraphTensorType>(type);
        if (isa<UnknownType>(type) || (tensor && !tensor.isKnown()))
          report(op) << "has a result of type " << type << " after shape inference";
      }
      if (isa<NodeOp>(op))
        report(op) << "is still a node after shape inference";
      if (auto call = dyn_cast<CallOp>(op); call && !call.getBindings())
        report(op) << "has no bindings after shape inference";
    });
  }

  InFlightDiagnostic report(Operation *op) {
    signalPassFailure();
    return op->emitOpError();
  }
};

} // namespace
