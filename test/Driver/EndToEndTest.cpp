// Models from their files to numbers: compiled by the driver, run by teeny-run on the CPU, compared
// with the slow reference or with the formula.
#include "RunModel.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>
#include <random>

using namespace teeny;
using namespace teeny::test;

namespace {

const std::string sourceDir = TEENY_SOURCE_DIR;

bool sameBytes(const HostTensor &a, const HostTensor &b) {
  return a.shape() == b.shape() && a.dtype() == b.dtype() &&
         std::memcmp(a.bytes().data(), b.bytes().data(), a.bytes().size()) == 0;
}

// The same for models of one input and one output.
HostTensor runModel(const Folder &folder, const std::string &bundle, const std::string &input,
                    const HostTensor &value, const std::string &output,
                    std::vector<std::string> more = {}) {
  return test::runModel(folder, bundle, {{input, value}}, {output}, std::move(more)).at(output);
}
HostTensor reference(const std::string &graph, const std::string &input, const HostTensor &value,
                     const std::string &output) {
  return test::reference(graph, {{input, value}}).at(output);
}

} // namespace

TEST_CASE("detect_decode gives the reference's boxes for every batch") {
  Folder folder;
  const std::string graph = sourceDir + "/graphs/detect_decode/detect_decode.json";
  const std::string bundle = folder.path("detect_decode.bundle");
  compileModel(graph, bundle);
  const int64_t anchors = 8400;
  std::mt19937 random(1);

  for (int64_t batch : {0, 1, 3, 7, 64}) {
    CAPTURE(batch);
    // Distances in steps of 1/64 cell: every operation of the kernel is exact in f32, so the
    // results must be the reference's to the bit.
    HostTensor exact = floats({batch, 4, anchors}, [&](int64_t) {
      return float(std::uniform_int_distribution<int>(0, 1024)(random)) / 64;
    });
    HostTensor boxes = runModel(folder, bundle, "ltrb", exact, "boxes");
    REQUIRE(boxes.shape() == std::vector<int64_t>{batch, 4, anchors});
    CHECK(sameBytes(boxes, reference(graph, "ltrb", exact, "boxes")));

    // Any distances: at most four roundings, of values up to 640 + 16 * 32 pixels.
    HostTensor distances = floats({batch, 4, anchors}, [&](int64_t) {
      return std::uniform_real_distribution<float>(0, 16)(random);
    });
    HostTensor expected = reference(graph, "ltrb", distances, "boxes");
    boxes = runModel(folder, bundle, "ltrb", distances, "boxes");
    double worst = 0;
    for (int64_t i = 0; i < boxes.elements(); ++i)
      worst = std::max(worst, std::abs(boxes.real(i) - expected.real(i)));
    CHECK(worst <= 4 * std::ldexp(640 + 16 * 32, -24));
  }
}

TEST_CASE("every level of x86-64 and any number of threads give the same boxes") {
  Folder folder;
  const std::string bundle = folder.path("detect_decode.bundle");
  compileModel(sourceDir + "/graphs/detect_decode/detect_decode.json", bundle);
  std::mt19937 random(2);
  HostTensor distances = floats(
      {5, 4, 8400}, [&](int64_t) { return std::uniform_real_distribution<float>(0, 16)(random); });
  HostTensor first = runModel(folder, bundle, "ltrb", distances, "boxes",
                              {"--target", "x86-64", "--threads", "1"});
  CHECK(sameBytes(first, runModel(folder, bundle, "ltrb", distances, "boxes",
                                  {"--target", "x86-64", "--threads", "3"})));
  CHECK(sameBytes(first, runModel(folder, bundle, "ltrb", distances, "boxes"))); // the best level
}

TEST_CASE("rows of any length, by the general and the aligned variant") {
  Folder folder;
  const std::string bundle = folder.path("scale.bundle");
  compileModel(sourceDir + "/test/Driver/models/scale/model.json", bundle);
  for (int64_t rows : {0, 1, 3})
    for (int64_t length : {0, 1, 15, 16, 17, 63, 64, 65, 128, 1000, 1024}) {
      CAPTURE(rows, length);
      HostTensor x = floats({rows, length}, [](int64_t i) { return float(i % 1013) - 500; });
      HostTensor y =
          floats({rows, length}, [](int64_t i) { return 2 * (float(i % 1013) - 500) + 1; });
      CHECK(sameBytes(runModel(folder, bundle, "x", x, "y"), y));
    }
}

TEST_CASE("several launches a node and several nodes share temporary memory") {
  Folder folder;
  const std::string bundle = folder.path("chain.bundle");
  compileModel(sourceDir + "/test/Driver/models/chain/model.json", bundle);
  for (int64_t length : {0, 1, 127, 128, 1000, 70000}) {
    CAPTURE(length);
    // x * x + x three times, exact in f32 for small integers.
    HostTensor x = floats({length}, [](int64_t i) { return float(i % 4); });
    HostTensor y = floats({length}, [](int64_t i) {
      float value = float(i % 4);
      for (int round = 0; round < 3; ++round)
        value = value * value + value;
      return value;
    });
    CHECK(sameBytes(runModel(folder, bundle, "x", x, "third"), y));
  }
}
