// Shipped losses and vision ops with their gradients, on the CPU against the slow references.
#include "OpModel.h"

#include <catch2/catch.hpp>

#include <random>

using namespace teeny;
using namespace teeny::test;

namespace {

// Centres in [0, 4), sizes from 0.5: most boxes of two such tensors overlap.
HostTensor boxes(int64_t n, DType dtype) {
  static std::mt19937 engine(1);
  return floats(
      {4, n},
      [n](int64_t i) {
        float value = std::uniform_real_distribution<float>()(engine);
        return i < 2 * n ? 4 * value : 0.5f + 2 * value;
      },
      dtype);
}

HostTensor shares(std::vector<int64_t> shape, DType dtype) {
  static std::mt19937 engine(2);
  return floats(
      std::move(shape), [](int64_t) { return std::uniform_real_distribution<float>()(engine); },
      dtype);
}

const std::string anchors = R"({"A": {"max": 40000}, "B": {"max": 64}})";
const std::string columns = R"({"N": {"max": 100000}})";

} // namespace

TEST_CASE("yolo.detect_decode_backward") {
  for (auto [type, tolerance] : floatTypes) {
    OpModel model("yolo.detect_decode_backward", {{"d", type, R"(["B", 4, "A"])"}}, {"r"}, anchors,
                  "{}", {{"strides", {"s", type, R"(["A"])"}}});
    for (auto [b, a] : {std::pair<int64_t, int64_t>{0, 4}, {1, 1}, {2, 129}, {3, 8400}})
      model.compare(
          {{"d", randomTensor({b, 4, a}, typed(type))}, {"s", randomTensor({a}, typed(type))}},
          tolerance);
  }
}

TEST_CASE("yolo.ciou_loss and its gradient") {
  for (auto [type, tolerance] : floatTypes) {
    OpInput pred = {"p", type, R"([4, "N"])"}, target = {"t", type, R"([4, "N"])"};
    OpInput iou = {"i", "f32", R"(["N"])"}, v = {"v", "f32", R"(["N"])"},
            alpha = {"a", "f32", R"(["N"])"}, gradient = {"d", type, R"(["N"])"};
    OpModel forward("yolo.ciou_loss", {pred, target}, {"r.loss", "r.iou", "r.v", "r.alpha"},
                    columns);
    OpModel backward("yolo.ciou_loss_backward", {pred, target, iou, v, alpha, gradient}, {"r"},
                     columns);
    for (int64_t n : {0, 1, 127, 1031}) {
      CAPTURE(type, n);
      NamedTensors inputs = {{"p", boxes(n, typed(type))}, {"t", boxes(n, typed(type))}};
      // Some boxes are their targets, some have negative sizes.
      for (int64_t i = 0; i < 4 * n; ++i)
        if (i % n % 5 == 4)
          inputs.at("p").setReal(i, inputs.at("t").real(i));
        else if (i % n % 7 == 6 && i / n >= 2)
          inputs.at(i / n == 2 ? "p" : "t").setReal(i, -inputs.at("t").real(i));
      NamedTensors saved = forward.compare(inputs, 4 * tolerance);
      for (const char *name : {"iou", "v", "alpha"})
        inputs.emplace(std::string(name).substr(0, 1), saved.at(std::string("r.") + name));
      inputs.emplace("d", randomTensor({n}, typed(type)));
      backward.compare(inputs, 8 * tolerance);
    }
  }
}

TEST_CASE("yolo.bce_cls_loss and its gradient") {
  const std::string dims = R"({"N": {"max": 100000}, "C": {"max": 1000}})";
  for (auto [type, tolerance] : floatTypes) {
    OpInput x = {"x", type, R"(["C", "N"])"}, t = {"t", type, R"(["C", "N"])"},
            gradient = {"d", type, R"(["N"])"};
    OpModel forward("yolo.bce_cls_loss", {x, t}, {"r"}, dims);
    OpModel backward("yolo.bce_cls_loss_backward", {x, t, gradient}, {"r"}, dims);
    for (auto [c, n] : {std::pair<int64_t, int64_t>{0, 3}, {1, 1}, {5, 0}, {17, 131}, {80, 300}}) {
      CAPTURE(type, c, n);
      NamedTensors inputs = {{"x", randomTensor({c, n}, typed(type))},
                             {"t", shares({c, n}, typed(type))}};
      forward.compare(inputs, tolerance);
      inputs.emplace("d", randomTensor({n}, typed(type)));
      backward.compare(inputs, tolerance);
    }
  }
}
