// What a manifest must be beyond its JSON, so that whoever carries it out need not ask.
#include "Bundle/BundleFile.h"
#include "Bundle/Manifest.h"
#include "Bundle/ManifestNames.h"
#include "Bundle/ParamType.h"

#include "Base/Checked.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace teeny {
namespace {

using BufferKind = ManifestBuffer::Kind;

std::string at(const char *list, size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

std::string at(const std::string &outer, const char *list, size_t index) {
  return outer + "." + at(list, index);
}

class Checker {
public:
  explicit Checker(const Manifest &manifest) : manifest(manifest) {}

  Status run() {
    head();
    dims();
    tensors();
    for (size_t i = 0; i < manifest.buffers.size() && !error; ++i)
      buffer(manifest.buffers[i], at("buffers", i));
    uses();
    for (size_t i = 0; i < manifest.kernels.size() && !error; ++i)
      kernel(manifest.kernels[i], at("kernels", i));
    for (size_t i = 0; i < manifest.launches.size() && !error; ++i)
      launch(manifest.launches[i], i, at("launches", i));
    for (size_t i = 0; i < manifest.golden.size() && !error; ++i)
      golden(manifest.golden[i], at("golden", i));
    hashes();
    return error ? Status(*error) : Status();
  }

private:
  void fail(const std::string &where, const std::string &message) {
    if (!error)
      error = {ErrorCode::invalid, where + ": " + message};
  }

  // The first error in a list of conditions is the one that is told.
  void require(bool condition, const std::string &where, const std::string &message) {
    if (!condition)
      fail(where, message);
  }

  void text(const std::string &value, const std::string &where, bool mayBeEmpty = false) {
    bool printable = std::none_of(value.begin(), value.end(),
                                  [](char c) { return uint8_t(c) < ' ' || c == '\x7f'; });
    require(printable, where, "control characters");
    require(mayBeEmpty || !value.empty(), where, "empty");
    require(value.size() <= 1024, where,
            std::to_string(value.size()) + " bytes long, at most 1024 are allowed");
  }

  void uniqueName(const std::string &value, std::set<std::string_view> &names,
                  const std::string &where) {
    text(value, where + ".name");
    require(names.insert(value).second, where + ".name", "'" + value + "' appears twice");
  }

  void range(int64_t value, int64_t low, int64_t high, const std::string &where) {
    require(value >= low && value <= high, where,
            std::to_string(value) + ", expected " + std::to_string(low) + " to " +
                std::to_string(high));
  }

  void sha256(const std::string &value, const std::string &where) {
    require(value.size() == 64 && value.find_first_not_of("0123456789abcdef") == std::string::npos,
            where, "expected 64 lower-case hex digits");
  }

  // Only dims may be named. `low` is what a constant must at least be.
  void expr(const Expr &e, const std::string &where, int64_t low = INT64_MIN,
            int64_t high = INT64_MAX) {
    require(!e.tooLarge(), where, "the expression is too large");
    for (const std::string &symbol : e.symbols())
      if (dimNames.count(symbol) == 0)
        return fail(where, "'" + symbol + "' in expression '" + e.str() + "' is not a dim");
    if (std::optional<int64_t> constant = e.constant())
      range(*constant, low, high, where);
  }

  void head();
  void dims();
  void tensors();
  void tensor(const ManifestTensor &tensor, BufferKind kind, const std::string &where);
  void buffer(const ManifestBuffer &buffer, const std::string &where);
  void uses();
  void kernel(const ManifestKernel &kernel, const std::string &where);
  void param(const KernelParam &param, const std::string &where);
  void code(const CodeObject &code, const ManifestKernel &kernel, const std::string &where);
  void launch(const ManifestLaunch &launch, size_t index, const std::string &where);
  void variant(const LaunchVariant &variant, size_t launch, const std::string &where);
  void arg(const LaunchArg &arg, const KernelParam &param, size_t launch, const std::string &where);
  void golden(const ManifestGolden &golden, const std::string &where);
  void hashes();

  const Manifest &manifest;
  std::optional<Error> error;
  std::set<std::string_view> dimNames, tensorNames, bufferNames, kernelNames, launchNames;
  std::vector<size_t> roots; // of each buffer, through its aliases
};

void Checker::head() {
  text(manifest.name, "name");
  require(manifest.targets.size() <= 64, "targets",
          std::to_string(manifest.targets.size()) + ", at most 64 are allowed");
  std::set<std::string_view> seen;
  for (size_t i = 0; i < manifest.targets.size(); ++i) {
    const std::string &target = manifest.targets[i];
    text(target, at("targets", i));
    require(seen.insert(target).second, at("targets", i), "'" + target + "' appears twice");
  }
  for (size_t i = 0; i < manifest.provenance.size(); ++i) {
    text(manifest.provenance[i].first, at("provenance", i) + ".name");
    text(manifest.provenance[i].second, at("provenance", i) + ".version");
  }
}

void Checker::dims() {
  for (size_t i = 0; i < manifest.dims.size(); ++i) {
    const ManifestDim &dim = manifest.dims[i];
    std::string where = at("dims", i);
    uniqueName(dim.name, dimNames, where);
    require(Expr::isName(dim.name), where + ".name", "'" + dim.name + "' is not a name");
    range(dim.min, 0, INT64_MAX, where + ".min");
    require(dim.max >= dim.min, where + ".max",
            std::to_string(dim.max) + " is less than min, " + std::to_string(dim.min));
    range(dim.multipleOf, 1, INT64_MAX, where + ".multiple_of");
  }
  for (size_t i = 0; i < manifest.requirements.size(); ++i) {
    std::string where = at("requirements", i);
    expr(manifest.requirements[i].condition, where + ".condition");
    text(manifest.requirements[i].message, where + ".message");
  }
}

void Checker::tensors() {
  for (size_t i = 0; i < manifest.inputs.size() && !error; ++i)
    tensor(manifest.inputs[i], BufferKind::input, at("inputs", i));
  for (size_t i = 0; i < manifest.outputs.size() && !error; ++i)
    tensor(manifest.outputs[i], BufferKind::output, at("outputs", i));
}

void Checker::tensor(const ManifestTensor &tensor, BufferKind kind, const std::string &where) {
  uniqueName(tensor.name, tensorNames, where);
  require(tensor.shape.size() <= maxTensorRank, where + ".shape",
          "more than " + std::to_string(maxTensorRank) + " dims");
  Expr bytes = byteSize(tensor.dtype);
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    const Expr &dim = tensor.shape[i];
    std::string here = at(where, "shape", i);
    expr(dim, here, 0);
    require(kind == BufferKind::output || dim.constant() || dim.linear(), here,
            "'" + dim.str() + "' must be an integer, a dim, or a*N + b with a dim N");
    bytes = bytes * dim;
  }
  if (tensor.buffer >= manifest.buffers.size())
    return fail(where + ".buffer", "no such buffer");
  const ManifestBuffer &buffer = manifest.buffers[tensor.buffer];
  require(buffer.kind == kind, where + ".buffer",
          "'" + buffer.name + "' is a buffer of kind " + name(buffer.kind) + ", expected " +
              name(kind));
  require(buffer.bytes.equal(bytes), where + ".buffer",
          "'" + buffer.name + "' has '" + buffer.bytes.str() + "' bytes, the shape takes '" +
              bytes.str() + "'");
}

void Checker::buffer(const ManifestBuffer &buffer, const std::string &where) {
  uniqueName(buffer.name, bufferNames, where);
  expr(buffer.bytes, where + ".bytes", 0);
  require(isPowerOfTwo(buffer.align) && buffer.align <= dataAlignment, where + ".align",
          std::to_string(buffer.align) + ", expected a power of two up to " +
              std::to_string(dataAlignment));
  if (buffer.kind == BufferKind::param) {
    require(buffer.bytes.constant().has_value(), where + ".bytes",
            "'" + buffer.bytes.str() + "', but a param has a constant size");
    text(buffer.tensor, where + ".tensor");
    require(!buffer.tensor.starts_with(reservedPrefix), where + ".tensor",
            "'" + buffer.tensor + "' is a reserved name");
    require(buffer.align <= weightAlignment, where + ".align",
            std::to_string(buffer.align) + ", but params are aligned to " +
                std::to_string(weightAlignment) + " at most");
  }
  if (buffer.kind != BufferKind::temporary) {
    require(!buffer.zeroed, where, "only a temporary can be zeroed");
    require(!buffer.aliasOf, where, "only a temporary can be an alias");
    return;
  }
  int64_t last = std::max<int64_t>(0, int64_t(manifest.launches.size()) - 1);
  range(buffer.firstLaunch, 0, last, where + ".lifetime[0]");
  range(buffer.lastLaunch, buffer.firstLaunch, last, where + ".lifetime[1]");
  if (buffer.aliasOf) {
    require(*buffer.aliasOf < manifest.buffers.size(), where + ".alias_of", "no such buffer");
    expr(buffer.aliasOffset, where + ".alias_offset", 0);
  }
}

// Aliases end in buffers that are none, and each input and output buffer belongs to a tensor.
void Checker::uses() {
  if (error)
    return;
  roots.assign(manifest.buffers.size(), SIZE_MAX);
  std::vector<size_t> chain;
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    size_t root = i;
    for (chain.clear(); roots[root] == SIZE_MAX && manifest.buffers[root].aliasOf;) {
      // A longer way than there are buffers goes in a circle.
      if (chain.size() > manifest.buffers.size())
        return fail(at("buffers", i) + ".alias_of",
                    "'" + manifest.buffers[i].name + "' is an alias of itself");
      chain.push_back(root);
      root = *manifest.buffers[root].aliasOf;
    }
    root = roots[root] == SIZE_MAX ? root : roots[root];
    roots[root] = root;
    for (size_t part : chain)
      roots[part] = root;
  }

