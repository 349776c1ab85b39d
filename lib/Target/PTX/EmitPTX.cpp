#include "Target/PTX/EmitPTX.h"
#include "Target/PTX/Census.h"
#include "Target/PTX/PTX.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

using namespace mlir;
using namespace teeny;

namespace {
class EmitPTXPass final : public PassWrapper<EmitPTXPass, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EmitPTXPass)
  EmitPTXPass() = default;
  EmitPTXPass(const EmitPTXPass &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "emit-ptx"; }
  StringRef getDescription() const override { return "Prints the module as PTX, for tests"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registerBuiltinDialectTranslation(registry);
    registerLLVMDialectTranslation(registry);
  }

  void runOnOperation() override {
    if (Status status = emit(); !status) {
      getOperation().emitError(status.error().message);
      signalPassFailure();
    }
  }

private:
  Status emit() {
    Result<Target> parsed = parseTarget(target);
    if (!parsed)
      return parsed.error();
    Result<std::string> text = ptx::translate(getOperation(), *parsed);
    if (!text)
      return text.error();
    llvm::outs() << *text;
    for (const ptx::Census &census : ptx::takeCensus(*text))
      llvm::outs() << "// census " << census.toString() << "\n";
    if (!assembleToo)
      return {};
    Result<std::string> assembler = ptx::findAssembler();
    if (!assembler)
      return assembler.error();
    Result<ptx::Assembled> made = ptx::assemble(*assembler, *text, *parsed);
    if (!made)
      return made.error();
    for (const std::string &warning : made->report.warnings)
      llvm::outs() << "// warning " << warning << "\n";
    for (const ptx::KernelReport &kernel : made->report.kernels)
      llvm::outs() << "// assembled " << kernel.kernel << ": " << kernel.registers << " registers, "
                   << kernel.spillStoreBytes << " bytes spilled, " << kernel.sharedBytes
                   << " bytes shared\n";
    return {};
  }

  Option<std::string> target{*this, "target", llvm::cl::desc("GPU target to compile for"),
                             llvm::cl::init("compute_80")};
  Option<bool> assembleToo{*this, "assemble", llvm::cl::desc("Also run ptxas and print its report"),
                           llvm::cl::init(false)};
};
} // namespace

void teeny::registerEmitPTXPass() { PassRegistration<EmitPTXPass>(); }
