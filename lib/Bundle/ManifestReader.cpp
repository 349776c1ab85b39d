// From JSON to a manifest: types, keys, words, expressions, and names to indices. What the values
// mean is checked in ManifestCheck.cpp.
#include "Bundle/JsonFields.h"
#include "Bundle/Manifest.h"
#include "Bundle/ManifestNames.h"

#include <algorithm>

namespace teeny {
namespace {

// The names of the objects in an array, before they are read, so that references may point forward.
// A name twice is found by the check.
std::map<std::string, size_t> namesIn(const nlohmann::json &document, const char *key) {
  std::map<std::string, size_t> names;
  auto list = document.is_object() ? document.find(key) : document.end();
  if (list == document.end() || !list->is_array())
    return names;
  for (size_t i = 0; i < list->size(); ++i) {
    const nlohmann::json &item = (*list)[i];
    auto name = item.is_object() ? item.find("name") : item.end();
    if (name != item.end() && name->is_string())
      names.emplace(name->get<std::string>(), i);
  }
  return names;
}

class Reader {
public:
  explicit Reader(const nlohmann::json &document)
      : buffers(namesIn(document, "buffers")), kernels(namesIn(document, "kernels")) {}

  void read(JsonFields &fields, Manifest &manifest);

private:
  ManifestDim dim(const JsonValue &value);
  ManifestRequirement requirement(const JsonValue &value);
  ManifestTensor tensor(const JsonValue &value);
  ManifestBuffer buffer(const JsonValue &value);
  ManifestKernel kernel(const JsonValue &value);
  KernelParam param(const JsonValue &value);
  CodeObject code(const JsonValue &value);
  ManifestLaunch launch(const JsonValue &value);
  LaunchVariant variant(const JsonValue &value);
  LaunchArg arg(const JsonValue &value);
  ManifestGolden golden(const JsonValue &value);

