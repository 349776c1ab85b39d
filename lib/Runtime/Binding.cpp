#include "Runtime/Binding.h"

#include "Runtime/Dims.h"

namespace teeny::rt {

bool isContiguous(std::span<const int64_t> shape, const int64_t *strides) {
  if (!strides)
    return true;
  int64_t expected = 1;
  for (int64_t size : shape)
    if (size == 0)
      return true;
  for (size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] != 1 && strides[axis] != expected)
      return false;
    expected *= shape[axis]; // fits: the bytes of the tensor do
  }
  return true;
}

Result<Binding> makeBinding(const OfferedTensor &view, const ManifestTensor &declared,
                            const std::string &what) {
  if (view.dtype != declared.dtype)
    return Error{ErrorCode::invalid, what + ": the dtype is " + name(view.dtype) + ", expected " +
                                         name(declared.dtype)};
  if (view.shape.size() != declared.shape.size())
    return Error{ErrorCode::invalid, what + ": the rank is " + std::to_string(view.shape.size()) +
                                         ", expected " + std::to_string(declared.shape.size()) +
                                         ", of " + declaredShape(declared)};
  if (Result<int64_t> bytes = checkMemory(view, what); !bytes)
    return bytes.error();
  Binding binding;
  binding.data = view.data;
  binding.shape.assign(view.shape.begin(), view.shape.end());
  return binding;
}

Result<int64_t> checkMemory(const OfferedTensor &view, const std::string &what) {
  for (size_t axis = 0; axis < view.shape.size(); ++axis)
    if (view.shape[axis] < 0)
      return Error{ErrorCode::invalid, what + " axis " + std::to_string(axis) + ": the size is " +
                                           std::to_string(view.shape[axis]) + ", below 0"};
  Result<int64_t> bytes = bytesOf(view.dtype, view.shape);
  if (!bytes)
    return bytes.error().in(what);
  if (!isContiguous(view.shape, view.strides))
    return Error{ErrorCode::unsupported,
                 what + ": the strides are " +
                     shapeText({view.strides, view.strides + view.shape.size()}) +
                     ", which is not contiguous row-major for the shape " + shapeText(view.shape) +
                     "; copy the tensor first"};
  if (*bytes != 0 && view.data.address == 0)
    return Error{ErrorCode::invalid, what + ": the data is NULL"};
  if (*bytes != 0 && view.data.address + static_cast<uint64_t>(*bytes) < view.data.address)
    return Error{ErrorCode::invalid, what + ": the data goes past the end of memory"};
  return bytes;
}

} // namespace teeny::rt
