// What the fuzzers do, on what they start from and on what they have found.
#include "Fuzz.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace teeny;
namespace fs = std::filesystem;

static size_t forFiles(const char *folder, void (*target)(std::string_view)) {
  size_t files = 0;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(std::string(TEENY_SOURCE_DIR) + folder)) {
    if (entry.path().extension() != ".json")
      continue;
    std::ifstream file(entry.path());
    std::string text((std::istreambuf_iterator<char>(file)), {});
    INFO(entry.path());
    target(text);
    target(std::string_view(text).substr(0, text.size() / 2));
    ++files;
  }
  return files;
}

TEST_CASE("graph files as the fuzzer sees them") {
  CHECK(forFiles("/test/Graph/files", fuzz::graph) > 30);
}

TEST_CASE("declarations as the fuzzer sees them") {
  CHECK(forFiles("/kernels", fuzz::declaration) > 10);
  CHECK(forFiles("/test/Graph/files/ops", fuzz::declaration) > 2);
}
