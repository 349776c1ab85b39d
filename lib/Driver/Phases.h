// The phases of a compilation, in order: named values, from which --stop-after, --emit-ir and dump
// take what they offer. Pipeline.cpp carries them out.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>

namespace teeny {

enum class Phase {
  import,
  inferShapes,
  simplify,
  legalizeOps,
  fuse,
  bindKernels,
  tile,
  generateCode,
  writeBundle
};

struct PhaseInfo {
  Phase phase;
  llvm::StringLiteral name;
  llvm::StringLiteral description; // one line
};

// All phases in the order of the pipeline.
llvm::ArrayRef<PhaseInfo> phases();
const PhaseInfo &info(Phase phase);
std::optional<Phase> phaseByName(llvm::StringRef name);
// "import, infer-shapes, ...": for messages and help.
std::string phaseNames();

} // namespace teeny
