#include "Bundle/Json.h"

#include <catch2/catch.hpp>

using namespace teeny;

namespace {

std::string messageOf(const std::string &text) {
  Result<nlohmann::json> json = parseJson(text);
  return json ? "" : json.error().message;
}

std::string nested(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

} // namespace

TEST_CASE("JSON becomes the values it stands for") {
  for (const char *text : {"{}", "[]", "null", "true", "-5", "18446744073709551615", "0.25",
                           "\"a\\u00e4\\n\"", R"({"a":[1,{"b":[[],{}]},"x"],"c":{"d":null}})"}) {
    Result<nlohmann::json> json = parseJson(text);
    REQUIRE(json);
    CHECK(*json == nlohmann::json::parse(text));
  }
}

TEST_CASE("JSON that is refused") {
  CHECK(messageOf("") == "malformed JSON at byte 1");
  CHECK(messageOf("{\"a\":}") == "malformed JSON at byte 6");
  CHECK(messageOf("[1,]") == "malformed JSON at byte 4");
  CHECK(messageOf("[1] 2") == "malformed JSON at byte 5");
  CHECK(messageOf("\"\xff\"") == "malformed JSON at byte 2");
  CHECK(messageOf("[1e999]") == "malformed JSON at byte 6");
  CHECK(messageOf(R"({"a":1,"b":{"a":2},"a":3})") == R"(key "a" appears twice in an object)");
  CHECK(messageOf(nested(64)) == "");
  CHECK(messageOf(nested(65)) == "nested deeper than 64 levels");
  CHECK(messageOf(nested(1000000)) == "nested deeper than 64 levels");
  CHECK(messageOf(std::string(1000000, '[')) == "nested deeper than 64 levels");

  std::string many = "[0";
  for (size_t i = 0; i < maxJsonValues; ++i)
    many += ",0";
  CHECK(messageOf(many + "]") == "more than 2097152 values");
  CHECK(messageOf(std::string(maxJsonBytes + 1, ' ')) ==
        "JSON of 33554433 bytes, at most 33554432 are read");
}
