#include "Runtime/CApi/Handles.h"
#include "Runtime/Describe.h"
#include "Runtime/Open.h"
#include "Runtime/Plan.h"

#include <algorithm>

using namespace teeny;
using namespace teeny::rt;

namespace teeny::rt {
std::optional<DType> fromC(teeny_dtype type) {
  int number = static_cast<int>(type);
  if (number < static_cast<int>(DType::f64) || number > static_cast<int>(DType::boolean))
    return std::nullopt;
  return static_cast<DType>(number);
}
} // namespace teeny::rt

static_assert(static_cast<int>(DType::f64) == TEENY_F64 &&
              static_cast<int>(DType::f8e5m2) == TEENY_F8E5M2 &&
              static_cast<int>(DType::i64) == TEENY_I64 &&
              static_cast<int>(DType::u64) == TEENY_U64 &&
              static_cast<int>(DType::boolean) == TEENY_BOOL);

static std::vector<TensorStrings> stringsOf(const std::vector<ManifestTensor> &tensors) {
  std::vector<TensorStrings> result;
  for (const ManifestTensor &tensor : tensors) {
    TensorStrings strings;
    for (const Expr &size : tensor.shape)
      strings.shape.push_back(size.str());
    for (const std::string &size : strings.shape)
      strings.pointers.push_back(size.c_str());
    result.push_back(std::move(strings)); // moves the array: the strings stay where they are
  }
  return result;
}

static Status finishOpening(Result<std::shared_ptr<const BundleFile>> opened,
                            teeny_bundle **result) {
  if (!opened)
    return opened.error();
  auto bundle = std::make_unique<teeny_bundle>();
  bundle->file = *opened;
  const Manifest &manifest = bundle->file->manifest();
  bundle->inputs = stringsOf(manifest.inputs);
  bundle->outputs = stringsOf(manifest.outputs);
  for (const ManifestKernel &kernel : manifest.kernels) {
    KernelStrings strings;
    for (const CodeObject &code : kernel.code)
      strings.targets.push_back(code.target.c_str());
    bundle->kernels.push_back(std::move(strings));
  }
  bundle->description = describeJson(*bundle->file);
  *result = bundle.release();
  return {};
}

static Error indexError(const char *what, size_t index, size_t count) {
  return {ErrorCode::notFound, "there is no " + std::string(what) + " " + std::to_string(index) +
                                   ": the bundle has " + std::to_string(count)};
}

static teeny_status getTensor(const teeny_bundle *bundle, bool isInput, size_t index,
                              teeny_tensor_info *info) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(bundle);
    TEENY_REQUIRE(info);
    const Manifest &manifest = bundle->file->manifest();
    const std::vector<ManifestTensor> &tensors = isInput ? manifest.inputs : manifest.outputs;
    if (index >= tensors.size())
      return indexError(isInput ? "input" : "output", index, tensors.size());
    const ManifestTensor &tensor = tensors[index];
    const TensorStrings &strings = (isInput ? bundle->inputs : bundle->outputs)[index];
    *info = {tensor.name.c_str(), toC(tensor.dtype), tensor.shape.size(), strings.pointers.data()};
    return {};
  });
}

static Result<DimValues> readDims(const Manifest &manifest, const teeny_dim_value *dims,
                                  size_t count) {
  DimValues values(manifest);
  for (size_t i = 0; i < count; ++i) {
    TEENY_REQUIRE(dims);
    TEENY_REQUIRE(dims[i].name);
    size_t dim = 0;
    while (dim < manifest.dims.size() && manifest.dims[dim].name != dims[i].name)
      ++dim;
    if (dim == manifest.dims.size())
      return Error{ErrorCode::notFound,
                   "the bundle has no dim '" + std::string(dims[i].name) + "'"};
    values[dim] = dims[i].value;
    if (Status status = values.checkDim(dim); !status)
      return status.error();
  }
  return values;
}

static teeny_status getShape(const teeny_bundle *bundle, bool isInput, size_t index,
                             const teeny_dim_value *dims, size_t count, int64_t *shape,
                             size_t rank) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(bundle);
    const Manifest &manifest = bundle->file->manifest();
    const std::vector<ManifestTensor> &tensors = isInput ? manifest.inputs : manifest.outputs;
    if (index >= tensors.size())
      return indexError(isInput ? "input" : "output", index, tensors.size());
    if (rank != tensors[index].shape.size())
      return Error{ErrorCode::invalid, "the rank is " + std::to_string(rank) + ", expected " +
                                           std::to_string(tensors[index].shape.size())};
    if (rank != 0)
      TEENY_REQUIRE(shape);
    Result<DimValues> values = readDims(manifest, dims, count);
    if (!values)
      return values.error();
    Result<std::vector<int64_t>> sizes = evaluateShape(tensors[index], *values);
    if (!sizes)
      return sizes.error();
    std::copy(sizes->begin(), sizes->end(), shape);
    return {};
  });
}

