// What computing a root's elements reads: the leaves of the expressions that are emitted on demand.
#pragma once

#include "Conversion/TileToCPU/LoopFusion.h"

namespace teeny::cpu {

// `atElement`: read at the root's own index, in all dims, and nowhere else.
struct LoadRead {
  mlir::Operation *load;
  bool atElement;
};
struct TileRead {
  mlir::Value tile;
  bool atElement;
};

struct Reads {
  llvm::SmallVector<LoadRead> loads; // that are not kept
  llvm::SmallVector<TileRead> tiles; // that are
  llvm::SmallVector<mlir::Value> scalars;
};

// Adds what an expression of `shape` reads. A kept `value` is a read of a tile, unless `compute`,
// which looks at how it is computed.
void collectReads(mlir::Value value, const llvm::DenseSet<mlir::Value> &kept, bool compute,
                  Reads &reads);
Reads readsOf(const Member &member, const llvm::DenseSet<mlir::Value> &kept);

// Operations whose tiles are emitted on demand.
bool isLazy(mlir::Operation *op);

} // namespace teeny::cpu
