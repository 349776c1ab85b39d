// What the fuzzer does, on what it starts from and on what it has found: any text gives IR that
// verifies, or errors, and ends.
#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(const std::string &text) {
  CHECK(LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(text.data()), text.size()) == 0);
}

TEST_CASE("the fuzzer's seeds, whole and cut short") {
  namespace fs = std::filesystem;
  size_t files = 0;
  for (const char *folder : {"/kernels", "/test/Language"})
    for (const fs::directory_entry &entry :
         fs::recursive_directory_iterator(std::string(TEENY_SOURCE_DIR) + folder)) {
      if (entry.path().extension() != ".py" && entry.path().extension() != ".cases")
        continue;
      std::ifstream file(entry.path());
      std::stringstream stream;
      stream << file.rdbuf();
      std::string text = stream.str();
      INFO(entry.path());
      run(text);
      run(text.substr(0, text.size() / 2));
      ++files;
    }
  CHECK(files > 20);
}

TEST_CASE("what the fuzzer has found") {
  const char *found[] = {
      // Inline assembly without operands.
      R"(import triton.language as tl
@triton.jit
def kernel(x):
    y = tl.inline_asm_elementwise("mov.u32 $0, 1;", "=r", [], tl.int32, True, 1)
)",
      // A call at module level, of one argument, with a name that takes the heap.
      R"(import triton.language as tl
import project
@triton.jit
def kernel(x):
    pass
tuned = project.heuristics_of_the_whole_project(kernel)
other = heuristics_of_the_whole_project()(kernel)
)",
  };
  for (const char *text : found)
    run(text);
}