  std::vector<size_t> users(manifest.buffers.size(), 0);
  for (const ManifestTensor &input : manifest.inputs)
    ++users[input.buffer];
  for (const ManifestTensor &output : manifest.outputs)
    ++users[output.buffer];
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    BufferKind kind = manifest.buffers[i].kind;
    require(kind != BufferKind::input || users[i] == 1, at("buffers", i),
            "an input buffer must belong to one input, found " + std::to_string(users[i]));
    require(kind != BufferKind::output || users[i] > 0, at("buffers", i),
            "an output buffer must belong to an output");
  }
}

void Checker::kernel(const ManifestKernel &kernel, const std::string &where) {
  uniqueName(kernel.name, kernelNames, where);
  text(kernel.function, where + ".function");
  text(kernel.source, where + ".source", /*mayBeEmpty=*/true);
  range(kernel.numWarps, 1, 32, where + ".num_warps");
  std::set<std::string_view> names;
  for (size_t i = 0; i < kernel.params.size(); ++i) {
    uniqueName(kernel.params[i].name, names, at(where, "params", i));
    param(kernel.params[i], at(where, "params", i));
    require(kernel.params[i].type.empty() == kernel.params[0].type.empty(),
            at(where, "params", i) + ".type", "all parameters of a kernel have a type, or none");
  }
  for (size_t i = 0; i < kernel.constants.size(); ++i) {
    uniqueName(kernel.constants[i].name, names, at(where, "constants", i));
    text(kernel.constants[i].value, at(where, "constants", i) + ".value");
  }
  require(!kernel.code.empty(), where + ".code", "no code objects");
  std::set<std::string_view> seen;
  for (size_t i = 0; i < kernel.code.size() && !error; ++i) {
    code(kernel.code[i], kernel, at(where, "code", i));
    require(seen.insert(kernel.code[i].target).second, at(where, "code", i) + ".target",
            "'" + kernel.code[i].target + "' appears twice");
  }
}

