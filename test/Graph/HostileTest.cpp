// Graph files as nobody means them: each gives an error in little time, and nothing else.
#include "Graph/IR/Graph.h"
#include "Graph/Import/Import.h"
#include "Graph/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <random>

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

Outcome importFrom(Sources &sources, const Source *source, const std::string &path) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Diagnostics diagnostics;
  ImportOptions options;
  options.opRoots = {"roots"};
  Outcome outcome;
  auto module = source ? importGraph(&context, source, sources, diagnostics, options)
                       : importGraph(&context, path, sources, diagnostics, options);
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

Outcome import(const std::string &text) {
  Folder folder;
  std::ofstream(folder.path / "g.json", std::ios::binary) << text;
  std::ofstream(folder.path / "k.py") << "";
  Sources sources;
  return importFrom(sources, nullptr, (folder.path / "g.json").string());
}

// A text that stands in the current folder.
Outcome importText(const std::string &text) {
  Sources sources;
  return importFrom(sources, sources.add("mutated.json", text), "");
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

// What becomes of good files when bytes are lost, repeated or changed: a module or errors.
TEST_CASE("mutated files") {
  fs::current_path(fs::path(TEENY_SOURCE_DIR) / "test/Graph/files");
  std::mt19937 random(20);
  auto below = [&](size_t count) { return size_t(random() % count); };
  const std::string tokens[] = {"null",
                                "-1",
                                "9223372036854775807",
                                "[]",
                                "{}",
                                "\"*L\"",
                                "\"N\"",
                                "0",
                                "\"\"",
                                "1.5",
                                "true",
                                "\"x\"",
                                "\"B // 0\"",
                                "\"9999999999*B\""};
  for (const char *file : {"good.json", "rich-declaration.json", "contradicting-dims.json"}) {
    std::ifstream stream(file, std::ios::binary);
    std::string original((std::istreambuf_iterator<char>(stream)), {});
    REQUIRE(!original.empty());
    int imported = 0;
    for (int round = 0; round < 1500; ++round) {
      std::string text = original;
      size_t at = below(text.size()), length = 1 + below(20);
      switch (below(5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, text.substr(below(text.size()), length));
        break;
      case 2:
        text[at] = char(below(256));
        break;
      case 3: // the value that begins next, if it is a simple one
        at = text.find_first_of("\"0123456789", at);
        if (at != std::string::npos) {
          size_t end = text[at] == '"' ? text.find('"', at + 1) + 1 : at + 1;
          text.replace(at, end - at, tokens[below(std::size(tokens))]);
        }
        break;
      default: // two letters changed places
        std::swap(text[at], text[below(text.size())]);
      }
      Outcome outcome = importText(text);
      imported += outcome.imported;
      if (!outcome.inferred && outcome.errors == 0)
        FAIL("neither a module nor an error: " << text);
    }
    CHECK(imported > 0);
    CHECK(imported < 1500);
  }
}
