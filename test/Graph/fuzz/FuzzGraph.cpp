// Any text as a graph file, through all passes of the graph: a valid module, or errors. Files that
// it names are those of test/Graph/files.
#include "Fuzz.h"
#include "Graph/IR/Graph.h"
#include "Graph/Import/Import.h"
#include "Graph/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace teeny;

void fuzz::graph(std::string_view input) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Sources sources;
  Diagnostics diagnostics;
  const std::string folder = TEENY_SOURCE_DIR "/test/Graph/files";
  ImportOptions options;
  options.opRoots = {folder + "/roots"};
  const Source *source = sources.add(folder + "/fuzz.json", std::string(input));
  auto module = importGraph(&context, source, sources, diagnostics, options);
  bool good = bool(module);
  if (module) {
    MLIRDiagnosticHandler handler(&context, diagnostics, sources);
    mlir::PassManager passes(&context);
    passes.addPass(graph::createGraphInferShapes());
    passes.addPass(graph::createGraphVerifyShapes());
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(graph::createGraphFoldScales());
    passes.addPass(graph::createGraphFoldParams());
    passes.addPass(graph::createGraphMergeMaps());
    passes.addPass(graph::createGraphLegalizeOps());
    passes.addPass(mlir::createCanonicalizerPass());
    passes.addPass(graph::createGraphOutlineMaps());
    good = mlir::succeeded(passes.run(*module));
  }
  expect(good != diagnostics.hasErrors(), "a module, or errors");
  std::string text;
  llvm::raw_string_ostream stream(text);
  diagnostics.render(stream);
  for (const Diagnostic &diagnostic : diagnostics.all())
    expect(!diagnostic.message.empty() && diagnostic.location.line > 0,
           "a report has a message and a place");
}
