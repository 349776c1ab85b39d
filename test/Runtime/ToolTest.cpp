// teeny-run, as a user calls it.
#include "Runtime/TestBundle.h"

#include "Base/Sha256.h"
#include "Numbers.h"
#include "TensorFile/Npy.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sys/wait.h>

using namespace teeny;
using namespace teeny::test;

namespace {

struct Outcome {
  int code = -1;
  std::string text; // standard output and errors
};

Outcome execute(const std::string &command) {
  FILE *pipe = popen((command + " 2>&1").c_str(), "r");
  REQUIRE(pipe);
  Outcome outcome;
  std::array<char, 4096> buffer;
  while (size_t count = fread(buffer.data(), 1, buffer.size(), pipe))
    outcome.text.append(buffer.data(), count);
  int status = pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return outcome;
}

Outcome call(const std::string &arguments) { return execute(TEENY_RUN " " + arguments); }

void writeBytes(const std::string &path, const std::vector<std::byte> &bytes) {
  REQUIRE(writeFile(path, bytes));
}

void writeFloats(const std::string &path, std::vector<int64_t> shape,
                 const std::vector<float> &values) {
  auto bytes = writeNpy(DType::f32, shape, std::as_bytes(std::span(values)));
  REQUIRE(bytes);
  writeBytes(path, *bytes);
}

// Removes the files of a test when it ends.
struct Files {
  std::vector<std::string> names;
  std::string operator()(const std::string &name) {
    names.push_back("tool_test_" + name);
    return names.back();
  }
  ~Files() {
    for (const std::string &name : names)
      std::remove(name.c_str());
  }
};

} // namespace

TEST_CASE("a run on files prints and writes outputs") {
  Files file;
  std::string bundle = file("run.bundle"), x = file("x.npy"), y = file("y.npy"),
              out = file("out.npy");
  writeBytes(bundle, saxpyBundle(2.0f).bytes());
  std::vector<float> values(24);
  for (int i = 0; i < 24; ++i)
    values[i] = static_cast<float>(i) / 4;
  writeFloats(x, {1, 3, 8}, values);
  writeFloats(y, {1, 3, 8}, std::vector<float>(24, 10.0f));
  std::string inputs = bundle + " --device cpu --input x=" + x + " --input y=" + y;
  Outcome printed = call(inputs);
  CHECK(printed.text == "out  f32 (1, 3, 8)  10 10.5 11 11.5 12 12.5 13 13.5 ...\n");
  CHECK(printed.code == 0);

  Outcome written = call(inputs + " --output out=" + out + " --dim B=1");
  CHECK(written.text == "");
  CHECK(written.code == 0);
  auto mapped = MappedFile::open(out);
  REQUIRE(mapped);
  auto array = parseNpy(mapped->bytes());
  REQUIRE(array);
  CHECK(array->shape == std::vector<int64_t>{1, 3, 8});
  for (int i = 0; i < 24; ++i) {
    float value;
    memcpy(&value, array->data.data() + 4 * i, 4);
    CHECK(value == 2.0f * values[i] + 10.0f);
  }

  Outcome json = call(inputs + " --json --repeat 3 --warmup 1 --timings --threads 2");
  REQUIRE(json.code == 0);
  auto parsed = nlohmann::json::parse(json.text);
  CHECK(parsed["outputs"][0]["shape"] == std::vector<int64_t>{1, 3, 8});
  CHECK(parsed["outputs"][0]["first"][1] == "10.5");
  CHECK(parsed["timings"]["runs"] == 3);
  REQUIRE(parsed["timings"]["rows"].size() == 3);
  CHECK(parsed["timings"]["rows"][0]["name"] == "wall");
  CHECK(parsed["timings"]["rows"][1]["name"] == "device");
  CHECK(parsed["timings"]["rows"][2]["name"] == "saxpy");
  for (const auto &row : parsed["timings"]["rows"]) {
    CHECK(row["min_us"] > 0);
    CHECK(row["min_us"] <= row["median_us"]);
    CHECK(row["median_us"] <= row["max_us"]);
  }

  Outcome table = call(inputs + " --timings");
  CHECK(table.text.find("on cpu (") != std::string::npos);
  CHECK(table.text.find("min      median         max  us\n") != std::string::npos);
  CHECK(table.text.find("saxpy " + TestBundle::hostTarget() + " [1, 1, 1]\n") != std::string::npos);
}

