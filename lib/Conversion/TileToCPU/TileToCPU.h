// From kernels over tiles to functions for CPUs. Passes.td says what comes out, LoopFusion.h how.
#pragma once

#include "mlir/Pass/Pass.h"

namespace teeny {

#define GEN_PASS_DECL
#include "Conversion/TileToCPU/Passes.h.inc"

// registerTileToCPUPasses(), for tools that name passes.
#define GEN_PASS_REGISTRATION
#include "Conversion/TileToCPU/Passes.h.inc"

// On a converted function: bytes of scratch memory that a thread needs (i64).
inline constexpr llvm::StringLiteral scratchBytesAttr = "tile.scratch_bytes";

} // namespace teeny
