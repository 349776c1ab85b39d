// Each row breaks the sample in one place and says what must be found there.
#include "Bundle/Manifest.h"
#include "Bundle/Sample.h"

#include <catch2/catch.hpp>

using namespace teeny;

namespace {

std::string messageOf(const std::string &text) {
  Result<Manifest> manifest = readManifest(text);
  return manifest ? "" : manifest.error().message;
}

struct Row {
  const char *from, *to, *message;
};

void check(std::initializer_list<Row> rows) {
  const std::string good = writeManifest(sampleManifest());
  REQUIRE(messageOf(good) == "");
  for (const Row &row : rows) {
    INFO(row.from << " -> " << row.to);
    CHECK(messageOf(replaced(good, row.from, row.to)) == row.message);
  }
}

} // namespace

TEST_CASE("JSON of the wrong form") {
  check({
      {"\"teeny\": 1", "\"teeny\": 2", "format version 2, expected 1"},
      {"\"teeny\": 1", "\"teeny\": \"1\"", "teeny: expected an integer of 64 bits, found \"1\""},
      {"\"teeny\": 1,", "", "no \"teeny\""},
      {"\"teeny\": 1,", "\"teeny\": 1, \"extra\": 0,", "unknown key \"extra\""},
      {"\"name\": \"sample\"", "\"name\": 5", "name: expected a string, found 5"},
      {"\"dims\": [", "\"dims\": 7, \"x\": [", "dims: expected an array, found 7"},
      {"\"min\": 0", "\"min\": 0.5", "dims[0].min: expected an integer of 64 bits, found 0.5"},
      {"\"min\": 0", "\"min\": 18446744073709551615",
       "dims[0].min: expected an integer of 64 bits, found 18446744073709551615"},
      {"\"min\": 0, ", "", "dims[0]: no \"min\""},
      {"{\"name\": \"B\", \"min\": 0, \"max\": 64}", "[]",
       "dims[0]: expected an object, found an array"},
      {"\"shape\": [\"B\", 4, \"A\"]", "\"shape\": [\"B\", true, \"A\"]",
       "inputs[0].shape[1]: expected an integer or an expression, found true"},
      {"\"A // 4\"", "\"A // \"",
       "outputs[0].shape[1]: expression \"A // \": column 6: expected an expression, found the "
       "end"},
      {"\"dtype\": \"f32\"", "\"dtype\": \"float\"",
       "inputs[0].dtype: expected one of f64, f32, f16, bf16, f8e4m3, f8e5m2, i64, i32, i16, i8, "
       "u64, u32, u16, u8, "
       "bool, found \"float\""},
      {"\"kind\": \"input\"", "\"kind\": \"in\"",
       "buffers[0].kind: expected one of input, output, param, temporary, found \"in\""},
      {"\"zeroed\": true", "\"zeroed\": 1", "buffers[2].zeroed: expected true or false, found 1"},
      {"\"lifetime\": [0, 1]", "\"lifetime\": [0]",
       "buffers[2]: expected \"lifetime\" to be the first and the last launch"},
      {"\"alias_offset\": 256", "\"alias_offset\": 256, \"x\": 1", "buffers[3]: unknown key \"x\""},
      {"\"grid\": [\"B*cdiv(A, 256)\", 1, 1]", "\"grid\": [\"B*cdiv(A, 256)\", 1]",
       "launches[0].variants[0]: \"grid\" has 2 elements, expected 3"},
      {"{\"int\": \"4*A\"}", "{\"integer\": 4}",
       "launches[0].variants[0].args[2]: expected \"buffer\", \"int\" or \"float\""},
      {"{\"float\": 0.1}", "{\"float\": \"0.1\"}",
       "launches[0].variants[0].args[4].float: expected a number, \"inf\", \"-inf\" or \"nan\", "
       "found \"0.1\""},
      {"\"shared_bytes\": 1024,", "", "kernels[0].code[0]: no \"shared_bytes\""},
      {"\"scratch_bytes\": 4096", "\"scratch_bytes\": 4096, \"threads\": 1",
       "kernels[0].code[2]: unknown key \"threads\""},
  });
}

