// What is computed of params when compiling: batch norm goes into the convolution before it, and
// expressions of weights become weights. Numbers against the formulas, in f64.
#include "OpModel.h"

#include "Base/File.h"
#include "Bundle/BundleFile.h"
#include "TensorFile/SafeTensors.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace teeny;
using namespace teeny::test;

namespace {

// Without padding: x [B, C, H, W], w [O, C / groups, KH, KW]; then for each channel
// (r - mean) / sqrt(variance + eps) * scale + shift.
HostTensor formula(const HostTensor &x, const NamedTensors &params, int64_t groups, double eps) {
  const HostTensor &w = params.at("w");
  int64_t batch = x.shape()[0], height = x.shape()[2], width = x.shape()[3];
  int64_t filters = w.shape()[0], depth = w.shape()[1], rows = w.shape()[2], columns = w.shape()[3];
  int64_t oh = height - rows + 1, ow = width - columns + 1, place = 0;
  HostTensor out(x.dtype(), {batch, filters, oh, ow});
  auto param = [&](const char *name, int64_t channel, double otherwise) {
    auto found = params.find(name);
    return found == params.end() ? otherwise : found->second.real(channel);
  };
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t o = 0; o < filters; ++o)
      for (int64_t i = 0; i < oh; ++i)
        for (int64_t j = 0; j < ow; ++j) {
          double sum = param("bias", o, 0);
          for (int64_t d = 0; d < depth; ++d)
            for (int64_t r = 0; r < rows; ++r)
              for (int64_t c = 0; c < columns; ++c) {
                int64_t channel = o / (filters / groups) * depth + d;
                sum += x.real(((b * x.shape()[1] + channel) * height + i + r) * width + j + c) *
                       w.real(((o * depth + d) * rows + r) * columns + c);
              }
          double norm = (sum - param("mean", o, 0)) / std::sqrt(param("variance", o, 1) + eps);
          out.setReal(place++, norm * param("scale", o, 1) + param("shift", o, 0));
        }
  return out;
}

double largestError(const HostTensor &got, const HostTensor &want) {
  REQUIRE(got.shape() == want.shape());
  double largest = 0, worst = 0;
  for (int64_t i = 0; i < want.elements(); ++i) {
    largest = std::max(largest, std::abs(want.real(i)));
    worst = std::max(worst, std::abs(got.real(i) - want.real(i)));
  }
  return worst / largest;
}

struct Model {
  Folder folder;
  // `nodes` and `outputs` as JSON; each param becomes one of the graph.
  Model(const std::string &inputs, const NamedTensors &params, const std::string &nodes,
        const std::string &outputs) {
    std::vector<TensorView> views;
    std::string list;
    for (const auto &[name, tensor] : params) {
      views.push_back({name, tensor.dtype(), tensor.shape(), tensor.bytes()});
      std::string shape;
      for (int64_t size : tensor.shape())
        shape += (shape.empty() ? "" : ", ") + std::to_string(size);
      list += (list.empty() ? "" : ",\n    ") + std::string(R"({"name": ")") + name +
              R"(", "dtype": ")" + teeny::name(tensor.dtype()) + R"(", "shape": [)" + shape +
              R"(], "data": "w.safetensors#)" + name + "\"}";
    }
    Result<std::vector<std::byte>> file = writeSafeTensors(views, {});
    REQUIRE(file);
    REQUIRE(writeFile(folder.path("w.safetensors"), *file));
    std::string text = R"({"teeny": 1, "name": "fold", "dims": {"B": {"max": 9}},
  "inputs": [)" + inputs +
                       "],\n  \"params\": [" + list + "],\n  \"nodes\": [" + nodes +
                       "],\n  \"outputs\": [" + outputs + "]}";
    REQUIRE(writeFile(folder.path("model.json"), std::as_bytes(std::span(text))));
    compileModel(folder.path("model.json"), folder.path("model.bundle"), {}, {nativeTarget()});
  }
  size_t launches() const {
    return read([](const Manifest &m) { return m.launches.size(); });
  }
  size_t weights() const {
    return read([](const Manifest &m) {
      return std::count_if(m.buffers.begin(), m.buffers.end(), [](const ManifestBuffer &buffer) {
        return buffer.kind == ManifestBuffer::Kind::param;
      });
    });
  }

private:
  template <typename Count> size_t read(Count count) const {
    Result<BundleFile> bundle = BundleFile::open(folder.path("model.bundle"));
    REQUIRE(bundle);
    return count(bundle->manifest());
  }
};

HostTensor positive(std::vector<int64_t> shape, DType dtype) {
  HostTensor tensor = randomTensor(std::move(shape), dtype);
  for (int64_t i = 0; i < tensor.elements(); ++i)
    tensor.setReal(i, 0.3 + std::abs(tensor.real(i)));
  return tensor;
}

} // namespace

