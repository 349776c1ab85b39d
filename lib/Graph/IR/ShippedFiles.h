// Declarations and kernels that are part of the compiler: the files under kernels/ as they were
// when it was built, without those of the language itself. CMakeLists.txt makes the definition.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <vector>

namespace teeny::graph {

struct ShippedFile {
  const char *name; // "nn/softmax.json"
  const char *text;
};

const std::vector<ShippedFile> &shippedFiles();

// What their paths begin with where sources are named.
inline constexpr llvm::StringLiteral shippedFolder = "<shipped>";

} // namespace teeny::graph
