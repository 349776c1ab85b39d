// What the nodes of a graph compute, for people who look at launches later.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace teeny {

// By the name of each node of a graph after the phase fuse: the op or typed operation, and the
// scalar functions that are applied to what it gives: "core.conv2d", "add", "relu".
using FusedOps = llvm::StringMap<std::vector<std::string>>;
FusedOps fusedOps(mlir::ModuleOp module);

} // namespace teeny
