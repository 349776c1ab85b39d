// Kernels that are compiled by themselves: what the phases of the pipeline do for them where a
// graph is not there to say how they are called. Their bundle has kernels and no launches; each
// kernel records what its parameters are, and what whoever launches it must keep to.
#pragma once

#include "Bundle/Manifest.h"
#include "Conversion/GraphToTile/PointerUses.h"
#include "Driver/Options.h"
#include "Language/Signature.h"
#include "Support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <memory>

namespace teeny {

class StandaloneKernels {
public:
  StandaloneKernels(const KernelOptions &options, Sources &sources, Diagnostics &diagnostics)
      : options(options), sources(sources), diagnostics(diagnostics) {}

  // Parses the files and what the command line says of the kernels; false with errors reported.
  bool read();
  // Adds the tile functions to the module.
  bool generate(mlir::ModuleOp module);
  // The manifest but for code, targets and provenance, of a module whose functions have the
  // parameters that generate() gave them.
  Manifest describe(mlir::ModuleOp module) const;
  // The first kernel.
  SourceLocation place() const { return kernels.front().info->location; }

private:
  // One kernel for one signature.
  struct Kernel {
    const KernelFile *file = nullptr;
    const KernelInfo *info = nullptr;
    std::vector<ParamSpec> specs;
    std::string symbol;
    int numWarps = 4, numStages = 3;
    llvm::SmallVector<PointerUses> uses; // by run-time parameter
  };
  const KernelInfo *findKernel(const std::string &text, const KernelFile *&file);
  void readRanges();
  void readGlobals();
  // What autotuners and heuristics leave to the compiler.
  bool tune(Kernel &kernel, mlir::MLIRContext *context);
  bool pickConfig(Kernel &kernel, mlir::MLIRContext *context);

  const KernelOptions options;
  Sources &sources;
  Diagnostics &diagnostics;
  std::map<std::string, std::unique_ptr<KernelFile>> files; // null: has errors, already reported
  std::vector<Kernel> kernels;
  GenerateOptions generation;
};

} // namespace teeny
