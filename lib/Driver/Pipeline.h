// One compilation, from files to a bundle, phase by phase.
#pragma once

#include "Base/File.h"
#include "Bundle/BundleFile.h"
#include "Driver/CodeGeneration.h"
#include "Driver/FusedOps.h"
#include "Driver/Golden.h"
#include "Driver/Options.h"
#include "Driver/Phases.h"
#include "Support/Diagnostics.h"
#include "Support/Targets.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/ADT/StringMap.h"

#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace teeny {

class StandaloneKernels;

class Pipeline {
public:
  struct Settings {
    std::string file;                 // the graph
    std::vector<std::string> opsDirs; // searched for declarations
    std::vector<Target> targets;
    bool keepIR = false;        // also how code was made
    KernelOptions kernels = {}; // compiled instead of a graph, where there are any
    CodeProgress progress = {};
    bool golden = false; // a graph's bundle gets golden runs
    CodeCache *cache = nullptr;
  };
  explicit Pipeline(Settings settings);
  ~Pipeline();

  // Carries out the phases up to `last`; `after` is called when one is done and verified. False if
  // there are errors in diagnostics() or in environment().
  bool run(Phase last, const std::function<bool(Phase)> &after = {});

  // What there is after: import and all later phases; bind-kernels; generate-code; write-bundle.
  mlir::ModuleOp module() { return *ir; }
  const Manifest &manifest() const { return plan; }
  const std::vector<GeneratedCode> &code() const { return generated; }
  const std::vector<std::byte> &bundle() const { return bytes; }
  // Texts of the kernels' files, under names that say nothing of where they lie.
  struct KernelSource {
    std::string name;
    const Source *source;
  };
  std::vector<KernelSource> kernelSources() const;

  Diagnostics &diagnostics() { return reports; }
  const Sources &sources() const { return texts; }
  const std::optional<Error> &environment() const { return trouble; }

private:
  bool runPhase(Phase phase);
  bool import();
  bool inferShapes();
  bool simplify();
  bool legalizeOps();
  bool fuse();
  bool bind();
  bool simplifyTiles();
  bool generate();
  bool writeBundle();
  void addWeights(BundleWriter &writer, llvm::StringMap<MappedFile> &mapped,
                  std::deque<std::string> &computed);
  SourceLocation placeOfInput() const;

  Settings settings;
  mlir::MLIRContext context;
  Sources texts;
  Diagnostics reports;
  MLIRDiagnosticHandler handler;
  std::optional<Error> trouble;
  GoldenRuns golden;
  FusedOps opsOfNodes;   // after fuse
  std::string assembler; // of cubins, where one is asked for
  mlir::OwningOpRef<mlir::ModuleOp> ir;
  std::unique_ptr<StandaloneKernels> standalone; // null for a graph
  Manifest plan;
  std::vector<GeneratedCode> generated;
  std::vector<std::byte> bytes;
};

} // namespace teeny
