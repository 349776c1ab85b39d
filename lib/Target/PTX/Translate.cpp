#include "Target/PTX/PTX.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace teeny;
using namespace teeny::ptx;

extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

static std::unique_ptr<llvm::TargetMachine> createMachine(const Target &target,
                                                          std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Addresses in shared memory are computed in 32 bits. LLVM has no other way to say it.
    auto &options = llvm::cl::getRegisteredOptions();
    if (auto it = options.find("nvptx-short-ptr"); it != options.end())
      static_cast<llvm::cl::opt<bool> *>(it->second)->setValue(true);
  });
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *backend = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!backend)
    return nullptr;
  llvm::TargetOptions options;
  // Fused only where the instructions say so, so that fusing kernels does not change their results.
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(backend->createTargetMachine(
      triple, target.processor(), "+ptx" + std::to_string(target.ptxVersion()), options,
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = false; // threads are the vector
  tuning.LoopInterleaving = false;
  tuning.SLPVectorization = true; // pairs of 16-bit values
  llvm::PassBuilder builder(&machine, tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

namespace {
// Collects what LLVM says is wrong instead of printing it.
struct Collector final : llvm::DiagnosticHandler {
  explicit Collector(std::string &errors) : errors(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    llvm::raw_string_ostream os(errors);
    llvm::DiagnosticPrinterRawOStream printer(os);
    os << (errors.empty() ? "" : "; ");
    info.print(printer);
    return true;
  }
  std::string &errors;
};
} // namespace

// LLVM has errors that it regards as fatal and would end the process; in a protected call this
// leaves the call instead. What the failed call had allocated is lost. The handler is one for all
// threads, so it is installed once, and finds what belongs to its thread.
static thread_local std::string *fatalError = nullptr;

static void onFatalError(void *, const char *text, bool) {
  auto *context = llvm::CrashRecoveryContext::GetCurrent();
  if (!context || !fatalError)
    return;
  *fatalError = text;
  context->HandleExit(1);
}

static bool runProtected(llvm::function_ref<void()> call, std::string &error) {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::CrashRecoveryContext::Enable();
    llvm::install_fatal_error_handler(onFatalError);
  });
  fatalError = &error;
  bool finished = llvm::CrashRecoveryContext().RunSafely(call);
  fatalError = nullptr;
  return finished;
}

// Parameters lie one after the other, each at a multiple of its size. How many bytes they may take
// depends on the version of PTX; 4 KiB is what every driver launches.
static Status checkParameters(const llvm::Module &code, const Target &target) {
  const uint64_t limit = target.ptxVersion() >= 81 ? 32764 : 4096;
  for (const llvm::Function &function : code) {
    if (function.getCallingConv() != llvm::CallingConv::PTX_Kernel)
      continue;
    uint64_t bytes = 0;
    for (const llvm::Argument &argument : function.args()) {
      const llvm::DataLayout &layout = code.getDataLayout();
      bytes = llvm::alignTo(bytes, layout.getABITypeAlign(argument.getType())) +
              layout.getTypeAllocSize(argument.getType());
    }
    if (bytes > limit)
      return Error{ErrorCode::unsupported, "its " + std::to_string(function.arg_size()) +
                                               " parameters take " + std::to_string(bytes) +
                                               " bytes, and PTX " +
                                               std::to_string(target.ptxVersion() / 10) + "." +
                                               std::to_string(target.ptxVersion() % 10) +
                                               " has room for " + std::to_string(limit)};
  }
  return {};
}

Result<std::string> teeny::ptx::translate(mlir::ModuleOp module, const Target &target,
                                          std::string *llvmText) {
  std::string errors;
  std::unique_ptr<llvm::TargetMachine> machine = createMachine(target, errors);
  if (!machine)
    return Error{ErrorCode::unsupported, "this LLVM has no code generator for NVPTX: " + errors};
  if (!machine->getMCSubtargetInfo()->isCPUStringValid(target.processor()))
    return Error{ErrorCode::unsupported, "this LLVM does not know " + target.processor()};

  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<Collector>(errors));
  std::unique_ptr<llvm::Module> code = mlir::translateModuleToLLVMIR(module, context, "teeny");
  if (!code)
    return Error{ErrorCode::unsupported, "the module cannot be translated to LLVM IR" +
                                             (errors.empty() ? "" : ": " + errors)};
  code->setDataLayout(machine->createDataLayout());
  code->setTargetTriple(machine->getTargetTriple());
  if (Status fits = checkParameters(*code, target); !fits)
    return fits.error();

  llvm::SmallString<0> text;
  bool noEmitter = false;
  auto generate = [&] {
    optimise(*code, *machine);
    if (llvmText)
      llvm::raw_string_ostream(*llvmText) << *code;
    llvm::raw_svector_ostream os(text);
    llvm::legacy::PassManager passes;
    noEmitter =
        machine->addPassesToEmitFile(passes, os, nullptr, llvm::CodeGenFileType::AssemblyFile);
    if (!noEmitter)
      passes.run(*code);
  };
  if (!runProtected(generate, errors)) {
    // The module is in no state to be destroyed.
    code.release();
    return Error{ErrorCode::unsupported,
                 "LLVM's code generator failed" + (errors.empty() ? "" : ": " + errors)};
  }
  if (noEmitter || !errors.empty())
    return Error{ErrorCode::unsupported, "LLVM cannot generate code for " + target.name +
                                             (errors.empty() ? "" : ": " + errors)};
  return std::string(text);
}
