// What a run must do, read off a module whose kernels are bound: the manifest but for the code.
#pragma once

#include "Bundle/Manifest.h"
#include "Support/Diagnostics.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace teeny {

// Dims, requirements, tensors, buffers with their lifetimes, kernels (one for each tile function,
// in the module's order) with their parameters, and launches. Targets, code objects and provenance
// are left to the caller. Nothing, with an error, for a graph that the format cannot express.
std::optional<Manifest> buildManifest(mlir::ModuleOp module, const Sources &sources,
                                      Diagnostics &diagnostics);

// What a manifest says of a tile function, but for its code.
ManifestKernel describeKernel(mlir::func::FuncOp function, const Sources &sources);

} // namespace teeny