TEST_CASE("names that lead nowhere") {
  check({
      {"\"shape\": [\"B\", 4, \"A\"], \"buffer\": \"x\"",
       "\"shape\": [\"B\", 4, \"A\"], \"buffer\": \"z\"",
       "inputs[0].buffer: no buffer has the name \"z\""},
      {"\"alias_of\": \"all\"", "\"alias_of\": \"none\"",
       "buffers[3].alias_of: no buffer has the name \"none\""},
      {"\"kernel\": \"k.fast\"", "\"kernel\": \"k\"",
       "launches[0].variants[0].kernel: no kernel has the name \"k\""},
      {"{\"buffer\": \"x\"}", "{\"buffer\": \"xx\"}",
       "launches[0].variants[0].args[0].buffer: no buffer has the name \"xx\""},
      {"\"16*A*B\"", "\"16*A*C\"",
       "inputs[0].buffer: 'x' has '16*A*C' bytes, the shape takes '16*A*B'"},
      {"\"64*B + 256\"", "\"64*C + 256\"",
       "buffers[2].bytes: 'C' in expression '64*C + 256' is not a dim"},
      {"\"A*B <= 1000000\"", "\"A*Q <= 1000000\"",
       "requirements[0].condition: 'Q' in expression 'A*Q <= 1000000' is not a dim"},
      {"\"A % 16 == 0\"", "\"N % 16 == 0\"",
       "launches[0].variants[0].guard: 'N' in expression 'N % 16 == 0' is not a dim"},
      {"{\"int\": \"4*A\"}", "{\"int\": \"4*n\"}",
       "launches[0].variants[0].args[2]: 'n' in expression '4*n' is not a dim"},
      {"\"offset\": \"16*B\"", "\"offset\": \"16*b\"",
       "launches[1].variants[0].args[0].offset: 'b' in expression '16*b' is not a dim"},
  });
}

TEST_CASE("names that are there twice or are none") {
  check({
      {"\"name\": \"A\", \"min\"", "\"name\": \"B\", \"min\"", "dims[1].name: 'B' appears twice"},
      {"\"name\": \"B\", \"min\"", "\"name\": \"min\", \"min\"",
       "dims[0].name: 'min' is not a name"},
      {"\"name\": \"y\", \"dtype\"", "\"name\": \"x\", \"dtype\"",
       "outputs[0].name: 'x' appears twice"},
      {"\"name\": \"w\"", "\"name\": \"x\"", "buffers[1].name: 'x' appears twice"},
      {"\"name\": \"second\"", "\"name\": \"first\"", "launches[1].name: 'first' appears twice"},
      {"\"compute_80\", \"x86-64-v3\"", "\"sm_90a\", \"x86-64-v3\"",
       "targets[1]: 'sm_90a' appears twice"},
      {"\"name\": \"sample\"", "\"name\": \"\"", "name: empty"},
      {"\"name\": \"sample\"", "\"name\": \"a\\u0000b\"", "name: control characters"},
      {"\"symbol\": \"k\"", "\"symbol\": \"k\\n\"",
       "kernels[0].code[0].symbol: control characters"},
      {"\"node\": \"node0\"", "\"node\": \"\\t\"", "launches[0].node: control characters"},
  });
  Manifest many = sampleManifest();
  for (int i = 0; i < 64; ++i)
    many.targets.push_back("sm_" + std::to_string(100 + i));
  CHECK(checkManifest(many).error().message == "targets: 67, at most 64 are allowed");
  std::string good = writeManifest(sampleManifest());
  CHECK(messageOf(replaced(good, "\"sample\"", "\"" + std::string(2000, 'x') + "\"")) ==
        "name: 2000 bytes long, at most 1024 are allowed");
}

