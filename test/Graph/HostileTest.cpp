// Graph files as nobody means them: each gives an error in little time, and nothing else.
#include "Graph/IR/Graph.h"
#include "Graph/Import/Import.h"
#include "Graph/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

#include <unistd.h>

using namespace teeny;
namespace fs = std::filesystem;

namespace {

class Folder {
public:
  Folder() : path(fs::temp_directory_path() / ("teeny-hostile-" + std::to_string(getpid()))) {
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

struct Outcome {
  bool imported = false, inferred = false;
  unsigned errors = 0;
  std::string firstMessage;
  size_t renderedBytes = 0;
};

Outcome import(const std::string &text) {
  Folder folder;
  std::ofstream(folder.path / "g.json", std::ios::binary) << text;
  std::ofstream(folder.path / "k.py") << "";
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Sources sources;
  Diagnostics diagnostics;
  Outcome outcome;
  auto module = importGraph(&context, (folder.path / "g.json").string(), sources, diagnostics);
  outcome.imported = bool(module);
  if (module) {
    MLIRDiagnosticHandler handler(&context, diagnostics, sources);
    mlir::PassManager passes(&context);
    passes.addPass(graph::createGraphInferShapes());
    outcome.inferred = mlir::succeeded(passes.run(*module));
  }
  outcome.errors = diagnostics.errorCount();
  if (!diagnostics.all().empty())
    outcome.firstMessage = diagnostics.all()[0].message;
  std::string rendered;
  llvm::raw_string_ostream os(rendered);
  diagnostics.render(os);
  outcome.renderedBytes = rendered.size();
  return outcome;
}

const std::string addOp =
    R"({"op": "t.add", "inputs": [{"name": "a", "dtype": "f32", "shape": ["N"]}],
        "outputs": [{"name": "y", "dtype": "f32", "shape": ["N"]}],
        "launches": [{"kernel": "k.py::add", "grid": [1]}]})";

std::string graphText(const std::string &rest) {
  return R"({"teeny": 1, "name": "g", "inputs": [{"name": "x", "dtype": "f32", "shape": [4]}], )" +
         rest + "}";
}

} // namespace

TEST_CASE("nested brackets without end") {
  Outcome outcome = import(std::string(1000000, '['));
  CHECK(outcome.firstMessage == "nested deeper than 64 levels");
  CHECK(outcome.errors == 1);
}

TEST_CASE("a file beyond the limit") {
  Outcome outcome = import(std::string(100000000, ' '));
  CHECK_THAT(outcome.firstMessage, Catch::EndsWith(": larger than 33554432 bytes"));
}

TEST_CASE("more values than the limit") {
  std::string text = "[0";
  for (int i = 0; i < 1 << 20; ++i)
    text += ",0";
  CHECK(import(text + "]").firstMessage == "more than 1048576 values in one file");
}

TEST_CASE("names that are none") {
  std::string megabyte(1 << 20, 'n');
  for (const std::string &name : {std::string(), std::string("a\\u0007b"), std::string("\\u0000"),
                                  std::string("\\n"), megabyte}) {
    Outcome outcome = import(graphText(R"("nodes": [{"name": ")" + name +
                                       R"(", "op": "t.add", "inputs": ["x"]}], "ops": [)" + addOp +
                                       R"(], "outputs": [")" + name + "\"]"));
    CHECK_FALSE(outcome.imported);
    CHECK(outcome.renderedBytes < 10000);
  }
}

TEST_CASE("unknown names of any size and script") {
  std::string megabyte(1 << 20, 'n');
  for (const std::string &name : {std::string(), std::string("\xE6\xBC\xA2\xE5\xAD\x97"), megabyte,
                                  std::string("../../../etc/passwd"), std::string("..")}) {
    Outcome outcome = import(graphText(R"("nodes": [{"name": "n", "op": ")" + name +
                                       R"(", "inputs": [")" + name + R"("]}], "outputs": ["n"])"));
    CHECK_FALSE(outcome.imported);
    CHECK(outcome.errors == 1);
    CHECK(outcome.renderedBytes < 10000);
  }
}

TEST_CASE("a flood of misspelt references is counted, not searched") {
  std::string nodes;
  constexpr int count = 20000;
  for (int i = 0; i < count; ++i)
    nodes += (i ? "," : "") + std::string(R"({"name": "node)") + std::to_string(i) +
             R"(", "op": "t.add", "inputs": ["nude)" + std::to_string(i) + R"("]})";
  Outcome outcome = import(
      graphText("\"ops\": [" + addOp + "], \"nodes\": [" + nodes + R"(], "outputs": ["node0"])"));
  CHECK_FALSE(outcome.imported);
  CHECK(outcome.errors >= count);
  CHECK(outcome.renderedBytes < 1000000);
}

// n0 uses n1 uses n2 and so on; the last uses `end`.
static std::string chain(int count, const std::string &end) {
  std::string nodes;
  for (int i = 0; i < count; ++i) {
    std::string next = i + 1 < count ? "n" + std::to_string(i + 1) : end;
    nodes += (i ? "," : "") + std::string(R"({"name": "n)") + std::to_string(i) +
             R"(", "op": "t.add", "inputs": [")" + next + R"("]})";
  }
  return graphText("\"ops\": [" + addOp + "], \"nodes\": [" + nodes + R"(], "outputs": ["n0"])");
}

TEST_CASE("a cycle through all nodes") {
  Outcome outcome = import(chain(20000, "n0"));
  CHECK_FALSE(outcome.imported);
  CHECK(outcome.errors == 1);
  CHECK_THAT(outcome.firstMessage, Catch::StartsWith("nodes form a cycle: 'n0' -> 'n19999' -> "));
  CHECK(outcome.renderedBytes < 10000);
}

TEST_CASE("a long chain in the wrong order is fine") {
  Outcome outcome = import(chain(20000, "x"));
  CHECK(outcome.inferred);
  CHECK(outcome.errors == 0);
}

TEST_CASE("expressions without end") {
  std::string deep = std::string(100000, '(') + "1" + std::string(100000, ')');
  std::string wide = "1";
  for (int i = 0; i < 20000; ++i)
    wide += "+B*B";
  for (const std::string &size : {deep, wide}) {
    Outcome outcome = import(R"({"teeny": 1, "name": "g", "dims": {"B": {}}, "inputs": [
        {"name": "x", "dtype": "f32", "shape": [")" +
                             size + R"("]}], "outputs": ["x"]})");
    CHECK_FALSE(outcome.imported);
    CHECK(outcome.renderedBytes < 10000);
  }
}
