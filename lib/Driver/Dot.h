// A graph as text for Graphviz's `dot`.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace teeny {

// The graph of a module after any phase up to tile; empty where there is none. Inputs, params and
// nodes are points; edges have types and shapes. What was fused into one kernel or one map is a
// cluster of what it does at each point. Deterministic.
std::string dotOf(mlir::ModuleOp module);

} // namespace teeny
