// Machine code of kernels: one code object for each kernel and target.
//
// Every pair is compiled on its own, in an MLIR context of its own, from the same copy of the
// kernel; at most two at a time. So results do not depend on which others are made, nor on the
// order in which threads run.
#pragma once

#include "Bundle/Manifest.h"
#include "Support/Diagnostics.h"
#include "Support/Targets.h"
#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace teeny {

class CodeCache;

struct GeneratedCode {
  std::string kernel;
  CodeObject object;     // but for `tensor` and `sha256`
  std::string bytes;     // what goes into the bundle
  std::string extension; // "cubin", "ptx" or "so"
  // How it was made, where asked for.
  std::string gpu;  // tile IR with layouts; empty for a CPU
  std::string llvm; // optimised LLVM IR
  std::string ptx;  // also for a cubin; empty for a CPU
  double assemblerMilliseconds = 0;
};

// Told when a code object is begun: how many there are before it, how many there will be, and which
// it is, "boxes for sm_90a". Called by one thread at a time.
using CodeProgress = std::function<void(size_t begun, size_t all, const std::string &what)>;

struct CodeOptions {
  bool keepIR = false;
  std::string assembler; // path of ptxas; needed for cubins
  CodeProgress progress; // may be empty
  // What was made before is taken from there, and what is made is kept; may be null. Not used with
  // keepIR.
  CodeCache *cache = nullptr;
};

// Kernels in the order of `module`, for each the targets in the order given. Nothing, with errors
// reported, if one cannot be compiled; trouble of the environment goes to `environment`.
std::optional<std::vector<GeneratedCode>>
generateCode(mlir::ModuleOp module, llvm::ArrayRef<Target> targets, const CodeOptions &options,
             const Sources &sources, Diagnostics &diagnostics, std::optional<Error> &environment);

} // namespace teeny
