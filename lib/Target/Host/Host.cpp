#include "Target/Host/Host.h"

#include "Target/Host/BFloatBits.h"
#include "Target/Host/ExpandFloats.h"
#include "Target/Host/Link.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <algorithm>
#include <mutex>

using namespace teeny;

namespace {

constexpr llvm::StringLiteral allowedImports[] = {"memcpy", "memmove", "memset"};

Error internalError(const llvm::Twine &message) {
  return {ErrorCode::invalid, ("internal error: " + message).str()};
}

void initializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

// What LLVM reports while it works; the first error stands for the rest.
struct Collected {
  std::string firstError;

  explicit Collected(llvm::LLVMContext &context) {
    context.setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo *info, void *self) {
          auto &error = static_cast<Collected *>(self)->firstError;
          if (info->getSeverity() != llvm::DS_Error || !error.empty())
            return;
          llvm::raw_string_ostream stream(error);
          llvm::DiagnosticPrinterRawOStream printer(stream);
          info->print(printer);
        },
        this);
  }
};

Result<std::unique_ptr<llvm::TargetMachine>> makeMachine(const CpuFacts &cpu) {
  initializeTargets();
  llvm::Triple triple(cpu.triple);
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return Error{ErrorCode::environment,
                 "this LLVM cannot make code for '" + std::string(cpu.triple) + "': " + message};
  // Only llvm.fmuladd may be fused: results must not depend on what is written next to what.
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, cpu.cpu, cpu.features, options, llvm::Reloc::PIC_,
                                  std::nullopt, llvm::CodeGenOptLevel::Aggressive));
}

void prepare(llvm::Module &module, const llvm::TargetMachine &machine, const CpuFacts &cpu) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  module.setSourceFileName("teeny");
  module.setPICLevel(llvm::PICLevel::BigPIC);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.getTargetCPU());
    if (!machine.getTargetFeatureString().empty())
      function.addFnAttr("target-features", machine.getTargetFeatureString());
    // LLVM prefers half of the registers' width on x86-64-v4, a rule from its first processors.
    std::string bits = std::to_string(cpu.vectorBits);
    function.addFnAttr("prefer-vector-width", bits);
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.setDSOLocal(true);
  }
}

llvm::TargetLibraryInfoImpl memoryFunctionsOnly(const llvm::Triple &triple) {
  llvm::TargetLibraryInfoImpl library(triple);
  library.disableAllFunctions();
  library.setAvailable(llvm::LibFunc_memcpy);
  library.setAvailable(llvm::LibFunc_memmove);
  library.setAvailable(llvm::LibFunc_memset);
  return library;
}

void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.SLPVectorization = true;
  tuning.LoopInterleaving = tuning.LoopUnrolling = true;
  llvm::PassBuilder builder(&machine, tuning);
  functions.registerPass(
      [&] { return llvm::TargetLibraryAnalysis(memoryFunctionsOnly(machine.getTargetTriple())); });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

Result<std::string> emit(llvm::Module &module, llvm::TargetMachine &machine,
                         llvm::CodeGenFileType type) {
  llvm::SmallString<0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  auto library = memoryFunctionsOnly(machine.getTargetTriple());
  passes.add(new llvm::TargetLibraryInfoWrapperPass(library));
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return internalError("no code emitter for " + machine.getTargetTriple().str());
  passes.run(module);
  return std::string(bytes);
}

Result<std::vector<std::string>> checkSymbols(llvm::StringRef library) {
  Result<DynamicSymbols> symbols = readDynamicSymbols(library);
  if (!symbols)
    return symbols.error();
  for (const std::string &name : symbols->imports)
    if (!llvm::is_contained(allowedImports, name))
      return internalError("generated code calls '" + name +
                           "', which no library provides; only memcpy, memmove and memset may "
                           "be called");
  return std::move(symbols->exports);
}

} // namespace

Result<HostCode> teeny::compileForHost(mlir::ModuleOp module, const Target &target,
                                       const HostOptions &options) {
  assert(target.cpu && "not a CPU target");
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());

  llvm::LLVMContext context;
  Collected diagnostics(context);
  std::unique_ptr<llvm::Module> llvmModule =
      mlir::translateModuleToLLVMIR(module, context, "teeny");
  if (!llvmModule)
    return internalError("a module in the LLVM dialect has no translation to LLVM IR");

  Result<std::unique_ptr<llvm::TargetMachine>> machine = makeMachine(*target.cpu);
  if (!machine)
    return machine.error();
  prepare(*llvmModule, **machine, *target.cpu);
  expandFloats(*llvmModule, **machine);
  std::string broken;
  llvm::raw_string_ostream stream(broken);
  if (llvm::verifyModule(*llvmModule, &stream))
    return internalError("invalid LLVM IR: " + broken);
  optimise(*llvmModule, **machine);
  // Optimisation narrows an operation on f32 whose result is rounded to f16 or bf16 where it may.
  expandFloats(*llvmModule, **machine);
  carryBFloatAsBits(*llvmModule);

  HostCode code;
  if (options.keepLLVM) {
    llvm::raw_string_ostream text(code.llvm);
    llvmModule->print(text, nullptr);
  }
  if (options.keepAssembly) {
    // Emission changes the module, so the text is made of a copy.
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*llvmModule);
    Result<std::string> text = emit(*copy, **machine, llvm::CodeGenFileType::AssemblyFile);
    if (!text)
      return text.error();
    code.assembly = std::move(*text);
  }
  Result<std::string> object = emit(*llvmModule, **machine, llvm::CodeGenFileType::ObjectFile);
  if (!object)
    return object.error();
  if (!diagnostics.firstError.empty())
    return internalError(diagnostics.firstError);
  Result<std::string> library = linkSharedLibrary(*object);
  if (!library)
    return library.error();
  Result<std::vector<std::string>> exported = checkSymbols(*library);
  if (!exported)
    return exported.error();
  code.library = std::move(*library);
  code.symbols = std::move(*exported);
  return code;
}