void Checker::param(const KernelParam &param, const std::string &where) {
  bool isBuffer = param.kind == KernelParam::Kind::buffer;
  require(!param.written || isBuffer, where + ".written", "only a buffer can be written");
  if (param.type.empty()) {
    require(param.multipleOf == 1 && !param.range, where,
            "\"multiple_of\" and \"range\" are for parameters with a type");
    return;
  }
  std::optional<ParamType> type = parseParamType(param.type);
  if (!type || type->kind != param.kind)
    return fail(where + ".type", "'" + param.type + "' is no type of kind " + name(param.kind));
  range(param.multipleOf, 1, 4096, where + ".multiple_of");
  require(param.multipleOf == 1 || isBuffer || type->isInteger(), where + ".multiple_of",
          "only a buffer or an integer can be a multiple of something");
  if (!param.range)
    return;
  require(type->isInteger(), where + ".range", "only an integer has a range");
  range(param.range->first, type->min, type->max, where + ".range[0]");
  range(param.range->second, param.range->first, type->max, where + ".range[1]");
}

void Checker::code(const CodeObject &code, const ManifestKernel &kernel, const std::string &where) {
  require(std::find(manifest.targets.begin(), manifest.targets.end(), code.target) !=
              manifest.targets.end(),
          where + ".target", "'" + code.target + "' is not among the bundle's targets");
  text(code.tensor, where + ".tensor");
  require(code.tensor.starts_with(codePrefix), where + ".tensor",
          "'" + code.tensor + "', expected a name that begins with '" + std::string(codePrefix) +
              "'");
  text(code.symbol, where + ".symbol");
  sha256(code.sha256, where + ".sha256");
  if (isGpuTarget(code.target)) {
    require(code.threads == 32 * kernel.numWarps, where + ".threads",
            std::to_string(code.threads) + ", expected 32 for each of " +
                std::to_string(kernel.numWarps) + " warps");
    range(code.sharedBytes, 0, INT32_MAX, where + ".shared_bytes");
    range(code.registers, 0, INT32_MAX, where + ".registers");
    range(code.spillBytes, 0, INT32_MAX, where + ".spill_bytes");
    text(code.ptxVersion, where + ".ptx_version");
  } else {
    range(code.scratchBytes, 0, int64_t(1) << 30, where + ".scratch_bytes");
  }
}

