// Bytes and texts of test files.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

// A copy on the heap of exactly this size, so that a sanitizer sees reads beyond it.
inline std::vector<std::byte> bytesOf(const std::string &text) {
  auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

inline std::string textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

// A safetensors file: the length of the header, the header, the data.
inline std::string fileOf(const std::string &header, const std::string &data) {
  std::string length;
  for (int i = 0; i < 8; ++i)
    length += char(header.size() >> (8 * i) & 0xff);
  return length + header + data;
}
