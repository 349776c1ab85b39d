#include "Bundle/Manifest.h"
#include "Bundle/ManifestNames.h"

#include <nlohmann/json.hpp>

#include <cmath>

namespace teeny {
namespace {

using Json = nlohmann::ordered_json;
constexpr size_t lineLength = 120;

// An object or array stands on one line where it fits, else its members have a line each.
void print(const Json &value, size_t indent, size_t taken, std::string &out) {
  auto compact = [](const Json &value) {
    // A space after ':' and ',' outside strings.
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace), spaced;
    bool inString = false;
    for (size_t i = 0; i < text.size(); ++i) {
      spaced += text[i];
      if (inString && text[i] == '\\')
        spaced += text[++i];
      else if (text[i] == '"')
        inString = !inString;
      else if (!inString && (text[i] == ',' || text[i] == ':'))
        spaced += ' ';
    }
    return spaced;
  };
  // Large values are not printed to see whether they fit.
  bool small = !value.is_structured() || value.size() <= lineLength / 3;
  for (const Json &member : value)
    small &= !member.is_structured() || member.size() <= lineLength / 3;
  if (small) {
    std::string line = compact(value);
    if (!value.is_structured() || indent + taken + line.size() <= lineLength) {
      out += line;
      return;
    }
  }
  bool object = value.is_object();
  out += object ? '{' : '[';
  bool first = true;
  for (auto member = value.begin(); member != value.end(); ++member) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(indent + 2, ' ');
    std::string key = object ? compact(Json(member.key())) + ": " : "";
    out += key;
    print(*member, indent + 2, key.size(), out);
  }
  out += '\n';
  out.append(indent, ' ');
  out += object ? '}' : ']';
}

Json toJson(const Expr &e) {
  if (std::optional<int64_t> constant = e.constant())
    return *constant;
  return e.str();
}

template <typename Range, typename Convert> Json listOf(const Range &range, Convert convert) {
  Json list = Json::array();
  for (const auto &item : range)
    list.push_back(convert(item));
  return list;
}

Json toJson(const ManifestDim &dim) {
  Json json = {{"name", dim.name}, {"min", dim.min}, {"max", dim.max}};
  if (dim.multipleOf != 1)
    json["multiple_of"] = dim.multipleOf;
  return json;
}

Json toJson(const ManifestRequirement &requirement) {
  return {{"condition", toJson(requirement.condition)}, {"message", requirement.message}};
}

Json toJson(const ManifestTensor &tensor, const Manifest &manifest) {
  return {{"name", tensor.name},
          {"dtype", name(tensor.dtype)},
          {"shape", listOf(tensor.shape, [](const Expr &dim) { return toJson(dim); })},
          {"buffer", manifest.buffers[tensor.buffer].name}};
}

Json toJson(const ManifestBuffer &buffer, const Manifest &manifest) {
  Json json = {{"name", buffer.name},
               {"kind", name(buffer.kind)},
               {"bytes", toJson(buffer.bytes)},
               {"align", buffer.align}};
  if (buffer.kind == ManifestBuffer::Kind::param)
    json["tensor"] = buffer.tensor;
  if (buffer.kind == ManifestBuffer::Kind::temporary)
    json["lifetime"] = {buffer.firstLaunch, buffer.lastLaunch};
  if (buffer.zeroed)
    json["zeroed"] = true;
  if (buffer.aliasOf) {
    json["alias_of"] = manifest.buffers[*buffer.aliasOf].name;
    json["alias_offset"] = toJson(buffer.aliasOffset);
  }
  return json;
}

Json toJson(const KernelParam &param) {
  Json json = {{"name", param.name}, {"kind", name(param.kind)}};
  if (param.written)
    json["written"] = true;
  if (!param.type.empty())
    json["type"] = param.type;
  if (param.multipleOf != 1)
    json["multiple_of"] = param.multipleOf;
  if (param.range)
    json["range"] = {param.range->first, param.range->second};
  return json;
}

Json toJson(const CodeObject &code) {
  Json json = {{"target", code.target},
               {"tensor", code.tensor},
               {"symbol", code.symbol},
               {"sha256", code.sha256}};
  if (isGpuTarget(code.target)) {
    json["threads"] = code.threads;
    json["shared_bytes"] = code.sharedBytes;
    json["registers"] = code.registers;
    json["spill_bytes"] = code.spillBytes;
    json["ptx_version"] = code.ptxVersion;
  } else {
    json["scratch_bytes"] = code.scratchBytes;
  }
  return json;
}