TEST_CASE("random inputs are the same for the same seed") {
  Files file;
  std::string bundle = file("random.bundle");
  writeBytes(bundle, saxpyBundle(1.0f).bytes());
  std::string command = bundle + " --device cpu --dim B=2 --random ";
  Outcome first = call(command + "7"), again = call(command + "7"), other = call(command + "8");
  CHECK(first.code == 0);
  CHECK(first.text == again.text);
  CHECK(first.text != other.text);
  // x + y of the documented generator.
  auto x = runner::randomElements(TEENY_F32, 48, 7, "x"),
       y = runner::randomElements(TEENY_F32, 48, 7, "y");
  float a, b;
  memcpy(&a, x.data(), 4);
  memcpy(&b, y.data(), 4);
  char text[64];
  snprintf(text, sizeof text, "out  f32 (2, 3, 8)  %.9g ", static_cast<double>(a + b));
  CHECK(first.text.find(text) == 0);
}

// Values of the published reference implementation of SplitMix64, from seed 1234567.
TEST_CASE("the generator is SplitMix64") {
  // FNV-1a of the empty name is its offset basis, which the seed here takes away again.
  uint64_t seed = 1234567 - 0xcbf29ce484222325;
  const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                               4593380528125082431u, 16408922859458223821u};
  auto digits = runner::randomElements(TEENY_I64, 5, seed, "");
  auto reals = runner::randomElements(TEENY_F64, 5, seed, "");
  for (int i = 0; i < 5; ++i) {
    CHECK(runner::elementText(TEENY_I64, digits.data(), i) == std::to_string(expected[i] % 10));
    double value;
    memcpy(&value, reals.data() + 8 * i, 8);
    CHECK(value == static_cast<double>(expected[i] >> 40) / 8388608 - 1);
  }
}

TEST_CASE("small floats are encoded and decoded") {
  struct Case {
    double value;
    int exponent, mantissa;
    bool finite;
    uint32_t bits;
  };
  // From the definitions of binary16, bfloat16 and the OCP 8-bit formats.
  const Case cases[] = {
      {1.0, 5, 10, false, 0x3c00},
      {-2.0, 5, 10, false, 0xc000},
      {65504, 5, 10, false, 0x7bff},
      {std::ldexp(1, -24), 5, 10, false, 0x0001},
      {std::ldexp(1023, -24), 5, 10, false, 0x03ff},
      {std::ldexp(1, -14), 5, 10, false, 0x0400},
      {0.333251953125, 5, 10, false, 0x3555},
      {1.0, 8, 7, false, 0x3f80},
      {-3.140625, 8, 7, false, 0xc049},
      {448, 4, 3, true, 0x7e},
      {std::ldexp(1, -9), 4, 3, true, 0x01},
      {-1.5, 4, 3, true, 0xbc},
      {57344, 5, 2, false, 0x7b},
      {std::ldexp(1, -16), 5, 2, false, 0x01},
      {0.0, 5, 10, false, 0},
      {-0.0, 5, 10, false, 0x8000},
  };
  for (const Case &one : cases) {
    CAPTURE(one.value, one.exponent);
    CHECK(runner::encodeFloat(one.value, one.exponent, one.mantissa) == one.bits);
    CHECK(runner::decodeFloat(one.bits, one.exponent, one.mantissa, one.finite) == one.value);
  }
  // Ties go to even, and a carry reaches the exponent.
  CHECK(runner::encodeFloat(1 + std::ldexp(1, -11), 5, 10) == 0x3c00);
  CHECK(runner::encodeFloat(1 + std::ldexp(3, -11), 5, 10) == 0x3c02);
  CHECK(runner::encodeFloat(2 - std::ldexp(1, -12), 5, 10) == 0x4000);
  CHECK(std::isnan(runner::decodeFloat(0x7f, 4, 3, true)));
  CHECK(runner::decodeFloat(0x7c, 5, 2, false) == INFINITY);
  CHECK(std::isnan(runner::decodeFloat(0xffff, 5, 10, false)));
}

