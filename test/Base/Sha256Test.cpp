// The vectors of FIPS 180-2, appendix B, and the empty message.
#include "Base/Sha256.h"

#include <catch2/catch.hpp>

#include <string>

using namespace teeny;

static std::string hex(const std::string &text) {
  return sha256Hex(std::as_bytes(std::span(text)));
}

TEST_CASE("sha256 gives the published digests") {
  CHECK(hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(
      hex("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqr"
          "lmnopqrsmnopqrstnopqrstu") ==
      "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(hex(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256 does not depend on how the message is cut") {
  std::string text;
  for (int i = 0; i < 200; ++i)
    text += char('a' + i % 26);
  for (size_t length : {0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 127, 128, 200}) {
    std::span<const std::byte> whole = std::as_bytes(std::span(text)).first(length);
    for (size_t cut = 0; cut <= length; ++cut) {
      Sha256 hash;
      hash.update(whole.first(cut));
      hash.update(whole.subspan(cut));
      Sha256 once;
      once.update(whole);
      REQUIRE(hash.finish() == once.finish());
    }
  }
}
