// Layouts around position-sensitive attention, on the CPU against the slow references; and the
// attention of such a block as a graph, with V in two halves and as a whole.
#include "OpModel.h"

#include "Base/File.h"

#include <catch2/catch.hpp>

using namespace teeny;
using namespace teeny::test;

TEST_CASE("psa ops and their gradients") {
  const std::string dims = R"({"B": {"max": 8}, "H": {"max": 64}, "W": {"max": 64}})";
  // Also what is made of these: B * heads matrices of H * W rows.
  const std::string more = R"({"B": {"max": 8}, "H": {"max": 64}, "W": {"max": 64},
                               "R": {"max": 64}, "N": {"max": 4096}})";
  for (auto [type, heads, k] :
       {std::tuple<std::string, int64_t, int64_t>{"f32", 2, 32}, {"f16", 1, 48}, {"bf16", 3, 5}}) {
    auto image = [&, heads = heads, k = k](int64_t parts) {
      return "[\"B\", " + std::to_string(parts * heads * k) + ", \"H\", \"W\"]";
    };
    const std::string attrs = "{\"heads\": " + std::to_string(heads) + "}";
    const std::string matrix = "\"R\", \"N\", " + std::to_string(k) + "]";
    OpInput qkv = {"x", type, image(4)}, v = {"v", type, image(2)};
    OpInput lo = {"l", type, "[" + matrix}, hi = {"h", type, "[" + matrix};
    OpInput packed = {"p", type, "[4, " + matrix};
    OpModel pack("psa.pack_qkv", {qkv}, {"r"}, dims, attrs);
    OpModel packBack("psa.pack_qkv_backward", {qkv, packed}, {"r"}, more, attrs);
    OpModel extract("psa.extract_v", {qkv}, {"r"}, dims, attrs);
    OpModel extractBack("psa.extract_v_backward", {v}, {"r"}, dims, attrs);
    OpModel merge("psa.merge_attn", {lo, hi, v}, {"r"}, more, attrs);
    OpModel mergeBack("psa.merge_attn_backward", {v}, {"r.d_lo", "r.d_hi"}, dims, attrs);
    for (auto [b, h, w] : {std::array<int64_t, 3>{0, 3, 3}, {2, 7, 13}, {1, 20, 16}}) {
      CAPTURE(type, heads, k, b, h, w);
      DType dtype = typed(type);
      NamedTensors all = {{"x", randomTensor({b, 4 * heads * k, h, w}, dtype)}};
      NamedTensors half = {{"v", randomTensor({b, 2 * heads * k, h, w}, dtype)}};
      pack.compare(all, 0);
      extract.compare(all, 0);
      extractBack.compare(half, 0);
      mergeBack.compare(half, 0);
      all.emplace("p", randomTensor({4, b * heads, h * w, k}, dtype));
      packBack.compare(all, 0);
      half.emplace("l", randomTensor({b * heads, h * w, k}, dtype));
      half.emplace("h", randomTensor({b * heads, h * w, k}, dtype));
      merge.compare(half, 0);
    }
  }
}

// Two heads, K = 16: attention with V_lo and with V_hi, merged; and with V of width 32, whose
// result only has to be transposed.
static const char *block = R"({
  "teeny": 1, "name": "psa",
  "dims": {"B": {"max": 8}, "H": {"max": 64}, "W": {"max": 64}},
  "inputs": [ {"name": "qkv", "dtype": "f32", "shape": ["B", 128, "H", "W"]} ],
  "nodes": [
    {"name": "packed", "op": "psa.pack_qkv", "inputs": ["qkv"], "attrs": {"heads": 2}},
    {"name": "q4", "op": "slice", "inputs": ["packed"], "attrs": {"axis": 0, "start": 0, "end": 1}},
    {"name": "k4", "op": "slice", "inputs": ["packed"], "attrs": {"axis": 0, "start": 1, "end": 2}},
    {"name": "lo4", "op": "slice", "inputs": ["packed"], "attrs": {"axis": 0, "start": 2, "end": 3}},
    {"name": "hi4", "op": "slice", "inputs": ["packed"], "attrs": {"axis": 0, "start": 3, "end": 4}},
    {"name": "q", "op": "squeeze", "inputs": ["q4"], "attrs": {"axes": [0]}},
    {"name": "k", "op": "squeeze", "inputs": ["k4"], "attrs": {"axes": [0]}},
    {"name": "lo", "op": "squeeze", "inputs": ["lo4"], "attrs": {"axes": [0]}},
    {"name": "hi", "op": "squeeze", "inputs": ["hi4"], "attrs": {"axes": [0]}},
    {"name": "low", "op": "attn.flash2", "inputs": ["q", "k", "lo"], "attrs": {"scale": 0.25}},
    {"name": "high", "op": "attn.flash2", "inputs": ["q", "k", "hi"], "attrs": {"scale": 0.25}},
    {"name": "v", "op": "psa.extract_v", "inputs": ["qkv"], "attrs": {"heads": 2}},
    {"name": "halves", "op": "psa.merge_attn", "inputs": ["low.out", "high.out", "v"], "attrs": {"heads": 2}},
    {"name": "channels", "op": "reshape", "inputs": ["v"], "attrs": {"shape": ["2*B", 32, "H*W"]}},
    {"name": "wide", "op": "transpose", "inputs": ["channels"], "attrs": {"permutation": [0, 2, 1]}},
    {"name": "both", "op": "attn.flash2", "inputs": ["q", "k", "wide"], "attrs": {"scale": 0.25}},
    {"name": "rows", "op": "transpose", "inputs": ["both.out"], "attrs": {"permutation": [0, 2, 1]}},
    {"name": "whole", "op": "reshape", "inputs": ["rows"], "attrs": {"shape": ["B", 64, "H", "W"]}}
  ],
  "outputs": ["halves", "whole"]
})";

TEST_CASE("attention of a psa block in two halves and as a whole") {
  Folder folder;
  const std::string graph = folder.path("psa.json"), bundle = folder.path("psa.bundle");
  REQUIRE(writeFile(graph, std::as_bytes(std::span(std::string_view(block)))));
  compileModel(graph, bundle, {}, {nativeTarget()});
  NamedTensors inputs = {{"qkv", randomTensor({2, 128, 5, 9})}};
  NamedTensors got = runModel(folder, bundle, inputs, {"halves", "whole"});
  NamedTensors want = reference(graph, inputs);
  const HostTensor &halves = got.at("halves"), &whole = got.at("whole");
  REQUIRE(halves.shape() == std::vector<int64_t>{2, 64, 5, 9});
  for (int64_t i = 0; i < halves.elements(); ++i) {
    REQUIRE(halves.real(i) == Approx(want.at("halves").real(i)).margin(4e-6));
    REQUIRE(whole.real(i) == Approx(halves.real(i)).margin(4e-6));
  }
}
