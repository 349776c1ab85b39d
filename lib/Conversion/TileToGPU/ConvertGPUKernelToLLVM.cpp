// The pass that makes PTX kernels of functions of scalars. Test:
// test/Conversion/TileToGPUVectors.mlir.
#include "Conversion/TileToGPU/Patterns.h"
#include "Conversion/TileToGPU/TileToGPU.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace teeny {
#define GEN_PASS_DEF_CONVERTGPUKERNELTOLLVM
#include "Conversion/TileToGPU/Passes.h.inc"
} // namespace teeny

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;

namespace {
class ReturnPattern final : public OpConversionPattern<func::ReturnOp> {
public:
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(func::ReturnOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::ReturnOp>(op, adaptor.getOperands());
    return success();
  }
};

class ConvertGPUKernelToLLVMPass final
    : public teeny::impl::ConvertGPUKernelToLLVMBase<ConvertGPUKernelToLLVMPass> {
public:
  void runOnOperation() override {
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (kernel->hasAttr(tile::kernelAttr) && failed(convert(kernel)))
        return signalPassFailure();
  }

private:
  LogicalResult convert(func::FuncOp kernel);
};
} // namespace

// What is known of an argument, as LLVM says it.
static DictionaryAttr argumentAttributes(func::FuncOp kernel, unsigned index) {
  Builder builder(kernel.getContext());
  NamedAttrList list;
  if (isa<LLVM::LLVMPointerType>(kernel.getArgumentTypes()[index])) {
    if (kernel.getArgAttr(index, tile::noaliasAttr))
      list.append(LLVM::LLVMDialect::getNoAliasAttrName(), builder.getUnitAttr());
    if (auto attr = kernel.getArgAttrOfType<IntegerAttr>(index, tile::divisibilityAttr)) {
      // The largest power of two that divides it.
      int64_t align = attr.getInt() & -attr.getInt();
      list.append(LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(align));
    }
  }
  return list.getDictionary(kernel.getContext());
}

// The assembler keeps registers few, so that many programs fit on a multiprocessor, and puts loads
// off for that. Of launches with fewer programs than large GPUs have multiprocessors, each has one
// to itself.
static bool runsAlone(func::FuncOp kernel) {
  constexpr int64_t multiprocessors = 128;
  int64_t most = 1;
  for (unsigned axis = 0; axis < 3 && most <= multiprocessors; ++axis)
    most *= tile::gridMax(kernel, axis);
  return most <= multiprocessors;
}

static LLVM::LLVMFuncOp createKernel(func::FuncOp kernel) {
  OpBuilder builder(kernel);
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(kernel.getContext()),
                                          kernel.getArgumentTypes());
  SmallVector<DictionaryAttr> argAttrs;
  for (unsigned i = 0; i < kernel.getNumArguments(); ++i)
    argAttrs.push_back(argumentAttributes(kernel, i));
  auto made = LLVM::LLVMFuncOp::create(builder, kernel.getLoc(), kernel.getName(), type,
                                       LLVM::Linkage::External, /*dsoLocal=*/false,
                                       LLVM::CConv::PTX_Kernel, SymbolRefAttr(), {}, argAttrs);
  std::string threads = std::to_string(32 * tile::numWarps(kernel));
  SmallVector<Attribute> properties{builder.getStrArrayAttr({"nvvm.reqntid", threads})};
  if (runsAlone(kernel))
    properties.push_back(builder.getStrArrayAttr({"nvvm.minctasm", "1"}));
  made.setPassthroughAttr(builder.getArrayAttr(properties));
  for (StringRef name : {StringRef(tile::kernelAttr), StringRef(tile::numWarpsAttr),
                         StringRef(sharedBytesAttr), StringRef(dynamicSharedBytesAttr)})
    if (Attribute attr = kernel->getAttr(name))
      made->setAttr(name, attr);
  made.getBody().takeBody(kernel.getBody());
  kernel.erase();
  return made;
}

LogicalResult ConvertGPUKernelToLLVMPass::convert(func::FuncOp kernel) {
  if (kernel.getNumResults() != 0)
    return kernel.emitOpError("is a kernel and returns values");
  if (failed(verifyMath(kernel)))
    return failure();
  LLVM::LLVMFuncOp made = createKernel(kernel);
  MLIRContext *context = &getContext();
  LLVMTypeConverter types(context);
  RewritePatternSet patterns(context);
  populateMathPatterns(types, patterns);
  arith::populateArithToLLVMConversionPatterns(types, patterns);
  populateMathToLLVMConversionPatterns(types, patterns);
  cf::populateControlFlowToLLVMConversionPatterns(types, patterns);
  ub::populateUBToLLVMConversionPatterns(types, patterns);
  patterns.add<ReturnPattern>(types, context);

  ConversionTarget target(*context);
  target.addLegalDialect<LLVM::LLVMDialect>();
  ConversionConfig config;
  config.allowPatternRollback = false;
  config.foldingMode = DialectConversionFoldingMode::Never;
  return applyFullConversion(made, target, std::move(patterns), config);
}
