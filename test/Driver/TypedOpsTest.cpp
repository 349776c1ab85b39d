// Typed operations as kernels on the CPU: a node of every kind against what NumPy computes, other
// element types and awkward sizes against the slow references, and fusion, which must not change a
// bit.
#include "OpModel.h"
#include "RunModel.h"

#include "Base/File.h"
#include "TensorFile/SafeTensors.h"

#include "llvm/ADT/StringRef.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace teeny;
using namespace teeny::test;

namespace {

const std::string fixtures = TEENY_SOURCE_DIR "/test/Graph/typed/";

// Compares elements: within `tolerance` of the wanted value, or of the largest one where that says
// more of how it was summed.
void compare(const HostTensor &got, const HostTensor &want, double tolerance) {
  REQUIRE(got.shape() == want.shape());
  REQUIRE(got.dtype() == want.dtype());
  double largest = 0, worst = 0;
  for (int64_t i = 0; i < want.elements(); ++i)
    if (std::isfinite(want.real(i)))
      largest = std::max(largest, std::abs(want.real(i)));
  for (int64_t i = 0; i < want.elements(); ++i) {
    double g = got.real(i), w = want.real(i);
    if (g == w || (std::isnan(g) && std::isnan(w)))
      continue;
    double error = std::abs(g - w) / largest;
    worst = std::max(worst, std::isnan(error) ? INFINITY : error);
  }
  CHECK(worst <= tolerance);
}

struct Graph {
  explicit Graph(const std::string &text) {
    std::span<const char> bytes(text);
    REQUIRE(writeFile(folder.path("model.json"), std::as_bytes(bytes)));
    compileModel(folder.path("model.json"), folder.path("model.bundle"), {}, {nativeTarget()});
  }
  NamedTensors run(const NamedTensors &inputs, const std::vector<std::string> &outputs) const {
    return runModel(folder, folder.path("model.bundle"), inputs, outputs);
  }
  void check(const NamedTensors &inputs, double tolerance) const {
    NamedTensors want = reference(folder.path("model.json"), inputs);
    std::vector<std::string> names;
    for (const auto &[name, tensor] : want)
      names.push_back(name);
    NamedTensors got = run(inputs, names);
    for (const std::string &name : names) {
      CAPTURE(name);
      compare(got.at(name), want.at(name), tolerance);
    }
  }
  Folder folder;
};

HostTensor random(std::vector<int64_t> shape, DType dtype) {
  static std::mt19937 engine(3);
  return floats(
      std::move(shape), [](int64_t) { return std::normal_distribution<float>()(engine); }, dtype);
}

} // namespace

TEST_CASE("kernels of a node of every kind against NumPy") {
  Result<MappedFile> file = MappedFile::open(fixtures + "typed_ops.safetensors");
  REQUIRE(file);
  Result<SafeTensors> tensors = SafeTensors::parse(file->bytes());
  REQUIRE(tensors);
  NamedTensors inputs, wanted;
  std::vector<std::string> names;
  for (const TensorView &view : tensors->tensors()) {
    llvm::StringRef name = view.name;
    HostTensor tensor(view.dtype, view.shape, view.data);
    if (name.consume_front("in."))
      inputs.emplace(name.str(), tensor);
    else if (name.consume_front("out."))
      wanted.emplace(name.str(), tensor), names.push_back(name.str());
  }
  Folder folder;
  compileModel(fixtures + "typed_ops.json", folder.path("model.bundle"));
  NamedTensors got = runModel(folder, folder.path("model.bundle"), inputs, names);
  for (const std::string &name : names) {
    CAPTURE(name);
    compare(got.at(name), wanted.at(name), 2e-6);
  }
}

