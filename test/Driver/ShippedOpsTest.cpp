// Every shipped op on the CPU against its slow reference, over awkward sizes and element types.
#include "RunModel.h"

#include "Base/File.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace teeny;
using namespace teeny::test;

namespace {

const std::string kernels = TEENY_SOURCE_DIR "/kernels";

struct Input {
  std::string name, dtype, shape; // as JSON
};

// A graph of one node that applies an op.
struct OpModel {
  OpModel(const std::string &op, const std::vector<Input> &inputs,
          const std::vector<std::string> &outputs, const std::string &dims,
          const std::string &attrs = "{}")
      : outputs(outputs) {
    std::string inputList, names, outputList;
    for (const Input &input : inputs) {
      inputList += (inputList.empty() ? "" : ", ") + std::string("{\"name\": \"") + input.name +
                   "\", \"dtype\": \"" + input.dtype + "\", \"shape\": " + input.shape + "}";
      names += (names.empty() ? "\"" : ", \"") + input.name + "\"";
    }
    for (const std::string &output : outputs)
      outputList += (outputList.empty() ? "\"" : ", \"") + output + "\"";
    std::string text = R"({"teeny": 1, "name": "model", "dims": )" + dims + R"(, "inputs": [)" +
                       inputList + R"(], "nodes": [{"name": "r", "op": ")" + op +
                       R"(", "inputs": [)" + names + R"(], "attrs": )" + attrs +
                       R"(}], "outputs": [)" + outputList + "]}";
    std::span<const char> bytes(text);
    REQUIRE(writeFile(folder.path("model.json"), std::as_bytes(bytes)));
    compileModel(folder.path("model.json"), folder.path("model.bundle"), {kernels});
  }

  // Runs both; every output must be within `tolerance` of the largest magnitude in it.
  void compare(const NamedTensors &inputs, double tolerance) const {
    NamedTensors got = runModel(folder, folder.path("model.bundle"), inputs, outputs);
    NamedTensors want = reference(folder.path("model.json"), inputs, {kernels});
    for (const std::string &name : outputs) {
      CAPTURE(name);
      REQUIRE(got.at(name).shape() == want.at(name).shape());
      double worst = 0, largest = 0;
      for (int64_t i = 0; i < want.at(name).elements(); ++i) {
        double value = want.at(name).real(i);
        largest = std::max(largest, std::abs(value));
        double error = std::abs(got.at(name).real(i) - value);
        worst = std::max(worst, std::isnan(error) ? INFINITY : error);
      }
      CHECK(worst <= tolerance * largest);
    }
  }

  std::vector<std::string> outputs;
  Folder folder;
};

// Reproducible, about normal.
HostTensor random(std::vector<int64_t> shape, DType dtype = DType::f32) {
  static std::mt19937 engine(1);
  return floats(
      std::move(shape), [](int64_t) { return std::normal_distribution<float>()(engine); }, dtype);
}

const std::string rows = R"({"M": {"min": 0, "max": 4096}, "N": {"min": 1, "max": 65536}})";
const std::vector<std::pair<int64_t, int64_t>> sizes = {{0, 5},    {1, 1},     {3, 17},  {2, 127},
                                                        {5, 1000}, {130, 130}, {3, 3001}};
// Roundings of the type that a result is stored in, plus those of sums in f32.
const std::vector<std::pair<std::string, double>> types = {
    {"f32", 2e-6}, {"f16", 1e-3}, {"bf16", 8e-3}};
DType typed(const std::string &name) { return *dtypeByName(name); }

} // namespace

TEST_CASE("basic.add") {
  for (auto [type, tolerance] : types) {
    OpModel model("basic.add", {{"x", type, "[\"N\"]"}, {"y", type, "[\"N\"]"}}, {"r"},
                  R"({"N": {"min": 0, "max": 100000}})");
    for (int64_t n : {0, 1, 3, 17, 1000, 1024, 5000})
      model.compare({{"x", random({n}, typed(type))}, {"y", random({n}, typed(type))}}, tolerance);
  }
}

