// Shipped networks on the CPU against what PyTorch computes: files beside the graphs.
#include "RunModel.h"

#include "Base/File.h"
#include "Driver/Driver.h"
#include "TensorFile/Npy.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

using namespace teeny;
using namespace teeny::test;

namespace {

const std::string graphs = TEENY_SOURCE_DIR "/graphs/";

HostTensor readTensor(const std::string &path) {
  Result<MappedFile> file = MappedFile::open(path);
  REQUIRE(file);
  Result<NpyArray> array = parseNpy(file->bytes());
  REQUIRE(array);
  return {array->dtype, array->shape, array->data};
}

// The first elements along the first dim.
HostTensor firstOf(const HostTensor &tensor, int64_t count) {
  std::vector<int64_t> shape = tensor.shape();
  REQUIRE(count <= shape[0]);
  size_t bytes = tensor.bytes().size() / shape[0] * count;
  shape[0] = count;
  return {tensor.dtype(), shape, tensor.bytes().first(bytes)};
}

struct Network {
  std::string graph, input, inputs, output, outputs;
  double tolerance; // as a part of the largest magnitude
};
const std::vector<Network> networks = {
    {"digits/digits", "images", "digits/held_out_images", "logits", "digits/held_out_logits", 1e-5},
    {"digits/digits_f16", "images", "digits/held_out_images", "logits", "digits/held_out_logits",
     2e-3},
    {"mlp/mlp", "x", "mlp/inputs", "probabilities", "mlp/outputs", 1e-5},
    {"residual/residual", "images", "residual/inputs", "scores", "residual/outputs", 1e-5}};

} // namespace

TEST_CASE("shipped networks give what PyTorch gives") {
  for (const Network &network : networks) {
    Folder folder;
    const std::string bundle = folder.path("network.bundle");
    compileModel(graphs + network.graph + ".json", bundle, {}, {nativeTarget()});
    HostTensor inputs = readTensor(graphs + network.inputs + ".npy");
    HostTensor outputs = readTensor(graphs + network.outputs + ".npy");
    for (int64_t batch : {int64_t(0), int64_t(1), int64_t(7), int64_t(64), inputs.shape()[0]}) {
      CAPTURE(network.graph, batch);
      HostTensor got =
          runModel(folder, bundle, {{network.input, firstOf(inputs, batch)}}, {network.output})
              .at(network.output);
      HostTensor want = firstOf(outputs, batch);
      REQUIRE(got.shape() == want.shape());
      double worst = 0, largest = 0;
      for (int64_t i = 0; i < want.elements(); ++i) {
        double error = std::abs(got.real(i) - want.real(i));
        worst = std::max(worst, std::isnan(error) ? INFINITY : error);
        largest = std::max(largest, std::abs(want.real(i)));
      }
      CHECK(worst <= network.tolerance * largest);
    }
  }
}

TEST_CASE("digits.json reads more than 97 of 100 held-out scans") {
  Folder folder;
  const std::string bundle = folder.path("network.bundle");
  compileModel(graphs + "digits/digits.json", bundle, {}, {nativeTarget()});
  HostTensor images = readTensor(graphs + "digits/held_out_images.npy");
  HostTensor labels = readTensor(graphs + "digits/held_out_labels.npy");
  HostTensor logits = runModel(folder, bundle, {{"images", images}}, {"logits"}).at("logits");
  REQUIRE(labels.elements() >= 350);
  int64_t right = 0;
  for (int64_t i = 0; i < labels.elements(); ++i) {
    int64_t best = 0;
    for (int64_t digit = 1; digit < 10; ++digit)
      if (logits.real(10 * i + digit) > logits.real(10 * i + best))
        best = digit;
    right += best == labels.integer(i);
  }
  CHECK(right >= 0.97 * double(labels.elements()));
}

// Biases, batch norms, activations and sums are part of the launches before them.
TEST_CASE("a convolution, pool or linear layer is one launch") {
  for (auto [graph, launches] : {std::pair<const char *, size_t>{"digits/digits", 7},
                                 {"digits/digits_f16", 9}, // and casts at both ends
                                 {"mlp/mlp", 5},
                                 {"residual/residual", 5}}) {
    CAPTURE(graph);
    DumpOptions options;
    options.graph = {graphs + graph + ".json", {}};
    options.what = DumpOptions::What::launches;
    std::string text, errors;
    llvm::raw_string_ostream out(text), err(errors);
    INFO(errors);
    REQUIRE(dump(options, out, err) == ExitCode::success);
    CHECK(llvm::StringRef(text).count("\nlaunch ") <= launches);
  }
}
