// diff: what differs between two bundles.
//
// Each bundle is described as sections of named entries with fields, as text; what is compared and
// printed is the descriptions alone:
//
//     code
//       softmax, sm_90a: registers 40 -> 38, spilled bytes 0 -> 8, SHA-256 0f3a... -> 77b1...
//     - softmax_aligned, sm_90a: ...
//     + softmax_wide, sm_90a: ...
#include "Driver/Driver.h"

#include "Base/Sha256.h"
#include "Bundle/BundleFile.h"
#include "Bundle/ManifestNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace teeny;

namespace {

struct Field {
  std::string name, value;
};
struct Entry {
  std::string name;
  std::vector<Field> fields;
};
struct Section {
  const char *title;
  bool isOrdered; // the order of the entries has a meaning
  std::vector<Entry> entries;
};

template <typename Range> std::string list(const Range &expressions) {
  return "[" +
         llvm::join(llvm::map_range(expressions, [](const Expr &expr) { return expr.str(); }),
                    ", ") +
         "]";
}

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  return "[" +
         llvm::join(llvm::map_range(shape, [](int64_t size) { return std::to_string(size); }),
                    ", ") +
         "]";
}

std::string hashText(std::span<const std::byte> bytes) {
  return sha256Hex(bytes).substr(0, 12) + "...";
}

std::string number(int64_t value) { return std::to_string(value); }

class Describer {
public:
  explicit Describer(const BundleFile &bundle) : bundle(bundle), manifest(bundle.manifest()) {}

  std::vector<Section> sections() const {
    return {{"model", false, model()},
            {"dims", false, each(manifest.dims, &Describer::dim)},
            {"requirements", false, each(manifest.requirements, &Describer::requirement)},
            {"inputs", true, each(manifest.inputs, &Describer::tensor)},
            {"outputs", true, each(manifest.outputs, &Describer::tensor)},
            {"buffers", false, each(manifest.buffers, &Describer::buffer)},
            {"launches", true, launches()},
            {"kernels", false, each(manifest.kernels, &Describer::kernel)},
            {"code", false, code()},
            {"weights and sources", false, data()},
            {"provenance", false, provenance()}};
  }

private:
  template <typename T>
  std::vector<Entry> each(const std::vector<T> &items,
                          Entry (Describer::*describe)(const T &) const) const {
    std::vector<Entry> entries;
    for (const T &item : items)
      entries.push_back((this->*describe)(item));
    return entries;
  }

