// What is said of a file without types: the exact text of what is wrong, and nothing of code that
// may be dead. Also what is listed of its functions.
#include "Language/Check.h"
#include "Language/FunctionText.h"

#include "mlir/IR/MLIRContext.h"

#include <catch2/catch.hpp>

using namespace teeny;

namespace {

const std::string imports = "import triton\nimport triton.language as tl\n";

// The lines of a file that begins with the imports, so that the first is line 3.
std::string checked(const std::string &text, const std::vector<std::string> &globals = {}) {
  Sources sources;
  Diagnostics diagnostics;
  mlir::MLIRContext context;
  std::vector<const Source *> list;
  for (const std::string &global : globals)
    list.push_back(sources.add("--global", global));
  bool ok =
      checkKernelFile(sources.add("k.py", imports + text), list, &context, sources, diagnostics);
  CHECK(ok == !diagnostics.hasErrors());
  std::string result;
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    result += std::to_string(diagnostic.location.line) + ":" +
              std::to_string(diagnostic.location.column) + ": " + diagnostic.message;
    if (!diagnostic.hint.empty())
      result += " [" + diagnostic.hint + "]";
    result += "\n";
  }
  return result;
}

// A kernel with parameters x, n and the constexpr B, and this body.
std::string body(const std::string &lines) {
  std::string text = "@triton.jit\ndef kernel(x, n, B: tl.constexpr):\n";
  for (llvm::StringRef rest = lines; !rest.empty();) {
    auto [line, more] = rest.split('\n');
    text += "    " + line.str() + "\n";
    rest = more;
  }
  return text;
}

} // namespace

TEST_CASE("mistakes in code that is always visited") {
  struct Row {
    const char *lines, *message;
  };
  const Row rows[] = {
      {"tl.lod(x)", "5:8: 'tl' has no 'lod' [did you mean 'tl.load'?]\n"},
      {"y = tl.load(x + m)", "5:21: 'm' is not defined\n"},
      {"tl.load(x, maks=None)", "5:5: tl.load has no parameter 'maks' [it takes tl.load(pointer, "
                                "mask=None, other=None, boundary_check=(), padding_option='', "
                                "cache_modifier='', eviction_policy='', volatile=False)]\n"},
      {"tl.program_id()", "5:5: tl.program_id needs 'axis' [it takes tl.program_id(axis)]\n"},
      {"tl.program_id(0, axis=0)",
       "5:5: tl.program_id was given 'axis' twice [it takes tl.program_id(axis)]\n"},
      {"tl.cdiv(n)", "5:5: tl.cdiv needs 'div' [it takes tl.cdiv(x, div)]\n"},
      {"f = lambda a: a", "5:9: 'lambda' is not in the language\n"},
      {"for i in range(3):\n    break", "6:9: 'break' is not in the language\n"},
      {"with tl.thing:\n    pass", "5:5: 'with' is not in the language\n"},
      {"a = 0 < n < 3", "5:9: comparisons cannot be chained [write 'a < b and b < c']\n"},
      {"import os", "5:5: 'import' inside a kernel is not in the language [import at the top of "
                    "the file]\n"},
      // Several in one function, in loops and in what follows them.
      {"for i in range(n):\n    tl.foo(i)\nbar(x)\ntl.store(x, baz)",
       "6:12: 'tl' has no 'foo'\n7:5: 'bar' is not defined\n8:17: 'baz' is not defined\n"},
      // Both sides of a condition that is certain to be one at run time.
      {"pid = tl.program_id(0)\nif pid < n:\n    tl.foo()\nelse:\n    tl.bar()",
       "7:12: 'tl' has no 'foo'\n9:12: 'tl' has no 'bar'\n"},
      {"pid = tl.program_id(0)\npid += B\nwhile pid < n:\n    tl.foo()\n    pid += 1",
       "8:12: 'tl' has no 'foo'\n"},
      {"v = tl.load(x).to(tl.int32)\na = foo if v else bar",
       "6:9: 'foo' is not defined\n6:23: 'bar' is not defined\n"},
      {"if tl.program_id(0) == 0:\n    return\ntl.foo()", "7:8: 'tl' has no 'foo'\n"},
  };
  for (const Row &row : rows) {
    INFO(row.lines);
    CHECK(checked(body(row.lines)) == row.message);
  }
}

