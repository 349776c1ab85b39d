// SHA-256 (FIPS 180-4), for the integrity of code objects and bundles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace teeny {

class Sha256 {
public:
  using Digest = std::array<uint8_t, 32>;

  void update(std::span<const std::byte> bytes);
  // Ends the message. The object must not be used afterwards.
  Digest finish();

private:
  void block(const uint8_t *data);

  std::array<uint32_t, 8> state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending = {};
  uint64_t length = 0; // of the message so far, in bytes
};

// The digest of `bytes` as 64 lower-case hex digits.
std::string sha256Hex(std::span<const std::byte> bytes);

} // namespace teeny