TEST_CASE("a bundle is described") {
  Files file;
  std::string bundle = file("describe.bundle");
  TestBundle model = saxpyBundle();
  model.manifest.requirements.push_back({expr("B < 60"), "keep some room"});
  model.manifest.provenance = {{"teenyc", "0.1.0"}};
  std::vector<std::byte> bytes = model.bytes();
  writeBytes(bundle, bytes);
  Outcome described = call(bundle + " --describe --dim B=4");
  std::string code = std::to_string(kernelLibrary().size());
  std::string target = TestBundle::hostTarget();
  CHECK(described.code == 0);
  CHECK(described.text == "bundle saxpy\n"
                          "dims:\n"
                          "  B  0 to 64\n"
                          "  requires B < 60  (keep some room)\n"
                          "inputs:\n"
                          "  x  f32 (B, 3, 8)\n"
                          "  y  f32 (B, 3, 8)\n"
                          "outputs:\n"
                          "  out  f32 (B, 3, 8)\n"
                          "targets: " +
                              target +
                              "\n"
                              "kernels:\n"
                              "  saxpy  (saxpy, kernels.c)\n"
                              "    " +
                              target + std::string(12 - target.size(), ' ') +
                              std::string(9 - code.size(), ' ') + code +
                              " bytes, 0 bytes of scratch\n"
                              "launches: 1\n"
                              "sizes: " +
                              std::to_string(bytes.size()) + " bytes in the file, " + code +
                              " of code, 0 of weights\n"
                              "at these dims: 1 launch, 0 bytes of temporary memory\n"
                              "made by: teenyc 0.1.0\n");
  auto json = nlohmann::json::parse(call(bundle + " --describe --json --dim B=0").text);
  CHECK(json["plan"]["launches"] == 0);
  CHECK(json["inputs"][0]["name"] == "x");
}

TEST_CASE("registers are those of assembled code") {
  Files file;
  std::string bundle = file("gpu.bundle");
  TestBundle model = saxpyBundle();
  std::vector<std::byte> code(10, std::byte('/'));
  model.gpuCode(0, "compute_80", code, 16);
  model.gpuCode(0, "sm_90", code, 16);
  model.manifest.kernels[0].code.back().registers = 40;
  model.manifest.kernels[0].code.back().spillBytes = 8;
  writeBytes(bundle, model.bytes());
  std::string text = call(bundle + " --describe").text;
  CAPTURE(text);
  CHECK(text.find("    compute_80         10 bytes, 128 threads, 16 bytes shared\n") !=
        std::string::npos);
  CHECK(text.find("    sm_90              10 bytes, 128 threads, 16 bytes shared, 40 registers, "
                  "8 bytes spilled\n") != std::string::npos);
}

