// Which passes kernels go through, from the front end to the dialect that code is made from.
#pragma once

#include "Support/Targets.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace mlir {
class DialectRegistry;
class OpPassManager;
} // namespace mlir

namespace teeny {

// Every dialect that IR of the compiler may hold.
const mlir::DialectRegistry &compilerDialects();

// Tile functions as the front end makes them, for any target.
void addTilePasses(mlir::OpPassManager &passes);
// To tiles with layouts, for the GPU.
void addGpuTilePasses(mlir::OpPassManager &passes, const Target &target);
// From tiles without layouts to the LLVM dialect.
void addCpuPasses(mlir::OpPassManager &passes, const Target &target);

// IR as text without locations: it names no files.
std::string printIR(mlir::Operation *op);

} // namespace teeny
