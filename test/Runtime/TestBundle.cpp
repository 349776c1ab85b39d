#include "Runtime/TestBundle.h"

#include "Base/Sha256.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

namespace teeny::test {

const std::vector<std::byte> &kernelLibrary() {
  static const std::vector<std::byte> bytes = [] {
    std::ifstream file(TEENY_TEST_KERNELS, std::ios::binary);
    std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
    auto begin = reinterpret_cast<const std::byte *>(text.data());
    return std::vector<std::byte>(begin, begin + text.size());
  }();
  REQUIRE(!bytes.empty());
  return bytes;
}

std::string TestBundle::hostTarget() {
#if defined(__aarch64__)
  return "aarch64";
#else
  return "x86-64";
#endif
}

size_t TestBundle::tensor(std::vector<ManifestTensor> &list, ManifestBuffer::Kind kind,
                          const std::string &name, DType dtype,
                          const std::vector<std::string> &shape) {
  ManifestTensor tensor;
  tensor.name = name;
  tensor.dtype = dtype;
  tensor.buffer = manifest.buffers.size();
  ManifestBuffer buffer;
  buffer.name = name;
  buffer.kind = kind;
  buffer.bytes = byteSize(dtype);
  for (const std::string &size : shape) {
    tensor.shape.push_back(expr(size));
    buffer.bytes = buffer.bytes * tensor.shape.back();
  }
  list.push_back(tensor);
  manifest.buffers.push_back(buffer);
  return tensor.buffer;
}

size_t TestBundle::input(const std::string &name, DType dtype,
                         const std::vector<std::string> &shape) {
  return tensor(manifest.inputs, ManifestBuffer::Kind::input, name, dtype, shape);
}

size_t TestBundle::output(const std::string &name, DType dtype,
                          const std::vector<std::string> &shape) {
  return tensor(manifest.outputs, ManifestBuffer::Kind::output, name, dtype, shape);
}

void TestBundle::outputOf(size_t buffer, const std::string &name, DType dtype,
                          const std::vector<std::string> &shape) {
  ManifestTensor tensor;
  tensor.name = name;
  tensor.dtype = dtype;
  tensor.buffer = buffer;
  for (const std::string &size : shape)
    tensor.shape.push_back(expr(size));
  manifest.outputs.push_back(tensor);
}

size_t TestBundle::paramBytes(const std::string &name, DType dtype, size_t count,
                              std::vector<std::byte> data) {
  ManifestBuffer buffer;
  buffer.name = buffer.tensor = name;
  buffer.kind = ManifestBuffer::Kind::param;
  buffer.bytes = static_cast<int64_t>(data.size());
  weights.push_back({name, dtype, static_cast<int64_t>(count), std::move(data)});
  manifest.buffers.push_back(buffer);
  return manifest.buffers.size() - 1;
}

size_t TestBundle::temporary(const std::string &name, const std::string &bytes, int64_t first,
                             int64_t last, bool zeroed) {
  ManifestBuffer buffer;
  buffer.name = name;
  buffer.bytes = expr(bytes);
  buffer.firstLaunch = first;
  buffer.lastLaunch = last;
  buffer.zeroed = zeroed;
  manifest.buffers.push_back(buffer);
  return manifest.buffers.size() - 1;
}

size_t TestBundle::part(const std::string &name, size_t of, const std::string &offset,
                        const std::string &bytes, int64_t first, int64_t last) {
  size_t index = temporary(name, bytes, first, last);
  manifest.buffers[index].align = 16;
  manifest.buffers[index].aliasOf = of;
  manifest.buffers[index].aliasOffset = expr(offset);
  return index;
}

size_t TestBundle::kernel(const std::string &name, const std::vector<std::string> &params) {
  static const std::pair<const char *, KernelParam::Kind> kinds[] = {
      {"i1", KernelParam::Kind::i1},    {"i8", KernelParam::Kind::i8},
      {"i16", KernelParam::Kind::i16},  {"i32", KernelParam::Kind::i32},
      {"i64", KernelParam::Kind::i64},  {"f32", KernelParam::Kind::f32},
      {"f64", KernelParam::Kind::f64},  {"f16", KernelParam::Kind::f16},
      {"bf16", KernelParam::Kind::bf16}};
  ManifestKernel kernel;
  kernel.name = kernel.function = name;
  kernel.source = "kernels.c";
  for (const std::string &text : params) {
    KernelParam param;
    size_t colon = text.find(':');
    param.name = text.substr(0, colon);
    if (colon != std::string::npos) {
      for (auto [word, kind] : kinds)
        if (text.substr(colon + 1) == word)
          param.kind = kind;
      REQUIRE(param.kind != KernelParam::Kind::buffer);
    } else if (param.name.back() == '!') {
      param.name.pop_back();
      param.written = true;
    }
    kernel.params.push_back(param);
  }
  manifest.kernels.push_back(kernel);
  return manifest.kernels.size() - 1;
}

void TestBundle::types(size_t kernel, const std::vector<std::string> &types) {
  std::vector<KernelParam> &params = manifest.kernels[kernel].params;
  REQUIRE(types.size() == params.size());
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string &text = types[i];
    const size_t end = text.size(), at = std::min(text.find('@'), end),
                 colon = std::min(text.find(':'), at);
    params[i].type = text.substr(0, colon);
    if (colon != at)
      params[i].multipleOf = std::stoll(text.substr(colon + 1));
    if (at != end)
      params[i].range = {std::stoll(text.substr(at + 1)),
                         std::stoll(text.substr(text.find("..") + 2))};
  }
}