TEST_CASE("mistakes have exit codes and texts") {
  Files file;
  std::string bundle = file("errors.bundle"), x = file("x64.npy"), noise = file("noise.npy");
  writeBytes(bundle, saxpyBundle().bytes());
  std::vector<double> doubles(24);
  writeBytes(
      x, *writeNpy(DType::f64, std::vector<int64_t>{1, 3, 8}, std::as_bytes(std::span(doubles))));
  writeBytes(noise, std::vector<std::byte>(64, std::byte('z')));
  auto check = [&](const std::string &arguments, int code, const std::string &part) {
    Outcome outcome = call(arguments);
    CAPTURE(arguments, outcome.text);
    CHECK(outcome.code == code);
    CHECK(outcome.text.find(part) != std::string::npos);
  };
  check("", 2, "BUNDLE is required");
  check(bundle + " --wrong", 2, "--wrong");
  check(bundle + " --input x", 2, "--input: expected NAME=F.npy, found 'x'");
  check(bundle + " --dim B=many", 2, "--dim: expected an integer, found 'many'");
  check(bundle + " --input x=a --input x=b", 2, "--input: 'x' is given twice");
  check(bundle + " --dim B=1 --dim B=1", 2, "--dim: 'B' is given twice");
  check(bundle + " --repeat 0", 2, "--repeat");
  check("--help", 0, "Usage: teeny-run");
  check("--version", 0, "teeny-run " + std::string(teeny_version()) + "\n");
  check("no_such.bundle", 1, "teeny-run: no_such.bundle: ");
  check(noise, 1, "teeny-run: " + noise + ": ");
  check(bundle, 1, "teeny-run: input 'x' has no data: give --input x=F.npy, or --random SEED\n");
  check(bundle + " --random 1", 1,
        "teeny-run: the shape of input 'x' needs its dims: 'x' axis 0: ");
  check(bundle + " --random 1 --dim B=65", 1, "B = 65 is outside 0 to 64");
  check(bundle + " --random 1 --dim B=1 --dim C=1", 1, "the bundle has no dim 'C'");
  check(bundle + " --random 1 --dim B=2 --input x=" + x, 1,
        "teeny-run: input 'x': the dtype is f64, expected f32\n");
  check(bundle + " --random 1 --dim B=1 --input z=" + x, 1,
        "teeny-run: the bundle has no input 'z'\n");
  check(bundle + " --random 1 --dim B=1 --output z=" + x, 1,
        "teeny-run: the bundle has no output 'z'\n");
  check(bundle + " --random 1 --dim B=1 --input x=" + noise, 1, "teeny-run: " + noise + ": ");
  check(bundle + " --random 1 --dim B=1 --input x=none.npy", 1, "none.npy");
  check(bundle + " --random 1 --dim B=1 --target sm_90", 1, "has no code of target 'sm_90'");
  check(bundle + " --random 1 --dim B=1 --device tpu", 1, "unknown device 'tpu'");
  check(bundle + " --random 1 --dim B=1 --device cuda:77", 3, "teeny-run: ");
  check(bundle + " --random 1 --dim B=1 --sha256 " + std::string(64, '0'), 1, "the SHA-256 is ");
  check(bundle + " --random 1 --dim B=1 --output out=/no/such/folder/f.npy", 1,
        "/no/such/folder/f.npy");
}

TEST_CASE("inputs that contradict --dim are refused") {
  Files file;
  std::string bundle = file("dims.bundle"), x = file("x2.npy");
  writeBytes(bundle, saxpyBundle().bytes());
  writeFloats(x, {2, 3, 8}, std::vector<float>(48));
  Outcome outcome = call(bundle + " --device cpu --dim B=3 --input x=" + x + " --input y=" + x);
  CHECK(outcome.code == 1);
  CHECK(outcome.text == "teeny-run: --dim says B = 3, the inputs make it 2\n");
}

TEST_CASE("the programs of the README run, and so does the C++ wrapper") {
  Files file;
  std::string bundle = file("example.bundle");
  writeBytes(bundle, saxpyBundle(2.0f).bytes());
  for (const char *program : {TEENY_README_C, TEENY_README_CPP, TEENY_README_PYTHON}) {
    if (!*program)
      continue; // sanitizers would have to be in the interpreter, too
    CAPTURE(program);
    Outcome example = execute(program + (" " + bundle));
    CHECK(example.code == 0);
    CHECK(example.text.find("cpu (") == 0);
    CHECK(example.text.find("): out[0] = 3\n") != std::string::npos);
    Outcome failing = execute(program + std::string(" no_such.bundle"));
    CHECK(failing.code == 1);
    CHECK(failing.text.find("no_such.bundle: ") != std::string::npos);
  }
  Outcome wrapper = execute(TEENY_HPP " " + bundle);
  CHECK(wrapper.text == "");
  CHECK(wrapper.code == 0);
}

