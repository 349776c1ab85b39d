// A graph after shape inference as a table: each operation with the type of its result, the
// elements of params it reads, its floating-point operations and the bytes it moves, as expressions
// over the dims.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <array>
#include <string>
#include <vector>

namespace teeny {

using NodeRow = std::array<std::string, 6>;

// The first row has the titles, the last the sums, "?" where a number is not known. Empty without a
// graph.
std::vector<NodeRow> nodeRows(mlir::ModuleOp module);

// In columns, for people.
std::string nodeTable(llvm::ArrayRef<NodeRow> rows);

} // namespace teeny
