// What the fuzzer does, on the manifest in the format's README, whole, cut short and with values
// exchanged.
#include "Bundle/Manifest.h"
#include "Fuzz.h"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

using namespace teeny;

static std::string documentedManifest() {
  std::ifstream file(std::string(TEENY_SOURCE_DIR) + "/lib/Bundle/README.md");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  size_t begin = text.find("```json\n") + 8;
  return text.substr(begin, text.find("```", begin) - begin);
}

TEST_CASE("the documented manifest as the fuzzer sees it, and cut at every byte") {
  const std::string whole = documentedManifest();
  REQUIRE(readManifest(whole));
  fuzz::bundle(whole);
  for (size_t length = 0; length + 1 < whole.size(); ++length) {
    REQUIRE((!readManifest(whole.substr(0, length)) || length + 2 > whole.size()));
    fuzz::bundle(std::string_view(whole).substr(0, length));
  }
}

// Every number in turn is one at which sizes overflow or ranges end.
TEST_CASE("sizes near 2^63 anywhere in a manifest") {
  const std::string whole = documentedManifest();
  int read = 0, refused = 0;
  for (size_t at = whole.find_first_of("0123456789"); at != std::string::npos;) {
    size_t end = whole.find_first_not_of("0123456789", at);
    for (const char *number :
         {"9223372036854775807", "9223372036854775808", "4611686018427387904", "-1", "0"}) {
      std::string text = whole;
      text.replace(at, end - at, number);
      ++(readManifest(text) ? read : refused);
      fuzz::bundle(text);
    }
    at = whole.find_first_of("0123456789", end);
  }
  CHECK(read > 100);
  CHECK(refused > 100);
}
