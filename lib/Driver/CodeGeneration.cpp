#include "Driver/CodeGeneration.h"

#include "Conversion/TileToCPU/TileToCPU.h"
#include "Conversion/TileToGPU/TileToGPU.h"
#include "Driver/CodeCache.h"
#include "Driver/TilePipeline.h"
#include "Target/Host/Host.h"
#include "Target/PTX/PTX.h"
#include "Tile/IR/Tile.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace teeny;

namespace {

constexpr unsigned maxThreads = 2;

// What a kernel is called in its code: its name, unless assembler, linker or loader give that a
// meaning of their own or cannot take it. Each kernel has files of its own, so none can clash.
std::string symbolFor(StringRef name) {
  static const StringRef taken[] = {"_",      "_init",   "_fini",    "_end",
                                    "_edata", "_etext",  "_DYNAMIC", "WARP_SZ",
                                    "memcpy", "memmove", "memset",   "_GLOBAL_OFFSET_TABLE_"};
  auto isPlain = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  if (llvm::all_of(name, isPlain) && !name.starts_with("__") && !llvm::is_contained(taken, name))
    return name.str();
  std::string symbol = "kernel_";
  for (char c : name)
    symbol +=
        isPlain(c) ? std::string(1, c) : "_" + llvm::toHex(StringRef(&c, 1), /*LowerCase=*/true);
  return symbol;
}

// One kernel for one target.
struct Task {
  // In.
  std::string name;
  const std::string *kernel; // a module with the tile function, as bytecode
  const Target *target;
  // Out.
  GeneratedCode code;
  Diagnostics diagnostics;
  std::optional<Error> error; // without a place: the kernel's is meant
};

class TaskRunner {
public:
  TaskRunner(Task &task, const CodeOptions &options, const Sources &sources)
      : task(task), target(*task.target), options(options), sources(sources),
        context(compilerDialects(), MLIRContext::Threading::DISABLED) {}

  void run() {
    MLIRDiagnosticHandler handler(&context, task.diagnostics, sources);
    module = parseSourceString<ModuleOp>(*task.kernel, ParserConfig(&context));
    assert(module && "what was written can be read");
    task.code.kernel = task.name;
    task.code.object.target = target.name;
    task.code.object.symbol = symbolFor(task.name);
    SymbolTable::setSymbolName(module->lookupSymbol(task.name), task.code.object.symbol);
    if (target.isGpu())
      runGpu();
    else
      runCpu();
  }

private:
  void runGpu();
  void runCpu();
  bool runPasses(llvm::function_ref<void(OpPassManager &)> add) {
    PassManager passes(&context);
    add(passes);
    // What comes out is verified, once; each pass has tests that verify it alone.
    passes.enableVerifier(false);
    if (succeeded(passes.run(*module)) && succeeded(verify(*module)))
      return true;
    if (!task.diagnostics.hasErrors())
      task.error = Error{ErrorCode::invalid, "internal error: a pass failed and did not say why"};
    return false;
  }
  LLVM::LLVMFuncOp entry() {
    return module->lookupSymbol<LLVM::LLVMFuncOp>(task.code.object.symbol);
  }
  int64_t entryAttr(StringRef name) {
    auto attr = entry()->getAttrOfType<IntegerAttr>(name);
    return attr ? attr.getInt() : 0;
  }

  Task &task;
  const Target &target;
  const CodeOptions &options;
  const Sources &sources;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

} // namespace

void TaskRunner::runGpu() {
  CodeObject &object = task.code.object;
  auto function = module->lookupSymbol<func::FuncOp>(object.symbol);
  object.threads = int64_t(tile::numWarps(function)) * target.gpu->warpSize;
  if (!runPasses([&](OpPassManager &passes) { addGpuTilePasses(passes, target); }))
    return;
  if (options.keepIR)
    task.code.gpu = printIR(*module);
  if (!runPasses([&](OpPassManager &passes) { addTileToGPUPasses(passes, target); }))
    return;
  object.sharedBytes = entryAttr(dynamicSharedBytesAttr);

  Result<std::string> ptx =
      ptx::translate(*module, target, options.keepIR ? &task.code.llvm : nullptr);
  if (!ptx) {
    task.error = ptx.error();
    return;
  }
  object.ptxVersion =
      std::to_string(target.ptxVersion() / 10) + "." + std::to_string(target.ptxVersion() % 10);
  if (target.kind == Target::Kind::ptx) {
    task.code.extension = "ptx";
    task.code.bytes = *ptx;
  } else {
    auto before = std::chrono::steady_clock::now();
    Result<ptx::Assembled> assembled = ptx::assemble(options.assembler, *ptx, target);
    std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - before;
    task.code.assemblerMilliseconds = taken.count();
    if (!assembled) {
      task.error = assembled.error();
      return;
    }
    for (const ptx::KernelReport &report : assembled->report.kernels)
      if (report.kernel == object.symbol) {
        object.registers = report.registers;
        object.spillBytes = report.spillStoreBytes + report.spillLoadBytes;
      }
    task.code.extension = "cubin";
    task.code.bytes = std::move(assembled->cubin);
  }
  if (options.keepIR)
    task.code.ptx = std::move(*ptx);
}

void TaskRunner::runCpu() {
  if (!runPasses([&](OpPassManager &passes) { addCpuPasses(passes, target); }))
    return;
  task.code.object.scratchBytes = entryAttr(scratchBytesAttr);
  HostOptions hostOptions;
  hostOptions.keepLLVM = options.keepIR;
  Result<HostCode> host = compileForHost(*module, target, hostOptions);
  if (!host) {
    task.error = host.error();
    return;
  }
  assert(llvm::is_contained(host->symbols, task.code.object.symbol) &&
         "the library exports its kernel");
  task.code.extension = "so";
  task.code.bytes = std::move(host->library);
  task.code.llvm = std::move(host->llvm);
}

// A module with nothing but this function, as bytecode.
static std::string isolate(func::FuncOp function) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  module->push_back(function.clone());
  std::string bytecode;
  llvm::raw_string_ostream os(bytecode);
  LogicalResult written = writeBytecodeToFile(*module, os);
  assert(succeeded(written) && "writing to memory does not fail");
  (void)written;
  return bytecode;
}

