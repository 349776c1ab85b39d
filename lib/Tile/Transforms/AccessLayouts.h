// Layouts for memory accesses: neighbouring lanes at neighbouring addresses, and as much per thread
// as one instruction moves.
#pragma once

#include "Tile/IR/Tile.h"
#include "Tile/Transforms/AxisInfo.h"

namespace teeny::tile {

// Threads of a program.
struct ThreadCounts {
  int64_t lanes = 32, warps = 4;
};

// How a memory operation would like its tile to be laid out.
struct AccessWish {
  llvm::SmallVector<int64_t, 4> order; // dims, from the one along which addresses run
  int64_t width = 1;                   // elements along order[0] that one access can move
  int64_t bytes = 0;                   // moved in all
};

// From the facts about its pointer and mask.
AccessWish wishOf(mlir::Operation *access, const AxisInfoMap &facts);

// Threads along `order`, each with `width` neighbours along order[0] or as many as there are for
// it. Threads that are left over hold copies.
BlockedLayoutAttr blockedLayout(mlir::MLIRContext *context, llvm::ArrayRef<int64_t> shape,
                                llvm::ArrayRef<int64_t> order, int64_t width, ThreadCounts threads);

// The number of neighbours along `dim`, aligned to that number, that a warp holds together: what it
// can move in one piece.
int64_t runOfWarp(const LinearLayout &layout, Dim dim);

} // namespace teeny::tile
