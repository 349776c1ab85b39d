// The pass: plans and emits each kernel, then lowers what the emitter used to the LLVM dialect.
#include "Conversion/TileToCPU/TileToCPU.h"

#include "Conversion/TileToCPU/CarriedTiles.h"
#include "Conversion/TileToCPU/Emitter.h"
#include "Conversion/TileToCPU/LoopFusion.h"
#include "Tile/IR/Tile.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVM.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace teeny {
#define GEN_PASS_DEF_CONVERTTILETOCPU
#include "Conversion/TileToCPU/Passes.h.inc"
} // namespace teeny

using namespace mlir;
using namespace teeny;

static LogicalResult lowerToLLVM(ModuleOp module) {
  MLIRContext *context = module.getContext();
  LLVMTypeConverter types(context);
  RewritePatternSet patterns(context);
  populateSCFToControlFlowConversionPatterns(patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  populateFuncToLLVMConversionPatterns(types, patterns);
  LLVMConversionTarget target(*context);
  target.addLegalOp<ModuleOp>();
  if (failed(applyPartialConversion(module, target, std::move(patterns))))
    return failure();
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->removeAttr("tile.internal"))
      function.setLinkage(LLVM::Linkage::Internal);
  return success();
}

namespace {

class ConvertTileToCPU final : public teeny::impl::ConvertTileToCPUBase<ConvertTileToCPU> {
public:
  using ConvertTileToCPUBase::ConvertTileToCPUBase;

  void runOnOperation() override {
    SmallVector<func::FuncOp> kernels;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(tile::kernelAttr))
        kernels.push_back(function);
    cpu::EmitOptions options;
    options.vectorBits = vectorBits;
    options.vectorRegisters = vectorRegisters;
    for (func::FuncOp kernel : kernels) {
      if (failed(checkStructure(kernel)))
        return signalPassFailure();
      // Programs are library code here: they neither print nor end the process.
      kernel.walk([](Operation *op) {
        if (isa<tile::PrintOp, tile::AssertOp>(op))
          op->erase();
      });
      cpu::scalarizeCarriedTiles(kernel);
      cpu::Plan plan = cpu::planLoops(kernel);
      if (failed(cpu::Emitter(kernel, plan, options).run()))
        return signalPassFailure();
    }
    if (!keepStructure && failed(lowerToLLVM(getOperation())))
      signalPassFailure();
  }

private:
  // What planning takes for granted.
  static LogicalResult checkStructure(func::FuncOp kernel) {
    if (!llvm::hasSingleElement(kernel.getBody()))
      return kernel.emitError() << "kernel has several blocks; expected structured control flow";
    WalkResult result = kernel.walk([&](Operation *op) {
      if (isa<func::CallOp>(op)) {
        op->emitError() << "call in a kernel; expected calls to be inlined before";
        return WalkResult::interrupt();
      }
      if (isa<tile::InlineAsmOp>(op)) {
        op->emitError() << "inline assembly is PTX, which CPUs do not run; name targets that are "
                           "GPUs alone";
        return WalkResult::interrupt();
      }
      for (Type type : op->getResultTypes())
        if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && tensor.getEncoding()) {
          op->emitError() << "tile has layout " << tensor.getEncoding()
                          << "; expected none on the way to a CPU";
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
