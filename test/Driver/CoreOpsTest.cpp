// The core ops on the CPU against their slow references: all shapes known when compiling, or none.
#include "OpModel.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <map>
#include <set>

using namespace teeny;
using namespace teeny::test;

namespace {

// Dims of these names, from 0 to `max`: grids have to fit.
std::string dims(const std::vector<std::string> &names, int64_t max = 8192) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "\"" : ", \"") + name + R"(": {"min": 0, "max": )" +
            std::to_string(max) + "}";
  return "{" + text + "}";
}

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

// Every fifth element, from the second on.
HostTensor withSpecials(HostTensor tensor, double value) {
  for (int64_t i = 1; i < tensor.elements(); i += 5)
    tensor.setReal(i, value);
  return tensor;
}

HostTensor anyTensor(std::vector<int64_t> shape, const std::string &type) {
  return isFloat(typed(type)) ? randomTensor(std::move(shape), typed(type))
                              : randomIntegers(std::move(shape), typed(type));
}

const std::vector<std::pair<std::string, double>> numberTypes = {
    {"f32", 2e-6}, {"f16", 1e-3}, {"bf16", 8e-3}, {"f64", 1e-14}, {"i32", 0}, {"i64", 0}};

} // namespace

TEST_CASE("core.matmul") {
  const std::vector<std::array<int64_t, 4>> sizes = {
      {1, 1, 1, 1},      {2, 0, 3, 2},    {0, 3, 2, 5},      {2, 4, 5, 0},
      {3, 17, 130, 127}, {1, 64, 64, 32}, {2, 65, 63, 33},   {1, 130, 70, 100},
      {5, 1, 10, 64},    {1, 16, 48, 96}, {1, 1024, 33, 17},
  };
  const std::map<std::string, std::pair<bool, bool>> ways = {{"f16", {false, true}},
                                                             {"bf16", {true, false}},
                                                             {"f64", {false, false}},
                                                             {"i32", {true, true}}};
  for (auto [type, tolerance] : numberTypes) {
    for (bool ta : {false, true})
      for (bool tb : {false, true}) {
        // All ways in f32, one in each of the others.
        if (type == "i64" || (type != "f32" && ways.at(type) != std::pair(ta, tb)))
          continue;
        OpModel model("core.matmul",
                      {{"a", type, R"(["G", "A", "B"])"}, {"b", type, R"(["G", "C", "D"])"}}, {"r"},
                      dims({"G", "A", "B", "C", "D"}),
                      std::string("{\"TA\": ") + (ta ? "true" : "false") +
                          ", \"TB\": " + (tb ? "true" : "false") + "}");
        for (auto [g, m, n, k] : sizes) {
          CAPTURE(type, ta, tb, g, m, n, k);
          std::vector<int64_t> a = ta ? std::vector{g, k, m} : std::vector{g, m, k};
          std::vector<int64_t> b = tb ? std::vector{g, n, k} : std::vector{g, k, n};
          model.compare({{"a", anyTensor(a, type)}, {"b", anyTensor(b, type)}}, tolerance);
        }
      }
  }
}