void Checker::launch(const ManifestLaunch &launch, size_t index, const std::string &where) {
  uniqueName(launch.name, launchNames, where);
  text(launch.node, where + ".node", /*mayBeEmpty=*/true);
  for (size_t i = 0; i < launch.ops.size(); ++i)
    text(launch.ops[i], at(where, "ops", i));
  if (launch.variants.empty())
    return fail(where + ".variants", "no variants");
  for (size_t i = 0; i < launch.variants.size() && !error; ++i)
    variant(launch.variants[i], index, at(where, "variants", i));
  const Expr &last = launch.variants.back().guard;
  require(last.constant() == 1, at(where, "variants", launch.variants.size() - 1) + ".guard",
          "'" + last.str() + "', but the last guard must be 1");
}

void Checker::variant(const LaunchVariant &variant, size_t launch, const std::string &where) {
  expr(variant.guard, where + ".guard");
  for (size_t i = 0; i < variant.grid.size(); ++i)
    expr(variant.grid[i], at(where, "grid", i), 0, INT32_MAX);
  if (variant.kernel >= manifest.kernels.size())
    return fail(where + ".kernel", "no such kernel");
  const ManifestKernel &kernel = manifest.kernels[variant.kernel];
  if (variant.args.size() != kernel.params.size())
    return fail(where + ".args", std::to_string(variant.args.size()) + " arguments, kernel '" +
                                     kernel.name + "' has " + std::to_string(kernel.params.size()) +
                                     " parameters");
  for (size_t i = 0; i < variant.args.size() && !error; ++i)
    arg(variant.args[i], kernel.params[i], launch, at(where, "args", i));
}