TEST_CASE("reductions and scans of rows") {
  for (auto [type, tolerance] : types) {
    Input x = {"x", type, R"(["M", "N"])"};
    OpModel columnSum("basic.column_sum", {x}, {"r"}, rows);
    OpModel argmax("basic.argmax", {x}, {"r"}, rows);
    OpModel cumsum("basic.cumsum", {x}, {"r"}, rows);
    for (auto [m, n] : sizes) {
      CAPTURE(type, m, n);
      HostTensor value = random({m, n}, typed(type));
      columnSum.compare({{"x", value}}, 2e-6); // its result is f32
      argmax.compare({{"x", value}}, 0);
      cumsum.compare({{"x", value}}, tolerance);
    }
  }
}

TEST_CASE("softmax and norms of rows") {
  for (auto [type, tolerance] : types) {
    Input x = {"x", type, R"(["M", "N"])"}, weight = {"w", type, "[\"N\"]"},
          bias = {"b", type, "[\"N\"]"};
    OpModel softmax("nn.softmax", {x}, {"r"}, rows);
    OpModel layerNorm("nn.layer_norm", {x, weight, bias}, {"r.out", "r.mean", "r.rstd"}, rows);
    OpModel rmsNorm("nn.rms_norm", {x, weight}, {"r.out", "r.rstd"}, rows);
    for (auto [m, n] : sizes) {
      CAPTURE(type, m, n);
      NamedTensors one = {{"x", random({m, n}, typed(type))}};
      softmax.compare(one, tolerance);
      NamedTensors two = one;
      two.emplace("w", random({n}, typed(type)));
      rmsNorm.compare(two, tolerance);
      two.emplace("b", random({n}, typed(type)));
      if (n > 1) // a row of one has variance 0: the result is the bias, and rounding decides
        layerNorm.compare(two, 4 * tolerance);
    }
  }
}

TEST_CASE("linear.matmul") {
  const std::string dims =
      R"({"M": {"min": 0, "max": 4096}, "N": {"min": 1, "max": 4096}, "K": {"min": 0, "max": 4096}})";
  for (auto [type, tolerance] : types) {
    OpModel model("linear.matmul", {{"a", type, R"(["M", "K"])"}, {"b", type, R"(["K", "N"])"}},
                  {"r"}, dims);
    for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                           {0, 3, 2},
                           {4, 5, 0},
                           {17, 130, 127},
                           {64, 64, 32},
                           {65, 63, 33},
                           {130, 70, 100}}) {
      CAPTURE(type, m, n, k);
      model.compare({{"a", random({m, k}, typed(type))}, {"b", random({k, n}, typed(type))}},
                    tolerance);
    }
  }
}

TEST_CASE("attn.flash2") {
  const std::string dims = R"({"H": {"min": 1, "max": 64}, "Q": {"min": 1, "max": 4096},
                               "K": {"min": 0, "max": 4096}})";
  for (auto [type, tolerance] : types)
    for (const char *causal : {"false", "true"}) {
      std::string depth = type == "f32" ? "32" : "64";
      OpModel model("attn.flash2",
                    {{"q", type, "[\"H\", \"Q\", " + depth + "]"},
                     {"k", type, "[\"H\", \"K\", " + depth + "]"},
                     {"v", type, "[\"H\", \"K\", " + depth + "]"}},
                    {"r.out", "r.lse"}, dims,
                    std::string(R"({"scale": 0.125, "CAUSAL": )") + causal + "}");
      for (auto [q, k] : {std::pair<int64_t, int64_t>{1, 1}, {17, 130}, {130, 17}, {200, 200}}) {
        CAPTURE(type, causal, q, k);
        int64_t d = std::stoi(depth);
        model.compare({{"q", random({2, q, d}, typed(type))},
                       {"k", random({2, k, d}, typed(type))},
                       {"v", random({2, k, d}, typed(type))}},
                      2 * tolerance);
      }
    }
}