  std::vector<Entry> model() const {
    return {{"name", {{"", manifest.name}}},
            {"targets", {{"", llvm::join(manifest.targets, ", ")}}},
            {"golden runs", {{"", std::to_string(manifest.golden.size())}}}};
  }
  Entry dim(const ManifestDim &dim) const {
    return {dim.name,
            {{"from", number(dim.min)},
             {"to", number(dim.max)},
             {"multiple of", number(dim.multipleOf)}}};
  }
  Entry requirement(const ManifestRequirement &requirement) const {
    return {requirement.condition.str(), {{"message", requirement.message}}};
  }
  Entry tensor(const ManifestTensor &tensor) const {
    return {tensor.name,
            {{"type", teeny::name(tensor.dtype)},
             {"shape", list(tensor.shape)},
             {"buffer", manifest.buffers[tensor.buffer].name}}};
  }
  Entry buffer(const ManifestBuffer &buffer) const {
    Entry entry = {buffer.name,
                   {{"kind", teeny::name(buffer.kind)},
                    {"bytes", buffer.bytes.str()},
                    {"align", number(buffer.align)}}};
    if (buffer.kind == ManifestBuffer::Kind::temporary)
      entry.fields.push_back(
          {"launches", number(buffer.firstLaunch) + " to " + number(buffer.lastLaunch)});
    if (buffer.zeroed)
      entry.fields.push_back({"zeroed", "yes"});
    if (buffer.aliasOf)
      entry.fields.push_back({"part of", manifest.buffers[*buffer.aliasOf].name + " from byte " +
                                             buffer.aliasOffset.str()});
    return entry;
  }
  std::string argument(const LaunchArg &arg) const {
    switch (arg.kind) {
    case LaunchArg::Kind::buffer:
      return manifest.buffers[arg.buffer].name +
             (arg.value.constant() == 0 ? "" : " + " + arg.value.str());
    case LaunchArg::Kind::integer:
      return arg.value.str();
    case LaunchArg::Kind::real:
      break;
    }
    char text[32];
    snprintf(text, sizeof text, "%.17g", arg.real);
    return text;
  }
  // An entry for each variant, by what it is for.
  std::vector<Entry> launches() const {
    std::vector<Entry> entries;
    for (const ManifestLaunch &launch : manifest.launches) {
      std::map<std::string, int> uses;
      for (const LaunchVariant &variant : launch.variants) {
        std::string name = launch.name;
        if (variant.guard.constant() != 1)
          name += " when " + variant.guard.str();
        if (int use = ++uses[name]; use > 1)
          name += " (" + number(use) + ")";
        const ManifestKernel &kernel = manifest.kernels[variant.kernel];
        Entry entry = {name,
                       {{"node", launch.node},
                        {"computes", llvm::join(launch.ops, ", ")},
                        {"kernel", kernel.name},
                        {"grid", list(variant.grid)}}};
        for (const auto &[param, arg] : llvm::zip_equal(kernel.params, variant.args))
          entry.fields.push_back({"argument " + param.name, argument(arg)});
        entries.push_back(std::move(entry));
      }
    }
    return entries;
  }
  Entry kernel(const ManifestKernel &kernel) const {
    Entry entry = {kernel.name,
                   {{"function", kernel.function},
                    {"source", kernel.source},
                    {"warps", number(kernel.numWarps)}}};
    std::vector<std::string> names;
    for (const KernelParam &param : kernel.params)
      names.push_back(param.name);
    entry.fields.push_back({"parameters", llvm::join(names, " ")});
    for (const KernelParam &param : kernel.params) {
      std::string text = teeny::name(param.kind);
      text += param.written ? ", written" : "";
      text += param.type.empty() ? "" : ", " + param.type;
      text += param.multipleOf == 1 ? "" : ", a multiple of " + number(param.multipleOf);
      if (param.range)
        text += ", " + number(param.range->first) + " to " + number(param.range->second);
      entry.fields.push_back({"parameter " + param.name, text});
    }
    for (const KernelConstant &constant : kernel.constants)
      entry.fields.push_back({"constant " + constant.name, constant.value});
    return entry;
  }
  std::vector<Entry> code() const {
    std::vector<Entry> entries;
    for (const ManifestKernel &kernel : manifest.kernels)
      for (const CodeObject &code : kernel.code) {
        std::span<const std::byte> bytes = bundle.code(code);
        Entry entry = {kernel.name + ", " + code.target, {{"bytes", number(bytes.size())}}};
        if (isGpuTarget(code.target)) {
          entry.fields.push_back({"registers", number(code.registers)});
          entry.fields.push_back({"spilled bytes", number(code.spillBytes)});
          entry.fields.push_back({"shared bytes", number(code.sharedBytes)});
          entry.fields.push_back({"threads", number(code.threads)});
          entry.fields.push_back({"PTX", code.ptxVersion});
        } else {
          entry.fields.push_back({"scratch bytes", number(code.scratchBytes)});
        }
        entry.fields.push_back({"entry", code.symbol});
        entry.fields.push_back({"SHA-256", hashText(bytes)});
        entries.push_back(std::move(entry));
      }
    return entries;
  }
  // Everything else that the file holds.
  std::vector<Entry> data() const {
    std::vector<Entry> entries;
    for (const TensorView &tensor : bundle.tensors().tensors()) {
      llvm::StringRef name = tensor.name;
      if (tensor.name == manifestTensor || name.starts_with(codePrefix) ||
          name.starts_with(padPrefix))
        continue;
      entries.push_back({tensor.name,
                         {{"type", teeny::name(tensor.dtype)},
                          {"shape", shapeText(tensor.shape)},
                          {"SHA-256", hashText(tensor.data)}}});
    }
    return entries;
  }
  std::vector<Entry> provenance() const {
    std::vector<Entry> entries;
    for (const auto &[what, version] : manifest.provenance)
      entries.push_back({what, {{"", version}}});
    return entries;
  }

