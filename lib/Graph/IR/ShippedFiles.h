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

// The file of a path as sources name it; null if there is none.
inline const ShippedFile *findShippedFile(llvm::StringRef path) {
  if (path.consume_front(shippedFolder) && path.consume_front("/"))
    for (const ShippedFile &file : shippedFiles())
      if (file.name == path)
        return &file;
  return nullptr;
}

} // namespace teeny::graph
