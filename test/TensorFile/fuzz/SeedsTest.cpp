// What the fuzzers do, on what they start from, whole and cut short.
#include "Fuzz.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace teeny;
namespace fs = std::filesystem;

// Calls `target` with each small file of this kind in the repository, and the beginnings of it.
static size_t forFiles(const char *extension, void (*target)(std::string_view)) {
  size_t files = 0;
  for (const char *folder : {"/test", "/graphs"})
    for (const fs::directory_entry &entry :
         fs::recursive_directory_iterator(std::string(TEENY_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != extension || entry.file_size() > 6 << 10)
        continue;
      std::ifstream file(entry.path(), std::ios::binary);
      std::string text((std::istreambuf_iterator<char>(file)), {});
      INFO(entry.path());
      target(text);
      for (size_t length = 0; length < text.size(); length += 1 + text.size() / 100)
        target(std::string_view(text).substr(0, length));
      ++files;
    }
  return files;
}

TEST_CASE("npy files of the repository as the fuzzer sees them") {
  CHECK(forFiles(".npy", fuzz::npy) > 1);
}

TEST_CASE("safetensors files of the repository as the fuzzer sees them") {
  CHECK(forFiles(".safetensors", fuzz::safetensors) > 1);
}

TEST_CASE("a header by itself as the fuzzer sees it") {
  fuzz::safetensors("{\"a\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[0,3]}}\nabc");
}

// Each dim from 1 to 4 elements, both orders, against elements picked by their definition.
TEST_CASE("npy arrays of many shapes as the fuzzer sees them") {
  for (int code = 0; code < 2 * 256; ++code) {
    std::string shape;
    int count = 1;
    for (int d = 0; d < 4; ++d) {
      int size = 1 + (code >> (2 * d)) % 4;
      shape += std::to_string(size) + ", ";
      count *= size;
    }
    std::string header = std::string("{'descr': '<u2', 'fortran_order': ") +
                         (code < 256 ? "True" : "False") + ", 'shape': (" + shape + "), }";
    std::string text = std::string("\x93NUMPY\1\0", 8) + char(header.size()) + '\0' + header;
    for (int i = 0; i < count; ++i)
      text += {char(i), char(i >> 8)};
    fuzz::npy(text);
  }
}