extern "C" {

const char *teeny_dtype_name(teeny_dtype dtype) {
  std::optional<DType> type = fromC(dtype);
  return type ? name(*type) : "unknown";
}

size_t teeny_dtype_size(teeny_dtype dtype) {
  std::optional<DType> type = fromC(dtype);
  return type ? byteSize(*type) : 0;
}

teeny_status teeny_open_file(const char *path, const char *sha256, teeny_bundle **bundle) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(path);
    TEENY_REQUIRE(bundle);
    return finishOpening(openBundle(path, sha256), bundle);
  });
}

teeny_status teeny_open_memory(const void *data, size_t size, const char *sha256,
                               teeny_bundle **bundle) {
  return guarded([&]() -> Status {
    if (size != 0)
      TEENY_REQUIRE(data);
    TEENY_REQUIRE(bundle);
    return finishOpening(openBundleCopy({static_cast<const std::byte *>(data), size}, sha256),
                         bundle);
  });
}

void teeny_close(teeny_bundle *bundle) { delete bundle; }

teeny_status teeny_verify(const teeny_bundle *bundle) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(bundle);
    return bundle->file->verify();
  });
}

const char *teeny_bundle_name(const teeny_bundle *bundle) {
  return bundle->file->manifest().name.c_str();
}

size_t teeny_dim_count(const teeny_bundle *bundle) { return bundle->file->manifest().dims.size(); }
size_t teeny_input_count(const teeny_bundle *bundle) { return bundle->inputs.size(); }
size_t teeny_output_count(const teeny_bundle *bundle) { return bundle->outputs.size(); }
size_t teeny_target_count(const teeny_bundle *bundle) {
  return bundle->file->manifest().targets.size();
}
size_t teeny_kernel_count(const teeny_bundle *bundle) { return bundle->kernels.size(); }

teeny_status teeny_get_dim(const teeny_bundle *bundle, size_t index, teeny_dim_info *info) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(bundle);
    TEENY_REQUIRE(info);
    const std::vector<ManifestDim> &dims = bundle->file->manifest().dims;
    if (index >= dims.size())
      return indexError("dim", index, dims.size());
    const ManifestDim &dim = dims[index];
    *info = {dim.name.c_str(), dim.min, dim.max, dim.multipleOf};
    return {};
  });
}

teeny_status teeny_get_input(const teeny_bundle *bundle, size_t index, teeny_tensor_info *info) {
  return getTensor(bundle, true, index, info);
}

teeny_status teeny_get_output(const teeny_bundle *bundle, size_t index, teeny_tensor_info *info) {
  return getTensor(bundle, false, index, info);
}

teeny_status teeny_get_target(const teeny_bundle *bundle, size_t index, const char **target) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(bundle);
    TEENY_REQUIRE(target);
    const std::vector<std::string> &targets = bundle->file->manifest().targets;
    if (index >= targets.size())
      return indexError("target", index, targets.size());
    *target = targets[index].c_str();
    return {};
  });
}

teeny_status teeny_get_kernel(const teeny_bundle *bundle, size_t index, teeny_kernel_info *info) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(bundle);
    TEENY_REQUIRE(info);
    const std::vector<ManifestKernel> &kernels = bundle->file->manifest().kernels;
    if (index >= kernels.size())
      return indexError("kernel", index, kernels.size());
    const ManifestKernel &kernel = kernels[index];
    *info = {kernel.name.c_str(), kernel.function.c_str(), kernel.source.c_str(),
             kernel.code.size(), bundle->kernels[index].targets.data()};
    return {};
  });
}

const char *teeny_describe_json(const teeny_bundle *bundle) { return bundle->description.c_str(); }

teeny_status teeny_plan(const teeny_bundle *bundle, const teeny_dim_value *dims, size_t dim_count,
                        teeny_plan_info *info) {
  return guarded([&]() -> Status {
    TEENY_REQUIRE(bundle);
    TEENY_REQUIRE(info);
    const Manifest &manifest = bundle->file->manifest();
    Result<DimValues> values = readDims(manifest, dims, dim_count);
    if (!values)
      return values.error();
    if (Status status = values->check(); !status)
      return status;
    Result<Plan> plan = makePlan(manifest, *values);
    if (!plan)
      return plan.error();
    *info = {static_cast<size_t>(plan->arenaBytes), paramBytes(*bundle->file), plan->launches};
    return {};
  });
}

teeny_status teeny_input_shape(const teeny_bundle *bundle, size_t index,
                               const teeny_dim_value *dims, size_t dim_count, int64_t *shape,
                               size_t rank) {
  return getShape(bundle, true, index, dims, dim_count, shape, rank);
}

teeny_status teeny_output_shape(const teeny_bundle *bundle, size_t index,
                                const teeny_dim_value *dims, size_t dim_count, int64_t *shape,
                                size_t rank) {
  return getShape(bundle, false, index, dims, dim_count, shape, rank);
}

} // extern "C"
