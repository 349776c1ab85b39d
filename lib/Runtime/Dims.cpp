#include "Runtime/Dims.h"

#include "Base/Checked.h"
#include "TensorFile/SafeTensors.h"

#include <algorithm>
#include <numeric>

namespace teeny::rt {

DimValues::DimValues(const Manifest &manifest)
    : manifest(&manifest), known(manifest.dims.size()), byName(manifest.dims.size()) {
  std::iota(byName.begin(), byName.end(), size_t(0));
  std::sort(byName.begin(), byName.end(),
            [&](size_t a, size_t b) { return manifest.dims[a].name < manifest.dims[b].name; });
}

std::optional<size_t> DimValues::indexOf(const std::string &name) const {
  auto at = std::lower_bound(
      byName.begin(), byName.end(), name,
      [&](size_t dim, const std::string &wanted) { return manifest->dims[dim].name < wanted; });
  bool found = at != byName.end() && manifest->dims[*at].name == name;
  return found ? std::optional(*at) : std::nullopt;
}

std::optional<int64_t> DimValues::find(const std::string &name) const {
  std::optional<size_t> dim = indexOf(name);
  return dim ? known[*dim] : std::nullopt;
}

Expr::Lookup DimValues::lookup() const {
  return [this](const std::string &name) { return find(name); };
}

Status DimValues::checkDim(size_t dim) const {
  const ManifestDim &declared = manifest->dims[dim];
  int64_t value = *known[dim];
  const std::string found = declared.name + " = " + std::to_string(value);
  if (value < declared.min || value > declared.max)
    return Error{ErrorCode::outOfRange, found + " is outside " + std::to_string(declared.min) +
                                            " to " + std::to_string(declared.max)};
  if (declared.multipleOf > 1 && value % declared.multipleOf != 0)
    return Error{ErrorCode::outOfRange,
                 found + " is no multiple of " + std::to_string(declared.multipleOf)};
  return {};
}

Status DimValues::check() const {
  for (size_t i = 0; i < known.size(); ++i) {
    if (!known[i])
      return Error{ErrorCode::invalid, "the dim '" + manifest->dims[i].name + "' has no value"};
    if (Status status = checkDim(i); !status)
      return status;
  }
  for (const ManifestRequirement &requirement : manifest->requirements) {
    const std::string where = "requirement '" + requirement.condition.str() + "'";
    Result<int64_t> holds = requirement.condition.evaluate(lookup());
    if (!holds)
      return holds.error().in(where);
    if (*holds != 0)
      continue;
    std::string at;
    for (const std::string &name : requirement.condition.symbols())
      at += (at.empty() ? " at " : ", ") + name + " = " + std::to_string(*find(name));
    return Error{ErrorCode::outOfRange, where + " does not hold" + at + ": " + requirement.message};
  }
  return {};
}

std::vector<int64_t> DimValues::values() const {
  std::vector<int64_t> values;
  for (const std::optional<int64_t> &value : known)
    values.push_back(*value);
  return values;
}

std::string shapeText(std::span<const int64_t> shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string declaredShape(const ManifestTensor &tensor) {
  std::string text = "(";
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    text += (i ? ", " : "") + tensor.shape[i].str();
  return text + (tensor.shape.size() == 1 ? ",)" : ")");
}

Result<std::vector<int64_t>> evaluateShape(const ManifestTensor &tensor, const DimValues &dims) {
  std::vector<int64_t> shape;
  for (size_t axis = 0; axis < tensor.shape.size(); ++axis) {
    const std::string where = "'" + tensor.name + "' axis " + std::to_string(axis);
    Result<int64_t> size = tensor.shape[axis].evaluate(dims.lookup());
    if (!size)
      return size.error().in(where);
    if (*size < 0)
      return Error{ErrorCode::outOfRange, where + ": the size " + tensor.shape[axis].str() +
                                              " is " + std::to_string(*size) + ", below 0"};
    shape.push_back(*size);
  }
  return shape;
}

Result<int64_t> bytesOf(DType dtype, std::span<const int64_t> shape) {
  std::optional<int64_t> bytes = tensorBytes(dtype, shape);
  if (!bytes)
    return Error{ErrorCode::outOfRange,
                 "a tensor of shape " + shapeText(shape) + " has too many bytes"};
  return *bytes;
}

namespace {

// Where a dim got its value, for messages.
struct Origin {
  size_t input = 0, axis = 0;
};

class Solver {
public:
  Solver(const Manifest &manifest, std::span<const std::vector<int64_t>> shapes)
      : manifest(manifest), shapes(shapes), dims(manifest), origins(manifest.dims.size()) {}

  Result<DimValues> solve() {
    for (size_t input = 0; input < shapes.size(); ++input)
      for (size_t axis = 0; axis < shapes[input].size(); ++axis)
        if (Status status = take(input, axis); !status)
          return status.error();
    for (size_t dim = 0; dim < manifest.dims.size(); ++dim)
      if (!dims[dim])
        return Error{ErrorCode::invalid,
                     "no input determines the dim '" + manifest.dims[dim].name + "'"};
    if (Status status = dims.check(); !status)
      return status.error();
    return dims;
  }

private:
  std::string where(size_t input, size_t axis) const {
    return "input '" + manifest.inputs[input].name + "' axis " + std::to_string(axis);
  }

  Status take(size_t input, size_t axis) {
    const Expr &declared = manifest.inputs[input].shape[axis];
    const int64_t size = shapes[input][axis];
    if (std::optional<int64_t> expected = declared.constant()) {
      if (size != *expected)
        return Error{ErrorCode::invalid, where(input, axis) + ": the size is " +
                                             std::to_string(size) + ", expected " +
                                             std::to_string(*expected)};
      return {};
    }
    std::optional<Expr::Linear> linear = declared.linear();
    if (!linear)
      return Error{ErrorCode::invalid, where(input, axis) + ": the manifest declares '" +
                                           declared.str() + "', expected a*N + b"};
    std::optional<size_t> dim = dims.indexOf(linear->name);
    if (!dim)
      return Error{ErrorCode::invalid,
                   where(input, axis) + ": the manifest has no dim '" + linear->name + "'"};
    return dims[*dim] ? agree(input, axis, *dim) : bind(input, axis, *dim, *linear);
  }

  // The dim is known already.
  Status agree(size_t input, size_t axis, size_t dim) {
    const Expr &declared = manifest.inputs[input].shape[axis];
    Result<int64_t> expected = declared.evaluate(dims.lookup());
    if (!expected)
      return expected.error().in(where(input, axis));
    const int64_t size = shapes[input][axis];
    if (size == *expected)
      return {};
    const Origin &origin = origins[dim];
    return Error{ErrorCode::invalid,
                 where(input, axis) + ": the size is " + std::to_string(size) + ", expected " +
                     declared.str() + " = " + std::to_string(*expected) + ", because " +
                     where(origin.input, origin.axis) + " makes " + manifest.dims[dim].name +
                     " = " + std::to_string(*dims[dim])};
  }

  Status bind(size_t input, size_t axis, size_t dim, const Expr::Linear &linear) {
    const int64_t size = shapes[input][axis];
    std::optional<int64_t> difference = checkedSub(size, linear.offset);
    // The one quotient that overflows is INT64_MIN / -1.
    if (!difference || linear.scale == 0 || (linear.scale == -1 && *difference == INT64_MIN) ||
        *difference % linear.scale != 0)
      return Error{ErrorCode::invalid, where(input, axis) + ": the size is " +
                                           std::to_string(size) + ", expected " +
                                           manifest.inputs[input].shape[axis].str() +
                                           " with an integer " + linear.name};
    dims[dim] = *difference / linear.scale;
    origins[dim] = {input, axis};
    if (Status status = dims.checkDim(dim); !status)
      return status.error().in(where(input, axis));
    return {};
  }

  const Manifest &manifest;
  std::span<const std::vector<int64_t>> shapes;
  DimValues dims;
  std::vector<Origin> origins;
};

} // namespace

Result<DimValues> solveDims(const Manifest &manifest,
                            std::span<const std::vector<int64_t>> inputShapes) {
  return Solver(manifest, inputShapes).solve();
}

} // namespace teeny::rt
