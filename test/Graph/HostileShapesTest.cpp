// Graphs whose tensors nobody has: as large as numbers allow, of many dims, of many nodes. Each
// goes through all passes of the graph, or there is an error at its place.
#include "Fuzz.h"
#include "Graph/IR/Graph.h"
#include "Graph/Import/Import.h"
#include "Graph/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

using namespace teeny;

namespace {

// The first error of the import or of shape inference: "COLUMN: text"; "" if there is none.
std::string firstError(const std::string &text, unsigned *count = nullptr) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Sources sources;
  Diagnostics diagnostics;
  auto module = importGraph(&context, sources.add("g.json", text), sources, diagnostics, {});
  if (module) {
    MLIRDiagnosticHandler handler(&context, diagnostics, sources);
    mlir::PassManager passes(&context);
    passes.addPass(graph::createGraphInferShapes());
    (void)passes.run(*module);
  }
  if (count)
    *count = diagnostics.errorCount();
  if (!diagnostics.hasErrors())
    return "";
  const Diagnostic &first = diagnostics.all()[0];
  CHECK(first.location.line == 1);
  return std::to_string(first.location.column) + ": " + first.message;
}

std::string join(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string repeated(const std::string &part, int count) {
  return join(std::vector<std::string>(size_t(count), part));
}

// One input, "x", of this shape.
std::string graphOf(const std::string &shape, const std::vector<std::string> &nodes,
                    const std::string &output, const std::string &more = "") {
  return R"({"teeny": 1, "name": "g", "inputs": [{"name": "x", "dtype": "f32", "shape": [)" +
         shape + "]}], " + more + R"("nodes": [)" + join(nodes) + R"(], "outputs": [")" + output +
         "\"]}";
}

std::string node(const std::string &name, const std::string &op, const std::string &inputs,
                 const std::string &attrs = "{}") {
  return R"({"name": ")" + name + R"(", "op": ")" + op + R"(", "inputs": [)" + inputs +
         R"(], "attrs": )" + attrs + "}";
}

// n0 of x, n1 of n0 and so on; `inputs` with @ for what comes before.
std::vector<std::string> chain(int count, const std::string &op, const std::string &inputs,
                               const std::string &attrs = "{}", const std::string &first = "x") {
  std::vector<std::string> nodes;
  for (int i = 0; i < count; ++i) {
    std::string before = i ? "n" + std::to_string(i - 1) : first, own = inputs;
    for (size_t at; (at = own.find('@')) != std::string::npos;)
      own.replace(at, 1, '"' + before + '"');
    nodes.push_back(node("n" + std::to_string(i), op, own, attrs));
  }
  return nodes;
}

} // namespace

TEST_CASE("tensors of more bytes than there are") {
  CHECK(firstError(graphOf("4611686018427387904, 4", chain(1, "relu", "@"), "n0")) ==
        "47: 'x' has more than 2^63 bytes: f32[4611686018427387904, 4]");
  CHECK(firstError(
            graphOf("4", chain(1, "expand", "@", R"({"shape": [4611686018427387904, 4]})"), "n0"))
            .find(": 'n0' has more than 2^63 bytes: f32[4611686018427387904, 4]") !=
        std::string::npos);
  // 4 * 2^59 elements have 2^63 bytes.
  std::string doubled =
      firstError(graphOf("4", chain(59, "concat", "@, @", R"({"axis": 0})"), "n58"));
  CHECK(doubled.find(": 'n58' has more than 2^63 bytes: f32[2305843009213693952]") !=
        std::string::npos);
  CHECK(firstError(graphOf("4", chain(58, "concat", "@, @", R"({"axis": 0})"), "n57")) == "");
  unsigned errors = 0;
  doubled = firstError(graphOf("4", chain(80, "concat", "@, @", R"({"axis": 0})"), "n79"), &errors);
  CHECK(errors == 1);
  CHECK(doubled.find("has more than 2^63 bytes: f32[2305843009213693952]") != std::string::npos);
}

TEST_CASE("tensors of more dims than there may be") {
  CHECK(firstError(graphOf(repeated("1", 64), chain(1, "relu", "@"), "n0")) == "");
  CHECK(firstError(graphOf(repeated("1", 65), chain(1, "relu", "@"), "n0")) ==
        "77: a tensor has at most 64 dims, found 65");
  for (const char *op : {"reshape", "expand"}) {
    std::string error = firstError(
        graphOf("4", chain(1, op, "@", R"({"shape": [)" + repeated("1", 64) + ", 4]}"), "n0"));
    CHECK(error.find(": 'n0' has 65 dims; at most 64 are possible") != std::string::npos);
  }
  std::string error =
      firstError(graphOf("4", chain(64, "unsqueeze", "@", R"({"axes": [0]})"), "n63"));
  CHECK(error.find(": 'n63' has 65 dims; at most 64 are possible") != std::string::npos);
}

