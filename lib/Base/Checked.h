// int64 arithmetic that says so when the result does not fit, for sizes that come from files.
#pragma once

#include <cstdint>
#include <optional>

namespace teeny {

inline std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

inline std::optional<int64_t> checkedSub(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

inline std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
}

// The product of non-negative factors, as of a shape; none if one is negative or the product of the
// factors does not fit. A zero among them makes it 0, whatever the others are.
template <typename Range> std::optional<int64_t> checkedProduct(const Range &factors) {
  bool fits = true, zero = false;
  int64_t product = 1;
  for (int64_t factor : factors) {
    if (factor < 0)
      return std::nullopt;
    zero |= factor == 0;
    fits &= !__builtin_mul_overflow(product, factor, &product);
  }
  if (zero)
    return 0;
  return fits ? std::optional(product) : std::nullopt;
}

// The least multiple of `multiple` (>= 1) that is >= `value` (>= 0).
inline std::optional<int64_t> checkedAlign(int64_t value, int64_t multiple) {
  int64_t rest = value % multiple;
  return rest == 0 ? std::optional(value) : checkedAdd(value, multiple - rest);
}

inline bool isPowerOfTwo(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

} // namespace teeny
