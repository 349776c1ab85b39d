#include "Graph/Reference/HostTensor.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

using namespace teeny;

bool teeny::isFloat(DType type) {
  switch (type) {
  case DType::f64:
  case DType::f32:
  case DType::f16:
  case DType::bf16:
  case DType::f8e4m3:
  case DType::f8e5m2:
    return true;
  default:
    return false;
  }
}

//===-- Floats of 8 and 16 bits
//-----------------------------------------------------------------===//

namespace {

// 1 sign bit, then exponent, then mantissa.
struct FloatFormat {
  int exponentBits, mantissaBits;
  bool hasInfinity; // else all ones is the only NaN, and the largest exponent is of numbers too

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  int minExponent() const { return 1 - bias(); }
  uint16_t signBit() const { return uint16_t(1 << (exponentBits + mantissaBits)); }
  uint16_t infinity() const { return uint16_t(((1 << exponentBits) - 1) << mantissaBits); }
  uint16_t nan() const {
    return hasInfinity ? uint16_t(infinity() | 1 << (mantissaBits - 1)) : uint16_t(signBit() - 1);
  }
  uint16_t overflow() const { return hasInfinity ? infinity() : nan(); }
};

FloatFormat formatOf(DType type) {
  switch (type) {
  case DType::f16:
    return {5, 10, true};
  case DType::bf16:
    return {8, 7, true};
  case DType::f8e5m2:
    return {5, 2, true};
  default:
    assert(type == DType::f8e4m3 && "no small float");
    return {4, 3, false};
  }
}

} // namespace

uint16_t teeny::encodeSmallFloat(DType type, double value) {
  FloatFormat format = formatOf(type);
  uint16_t sign = std::signbit(value) ? format.signBit() : 0;
  if (std::isnan(value))
    return sign | format.nan();
  if (std::isinf(value))
    return sign | format.overflow();
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  // In units of the last place, which below the normal range is that of the smallest normals. The
  // scaling is exact, so rounding happens once.
  int exponent = std::max(std::ilogb(magnitude), format.minExponent());
  auto units = int64_t(std::nearbyint(std::ldexp(magnitude, format.mantissaBits - exponent)));
  // Normals have their leading one as part of `units`: it adds 1 to the exponent field. A carry out
  // of the mantissa does the same, and 0 there gives a subnormal.
  int64_t bits = (int64_t(exponent - format.minExponent()) << format.mantissaBits) + units;
  return sign | (bits >= format.overflow() ? format.overflow() : uint16_t(bits));
}

double teeny::decodeSmallFloat(DType type, uint16_t bits) {
  FloatFormat format = formatOf(type);
  double sign = bits & format.signBit() ? -1 : 1;
  int magnitude = bits & (format.signBit() - 1);
  if (format.hasInfinity && magnitude == format.infinity())
    return sign * std::numeric_limits<double>::infinity();
  if (format.hasInfinity ? magnitude > format.infinity() : magnitude == format.nan())
    return std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
  int exponent = magnitude >> format.mantissaBits;
  int mantissa = magnitude & ((1 << format.mantissaBits) - 1);
  if (exponent > 0)
    mantissa |= 1 << format.mantissaBits;
  else
    exponent = 1;
  return sign * std::ldexp(mantissa, exponent - format.bias() - format.mantissaBits);
}

//===-- HostTensor
//------------------------------------------------------------------------------===//

HostTensor::HostTensor(DType dtype, std::vector<int64_t> shape)
    : type(dtype), sizes(std::move(shape)), count(1) {
  for (int64_t size : sizes) {
    assert(size >= 0 && "a negative size");
    count *= size;
  }
  data.resize(size_t(count) * byteSize(type));
}

HostTensor::HostTensor(DType dtype, std::vector<int64_t> shape, std::span<const std::byte> bytes)
    : HostTensor(dtype, std::move(shape)) {
  assert(bytes.size() == data.size() && "bytes do not fit the shape");
  std::copy(bytes.begin(), bytes.end(), data.begin());
}

template <typename T> static T load(const std::vector<std::byte> &data, int64_t index) {
  T value;
  std::memcpy(&value, data.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T> static void store(std::vector<std::byte> &data, int64_t index, T value) {
  std::memcpy(data.data() + index * sizeof(T), &value, sizeof(T));
}

static_assert(std::endian::native == std::endian::little, "elements are little-endian");

double HostTensor::real(int64_t index) const {
  assert(index >= 0 && index < count && "outside of the tensor");
  switch (type) {
  case DType::f64:
    return load<double>(data, index);
  case DType::f32:
    return load<float>(data, index);
  case DType::f16:
  case DType::bf16:
    return decodeSmallFloat(type, load<uint16_t>(data, index));
  case DType::f8e4m3:
  case DType::f8e5m2:
    return decodeSmallFloat(type, load<uint8_t>(data, index));
  case DType::u64:
    return double(load<uint64_t>(data, index));
  default:
    return double(integer(index));
  }
}

int64_t HostTensor::integer(int64_t index) const {
  assert(index >= 0 && index < count && "outside of the tensor");
  switch (type) {
  case DType::i64:
  case DType::u64:
    return load<int64_t>(data, index);
  case DType::i32:
    return load<int32_t>(data, index);
  case DType::i16:
    return load<int16_t>(data, index);
  case DType::i8:
    return load<int8_t>(data, index);
  case DType::u32:
    return load<uint32_t>(data, index);
  case DType::u16:
    return load<uint16_t>(data, index);
  case DType::u8:
    return load<uint8_t>(data, index);
  default:
    assert(type == DType::boolean && "a float tensor has no integers");
    return load<uint8_t>(data, index) != 0;
  }
}

void HostTensor::setReal(int64_t index, double value) {
  assert(index >= 0 && index < count && "outside of the tensor");
  switch (type) {
  case DType::f64:
    return store(data, index, value);
  case DType::f32:
    return store(data, index, float(value));
  case DType::f16:
  case DType::bf16:
    return store(data, index, encodeSmallFloat(type, value));
  case DType::f8e4m3:
  case DType::f8e5m2:
    return store(data, index, uint8_t(encodeSmallFloat(type, value)));
  default:
    return setInteger(index, type == DType::u64 ? int64_t(uint64_t(value)) : int64_t(value));
  }
}

void HostTensor::setInteger(int64_t index, int64_t value) {
  assert(index >= 0 && index < count && "outside of the tensor");
  switch (byteSize(type)) {
  case 8:
    return store(data, index, value);
  case 4:
    return store(data, index, int32_t(value));
  case 2:
    return store(data, index, int16_t(value));
  default:
    return store(data, index, type == DType::boolean ? int8_t(value != 0) : int8_t(value));
  }
}
