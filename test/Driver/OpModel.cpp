#include "OpModel.h"

#include "Base/File.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>

using namespace teeny;
using namespace teeny::test;

static const std::string kernels = TEENY_SOURCE_DIR "/kernels";

static std::string joined(const std::vector<std::string> &items) {
  std::string list;
  for (const std::string &item : items)
    list += (list.empty() ? "" : ", ") + item;
  return list;
}

static std::string listOf(const std::vector<std::string> &items) {
  return "[" + joined(items) + "]";
}

static std::string quoted(const std::string &text) { return "\"" + text + "\""; }

OpModel::OpModel(const std::string &op, const std::vector<OpInput> &inputs,
                 const std::vector<std::string> &outputs, const std::string &dims,
                 const std::string &attrs,
                 const std::vector<std::pair<std::string, OpInput>> &params)
    : outputs(outputs) {
  std::vector<std::string> declared, names, paramNames, outputNames;
  auto declare = [&](const OpInput &input) {
    declared.push_back("{\"name\": " + quoted(input.name) + ", \"dtype\": " + quoted(input.dtype) +
                       ", \"shape\": " + input.shape + "}");
  };
  for (const OpInput &input : inputs) {
    declare(input);
    names.push_back(quoted(input.name));
  }
  for (const auto &[name, input] : params) {
    declare(input);
    paramNames.push_back(quoted(name) + ": " + quoted(input.name));
  }
  for (const std::string &output : outputs)
    outputNames.push_back(quoted(output));
  std::string text = R"({"teeny": 1, "name": "model", "dims": )" + dims + R"(, "inputs": )" +
                     listOf(declared) + R"(, "nodes": [{"name": "r", "op": )" + quoted(op) +
                     R"(, "inputs": )" + listOf(names) + R"(, "params": {)" + joined(paramNames) +
                     R"(}, "attrs": )" + attrs + R"(}], "outputs": )" + listOf(outputNames) + "}";
  std::span<const char> bytes(text);
  REQUIRE(writeFile(folder.path("model.json"), std::as_bytes(bytes)));
  compileModel(folder.path("model.json"), folder.path("model.bundle"), {kernels}, {nativeTarget()});
}

NamedTensors OpModel::compare(const NamedTensors &inputs, double tolerance) const {
  NamedTensors got = runModel(folder, folder.path("model.bundle"), inputs, outputs);
  NamedTensors want = reference(folder.path("model.json"), inputs, {kernels});
  for (const std::string &name : outputs) {
    CAPTURE(name);
    const HostTensor &result = got.at(name), &expected = want.at(name);
    REQUIRE(result.shape() == expected.shape());
    REQUIRE(result.dtype() == expected.dtype());
    if (!isFloat(expected.dtype())) {
      int64_t different = 0;
      for (int64_t i = 0; i < expected.elements(); ++i)
        different += result.integer(i) != expected.integer(i);
      CHECK(different == 0);
      continue;
    }
    double worst = 0, largest = 0;
    int64_t special = 0; // NaN or infinite in one and not the same in the other
    for (int64_t i = 0; i < expected.elements(); ++i) {
      double value = expected.real(i), found = result.real(i);
      if (!std::isfinite(value) || !std::isfinite(found)) {
        special += !(value == found || (std::isnan(value) && std::isnan(found)));
        continue;
      }
      largest = std::max(largest, std::abs(value));
      worst = std::max(worst, std::abs(found - value));
    }
    CHECK(special == 0);
    CHECK(worst <= tolerance * largest);
  }
  return got;
}

HostTensor teeny::test::randomTensor(std::vector<int64_t> shape, DType dtype) {
  static std::mt19937 engine(1);
  return floats(
      std::move(shape), [](int64_t) { return std::normal_distribution<float>()(engine); }, dtype);
}

HostTensor teeny::test::randomIntegers(std::vector<int64_t> shape, DType dtype) {
  static std::mt19937_64 engine(1);
  HostTensor tensor(dtype, std::move(shape));
  for (int64_t i = 0; i < tensor.elements(); ++i)
    tensor.setInteger(i, dtype == DType::i64 ? int64_t(engine()) : int32_t(engine()));
  return tensor;
}

DType teeny::test::typed(const std::string &name) { return *dtypeByName(name); }
