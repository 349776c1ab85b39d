// The slow references of ops that have a backward: their results and gradients against what PyTorch
// computes, and the gradients against differences of the results. fixtures/make_gradients.py writes
// the cases, in f64; declarations say which ops compute gradients, and from what.
#include "Base/File.h"
#include "Graph/Reference/ReferenceOp.h"
#include "TensorFile/SafeTensors.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

using namespace teeny;
namespace fs = std::filesystem;
using Json = nlohmann::json;
using Tensors = std::map<std::string, HostTensor>;

namespace {

const fs::path kernels = TEENY_SOURCE_DIR "/kernels";

struct Case {
  Tensors operands, results, gradients;
  std::map<std::string, ReferenceAttr> attrs;
};

// By "op/number".
std::map<std::string, Case> loadCases() {
  Result<MappedFile> bytes =
      MappedFile::open(TEENY_SOURCE_DIR "/test/Graph/fixtures/gradients.safetensors");
  REQUIRE(bytes);
  Result<SafeTensors> file = SafeTensors::parse(bytes->bytes());
  REQUIRE(file);
  std::map<std::string, Case> cases;
  for (const TensorView &view : file->tensors()) {
    size_t first = view.name.find('/', view.name.find('/') + 1);
    size_t second = view.name.find('/', first + 1);
    Case &one = cases[view.name.substr(0, first)];
    std::string kind = view.name.substr(first + 1, second - first - 1);
    std::string name = view.name.substr(second + 1);
    HostTensor tensor(view.dtype, view.shape, view.data);
    if (kind == "operand")
      one.operands.emplace(name, tensor);
    else if (kind == "result")
      one.results.emplace(name, tensor);
    else if (kind == "gradient")
      one.gradients.emplace(name, tensor);
    else if (tensor.dtype() == DType::f64)
      one.attrs[name] = tensor.real(0);
    else if (tensor.dtype() == DType::boolean)
      one.attrs[name] = tensor.integer(0) != 0;
    else
      one.attrs[name] = tensor.integer(0);
  }
  return cases;
}

Json declaration(const std::string &op) {
  std::string path = op;
  std::replace(path.begin(), path.end(), '.', '/');
  return Json::parse(std::ifstream(kernels / (path + ".json")));
}

std::vector<Json> backwardsOf(const Json &declared) {
  Json list = declared.value("backward", Json::array());
  return list.is_array() ? list.get<std::vector<Json>>() : std::vector<Json>{list};
}

std::vector<std::string> namesOf(const Json &declared, std::vector<const char *> keys) {
  std::vector<std::string> names;
  for (const char *key : keys)
    for (const Json &tensor : declared.value(key, Json::array()))
      names.push_back(tensor["name"]);
  return names;
}

// The results of an op, of the types and shapes that `like` has.
Tensors run(const std::string &op, const Tensors &operands, const Case &one, const Tensors &like) {
  CAPTURE(op);
  ReferenceCall call;
  for (const auto &[name, tensor] : operands)
    call.operands[name] = &tensor;
  call.attrs = one.attrs;
  for (const auto &[name, tensor] : like)
    call.results.emplace(name, HostTensor(tensor.dtype(), tensor.shape()));
  ReferenceOp function = findReference(op);
  REQUIRE(function);
  function(call);
  return call.results;
}

// The largest difference, as a part of the largest magnitude; infinity if one is not finite.
double difference(const HostTensor &got, const HostTensor &want) {
  double worst = 0, largest = 1e-30;
  for (int64_t i = 0; i < want.elements(); ++i) {
    if (!std::isfinite(got.real(i)) || !std::isfinite(want.real(i)))
      return INFINITY;
    worst = std::max(worst, std::abs(got.real(i) - want.real(i)));
    largest = std::max(largest, std::abs(want.real(i)));
  }
  return worst / largest;
}

// What the backwards of an op make of the fixture's gradients, by the name of the operand.
Tensors gradientsOf(const Json &declared, const Case &one) {
  Tensors all;
  for (const Json &backward : backwardsOf(declared)) {
    Json other = declaration(backward["op"]);
    Tensors operands, like;
    for (const std::string &name : namesOf(other, {"inputs", "params"}))
      if (one.operands.contains(name))
        operands.emplace(name, one.operands.at(name));
      else if (one.results.contains(name))
        operands.emplace(name, one.results.at(name));
      else
        operands.emplace(name, one.gradients.at(name.substr(2)));
    for (const std::string &name : namesOf(other, {"outputs"}))
      like.emplace(name, one.operands.at(name.substr(2)));
    for (const auto &[name, gradient] : run(backward["op"], operands, one, like))
      all.emplace(name.substr(2), gradient);
  }
  return all;
}

// Of the sum of all results times their gradients, by central differences.
HostTensor differences(const std::string &op, const std::string &operand, const Case &one) {
  auto total = [&](const Tensors &operands) {
    double sum = 0;
    for (const auto &[name, result] : run(op, operands, one, one.results))
      if (one.gradients.contains(name))
        for (int64_t i = 0; i < result.elements(); ++i)
          sum += result.real(i) * one.gradients.at(name).real(i);
    return sum;
  };
  Tensors operands = one.operands;
  HostTensor &x = operands.at(operand), result(DType::f64, x.shape());
  for (int64_t i = 0; i < x.elements(); ++i) {
    double value = x.real(i), step = 1e-5 * std::max(1.0, std::abs(value));
    x.setReal(i, value + step);
    double above = total(operands);
    x.setReal(i, value - step);
    double below = total(operands);
    x.setReal(i, value);
    result.setReal(i, (above - below) / (2 * step));
  }
  return result;
}

} // namespace

TEST_CASE("results and gradients are PyTorch's, and gradients are slopes of the results") {
  for (const auto &[name, one] : loadCases()) {
    CAPTURE(name);
    std::string op = name.substr(0, name.find('/'));
    for (const auto &[result, value] : run(op, one.operands, one, one.results)) {
      CAPTURE(result);
      CHECK(difference(value, one.results.at(result)) < 1e-9);
    }
    for (const auto &[operand, value] : gradientsOf(declaration(op), one)) {
      CAPTURE(operand);
      REQUIRE(one.gradients.contains(operand));
      CHECK(difference(value, one.gradients.at(operand)) < 1e-9);
      // A row of a table that is left out has a slope all the same.
      auto padding = one.attrs.find("padding");
      if (padding == one.attrs.end() || std::get<int64_t>(padding->second) < 0)
        CHECK(difference(differences(op, operand, one), value) < 1e-6);
    }
  }
}

TEST_CASE("every declared backward has cases, for each of its gradients") {
  std::map<std::string, Case> cases = loadCases();
  int count = 0;
  for (const auto &entry : fs::recursive_directory_iterator(kernels)) {
    if (entry.path().extension() != ".json")
      continue;
    Json declared = Json::parse(std::ifstream(entry.path()));
    std::string op = declared["op"];
    for (const Json &backward : backwardsOf(declared)) {
      CAPTURE(op, backward.dump());
      REQUIRE(cases.contains(op + "/0"));
      CHECK(findReference(std::string(backward["op"])));
      for (const std::string &name : namesOf(declaration(backward["op"]), {"outputs"}))
        CHECK(cases.at(op + "/0").gradients.contains(name.substr(2)));
      ++count;
    }
  }
  CHECK(count > 0);
}
