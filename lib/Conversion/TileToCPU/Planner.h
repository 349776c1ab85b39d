// The three parts of planning, in order. LoopFusion.h has the whole idea.
#pragma once

#include "Conversion/TileToCPU/LoopFusion.h"

namespace teeny::cpu {

void decideKeeping(mlir::func::FuncOp kernel, llvm::DenseSet<mlir::Value> &kept); // Keeping.cpp
void groupRoots(mlir::func::FuncOp kernel, Plan &plan);                           // Grouping.cpp
void placeTiles(mlir::func::FuncOp kernel, Plan &plan);                           // Scratch.cpp

// Tiles that an operation packs for itself: shapes and element types by number.
struct WorkTile {
  llvm::SmallVector<int64_t> shape;
  mlir::Type element;
};
llvm::SmallVector<WorkTile> workTiles(mlir::Operation *op);

} // namespace teeny::cpu
