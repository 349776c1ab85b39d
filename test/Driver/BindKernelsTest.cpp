// How calls become launches: bindings, widths, aliasing, variants, sharing. Each test writes a
// graph, a declaration and a kernel, and looks at the module after bind-kernels or at what was
// reported.
#include "Base/File.h"
#include "Conversion/GraphToTile/PointerUses.h"
#include "Driver/Pipeline.h"
#include "Driver/TilePipeline.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <catch2/catch.hpp>

using namespace teeny;
using Catch::Contains;

namespace {

struct Model {
  std::string dims = R"("N": {"min": 0, "max": 1000})";
  std::string inputs = R"({"name": "x", "dtype": "f32", "shape": ["N"]})";
  std::string nodes = R"({"name": "y", "op": "op", "inputs": ["x"]})";
  std::string outputs = R"("y")";
  // Of the declaration.
  std::string dtypes = R"("T": ["f32", "f16"])";
  std::string opInputs = R"({"name": "a", "dtype": "T", "shape": ["N"]})";
  std::string rest = R"("attrs": {},)";
  std::string launches =
      R"("launches": [{"kernel": "k.py::k", "grid": [1], "args": {"p": "a", "q": "b", "n": "N"}}])";
  std::string kernel = R"(
@triton.jit
def k(p, q, n):
    i = tl.arange(0, 16)
    tl.store(q + i, tl.load(p + i, mask=i < n), mask=i < n)
)";
};

// The model after bind-kernels, as IR, or its errors.
struct Bound {
  llvm::SmallString<128> folder;
  std::unique_ptr<Pipeline> pipeline;
  std::string ir, errors;

  explicit Bound(const Model &model) {
    REQUIRE(!llvm::sys::fs::createUniqueDirectory("teeny-test", folder));
    put("model.json", R"({"teeny": 1, "name": "m", "dims": {)" + model.dims + R"(}, "inputs": [)" +
                          model.inputs + R"(], "ops": ["op.json"], "nodes": [)" + model.nodes +
                          R"(], "outputs": [)" + model.outputs + "]}");
    put("op.json", R"({"op": "op", "dtypes": {)" + model.dtypes + R"(}, "inputs": [)" +
                       model.opInputs +
                       R"(], "outputs": [{"name": "b", "dtype": "T", "shape": ["N"]}], )" +
                       model.rest + model.launches + "}");
    put("k.py", "import triton\nimport triton.language as tl\n" + model.kernel);
    pipeline.reset(new Pipeline({path("model.json"), {}, {}, false}));
    if (pipeline->run(Phase::bindKernels))
      ir = printIR(pipeline->module());
    llvm::raw_string_ostream os(errors);
    pipeline->diagnostics().render(os);
    INFO(errors);
    REQUIRE(ir.empty() == pipeline->diagnostics().hasErrors());
  }
  ~Bound() { llvm::sys::fs::remove_directories(folder); }

  std::string path(const std::string &name) { return (folder + "/" + name).str(); }
  void put(const std::string &name, const std::string &text) {
    REQUIRE(writeFile(path(name), std::as_bytes(std::span(text))));
  }
  size_t functions() const { return llvm::StringRef(ir).count("func.func"); }
};

} // namespace

TEST_CASE("an integer is as wide as its range asks, and carries it") {
  Model model;
  CHECK_THAT(Bound(model).ir,
             Contains(R"(i32 {tile.name = "n", tile.range = array<i64: 0, 1000>})"));
  model.dims = R"("N": {"min": 0, "max": 2147483647})";
  CHECK_THAT(Bound(model).ir, Contains("tile.range = array<i64: 0, 2147483647>"));
  model.dims = R"("N": {"min": 0, "max": 2147483648})";
  CHECK_THAT(Bound(model).ir,
             Contains(R"(i64 {tile.name = "n", tile.range = array<i64: 0, 2147483648>})"));
}

TEST_CASE("what is known when compiling is no argument") {
  Model model;
  model.inputs = R"({"name": "x", "dtype": "f32", "shape": [48]})";
  model.dims = "";
  Bound bound(model);
  CHECK_THAT(bound.ir, Contains("arith.constant 48 : i32") && !Contains("tile.name = \"n\""));
  CHECK_THAT(bound.ir, Contains("args [operand 0, result 0]"));
}

TEST_CASE("two functions only where an integer may but need not be a multiple of 16") {
  Model model;
  Bound both(model);
  CHECK(both.functions() == 2);
  CHECK_THAT(both.ir,
             Contains(R"(<when "N % 16 == 0" run @k_aligned)") && Contains("<run @k grid"));
  model.dims = R"("N": {"min": 0, "max": 1000, "multiple_of": 32})";
  Bound multiple(model);
  CHECK(multiple.functions() == 1);
  CHECK_THAT(multiple.ir, Contains("tile.divisibility = 32"));
  // An argument that is not used makes no difference.
  model = Model();
  model.kernel = R"(
@triton.jit
def k(p, q, n):
    i = tl.arange(0, 16)
    tl.store(q + i, tl.load(p + i))
)";
  CHECK(Bound(model).functions() == 1);
}