TEST_CASE("sizes of 0, of 1, primes, and no dims at all, in every float type") {
  for (auto [type, tolerance] : {std::pair("f32", 2e-6), std::pair("f16", 2e-3),
                                 std::pair("bf16", 1.6e-2), std::pair("f64", 1e-6)}) {
    std::string text =
        R"({"teeny": 1, "name": "sizes", "dims": {"B": {"max": 64}, "N": {"max": 512}},
      "inputs": [{"name": "x", "dtype": "T", "shape": ["B", "N"]}, {"name": "b", "dtype": "T", "shape": ["N"]},
                 {"name": "s", "dtype": "T", "shape": []}],
      "nodes": [{"name": "a", "op": "add", "inputs": ["x", "b"]}, {"name": "r", "op": "silu", "inputs": ["a"]},
                {"name": "scaled", "op": "mul", "inputs": ["r", "s"]}, {"name": "one", "op": "exp", "inputs": ["s"]},
                {"name": "turned", "op": "transpose", "inputs": ["scaled"], "attrs": {"permutation": [1, 0]}},
                {"name": "back", "op": "slice", "inputs": ["turned"], "attrs": {"axis": 0, "step": -2}},
                {"name": "wide", "op": "pad", "inputs": ["x"], "attrs": {"low": [1, 0], "high": [0, 2], "value": 3}}],
      "outputs": ["scaled", "one", "turned", "back", "wide"]})";
    for (size_t place; (place = text.find("\"T\"")) != std::string::npos;)
      text.replace(place, 3, "\"" + std::string(type) + "\"");
    Graph graph(text);
    DType dtype = *dtypeByName(type);
    for (auto [b, n] : std::vector<std::pair<int64_t, int64_t>>{
             {0, 5}, {5, 0}, {1, 1}, {3, 7}, {2, 16}, {13, 131}, {64, 512}}) {
      CAPTURE(type, b, n);
      graph.check(
          {{"x", random({b, n}, dtype)}, {"b", random({n}, dtype)}, {"s", random({}, dtype)}},
          tolerance);
    }
  }
}