  std::map<std::string, size_t> buffers, kernels;
};

void Reader::read(JsonFields &fields, Manifest &manifest) {
  int64_t version = fields["teeny"].integer();
  if (version != manifestVersion)
    fields.fail("format version " + std::to_string(version) + ", expected " +
                std::to_string(manifestVersion));
  manifest.name = fields["name"].text();
  fields["targets"].each([&](const JsonValue &v) { manifest.targets.push_back(v.text()); });
  fields["dims"].each([&](const JsonValue &v) { manifest.dims.push_back(dim(v)); });
  fields["requirements"].each(
      [&](const JsonValue &v) { manifest.requirements.push_back(requirement(v)); });
  fields["inputs"].each([&](const JsonValue &v) { manifest.inputs.push_back(tensor(v)); });
  fields["outputs"].each([&](const JsonValue &v) { manifest.outputs.push_back(tensor(v)); });
  fields["buffers"].each([&](const JsonValue &v) { manifest.buffers.push_back(buffer(v)); });
  fields["kernels"].each([&](const JsonValue &v) { manifest.kernels.push_back(kernel(v)); });
  fields["launches"].each([&](const JsonValue &v) { manifest.launches.push_back(launch(v)); });
  if (fields.has("golden"))
    fields["golden"].each([&](const JsonValue &v) { manifest.golden.push_back(golden(v)); });
  if (fields.has("hashes"))
    fields["hashes"].each([&](const JsonValue &v) {
      v.object([&](JsonFields &entry) {
        std::string name = entry["tensor"].text();
        manifest.hashes.emplace_back(name, entry["sha256"].text());
      });
    });
  fields["provenance"].each([&](const JsonValue &v) {
    v.object([&](JsonFields &entry) {
      std::string name = entry["name"].text();
      manifest.provenance.emplace_back(name, entry["version"].text());
    });
  });
}

ManifestDim Reader::dim(const JsonValue &value) {
  ManifestDim dim;
  value.object([&](JsonFields &fields) {
    dim.name = fields["name"].text();
    dim.min = fields["min"].integer();
    dim.max = fields["max"].integer();
    if (fields.has("multiple_of"))
      dim.multipleOf = fields["multiple_of"].integer();
  });
  return dim;
}

ManifestRequirement Reader::requirement(const JsonValue &value) {
  ManifestRequirement requirement;
  value.object([&](JsonFields &fields) {
    requirement.condition = fields["condition"].expr();
    requirement.message = fields["message"].text();
  });
  return requirement;
}

ManifestTensor Reader::tensor(const JsonValue &value) {
  ManifestTensor tensor;
  value.object([&](JsonFields &fields) {
    tensor.name = fields["name"].text();
    tensor.dtype = DType(fields["dtype"].word(dtypeNames()));
    fields["shape"].each([&](const JsonValue &dim) { tensor.shape.push_back(dim.expr()); });
    tensor.buffer = fields["buffer"].reference(buffers, "buffer");
  });
  return tensor;
}

ManifestBuffer Reader::buffer(const JsonValue &value) {
  ManifestBuffer buffer;
  value.object([&](JsonFields &fields) {
    buffer.name = fields["name"].text();
    buffer.kind = ManifestBuffer::Kind(fields["kind"].word(bufferKindNames));
    buffer.bytes = fields["bytes"].expr();
    buffer.align = fields["align"].integer();
    if (buffer.kind == ManifestBuffer::Kind::param)
      buffer.tensor = fields["tensor"].text();
    if (buffer.kind != ManifestBuffer::Kind::temporary)
      return;
    std::vector<int64_t> lifetime;
    fields["lifetime"].each([&](const JsonValue &v) { lifetime.push_back(v.integer()); });
    if (lifetime.size() != 2)
      return fields.fail("expected \"lifetime\" to be the first and the last launch");
    buffer.firstLaunch = lifetime[0];
    buffer.lastLaunch = lifetime[1];
    if (fields.has("zeroed"))
      buffer.zeroed = fields["zeroed"].boolean();
    if (fields.has("alias_of")) {
      buffer.aliasOf = fields["alias_of"].reference(buffers, "buffer");
      buffer.aliasOffset = fields["alias_offset"].expr();
    }
  });
  return buffer;
}

KernelParam Reader::param(const JsonValue &value) {
  KernelParam param;
  value.object([&](JsonFields &fields) {
    param.name = fields["name"].text();
    param.kind = KernelParam::Kind(fields["kind"].word(paramKindNames));
    if (fields.has("written"))
      param.written = fields["written"].boolean();
    if (fields.has("type"))
      param.type = fields["type"].text();
    if (fields.has("multiple_of"))
      param.multipleOf = fields["multiple_of"].integer();
    if (fields.has("range")) {
      std::vector<int64_t> range;
      fields["range"].each([&](const JsonValue &v) { range.push_back(v.integer()); });
      if (range.size() != 2)
        return fields.fail("expected \"range\" to be the smallest and the largest value");
      param.range = {range[0], range[1]};
    }
  });
  return param;
}

CodeObject Reader::code(const JsonValue &value) {
  CodeObject code;
  value.object([&](JsonFields &fields) {
    code.target = fields["target"].text();
    code.tensor = fields["tensor"].text();
    code.symbol = fields["symbol"].text();
    code.sha256 = fields["sha256"].text();
    if (!isGpuTarget(code.target)) {
      code.scratchBytes = fields["scratch_bytes"].integer();
      return;
    }
    code.threads = fields["threads"].integer();
    code.sharedBytes = fields["shared_bytes"].integer();
    code.registers = fields["registers"].integer();
    code.spillBytes = fields["spill_bytes"].integer();
    code.ptxVersion = fields["ptx_version"].text();
  });
  return code;
}

ManifestKernel Reader::kernel(const JsonValue &value) {
  ManifestKernel kernel;
  value.object([&](JsonFields &fields) {
    kernel.name = fields["name"].text();
    kernel.function = fields["function"].text();
    kernel.source = fields["source"].text();
    kernel.numWarps = fields["num_warps"].integer();
    fields["params"].each([&](const JsonValue &v) { kernel.params.push_back(param(v)); });
    if (fields.has("constants"))
      fields["constants"].each([&](const JsonValue &v) {
        v.object([&](JsonFields &entry) {
          std::string name = entry["name"].text();
          kernel.constants.push_back({name, entry["value"].text()});
        });
      });
    fields["code"].each([&](const JsonValue &v) { kernel.code.push_back(code(v)); });
  });
  return kernel;
}

LaunchArg Reader::arg(const JsonValue &value) {
  LaunchArg arg;
  value.object([&](JsonFields &fields) {
    if (fields.has("buffer")) {
      arg.kind = LaunchArg::Kind::buffer;
      arg.buffer = fields["buffer"].reference(buffers, "buffer");
      if (fields.has("offset"))
        arg.value = fields["offset"].expr();
    } else if (fields.has("int")) {
      arg.value = fields["int"].expr();
    } else if (fields.has("float")) {
      arg.kind = LaunchArg::Kind::real;
      arg.real = fields["float"].real();
    } else {
      fields.fail("expected \"buffer\", \"int\" or \"float\"");
    }
  });
  return arg;
}

LaunchVariant Reader::variant(const JsonValue &value) {
  LaunchVariant variant;
  value.object([&](JsonFields &fields) {
    variant.guard = fields["guard"].expr();
    variant.kernel = fields["kernel"].reference(kernels, "kernel");
    std::vector<Expr> grid;
    fields["grid"].each([&](const JsonValue &v) { grid.push_back(v.expr()); });
    if (grid.size() == 3)
      std::copy(grid.begin(), grid.end(), variant.grid.begin());
    else
      fields.fail("\"grid\" has " + std::to_string(grid.size()) + " elements, expected 3");
    fields["args"].each([&](const JsonValue &v) { variant.args.push_back(arg(v)); });
  });
  return variant;
}

ManifestLaunch Reader::launch(const JsonValue &value) {
  ManifestLaunch launch;
  value.object([&](JsonFields &fields) {
    launch.name = fields["name"].text();
    launch.node = fields["node"].text();
    fields["variants"].each([&](const JsonValue &v) { launch.variants.push_back(variant(v)); });
    if (fields.has("ops"))
      fields["ops"].each([&](const JsonValue &v) { launch.ops.push_back(v.text()); });
  });
  return launch;
}

ManifestGolden Reader::golden(const JsonValue &value) {
  ManifestGolden golden;
  value.object([&](JsonFields &fields) {
    fields["inputs"].each([&](const JsonValue &v) { golden.inputs.push_back(v.text()); });
    fields["outputs"].each([&](const JsonValue &v) {
      v.object([&](JsonFields &output) {
        std::string tensor = output["tensor"].text();
        double absolute = output["absolute"].real();
        golden.outputs.push_back({tensor, absolute, output["relative"].real()});
      });
    });
  });
  return golden;
}

} // namespace

Result<Manifest> readManifest(std::string_view json) {
  Result<nlohmann::json> document = parseJson(json);
  if (!document)
    return document.error();
  JsonContext context;
  Manifest manifest;
  Reader reader(*document);
  JsonValue(context, &*document, {}).object([&](JsonFields &fields) {
    reader.read(fields, manifest);
  });
  if (context.error)
    return *context.error;
  if (Status status = checkManifest(manifest); !status)
    return status.error();
  return manifest;
}

} // namespace teeny