TEST_CASE("one function where @triton.jit says that alignment does not matter") {
  for (const char *keywords :
       {R"(do_not_specialize=["n"])", R"(do_not_specialize_on_alignment=("p", "n"))",
        "do_not_specialize=[2]", R"(repr=name, do_not_specialize_on_alignment=[0, 2])"}) {
    CAPTURE(keywords);
    Model model;
    model.kernel.replace(model.kernel.find("@triton.jit"), 11,
                         std::string("@triton.jit(") + keywords + ")");
    CHECK(Bound(model).functions() == 1);
  }
  Model model;
  model.kernel.replace(model.kernel.find("@triton.jit"), 11,
                       R"(@triton.jit(do_not_specialize=["p", 1]))");
  CHECK(Bound(model).functions() == 2);
}

TEST_CASE("sizes that a declaration names are dims like others") {
  Model model;
  model.rest = R"("attrs": {"W": {"type": "int", "default": 4}},
                  "sizes": {"HALF": "N // 2", "ROWS": "HALF // W + 1"},)";
  model.launches = R"("launches": [{"kernel": "k.py::k", "grid": ["ROWS"],
                      "args": {"p": "a", "q": "b", "n": "HALF + 1"}}])";
  model.kernel = R"(
@triton.jit(do_not_specialize=["n", "HALF", "ROWS"])
def k(p, q, n, HALF, ROWS, W: tl.constexpr):
    i = tl.arange(0, W)
    tl.store(q + i, tl.load(p + i, mask=i < n + HALF + ROWS), mask=i < n)
)";
  CHECK_THAT(Bound(model).ir,
             Contains(R"(run @k grid ["N // 8 + 1", 1, 1] args [operand 0, result 0, )"
                      R"(int "N // 2 + 1", int "N // 2", int "N // 8 + 1"])"));
}

TEST_CASE("memory is noalias only where one parameter reaches it") {
  Model model;
  model.opInputs += R"(, {"name": "c", "dtype": "T", "shape": ["N"]})";
  model.inputs += R"(, {"name": "z", "dtype": "f32", "shape": ["N"]})";
  model.launches = R"("launches": [{"kernel": "k.py::k", "grid": [1],
                      "args": {"p": "a", "r": "c", "q": "b"}}])";
  model.kernel = R"(
@triton.jit
def k(p, r, q):
    i = tl.arange(0, 16)
    tl.store(q + i, tl.load(p + i) + tl.load(r + i))
)";
  auto count = [](const Bound &bound) { return llvm::StringRef(bound.ir).count("tile.noalias"); };
  model.nodes = R"({"name": "y", "op": "op", "inputs": ["x", "z"]})";
  CHECK(count(Bound(model)) == 3);
  model.nodes = R"({"name": "y", "op": "op", "inputs": ["x", "x"]})";
  CHECK(count(Bound(model)) == 1);
}

TEST_CASE("equal specialisations share a function, others are numbered") {
  Model model;
  model.dims = R"("N": {"min": 0, "max": 1000, "multiple_of": 16})";
  model.nodes =
      R"({"name": "u", "op": "op", "inputs": ["x"]}, {"name": "y", "op": "op", "inputs": ["u"]})";
  CHECK(Bound(model).functions() == 1);
  model.rest = R"("attrs": {"W": {"type": "int", "default": 16}},)";
  model.launches =
      R"("launches": [{"kernel": "k.py::k", "grid": [1], "args": {"p": "a", "q": "b", "n": "N"}}])";
  model.kernel = R"(
@triton.jit
def k(p, q, n, W: tl.constexpr):
    i = tl.arange(0, W)
    tl.store(q + i, tl.load(p + i, mask=i < n), mask=i < n)
)";
  model.nodes = R"({"name": "u", "op": "op", "inputs": ["x"]},
                   {"name": "y", "op": "op", "inputs": ["u"], "attrs": {"W": 32}})";
  Bound two(model);
  CHECK(two.functions() == 2);
  CHECK_THAT(two.ir, Contains("func.func @k(") && Contains("func.func @k_2(") &&
                         Contains(R"(tile.function = "k")"));
}

