#include "Conversion/TileToCPUSupport.h"

#include "Conversion/TileToCPU/TileToCPU.h"
#include "Target/Host/Host.h"
#include "Target/HostLibrary.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

#include <cstdlib>

using namespace mlir;
using namespace teeny;
using namespace teeny::test;

CompiledText teeny::test::compileTileIR(const std::string &text, const std::string &targetName,
                                        bool structureOnly) {
  CompiledText result;
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect, scf::SCFDialect,
                      tile::TileDialect>();
  ScopedDiagnosticHandler diagnostics(&context, [&](Diagnostic &diagnostic) {
    result.error += diagnostic.str() + "\n";
    return success();
  });
  auto module = parseSourceString<ModuleOp>(text, &context);
  Result<Target> target = parseTarget(targetName);
  REQUIRE(target);
  if (!module)
    return result;
  ConvertTileToCPUOptions options;
  options.vectorBits = target->cpu->vectorBits;
  options.vectorRegisters = target->cpu->vectorRegisters;
  options.keepStructure = structureOnly;
  PassManager passes(&context);
  passes.addPass(createConvertTileToCPU(options));
  if (failed(passes.run(*module))) {
    if (result.error.empty())
      result.error = "failed without an error";
    return result;
  }
  for (Operation &function : *module->getBody())
    if (auto bytes = function.getAttrOfType<IntegerAttr>(scratchBytesAttr))
      result.scratchBytes = bytes.getInt();
  if (structureOnly) {
    llvm::raw_string_ostream stream(result.structure);
    module->print(stream);
    return result;
  }
  HostOptions host;
  host.keepLLVM = host.keepAssembly = true;
  Result<HostCode> code = compileForHost(*module, *target, host);
  if (!code) {
    result.error = code.error().message;
    return result;
  }
  result.llvm = code->llvm;
  result.assembly = code->assembly;
  result.library = code->library;
  return result;
}

CpuKernel::CpuKernel(const std::string &text, const std::string &target) {
  CompiledText compiled = compileTileIR(text, target);
  INFO(compiled.error);
  REQUIRE(compiled.error.empty());
  library = std::make_unique<HostLibrary>(compiled.library);
  scratch = compiled.scratchBytes;
}

CpuKernel::~CpuKernel() = default;

void CpuKernel::call(std::array<int32_t, 3> grid, const std::vector<uint64_t> &slots) const {
  using Entry = void(const uint64_t *, const int32_t *, int64_t, int64_t, void *);
  auto *entry = library->function<Entry>("kernel");
  // Guarded on both sides, and full of what would show if it were read before it is written.
  std::vector<char> memory(scratch + 128 + 64, char(0xa5));
  char *aligned =
      reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(memory.data()) + 127) / 64 * 64);
  int64_t programs = int64_t(grid[0]) * grid[1] * grid[2];
  for (int64_t begin = 0; begin < programs;) {
    int64_t end = begin + std::min(atOnce, programs - begin);
    entry(slots.data(), grid.data(), begin, end, aligned);
    begin = end;
  }
  for (char *guard = memory.data(); guard < aligned; ++guard)
    REQUIRE(*guard == char(0xa5));
  for (char *guard = aligned + scratch; guard < memory.data() + memory.size(); ++guard)
    REQUIRE(*guard == char(0xa5));
}
