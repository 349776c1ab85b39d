// Softmax, norms and cross entropy of rows with their gradients, on the CPU against the slow
// references.
#include "OpModel.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace teeny;
using namespace teeny::test;

namespace {

using Shape = std::pair<int64_t, int64_t>;
// Columns that a model allows: some variants of kernels in each type.
struct Columns {
  int64_t min, max;
  std::string dims() const {
    return R"({"M": {"max": 4096}, "N": {"min": )" + std::to_string(min) + R"(, "max": )" +
           std::to_string(max) + "}}";
  }
  bool have(int64_t n) const { return min <= n && n <= max; }
};
const std::map<std::string, Columns> columns = {
    {"f32", {129, 4096}}, {"f16", {1, 128}}, {"bf16", {4097, 65536}}};
// For every variant, and more rows than partial sums.
const std::vector<Shape> sizes = {{0, 5},    {1, 1},    {3, 127}, {300, 65},
                                  {3, 1000}, {5, 1025}, {2, 5003}};

OpInput matrix(const char *name, const std::string &type) { return {name, type, R"(["M", "N"])"}; }
OpInput ofRows(const char *name, const std::string &type) { return {name, type, "[\"M\"]"}; }
OpInput ofColumns(const char *name, const std::string &type) { return {name, type, "[\"N\"]"}; }

// Reproducible, from 0.5 to 1.5.
HostTensor scales(int64_t n) {
  return floats({n}, [](int64_t i) { return 0.5f + float(i * 37 % 101) / 101; });
}

} // namespace

TEST_CASE("softmax and norms of rows") {
  for (auto [type, tolerance] : floatTypes) {
    const std::string rows = columns.at(type).dims();
    OpInput x = matrix("x", type), weight = ofColumns("w", type), bias = ofColumns("b", type);
    OpModel softmax("nn.softmax", {x}, {"r"}, rows);
    OpModel layerNorm("nn.layer_norm", {x, weight, bias}, {"r.out", "r.mean", "r.rstd"}, rows);
    OpModel rmsNorm("nn.rms_norm", {x, weight}, {"r.out", "r.rstd"}, rows);
    for (auto [m, n] : sizes) {
      if (!columns.at(type).have(n))
        continue;
      CAPTURE(type, m, n);
      NamedTensors inputs = {{"x", randomTensor({m, n}, typed(type))}};
      softmax.compare(inputs, tolerance);
      inputs.emplace("w", randomTensor({n}, typed(type)));
      rmsNorm.compare(inputs, tolerance);
      inputs.emplace("b", randomTensor({n}, typed(type)));
      if (n > 1) // a row of one has variance 0: the result is the bias, and rounding decides
        layerNorm.compare(inputs, 4 * tolerance);
      if (m == 3) { // the first row is NaN by an infinity, the second by NaN; -inf gives 0
        HostTensor x = inputs.at("x");
        x.setReal(n - 1, INFINITY);
        x.setReal(n, NAN);
        x.setReal(2 * n, -INFINITY);
        softmax.compare({{"x", x}}, tolerance);
      }
    }
  }
}

TEST_CASE("gradients of softmax and of norms of rows") {
  for (auto [type, tolerance] : floatTypes) {
    const std::string rows = columns.at(type).dims();
    OpModel softmax("nn.softmax_backward", {matrix("y", type), matrix("d", type)}, {"r"}, rows);
    OpInput x = matrix("x", type), weight = ofColumns("w", type), mean = ofRows("m", "f32"),
            rstd = ofRows("s", "f32"), gradient = matrix("d", type);
    OpModel layerNorm("nn.layer_norm_backward", {x, weight, mean, rstd, gradient},
                      {"r.d_x", "r.d_weight", "r.d_bias"}, rows);
    OpModel rmsNorm("nn.rms_norm_backward", {x, weight, rstd, gradient}, {"r.d_x", "r.d_weight"},
                    rows);
    for (auto [m, n] : sizes) {
      if (!columns.at(type).have(n))
        continue;
      CAPTURE(type, m, n);
      HostTensor d = randomTensor({m, n}, typed(type));
      softmax.compare({{"y", randomTensor({m, n}, typed(type))}, {"d", d}}, 4 * tolerance);
      NamedTensors inputs = {{"x", randomTensor({m, n}, typed(type))},
                             {"w", randomTensor({n}, typed(type))},
                             {"s", scales(m)},
                             {"d", d}};
      rmsNorm.compare(inputs, 4 * tolerance);
      inputs.emplace("m", randomTensor({m}));
      layerNorm.compare(inputs, 4 * tolerance);
    }
  }
}

TEST_CASE("nn.cross_entropy and its gradient") {
  for (auto [type, tolerance] : floatTypes) {
    const std::string rows = columns.at(type).dims(), label = type == "f16" ? "i32" : "i64";
    OpModel forward("nn.cross_entropy", {matrix("x", type), ofRows("c", label)},
                    {"r.loss", "r.lse"}, rows);
    OpModel backward(
        "nn.cross_entropy_backward",
        {matrix("x", type), ofRows("c", label), ofRows("l", "f32"), ofRows("d", "f32")}, {"r"},
        rows);
    for (auto [m, n] : {Shape{0, 5}, {1, 1}, {7, 17}, {6, 131}, {3, 1031}, {5, 5003}}) {
      if (!columns.at(type).have(n))
        continue;
      CAPTURE(type, m, n);
      // Among the labels one to ignore, one beyond the columns, one below 0.
      HostTensor labels(typed(label), {m});
      for (int64_t i = 0; i < m; ++i)
        labels.setInteger(i, i == 2 ? -100 : i == 3 ? n : i == 4 ? -1 : (i * 31 + n - 1) % n);
      NamedTensors inputs = {{"x", randomTensor({m, n}, typed(type))}, {"c", labels}};
      NamedTensors saved = forward.compare(inputs, 4e-6); // results are f32
      inputs.emplace("l", saved.at("r.lse"));
      inputs.emplace("d", randomTensor({m}));
      backward.compare(inputs, 2 * tolerance);
    }
  }
}
