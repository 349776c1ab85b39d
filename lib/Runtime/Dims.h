// The dims of a run: solved from the shapes of its inputs, checked against the manifest.
#pragma once

#include "Base/Result.h"
#include "Bundle/Manifest.h"

#include <span>
#include <vector>

namespace teeny::rt {

// Values of the manifest's dims, in its order; what expressions are evaluated with.
class DimValues {
public:
  // The manifest must outlive the object.
  explicit DimValues(const Manifest &manifest);

  std::optional<size_t> indexOf(const std::string &name) const;
  std::optional<int64_t> find(const std::string &name) const;
  Expr::Lookup lookup() const;
  std::optional<int64_t> &operator[](size_t dim) { return known[dim]; }
  const std::optional<int64_t> &operator[](size_t dim) const { return known[dim]; }

  // Every dim has a value in its range that is a multiple of what it must be, and the requirements
  // hold. The error names the first that does not; a dim without a value is an error too.
  Status check() const;
  // The same for one dim that has a value.
  Status checkDim(size_t dim) const;

  std::vector<int64_t> values() const; // after check()

private:
  const Manifest *manifest;
  std::vector<std::optional<int64_t>> known;
  std::vector<size_t> byName;
};

// Solves the dims from shapes, one for each input in manifest order, and checks everything. Errors
// name the input and axis, what was found and what was expected.
Result<DimValues> solveDims(const Manifest &manifest,
                            std::span<const std::vector<int64_t>> inputShapes);

// "(B, 3, 2*N + 1)", as the manifest declares it.
std::string declaredShape(const ManifestTensor &tensor);
// "(1, 3, 641)".
std::string shapeText(std::span<const int64_t> shape);

// The shape of a tensor at these dims; sizes are >= 0.
Result<std::vector<int64_t>> evaluateShape(const ManifestTensor &tensor, const DimValues &dims);

// The bytes of a tensor of this shape; an error if they do not fit.
Result<int64_t> bytesOf(DType dtype, std::span<const int64_t> shape);

} // namespace teeny::rt
