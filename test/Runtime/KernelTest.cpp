// Launches of single kernels on the CPU through the C API: values, and every check of an argument.
#include "Runtime/ApiHelper.h"
#include "Runtime/KernelLaunch.h"

#include <cmath>

using namespace teeny;
using namespace teeny::test;

namespace {

// out = a * x + y for vectors, with what a compiler could require of them.
TestBundle saxpyKernel() {
  TestBundle bundle("kernels");
  size_t kernel = bundle.kernel("saxpy", {"x", "y", "out!", "n:i32", "a:f32"});
  bundle.types(kernel, {"*fp32:16", "*fp32:4", "*fp32:4", "i32:8@0..4096", "fp32"});
  bundle.manifest.kernels[kernel].constants = {{"BLOCK", "128"}};
  bundle.cpuCode(kernel);
  size_t params = bundle.kernel("params", {"out!", "flag:i1", "byte:i8", "short:i16", "word:i32",
                                           "long:i64", "single:f32", "double:f64"});
  bundle.types(params, {"*fp64:8", "i1", "u8", "i16", "u32", "u64", "fp32", "fp64"});
  bundle.cpuCode(params);
  bundle.cpuCode(bundle.kernel("coordinates", {"out!"})); // of the bundle's launches
  return bundle;
}

teeny_argument tensor(const char *name, const Bound &bound) {
  return {name, TEENY_ARGUMENT_TENSOR, &bound.tensor, 0, 0};
}
teeny_argument integer(const char *name, int64_t value) {
  return {name, TEENY_ARGUMENT_INT, nullptr, value, 0};
}
teeny_argument unsignedInteger(const char *name, uint64_t value) {
  return {name, TEENY_ARGUMENT_UINT, nullptr, int64_t(value), 0};
}
teeny_argument real(const char *name, double value) {
  return {name, TEENY_ARGUMENT_FLOAT, nullptr, 0, value};
}

teeny_status launch(const SessionHandle &session, const char *kernel, std::vector<int32_t> grid,
                    const std::vector<teeny_argument> &arguments) {
  return teeny_launch_kernel(session.get(), kernel, grid.data(), arguments.data(),
                             arguments.size());
}

} // namespace

TEST_CASE("a kernel is launched with arguments by name or by order") {
  BundleHandle bundle = open(saxpyKernel());
  SessionHandle run = session(bundle);
  for (int64_t n : {0, 8, 128, 1000}) {
    CAPTURE(n);
    std::vector<float> x = ramp(n, 1, 0.5f), y = ramp(n, -3, 0.25f), out(n, -1.0f);
    Bound bx(x.data(), TEENY_F32, {n}), by(y.data(), TEENY_F32, {n}),
        bo(out.data(), TEENY_F32, {n});
    std::vector<teeny_argument> arguments = {real("a", 2), tensor("out", bo), tensor("y", by),
                                             tensor("x", bx), integer("n", n)};
    const int32_t blocks = int32_t((n + 127) / 128);
    ok(launch(run, "saxpy", {blocks, 1, 1}, arguments));
    for (int64_t i = 0; i < n; ++i)
      REQUIRE(out[i] == 2 * x[i] + y[i]);
    ok(launch(run, "saxpy", {blocks, 1, 1},
              {tensor(nullptr, bx), tensor(nullptr, by), tensor(nullptr, bo), integer(nullptr, n),
               real(nullptr, -1)}));
    for (int64_t i = 0; i < n; ++i)
      REQUIRE(out[i] == y[i] - x[i]);

    teeny_run_statistics statistics;
    ok(teeny_get_statistics(run.get(), &statistics));
    CHECK(statistics.launches == (n == 0 ? 0 : 1));
    CHECK((statistics.copied_in == 0 && statistics.copied_out == 0));
    if (n == 0)
      continue;
    teeny_launch_info info;
    ok(teeny_get_launch(run.get(), 0, &info));
    CHECK(std::string(info.name) == "saxpy");
    CHECK(std::string(info.node) == "");
    CHECK(info.grid[0] == blocks);
  }
}

TEST_CASE("one tensor may be several arguments, and part of another") {
  BundleHandle bundle = open(saxpyKernel());
  SessionHandle run = session(bundle);
  alignas(16) float data[17];
  for (int i = 0; i < 17; ++i)
    data[i] = float(i);
  Bound all(data, TEENY_F32, {16}), shifted(data + 1, TEENY_F32, {16});
  ok(launch(run, "saxpy", {1, 1, 1},
            {tensor("x", all), tensor("y", shifted), tensor("out", all), integer("n", 16),
             real("a", 10)}));
  for (int i = 0; i < 16; ++i)
    CHECK(data[i] == 10 * i + (i + 1));
}

