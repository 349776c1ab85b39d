// What the axis facts of a kernel say about its registers: how many elements each access of a tile
// moves with one instruction, and which registers of a truth value are known to be equal.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace teeny::gpu {

struct AccessFacts {
  // Of loads, stores and atomic operations on tiles: the most elements that lie in consecutive
  // registers and at consecutive, aligned addresses, under one mask, in at most 16 bytes.
  llvm::DenseMap<mlir::Operation *, unsigned> widths;
  // Of comparisons, and conjunctions of them, behind masks of such accesses of several elements:
  // bits of a register's number that do not change the value. `i < n` for i = r + 8 l and a
  // multiple n of 8 is decided by lane l alone.
  llvm::DenseMap<mlir::Operation *, unsigned> equalRegisters;
};

AccessFacts findAccessFacts(mlir::func::FuncOp kernel);

} // namespace teeny::gpu