TEST_CASE("implementations: types decide when compiling, dims at run time") {
  Model model;
  model.kernel = R"(
@triton.jit
def k(p, q, n):
    i = tl.arange(0, 16)
    tl.store(q + i, tl.load(p + i, mask=i < n), mask=i < n)


@triton.jit
def special(p, q):
    i = tl.arange(0, 32)
    tl.store(q + i, tl.load(p + i))
)";
  auto with = [&](const std::string &when) {
    model.rest =
        R"("variants": [{"when": ")" + when +
        R"(", "launches": [{"kernel": "k.py::special", "grid": [2], "args": {"p": "a", "q": "b"}}]}],)";
    return Bound(model).ir;
  };
  CHECK_THAT(with("T == f32"), Contains("@special") && !Contains("run @k "));
  CHECK_THAT(with("T == f16"), !Contains("@special") && Contains("run @k "));
  CHECK_THAT(with("N <= 1000"), Contains("@special") && !Contains("run @k "));
  CHECK_THAT(with("N > 1000"), !Contains("@special"));
  std::string atRunTime = with("N >= 500");
  CHECK_THAT(atRunTime,
             Contains("run @special grid [2, 1, 1]") && Contains("<run @k grid [1, 1, 1]"));
  CHECK(atRunTime.find("run @special") < atRunTime.find("run @k_aligned"));
}

TEST_CASE("grids: proved, required of a run, or refused") {
  Model model;
  auto with = [&](const std::string &grid) {
    model.launches = R"("launches": [{"kernel": "k.py::k", "grid": [)" + grid +
                     R"(], "args": {"p": "a", "q": "b", "n": "N"}}])";
    return std::make_unique<Bound>(model);
  };
  CHECK_THAT(with(R"j("cdiv(N, 16)", "N")j")->ir,
             Contains("tile.grid_max = array<i64: 63, 1000, 1>") && !Contains("graph.require"));
  // By its parts the size may be 100000, but no N gives that.
  CHECK_THAT(with(R"j(1, "min(N * 100, 100 * (1000 - N))")j")->ir, Contains("graph.require"));
  CHECK_THAT(with(R"("N - 10")")->ir, Contains("graph.require") && Contains("is not negative"));
  CHECK_THAT(
      with(R"(1, "70 * N")")->errors,
      Contains("axis y of the grid may need 70000 programs, but devices launch at most 65535") &&
          Contains("in this call the size is 70*N, where 'N' may be 0 to 1000"));
  CHECK_THAT(with(R"("N - 2000")")->errors, Contains("axis x of the grid is negative"));
}

TEST_CASE("an output in the memory of an input that nothing else needs") {
  Model model;
  model.rest = R"("aliases": {"b": "a"},)";
  model.launches =
      R"("launches": [{"kernel": "k.py::k", "grid": [1], "args": {"q": "b", "n": "N"}}])";
  model.kernel = R"(
@triton.jit
def k(q, n):
    i = tl.arange(0, 16)
    tl.store(q + i, tl.load(q + i, mask=i < n) * 2, mask=i < n)
)";
  // A node that makes memory of its own comes first.
  CHECK_THAT(Bound(model).errors,
             Contains("takes over the memory of 'a', which is an input or param"));
}

TEST_CASE("declared integer types hold the values") {
  Model model;
  model.kernel = R"(
@triton.jit
def k(p, q, n: tl.int8):
    i = tl.arange(0, 16)
    tl.store(q + i, tl.load(p + i, mask=i < n), mask=i < n)
)";
  CHECK_THAT(Bound(model).errors,
             Contains("parameter 'n' is declared as int8, but N may be 0 to 1000"));
  model.dims = R"("N": {"min": 0, "max": 100})";
  CHECK_THAT(Bound(model).ir, Contains(R"(i8 {tile.name = "n")"));
}

TEST_CASE("which arguments a kernel reads and writes") {
  Model model;
  model.launches =
      R"("launches": [{"kernel": "k.py::k", "grid": [1], "args": {"p": "a", "q": "b", "n": "N"}}])";
  auto usesOf = [&](const std::string &body) {
    model.kernel = "\n@triton.jit\ndef k(p, q, n):\n    i = tl.arange(0, 16)\n" + body;
    Bound bound(model);
    REQUIRE(bound.errors == "");
    mlir::func::FuncOp kernel = *bound.pipeline->module().getOps<mlir::func::FuncOp>().begin();
    std::string text;
    auto uses = findPointerUses(kernel);
    REQUIRE(mlir::succeeded(uses));
    for (const PointerUses &use : *uses)
      text += std::string(use.read ? "r" : "-") + (use.written ? "w " : "- ");
    return text;
  };
  // Two pointers carried by one loop stay apart.
  CHECK(usesOf("    x = p + i\n    y = q + i\n"
               "    for _ in range(0, n):\n"
               "        tl.store(y, tl.load(x))\n"
               "        x += 16\n        y += 16\n") == "r- -w -- ");
  CHECK(usesOf("    tl.atomic_add(q + i, tl.load(p + i))\n") == "r- rw -- ");
  CHECK(usesOf("    tl.store(q + i, tl.load(tl.where(i < n, q + i, q + i + 16)))\n") ==
        "-- rw -- ");
}