TEST_CASE("every kind of parameter gets its value") {
  BundleHandle bundle = open(saxpyKernel());
  SessionHandle run = session(bundle);
  std::vector<double> out(7);
  Bound bound(out.data(), TEENY_F64, {7});
  ok(launch(run, "params", {1, 1, 1},
            {tensor("out", bound), integer("flag", 1), integer("byte", 255),
             integer("short", -32768), unsignedInteger("word", 4294967295u),
             unsignedInteger("long", 9223372036854775807u), real("single", 0.1),
             real("double", 0.1)}));
  CHECK(out == std::vector<double>{1, 255, -32768, 4294967295.0, 9223372036854775807.0,
                                   double(0.1f), 0.1});
  // The kernel reads slots as int64: the upper half of u64 is there as bits.
  ok(launch(run, "params", {1, 1, 1},
            {tensor("out", bound), integer("flag", 0), integer("byte", 0), integer("short", 0),
             integer("word", 0), unsignedInteger("long", UINT64_MAX), real("single", INFINITY),
             real("double", -INFINITY)}));
  CHECK(out[4] == -1);
  CHECK((std::isinf(out[5]) && std::isinf(out[6]) && out[6] < 0));
}

TEST_CASE("arguments that do not fit the kernel are refused") {
  BundleHandle bundle = open(saxpyKernel());
  SessionHandle run = session(bundle);
  alignas(16) float x[16] = {}, out[16] = {};
  double wide[16] = {};
  Bound bx(x, TEENY_F32, {16}), bo(out, TEENY_F32, {16}), bd(wide, TEENY_F64, {16});
  Bound odd(x + 1, TEENY_F32, {8}), byte(reinterpret_cast<char *>(x) + 1, TEENY_F32, {8});
  const std::vector<teeny_argument> good = {tensor("x", bx), tensor("y", bx), tensor("out", bo),
                                            integer("n", 16), real("a", 2)};
  auto with = [&](size_t index, const teeny_argument &argument) {
    std::vector<teeny_argument> arguments = good;
    arguments[index] = argument;
    return failure(launch(run, "saxpy", {1, 1, 1}, arguments));
  };
  ok(launch(run, "saxpy", {1, 1, 1}, good));

  CHECK(with(0, tensor("x", bd)) ==
        "invalid: kernel 'saxpy': parameter 'x' (*fp32): the dtype is f64, expected f32");
  CHECK(with(0, tensor("x", odd)) ==
        "invalid: kernel 'saxpy': parameter 'x' (*fp32): the address is no multiple of 16 bytes, "
        "which the kernel was compiled for");
  CHECK(with(1, tensor("y", byte)) ==
        "invalid: kernel 'saxpy': parameter 'y' (*fp32): the address is no multiple of 4 bytes, "
        "which the kernel was compiled for");
  CHECK(with(3, integer("n", 4104)) ==
        "out of range: kernel 'saxpy': parameter 'n' (i32): 4104 is outside 0 to 4096");
  CHECK(with(3, integer("n", -8)) ==
        "out of range: kernel 'saxpy': parameter 'n' (i32): -8 is outside 0 to 4096");
  CHECK(with(3, unsignedInteger("n", UINT64_MAX)) ==
        "out of range: kernel 'saxpy': parameter 'n' (i32): 18446744073709551615 is outside 0 to "
        "4096");
  CHECK(with(3, integer("n", 12)) == "invalid: kernel 'saxpy': parameter 'n' (i32): 12 is no "
                                     "multiple of 8, which the kernel was compiled for");
  CHECK(with(3, real("n", 16)) ==
        "invalid: kernel 'saxpy': parameter 'n' (i32): the argument is a float, expected an "
        "integer");
  CHECK(with(3, tensor("n", bx)) ==
        "invalid: kernel 'saxpy': parameter 'n' (i32): the argument is a tensor, expected an "
        "integer");
  CHECK(with(4, integer("a", 2)) ==
        "invalid: kernel 'saxpy': parameter 'a' (fp32): the argument is an integer, expected a "
        "float");
  CHECK(with(0, integer("x", 0)) ==
        "invalid: kernel 'saxpy': parameter 'x' (*fp32): the argument is an integer, expected a "
        "tensor");
  CHECK(with(3, integer("m", 16)) ==
        "not found: kernel 'saxpy': it has no parameter 'm'; it has: x, y, out, n, a");
  CHECK(with(3, integer("BLOCK", 128)) == "invalid: kernel 'saxpy': parameter 'BLOCK' is no "
                                          "argument: the kernel was compiled for BLOCK = 128");
  CHECK(with(3, tensor("x", bx)) ==
        "invalid: kernel 'saxpy': parameter 'x' (*fp32) has two arguments");
  teeny_argument unknown = integer("n", 16);
  unknown.kind = static_cast<teeny_argument_kind>(9);
  CHECK(with(3, unknown) == "invalid: argument 'n': there is no kind 9");
  teeny_argument none = tensor("x", bx);
  none.tensor = nullptr;
  CHECK(with(0, none) == "invalid: the argument 'argument.tensor' is NULL");

  std::vector<teeny_argument> few(good.begin(), good.end() - 1), many = good;
  CHECK(failure(launch(run, "saxpy", {1, 1, 1}, few)) ==
        "invalid: kernel 'saxpy': parameter 'a' (fp32) has no argument");
  many.push_back(integer(nullptr, 1));
  CHECK(failure(launch(run, "saxpy", {1, 1, 1}, many)) ==
        "invalid: kernel 'saxpy': 6 arguments, it takes 5");
}

