#include "Bundle/Manifest.h"
#include "Bundle/Sample.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <fstream>
#include <sstream>

using namespace teeny;

namespace {

const char *expected = R"json({
  "teeny": 1,
  "name": "sample",
  "targets": ["sm_90a", "compute_80", "x86-64-v3"],
  "dims": [{"name": "B", "min": 0, "max": 64}, {"name": "A", "min": 4, "max": 33600, "multiple_of": 4}],
  "requirements": [{"condition": "A*B <= 1000000", "message": "the batch is too large"}],
  "inputs": [{"name": "x", "dtype": "f32", "shape": ["B", 4, "A"], "buffer": "x"}],
  "outputs": [{"name": "y", "dtype": "f16", "shape": ["B", "A // 4"], "buffer": "y"}],
  "buffers": [
    {"name": "x", "kind": "input", "bytes": "16*A*B", "align": 256},
    {"name": "w", "kind": "param", "bytes": 40, "align": 256, "tensor": "model.w"},
    {"name": "all", "kind": "temporary", "bytes": "64*B + 256", "align": 256, "lifetime": [0, 1], "zeroed": true},
    {
      "name": "part",
      "kind": "temporary",
      "bytes": "64*B",
      "align": 16,
      "lifetime": [1, 1],
      "alias_of": "all",
      "alias_offset": 256
    },
    {"name": "y", "kind": "output", "bytes": "2*B*(A // 4)", "align": 256}
  ],
  "kernels": [
    {
      "name": "k.fast",
      "function": "k",
      "source": "k.py:12",
      "num_warps": 8,
      "params": [
        {"name": "in", "kind": "buffer"},
        {"name": "out", "kind": "buffer", "written": true},
        {"name": "n", "kind": "i32"},
        {"name": "flag", "kind": "i1"},
        {"name": "scale", "kind": "f32"}
      ],
      "code": [
        {
          "target": "sm_90a",
          "tensor": "teeny/code/k.sm_90a.cubin",
          "symbol": "k",
          "sha256": "0000000000000000000000000000000000000000000000000000000000000000",
          "threads": 256,
          "shared_bytes": 1024,
          "registers": 40,
          "spill_bytes": 8,
          "ptx_version": "8.0"
        },
        {
          "target": "compute_80",
          "tensor": "teeny/code/k.compute_80.ptx",
          "symbol": "k",
          "sha256": "0000000000000000000000000000000000000000000000000000000000000000",
          "threads": 256,
          "shared_bytes": 0,
          "registers": 0,
          "spill_bytes": 0,
          "ptx_version": "7.8"
        },
        {
          "target": "x86-64-v3",
          "tensor": "teeny/code/k.x86-64-v3.so",
          "symbol": "k_cpu",
          "sha256": "0000000000000000000000000000000000000000000000000000000000000000",
          "scratch_bytes": 4096
        }
      ]
    },
    {
      "name": "k.alone",
      "function": "k",
      "source": "",
      "num_warps": 4,
      "params": [
        {"name": "p", "kind": "buffer", "written": true, "type": "*fp16", "multiple_of": 16},
        {"name": "rows", "kind": "i32", "type": "u32", "multiple_of": 16, "range": [0, 4096]},
        {"name": "eps", "kind": "bf16", "type": "bf16"}
      ],
      "constants": [{"name": "BLOCK", "value": "128"}, {"name": "acc", "value": "tl.float32"}],
      "code": [
        {
          "target": "x86-64-v3",
          "tensor": "teeny/code/k.x86-64-v3.so",
          "symbol": "k_alone",
          "sha256": "0000000000000000000000000000000000000000000000000000000000000000",
          "scratch_bytes": 0
        }
      ]
    }
  ],
  "launches": [
    {
      "name": "first",
      "node": "node0",
      "variants": [
        {
          "guard": "A % 16 == 0",
          "kernel": "k.fast",
          "grid": ["B*cdiv(A, 256)", 1, 1],
          "args": [{"buffer": "x"}, {"buffer": "all"}, {"int": "4*A"}, {"int": 1}, {"float": 0.1}]
        },
        {
          "guard": 1,
          "kernel": "k.fast",
          "grid": ["B*cdiv(A, 256)", 1, 1],
          "args": [{"buffer": "x"}, {"buffer": "all"}, {"int": "4*A"}, {"int": 1}, {"float": "-inf"}]
        }
      ]
    },
    {
      "name": "second",
      "node": "node1",
      "variants": [
        {
          "guard": 1,
          "kernel": "k.fast",
          "grid": ["B*cdiv(A, 256)", 1, 1],
          "args": [{"buffer": "part", "offset": "16*B"}, {"buffer": "y"}, {"int": "4*A"}, {"int": 1}, {"float": "-inf"}]
        }
      ]
    }
  ],
  "provenance": [{"name": "teenyc", "version": "0.1.0"}, {"name": "llvm", "version": "22.1.8"}]
}
)json";

} // namespace

