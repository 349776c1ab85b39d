// Elements of every type: made at random, and read for printing.
#pragma once

#include "teeny/runtime.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace runner {

// Reproducible values for `count` elements. The generator is SplitMix64, begun at the seed plus the
// 64-bit FNV-1a hash of the input's name, one step for each element; of its 64 bits, floats take
// the upper 24, as v / 2^23 - 1 rounded to the type (nearest, ties to even), integers the value
// modulo 10, booleans the lowest bit.
std::vector<std::byte> randomElements(teeny_dtype dtype, size_t count, uint64_t seed,
                                      const std::string &name);

// Element `index`, as text: at most 9 digits of a float.
std::string elementText(teeny_dtype dtype, const std::byte *data, size_t index);

// The bits of a value in a float format with these fields (round to nearest, ties to even). The
// value must be within the range of the format.
uint32_t encodeFloat(double value, int exponentBits, int mantissaBits);
// `finite`: the format has no infinities, and only the largest pattern is a NaN (f8e4m3).
double decodeFloat(uint32_t bits, int exponentBits, int mantissaBits, bool finite);

} // namespace runner