namespace {
// A bundle of one kernel, or of several, and no model.
TestBundle kernelBundle(int kernels = 1) {
  TestBundle bundle("kernels");
  for (int i = 0; i < kernels; ++i) {
    size_t kernel = bundle.kernel("saxpy", {"x", "y", "out!", "n:i32", "a:f32"});
    bundle.types(kernel, {"*fp32:4", "*fp32:4", "*fp32:4", "i32@0..1000", "fp32"});
    bundle.manifest.kernels[kernel].constants = {{"BLOCK", "128"}};
    if (i != 0)
      bundle.manifest.kernels[kernel].name += std::to_string(i);
    bundle.cpuCode(kernel);
  }
  return bundle;
}
} // namespace

TEST_CASE("a kernel is launched on arguments") {
  Files file;
  std::string bundle = file("kernel.bundle"), x = file("x.npy"), out = file("out.npy");
  writeBytes(bundle, kernelBundle().bytes());
  std::vector<float> values(200);
  for (int i = 0; i < 200; ++i)
    values[i] = static_cast<float>(i) / 4;
  writeFloats(x, {10, 20}, values);
  std::string command = bundle + " --device cpu --grid 2 --arg x=" + x;
  Outcome printed =
      call(command + " --arg y=zeros:200 --arg out=zeros:f32:2x100 --arg n=200 --arg a=-2");
  CHECK(printed.text == "out  f32 (2, 100)  0 -0.5 -1 -1.5 -2 -2.5 -3 -3.5 ...\n");
  CHECK(printed.code == 0);

  // In place, from an element on, to a file.
  Outcome written =
      call(command + " --arg y=@x+1 --arg out=@x --arg n=199 --arg a=10 --output out=" + out +
           " --repeat 3");
  CHECK(written.code == 0);
  CHECK(written.text.find("wall") != std::string::npos);
  auto mapped = MappedFile::open(out);
  REQUIRE(mapped);
  auto array = parseNpy(mapped->bytes());
  REQUIRE(array);
  CHECK(array->shape == std::vector<int64_t>{10, 20});
  for (int i = 0; i < 200; ++i) { // of one launch, whatever was repeated
    float value;
    memcpy(&value, array->data.data() + 4 * i, 4);
    CHECK(value == (i < 199 ? 10 * values[i] + values[i + 1] : values[i]));
  }

  Outcome json = call(command + " --arg y=random:200 --arg out=zeros:200 --arg n=200 --arg a=0 "
                                "--random 7 --json");
  REQUIRE(json.code == 0);
  auto expected = runner::randomElements(TEENY_F32, 200, 7, "y");
  CHECK(nlohmann::json::parse(json.text)["outputs"][0]["first"][3] ==
        runner::elementText(TEENY_F32, expected.data(), 3));
  CHECK(call(bundle + " --describe").text.find("    out: *fp32, written\n") != std::string::npos);
}