Json toJson(const ManifestKernel &kernel) {
  Json json = {{"name", kernel.name},
               {"function", kernel.function},
               {"source", kernel.source},
               {"num_warps", kernel.numWarps},
               {"params", listOf(kernel.params, [](const KernelParam &p) { return toJson(p); })}};
  if (!kernel.constants.empty())
    json["constants"] = listOf(kernel.constants, [](const KernelConstant &c) {
      return Json({{"name", c.name}, {"value", c.value}});
    });
  json["code"] = listOf(kernel.code, [](const CodeObject &c) { return toJson(c); });
  return json;
}

Json toJson(const LaunchArg &arg, const Manifest &manifest) {
  switch (arg.kind) {
  case LaunchArg::Kind::buffer: {
    Json json = {{"buffer", manifest.buffers[arg.buffer].name}};
    if (arg.value.constant() != 0)
      json["offset"] = toJson(arg.value);
    return json;
  }
  case LaunchArg::Kind::integer:
    return {{"int", toJson(arg.value)}};
  case LaunchArg::Kind::real:
    break;
  }
  // JSON has no word for these.
  if (std::isnan(arg.real))
    return {{"float", "nan"}};
  if (std::isinf(arg.real))
    return {{"float", arg.real > 0 ? "inf" : "-inf"}};
  return {{"float", arg.real}};
}

Json toJson(const LaunchVariant &variant, const Manifest &manifest) {
  return {{"guard", toJson(variant.guard)},
          {"kernel", manifest.kernels[variant.kernel].name},
          {"grid", listOf(variant.grid, [](const Expr &e) { return toJson(e); })},
          {"args", listOf(variant.args, [&](const LaunchArg &a) { return toJson(a, manifest); })}};
}

Json toJson(const ManifestLaunch &launch, const Manifest &manifest) {
  Json json = {{"name", launch.name}, {"node", launch.node}};
  if (!launch.ops.empty())
    json["ops"] = launch.ops;
  json["variants"] =
      listOf(launch.variants, [&](const LaunchVariant &v) { return toJson(v, manifest); });
  return json;
}

Json toJson(const ManifestGolden &golden) {
  return {{"inputs", golden.inputs},
          {"outputs", listOf(golden.outputs, [](const ManifestGolden::Output &output) {
             return Json({{"tensor", output.tensor},
                          {"absolute", output.absolute},
                          {"relative", output.relative}});
           })}};
}

} // namespace

std::string writeManifest(const Manifest &manifest) {
  auto tensor = [&](const ManifestTensor &t) { return toJson(t, manifest); };
  Json json = {
      {"teeny", manifestVersion},
      {"name", manifest.name},
      {"targets", manifest.targets},
      {"dims", listOf(manifest.dims, [](const ManifestDim &d) { return toJson(d); })},
      {"requirements",
       listOf(manifest.requirements, [](const ManifestRequirement &r) { return toJson(r); })},
      {"inputs", listOf(manifest.inputs, tensor)},
      {"outputs", listOf(manifest.outputs, tensor)},
      {"buffers",
       listOf(manifest.buffers, [&](const ManifestBuffer &b) { return toJson(b, manifest); })},
      {"kernels", listOf(manifest.kernels, [](const ManifestKernel &k) { return toJson(k); })},
      {"launches",
       listOf(manifest.launches, [&](const ManifestLaunch &l) { return toJson(l, manifest); })},
      {"provenance", listOf(manifest.provenance,
                            [](const auto &p) {
                              return Json({{"name", p.first}, {"version", p.second}});
                            })},
  };
  if (!manifest.golden.empty())
    json["golden"] = listOf(manifest.golden, [](const ManifestGolden &g) { return toJson(g); });
  if (!manifest.hashes.empty())
    json["hashes"] = listOf(manifest.hashes, [](const auto &hash) {
      return Json({{"tensor", hash.first}, {"sha256", hash.second}});
    });
  std::string text;
  print(json, 0, 0, text);
  return text + "\n";
}

} // namespace teeny