// What CPUs leave out, which is said once for all of them.
static void warnOfOmissions(ArrayRef<func::FuncOp> functions, ArrayRef<Target> targets,
                            const Sources &sources, Diagnostics &diagnostics) {
  if (llvm::all_of(targets, [](const Target &target) { return target.isGpu(); }))
    return;
  for (func::FuncOp function : functions)
    function->walk([&](Operation *op) {
      if (isa<tile::PrintOp>(op))
        diagnostics.warning(fromMLIR(op->getLoc(), sources), "on CPUs nothing is printed");
      if (isa<tile::AssertOp>(op))
        diagnostics.warning(fromMLIR(op->getLoc(), sources), "on CPUs this is not checked");
    });
}

std::optional<std::vector<GeneratedCode>>
teeny::generateCode(ModuleOp module, ArrayRef<Target> targets, const CodeOptions &options,
                    const Sources &sources, Diagnostics &diagnostics,
                    std::optional<Error> &environment) {
  std::vector<func::FuncOp> functions;
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    if (function->hasAttr(tile::kernelAttr))
      functions.push_back(function);
  warnOfOmissions(functions, targets, sources, diagnostics);
  std::vector<std::string> kernels;
  for (func::FuncOp function : functions)
    kernels.push_back(isolate(function));
  CodeCache *cache = options.keepIR ? nullptr : options.cache;
  std::vector<std::string> contents; // for keys
  std::string assembler;
  if (cache) {
    for (func::FuncOp function : functions)
      contents.push_back(contentsOf(function));
    if (!options.assembler.empty()) {
      Result<std::string> identity = assemblerIdentity(options.assembler);
      if (!identity) {
        environment = identity.error();
        return std::nullopt;
      }
      assembler = *identity;
    }
  }
  std::vector<Task> tasks;
  for (auto [function, kernel] : llvm::zip_equal(functions, kernels))
    for (const Target &target : targets)
      tasks.push_back({function.getSymName().str(), &kernel, &target, {}, {}, {}});

  std::atomic<size_t> next = 0;
  std::mutex reporting;
  auto work = [&] {
    for (size_t i = next++; i < tasks.size(); i = next++) {
      if (options.progress) {
        std::lock_guard<std::mutex> lock(reporting);
        options.progress(i, tasks.size(), tasks[i].name + " for " + tasks[i].target->name);
      }
      Task &task = tasks[i];
      std::string key;
      if (cache) {
        const bool isCubin = task.target->kind == Target::Kind::cubin;
        key = cache->key(contents[i / targets.size()], *task.target, isCubin ? assembler : "");
        if (std::optional<GeneratedCode> code = cache->find(key)) {
          task.code = std::move(*code);
          continue;
        }
      }
      TaskRunner(task, options, sources).run();
      if (cache && !task.error && task.diagnostics.all().empty())
        cache->store(key, task.code);
    }
  };
  std::vector<std::thread> helpers;
  for (unsigned i = 1; i < maxThreads && i < tasks.size(); ++i)
    helpers.emplace_back(work);
  work();
  for (std::thread &helper : helpers)
    helper.join();

  std::vector<GeneratedCode> all;
  bool ok = true;
  StringRef failed; // the kernel that failed last: once is enough, targets mostly fail alike
  for (auto [index, task] : llvm::enumerate(tasks)) {
    bool taskFailed = task.error || task.diagnostics.hasErrors();
    ok &= !taskFailed;
    if (!taskFailed || failed != task.name) {
      diagnostics.append(std::move(task.diagnostics));
      if (task.error && task.error->code == ErrorCode::environment)
        environment = task.error;
      else if (task.error)
        diagnostics.error(fromMLIR(functions[index / targets.size()].getLoc(), sources),
                          "kernel '" + task.name + "' cannot be compiled for " + task.target->name +
                              ": " + task.error->message);
    }
    if (taskFailed)
      failed = task.name;
    all.push_back(std::move(task.code));
  }
  if (!ok)
    return std::nullopt;
  return all;
}