TEST_CASE("code that may be dead is not judged") {
  for (const char *lines : {
           "if B == 3:\n    tl.foo()\n    lambda: 0",
           "if n is None:\n    foo()\nelse:\n    bar()",
           "pid = tl.program_id(0)\nif pid is None:\n    foo()",
           "if n:\n    return\nfoo()",
           "if B:\n    if n:\n        return\nelse:\n    pass\nfoo()",
           "return\nfoo()",
           "for i in tl.static_range(B):\n    foo()",
           "for i in tl.static_range(B):\n    if i:\n        return\nfoo()",
           "while B:\n    foo()",
           "a = foo() if B else 0",
           "a = B and foo()",
           "a = n is None or foo()",
           "a = [foo(i) for i in ()]",
           "pid = tl.program_id(0)\nif B:\n    pid = None\nif pid:\n    foo()",
           "if tl.program_id(0) == 0:\n    return\nelse:\n    return\nfoo()",
           // Attributes and calls of what is known only with types.
           "y = tl.load(x)\ny.whatever(1, 2, z=3)\nx.dtype.element_ty.bar\nn.value",
           "args = (0,)\ntl.program_id(*args)\ny = n(1)(2)",
           // Names that are set somewhere, Python's own, and the language's.
           "if B:\n    y = 0\ntl.store(x, y)\nz = min(n, len((1, 2)))\ntl.static_print(f'{z}')",
       }) {
    INFO(lines);
    CHECK(checked(body(lines)) == "");
  }
}

TEST_CASE("helpers are judged where certain code calls them") {
  const std::string vendor = "@triton.jit\n"
                             "def other_vendor(x):\n"
                             "    return tl.foo(x)\n";
  CHECK(checked(vendor + body("if B:\n    other_vendor(x)\n")) == "");
  // One that nobody mentions is there for other files.
  CHECK(checked(vendor + body("pass")) == "5:15: 'tl' has no 'foo'\n");
  const std::string helpers = "@triton.jit\n"
                              "def other_vendor(x):\n"
                              "    return tl.foo(x)\n"
                              "@triton.jit\n"
                              "def helper(x, y=0):\n"
                              "    return tl.bar(x)\n";
  CHECK(checked(helpers + body("helper(x)\nif B:\n    other_vendor(x)\n")) ==
        "8:15: 'tl' has no 'bar'\n");
  CHECK(checked(helpers + body("helper(x, 1, 2)\nif B:\n    other_vendor(x)\n")) ==
        "11:5: 'helper' takes at most 2 arguments, found 3 [it takes helper(x, y=...)]\n"
        "8:15: 'tl' has no 'bar'\n");
  CHECK(checked(helpers + body("helper(y=1)\nif B:\n    other_vendor(x)\n")) ==
        "11:5: 'helper' needs 'x' [it takes helper(x, y=...)]\n8:15: 'tl' has no 'bar'\n");
}

TEST_CASE("what a module level binds is known, unknown, or not there") {
  CHECK(checked("WIDTH = 16\nfrom triton.language import load\n" +
                body("load(x + WIDTH)\ntl.math.exp(x)")) == "");
  CHECK(checked("import os\nWIDTH = int(os.environ['W'])\n" +
                body("tl.load(x + WIDTH)\ntl.load(x - WIDTH)")) ==
        "7:17: the global 'WIDTH' is set by an expression of the host, which is not known at "
        "compile time; set it with --global WIDTH=VALUE if it is a constant\n");
  CHECK(checked("import os\nWIDTH = int(os.environ['W'])\n" + body("tl.load(x + WIDTH)"),
                {"WIDTH=16"}) == "");
  CHECK(checked(body("tl.load(x)"), {"WIDTH=16"}) == "1:1: 'k.py' does not mention 'WIDTH'\n");
}