void Checker::arg(const LaunchArg &arg, const KernelParam &param, size_t launch,
                  const std::string &where) {
  constexpr std::array kindNames = {"a buffer", "an integer", "a float"};
  LaunchArg::Kind expected = LaunchArg::Kind::integer;
  if (param.kind == KernelParam::Kind::buffer)
    expected = LaunchArg::Kind::buffer;
  else if (param.kind >= KernelParam::Kind::f32)
    expected = LaunchArg::Kind::real;
  if (arg.kind != expected)
    return fail(where, std::string(kindNames[size_t(arg.kind)]) + ", but parameter '" + param.name +
                           "' is of kind " + name(param.kind));

  if (arg.kind == LaunchArg::Kind::integer) {
    int bits = param.kind == KernelParam::Kind::i1    ? 1
               : param.kind == KernelParam::Kind::i8  ? 8
               : param.kind == KernelParam::Kind::i16 ? 16
               : param.kind == KernelParam::Kind::i32 ? 32
                                                      : 64;
    if (bits == 1)
      return expr(arg.value, where, 0, 1);
    return expr(arg.value, where, INT64_MIN >> (64 - bits), INT64_MAX >> (64 - bits));
  }
  if (arg.kind != LaunchArg::Kind::buffer)
    return;
  expr(arg.value, where + ".offset", 0);
  if (arg.buffer >= manifest.buffers.size())
    return fail(where, "no such buffer");
  const ManifestBuffer &buffer = manifest.buffers[arg.buffer];
  if (buffer.kind == BufferKind::temporary)
    require(int64_t(launch) >= buffer.firstLaunch && int64_t(launch) <= buffer.lastLaunch, where,
            "buffer '" + buffer.name + "' is used in launch " + std::to_string(launch) +
                ", but lives in launches " + std::to_string(buffer.firstLaunch) + " to " +
                std::to_string(buffer.lastLaunch));
  const ManifestBuffer &root = manifest.buffers[roots[arg.buffer]];
  bool constant = root.kind == BufferKind::param || root.kind == BufferKind::input;
  require(!param.written || !constant, where,
          "the kernel writes to parameter '" + param.name + "', but buffer '" + buffer.name +
              "' is part of " + (root.kind == BufferKind::param ? "a param" : "an input"));
}

void Checker::golden(const ManifestGolden &golden, const std::string &where) {
  auto tensors = [&](size_t found, size_t expected, const char *list) {
    require(found == expected, where + "." + list,
            std::to_string(found) + " tensors, the bundle has " + std::to_string(expected) + " " +
                list);
  };
  tensors(golden.inputs.size(), manifest.inputs.size(), "inputs");
  tensors(golden.outputs.size(), manifest.outputs.size(), "outputs");
  auto name = [&](const std::string &tensor, const std::string &here) {
    text(tensor, here);
    require(tensor.starts_with(goldenPrefix), here,
            "'" + tensor + "', expected a name that begins with '" + std::string(goldenPrefix) +
                "'");
  };
  for (size_t i = 0; i < golden.inputs.size(); ++i)
    name(golden.inputs[i], at(where, "inputs", i));
  for (size_t i = 0; i < golden.outputs.size(); ++i) {
    const ManifestGolden::Output &output = golden.outputs[i];
    std::string here = at(where, "outputs", i);
    name(output.tensor, here + ".tensor");
    for (double tolerance : {output.absolute, output.relative})
      require(tolerance >= 0 && std::isfinite(tolerance), here,
              "a tolerance is negative or no number");
  }
}

void Checker::hashes() {
  std::set<std::string_view> seen;
  for (size_t i = 0; i < manifest.hashes.size(); ++i) {
    const auto &[tensor, hash] = manifest.hashes[i];
    text(tensor, at("hashes", i) + ".tensor");
    require(seen.insert(tensor).second, at("hashes", i) + ".tensor",
            "'" + tensor + "' appears twice");
    sha256(hash, at("hashes", i) + ".sha256");
  }
}

} // namespace

bool isGpuTarget(std::string_view target) {
  return target.starts_with("sm_") || target.starts_with("compute_");
}

Status checkManifest(const Manifest &manifest) { return Checker(manifest).run(); }

} // namespace teeny
