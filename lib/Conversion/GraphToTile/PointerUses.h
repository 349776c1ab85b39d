// What a kernel does with the memory behind each of its pointer arguments.
//
// A forward data-flow analysis finds from which arguments each pointer may come, through loops,
// and branches. A pointer that was itself loaded from memory, or made from an integer of
// unknown origin, may be any of them; what is passed to a function that was not inlined counts as
// read and written.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"

namespace teeny {

struct PointerUses {
  bool read = false;    // by a load or an atomic
  bool written = false; // by a store or an atomic
};

// One entry per argument of the kernel; those that are no pointers have no uses. Failure: the
// analysis could not run on this IR.
mlir::FailureOr<llvm::SmallVector<PointerUses>> findPointerUses(mlir::func::FuncOp kernel);

} // namespace teeny
