// The types of PTX as bits in 64-bit registers.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace teeny::test {

inline unsigned bitsOf(const std::string &type) {
  if (type == "pred")
    return 1;
  if (type == "bf16")
    return 16;
  if (type == "e4m3" || type == "e5m2")
    return 8;
  if (type == "tf32")
    return 32;
  if (type.size() > 2 && type.substr(type.size() - 2) == "x2")
    return 2 * bitsOf(type.substr(0, type.size() - 2));
  return std::stoul(type.substr(1));
}
inline bool isFloat(const std::string &type) {
  return type[0] == 'f' || type == "bf16" || type == "tf32" || type == "bf16x2";
}
inline bool isSigned(const std::string &type) { return type[0] == 's'; }

inline uint64_t truncated(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}
inline int64_t signExtended(uint64_t value, unsigned bits) {
  return bits >= 64 ? int64_t(value) : int64_t(value << (64 - bits)) >> (64 - bits);
}

// A double rounded to a float format with so many bits of fraction and this least exponent, ties to
// even.
inline double roundedTo(double value, int fractionBits, int minExponent, double largest) {
  if (!std::isfinite(value) || value == 0)
    return value;
  int exponent = std::max(std::ilogb(value), minExponent);
  double unit = std::ldexp(1.0, exponent - fractionBits);
  double rounded = std::nearbyint(value / unit) * unit;
  return std::fabs(rounded) > largest
             ? std::copysign(std::numeric_limits<double>::infinity(), value)
             : rounded;
}

// Floats of 8 bits by their definition: the values of all patterns.
inline double float8(const std::string &type, unsigned bits) {
  int fractionBits = type == "e4m3" ? 3 : 2, bias = type == "e4m3" ? 7 : 15;
  int exponent = (bits & 127) >> fractionBits, fraction = bits & ((1 << fractionBits) - 1);
  double value = exponent ? std::ldexp(1 + std::ldexp(fraction, -fractionBits), exponent - bias)
                          : std::ldexp(fraction, 1 - bias - fractionBits);
  if (type == "e4m3" ? (bits & 127) == 127 : exponent == 31)
    value = type == "e5m2" && fraction == 0 ? INFINITY : NAN;
  return bits & 128 ? -value : value;
}

// The nearest of all finite values, of two equally near the one with the even pattern.
inline unsigned nearestFloat8(const std::string &type, double value) {
  if (std::isnan(value))
    return 127;
  unsigned sign = std::signbit(value) ? 128 : 0, best = 0;
  double size = std::fmin(std::fabs(value), 1e6); // for infinity: beyond the largest
  for (unsigned bits = 0; bits < 127; ++bits) {
    double distance = std::fabs(float8(type, bits) - size),
           least = std::fabs(float8(type, best) - size);
    if (std::isfinite(float8(type, bits)) &&
        (distance < least || (distance == least && bits % 2 == 0)))
      best = bits;
  }
  return sign | best;
}

inline double toDouble(const std::string &type, uint64_t bits) {
  if (type == "e4m3" || type == "e5m2")
    return float8(type, bits);
  if (type == "f64") {
    double value;
    std::memcpy(&value, &bits, 8);
    return value;
  }
  uint32_t word = uint32_t(bits);
  if (type == "bf16")
    word = uint32_t(bits & 0xffff) << 16;
  if (type == "f16") {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value = exponent == 31 ? (fraction ? NAN : INFINITY)
                   : exponent     ? std::ldexp(1024 + fraction, exponent - 25)
                                  : std::ldexp(fraction, -24);
    return bits & 0x8000 ? -value : value;
  }
  float value;
  std::memcpy(&value, &word, 4);
  return value;
}

inline uint64_t fromDouble(const std::string &type, double value) {
  if (type == "e4m3" || type == "e5m2")
    return nearestFloat8(type, value);
  uint64_t bits = 0;
  if (type == "f64") {
    std::memcpy(&bits, &value, 8);
    return bits;
  }
  if (type == "f16") {
    uint64_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value))
      return 0x7fff;
    value = std::fabs(roundedTo(value, 10, -14, 65504));
    if (std::isinf(value))
      return sign | 0x7c00;
    if (value < std::ldexp(1.0, -14))
      return sign | uint64_t(std::ldexp(value, 24));
    int exponent = std::ilogb(value);
    return sign | uint64_t(exponent + 15) << 10 |
           (uint64_t(std::ldexp(value, 10 - exponent)) & 1023);
  }
  if (type == "bf16")
    value = roundedTo(value, 7, -126, std::ldexp(255.0, 120));
  float narrow = float(value);
  uint32_t word;
  std::memcpy(&word, &narrow, 4);
  if (type == "bf16")
    return std::isnan(value) ? 0x7fff : word >> 16;
  return word;
}

} // namespace teeny::test
