#include "Graph/Reference/TypedOps.h"

#include <cassert>
#include <cstring>
#include <optional>

using namespace teeny;

using Index = std::vector<int64_t>;

// Calls `visit` with the number and the coordinates of each element of a shape.
template <typename Visit> static void forEach(const Index &shape, Visit visit) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  Index at(shape.size());
  for (int64_t i = 0; i < count; ++i) {
    visit(i, at);
    for (size_t dim = shape.size(); dim-- > 0;) {
      if (++at[dim] < shape[dim])
        break;
      at[dim] = 0;
    }
  }
}

static int64_t position(const Index &shape, const Index &at) {
  int64_t index = 0;
  for (size_t dim = 0; dim < shape.size(); ++dim)
    index = index * shape[dim] + at[dim];
  return index;
}

static void copy(const HostTensor &from, int64_t index, HostTensor &to, int64_t where) {
  int64_t size = byteSize(from.dtype());
  std::memcpy(to.bytes().data() + where * size, from.bytes().data() + index * size, size_t(size));
}

//===-- Movement of data
//------------------------------------------------------------------------===//

void reference::permute(const HostTensor &x, std::span<const int64_t> permutation,
                        HostTensor &out) {
  forEach(out.shape(), [&](int64_t i, const Index &at) {
    Index from(at.size());
    for (size_t dim = 0; dim < at.size(); ++dim)
      from[permutation[dim]] = at[dim];
    copy(x, position(x.shape(), from), out, i);
  });
}

void reference::expand(const HostTensor &x, HostTensor &out) {
  forEach(out.shape(), [&](int64_t i, const Index &at) {
    Index from(at.end() - x.shape().size(), at.end());
    for (size_t dim = 0; dim < from.size(); ++dim)
      if (x.shape()[dim] == 1)
        from[dim] = 0;
    copy(x, position(x.shape(), from), out, i);
  });
}

void reference::slice(const HostTensor &x, std::span<const int64_t> starts,
                      std::span<const int64_t> steps, HostTensor &out) {
  forEach(out.shape(), [&](int64_t i, const Index &at) {
    Index from(at);
    for (size_t dim = 0; dim < from.size(); ++dim)
      from[dim] = starts[dim] + at[dim] * steps[dim];
    copy(x, position(x.shape(), from), out, i);
  });
}

// The coordinate inside of a border; none where the border has a value of its own.
static std::optional<int64_t> inside(int64_t at, int64_t size, std::string_view mode) {
  if (at >= 0 && at < size)
    return at;
  if (mode == "reflect")
    return at < 0 ? -at : 2 * (size - 1) - at;
  if (mode == "replicate")
    return at < 0 ? 0 : size - 1;
  if (mode == "circular")
    return at < 0 ? at + size : at - size;
  return std::nullopt;
}

void reference::pad(const HostTensor &x, std::string_view mode, std::span<const int64_t> low,
                    const HostTensor &value, HostTensor &out) {
  forEach(out.shape(), [&](int64_t i, const Index &at) {
    Index from(at);
    bool isInside = true;
    for (size_t dim = 0; dim < at.size(); ++dim) {
      std::optional<int64_t> found = inside(at[dim] - low[dim], x.shape()[dim], mode);
      isInside &= found.has_value();
      from[dim] = found.value_or(0);
    }
    isInside ? copy(x, position(x.shape(), from), out, i) : copy(value, 0, out, i);
  });
}

void reference::concat(std::span<const HostTensor *const> operands, int64_t axis, HostTensor &out) {
  int64_t begin = 0;
  for (const HostTensor *operand : operands) {
    forEach(operand->shape(), [&](int64_t i, const Index &at) {
      Index to(at);
      to[axis] += begin;
      copy(*operand, i, out, position(out.shape(), to));
    });
    begin += operand->shape()[axis];
  }
}
