#include "Runtime/Describe.h"

#include "Bundle/ManifestNames.h"

#include <nlohmann/json.hpp>

namespace teeny::rt {

using Json = nlohmann::ordered_json;

static Json tensors(const std::vector<ManifestTensor> &list) {
  Json result = Json::array();
  for (const ManifestTensor &tensor : list) {
    Json shape = Json::array();
    for (const Expr &size : tensor.shape)
      shape.push_back(size.str());
    result.push_back({{"name", tensor.name}, {"dtype", name(tensor.dtype)}, {"shape", shape}});
  }
  return result;
}

static Json codeObject(const BundleFile &bundle, const CodeObject &code) {
  Json result = {
      {"target", code.target}, {"bytes", bundle.code(code).size()}, {"sha256", code.sha256}};
  if (code.threads != 0) {
    result["threads"] = code.threads;
    result["shared_bytes"] = code.sharedBytes;
    result["registers"] = code.registers;
    result["spill_bytes"] = code.spillBytes;
  } else {
    result["scratch_bytes"] = code.scratchBytes;
  }
  if (!code.ptxVersion.empty())
    result["ptx_version"] = code.ptxVersion;
  return result;
}

static Json kernels(const BundleFile &bundle) {
  Json result = Json::array();
  for (const ManifestKernel &kernel : bundle.manifest().kernels) {
    Json params = Json::array(), constants = Json::object(), code = Json::array();
    for (const KernelParam &param : kernel.params) {
      Json entry = {{"name", param.name}, {"kind", name(param.kind)}};
      if (param.written)
        entry["written"] = true;
      if (!param.type.empty()) {
        entry["type"] = param.type;
        entry["multiple_of"] = param.multipleOf;
      }
      if (param.range)
        entry["range"] = {param.range->first, param.range->second};
      params.push_back(entry);
    }
    for (const KernelConstant &constant : kernel.constants)
      constants[constant.name] = constant.value;
    for (const CodeObject &object : kernel.code)
      code.push_back(codeObject(bundle, object));
    result.push_back({{"name", kernel.name},
                      {"function", kernel.function},
                      {"source", kernel.source},
                      {"warps", kernel.numWarps},
                      {"params", params},
                      {"constants", constants},
                      {"signature", kernel.hasSignature()},
                      {"code", code}});
  }
  return result;
}

static Json launches(const Manifest &manifest) {
  Json result = Json::array();
  for (const ManifestLaunch &launch : manifest.launches) {
    Json variants = Json::array();
    for (const LaunchVariant &variant : launch.variants)
      variants.push_back(
          {{"guard", variant.guard.str()},
           {"kernel", manifest.kernels[variant.kernel].name},
           {"grid", {variant.grid[0].str(), variant.grid[1].str(), variant.grid[2].str()}}});
    result.push_back({{"name", launch.name}, {"node", launch.node}, {"variants", variants}});
  }
  return result;
}

// Of the code tensors, each counted once: kernels may share one.
static size_t codeBytes(const BundleFile &bundle) {
  size_t bytes = 0;
  for (const TensorView &tensor : bundle.tensors().tensors())
    if (tensor.name.starts_with(codePrefix))
      bytes += tensor.data.size();
  return bytes;
}

size_t paramBytes(const BundleFile &bundle) {
  size_t bytes = 0;
  for (const ManifestBuffer &buffer : bundle.manifest().buffers)
    if (buffer.kind == ManifestBuffer::Kind::param)
      bytes += bundle.weight(buffer).data.size();
  return bytes;
}

std::string describeJson(const BundleFile &bundle) {
  const Manifest &manifest = bundle.manifest();
  Json dims = Json::array(), requirements = Json::array(), provenance = Json::object();
  for (const ManifestDim &dim : manifest.dims)
    dims.push_back(
        {{"name", dim.name}, {"min", dim.min}, {"max", dim.max}, {"multiple_of", dim.multipleOf}});
  for (const ManifestRequirement &requirement : manifest.requirements)
    requirements.push_back(
        {{"condition", requirement.condition.str()}, {"message", requirement.message}});
  for (const auto &[what, version] : manifest.provenance)
    provenance[what] = version;
  Json json = {{"name", manifest.name},
               {"dims", dims},
               {"requirements", requirements},
               {"inputs", tensors(manifest.inputs)},
               {"outputs", tensors(manifest.outputs)},
               {"targets", manifest.targets},
               {"kernels", kernels(bundle)},
               {"launches", launches(manifest)},
               {"sizes",
                {{"file_bytes", bundle.bytes().size()},
                 {"code_bytes", codeBytes(bundle)},
                 {"param_bytes", paramBytes(bundle)}}},
               {"provenance", provenance}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace teeny::rt