TEST_CASE("the text of a manifest") { CHECK(writeManifest(sampleManifest()) == expected); }

TEST_CASE("a manifest is read back as it was") {
  Manifest original = sampleManifest();
  Result<Manifest> read = readManifest(expected);
  INFO((read ? "" : read.error().message));
  REQUIRE(read);
  CHECK(writeManifest(*read) == expected);

  // For people, where the compiler tells.
  original.launches[0].ops = {"core.matmul", "relu"};
  Result<Manifest> told = readManifest(writeManifest(original));
  REQUIRE(told);
  CHECK(told->launches[0].ops == original.launches[0].ops);
  CHECK(told->launches[1].ops.empty());

  // What the text alone would not tell.
  CHECK(read->dims[0].multipleOf == 1);
  CHECK(read->inputs[0].buffer == 0);
  CHECK(read->outputs[0].buffer == 4);
  CHECK(read->outputs[0].shape[1].equal(original.outputs[0].shape[1]));
  CHECK(read->buffers[3].aliasOf == size_t(2));
  CHECK(read->buffers[3].aliasOffset.constant() == 256);
  CHECK(read->launches[1].variants[0].args[0].buffer == 3);
  CHECK(read->launches[1].variants[0].kernel == 0);
  CHECK(read->launches[0].variants[0].args[4].real == 0.1);
  CHECK(read->launches[1].variants[0].args[4].real == -HUGE_VAL);
  CHECK(read->kernels[0].code[2].scratchBytes == 4096);
  CHECK_FALSE(read->kernels[0].hasSignature());
  CHECK(read->kernels[1].hasSignature());
  CHECK(read->kernels[1].params[1].range == std::pair(int64_t(0), int64_t(4096)));
  CHECK_FALSE(read->kernels[1].params[2].range);
  CHECK(read->kernels[1].params[2].multipleOf == 1);
}

TEST_CASE("floats are kept exactly") {
  Manifest manifest = sampleManifest();
  for (double value : {0.0, -0.0, 1.0, 1.0 / 3, 5e-324, 1.7976931348623157e308, HUGE_VAL, -HUGE_VAL,
                       double(NAN)}) {
    manifest.launches[1].variants[0].args[4].real = value;
    Result<Manifest> read = readManifest(writeManifest(manifest));
    REQUIRE(read);
    double back = read->launches[1].variants[0].args[4].real;
    CHECK((std::isnan(value) ? std::isnan(back)
                             : back == value && std::signbit(back) == std::signbit(value)));
  }
}

TEST_CASE("any text in names is written as JSON") {
  Manifest manifest = sampleManifest();
  manifest.name = "\"\\\xc3\xa4, :";
  manifest.launches[0].node = "a \"quoted\" node";
  Result<Manifest> read = readManifest(writeManifest(manifest));
  REQUIRE(read);
  CHECK(read->name == manifest.name);
  CHECK(read->launches[0].node == manifest.launches[0].node);
}

TEST_CASE("the manifest in README.md is one") {
  std::ifstream file(TEENY_SOURCE_DIR "/lib/Bundle/README.md");
  std::stringstream text;
  text << file.rdbuf();
  std::string readme = text.str();
  size_t begin = readme.find("```json\n"), end = readme.find("```\n", begin + 8);
  REQUIRE(begin != std::string::npos);
  REQUIRE(end != std::string::npos);
  Result<Manifest> read = readManifest(readme.substr(begin + 8, end - begin - 8));
  INFO((read ? "" : read.error().message));
  REQUIRE(read);
  // And shows all there is.
  for (const char *key : {"requirements", "zeroed", "alias_of", "multiple_of", "written", "offset",
                          "scratch_bytes", "ptx_version", "provenance", "\"float\"", "\"int\"",
                          "\"type\"", "\"range\"", "constants", "golden", "relative", "hashes"})
    CHECK(readme.find(key, begin) < end);
}
