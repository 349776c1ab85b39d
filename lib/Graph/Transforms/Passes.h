// The passes of the graph dialect; Passes.td is their manual.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace teeny::graph {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Graph/Transforms/Passes.h.inc"

} // namespace teeny::graph
