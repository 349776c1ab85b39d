#include "Support/Diagnostics.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace teeny;

static std::string rendered(const Diagnostics &diagnostics, bool colours = false) {
  std::string text;
  llvm::raw_string_ostream os(text);
  diagnostics.render(os, colours);
  return text;
}

static SourceLocation place(const Source *source, unsigned line, unsigned column,
                            unsigned length = 1, std::string path = "") {
  return {source, line, column, length, std::move(path)};
}

TEST_CASE("a diagnostic shows place, excerpt, JSON path, hint and notes") {
  Sources sources;
  const Source *model = sources.add(
      "model.json",
      "{\n  \"nodes\": [\n  {\"name\": \"boxes\", \"op\": \"yolo.detect_decod\"}\n]}\n");
  const Source *op = sources.add("op.json", "{\"op\": \"yolo.detect_decode\"}");
  Diagnostics diagnostics;
  diagnostics.error(place(model, 3, 28, 19, "nodes[0].op"), "unknown op 'yolo.detect_decod'")
      .note(place(op, 1, 8, 20, "op"), "this one exists")
      .didYouMean("yolo.detect_decode");
  diagnostics.warning(place(model, 0, 0), "something about the file");
  diagnostics.error({}, "something about nothing");
  CHECK(rendered(diagnostics) == R"(model.json:3:28: error: unknown op 'yolo.detect_decod'
  3 |   {"name": "boxes", "op": "yolo.detect_decod"}
    |                            ^~~~~~~~~~~~~~~~~~~
  at nodes[0].op
  hint: did you mean 'yolo.detect_decode'?
op.json:1:8: note: this one exists
  1 | {"op": "yolo.detect_decode"}
    |        ^~~~~~~~~~~~~~~~~~~~
  at op
model.json: warning: something about the file
error: something about nothing
)");
  CHECK(diagnostics.errorCount() == 2);
}

TEST_CASE("the gutter is as wide as the line number") {
  Sources sources;
  std::string text;
  for (int i = 1; i <= 1234; ++i)
    text += "line " + std::to_string(i) + "\n";
  const Source *source = sources.add("long", text);
  Diagnostics diagnostics;
  diagnostics.error(place(source, 1234, 6, 4), "x");
  CHECK(rendered(diagnostics) == "long:1234:6: error: x\n"
                                 "  1234 | line 1234\n"
                                 "       |      ^~~~\n");
}

TEST_CASE("tabs are four columns, wide and multi-byte characters as wide as they show") {
  Sources sources;
  Diagnostics diagnostics;
  diagnostics.error(place(sources.add("t", "\tx\ty"), 1, 4), "tab");
  diagnostics.error(place(sources.add("u", "\"\xC3\xA4\xE6\xBC\xA2\" b"), 1, 9), "utf-8");
  diagnostics.error(place(sources.add("v", "\"\xE6\xBC\xA2\" b"), 1, 1, 5), "underlined");
  CHECK(rendered(diagnostics) == "t:1:4: error: tab\n"
                                 "  1 |     x    y\n"
                                 "    |          ^\n"
                                 "u:1:9: error: utf-8\n"
                                 "  1 | \"\xC3\xA4\xE6\xBC\xA2\" b\n"
                                 "    |       ^\n"
                                 "v:1:1: error: underlined\n"
                                 "  1 | \"\xE6\xBC\xA2\" b\n"
                                 "    | ^~~~\n");
}

TEST_CASE("what does not print is replaced, in sources and in messages") {
  Sources sources;
  Diagnostics diagnostics;
  diagnostics.error(place(sources.add("s", "a\x1b[31m\xFFz"), 1, 8), "bad '\x1b' \xC3");
  CHECK(rendered(diagnostics) == "s:1:8: error: bad '\xEF\xBF\xBD' \xEF\xBF\xBD\n"
                                 "  1 | a\xEF\xBF\xBD[31m\xEF\xBF\xBDz\n"
                                 "    |        ^\n");
}

