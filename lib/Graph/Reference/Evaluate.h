// Runs a whole graph with the slow references.
#pragma once

#include "Graph/Reference/ReferenceOp.h"

#include "mlir/IR/BuiltinOps.h"

namespace teeny {

// What runs are given and give: tensors by name.
using NamedTensors = std::map<std::string, HostTensor>;

// The dims of a graph that inputs of these shapes have. Errors: a missing input, a shape that does
// not fit, dims outside their ranges, requirements of the graph that do not hold.
Result<std::map<std::string, int64_t>> solveDims(mlir::ModuleOp module, const NamedTensors &inputs);

// The outputs of the module's graph, whose shapes are inferred and whose calls are still calls.
// Params are read from their files. Errors: those of solveDims, an op without a reference
// (unsupported), sizes that do not fit in memory.
Result<NamedTensors> evaluateGraph(mlir::ModuleOp module, const NamedTensors &inputs);

} // namespace teeny