namespace {

struct Convolution {
  std::vector<int64_t> image, filters; // [C, H, W] and [O, C / GROUPS, KH, KW]
  std::string attrs;
};
const std::string padded = R"("PAD_TOP": 1, "PAD_LEFT": 1, "PAD_BOTTOM": 1, "PAD_RIGHT": 1)";
const std::vector<Convolution> convolutions = {
    {{1, 1, 1}, {1, 1, 1, 1}, ""},
    {{3, 9, 7}, {4, 3, 3, 3}, padded},
    {{32, 8, 8}, {64, 32, 3, 3}, padded},
    {{33, 5, 6}, {70, 33, 3, 2}, R"("STRIDE_W": 2, "PAD_RIGHT": 2)"},
    {{1, 8, 8}, {32, 1, 3, 3}, padded},
    {{40, 6, 6}, {13, 40, 1, 1}, ""},
    {{17, 7, 7}, {40, 17, 1, 1}, R"("STRIDE_H": 2, "STRIDE_W": 3)"},
    {{6, 12, 11}, {6, 1, 3, 3}, R"("GROUPS": 6, "STRIDE_H": 2, )" + padded},
    {{4, 35, 9}, {8, 1, 5, 3}, R"("GROUPS": 4, "DILATION_H": 2, "PAD_TOP": 3)"},
    {{24, 6, 9}, {36, 12, 3, 3}, R"("GROUPS": 2, "DILATION_W": 2, )" + padded},
    {{5, 5, 7}, {20, 5, 5, 7}, ""},
    {{0, 4, 4}, {3, 0, 3, 3}, padded},
};

void compareConvolution(const OpModel &model, const Convolution &conv, int64_t batch, DType type,
                        double tolerance) {
  std::vector<int64_t> x = {batch, conv.image[0], conv.image[1], conv.image[2]};
  model.compare({{"x", randomTensor(x, type)}, {"w", randomTensor(conv.filters, type)}}, tolerance);
}

} // namespace

TEST_CASE("core.conv2d of known shapes") {
  for (size_t i = 0; i < convolutions.size(); ++i)
    for (auto [type, tolerance] : numberTypes) {
      const Convolution &conv = convolutions[i];
      // All of them in f32, every third in each of the others.
      if (!isFloat(typed(type)) || (type != "f32" && i % 3 != type.size() % 3))
        continue;
      CAPTURE(type, i);
      std::string image = shapeText(conv.image);
      OpModel model(
          "core.conv2d",
          {{"x", type, "[\"B\", " + image.substr(1)}, {"w", type, shapeText(conv.filters)}}, {"r"},
          dims({"B"}), "{" + conv.attrs + "}");
      for (int64_t batch : {0, 1, 3, 16})
        compareConvolution(model, conv, batch, typed(type), tolerance);
    }
}

TEST_CASE("core.conv2d of unknown shapes") {
  std::map<std::string, std::vector<Convolution>> byAttrs;
  for (const Convolution &conv : convolutions)
    byAttrs[conv.attrs].push_back(conv);
  for (const std::string &attrs : {std::string(), padded}) {
    OpModel model(
        "core.conv2d",
        {{"x", "f32", R"(["B", "C", "H", "W"])"}, {"w", "f32", R"(["O", "D", "K", "L"])"}}, {"r"},
        dims({"B", "C", "H", "W", "O", "D", "K", "L"}), "{" + attrs + "}");
    for (const Convolution &conv : byAttrs.at(attrs)) {
      CAPTURE(shapeText(conv.image), shapeText(conv.filters));
      for (int64_t batch : {1, 5})
        compareConvolution(model, conv, batch, DType::f32, 2e-6);
    }
  }
}

TEST_CASE("core.pool2d") {
  const std::vector<std::string> windows = {
      R"("KERNEL_H": 1, "KERNEL_W": 1)",
      R"("KERNEL_H": 2, "KERNEL_W": 2, "STRIDE_H": 2, "STRIDE_W": 2)",
      R"("KERNEL_H": 3, "KERNEL_W": 3, "STRIDE_H": 2, "STRIDE_W": 2, "CEIL": true, )" + padded,
      R"("KERNEL_H": 3, "KERNEL_W": 2, "STRIDE_W": 2, "COUNT_PAD": true, "CEIL": true, )" + padded,
      R"("KERNEL_H": 2, "KERNEL_W": 3, "DILATION_H": 2, "DILATION_W": 3, "PAD_LEFT": 1)"};
  for (auto [type, tolerance] : numberTypes)
    for (const char *kind : {"max", "average"})
      for (const std::string &window : windows) {
        if (!isFloat(typed(type)) || (type != "f32" && &window != &windows[type.size()]))
          continue;
        CAPTURE(type, kind, window);
        OpModel model("core.pool2d", {{"x", type, R"(["B", "C", "H", "W"])"}}, {"r"},
                      dims({"B", "C", "H", "W"}, 512),
                      std::string("{\"KIND\": \"") + kind + "\", " + window + "}");
        for (auto [b, c, h, w] : {std::array<int64_t, 4>{1, 1, 7, 8},
                                  {0, 3, 9, 9},
                                  {2, 3, 8, 8},
                                  {1, 2, 17, 70},
                                  {3, 1, 11, 33}}) {
          HostTensor x = randomTensor({b, c, h, w}, typed(type));
          model.compare({{"x", x}}, tolerance);
          if (h % 2) // where a size is odd, to save time
            model.compare({{"x", withSpecials(x, NAN)}}, tolerance);
          if (std::string(kind) == "max" && w % 2)
            model.compare({{"x", withSpecials(x, -INFINITY)}}, tolerance);
        }
      }
}

