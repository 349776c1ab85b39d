#include "Driver/VerifyPhase.h"

#include "Graph/IR/Graph.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace teeny;

static LogicalResult leftOver(Operation *op, const PhaseInfo &phase, const llvm::Twine &what) {
  return op->emitError() << "internal error: after " << phase.name << " there is still " << what;
}

// Operations of these kinds are gone.
template <typename... Ops>
static LogicalResult verifyNone(ModuleOp module, const PhaseInfo &phase, const char *what) {
  WalkResult result = module.walk([&](Operation *op) {
    return isa<Ops...>(op) ? ((void)leftOver(op, phase, what), WalkResult::interrupt())
                           : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

// Kernels stand alone, and have no layouts: those are for each target to choose.
static LogicalResult verifyTiles(ModuleOp module, const PhaseInfo &phase) {
  for (func::FuncOp function : module.getOps<func::FuncOp>()) {
    WalkResult result = function.walk([&](Operation *op) {
      auto hasLayout = [](Type type) {
        auto tensor = dyn_cast<RankedTensorType>(type);
        return tensor && tensor.getEncoding();
      };
      if (isa<func::CallOp>(op))
        return (void)leftOver(op, phase, "a call of a function"), WalkResult::interrupt();
      if (llvm::any_of(op->getResultTypes(), hasLayout))
        return (void)leftOver(op, phase, "a layout"), WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

LogicalResult teeny::verifyPhase(ModuleOp module, Phase phase) {
  const PhaseInfo &name = info(phase);
  if (failed(verify(module)))
    return failure();
  if (phase >= Phase::inferShapes &&
      failed(verifyNone<graph::NodeOp>(module, name, "a node without types")))
    return failure();
  if (phase >= Phase::legalizeOps &&
      failed(verifyNone<graph::MatmulOp, graph::ConvOp, graph::PoolOp, graph::ReduceOp>(
          module, name, "an operation that has a declaration")))
    return failure();
  if (phase >= Phase::bindKernels &&
      failed(
          verifyNone<graph::MapOp, graph::PadOp, graph::ConcatOp, graph::SliceOp, graph::PermuteOp,
                     graph::ExpandOp>(module, name, "an operation without a kernel")))
    return failure();
  if (phase >= Phase::bindKernels &&
      failed(verifyNone<graph::CallOp, graph::OpOp>(module, name, "a call or a declaration")))
    return failure();
  if (phase >= Phase::tile && failed(verifyTiles(module, name)))
    return failure();
  return success();
}
