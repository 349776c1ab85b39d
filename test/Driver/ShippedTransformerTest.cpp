// Gated units, dropout, embedding and rotary positions with their gradients, on the CPU against the
// slow references.
#include "OpModel.h"

#include <catch2/catch.hpp>

using namespace teeny;
using namespace teeny::test;

TEST_CASE("nn.swiglu and nn.dropout with their gradients") {
  const std::string dims = R"({"A": {"max": 1000}, "B": {"max": 1000}})";
  for (auto [type, tolerance] : floatTypes) {
    auto tensor = [&, type = type](const char *name) {
      return OpInput{name, type, R"(["A", "B"])"};
    };
    OpInput rng = {"s", "i64", "[2]"};
    const std::string p = type == "f16" ? R"({"p": 0.9})" : R"({"p": 0.25})";
    OpModel swiglu("nn.swiglu", {tensor("g"), tensor("u")}, {"r"}, dims);
    OpModel swigluBack("nn.swiglu_backward", {tensor("g"), tensor("u"), tensor("d")},
                       {"r.d_gate", "r.d_up"}, dims);
    OpModel dropout("nn.dropout", {tensor("g"), rng}, {"r"}, dims, p);
    OpModel dropoutBack("nn.dropout_backward", {rng, tensor("d")}, {"r"}, dims, p);
    for (auto [a, b] : {std::pair<int64_t, int64_t>{0, 3}, {1, 1}, {3, 7}, {17, 131}}) {
      CAPTURE(type, a, b);
      NamedTensors gates = {{"g", randomTensor({a, b}, typed(type))},
                            {"u", randomTensor({a, b}, typed(type))}};
      swiglu.compare(gates, tolerance);
      HostTensor seed = randomIntegers({2}, DType::i64), d = randomTensor({a, b}, typed(type));
      if (a == 3)
        seed.setInteger(1, 0xFFFFFFFF); // the counter goes beyond 32 bits
      dropout.compare({{"g", gates.at("g")}, {"s", seed}}, tolerance);
      dropoutBack.compare({{"s", seed}, {"d", d}}, tolerance);
      gates.emplace("d", d);
      swigluBack.compare(gates, 2 * tolerance);
    }
  }
}

// Of many elements about the wanted share is 0, whatever the seed, and the sum stays what it was.
TEST_CASE("dropout keeps the share that it should") {
  OpModel model("nn.dropout", {{"x", "f32", R"(["N"])"}, {"s", "i64", "[2]"}}, {"r"},
                R"({"N": {"max": 100000}})", R"({"p": 0.3})");
  const int64_t n = 40000;
  HostTensor ones = floats({n}, [](int64_t) { return 1; });
  HostTensor out =
      model.compare({{"x", ones}, {"s", randomIntegers({2}, DType::i64)}}, 1e-6).at("r");
  int64_t zeros = 0;
  for (int64_t i = 0; i < n; ++i)
    zeros += out.real(i) == 0;
  CHECK(std::abs(double(zeros) / n - 0.3) < 0.02); // 9 standard deviations
}

TEST_CASE("nn.embedding and its gradient") {
  const std::string dims =
      R"({"V": {"min": 1, "max": 1000}, "M": {"max": 1000}, "D": {"max": 1000}})";
  for (auto [type, tolerance] : floatTypes) {
    OpInput table = {"t", type, R"(["V", "D"])"}, gradient = {"d", type, R"(["M", "D"])"},
            indices = {"i", type == "f32" ? "i64" : "i32", "[\"M\"]"};
    const std::string padding = R"({"padding": 2})";
    OpModel forward("nn.embedding", {table, indices}, {"r"}, dims, padding);
    OpModel backward("nn.embedding_backward", {table, indices, gradient}, {"r"}, dims, padding);
    for (auto [v, m, d] :
         {std::array<int64_t, 3>{1, 0, 3}, {1, 1, 1}, {5, 37, 17}, {100, 7, 300}, {3, 2, 0}}) {
      CAPTURE(type, v, m, d);
      HostTensor index(typed(indices.dtype), {m});
      for (int64_t i = 0; i < m; ++i) // some are no rows
        index.setInteger(i, i == 3 ? v : i == 5 ? -1 : i * 31 % v);
      NamedTensors inputs = {{"t", randomTensor({v, d}, typed(type))}, {"i", index}};
      forward.compare(inputs, 0);
      inputs.emplace("d", randomTensor({m, d}, typed(type)));
      backward.compare(inputs, 2e-6); // its result is f32
    }
  }
}

TEST_CASE("nn.rope and its gradient") {
  const std::string dims =
      R"({"B": {"max": 8}, "S": {"max": 1000}, "H": {"max": 64}, "E": {"max": 300}})";
  for (auto [type, tolerance] : floatTypes) {
    OpInput x = {"x", type, R"(["B", "S", "H", "2 * E"])"}, cos = {"c", "f32", R"(["S", "E"])"},
            sin = {"s", "f32", R"(["S", "E"])"};
    const std::string attrs =
        type == "f16" ? R"({"INTERLEAVED": false})" : R"({"INTERLEAVED": true})";
    const std::string other =
        type == "f16" ? R"({"INTERLEAVED": true})" : R"({"INTERLEAVED": false})";
    OpModel forward("nn.rope", {x, cos, sin}, {"r"}, dims, attrs);
    OpModel backward("nn.rope_backward", {cos, sin, x}, {"r"}, dims, other);
    for (auto [b, s, h, e] :
         {std::array<int64_t, 4>{0, 1, 1, 1}, {1, 1, 1, 1}, {2, 5, 3, 33}, {1, 3, 2, 128}}) {
      CAPTURE(type, b, s, h, e);
      NamedTensors inputs = {{"x", randomTensor({b, s, h, 2 * e}, typed(type))},
                             {"c", randomTensor({s, e})},
                             {"s", randomTensor({s, e})}};
      forward.compare(inputs, tolerance);
      backward.compare(inputs, tolerance);
    }
  }
}
