// The bytes of code objects, as files of their own.
#pragma once

#include "Driver/Options.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <cstddef>
#include <span>
#include <string>

namespace teeny {

struct CodeBytes {
  std::string kernel, target, extension; // "cubin", "ptx" or "so"
  std::span<const std::byte> bytes;
};

// "cubin" of "teeny/code/k.sm_80.cubin".
std::string extensionOf(llvm::StringRef tensor);

// Writes the one that is asked for to options.output. An error names those that there are, where
// none or several fit.
ExitCode dumpCode(const DumpOptions &options, llvm::ArrayRef<CodeBytes> codes,
                  llvm::raw_ostream &err);

} // namespace teeny
