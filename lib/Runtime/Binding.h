// A tensor of the caller, bound to an input or output of a session.
#pragma once

#include "Runtime/Device.h"

#include <utility>
#include <vector>

namespace teeny::rt {

// Something to give back when a binding ends: a DLPack tensor, or nothing.
class Owned {
public:
  using Release = void (*)(void *object);
  Owned() = default;
  Owned(void *object, Release release) : object(object), release(release) {}
  Owned(Owned &&other) noexcept
      : object(std::exchange(other.object, nullptr)),
        release(std::exchange(other.release, nullptr)) {}
  Owned &operator=(Owned &&other) noexcept {
    std::swap(object, other.object);
    std::swap(release, other.release);
    return *this;
  }
  explicit operator bool() const { return release != nullptr; }
  ~Owned() {
    if (release)
      release(object);
  }

private:
  void *object = nullptr;
  Release release = nullptr;
};

struct Binding {
  Place data;
  std::vector<int64_t> shape;
  Owned owned;
};

// What a caller offers.
struct OfferedTensor {
  Place data;
  DType dtype = DType::f32;
  std::span<const int64_t> shape;
  const int64_t *strides = nullptr; // in elements, one an axis; null: contiguous
};

// Whether these are the strides of a contiguous row-major tensor. Strides of axes of size 1, and
// all strides of a tensor without elements, do not matter.
bool isContiguous(std::span<const int64_t> shape, const int64_t *strides);

// Checks what does not depend on dims: type, rank, sizes that no tensor has, layout, memory. `what`
// is "input 'x'". Sizes are checked when the dims are solved.
Result<Binding> makeBinding(const OfferedTensor &view, const ManifestTensor &declared,
                            const std::string &what);

// The part of these checks that does not depend on what is declared: the size in bytes.
Result<int64_t> checkMemory(const OfferedTensor &view, const std::string &what);

} // namespace teeny::rt
