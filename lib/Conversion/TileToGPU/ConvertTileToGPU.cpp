// The pass that distributes tiles over threads; the patterns are in the file of each family.
// Test: test/Conversion/TileToGPU*.mlir.
#include "Conversion/TileToGPU/Patterns.h"
#include "Conversion/TileToGPU/TileToGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/Transforms/StructuralTypeConversions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

namespace teeny {
#define GEN_PASS_DEF_CONVERTTILETOGPU
#include "Conversion/TileToGPU/Passes.h.inc"
} // namespace teeny

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;

namespace {
class ConvertTileToGPUPass final : public teeny::impl::ConvertTileToGPUBase<ConvertTileToGPUPass> {
public:
  using ConvertTileToGPUBase::ConvertTileToGPUBase;

  void runOnOperation() override {
    Result<Target> parsed = parseTarget(target);
    if (!parsed || !parsed->isGpu()) {
      getOperation().emitError("expected a GPU target, found '") << target << "'";
      return signalPassFailure();
    }
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (kernel->hasAttr(tile::kernelAttr) && failed(convert(kernel, *parsed->gpu)))
        return signalPassFailure();
  }

private:
  LogicalResult convert(func::FuncOp kernel, const GpuFacts &facts);
  void allocate(func::FuncOp kernel, const Scratch &scratch, const GpuFacts &facts);
};
} // namespace

LogicalResult ConvertTileToGPUPass::convert(func::FuncOp kernel, const GpuFacts &facts) {
  if (failed(verifyDistributed(kernel)))
    return failure();
  MLIRContext *mlirContext = &getContext();
  DistributionTypes types;
  Scratch scratch((kernel.getName() + "_shared").str(), facts.sharedPerBlockOptIn);
  AccessFacts access = findAccessFacts(kernel);
  KernelContext context{types, facts, tile::numWarps(kernel), scratch, access};

  RewritePatternSet patterns(mlirContext);
  populateElementwisePatterns(context, patterns);
  populateFloat8Patterns(context, patterns);
  populateMakeTilePatterns(context, patterns);
  populateMemoryPatterns(context, patterns);
  populateConvertLayoutPatterns(context, patterns);
  populateReducePatterns(context, patterns);
  populateScanPatterns(context, patterns);
  populateDotPatterns(context, patterns);
  populateMmaPatterns(context, patterns);
  populateAtomicPatterns(context, patterns);
  populateBufferPatterns(context, patterns);
  populateInlineAsmPatterns(context, patterns);
  populatePrintPatterns(context, patterns);
  populateWarpgroupDotPatterns(context, patterns);

  ConversionTarget target(*mlirContext);
  target.addIllegalDialect<tile::TileDialect>();
  target.addLegalDialect<LLVM::LLVMDialect>();
  target.addDynamicallyLegalDialect<arith::ArithDialect, math::MathDialect, ub::UBDialect>(
      [&](Operation *op) { return types.isLegal(op); });
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns, types);
  target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp op) {
    return types.isSignatureLegal(op.getFunctionType()) && types.isLegal(&op.getBody());
  });
  target.addLegalOp<func::ReturnOp>();
  scf::populateSCFStructuralTypeConversionsAndLegality(types, patterns, target);
  cf::populateCFStructuralTypeConversionsAndLegality(types, patterns, target);

  // Patterns fail before they change anything, and shared memory is handed out as they run: in
  // order, and once.
  ConversionConfig config;
  config.allowPatternRollback = false;
  config.foldingMode = DialectConversionFoldingMode::Never;
  if (failed(applyPartialConversion(kernel, target, std::move(patterns), config)))
    return failure();
  allocate(kernel, scratch, facts);
  return success();
}

// Static shared memory up to what every program has; beyond it the launch must ask for it.
void ConvertTileToGPUPass::allocate(func::FuncOp kernel, const Scratch &scratch,
                                    const GpuFacts &facts) {
  int64_t bytes = scratch.bytes();
  if (bytes == 0)
    return;
  bool dynamic = bytes > facts.sharedPerBlock;
  OpBuilder builder(kernel);
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), dynamic ? 0 : bytes);
  LLVM::GlobalOp::create(builder, kernel.getLoc(), type, /*isConstant=*/false,
                         dynamic ? LLVM::Linkage::External : LLVM::Linkage::Internal,
                         scratch.name(), Attribute(), /*alignment=*/16, unsigned(Space::shared));
  kernel->setAttr(sharedBytesAttr, builder.getI64IntegerAttr(bytes));
  if (dynamic)
    kernel->setAttr(dynamicSharedBytesAttr, builder.getI64IntegerAttr(bytes));
}
