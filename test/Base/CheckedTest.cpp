#include "Base/Checked.h"

#include <catch2/catch.hpp>

#include <vector>

using namespace teeny;

TEST_CASE("checked arithmetic agrees with 128-bit arithmetic") {
  const std::vector<int64_t> values = {
      INT64_MIN,  INT64_MIN + 1, INT64_MIN / 2, -3037000500,   -2,       -1, 0, 1, 2,
      3037000499, 3037000500,    INT64_MAX / 2, INT64_MAX - 1, INT64_MAX};
  auto narrow = [](__int128 wide) -> std::optional<int64_t> {
    if (wide < INT64_MIN || wide > INT64_MAX)
      return std::nullopt;
    return int64_t(wide);
  };
  for (int64_t a : values)
    for (int64_t b : values) {
      CHECK(checkedAdd(a, b) == narrow(__int128(a) + b));
      CHECK(checkedSub(a, b) == narrow(__int128(a) - b));
      CHECK(checkedMul(a, b) == narrow(__int128(a) * b));
    }
}

TEST_CASE("the product of a shape is exact") {
  using Shape = std::vector<int64_t>;
  CHECK(checkedProduct(Shape{}) == 1);
  CHECK(checkedProduct(Shape{3, 4, 5}) == 60);
  CHECK(checkedProduct(Shape{INT64_MAX, 1}) == INT64_MAX);
  CHECK(checkedProduct(Shape{INT64_MAX, 2}) == std::nullopt);
  CHECK(checkedProduct(Shape{INT64_MAX, INT64_MAX, 0}) == 0);
  CHECK(checkedProduct(Shape{0, -1}) == std::nullopt);
}

TEST_CASE("alignment rounds up or says that it cannot") {
  CHECK(checkedAlign(0, 256) == 0);
  CHECK(checkedAlign(1, 256) == 256);
  CHECK(checkedAlign(256, 256) == 256);
  CHECK(checkedAlign(7, 3) == 9);
  CHECK(checkedAlign(INT64_MAX, 1) == INT64_MAX);
  CHECK(checkedAlign(INT64_MAX - 5, 256) == std::nullopt);
  CHECK(isPowerOfTwo(1));
  CHECK(isPowerOfTwo(int64_t(1) << 62));
  CHECK_FALSE(isPowerOfTwo(0));
  CHECK_FALSE(isPowerOfTwo(INT64_MIN));
  CHECK_FALSE(isPowerOfTwo(12));
}