TEST_CASE("syntax errors of every function, and the other errors of the others") {
  CHECK(checked("@triton.jit\ndef a(x):\n    y = = 1\n"
                "@triton.jit\ndef b(x):\n    a(x)\n    tl.foo()\n"
                "@triton.jit\ndef c(x:\n    pass\n"
                "def host():\n    return = 3\n") == "5:9: expected an expression, found '='\n"
                                                    "12:5: expected an expression, found 'pass'\n"
                                                    "9:8: 'tl' has no 'foo'\n");
}

TEST_CASE("a bracket that is not closed hides no other function") {
  CHECK(
      checked("@triton.jit\ndef a(x):\n    tl.load(x\n\n"
              "@triton.jit\ndef b(x):\n    y = [1,\n        2\n\n"
              "@triton.jit\ndef c(x):\n    tl.foo()\n") ==
      "5:14: expected ',' between arguments, or ')' to close the call, found the end of the "
      "line\n"
      "10:10: expected ',' between items, or ']' to close the bracket, found the end of the line\n"
      "14:8: 'tl' has no 'foo'\n");
}

TEST_CASE("a file must have kernels") {
  CHECK(checked("def host():\n    pass\n") ==
        "0:0: the file has no function decorated with @triton.jit\n");
}

TEST_CASE("functions are listed with what stands around them") {
  Sources sources;
  Diagnostics diagnostics;
  auto file = KernelFile::parse(sources.add("k.py", R"(import triton
import triton.language as tl

def configs():
    return []

@triton.jit
def helper(x):
    return x + 1

@triton.autotune(
    configs=[
        triton.Config({"BLOCK": 64, 'SPLIT': 2 ** 3}, num_warps=2),
        triton.Config(kwargs={}, num_stages=3, num_warps=8),
        make_config( 4,  "x" ),
    ],
    key=["n", 'stride'],
)
@triton.heuristics({"EVEN": lambda args: args["n"] % args["BLOCK"] == 0})
@triton.jit
def entry(x_ptr, n: tl.int64, stride, EVEN: tl.constexpr, BLOCK: tl.constexpr = 64, flag=None):
    helper(n)

@triton.autotune(configs=[c for c in configs()], key=[])
@triton.jit(do_not_specialize=["n"])
def computed(n):
    return

@triton.autotune(configs(), ["n"])
@triton.jit
def by_position(n):
    return None
)"),
                                diagnostics);
  REQUIRE(file);
  std::vector<FunctionDescription> functions = describeFunctions(*file);
  REQUIRE(functions.size() == 4);
  using Entries = TuneConfig::Entries;
  CHECK(functions[0].name == "helper");
  CHECK_FALSE(functions[0].isEntry);
  CHECK(functions[0].configs.empty());

  const FunctionDescription &entry = functions[1];
  CHECK((entry.isEntry && entry.line == 21));
  REQUIRE(entry.configs.size() == 3);
  CHECK(entry.configs[0].values == Entries{{"BLOCK", "64"}, {"SPLIT", "2 ** 3"}});
  CHECK(entry.configs[0].options == Entries{{"num_warps", "2"}});
  CHECK(entry.configs[1].values == Entries{});
  CHECK(entry.configs[1].options == Entries{{"num_stages", "3"}, {"num_warps", "8"}});
  CHECK(entry.configs[2].text == "make_config( 4, \"x\" )");
  CHECK(entry.key == std::vector<std::string>{"n", "stride"});
  CHECK(entry.heuristics == Entries{{"EVEN", "lambda args: args[\"n\"] % args[\"BLOCK\"] == 0"}});
  REQUIRE(entry.parameters.size() == 6);
  CHECK(entry.parameters[1].annotationText == "tl.int64");
  CHECK(entry.parameters[3].isConstexpr);
  CHECK(entry.parameters[4].defaultText == "64");
  CHECK(entry.parameters[5].defaultText == "None");

  CHECK((functions[2].isEntry && functions[2].configsText == "[c for c in configs()]"));
  CHECK((functions[3].isEntry && functions[3].configsText == "configs()"));
  CHECK(functions[3].key == std::vector<std::string>{"n"});
}

