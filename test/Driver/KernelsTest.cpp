// Kernels without a graph, from their files to numbers: compiled by the driver for a signature, run
// through the C API on the CPU, and as PTX on the machine that interprets it.
#include "../Target/PtxMachine.h"

#include "Bundle/BundleFile.h"
#include "Bundle/ParamType.h"
#include "Driver/Driver.h"
#include "RunKernel.h"

#include "llvm/ADT/StringExtras.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstring>

using namespace teeny;
using namespace teeny::test;
namespace rt = teeny::runtime;

namespace {

const std::string probes = TEENY_SOURCE_DIR "/test/Driver/models/kernels/probe.py";

// The text of the only PTX in a bundle.
std::string ptxOf(const std::string &path) {
  Result<BundleFile> bundle = BundleFile::open(path);
  REQUIRE(bundle);
  std::span<const std::byte> bytes = bundle->code(bundle->manifest().kernels[0].code[0]);
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

const int64_t batch = 319, stride = 7864320; // of a tensor of shape [320, 2560, 3072]
const int64_t exact = 2508718080, wrapped = -1786249216;

} // namespace

TEST_CASE("a vector sum of any length, by name and in place") {
  Folder folder;
  rt::Bundle bundle = rt::Bundle::open(
      compileKernels(folder, {TEENY_SOURCE_DIR "/kernels/basic/add.py::add_forward"},
                     {"*fp32:16, *fp32:16, *fp32:16, i32, 256"}));
  rt::Session session = cpuSession(bundle);
  for (int n : {0, 1, 255, 256, 257, 5000}) {
    CAPTURE(n);
    std::vector<float> x(n), y(n), out(n, -1);
    for (int i = 0; i < n; ++i) {
      x[i] = float(i) / 4;
      y[i] = float(i % 17);
    }
    const int32_t blocks = (n + 255) / 256;
    session.launch("add_forward", {blocks, 1, 1},
                   {tensor("x", x, TEENY_F32), tensor("y", y, TEENY_F32),
                    tensor("out", out, TEENY_F32), integer("n", n)});
    for (int i = 0; i < n; ++i)
      REQUIRE(out[i] == x[i] + y[i]);
    session.launch("add_forward", {blocks, 1, 1},
                   {tensor("x", x, TEENY_F32), tensor("y", out, TEENY_F32),
                    tensor("out", out, TEENY_F32), integer("n", n)});
    for (int i = 0; i < n; ++i)
      REQUIRE(out[i] == x[i] + (x[i] + y[i]));
  }
}

TEST_CASE("softmax of rows, for two signatures in one bundle") {
  Folder folder;
  rt::Bundle bundle = rt::Bundle::open(compileKernels(
      folder, {TEENY_SOURCE_DIR "/kernels/nn/softmax.py::softmax_forward"},
      {"*fp32, *fp32, i32, 128", "*fp64, *fp64, N=i32:16, BLOCK=64"}, {"cpu"}, {"N=1:4096"}));
  rt::Session session = cpuSession(bundle);
  auto check = [&](auto zero, const char *kernel, teeny_dtype dtype, int columns,
                   double tolerance) {
    using T = decltype(zero);
    CAPTURE(kernel, columns);
    const int rows = 3;
    std::vector<T> x(rows * columns), out(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = T(int(i * 37 % 101) - 50) / 8;
    session.launch(kernel, {rows, 1, 1},
                   {tensor("x", x, dtype), tensor("out", out, dtype), integer("N", columns)});
    for (int row = 0; row < rows; ++row) {
      double sum = 0;
      for (int i = 0; i < columns; ++i)
        sum += std::exp(double(x[row * columns + i]));
      for (int i = 0; i < columns; ++i)
        REQUIRE(double(out[row * columns + i]) ==
                Approx(std::exp(double(x[row * columns + i])) / sum).epsilon(tolerance));
    }
  };
  for (int columns : {1, 7, 128, 1000})
    check(0.0f, "softmax_forward", TEENY_F32, columns, 1e-5);
  for (int columns : {16, 64, 208}) // computed in fp32
    check(0.0, "softmax_forward_2", TEENY_F64, columns, 1e-5);
  std::vector<float> x(5000), out(5000);
  auto failure = [&](const char *kernel, int64_t n) {
    try {
      session.launch(kernel, {1, 1, 1},
                     {tensor("x", x, TEENY_F32), tensor("out", out, TEENY_F32), integer("N", n)});
    } catch (const rt::Failure &error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(failure("softmax_forward", 4097) ==
        "kernel 'softmax_forward': parameter 'N' (i32): 4097 is outside 1 to 4096");
  CHECK(failure("softmax_forward_2", 16) ==
        "kernel 'softmax_forward_2': parameter 'x' (*fp64): the dtype is f32, expected f64");
}

TEST_CASE("parameters of every type arrive, on the CPU and in PTX") {
  Folder folder;
  const std::string signature =
      "*fp64, i1, i8, i16, i32, u8, u16, u32, fp16, bf16, fp32, fp64, 0.5";
  const std::vector<double> expected = {
      1,       -128,         -32768,         -2147483648.0, 255,
      65535,   4294967295.0, 0.333251953125, 0.333984375,   double(1 / 3.0f),
      1 / 3.0, 0.5};
  const std::string cpu = compileKernels(folder, {probes + "::all_kinds"}, {signature});
  for (const char *target : {"x86-64", "x86-64-v3"}) {
    rt::Bundle bundle = rt::Bundle::open(cpu);
    rt::Session session = cpuSession(bundle, target);
    std::vector<double> out(12);
    session.launch("all_kinds", {1, 1, 1},
                   {tensor("out", out, TEENY_F64), integer("a", 1), integer("b", -128),
                    integer("c", -32768), integer("d", INT32_MIN), integer("e", 255),
                    integer("f", 65535), integer("g", UINT32_MAX), rt::Argument::real("h", 1 / 3.0),
                    rt::Argument::real("i", 1 / 3.0), rt::Argument::real("j", 1 / 3.0),
                    rt::Argument::real("k", 1 / 3.0)});
    CHECK(out == expected);
  }

  const std::string path =
      compileKernels(folder, {probes + "::all_kinds"}, {signature}, {"compute_80"});
  const std::string ptx = ptxOf(path);
  std::vector<double> out(12);
  auto bits = [](double value) {
    uint64_t result;
    memcpy(&result, &value, 8);
    return result;
  };
  PtxMachine machine(ptx);
  machine.run("all_kinds", {1, 1, 1},
              {machine.buffer(out), 1, uint64_t(-128), uint64_t(-32768), uint64_t(INT32_MIN), 255,
               65535, UINT32_MAX, 0x3555, 0x3eab, 0x3eaaaaab, bits(1 / 3.0)});
  CHECK(out == expected);

  // The sizes in the table of launchers are those of the PTX entry.
  Result<BundleFile> bundle = BundleFile::open(path);
  REQUIRE(bundle);
  const std::vector<KernelParam> &params = bundle->manifest().kernels[0].params;
  const std::vector<std::pair<std::string, unsigned>> entry = parsePtx(ptx).at("all_kinds").params;
  REQUIRE(entry.size() == params.size());
  for (size_t i = 0; i < params.size(); ++i)
    CHECK(entry[i].second == paramBytes(params[i].kind));
}

TEST_CASE("an offset does not wrap where its value would") {
  Folder folder;
  // Whatever is known of the arguments: nothing, ranges that allow more than 2^31, divisibility,
  // their values.
  struct Choice {
    const char *signature;
    std::vector<std::string> ranges;
  };
  const Choice choices[] = {{"*i8, *i64, i32, i32", {}},
                            {"*i8:16, *i64, i32, i32:16", {"batch=0:319", "stride=1:"}},
                            {"*i8, *i64, i32, 7864320", {"batch=:319"}},
                            {"*i8, *i64, batch=319, stride=i32", {}}};
  for (const Choice &choice : choices) {
    CAPTURE(choice.signature);
    std::vector<int64_t> expected = {wrapped, exact, exact};
    alignas(16) static int8_t base[16];
    std::vector<int64_t> out(3);
    const std::string path =
        compileKernels(folder, {probes + "::probe"}, {choice.signature}, {"x86-64"}, choice.ranges);
    rt::Bundle bundle = rt::Bundle::open(path);
    rt::Session session = cpuSession(bundle);
    Result<BundleFile> file = BundleFile::open(path);
    REQUIRE(file);
    std::vector<rt::Argument> arguments = {rt::Argument::tensor("base", {base, TEENY_I8, {16}}),
                                           tensor("out", out, TEENY_I64)};
    std::vector<uint64_t> slots;
    for (const KernelParam &param : file->manifest().kernels[0].params)
      if (param.kind != KernelParam::Kind::buffer) {
        arguments.push_back(integer(param.name, param.name == "batch" ? batch : stride));
        slots.push_back(uint64_t(param.name == "batch" ? batch : stride));
      }
    session.launch("probe", {1, 1, 1}, arguments);
    CHECK(out == expected);

    out.assign(3, 0);
    PtxMachine machine(ptxOf(compileKernels(folder, {probes + "::probe"}, {choice.signature},
                                            {"compute_80"}, choice.ranges)));
    slots.insert(slots.begin(), {0x10000, machine.buffer(out)});
    machine.run("probe", {1, 1, 1}, slots);
    CHECK(out == expected);
  }
  // Where the ranges exclude that it wraps, 32 bits are enough.
  auto multipliesWide = [&](std::vector<std::string> ranges) {
    DumpOptions options;
    options.kernels.kernels = {probes + "::probe_tile"};
    options.kernels.signatures = {"*i8, *i64, i32, i32, i32, 4"};
    options.kernels.ranges = std::move(ranges);
    options.what = DumpOptions::What::tile;
    std::string text;
    llvm::raw_string_ostream os(text);
    REQUIRE(dump(options, os, os) == ExitCode::success);
    for (llvm::StringRef rest = text; !rest.empty();) {
      auto [line, more] = rest.split('\n');
      rest = more;
      if (line.contains("arith.muli") && line.contains("i64"))
        return true;
    }
    return false;
  };
  CHECK(multipliesWide({}));
  CHECK(multipliesWide({"batch=0:319", "stride=0:7864320", "row=0:7"}));
  CHECK_FALSE(multipliesWide({"batch=0:7", "stride=0:1024", "row=0:7"}));
}

TEST_CASE("offsets of tiles and of loops do not wrap") {
  Folder folder;
  alignas(16) static int8_t base[16];
  const rt::Argument start = rt::Argument::tensor("base", {base, TEENY_I8, {16}});
  {
    std::vector<int64_t> out(4);
    const std::string signature = "*i8, *i64, i32, i32, i32, 4";
    rt::Bundle bundle =
        rt::Bundle::open(compileKernels(folder, {probes + "::probe_tile"}, {signature}));
    cpuSession(bundle).launch("probe_tile", {1, 1, 1},
                              {start, tensor("out", out, TEENY_I64), integer("batch", batch),
                               integer("stride", stride), integer("row", 5)});
    const std::vector<int64_t> expected = {exact + 20, exact + 21, exact + 22, exact + 23};
    CHECK(out == expected);
    out.assign(4, 0);
    PtxMachine machine(
        ptxOf(compileKernels(folder, {probes + "::probe_tile"}, {signature}, {"compute_80"})));
    machine.run("probe_tile", {1, 1, 1},
                {0x10000, machine.buffer(out), uint64_t(batch), uint64_t(stride), 5});
    CHECK(out == expected);
  }
  std::vector<int64_t> out(2);
  const std::string signature = "*i8, *i64, i32, i32";
  rt::Bundle bundle =
      rt::Bundle::open(compileKernels(folder, {probes + "::probe_loop"}, {signature}));
  cpuSession(bundle).launch(
      "probe_loop", {1, 1, 1},
      {start, tensor("out", out, TEENY_I64), integer("stride", stride), integer("count", batch)});
  CHECK(out == std::vector<int64_t>{exact, exact});
  out.assign(2, 0);
  PtxMachine machine(
      ptxOf(compileKernels(folder, {probes + "::probe_loop"}, {signature}, {"compute_80"})));
  machine.run("probe_loop", {1, 1, 1},
              {0x10000, machine.buffer(out), uint64_t(stride), uint64_t(batch)});
  CHECK(out == std::vector<int64_t>{exact, exact});
}

TEST_CASE("what a bundle of kernels says of itself") {
  Folder folder;
  const std::string path =
      compileKernels(folder, {TEENY_SOURCE_DIR "/kernels/nn/softmax.py::softmax_forward"},
                     {"*kfp16:16, *fp16, i32:16, 1024"}, {"compute_80", "x86-64"}, {"N=16:4096"});
  DumpOptions options;
  options.graph.file = path;
  options.what = DumpOptions::What::launches;
  std::string text;
  llvm::raw_string_ostream os(text);
  REQUIRE(dump(options, os, os) == ExitCode::success);
  CHECK(text == "kernel softmax_forward: softmax_forward of softmax.py:7, 4 warps\n"
                "  x: *fp16 at byte 0, read, a multiple of 16 bytes\n"
                "  out: *fp16 at byte 8, written, a multiple of 2 bytes\n"
                "  N: i32 at byte 16, 16 to 4096, a multiple of 16\n"
                "  20 bytes of parameters, none hidden; on a CPU one slot of 8 bytes each\n"
                "  compiled for BLOCK = 1024\n"
                "  grid: programs along x, y, z (blocks of a GPU), up to 2147483647, 65535, 65535\n"
                "  compute_80: entry softmax_forward, block 128 x 1 x 1, 0 bytes of dynamic shared "
                "memory, PTX 7.0\n"
                "  x86-64: entry softmax_forward, 8192 bytes of scratch memory per thread\n");

  // The object that is written out is the one in the bundle.
  options.what = DumpOptions::What::object;
  options.output = folder.path("k.so");
  REQUIRE(dump(options, os, os) == ExitCode::success);
  Result<BundleFile> bundle = BundleFile::open(path);
  Result<MappedFile> object = MappedFile::open(options.output);
  REQUIRE((bundle && object));
  std::span<const std::byte> code = bundle->code(bundle->manifest().kernels[0].code[1]);
  REQUIRE(object->bytes().size() == code.size());
  CHECK(memcmp(object->bytes().data(), code.data(), code.size()) == 0);
}