void TestBundle::useTarget(const std::string &target) {
  for (const std::string &known : manifest.targets)
    if (known == target)
      return;
  manifest.targets.push_back(target);
}

void TestBundle::cpuCode(size_t kernel, int64_t scratchBytes, const std::string &target) {
  useTarget(target);
  std::string file = "kernels." + target + ".so";
  bool known = false;
  for (const Code &code : codes)
    known |= code.file == file;
  if (!known)
    codes.push_back({file, kernelLibrary()});
  CodeObject code;
  code.target = target;
  code.tensor = std::string(codePrefix) + file;
  code.symbol = manifest.kernels[kernel].function;
  code.sha256 = sha256Hex(kernelLibrary());
  code.scratchBytes = scratchBytes;
  manifest.kernels[kernel].code.push_back(code);
}

void TestBundle::gpuCode(size_t kernel, const std::string &target, std::span<const std::byte> bytes,
                         int64_t sharedBytes, const std::string &ptxVersion) {
  useTarget(target);
  const char *ending = target.starts_with("sm_") ? ".cubin" : ".ptx";
  std::string file = manifest.kernels[kernel].name + "." + target + ending;
  codes.push_back({file, {bytes.begin(), bytes.end()}});
  CodeObject code;
  code.target = target;
  code.tensor = std::string(codePrefix) + file;
  code.symbol = manifest.kernels[kernel].function;
  code.sha256 = sha256Hex(bytes);
  code.threads = 32 * manifest.kernels[kernel].numWarps;
  code.sharedBytes = sharedBytes;
  code.ptxVersion = ptxVersion;
  manifest.kernels[kernel].code.push_back(code);
}

void TestBundle::launch(const std::string &name, size_t kernel,
                        const std::vector<std::string> &grid, const std::vector<std::string> &args,
                        const std::string &guard) {
  LaunchVariant variant;
  variant.guard = expr(guard);
  variant.kernel = kernel;
  for (size_t i = 0; i < grid.size(); ++i)
    variant.grid[i] = expr(grid[i]);
  for (const std::string &text : args) {
    LaunchArg arg;
    if (text[0] == '@') {
      arg.kind = LaunchArg::Kind::buffer;
      size_t plus = text.find('+');
      arg.buffer = std::stoul(text.substr(1, plus - 1));
      arg.value = plus == std::string::npos ? Expr(0) : expr(text.substr(plus + 1));
    } else if (text[0] == '#') {
      arg.kind = LaunchArg::Kind::real;
      arg.real = std::stod(text.substr(1));
    } else {
      arg.value = expr(text);
    }
    variant.args.push_back(arg);
  }
  for (ManifestLaunch &launch : manifest.launches)
    if (launch.name == name) {
      launch.variants.push_back(variant);
      return;
    }
  manifest.launches.push_back({name, "node_" + name, {variant}});
}

std::vector<std::byte> TestBundle::bytes() const {
  BundleWriter writer;
  for (const Weight &weight : weights)
    writer.addWeight(weight.name, weight.dtype, {weight.count}, weight.data);
  for (const Code &code : codes)
    writer.addCode(code.file, code.data);
  Result<std::vector<std::byte>> bytes = writer.bytes(manifest);
  if (!bytes)
    FAIL(bytes.error().message);
  return *bytes;
}

TestBundle saxpyBundle(float a) {
  TestBundle bundle("saxpy");
  bundle.dim("B", 0, 64);
  size_t x = bundle.input("x", DType::f32, {"B", "3", "8"});
  size_t y = bundle.input("y", DType::f32, {"B", "3", "8"});
  size_t out = bundle.output("out", DType::f32, {"B", "3", "8"});
  size_t kernel = bundle.kernel("saxpy", {"x", "y", "out!", "n:i32", "a:f32"});
  bundle.cpuCode(kernel);
  auto at = [](size_t buffer) { return "@" + std::to_string(buffer); };
  bundle.launch("saxpy", kernel, {"cdiv(B*24, 128)"},
                {at(x), at(y), at(out), "B*24", "#" + std::to_string(a)});
  return bundle;
}

} // namespace teeny::test