TEST_CASE("dims, tensors and buffers that contradict themselves") {
  check({
      {"\"min\": 0", "\"min\": -1", "dims[0].min: -1, expected 0 to 9223372036854775807"},
      {"\"max\": 33600", "\"max\": 3", "dims[1].max: 3 is less than min, 4"},
      {"\"multiple_of\": 4", "\"multiple_of\": 0",
       "dims[1].multiple_of: 0, expected 1 to 9223372036854775807"},
      {"\"shape\": [\"B\", 4, \"A\"]", "\"shape\": [\"B\", 4, \"A // 2\"]",
       "inputs[0].shape[2]: 'A // 2' must be an integer, a dim, or a*N + b with a dim N"},
      {"\"shape\": [\"B\", 4, \"A\"]", "\"shape\": [\"B\", -4, \"A\"]",
       "inputs[0].shape[1]: -4, expected 0 to 9223372036854775807"},
      {"\"shape\": [\"B\", 4, \"A\"]", "\"shape\": [\"B\", 5, \"A\"]",
       "inputs[0].buffer: 'x' has '16*A*B' bytes, the shape takes '20*A*B'"},
      {"\"kind\": \"input\"", "\"kind\": \"output\"",
       "inputs[0].buffer: 'x' is a buffer of kind output, expected input"},
      {"\"buffer\": \"y\"", "\"buffer\": \"x\"",
       "outputs[0].buffer: 'x' is a buffer of kind input, expected output"},
      {"\"bytes\": 40", "\"bytes\": -40",
       "buffers[1].bytes: -40, expected 0 to 9223372036854775807"},
      {"\"bytes\": 40", "\"bytes\": \"4*B\"",
       "buffers[1].bytes: '4*B', but a param has a constant size"},
      {"\"model.w\"", "\"teeny/w\"", "buffers[1].tensor: 'teeny/w' is a reserved name"},
      {"\"bytes\": 40, \"align\": 256", "\"bytes\": 40, \"align\": 4096",
       "buffers[1].align: 4096, but params are aligned to 256 at most"},
      {"\"align\": 256", "\"align\": 24",
       "buffers[0].align: 24, expected a power of two up to 4096"},
      {"\"align\": 256", "\"align\": 0", "buffers[0].align: 0, expected a power of two up to 4096"},
      {"\"align\": 256", "\"align\": 8192",
       "buffers[0].align: 8192, expected a power of two up to 4096"},
      {"\"lifetime\": [0, 1]", "\"lifetime\": [1, 0]",
       "buffers[2].lifetime[1]: 0, expected 1 to 1"},
      {"\"lifetime\": [0, 1]", "\"lifetime\": [-1, 1]",
       "buffers[2].lifetime[0]: -1, expected 0 to 1"},
      {"\"lifetime\": [0, 1]", "\"lifetime\": [0, 2]",
       "buffers[2].lifetime[1]: 2, expected 0 to 1"},
      {"\"alias_offset\": 256", "\"alias_offset\": -256",
       "buffers[3].alias_offset: -256, expected 0 to 9223372036854775807"},
      {"\"alias_of\": \"all\"", "\"alias_of\": \"part\"",
       "buffers[3].alias_of: 'part' is an alias of itself"},
  });
}

TEST_CASE("aliases in a circle") {
  Manifest manifest = sampleManifest();
  manifest.buffers[2].aliasOf = 3;
  Status status = checkManifest(manifest);
  REQUIRE_FALSE(status);
  CHECK(status.error().message == "buffers[2].alias_of: 'all' is an alias of itself");
  // A buffer that leads into the circle without being in it.
  manifest.buffers.push_back(manifest.buffers[3]);
  manifest.buffers.back().name = "third";
  std::swap(manifest.buffers[2], manifest.buffers.back());
  CHECK_FALSE(checkManifest(manifest));
}

TEST_CASE("kernels and code that contradict themselves") {
  check({
      {"\"num_warps\": 8", "\"num_warps\": 0", "kernels[0].num_warps: 0, expected 1 to 32"},
      {"\"num_warps\": 8", "\"num_warps\": 4",
       "kernels[0].code[0].threads: 256, expected 32 for each of 4 warps"},
      {"{\"name\": \"n\", \"kind\": \"i32\"}",
       "{\"name\": \"n\", \"kind\": \"i32\", \"written\": true}",
       "kernels[0].params[2].written: only a buffer can be written"},
      {"\"target\": \"compute_80\"", "\"target\": \"compute_70\"",
       "kernels[0].code[1].target: 'compute_70' is not among the bundle's targets"},
      {"\"target\": \"compute_80\"", "\"target\": \"sm_90a\"",
       "kernels[0].code[1].target: 'sm_90a' appears twice"},
      {"teeny/code/k.sm_90a.cubin", "code/k.sm_90a.cubin",
       "kernels[0].code[0].tensor: 'code/k.sm_90a.cubin', expected a name that begins with "
       "'teeny/code/'"},
      {"\"sha256\": \"00", "\"sha256\": \"0A",
       "kernels[0].code[0].sha256: expected 64 lower-case hex digits"},
      {"\"sha256\": \"00", "\"sha256\": \"",
       "kernels[0].code[0].sha256: expected 64 lower-case hex digits"},
      {"\"shared_bytes\": 1024", "\"shared_bytes\": 2147483648",
       "kernels[0].code[0].shared_bytes: 2147483648, expected 0 to 2147483647"},
      {"\"registers\": 40", "\"registers\": -1",
       "kernels[0].code[0].registers: -1, expected 0 to 2147483647"},
      {"\"scratch_bytes\": 4096", "\"scratch_bytes\": 4611686018427387904",
       "kernels[0].code[2].scratch_bytes: 4611686018427387904, expected 0 to 1073741824"},
  });
  Manifest manifest = sampleManifest();
  manifest.kernels[0].code.clear();
  CHECK(checkManifest(manifest).error().message == "kernels[0].code: no code objects");
}

