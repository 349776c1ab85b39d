// What each phase promises to those after it.
#pragma once

#include "Driver/Phases.h"
#include "mlir/IR/BuiltinOps.h"

namespace teeny {

// Failure, with errors at what is left over, if the module is not as it must be after the phase:
// always a mistake of the compiler, and said to be one.
mlir::LogicalResult verifyPhase(mlir::ModuleOp module, Phase phase);

} // namespace teeny