TEST_CASE("tensors of kernels that no memory has are refused") {
  BundleHandle bundle = open(saxpyKernel());
  SessionHandle run = session(bundle);
  alignas(16) float x[16] = {};
  Bound bx(x, TEENY_F32, {16});
  auto first = [&](const Bound &bound) {
    return failure(launch(
        run, "saxpy", {1, 1, 1},
        {tensor("x", bound), tensor("y", bx), tensor("out", bx), integer("n", 16), real("a", 1)}));
  };
  CHECK(first(Bound(nullptr, TEENY_F32, {16})) ==
        "invalid: kernel 'saxpy': parameter 'x' (*fp32): the data is NULL");
  CHECK(first(Bound(x, TEENY_F32, {-1})) ==
        "invalid: kernel 'saxpy': parameter 'x' (*fp32) axis 0: the size is -1, below 0");
  Bound strided(x, TEENY_F32, {4, 2});
  const int64_t strides[] = {1, 4};
  strided.tensor.strides = strides;
  CHECK(first(strided) ==
        "unsupported: kernel 'saxpy': parameter 'x' (*fp32): the strides are (1, 4), which is not "
        "contiguous row-major for the shape (4, 2); copy the tensor first");
  CHECK(first(Bound(x, TEENY_F32, {16}, TEENY_DEVICE)) ==
        "unsupported: argument 'x': the data is device memory, and the session runs on the CPU");
}

TEST_CASE("kernels and grids that there cannot be are refused") {
  BundleHandle bundle = open(saxpyKernel());
  SessionHandle run = session(bundle);
  CHECK(failure(launch(run, "saxpi", {1, 1, 1}, {})) ==
        "not found: the bundle has no kernel 'saxpi'; it has: saxpy, params, coordinates");
  CHECK(failure(launch(run, "coordinates", {1, 1, 1}, {})) ==
        "unsupported: kernel 'coordinates' belongs to the bundle's launches: it was not compiled "
        "with a signature");
  CHECK(failure(launch(run, "saxpy", {1, -1, 1}, {})) ==
        "invalid: kernel 'saxpy': the grid is 1 x -1 x 1, below 0");
  CHECK(failure(launch(run, "saxpy", {1, 1, 65536}, {})) ==
        "out of range: kernel 'saxpy': the grid is 1 x 1 x 65536, at most 65535 programs are "
        "allowed along y and z");
  CHECK(failure(teeny_launch_kernel(run.get(), "saxpy", nullptr, nullptr, 0)) ==
        "invalid: the argument 'grid' is NULL");
  teeny_run_statistics statistics;
  CHECK(failure(teeny_get_statistics(run.get(), &statistics)) ==
        "invalid: there has been no successful run since tensors were bound");
}

// Values of the tables of IEEE 754 binary16 and of bfloat16 as the upper half of binary32.
TEST_CASE("floats are rounded to 16 bits to nearest even") {
  struct Row {
    double value;
    uint16_t half, bfloat;
  };
  const Row rows[] = {{0.0, 0x0000, 0x0000},
                      {-0.0, 0x8000, 0x8000},
                      {1.0, 0x3c00, 0x3f80},
                      {-2.0, 0xc000, 0xc000},
                      {65504.0, 0x7bff, 0x4780},
                      {65519.99, 0x7bff, 0x4780},
                      {65520.0, 0x7c00, 0x4780},
                      {1e300, 0x7c00, 0x7f80},
                      {-1e300, 0xfc00, 0xff80},
                      {INFINITY, 0x7c00, 0x7f80},
                      {1.0009765625, 0x3c01, 0x3f80},            // 1 + 2^-10
                      {1.00048828125, 0x3c00, 0x3f80},           // half way: to even
                      {1.00146484375, 0x3c02, 0x3f80},           // half way: to even
                      {1.00390625, 0x3c04, 0x3f80},              // 1 + 2^-8: half way in bfloat16
                      {1.01171875, 0x3c0c, 0x3f82},              // 1 + 3 * 2^-8
                      {5.9604644775390625e-08, 0x0001, 0x3380},  // 2^-24
                      {2.98023223876953125e-08, 0x0000, 0x3300}, // 2^-25: half way
                      {3.0e-08, 0x0001, 0x3301},
                      {6.103515625e-05, 0x0400, 0x3880}};
  for (const Row &row : rows) {
    CAPTURE(row.value);
    CHECK(rt::floatSlot(row.value, KernelParam::Kind::f16) == row.half);
    CHECK(rt::floatSlot(row.value, KernelParam::Kind::bf16) == row.bfloat);
  }
  CHECK((rt::floatSlot(NAN, KernelParam::Kind::f16) & 0x7fff) > 0x7c00);
  CHECK((rt::floatSlot(NAN, KernelParam::Kind::bf16) & 0x7fff) > 0x7f80);
}