TEST_CASE("signatures that contradict themselves") {
  check({
      {"\"type\": \"*fp16\"", "\"type\": \"*fp17\"",
       "kernels[1].params[0].type: '*fp17' is no type of kind buffer"},
      {"\"type\": \"*fp16\"", "\"type\": \"fp16\"",
       "kernels[1].params[0].type: 'fp16' is no type of kind buffer"},
      {"\"type\": \"u32\"", "\"type\": \"u64\"",
       "kernels[1].params[1].type: 'u64' is no type of kind i32"},
      {"\"type\": \"u32\"", "\"type\": \"**u32\"",
       "kernels[1].params[1].type: '**u32' is no type of kind i32"},
      {"\"type\": \"bf16\"", "\"type\": \"fp8e5\"",
       "kernels[1].params[2].type: 'fp8e5' is no type of kind bf16"},
      {"\"type\": \"*fp16\", ", "",
       "kernels[1].params[0]: \"multiple_of\" and \"range\" are for parameters with a type"},
      {", \"type\": \"bf16\"", "",
       "kernels[1].params[2].type: all parameters of a kernel have a type, or none"},
      {"\"multiple_of\": 16", "\"multiple_of\": 0",
       "kernels[1].params[0].multiple_of: 0, expected 1 to 4096"},
      {"\"multiple_of\": 16", "\"multiple_of\": 8192",
       "kernels[1].params[0].multiple_of: 8192, expected 1 to 4096"},
      {"\"type\": \"bf16\"", "\"type\": \"bf16\", \"multiple_of\": 2",
       "kernels[1].params[2].multiple_of: only a buffer or an integer can be a multiple of "
       "something"},
      {"\"type\": \"bf16\"", "\"type\": \"bf16\", \"range\": [0, 1]",
       "kernels[1].params[2].range: only an integer has a range"},
      {"\"range\": [0, 4096]", "\"range\": [0]",
       "kernels[1].params[1]: expected \"range\" to be the smallest and the largest value"},
      {"\"range\": [0, 4096]", "\"range\": [-1, 4096]",
       "kernels[1].params[1].range[0]: -1, expected 0 to 4294967295"},
      {"\"range\": [0, 4096]", "\"range\": [8, 7]",
       "kernels[1].params[1].range[1]: 7, expected 8 to 4294967295"},
      {"\"name\": \"acc\"", "\"name\": \"rows\"",
       "kernels[1].constants[1].name: 'rows' appears twice"},
      {"\"name\": \"rows\"", "\"name\": \"p\"", "kernels[1].params[1].name: 'p' appears twice"},
      {"\"value\": \"128\"", "\"value\": \"\"", "kernels[1].constants[0].value: empty"},
  });
}

TEST_CASE("launches that contradict themselves") {
  check({
      {"\"guard\": 1", "\"guard\": \"B\"",
       "launches[0].variants[1].guard: 'B', but the last guard must be 1"},
      {"\"guard\": 1", "\"guard\": 0",
       "launches[0].variants[1].guard: '0', but the last guard must be 1"},
      {"\"grid\": [\"B*cdiv(A, 256)\", 1, 1]", "\"grid\": [\"B*cdiv(A, 256)\", -1, 1]",
       "launches[0].variants[0].grid[1]: -1, expected 0 to 2147483647"},
      {", {\"float\": 0.1}]", "]",
       "launches[0].variants[0].args: 4 arguments, kernel 'k.fast' has 5 parameters"},
      {"{\"int\": \"4*A\"}", "{\"buffer\": \"x\"}",
       "launches[0].variants[0].args[2]: a buffer, but parameter 'n' is of kind i32"},
      {"{\"int\": \"4*A\"}", "{\"float\": 1}",
       "launches[0].variants[0].args[2]: a float, but parameter 'n' is of kind i32"},
      {"{\"buffer\": \"x\"}", "{\"int\": 0}",
       "launches[0].variants[0].args[0]: an integer, but parameter 'in' is of kind buffer"},
      {"{\"float\": 0.1}", "{\"int\": 0}",
       "launches[0].variants[0].args[4]: an integer, but parameter 'scale' is of kind f32"},
      {"{\"int\": \"4*A\"}", "{\"int\": 2147483648}",
       "launches[0].variants[0].args[2]: 2147483648, expected -2147483648 to 2147483647"},
      {"{\"int\": 1}", "{\"int\": 2}", "launches[0].variants[0].args[3]: 2, expected 0 to 1"},
      {"{\"buffer\": \"x\"}", "{\"buffer\": \"x\", \"offset\": -16}",
       "launches[0].variants[0].args[0].offset: -16, expected 0 to 9223372036854775807"},
      {"{\"buffer\": \"x\"}", "{\"buffer\": \"part\"}",
       "launches[0].variants[0].args[0]: buffer 'part' is used in launch 0, but lives in launches "
       "1 to 1"},
      {"{\"buffer\": \"all\"}", "{\"buffer\": \"w\"}",
       "launches[0].variants[0].args[1]: the kernel writes to parameter 'out', but buffer 'w' is "
       "part of a param"},
      {"{\"buffer\": \"all\"}", "{\"buffer\": \"x\"}",
       "launches[0].variants[0].args[1]: the kernel writes to parameter 'out', but buffer 'x' is "
       "part of an input"},
  });
  Manifest manifest = sampleManifest();
  manifest.launches[1].variants.clear();
  CHECK(checkManifest(manifest).error().message == "launches[1].variants: no variants");

  // Writing to a part of a param is writing to the param.
  manifest = sampleManifest();
  manifest.buffers[3].aliasOf = 1;
  manifest.launches[1].variants[0].args[1].buffer = 3;
  CHECK(checkManifest(manifest).error().message ==
        "launches[1].variants[0].args[1]: the kernel writes to parameter 'out', but buffer 'part' "
        "is part of a param");
}

