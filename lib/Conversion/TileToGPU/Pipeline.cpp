#include "Conversion/TileToGPU/TileToGPU.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

namespace teeny {
#define GEN_PASS_REGISTRATION
#include "Conversion/TileToGPU/Passes.h.inc"
} // namespace teeny

using namespace mlir;
using namespace teeny;

static void addPasses(OpPassManager &passes, StringRef target) {
  passes.addPass(createConvertTileToGPU({target.str()}));
  // Threads' indices and masks repeat a lot.
  passes.addPass(createCSEPass());
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createConvertGPUKernelToLLVM());
}

void teeny::addTileToGPUPasses(OpPassManager &passes, const Target &target) {
  addPasses(passes, target.name);
}

namespace {
struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("GPU target to compile for"),
                             llvm::cl::init("compute_80")};
};
} // namespace

void teeny::registerTileToGPUPasses() {
  registerSeparateTileToGPUPasses();
  PassPipelineRegistration<PipelineOptions>(
      "tile-to-gpu", "Kernels over tiles with layouts to PTX kernels in the LLVM dialect",
      [](OpPassManager &passes, const PipelineOptions &options) {
        addPasses(passes, options.target);
      });
}
