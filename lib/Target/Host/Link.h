// From an object to a shared library, in process and without touching a disk.
#pragma once

#include "Base/Result.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace teeny {

// Links one ELF object into a shared library that needs no other: stripped, with a GNU hash table,
// no build id, no soname, read-only relocations. One caller at a time gets through (lld has
// process-wide state); others wait.
Result<std::string> linkSharedLibrary(llvm::StringRef object);

struct DynamicSymbols {
  std::vector<std::string> exports, imports; // each sorted
};
Result<DynamicSymbols> readDynamicSymbols(llvm::StringRef library);

} // namespace teeny