TEST_CASE("golden runs and hashes that contradict the rest") {
  auto message = [](auto change) {
    Manifest manifest = sampleManifest();
    manifest.golden = {{{"teeny/golden/0/x"}, {{"teeny/golden/0/y", 0, 0}}}};
    change(manifest);
    Status status = checkManifest(manifest);
    return status ? "" : status.error().message;
  };
  CHECK(message([](Manifest &) {}) == "");
  CHECK(message([](Manifest &m) { m.golden[0].inputs.clear(); }) ==
        "golden[0].inputs: 0 tensors, the bundle has 1 inputs");
  CHECK(message([](Manifest &m) {
          m.golden[0].outputs.push_back({"teeny/golden/0/y", 0, 0});
        }) == "golden[0].outputs: 2 tensors, the bundle has 1 outputs");
  CHECK(message([](Manifest &m) { m.golden[0].inputs[0] = "model.w"; }) ==
        "golden[0].inputs[0]: 'model.w', expected a name that begins with 'teeny/golden/'");
  CHECK(message([](Manifest &m) { m.golden[0].outputs[0].relative = -1; }) ==
        "golden[0].outputs[0]: a tolerance is negative or no number");
  CHECK(message([](Manifest &m) {
          m.hashes = {{"model.w", "0"}};
        }) == "hashes[0].sha256: expected 64 lower-case hex digits");
  std::string digest(64, '0');
  CHECK(message([&](Manifest &m) {
          m.hashes = {{"model.w", digest}, {"model.w", digest}};
        }) == "hashes[1].tensor: 'model.w' appears twice");
}

TEST_CASE("buffers that belong to no tensor") {
  Manifest manifest = sampleManifest();
  manifest.inputs.clear();
  CHECK(checkManifest(manifest).error().message ==
        "buffers[0]: an input buffer must belong to one input, found 0");
  manifest = sampleManifest();
  manifest.outputs.clear();
  CHECK(checkManifest(manifest).error().message ==
        "buffers[4]: an output buffer must belong to an output");
  manifest = sampleManifest();
  manifest.inputs.push_back(manifest.inputs[0]);
  manifest.inputs.back().name = "again";
  CHECK(checkManifest(manifest).error().message ==
        "buffers[0]: an input buffer must belong to one input, found 2");
  manifest = sampleManifest();
  manifest.outputs.push_back(manifest.outputs[0]); // one result under two names
  manifest.outputs.back().name = "again";
  CHECK(checkManifest(manifest));
}

TEST_CASE("indices beyond the end, from code") {
  Manifest manifest = sampleManifest();
  manifest.inputs[0].buffer = 5;
  CHECK(checkManifest(manifest).error().message == "inputs[0].buffer: no such buffer");
  manifest = sampleManifest();
  manifest.buffers[3].aliasOf = 5;
  CHECK(checkManifest(manifest).error().message == "buffers[3].alias_of: no such buffer");
  manifest = sampleManifest();
  manifest.launches[0].variants[0].kernel = 2;
  CHECK(checkManifest(manifest).error().message ==
        "launches[0].variants[0].kernel: no such kernel");
  manifest = sampleManifest();
  manifest.launches[0].variants[0].args[0].buffer = 5;
  CHECK(checkManifest(manifest).error().message ==
        "launches[0].variants[0].args[0]: no such buffer");
}
