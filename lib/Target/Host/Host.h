// Machine code for CPUs: a module in the LLVM dialect becomes a shared library for one target.
//
//   translate      LLVM dialect -> LLVM IR
//   expand floats  what the target would call a library for becomes arithmetic (ExpandFloats.h)
//   optimise       LLVM's O3 pipeline for modules, with its loop and SLP vectorisers; then what it
//                  has made anew is expanded, and bf16 carried as bits (BFloatBits.h)
//   emit           an object, in memory
//   link           a shared library, with lld inside this process (Link.h)
//
// The library exports the functions that have external linkage and imports at most memcpy, memmove
// and memset, which is checked. The same module and target give the same bytes.
#pragma once

#include "Base/Result.h"
#include "Support/Targets.h"

#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace teeny {

struct HostOptions {
  bool keepLLVM = false;     // fill HostCode::llvm
  bool keepAssembly = false; // fill HostCode::assembly
};

struct HostCode {
  std::string library;              // the bytes of the shared library
  std::vector<std::string> symbols; // what it exports, sorted
  std::string llvm;                 // optimised LLVM IR as text
  std::string assembly;
};

// `target` must be a CPU. The module is only read. May be called from any thread.
// Errors: `unsupported` for a module that the target has no code for, `environment` where the
// system gives no memory files; anything else is a defect of the compiler and says so.
Result<HostCode> compileForHost(mlir::ModuleOp module, const Target &target,
                                const HostOptions &options = {});

} // namespace teeny
