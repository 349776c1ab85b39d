#include "RunKernel.h"

#include "Conversion/TileToCPU/TileToCPU.h"
#include "Conversion/TileToGPU/TileToGPU.h"
#include "Driver/TilePipeline.h"
#include "Target/Host/Host.h"
#include "Target/HostLibrary.h"
#include "Target/PTX/PTX.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

namespace teeny::test {

namespace {
// From source to what code is made from; `use` gets the module.
void lower(const std::string &text, const std::string &specs, const Target &target,
           llvm::function_ref<void(mlir::ModuleOp)> use) {
  Sources sources;
  Diagnostics diagnostics;
  mlir::MLIRContext context(compilerDialects(), mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    errors += diagnostic.str() + "\n";
    return mlir::success();
  });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::UnknownLoc::get(&context));
  const Source *source = sources.add("kernel.py", text);
  std::unique_ptr<KernelFile> file = KernelFile::parse(source, diagnostics);
  bool generated =
      file && generateKernel(*file, "kernel", parseSpecs(specs), {}, *module, diagnostics);
  std::string reported;
  llvm::raw_string_ostream stream(reported);
  diagnostics.render(stream);
  INFO(text << reported);
  REQUIRE(generated);
  mlir::PassManager passes(&context);
  addTilePasses(passes);
  if (target.isGpu()) {
    addGpuTilePasses(passes, target);
    addTileToGPUPasses(passes, target);
  } else {
    addCpuPasses(passes, target);
  }
  bool lowered = mlir::succeeded(passes.run(*module));
  INFO(errors);
  REQUIRE(lowered);
  use(*module);
}

Target targetNamed(const std::string &name) {
  Result<Target> target = parseTarget(name);
  REQUIRE(target);
  return *target;
}
} // namespace

KernelOnCpu::KernelOnCpu(const std::string &text, const std::string &specs,
                         const std::string &targetName) {
  Target target = targetNamed(targetName);
  lower(text, specs, target, [&](mlir::ModuleOp module) {
    for (mlir::Operation &function : *module.getBody())
      if (auto bytes = function.getAttrOfType<mlir::IntegerAttr>(scratchBytesAttr))
        scratch = bytes.getInt();
    Result<HostCode> code = compileForHost(module, target);
    INFO((code ? "" : code.error().message));
    REQUIRE(code);
    library = std::make_unique<HostLibrary>(code->library);
  });
}

KernelOnCpu::~KernelOnCpu() = default;

void KernelOnCpu::call(int programs, std::vector<uint64_t> slots) const {
  using Entry = void(const uint64_t *, const int32_t *, int64_t, int64_t, void *);
  std::vector<char> memory(scratch + 64, char(0xa5));
  void *aligned =
      reinterpret_cast<void *>((reinterpret_cast<uintptr_t>(memory.data()) + 63) / 64 * 64);
  const int32_t grid[] = {programs, 1, 1};
  library->function<Entry>("kernel")(slots.data(), grid, 0, programs, aligned);
}

std::string compileToPtx(const std::string &text, const std::string &specs,
                         const std::string &targetName) {
  Target target = targetNamed(targetName);
  std::string result;
  lower(text, specs, target, [&](mlir::ModuleOp module) {
    Result<std::string> ptx = ptx::translate(module, target);
    INFO((ptx ? "" : ptx.error().message));
    REQUIRE(ptx);
    result = *ptx;
  });
  return result;
}

} // namespace teeny::test
