#include "Numbers.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace runner {

namespace {

class SplitMix64 {
public:
  explicit SplitMix64(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

private:
  uint64_t state;
};

uint64_t fnv1a(const std::string &text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : text)
    hash = (hash ^ c) * 0x100000001b3;
  return hash;
}

// Fields of the small floats; none for other types.
struct Format {
  int exponentBits = 0, mantissaBits = 0;
  bool finite = false;
};
Format formatOf(teeny_dtype dtype) {
  switch (dtype) {
  case TEENY_F16:
    return {5, 10};
  case TEENY_BF16:
    return {8, 7};
  case TEENY_F8E4M3:
    return {4, 3, true};
  case TEENY_F8E5M2:
    return {5, 2};
  default:
    return {};
  }
}

template <typename T> void store(std::byte *to, T value) { memcpy(to, &value, sizeof value); }
template <typename T> T load(const std::byte *from) {
  T value;
  memcpy(&value, from, sizeof value);
  return value;
}

void storeFloat(std::byte *to, teeny_dtype dtype, double value) {
  Format format = formatOf(dtype);
  if (dtype == TEENY_F64)
    store(to, value);
  else if (dtype == TEENY_F32)
    store(to, static_cast<float>(value));
  else if (teeny_dtype_size(dtype) == 2)
    store(to, static_cast<uint16_t>(encodeFloat(value, format.exponentBits, format.mantissaBits)));
  else
    store(to, static_cast<uint8_t>(encodeFloat(value, format.exponentBits, format.mantissaBits)));
}

bool isFloat(teeny_dtype dtype) { return dtype <= TEENY_F8E5M2; }

} // namespace

uint32_t encodeFloat(double value, int exponentBits, int mantissaBits) {
  const int bias = (1 << (exponentBits - 1)) - 1;
  uint32_t sign = std::signbit(value) ? 1u << (exponentBits + mantissaBits) : 0;
  double magnitude = std::fabs(value);
  if (magnitude == 0)
    return sign;
  // Below the least normal number, the exponent stays and the leading bit goes.
  int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  double scaled = std::nearbyint(std::ldexp(magnitude, mantissaBits - exponent));
  // A carry out of the mantissa goes into the exponent, as it should.
  return sign + (static_cast<uint32_t>(exponent + bias - 1) << mantissaBits) +
         static_cast<uint32_t>(scaled);
}

double decodeFloat(uint32_t bits, int exponentBits, int mantissaBits, bool finite) {
  const int bias = (1 << (exponentBits - 1)) - 1, top = (1 << exponentBits) - 1;
  uint32_t mantissa = bits & ((1u << mantissaBits) - 1);
  int exponent = static_cast<int>(bits >> mantissaBits) & top;
  double sign = (bits >> (exponentBits + mantissaBits)) & 1 ? -1 : 1;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (finite && exponent == top && mantissa == (1u << mantissaBits) - 1)
    return nan;
  if (!finite && exponent == top)
    return mantissa ? nan : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  return sign * std::ldexp(mantissa + (1u << mantissaBits), exponent - bias - mantissaBits);
}

std::vector<std::byte> randomElements(teeny_dtype dtype, size_t count, uint64_t seed,
                                      const std::string &name) {
  const size_t size = teeny_dtype_size(dtype);
  std::vector<std::byte> data(count * size); // integers: the other bytes stay 0
  SplitMix64 random(seed + fnv1a(name));
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits = random.next();
    std::byte *element = data.data() + i * size;
    if (isFloat(dtype))
      storeFloat(element, dtype, std::ldexp(static_cast<double>(bits >> 40), -23) - 1);
    else
      store(element, static_cast<uint8_t>(dtype == TEENY_BOOL ? bits & 1 : bits % 10));
  }
  return data;
}

std::string elementText(teeny_dtype dtype, const std::byte *data, size_t index) {
  const std::byte *at = data + index * teeny_dtype_size(dtype);
  Format format = formatOf(dtype);
  double real = 0;
  switch (dtype) {
  case TEENY_F64:
    real = load<double>(at);
    break;
  case TEENY_F32:
    real = load<float>(at);
    break;
  case TEENY_F16:
  case TEENY_BF16:
    real = decodeFloat(load<uint16_t>(at), format.exponentBits, format.mantissaBits, format.finite);
    break;
  case TEENY_F8E4M3:
  case TEENY_F8E5M2:
    real = decodeFloat(load<uint8_t>(at), format.exponentBits, format.mantissaBits, format.finite);
    break;
  case TEENY_I64:
    return std::to_string(load<int64_t>(at));
  case TEENY_I32:
    return std::to_string(load<int32_t>(at));
  case TEENY_I16:
    return std::to_string(load<int16_t>(at));
  case TEENY_I8:
    return std::to_string(load<int8_t>(at));
  case TEENY_U64:
    return std::to_string(load<uint64_t>(at));
  case TEENY_U32:
    return std::to_string(load<uint32_t>(at));
  case TEENY_U16:
    return std::to_string(load<uint16_t>(at));
  case TEENY_U8:
    return std::to_string(load<uint8_t>(at));
  case TEENY_BOOL:
    return load<uint8_t>(at) ? "true" : "false";
  }
  char text[32];
  snprintf(text, sizeof text, "%.9g", real);
  return text;
}

} // namespace runner