TEST_CASE("mistakes in the arguments of a kernel") {
  Files file;
  std::string bundle = file("kernel_errors.bundle"), several = file("several.bundle"),
              model = file("model.bundle"), wide = file("wide.npy");
  writeBytes(bundle, kernelBundle().bytes());
  writeBytes(several, kernelBundle(2).bytes());
  writeBytes(model, saxpyBundle(2.0f).bytes());
  std::vector<double> doubles(8);
  auto npy = writeNpy(DType::f64, std::vector<int64_t>{8}, std::as_bytes(std::span(doubles)));
  REQUIRE(npy);
  writeBytes(wide, *npy);
  const std::string good = " --arg x=zeros:8 --arg y=zeros:8 --arg out=zeros:8", grid = " --grid 1",
                    numbers = " --arg n=8 --arg a=1";
  struct Row {
    std::string arguments;
    int code;
    std::string text;
  };
  const Row rows[] = {
      {bundle, 1,
       "the bundle has kernels and no model: give --grid and an --arg for each parameter "
       "(--describe lists them)"},
      {bundle + good, 2, "--grid is required"},
      {bundle + " --grid 1,2,3,4" + good, 2, "--grid: expected X, X,Y or X,Y,Z, found '1,2,3,4'"},
      {bundle + " --grid -1" + good, 2, "--grid: expected 0 to 2147483647, found -1"},
      {bundle + " --grid 1 --dim B=3", 2, "--grid: a kernel takes --arg, not --input and --dim"},
      {bundle + grid + good + " --arg x=zeros:9", 2, "--arg: 'x' is given twice"},
      {bundle + grid + good + " --arg n", 2, "--arg: expected NAME=VALUE, found 'n'"},
      {bundle + grid + good + " --arg n=8", 1,
       "kernel 'saxpy': parameter 'a' (fp32) has no argument"},
      {bundle + grid + good + numbers + " --arg yy=zeros:8", 1,
       "kernel 'saxpy' has no parameter 'yy'; did you mean 'y'?"},
      {bundle + grid + good + numbers + " --arg scale=3", 1,
       "kernel 'saxpy' has no parameter 'scale'; it has x, y, out, n, a"},
      {bundle + grid + good + numbers + " --arg BLOCK=64", 1,
       "--arg BLOCK: the kernel was compiled for BLOCK = 128"},
      {bundle + grid + good + " --arg a=1 --arg n=eight", 1,
       "--arg n: expected an integer (i32), found 'eight'"},
      {bundle + grid + good + " --arg a=one --arg n=8", 1,
       "--arg a: expected a number (fp32), found 'one'"},
      {bundle + grid + good + " --arg a=1 --arg n=1001", 1,
       "kernel 'saxpy': parameter 'n' (i32): 1001 is outside 0 to 1000"},
      {bundle + grid + numbers + " --arg x=" + wide + " --arg y=@x --arg out=@x", 1,
       "kernel 'saxpy': parameter 'x' (*fp32): the dtype is f64, expected f32"},
      {bundle + grid + numbers + " --arg x=zeros:f64:8 --arg y=@x --arg out=@x", 1,
       "kernel 'saxpy': parameter 'x' (*fp32): the dtype is f64, expected f32"},
      {bundle + grid + numbers + " --arg x=zeros:float:8", 1,
       "--arg x: there is no element type 'float'; it has f64, f32, f16, bf16, f8e4m3, f8e5m2, "
       "i64, "
       "i32, i16, i8, u64, u32, u16, u8, bool"},
      {bundle + grid + numbers + " --arg x=zeros:8xb", 1,
       "--arg x: expected a number of elements, found 'b'"},
      {bundle + grid + numbers + " --arg x=zeros:99999999x99999999", 1,
       "--arg x: 99999999x99999999 is too large"},
      {bundle + grid + numbers + " --arg x=zeros:8 --arg y=@z", 1,
       "--arg y: 'z' is no tensor among the arguments; did you mean 'x'?"},
      {bundle + grid + numbers + " --arg x=zeros:8 --arg y=@x+9", 1,
       "--arg y: element 9 is outside 'x' of 8 elements"},
      {bundle + grid + good + numbers + " --output x=f.npy", 1,
       "--output x: the kernel does not write to it; it has out"},
      {bundle + grid + good + numbers + " --output oot=f.npy", 1,
       "--output oot: the kernel has no such parameter; did you mean 'out'?"},
      {several + grid + good + numbers, 1,
       "the bundle has 2 kernels: choose one with --kernel; it has saxpy, saxpy1"},
      {several + grid + " --kernel saxpi" + good + numbers, 1,
       "the bundle has no kernel 'saxpi'; did you mean 'saxpy'?"},
      {model + grid + " --kernel saxpy", 1,
       "kernel 'saxpy' belongs to the bundle's launches: it was not compiled with a signature"},
  };
  for (const Row &row : rows) {
    INFO(row.arguments);
    Outcome outcome = call(row.arguments + (row.code == 2 ? "" : " --device cpu"));
    CHECK(outcome.code == row.code);
    const std::string expected = row.code == 2 ? row.text + "\n" : "teeny-run: " + row.text + "\n";
    if (row.code == 2)
      CHECK(outcome.text.rfind(expected, 0) == 0);
    else
      CHECK(outcome.text == expected);
  }
  CHECK(call(several + grid + " --kernel saxpy1 --device cpu" + good + numbers).code == 0);
}