TEST_CASE("a long line is cut around the caret") {
  Sources sources;
  std::string line(5000000, 'x');
  line[2500000] = 'Y';
  Diagnostics diagnostics;
  diagnostics.error(place(sources.add("s", line), 1, 2500001, 1000000), "x");
  diagnostics.error(place(sources.add("s", line), 1, 1), "x");
  diagnostics.error(place(sources.add("s", line), 1, 5000001), "x");
  std::string x33(33, 'x'), x66(66, 'x'), x99(99, 'x'), x100(100, 'x');
  std::string blank(36, ' '), tildes(66, '~'), blank103(103, ' ');
  CHECK(rendered(diagnostics) == "s:1:2500001: error: x\n  1 | ..." + x33 + "Y" + x66 +
                                     "...\n    | " + blank + "^" + tildes +
                                     "\ns:1:1: error: x\n  1 | x" + x99 +
                                     "...\n    | ^\ns:1:5000001: error: x\n  1 | ..." + x100 +
                                     "\n    | " + blank103 + "^\n");
}

TEST_CASE("places outside of the text do no harm") {
  Sources sources;
  const Source *source = sources.add("s", "one\r\ntwo");
  Diagnostics diagnostics;
  diagnostics.error(place(source, 1, 4), "at the end of a line");
  diagnostics.error(place(source, 2, 900, 900), "far right");
  diagnostics.error(place(source, 9, 2), "below");
  CHECK(rendered(diagnostics) == "s:1:4: error: at the end of a line\n  1 | one\n    |    ^\n"
                                 "s:2:900: error: far right\n  2 | two\n    |    ^\n"
                                 "s:9:2: error: below\n  9 |\n    | ^\n");
}

TEST_CASE("of a flood only the first are kept, and all are counted") {
  Diagnostics diagnostics;
  for (int i = 0; i < 150; ++i)
    diagnostics.error({}, std::to_string(i)).suggest("h");
  CHECK(diagnostics.errorCount() == 150);
  CHECK(diagnostics.all().size() == Diagnostics::maxKept);
  std::string text = rendered(diagnostics);
  CHECK_THAT(text, Catch::EndsWith("  hint: h\nerror: 99\n  hint: h\n50 more not shown\n"));
}

TEST_CASE("colours are escape codes around the same text") {
  Sources sources;
  Diagnostics diagnostics;
  diagnostics.error(place(sources.add("s", "ab"), 1, 2), "m");
  CHECK(rendered(diagnostics, true) == "\x1b[1ms:1:2:\x1b[0m \x1b[1;31merror:\x1b[0m "
                                       "\x1b[1mm\x1b[0m\n  1 | ab\n    |  \x1b[1;32m^\x1b[0m\n");
}

TEST_CASE("lines and columns of offsets") {
  Sources sources;
  const Source &source = *sources.add("s", "ab\n\ncd");
  using Pair = std::pair<unsigned, unsigned>;
  CHECK(source.lineAndColumn(0) == Pair(1, 1));
  CHECK(source.lineAndColumn(2) == Pair(1, 3));
  CHECK(source.lineAndColumn(3) == Pair(2, 1));
  CHECK(source.lineAndColumn(6) == Pair(3, 3));
  CHECK(source.line(1) == "ab");
  CHECK(source.line(2) == "");
  CHECK(source.line(3) == "cd");
  CHECK(source.line(0) == "");
  CHECK(source.line(4) == "");
}

TEST_CASE("files are read up to a limit, and folders not at all") {
  Sources sources;
  std::string path = std::string(TEENY_SOURCE_DIR) + "/test/Support/DiagnosticsTest.cpp", error;
  const Source *self = sources.readFile(path, error);
  REQUIRE(self);
  CHECK(error == "");
  CHECK(sources.find(path) == self);
  CHECK(self->text.size() == std::filesystem::file_size(path));
  CHECK_FALSE(sources.readFile(path, error, 100));
  CHECK(error == "larger than 100 bytes");
  CHECK_FALSE(sources.readFile("/dev/zero", error, 1 << 20));
  CHECK(error == "larger than 1048576 bytes");
  CHECK_FALSE(sources.readFile(TEENY_SOURCE_DIR, error));
  CHECK(error == "Is a directory");
  CHECK_FALSE(sources.readFile("no such file", error));
  CHECK(error == "No such file or directory");
}

