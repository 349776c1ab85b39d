// The slow references of the core ops against what PyTorch computes: fixtures/core_ops.safetensors,
// which fixtures/make.py writes.
#include "Base/File.h"
#include "Graph/Reference/ReferenceOp.h"
#include "TensorFile/SafeTensors.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace teeny;

namespace {

// In the order of a case's "attrs"; as in fixtures/make.py.
const std::map<std::string, std::vector<std::string>> attrNames = {
    {"conv2d",
     {"STRIDE_H", "STRIDE_W", "PAD_TOP", "PAD_LEFT", "PAD_BOTTOM", "PAD_RIGHT", "DILATION_H",
      "DILATION_W", "GROUPS"}},
    {"pool2d",
     {"KERNEL_H", "KERNEL_W", "STRIDE_H", "STRIDE_W", "PAD_TOP", "PAD_LEFT", "PAD_BOTTOM",
      "PAD_RIGHT", "DILATION_H", "DILATION_W", "COUNT_PAD", "CEIL"}},
    {"matmul", {"TA", "TB"}},
    {"reduce", {}},
    {"arg_reduce", {}}};
const std::vector<std::string> flags = {"TA", "TB", "COUNT_PAD", "CEIL"};

HostTensor tensorOf(const TensorView &view) { return {view.dtype, view.shape, view.data}; }

// The largest difference, as a part of the largest magnitude; infinity if a NaN or an infinity is
// not where one is expected.
double difference(const HostTensor &got, const HostTensor &want) {
  double worst = 0, largest = 0;
  for (int64_t i = 0; i < want.elements(); ++i) {
    double a = got.real(i), b = want.real(i);
    if (!std::isfinite(a) || !std::isfinite(b)) {
      if (a != b && !(std::isnan(a) && std::isnan(b)))
        return INFINITY;
      continue;
    }
    worst = std::max(worst, std::abs(a - b));
    largest = std::max(largest, std::abs(b));
  }
  return worst == 0 ? 0 : worst / largest;
}

// "conv2d.plain.3": op, kind, number.
void check(const SafeTensors &file, const std::string &name, std::map<std::string, int> &counts) {
  std::string op = name.substr(0, name.find('.'));
  std::string kind = name.substr(op.size() + 1, name.rfind('.') - op.size() - 1);
  ReferenceOp function = findReference("core." + op);
  REQUIRE(function);
  HostTensor x = tensorOf(*file.find(name + "/x")), want = tensorOf(*file.find(name + "/out"));
  HostTensor attrs = tensorOf(*file.find(name + "/attrs")), w;
  ReferenceCall call;
  call.attrs["KIND"] = kind;
  bool isMatmul = op == "matmul";
  call.operands[isMatmul ? "a" : "x"] = &x;
  if (const TensorView *view = file.find(name + "/w")) {
    w = tensorOf(*view);
    call.operands[isMatmul ? "b" : "w"] = &w;
  }
  const std::vector<std::string> &names = attrNames.at(op);
  REQUIRE(attrs.elements() == int64_t(names.size()));
  for (size_t i = 0; i < names.size(); ++i)
    if (std::find(flags.begin(), flags.end(), names[i]) != flags.end())
      call.attrs[names[i]] = attrs.integer(i) != 0;
    else
      call.attrs[names[i]] = attrs.integer(i);
  call.results.emplace("out", HostTensor(want.dtype(), want.shape()));
  function(call);
  CHECK(difference(call.result("out"), want) <= (isFloat(want.dtype()) ? 1e-6 : 0));
  ++counts[op];
}

} // namespace

TEST_CASE("references of core ops agree with PyTorch") {
  Result<MappedFile> bytes =
      MappedFile::open(TEENY_SOURCE_DIR "/test/Graph/fixtures/core_ops.safetensors");
  REQUIRE(bytes);
  Result<SafeTensors> file = SafeTensors::parse(bytes->bytes());
  REQUIRE(file);
  std::map<std::string, int> counts;
  for (const TensorView &tensor : file->tensors())
    if (size_t end = tensor.name.find("/out"); end != std::string::npos) {
      CAPTURE(tensor.name);
      check(*file, tensor.name.substr(0, end), counts);
    }
  for (const auto &[op, names] : attrNames) {
    CAPTURE(op);
    CHECK(counts[op] >= 10);
  }
}
