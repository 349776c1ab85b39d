// Typed operations by their references against what NumPy and SciPy compute
// (typed/make_fixtures.py), and the rules for NaN, which are PyTorch's.
#include "Graph/Reference/Pointwise.h"

#include "Base/File.h"
#include "Graph/IR/Graph.h"
#include "Graph/IR/NodeKinds.h"
#include "Graph/IR/Pointwise.h"
#include "Graph/Import/Import.h"
#include "Graph/Reference/Evaluate.h"
#include "Graph/Transforms/Passes.h"
#include "TensorFile/SafeTensors.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace teeny;

static const std::string folder = TEENY_SOURCE_DIR "/test/Graph/typed/";

TEST_CASE("a node of every kind against NumPy") {
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Sources sources;
  Diagnostics diagnostics;
  auto module = importGraph(&context, folder + "typed_ops.json", sources, diagnostics);
  std::string text;
  llvm::raw_string_ostream os(text);
  diagnostics.render(os);
  INFO(text);
  REQUIRE(module);
  llvm::StringSet<> seen;
  module->walk([&](graph::NodeOp node) { seen.insert(node.getKind()); });
  MLIRDiagnosticHandler handler(&context, diagnostics, sources);
  mlir::PassManager passes(&context);
  passes.addPass(graph::createGraphInferShapes());
  passes.addPass(graph::createGraphVerifyShapes());
  bool inferred = mlir::succeeded(passes.run(*module));
  diagnostics.render(os);
  REQUIRE(inferred);

  Result<MappedFile> file = MappedFile::open(folder + "typed_ops.safetensors");
  REQUIRE(file);
  Result<SafeTensors> fixtures = SafeTensors::parse(file->bytes());
  REQUIRE(fixtures);
  NamedTensors inputs, wanted;
  for (const TensorView &view : fixtures->tensors()) {
    llvm::StringRef name = view.name;
    HostTensor tensor(view.dtype, view.shape, view.data);
    if (name.consume_front("in."))
      inputs.emplace(name.str(), tensor);
    else if (name.consume_front("out."))
      wanted.emplace(name.str(), tensor);
  }
  Result<NamedTensors> found = evaluateGraph(*module, inputs);
  INFO((found ? "" : found.error().message));
  REQUIRE(found);
  REQUIRE(found->size() == wanted.size());
  for (const auto &[name, want] : wanted) {
    CAPTURE(name);
    const HostTensor &got = found->at(name);
    REQUIRE(got.shape() == want.shape());
    REQUIRE(got.dtype() == want.dtype());
    // Functions round once to f32, from nearly the same value; of several in a row each does.
    double largest = 0;
    for (int64_t i = 0; i < want.elements(); ++i)
      largest = std::max(largest, std::abs(want.real(i)));
    double margin = name.starts_with("m_") ? 1e-12 : 1e-6 * largest;
    int wrong = 0;
    for (int64_t i = 0; i < want.elements(); ++i)
      wrong += !(got.real(i) == Approx(want.real(i)).epsilon(3e-7).margin(margin));
    CHECK(wrong == 0);
  }
  // The fixtures forget no kind.
  for (const graph::NodeKind &kind : graph::nodeKinds()) {
    CAPTURE(kind.name);
    bool isTested = seen.contains(kind.name) || kind.name == "isnan" || kind.name == "isinf" ||
                    kind.name == "not_equal" || kind.name == "less_equal" ||
                    kind.name == "greater" || kind.name == "logical_or" ||
                    kind.name == "bitwise_and" || kind.name == "bitwise_or";
    CHECK(isTested);
  }
}

static Scalar apply(std::string_view function, std::vector<double> operands,
                    DType result = DType::f32,
                    const std::map<std::string, double> &parameters = {}) {
  std::vector<Scalar> scalars;
  for (double operand : operands)
    scalars.push_back(Scalar::ofReal(DType::f32, operand));
  return applyPointwise(function, scalars, parameters, result);
}

TEST_CASE("NaN and infinities in maps") {
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               inf = std::numeric_limits<double>::infinity();
  // PyTorch: what is no comparison passes NaN on.
  for (const graph::PointwiseFunction &function : graph::pointwiseFunctions()) {
    if (function.isPredicate || function.domain == graph::PointwiseFunction::integers ||
        function.operands == 3)
      continue;
    CAPTURE(function.name.str());
    std::map<std::string, double> parameters;
    for (const auto &parameter : function.parameters)
      parameters[parameter.name.str()] = parameter.defaultValue;
    double found = apply(std::string_view(function.name),
                         std::vector<double>(function.operands, nan), DType::f32, parameters)
                       .real;
    if (function.name == "sign")
      CHECK(found == 0);
    else
      CHECK(std::isnan(found));
  }
  CHECK(std::isnan(apply("maximum", {1, nan}).real));
  CHECK(std::isnan(apply("minimum", {nan, 1}).real));
  CHECK(apply("isnan", {nan}, DType::boolean).whole == 1);
  CHECK(apply("isnan", {inf}, DType::boolean).whole == 0);
  CHECK(apply("isinf", {-inf}, DType::boolean).whole == 1);
  CHECK(apply("not_equal", {nan, nan}, DType::boolean).whole == 1);
  CHECK(apply("less_equal", {1, 1}, DType::boolean).whole == 1);
  CHECK(apply("less_equal", {nan, 1}, DType::boolean).whole == 0);
  CHECK(apply("greater", {2, 1}, DType::boolean).whole == 1);
  CHECK(apply("relu", {-inf}).real == 0);
  CHECK(apply("silu", {-20}).real == Approx(-20 * std::exp(-20.0)).epsilon(1e-6));
  CHECK(apply("softplus", {1000}, DType::f32, {{"beta", 1}, {"threshold", 20}}).real == 1000);
}

TEST_CASE("each function rounds to its type") {
  Scalar third = applyPointwise(
      "div", std::vector<Scalar>{Scalar::ofReal(DType::f16, 1), Scalar::ofReal(DType::f16, 3)}, {},
      DType::f16);
  CHECK(third.real == 0.333251953125); // the nearest f16, 0x3555
  Scalar large = applyPointwise("mul", std::vector<Scalar>(2, Scalar::ofReal(DType::f16, 300)), {},
                                DType::f16);
  CHECK(std::isinf(large.real));
  Scalar wrapped =
      applyPointwise("add", std::vector<Scalar>(2, Scalar::ofWhole(DType::i8, 100)), {}, DType::i8);
  CHECK(wrapped.whole == -56);
  auto whole = [](std::string_view function, int64_t x, int64_t y) {
    return applyPointwise(
               function,
               std::vector<Scalar>{Scalar::ofWhole(DType::i32, x), Scalar::ofWhole(DType::i32, y)},
               {}, DType::i32)
        .whole;
  };
  CHECK(whole("bitwise_and", 12, 10) == 8);
  CHECK(whole("bitwise_or", 12, 10) == 14);
  CHECK(whole("fmod", INT32_MIN, -1) == 0);
  CHECK(whole("mod", -7, 3) == 2);
  CHECK(whole("fmod", -7, 3) == -1);
  CHECK(whole("mod", 5, 0) == 0);
}
