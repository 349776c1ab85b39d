#include "Bundle/Sample.h"

#include "Base/Sha256.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

using namespace teeny;

static Expr expr(const char *text) {
  Result<Expr> e = Expr::parse(text);
  REQUIRE(e);
  return *e;
}

static ManifestBuffer buffer(const char *name, ManifestBuffer::Kind kind, const Expr &bytes) {
  ManifestBuffer result;
  result.name = name;
  result.kind = kind;
  result.bytes = bytes;
  return result;
}

Manifest sampleManifest() {
  Manifest m;
  m.name = "sample";
  m.targets = {"sm_90a", "compute_80", "x86-64-v3"};
  m.dims = {{"B", 0, 64, 1}, {"A", 4, 33600, 4}};
  m.requirements = {{expr("B*A <= 1000000"), "the batch is too large"}};
  m.inputs = {{"x", DType::f32, {Expr::symbol("B"), Expr(4), Expr::symbol("A")}, 0}};
  m.outputs = {{"y", DType::f16, {Expr::symbol("B"), expr("A // 4")}, 4}};

  using Kind = ManifestBuffer::Kind;
  m.buffers.resize(5);
  m.buffers[0] = buffer("x", Kind::input, expr("16*B*A"));
  m.buffers[1] = buffer("w", Kind::param, 40);
  m.buffers[1].tensor = "model.w";
  m.buffers[2] = buffer("all", Kind::temporary, expr("64*B + 256"));
  m.buffers[2].zeroed = true;
  m.buffers[2].lastLaunch = 1;
  m.buffers[3] = buffer("part", Kind::temporary, expr("64*B"));
  m.buffers[3].align = 16;
  m.buffers[3].aliasOf = 2;
  m.buffers[3].aliasOffset = 256;
  m.buffers[3].firstLaunch = m.buffers[3].lastLaunch = 1;
  m.buffers[4] = buffer("y", Kind::output, expr("A // 4*2*B"));

  using Param = KernelParam::Kind;
  ManifestKernel kernel;
  kernel.name = "k.fast";
  kernel.function = "k";
  kernel.source = "k.py:12";
  kernel.params = {{"in", Param::buffer, false, "", 1, {}},
                   {"out", Param::buffer, true, "", 1, {}},
                   {"n", Param::i32, false, "", 1, {}},
                   {"flag", Param::i1, false, "", 1, {}},
                   {"scale", Param::f32, false, "", 1, {}}};
  kernel.numWarps = 8;
  std::string digest(64, '0');
  kernel.code = {{"sm_90a", "teeny/code/k.sm_90a.cubin", "k", digest, 256, 1024, 40, 8, "8.0", 0},
                 {"compute_80", "teeny/code/k.compute_80.ptx", "k", digest, 256, 0, 0, 0, "7.8", 0},
                 {"x86-64-v3", "teeny/code/k.x86-64-v3.so", "k_cpu", digest, 0, 0, 0, 0, "", 4096}};
  // One that may be launched by itself.
  ManifestKernel alone;
  alone.name = "k.alone";
  alone.function = "k";
  alone.params = {{"p", Param::buffer, true, "*fp16", 16, {}},
                  {"rows", Param::i32, false, "u32", 16, std::pair(0, 4096)},
                  {"eps", Param::bf16, false, "bf16", 1, {}}};
  alone.constants = {{"BLOCK", "128"}, {"acc", "tl.float32"}};
  alone.code = {{"x86-64-v3", "teeny/code/k.x86-64-v3.so", "k_alone", digest, 0, 0, 0, 0, "", 0}};
  m.kernels = {kernel, alone};

  using Arg = LaunchArg::Kind;
  LaunchVariant aligned;
  aligned.guard = expr("A % 16 == 0");
  aligned.grid[0] = expr("B*cdiv(A, 256)");
  aligned.args = {{Arg::buffer, 0, 0, 0},
                  {Arg::buffer, 2, 0, 0},
                  {Arg::integer, 0, expr("4*A"), 0},
                  {Arg::integer, 0, 1, 0},
                  {Arg::real, 0, 0, 0.1}};
  LaunchVariant general = aligned;
  general.guard = 1;
  general.args[4].real = -1e300 * 1e300;
  LaunchVariant last = general;
  last.args[0] = {Arg::buffer, 3, expr("16*B"), 0};
  last.args[1].buffer = 4;
  m.launches = {{"first", "node0", {aligned, general}}, {"second", "node1", {last}}};
  m.provenance = {{"teenyc", "0.1.0"}, {"llvm", "22.1.8"}};
  return m;
}

SampleParts::SampleParts() {
  auto fill = [](std::vector<std::byte> &bytes, size_t size, unsigned seed) {
    for (size_t i = 0; i < size; ++i)
      bytes.push_back(std::byte(i * 7 + seed));
  };
  fill(weight, 40, 1);
  fill(odd, 7, 2);
  fill(cubin, 333, 3);
  fill(ptx, 65, 4);
  fill(library, 128, 5);
  fill(source, 11, 6);
}

void SampleParts::addTo(BundleWriter &writer, Manifest &manifest, unsigned order) const {
  auto code = [&](size_t index, const char *file, const std::vector<std::byte> &bytes) {
    BundleWriter::Code added = writer.addCode(file, bytes);
    manifest.kernels[0].code[index].tensor = added.tensor;
    manifest.kernels[0].code[index].sha256 = added.sha256;
    if (index == 2)
      manifest.kernels[1].code[0].sha256 = added.sha256; // the same library
  };
  std::vector<std::function<void()>> steps = {
      [&] {
        writer.addWeight("model.w", DType::f32, {2, 5}, weight);
      },
      [&] { writer.addWeight("a.odd", DType::u8, {7}, odd); },
      [&] { code(0, "k.sm_90a.cubin", cubin); },
      [&] { code(1, "k.compute_80.ptx", ptx); },
      [&] { code(2, "k.x86-64-v3.so", library); },
      [&] { writer.addSource("k.py", source); }};
  std::rotate(steps.begin(), steps.begin() + order % steps.size(), steps.end());
  if (order >= steps.size())
    std::reverse(steps.begin(), steps.end());
  for (const auto &step : steps)
    step();
}

std::vector<std::byte> sampleBundle() {
  SampleParts parts;
  BundleWriter writer;
  Manifest manifest = sampleManifest();
  parts.addTo(writer, manifest);
  Result<std::vector<std::byte>> bytes = writer.bytes(manifest);
  REQUIRE(bytes);
  return *bytes;
}

std::string replaced(std::string text, const std::string &from, const std::string &to) {
  size_t at = text.find(from);
  INFO(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}
