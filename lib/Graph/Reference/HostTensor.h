// A tensor in host memory: the values that the reference evaluator works on.
//
// Elements are kept as their bytes, little-endian and row-major, exactly as files and devices have
// them. Reading gives the exact value as double or int64; writing rounds to the element type: to
// nearest, ties to even, overflow to infinity (to NaN where the type has none), and NaN stays NaN.
#pragma once

#include "TensorFile/DType.h"

#include <cstddef>
#include <span>
#include <vector>

namespace teeny {

class HostTensor {
public:
  HostTensor() = default;
  // Zeros. The shape must have sizes >= 0 and a number of bytes that fits in memory.
  HostTensor(DType dtype, std::vector<int64_t> shape);
  // From the bytes of a file or device; as many as the type and shape need.
  HostTensor(DType dtype, std::vector<int64_t> shape, std::span<const std::byte> bytes);

  DType dtype() const { return type; }
  const std::vector<int64_t> &shape() const { return sizes; }
  int64_t elements() const { return count; }
  std::span<const std::byte> bytes() const { return data; }
  std::span<std::byte> bytes() { return data; }

  // Element by row-major index. An i64 or u64 beyond 2^53 is rounded by real(); integer() is for
  // integer and bool tensors.
  double real(int64_t index) const;
  int64_t integer(int64_t index) const;
  // Integer types: the value must be in range; a real value is cut towards 0 first.
  void setReal(int64_t index, double value);
  void setInteger(int64_t index, int64_t value);

private:
  DType type = DType::f32;
  std::vector<int64_t> sizes;
  int64_t count = 0;
  std::vector<std::byte> data;
};

// Whether a type is a float, rather than an integer or bool.
bool isFloat(DType type);

// The bits of a value in a float type of 8 or 16 bits, and back.
uint16_t encodeSmallFloat(DType type, double value);
double decodeSmallFloat(DType type, uint16_t bits);

} // namespace teeny
