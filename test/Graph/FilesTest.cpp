// Graph files and what becomes of them: each files/NAME.json is imported, its shapes are inferred,
// and the module, or all errors as they are rendered, must be the text of files/NAME.expected.
// After a change that is meant: TEENY_BLESS=1 writes the expected files.
#include "Graph/IR/Graph.h"
#include "Graph/IR/NodeKinds.h"
#include "Graph/Import/Import.h"
#include "Graph/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace teeny;
namespace fs = std::filesystem;

static std::string readText(const fs::path &path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Paths in messages are as given, so all is relative to the folder.
static std::string outcome(const std::string &path) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Sources sources;
  Diagnostics diagnostics;
  ImportOptions options;
  options.opRoots = {"roots"};
  std::string text;
  llvm::raw_string_ostream os(text);
  auto module = importGraph(&context, path, sources, diagnostics, options);
  if (module) {
    MLIRDiagnosticHandler handler(&context, diagnostics, sources);
    mlir::PassManager passes(&context);
    passes.addPass(graph::createGraphInferShapes());
    if (mlir::succeeded(passes.run(*module)))
      module->print(os);
    else
      CHECK(diagnostics.hasErrors());
  } else {
    CHECK(diagnostics.hasErrors());
  }
  diagnostics.render(os);
  return text;
}

TEST_CASE("graph files give the module or the errors that are expected of them") {
  fs::current_path(fs::path(TEENY_SOURCE_DIR) / "test/Graph/files");
  std::vector<fs::path> cases;
  for (const auto &entry : fs::directory_iterator("."))
    if (entry.path().extension() == ".json")
      cases.push_back(entry.path().filename());
  std::sort(cases.begin(), cases.end());
  REQUIRE(!cases.empty());
  for (const fs::path &path : cases) {
    DYNAMIC_SECTION(path.string()) {
      fs::path expected = fs::path(path).replace_extension(".expected");
      std::string text = outcome(path.string());
      if (std::getenv("TEENY_BLESS"))
        std::ofstream(expected, std::ios::binary) << text;
      CHECK(text == readText(expected));
    }
  }
}

// check_schemas.py has the rest.
TEST_CASE("the schema of graphs offers every kind of node and nothing else") {
  std::string schema = readText(fs::path(TEENY_SOURCE_DIR) / "lib/Graph/Import/schema/graph.json");
  size_t begin = schema.find("\"abs\"");
  REQUIRE(begin != std::string::npos);
  std::string names = schema.substr(begin, schema.find(']', begin) - begin);
  names.erase(
      std::remove_if(names.begin(), names.end(), [](char c) { return c == ' ' || c == '\n'; }),
      names.end());
  std::string expected;
  for (const graph::NodeKind &kind : graph::nodeKinds())
    expected += (expected.empty() ? "\"" : ",\"") + kind.name + "\"";
  CHECK(names == expected);
}
