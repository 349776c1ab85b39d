// What @triton.autotune and @triton.heuristics say of a kernel's compile-time parameters, where
// that takes no GPU and no Python to tell.
//
// All configurations of an autotuner are kept as a space to choose from. Which one is best shows
// only when they run; without that the first one is taken, unless the caller says otherwise.
// A heuristic is a lambda over the arguments: it is carried out with what is known of them, that is
// compile-time values, the chosen configuration, and which arguments are None.
#pragma once

#include "Language/Language.h"

namespace mlir {
class MLIRContext;
}

namespace teeny {

// `triton.Config({"BLOCK": 128}, num_warps=4)`.
struct TuningConfig {
  std::vector<std::pair<std::string, ConstValue>> values;
  std::optional<int64_t> numWarps, numStages;

  std::string text() const; // "BLOCK=128, num_warps=4"
  // Whether it has all of "NAME=VALUE, NAME=VALUE", spelt as text() does.
  bool matches(llvm::StringRef wanted) const;
};

struct TuningSpace {
  bool isTuned = false; // it has an autotuner
  bool isKnown = false; // whose configurations are all known
  std::vector<TuningConfig> configs;
  SourceLocation place; // of the decorator
};

TuningSpace tuningSpace(const KernelFile &file, llvm::StringRef function,
                        const GenerateOptions &options, mlir::MLIRContext *context);

// Adds to `specs` the parameters that heuristics give a value, but for those that have one. False,
// with an error that says what to give instead, where one cannot be told.
bool applyHeuristics(const KernelFile &file, llvm::StringRef function,
                     const GenerateOptions &options, mlir::MLIRContext *context,
                     std::vector<ParamSpec> &specs, Diagnostics &diagnostics);

} // namespace teeny
