// The exact text of errors. A file in errors/ holds cases:
//
//   === what the case is about
//   args: x=*fp32, n=i32            (LanguageSupport.h says what may stand here)
//   def kernel(x, n): ...           (the file; `import`s and the decorator of the last function are
//   put before)
//   --- the diagnostics, to the end of the case
//
// With TEENY_BLESS set the files are rewritten with what is printed now: read the difference before
// committing.
#include "LanguageSupport.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace teeny;
using namespace teeny::test;

namespace {

struct Case {
  std::string title, args, body, expected;
};

std::vector<Case> readCases(const std::string &path) {
  std::ifstream file(path);
  std::vector<Case> cases;
  std::string line;
  bool inExpected = false;
  while (std::getline(file, line)) {
    if (line.rfind("=== ", 0) == 0) {
      cases.emplace_back();
      cases.back().title = line.substr(4);
      inExpected = false;
    } else if (cases.empty()) {
      continue;
    } else if (line == "---") {
      inExpected = true;
    } else if (inExpected) {
      cases.back().expected += line + "\n";
    } else if (line.rfind("args: ", 0) == 0) {
      cases.back().args = line.substr(6);
    } else {
      cases.back().body += line + "\n";
    }
  }
  return cases;
}

const std::string prelude = "import triton\nimport triton.language as tl\n";

} // namespace

TEST_CASE("errors of kernels have their exact text") {
  namespace fs = std::filesystem;
  std::vector<std::string> paths;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(TEENY_SOURCE_DIR "/test/Language/errors"))
    paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  REQUIRE(!paths.empty());
  for (const std::string &path : paths) {
    std::vector<Case> cases = readCases(path);
    REQUIRE(!cases.empty());
    std::ostringstream blessed;
    for (const Case &test : cases) {
      Compiled result = compile("kernel.py", prelude + test.body, "kernel", parseSpecs(test.args));
      INFO(path << ": " << test.title);
      blessed << "=== " << test.title << "\nargs: " << test.args << "\n"
              << test.body << "---\n"
              << result.diagnostics;
      if (std::getenv("TEENY_BLESS"))
        continue;
      CHECK(result.outcome == Compiled::refused);
      CHECK(result.diagnostics == test.expected);
    }
    if (std::getenv("TEENY_BLESS"))
      std::ofstream(path) << blessed.str();
  }
}
