// Any text as the declaration of an op, by itself: a module, or errors.
#include "Fuzz.h"
#include "Graph/IR/Graph.h"
#include "Graph/Import/Import.h"

#include "mlir/IR/Verifier.h"

using namespace teeny;

void fuzz::declaration(std::string_view input) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Sources sources;
  Diagnostics diagnostics;
  const Source *source =
      sources.add(TEENY_SOURCE_DIR "/test/Graph/files/fuzz.json", std::string(input));
  auto module = importDeclaration(&context, source, sources, diagnostics);
  expect(bool(module) != diagnostics.hasErrors(), "a module, or errors");
  if (module)
    expect(mlir::succeeded(mlir::verify(*module)), "the module is valid");
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (module)
    module->print(stream);
  diagnostics.render(stream);
  for (const Diagnostic &diagnostic : diagnostics.all())
    expect(!diagnostic.message.empty() && diagnostic.location.line > 0,
           "a report has a message and a place");
}
