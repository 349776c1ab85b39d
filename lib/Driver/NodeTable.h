// A graph after shape inference as a table for people: each operation with the type of its result,
// the elements of params it reads, its floating-point operations and the bytes it moves, as
// expressions over the dims. Empty without a graph.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace teeny {

std::string nodeTable(mlir::ModuleOp module);

} // namespace teeny