TEST_CASE("batch norm after a convolution costs no launch, whatever params it has") {
  struct Case {
    const char *type;
    int64_t channels, filters, groups;
    bool bias, affine;
    double tolerance;
  };
  for (const Case &c : {Case{"f32", 3, 8, 1, false, true, 1e-5},
                        {"f32", 5, 7, 1, true, true, 1e-5},
                        {"f32", 6, 6, 6, true, false, 1e-5},
                        {"f32", 4, 8, 2, false, false, 1e-5},
                        {"f16", 3, 8, 1, true, true, 5e-3},
                        {"bf16", 4, 4, 4, true, true, 4e-2}}) {
    CAPTURE(c.type, c.channels, c.filters, c.groups, c.bias, c.affine);
    DType type = *dtypeByName(c.type);
    NamedTensors params = {
        {"w", randomTensor({c.filters, c.channels / c.groups, 3, 2}, type)},
        {"mean", randomTensor({c.filters}, type)},
        {"variance", positive({c.filters}, type)},
    };
    if (c.bias)
      params.emplace("bias", randomTensor({c.filters}, type));
    if (c.affine) {
      params.emplace("scale", randomTensor({c.filters}, type));
      params.emplace("shift", randomTensor({c.filters}, type));
    }
    std::string nodes =
        std::string(
            R"({"name": "conv", "op": "conv2d", "inputs": ["x"], "params": {"weight": "w")") +
        (c.bias ? R"(, "bias": "bias")" : "") + R"(}, "attrs": {"groups": )" +
        std::to_string(c.groups) +
        R"(}},
      {"name": "norm", "op": "batch_norm", "inputs": ["conv"], "params": {"mean": "mean", "variance": "variance")" +
        (c.affine ? R"(, "weight": "scale", "bias": "shift")" : "") +
        R"(}, "attrs": {"eps": 0.001}})";
    std::string input = std::string(R"({"name": "x", "dtype": ")") + c.type +
                        R"(", "shape": ["B", )" + std::to_string(c.channels) + ", 6, 5]}";
    Model model(input, params, nodes, "\"norm\"");
    CHECK(model.launches() == 1);
    CHECK(model.weights() == 2); // the filter and what is added
    HostTensor x = randomTensor({4, c.channels, 6, 5}, type);
    NamedTensors got =
        runModel(model.folder, model.folder.path("model.bundle"), {{"x", x}}, {"norm"});
    CHECK(largestError(got.at("norm"), formula(x, params, c.groups, 0.001)) <= c.tolerance);

    // The convolution's own result is wanted too, so its filter has to stay as it is.
    Model both(input, params, nodes, "\"conv\", \"norm\"");
    NamedTensors plain = {{"w", params.at("w")}};
    if (c.bias)
      plain.emplace("bias", params.at("bias"));
    got = runModel(both.folder, both.folder.path("model.bundle"), {{"x", x}}, {"conv", "norm"});
    CHECK(largestError(got.at("conv"), formula(x, plain, c.groups, 0)) <= c.tolerance);
    CHECK(largestError(got.at("norm"), formula(x, params, c.groups, 0.001)) <= c.tolerance);
  }
}

TEST_CASE("expressions of params are params, through views") {
  NamedTensors params = {{"p", randomTensor({3, 4})},
                         {"q", positive({4, 3}, DType::f32)},
                         {"unread", randomTensor({100})}};
  Model model(R"({"name": "x", "dtype": "f32", "shape": ["B", 4, 3]})", params, R"(
      {"name": "turned", "op": "transpose", "inputs": ["p"], "attrs": {"permutation": [1, 0]}},
      {"name": "root", "op": "sqrt", "inputs": ["q"]},
      {"name": "factor", "op": "div", "inputs": ["turned", "root"]},
      {"name": "bent", "op": "tanh", "inputs": ["factor"]},
      {"name": "y", "op": "mul", "inputs": ["x", "bent"]})",
              "\"y\"");
  CHECK(model.launches() == 1);
  CHECK(model.weights() == 1); // without the one that nothing reads
  HostTensor x = randomTensor({5, 4, 3}), want(DType::f32, {5, 4, 3});
  for (int64_t i = 0; i < x.elements(); ++i) {
    int64_t row = i / 3 % 4, column = i % 3;
    double factor =
        params.at("p").real(column * 4 + row) / std::sqrt(params.at("q").real(row * 3 + column));
    want.setReal(i, x.real(i) * std::tanh(factor));
  }
  NamedTensors got = runModel(model.folder, model.folder.path("model.bundle"), {{"x", x}}, {"y"});
  CHECK(largestError(got.at("y"), want) <= 1e-6);
}
