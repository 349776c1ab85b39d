// From kernels over tiles, with layouts, to PTX kernels in the LLVM dialect. Passes.td says what
// each pass does.
#pragma once

#include "Support/Targets.h"

#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
}

namespace teeny {

#define GEN_PASS_DECL
#include "Conversion/TileToGPU/Passes.h.inc"

// All passes from tiles with layouts to the LLVM dialect, for a GPU target.
void addTileToGPUPasses(mlir::OpPassManager &passes, const Target &target);

// The passes, and the pipeline of all of them as `tile-to-gpu{target=sm_90a}`.
void registerTileToGPUPasses();

// On a converted kernel: bytes of shared memory in all, and of dynamic shared memory, which the
// launch must ask for (both i64, missing where there are none).
inline constexpr llvm::StringLiteral sharedBytesAttr = "tile.shared_bytes";
inline constexpr llvm::StringLiteral dynamicSharedBytesAttr = "tile.dynamic_shared_bytes";

} // namespace teeny