TEST_CASE("decorators that are not Triton's are skipped, with one note each") {
  const std::string text = "from runtime import libentry, libtuner\nimport wrappers\n"
                           "@libentry()\n@triton.autotune(configs=[], key=[])\n@triton.jit\n"
                           "def a(x):\n    pass\n"
                           "@libentry()\n@wrappers.twice[0](1,\n  2)\n@triton.jit\n"
                           "def b(x):\n    pass\n"
                           "@libentry()\ndef host():\n    pass\n"
                           "@libentry()\n@triton.jit\ndef c(x):\n    pass\n"
                           "@triton.jit\ndef d(x):\n    pass\n"
                           "d = libtuner(4)(triton.jit(d))\n";
  CHECK(checked(text) ==
        "5:2: the decorator 'libentry' is not Triton's, and is skipped, here and on 2 other "
        "functions\n"
        "11:2: the decorator 'wrappers.twice' is not Triton's, and is skipped\n"
        "26:5: the decorator 'libtuner' is not Triton's, and is skipped\n");
  Sources sources;
  Diagnostics diagnostics;
  REQUIRE(KernelFile::parse(sources.add("k.py", imports + text), diagnostics));
  CHECK(diagnostics.errorCount() == 0);
  REQUIRE(diagnostics.all().size() == 3);
  CHECK(diagnostics.all()[0].severity == Severity::note);
}

TEST_CASE("calls that do what decorators do are listed as these") {
  Sources sources;
  Diagnostics diagnostics;
  auto file = KernelFile::parse(sources.add("k.py", imports + R"(
def plain(x, n, BLOCK: tl.constexpr):
    pass

tuner = triton.autotune([triton.Config({"BLOCK": 64})], key=["n"])
first = triton.autotune(configs=[triton.Config({"BLOCK": 16}, num_warps=1)], key=["x"])(
    triton.jit(plain, debug=True))
second = tuner(triton.jit(plain))

@tuner
@triton.jit
def third(x, n, BLOCK: tl.constexpr):
    pass

third = triton.heuristics({"n": lambda args: 3})(third)
fourth = triton.heuristics({"BLOCK": lambda args: 4})(second)
)"),
                                diagnostics);
  REQUIRE(file);
  CHECK(diagnostics.all().empty());
  std::string listed;
  for (const FunctionDescription &function : describeFunctions(*file)) {
    listed += std::to_string(function.line) + " " + function.name;
    for (const TuneConfig &config : function.configs)
      listed += " BLOCK=" + config.values.at(0).second;
    for (const std::string &name : function.key)
      listed += " key=" + name;
    for (const auto &[name, rule] : function.heuristics)
      listed += " " + name + ": " + rule;
    listed += "\n";
  }
  CHECK(listed == "4 first BLOCK=16 key=x\n"
                  "4 second BLOCK=64 key=n\n"
                  "14 third BLOCK=64 key=n n: lambda args: 3\n"
                  "4 fourth BLOCK=64 key=n BLOCK: lambda args: 4\n");
}

TEST_CASE("many decorators and calls of decorators are read in little time") {
  std::string many, chain = "@triton.jit\ndef f0(x):\n    pass\n";
  for (int i = 0; i != 12; ++i)
    many += "@skip" + std::to_string(i) + "\n@triton.jit\ndef g" + std::to_string(i) +
            "(x):\n    pass\n";
  std::string notes = checked(many);
  CHECK(llvm::StringRef(notes).count('\n') == 10);
  CHECK(llvm::StringRef(notes).ends_with(
      "39:2: the decorator 'skip9' is not Triton's, and is skipped; so are 2 decorators more\n"));
  // Each is a copy of the one before it, under one decorator more, as far as copies go.
  for (int i = 0; i != 3000; ++i)
    chain += "f" + std::to_string(i + 1) + " = triton.jit(f" + std::to_string(i) + ")\n";
  Sources sources;
  Diagnostics diagnostics;
  auto file = KernelFile::parse(sources.add("k.py", imports + chain), diagnostics);
  REQUIRE(file);
  CHECK(file->find("f100"));
  CHECK_FALSE(file->find("f3000"));
}
