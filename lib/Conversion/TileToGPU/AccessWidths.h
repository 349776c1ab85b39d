// How many elements each load and store of a tile moves with one instruction, and how many of a
// mask one comparison decides.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace teeny::gpu {

// For the loads and stores of tiles under the function: the most elements that lie in consecutive
// registers and at consecutive, aligned addresses, under one mask, in at most 16 bytes. For
// comparisons and conjunctions behind the masks: for how many consecutive registers one decides.
llvm::DenseMap<mlir::Operation *, unsigned> findAccessWidths(mlir::func::FuncOp kernel);

} // namespace teeny::gpu