// Views, movements, reductions, products and comparisons; integers wrap. (N is at least 1: there is
// no largest of no elements.)
TEST_CASE("nodes of every family in every element type, at awkward sizes") {
  const std::string common = R"json(
      {"name": "flat", "op": "reshape", "inputs": ["x"], "attrs": {"shape": [-1]}},
      {"name": "rows", "op": "flatten", "inputs": ["image"], "attrs": {"start": 1}},
      {"name": "tall", "op": "unsqueeze", "inputs": ["x"], "attrs": {"axes": [1]}},
      {"name": "low", "op": "squeeze", "inputs": ["tall"], "attrs": {"axes": [1]}},
      {"name": "low2", "op": "add", "inputs": ["low", "x"]},
      {"name": "three", "op": "expand", "inputs": ["tall"], "attrs": {"shape": [-1, 3, -1]}},
      {"name": "turned", "op": "transpose", "inputs": ["image"], "attrs": {"permutation": [3, 0, 2, 1]}},
      {"name": "part", "op": "slice", "inputs": ["image"], "attrs": {"axis": 3, "start": 1, "end": 7, "step": 2}},
      {"name": "below", "op": "concat", "inputs": ["x", "y", "x"], "attrs": {"axis": 0}},
      {"name": "beside", "op": "concat", "inputs": ["y", "x"], "attrs": {"axis": 1}},
      {"name": "filled", "op": "pad", "inputs": ["x"], "attrs": {"low": [2, 0], "high": [0, 3], "value": 2}},
      {"name": "mirror", "op": "pad", "inputs": ["image"], "attrs": {"low": [0, 0, 1, 2], "high": [0, 0, 3, 1], "mode": "reflect"}},
      {"name": "edges", "op": "pad", "inputs": ["image"], "attrs": {"low": [0, 2, 1, 0], "high": [0, 1, 0, 3], "mode": "replicate"}},
      {"name": "round", "op": "pad", "inputs": ["image"], "attrs": {"low": [0, 1, 1, 2], "high": [0, 2, 3, 1], "mode": "circular"}},
      {"name": "total", "op": "sum", "inputs": ["x"]},
      {"name": "columns", "op": "sum", "inputs": ["x"], "attrs": {"axes": [0]}},
      {"name": "largest", "op": "max", "inputs": ["x"], "attrs": {"axes": [1], "keepdims": true}},
      {"name": "smallest", "op": "min", "inputs": ["image"], "attrs": {"axes": [1, 3]}},
      {"name": "where_largest", "op": "argmax", "inputs": ["image"], "attrs": {"axis": 2}},
      {"name": "square", "op": "matmul", "inputs": ["x", "y"], "attrs": {"transpose_b": true}},
      {"name": "batches", "op": "matmul", "inputs": ["three", "three"], "attrs": {"transpose_a": true}},
      {"name": "scalar", "op": "mul", "inputs": ["s", "s"]},
      {"name": "one", "op": "reshape", "inputs": ["scalar"], "attrs": {"shape": [1]}},
      {"name": "line", "op": "expand", "inputs": ["one"], "attrs": {"shape": ["N"]}},
      {"name": "sum", "op": "add", "inputs": ["x", "y"]}, {"name": "difference", "op": "sub", "inputs": ["x", "s"]},
      {"name": "product", "op": "mul", "inputs": ["x", "y"]}, {"name": "magnitude", "op": "abs", "inputs": ["x"]},
      {"name": "signs", "op": "sign", "inputs": ["y"]}, {"name": "lower", "op": "minimum", "inputs": ["x", "y"]},
      {"name": "upper", "op": "maximum", "inputs": ["x", "s"]}, {"name": "less", "op": "less", "inputs": ["x", "y"]},
      {"name": "other", "op": "not_equal", "inputs": ["x", "y"]}, {"name": "chosen", "op": "where", "inputs": ["less", "x", "y"]},
      {"name": "positive", "op": "relu", "inputs": ["x"]}, {"name": "as_f32", "op": "cast", "inputs": ["x"], "attrs": {"to": "f32"}},
      {"name": "as_i64", "op": "cast", "inputs": ["lower"], "attrs": {"to": "i64"}},
      {"name": "rest", "op": "mod", "inputs": ["x", 3]}, {"name": "sign_rest", "op": "fmod", "inputs": ["y", 3]})json";
  const std::string floatsOnly = R"json(,
      {"name": "average", "op": "mean", "inputs": ["x"], "attrs": {"axes": [-1]}},
      {"name": "clamped", "op": "clamp", "inputs": ["x"], "attrs": {"min": -1, "max": 1}},
      {"name": "down", "op": "floor", "inputs": ["x"]}, {"name": "soft", "op": "softmax", "inputs": ["x"]},
      {"name": "pooled", "op": "max_pool2d", "inputs": ["image"], "attrs": {"kernel": 2}},
      {"name": "smooth", "op": "avg_pool2d", "inputs": ["image"], "attrs": {"kernel": 3, "stride": 2, "padding": 1, "ceil": true}})json";
  const std::string integersOnly = R"json(,
      {"name": "multiplied", "op": "prod", "inputs": ["x"], "attrs": {"axes": [1]}},
      {"name": "either", "op": "bitwise_or", "inputs": ["x", "y"]}, {"name": "not", "op": "bitwise_not", "inputs": ["x"]},
      {"name": "negative", "op": "neg", "inputs": ["x"]})json";
  for (auto [type, tolerance] :
       {std::pair("f32", 3e-6), std::pair("f16", 2e-3), std::pair("bf16", 1.6e-2),
        std::pair("i32", 0.0)}) {
    DType dtype = *dtypeByName(type);
    std::string nodes = common + (isFloat(dtype) ? floatsOnly : integersOnly);
    std::string outputs;
    for (size_t at = 0; (at = nodes.find("{\"name\": ", at)) != std::string::npos; at += 9)
      outputs += (outputs.empty() ? "" : ", ") + nodes.substr(at + 9, nodes.find(',', at) - at - 9);
    std::string text =
        R"({"teeny": 1, "name": "families", "dims": {"B": {"max": 64}, "N": {"min": 1, "max": 512}},
      "inputs": [{"name": "x", "dtype": "T", "shape": ["B", "N"]}, {"name": "y", "dtype": "T", "shape": ["B", "N"]},
                 {"name": "image", "dtype": "T", "shape": ["B", 3, 5, 7]}, {"name": "s", "dtype": "T", "shape": []}],
      "nodes": [)" +
        nodes + "], \"outputs\": [" + outputs + "]}";
    for (size_t place; (place = text.find("\"T\"")) != std::string::npos;)
      text.replace(place, 3, "\"" + std::string(type) + "\"");
    Graph graph(text);
    auto any = [&, dtype = dtype](std::vector<int64_t> shape) {
      return isFloat(dtype) ? random(std::move(shape), dtype)
                            : randomIntegers(std::move(shape), dtype);
    };
    for (auto [b, n] : std::vector<std::pair<int64_t, int64_t>>{
             {0, 5}, {5, 1}, {1, 1}, {3, 7}, {2, 16}, {13, 131}}) {
      CAPTURE(type, b, n);
      graph.check(
          {{"x", any({b, n})}, {"y", any({b, n})}, {"image", any({b, 3, 5, 7})}, {"s", any({})}},
          tolerance);
    }
  }
}

