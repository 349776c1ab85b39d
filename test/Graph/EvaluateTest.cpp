// Whole graphs by the slow references.
#include "Graph/Reference/Evaluate.h"
#include "Base/File.h"
#include "Graph/IR/Graph.h"
#include "Graph/Import/Import.h"
#include "Graph/Transforms/Passes.h"
#include "TensorFile/SafeTensors.h"

#include "mlir/Pass/PassManager.h"

#include <catch2/catch.hpp>

#include <random>

using namespace teeny;

namespace {

struct Model {
  explicit Model(const std::string &path) {
    std::string root = TEENY_SOURCE_DIR;
    ImportOptions options;
    options.opRoots = {root + "/test/Graph/files/roots"};
    module = importGraph(&context, root + "/" + path, sources, diagnostics, options);
    REQUIRE(module);
    mlir::PassManager passes(&context);
    passes.addPass(graph::createGraphInferShapes());
    REQUIRE(mlir::succeeded(passes.run(*module)));
  }
  std::string failure(const NamedTensors &inputs) {
    Result<NamedTensors> outputs = evaluateGraph(*module, inputs);
    return outputs ? "" : outputs.error().message;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  Sources sources;
  Diagnostics diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace

TEST_CASE("the detect_decode graph, with the anchors of its file") {
  Model model("graphs/detect_decode/detect_decode.json");
  Result<MappedFile> file =
      MappedFile::open(TEENY_SOURCE_DIR "/graphs/detect_decode/anchors.safetensors");
  REQUIRE(file);
  Result<SafeTensors> params = SafeTensors::parse(file->bytes());
  REQUIRE(params);
  auto param = [&](const char *name) {
    const TensorView *view = params->find(name);
    REQUIRE(view);
    return HostTensor(view->dtype, view->shape, view->data);
  };
  HostTensor x = param("anchor_x"), y = param("anchor_y"), stride = param("strides");

  int64_t B = 2, A = 8400;
  HostTensor ltrb(DType::f32, {B, 4, A});
  std::mt19937 random(1);
  std::uniform_real_distribution<float> distance(0, 10);
  for (int64_t i = 0; i < ltrb.elements(); ++i)
    ltrb.setReal(i, distance(random));
  Result<NamedTensors> outputs = evaluateGraph(*model.module, {{"ltrb", ltrb}});
  REQUIRE(outputs);
  REQUIRE(outputs->size() == 1);
  const HostTensor &boxes = outputs->at("boxes");
  REQUIRE(boxes.shape() == std::vector<int64_t>{B, 4, A});
  int wrong = 0;
  for (int64_t b = 0; b < B; ++b) {
    for (int64_t a = 0; a < A; ++a) {
      auto in = [&](int row) { return ltrb.real((b * 4 + row) * A + a); };
      double s = stride.real(a);
      double expected[] = {(x.real(a) + (in(2) - in(0)) / 2) * s,
                           (y.real(a) + (in(3) - in(1)) / 2) * s, (in(0) + in(2)) * s,
                           (in(1) + in(3)) * s};
      for (int row = 0; row < 4; ++row)
        wrong += boxes.real((b * 4 + row) * A + a) != Approx(expected[row]).epsilon(1e-6);
    }
  }
  CHECK(wrong == 0);

  Result<NamedTensors> none =
      evaluateGraph(*model.module, {{"ltrb", HostTensor(DType::f32, {0, 4, A})}});
  REQUIRE(none);
  CHECK(none->at("boxes").elements() == 0);
}

TEST_CASE("inputs that do not fit the graph") {
  Model model("graphs/detect_decode/detect_decode.json");
  CHECK(model.failure({}) == "input 'ltrb' is not given");
  CHECK(model.failure({{"ltrb", HostTensor(DType::f32, {1, 4})}}) ==
        "input 'ltrb' is f32[1, 4], the graph takes f32[B, 4, 8400]");
  CHECK(model.failure({{"ltrb", HostTensor(DType::f16, {1, 4, 8400})}}) ==
        "input 'ltrb' is f16[1, 4, 8400], the graph takes f32[B, 4, 8400]");
  CHECK(model.failure({{"ltrb", HostTensor(DType::f32, {1, 5, 8400})}}) ==
        "input 'ltrb' is f32[1, 5, 8400], the graph takes f32[B, 4, 8400]");
  CHECK(model.failure({{"ltrb", HostTensor(DType::f32, {65, 4, 8400})}}) ==
        "dim 'B' is 65, must be from 0 to 64");
}

TEST_CASE("dims are solved and requirements checked") {
  Model model("test/Graph/files/good.json");
  auto inputs = [](int64_t B, int64_t columns, int64_t K, int64_t open) {
    return NamedTensors{{"x", HostTensor(DType::f32, {B, columns})},
                        {"k", HostTensor(DType::f32, {B, K})},
                        {"open", HostTensor(DType::f32, {open, columns / 2})}};
  };
  Result<std::map<std::string, int64_t>> dims = solveDims(*model.module, inputs(3, 40, 8, 3));
  REQUIRE(dims);
  CHECK(*dims == std::map<std::string, int64_t>{{"A", 20}, {"B", 3}, {"K", 8}});
  auto failure = [&](const NamedTensors &given) {
    Result<std::map<std::string, int64_t>> dims = solveDims(*model.module, given);
    return dims ? "" : dims.error().message;
  };
  CHECK(failure(inputs(3, 40, 9, 3)) == "input 'k' is f32[3, 9], the graph takes f32[B, K]");
  CHECK(failure(inputs(3, 40, 8, 4)) == "input 'open' is f32[4, 20], the graph takes f32[B, A]");
  CHECK(failure(inputs(3, 42, 8, 3)) ==
        "dim 'A' is 21, must be from 2 to 4096 and a multiple of 2");
  CHECK(failure(inputs(3, 4096, 8, 3)) == "node 'halves': a row has at most 2048 elements");
  CHECK_THAT(failure(inputs(3, 41, 8, 3)), Catch::StartsWith("input 'x': "));
  CHECK(model.failure(inputs(3, 40, 8, 3)) == "op 'demo.split' has no reference");
}