TEST_CASE("nearest finds what was meant, and nothing that was not") {
  std::vector<std::string> words = {"inputs", "outputs", "params", "name", "BLOCK"};
  CHECK(nearest("input", words) == "inputs");
  CHECK(nearest("otuputs", words) == "outputs");
  CHECK(nearest("nmae", words) == "name");
  CHECK(nearest("block", words) == "BLOCK");
  CHECK(nearest("f23", {"f64", "f32", "i32"}) == "f32"); // two letters in the wrong order
  CHECK(nearest("bf61", {"f64", "f16", "bf16"}) == "bf16");
  CHECK(nearest("itn", {"int", "float"}) == "int");
  CHECK(nearest("outptu", {"out", "output"}) == "output");
  CHECK(nearest("arnge", {"range", "arange"}) == "arange"); // one letter either way
  CHECK(nearest("arnge", {"arange", "range"}) == "arange");
  CHECK(nearest("grid", words) == "");
  CHECK(nearest("", words) == "");
  CHECK(nearest("x", {"y"}) == "");
  CHECK(nearest("A", {"B", "Ab"}) == "Ab");
  CHECK(nearest(std::string(1 << 20, 'a'), {std::string(1 << 20, 'b')}) == "");
}

TEST_CASE("lists and counts in words") {
  CHECK(listed({}) == "");
  CHECK(listed({"a"}) == "'a'");
  CHECK(listed({"a", "b"}) == "'a' and 'b'");
  CHECK(listed({"a", "b", "c"}, false) == "a, b and c");
  CHECK(counted(1, "dim") == "1 dim");
  CHECK(counted(0, "dim") == "0 dims");
}

TEST_CASE("MLIR's diagnostics become ours") {
  mlir::MLIRContext context;
  Sources sources;
  const Source *json = sources.add("m.json", "{\"a\": \"some text\",\n \"b\": 12345}");
  const Source *kernel = sources.add("k.py", "x = helper(y)\n");
  Diagnostics diagnostics;
  {
    MLIRDiagnosticHandler handler(&context, diagnostics, sources);
    mlir::Location at = place(json, 1, 7, 11, "a").toMLIR(&context);
    mlir::Location other = place(json, 2, 7, 5, "b").toMLIR(&context);
    mlir::InFlightDiagnostic report = mlir::emitError(at);
    report << "wrong";
    report.attachNote(other) << "because of this";
    report.attachNote() << "hint: do it right";
    report.report();
    mlir::Location call = mlir::CallSiteLoc::get(place(kernel, 1, 5).toMLIR(&context), at);
    mlir::emitWarning(call) << "in a call";
    mlir::emitError(mlir::FusedLoc::get(&context, {other, at})) << "fused";
    mlir::emitError(mlir::FileLineColLoc::get(&context, "unknown.py", 3, 4)) << "elsewhere";
    mlir::emitError(mlir::UnknownLoc::get(&context)) << "nowhere";
  }
  CHECK(rendered(diagnostics) == R"(m.json:1:7: error: wrong
  1 | {"a": "some text",
    |       ^~~~~~~~~~~
  at a
  hint: do it right
m.json:2:7: note: because of this
  2 |  "b": 12345}
    |       ^~~~~
  at b
k.py:1:5: warning: in a call
  1 | x = helper(y)
    |     ^~~~~~
m.json:1:7: note: called from here
  1 | {"a": "some text",
    |       ^~~~~~~~~~~
  at a
m.json:2:7: error: fused
  2 |  "b": 12345}
    |       ^~~~~
  at b
error: loc("unknown.py":3:4): elsewhere
error: nowhere
)");
}
