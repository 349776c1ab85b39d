#include "TensorFile/DType.h"

#include <catch2/catch.hpp>

#include <string>

using namespace teeny;

TEST_CASE("each element type has a name and a size") {
  const std::pair<const char *, int64_t> types[] = {
      {"f64", 8},    {"f32", 4}, {"f16", 2}, {"bf16", 2}, {"f8e4m3", 1},
      {"f8e5m2", 1}, {"i64", 8}, {"i32", 4}, {"i16", 2},  {"i8", 1},
      {"u64", 8},    {"u32", 4}, {"u16", 2}, {"u8", 1},   {"bool", 1}};
  for (const auto &[word, bytes] : types) {
    std::optional<DType> type = dtypeByName(word);
    REQUIRE(type);
    CHECK(std::string(name(*type)) == word);
    CHECK(byteSize(*type) == bytes);
    CHECK(std::string(dtypeNames()[size_t(*type)]) == word);
  }
  CHECK(dtypeNames().size() == std::size(types));
  CHECK_FALSE(dtypeByName("F32"));
  CHECK_FALSE(dtypeByName(""));
}