// The same nodes, with an output between a product and what follows, so that nothing can be fused.
TEST_CASE("a fused epilogue does not change a bit") {
  for (const char *type : {"f32", "f16", "bf16"}) {
    auto model = [&](const std::string &outputs) {
      std::string text =
          R"({"teeny": 1, "name": "fused", "dims": {"B": {"min": 0, "max": 64}, "N": {"min": 1, "max": 256}},
        "inputs": [{"name": "x", "dtype": "T", "shape": ["B", 33]}, {"name": "w", "dtype": "T", "shape": ["N", 33]},
                   {"name": "b", "dtype": "T", "shape": ["N"]}, {"name": "skip", "dtype": "T", "shape": ["B", "N"]},
                   {"name": "image", "dtype": "T", "shape": ["B", 3, 9, 7]}, {"name": "f", "dtype": "T", "shape": [5, 3, 3, 3]},
                   {"name": "c", "dtype": "T", "shape": [5]}],
        "nodes": [{"name": "product", "op": "linear", "inputs": ["x"], "params": {"weight": "w"}},
                  {"name": "biased", "op": "add", "inputs": ["product", "b"]}, {"name": "r", "op": "silu", "inputs": ["biased"]},
                  {"name": "sum", "op": "add", "inputs": ["r", "skip"]},
                  {"name": "conv", "op": "conv2d", "inputs": ["image"], "params": {"weight": "f"}, "attrs": {"padding": 1}},
                  {"name": "cc", "op": "reshape", "inputs": ["c"], "attrs": {"shape": [5, 1, 1]}},
                  {"name": "cb", "op": "add", "inputs": ["conv", "cc"]}, {"name": "cr", "op": "gelu", "inputs": ["cb"]}],
        "outputs": [)" +
          outputs + "]}";
      for (size_t place; (place = text.find("\"T\"")) != std::string::npos;)
        text.replace(place, 3, "\"" + std::string(type) + "\"");
      return text;
    };
    Graph fused(model(R"("sum", "cr")")), apart(model(R"("sum", "cr", "product", "conv")"));
    DType dtype = *dtypeByName(type);
    for (auto [b, n] :
         std::vector<std::pair<int64_t, int64_t>>{{0, 3}, {1, 1}, {7, 31}, {64, 64}}) {
      CAPTURE(type, b, n);
      NamedTensors inputs = {{"x", random({b, 33}, dtype)},
                             {"w", random({n, 33}, dtype)},
                             {"b", random({n}, dtype)},
                             {"skip", random({b, n}, dtype)},
                             {"image", random({b, 3, 9, 7}, dtype)},
                             {"f", random({5, 3, 3, 3}, dtype)},
                             {"c", random({5}, dtype)}};
      NamedTensors one = fused.run(inputs, {"sum", "cr"}), other = apart.run(inputs, {"sum", "cr"});
      for (const char *name : {"sum", "cr"}) {
        CAPTURE(name);
        compare(one.at(name), other.at(name), 0);
      }
      fused.check(inputs, std::string(type) == "f32"   ? 3e-6
                          : std::string(type) == "f16" ? 4e-3
                                                       : 3e-2);
    }
  }
}
