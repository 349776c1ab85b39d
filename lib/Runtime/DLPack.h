// The tensor structures that array libraries hand to one another (DLPack), as their binary
// interface fixes them; declared here so that the build needs no other package. Version 0.x has
// ManagedTensor, 1.x also ManagedTensorVersioned.
#pragma once

#include "Bundle/Manifest.h"

#include <cstdint>
#include <optional>

namespace teeny::rt::dlpack {

enum DeviceType : int32_t { cpu = 1, cuda = 2, cudaHost = 3, cudaManaged = 13 };

struct Device {
  int32_t type;
  int32_t id;
};

// Codes of DataType.
enum TypeCode : uint8_t {
  signedInt = 0,
  unsignedInt = 1,
  ieeeFloat = 2,
  bfloat = 4,
  boolean = 6,
  float8e4m3fn = 10,
  float8e5m2 = 12,
};

struct DataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
};

struct Tensor {
  void *data;
  Device device;
  int32_t rank;
  DataType dtype;
  int64_t *shape;
  int64_t *strides; // in elements; null: contiguous
  uint64_t byteOffset;
};

struct ManagedTensor {
  Tensor tensor;
  void *context;
  void (*deleter)(ManagedTensor *self); // may be null
};

struct ManagedTensorVersioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(ManagedTensorVersioned *self); // may be null
  uint64_t flags;
  Tensor tensor;
};
inline constexpr uint32_t knownMajor = 1;
inline constexpr uint64_t readOnlyFlag = 1;

static_assert(sizeof(Tensor) == 48 && sizeof(ManagedTensor) == 64 &&
              sizeof(ManagedTensorVersioned) == 80);

// The element type of a DLPack tensor, if bundles have it.
std::optional<DType> dtypeOf(DataType type);

} // namespace teeny::rt::dlpack