// The text of an expression has a limit of its own, which few names reach if they are long.
TEST_CASE("sizes of more text than an expression may have") {
  std::string dims, inputs;
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) {
    std::string dim = std::string(300, 'd') + std::to_string(i), name = "i" + std::to_string(i);
    dims += (i ? ", \"" : "\"") + dim + "\": {}";
    inputs += R"(, {"name": ")" + name + R"(", "dtype": "f32", "shape": [")" + dim + "\"]}";
    names.push_back('"' + name + '"');
  }
  std::string text = R"({"teeny": 1, "name": "g", "dims": {)" + dims + R"(}, "inputs": [)" +
                     inputs.substr(2) + R"(], "nodes": [)" +
                     node("all", "concat", join(names), R"({"axis": 0})") +
                     R"(], "outputs": ["all"]})";
  CHECK(firstError(text).find(": 'all' has a size that is too large an expression") !=
        std::string::npos);
}

TEST_CASE("sizes that no run has") {
  for (const char *size : {"4 // 0", "4 % 0", "align(4, 0)", "1 // 0 + 4", "2 if 1 // 0 else 4"}) {
    std::string error =
        firstError(graphOf('"' + std::string(size) + '"', chain(1, "relu", "@"), "n0"));
    INFO(size << ": " << error);
    CHECK(error.starts_with("78: in an expression: "));
    error = firstError(graphOf(
        "4", chain(1, "reshape", "@", R"({"shape": [")" + std::string(size) + "\"]}"), "n0"));
    CHECK(error.find(": in an expression: ") != std::string::npos);
  }
  CHECK(firstError(graphOf(R"("4 // 0")", chain(1, "relu", "@"), "n0")) ==
        "78: in an expression: division by zero in '4 // 0'");
  CHECK(firstError(graphOf(R"("4 if 1 else 1 // 0")", chain(1, "relu", "@"), "n0")) == "");
}

TEST_CASE("nodes of more inputs than there may be") {
  CHECK(firstError(
            graphOf("4", {node("n0", "concat", repeated("\"x\"", 1001), R"({"axis": 0})")}, "n0"))
            .find(": a node takes at most 1000 inputs, found 1001") != std::string::npos);
}

TEST_CASE("long chains, and many ways through a graph") {
  fuzz::graph(graphOf("4", chain(3000, "relu", "@"), "n2999"));
  fuzz::graph(graphOf("4", chain(3000, "add", "@, \"x\""), "n2999"));
  fuzz::graph(graphOf("4", chain(100, "add", "@, @"), "n99"));
  fuzz::graph(graphOf("4", {node("n0", "concat", repeated("\"x\"", 500), R"({"axis": 0})")}, "n0"));
  std::string many = "\"x\"";
  std::vector<std::string> relus;
  for (int i = 0; i < 200; ++i) {
    relus.push_back(node("r" + std::to_string(i), "relu", "\"x\""));
    relus.push_back(node("s" + std::to_string(i), "add",
                         i ? "\"s" + std::to_string(i - 1) + "\", \"r" + std::to_string(i) + '"'
                           : "\"x\", \"r0\""));
  }
  fuzz::graph(graphOf("4", relus, "s199"));
}

// A filter of many ways to one param; and maps of params that would be large.
TEST_CASE("what is computed when compiling stays small") {
  const std::string param =
      R"("params": [{"name": "p", "dtype": "f32", "shape": [8], "data": "data.safetensors#x8"}], )";
  std::vector<std::string> nodes = chain(60, "add", "@, @", "{}", "p");
  nodes.push_back(node("w", "reshape", "\"n59\"", R"({"shape": [8, 1, 1, 1]})"));
  nodes.push_back(node("b", "reshape", "\"n59\"", R"({"shape": [8, 1, 1]})"));
  nodes.push_back(R"({"name": "c", "op": "conv2d", "inputs": ["x"], "params": {"weight": "w"}})");
  nodes.push_back(node("m", "mul", "\"c\", \"b\""));
  fuzz::graph(graphOf("1, 1, 4, 4", nodes, "m", param));

  nodes.clear();
  for (int i = 0; i < 20; ++i) {
    std::string own = std::to_string(i);
    nodes.push_back(node("e" + own, "expand", "\"p\"", R"({"shape": [4000000, 8]})"));
    nodes.push_back(node("r" + own, "relu", "\"e" + own + '"'));
    nodes.push_back(
        node("s" + own, "add",
             "\"r" + own + "\", " + (i ? "\"s" + std::to_string(i - 1) + '"' : "\"x\"")));
  }
  fuzz::graph(graphOf("4000000, 8", nodes, "s19", param));
}
