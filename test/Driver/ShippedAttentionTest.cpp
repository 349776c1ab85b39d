// Attention and its gradients on the CPU against the slow references.
#include "OpModel.h"

#include <catch2/catch.hpp>

using namespace teeny;
using namespace teeny::test;

namespace {

const std::string dims = R"({"H": {"max": 64}, "Q": {"max": 4096}, "K": {"max": 4096}})";

OpInput tensor(const std::string &name, const std::string &type, const std::string &rows,
               int64_t width) {
  return {name, type, "[\"H\", \"" + rows + "\", " + std::to_string(width) + "]"};
}

} // namespace

TEST_CASE("attn.flash2 and its gradients") {
  struct Choice {
    std::string type;
    double tolerance;
    int64_t depth, width;
    const char *causal;
  };
  for (const auto &[type, tolerance, depth, width, causal] : {Choice{"f32", 4e-6, 32, 16, "true"},
                                                              {"f16", 2e-3, 64, 64, "false"},
                                                              {"bf16", 16e-3, 16, 128, "true"}}) {
    OpInput q = tensor("q", type, "Q", depth), k = tensor("k", type, "K", depth),
            v = tensor("v", type, "K", width), out = tensor("o", type, "Q", width),
            lse = {"l", "f32", R"(["H", "Q"])"}, gradient = tensor("d", type, "Q", width);
    const std::string attrs = std::string(R"({"scale": 0.125, "CAUSAL": )") + causal + "}";
    OpModel forward("attn.flash2", {q, k, v}, {"r.out", "r.lse"}, dims, attrs);
    OpModel byQuery("attn.flash2_dq", {q, k, v, out, lse, gradient}, {"r"}, dims, attrs);
    OpModel byKey("attn.flash2_dkv", {q, k, v, out, lse, gradient}, {"r.d_k", "r.d_v"}, dims,
                  attrs);
    for (auto [queries, keys] :
         {std::pair<int64_t, int64_t>{2, 3}, {0, 5}, {3, 0}, {17, 130}, {130, 17}, {65, 64}}) {
      CAPTURE(type, depth, width, causal, queries, keys);
      NamedTensors inputs = {{"q", randomTensor({2, queries, depth}, typed(type))},
                             {"k", randomTensor({2, keys, depth}, typed(type))},
                             {"v", randomTensor({2, keys, width}, typed(type))}};
      NamedTensors saved = forward.compare(inputs, tolerance);
      inputs.emplace("o", saved.at("r.out"));
      inputs.emplace("l", saved.at("r.lse"));
      inputs.emplace("d", randomTensor({2, queries, width}, typed(type)));
      byQuery.compare(inputs, 2 * tolerance);
      byKey.compare(inputs, 2 * tolerance);
    }
  }
}