  const BundleFile &bundle;
  const Manifest &manifest;
};

} // namespace

static std::string fieldsText(const Entry &entry) {
  return llvm::join(llvm::map_range(entry.fields,
                                    [](const Field &field) {
                                      return field.name + (field.name.empty() ? "" : " ") +
                                             field.value;
                                    }),
                    ", ");
}

// "bytes 4*B -> 8*B, align 256 -> 16"; empty where nothing differs.
static std::string changes(const Entry &a, const Entry &b) {
  std::map<std::string, std::string> before, after;
  std::vector<std::string> names;
  for (const Field &field : a.fields) {
    before.emplace(field.name, field.value);
    names.push_back(field.name);
  }
  for (const Field &field : b.fields) {
    after.emplace(field.name, field.value);
    if (!before.count(field.name))
      names.push_back(field.name);
  }
  std::vector<std::string> texts;
  for (const std::string &name : names) {
    auto value = [&](const std::map<std::string, std::string> &of) {
      auto found = of.find(name);
      return found == of.end() ? std::string("none") : found->second;
    };
    if (value(before) != value(after))
      texts.push_back(name + (name.empty() ? "" : " ") + value(before) + " -> " + value(after));
  }
  return llvm::join(texts, ", ");
}

static std::vector<std::string> compareSections(const Section &a, const Section &b) {
  std::map<std::string, const Entry *> before, after;
  for (const Entry &entry : a.entries)
    before.emplace(entry.name, &entry);
  for (const Entry &entry : b.entries)
    after.emplace(entry.name, &entry);
  std::vector<std::string> lines, orderBefore, orderAfter;
  for (const Entry &entry : a.entries) {
    auto other = after.find(entry.name);
    if (other == after.end()) {
      lines.push_back("- " + entry.name + ": " + fieldsText(entry));
      continue;
    }
    orderBefore.push_back(entry.name);
    std::string text = changes(entry, *other->second);
    if (!text.empty())
      lines.push_back("  " + entry.name + ": " + text);
  }
  for (const Entry &entry : b.entries)
    if (before.count(entry.name))
      orderAfter.push_back(entry.name);
    else
      lines.push_back("+ " + entry.name + ": " + fieldsText(entry));
  if (a.isOrdered && orderBefore != orderAfter)
    lines.push_back("  order: " + llvm::join(orderBefore, ", ") + " -> " +
                    llvm::join(orderAfter, ", "));
  return lines;
}

ExitCode teeny::diff(const DiffOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err) {
  std::vector<std::vector<Section>> described;
  for (const std::string &path : {options.before, options.after}) {
    Result<BundleFile> bundle = BundleFile::open(path);
    if (!bundle) {
      err << "teenyc: error: " << bundle.error().message << "\n";
      return ExitCode::usage;
    }
    described.push_back(Describer(*bundle).sections());
  }
  bool same = true;
  for (const auto &[a, b] : llvm::zip_equal(described[0], described[1])) {
    std::vector<std::string> lines = compareSections(a, b);
    if (lines.empty())
      continue;
    same = false;
    out << a.title << "\n";
    for (const std::string &line : lines)
      out << line << "\n";
  }
  return same ? ExitCode::success : ExitCode::userError;
}