namespace {

const std::vector<std::array<int64_t, 3>> reduced = {
    {1, 1, 1},   {0, 3, 2},    {5, 2, 0},    {3, 5, 7},    {130, 7, 1}, {2, 64, 1},
    {17, 65, 1}, {2, 3001, 1}, {2, 37, 130}, {1, 100, 64}, {7, 1, 13}};

} // namespace

TEST_CASE("core.reduce") {
  const std::map<std::string, std::set<std::string>> kinds = {{"f16", {"sum", "max"}},
                                                              {"bf16", {"mean", "min"}},
                                                              {"f64", {"sum", "prod"}},
                                                              {"i32", {"sum", "prod"}},
                                                              {"i64", {"min", "max"}}};
  for (auto [type, tolerance] : numberTypes)
    for (const char *kind : {"sum", "mean", "max", "min", "prod"}) {
      bool real = isFloat(typed(type)), product = std::string(kind) == "prod";
      // All kinds in f32, two in each of the others.
      if (type != "f32" && !kinds.at(type).count(kind))
        continue;
      OpModel model("core.reduce", {{"x", type, R"(["A", "R", "B"])"}}, {"r"},
                    dims({"A", "R", "B"}), std::string("{\"KIND\": \"") + kind + "\"}");
      for (auto [outer, size, inner] : reduced) {
        if (product && size > 100 && real)
          continue; // underflows
        CAPTURE(type, kind, outer, size, inner);
        HostTensor x = anyTensor({outer, size, inner}, type);
        model.compare({{"x", x}}, product ? 100 * tolerance : tolerance);
        if (type == "f32" || (real && size == 5)) // not all of them, to save time
          model.compare({{"x", withSpecials(x, NAN)}}, tolerance);
      }
      model.compare({{"x", anyTensor({3, 0, 2}, type)}}, 0);
      model.compare({{"x", anyTensor({3, 0, 1}, type)}}, 0);
    }
}

TEST_CASE("core.arg_reduce") {
  for (auto [type, tolerance] : numberTypes)
    for (const char *kind : {"max", "min"}) {
      if (type != "f32" && (type.size() == 3) != (std::string(kind) == "max"))
        continue;
      OpModel model("core.arg_reduce", {{"x", type, R"(["A", "R", "B"])"}}, {"r"},
                    dims({"A", "R", "B"}), std::string("{\"KIND\": \"") + kind + "\"}");
      for (auto [outer, size, inner] : reduced) {
        CAPTURE(type, kind, outer, size, inner);
        HostTensor x = anyTensor({outer, size, inner}, type);
        model.compare({{"x", x}}, 0);
        if (!isFloat(typed(type)) || (type != "f32" && size != 5))
          continue;
        for (double special : {double(NAN), double(INFINITY), double(-INFINITY)})
          model.compare({{"x", withSpecials(x, special)}}, 0);
        // All the same: the first one.
        model.compare(
            {{"x", floats(
                       {outer, size, inner}, [](int64_t) { return -INFINITY; }, typed(type))}},
            0);
      }
    }
}
