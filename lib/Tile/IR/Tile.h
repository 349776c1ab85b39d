// The tile dialect: programs over tiles. Tile*.td has the operations, types and layouts; README.md
// what tile IR is made of.
#pragma once

#include "Tile/IR/LinearLayout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpAsmSupport.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Tile/IR/TileDialect.h.inc"

#include "Tile/IR/TileEnums.h.inc"

#include "Tile/IR/TileInterfaces.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Tile/IR/TileTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Tile/IR/TileAttrs.h.inc"

#define GET_OP_CLASSES
#include "Tile/IR/TileOps.h.inc"

namespace teeny::tile {

// Names of the attributes that tile functions and their arguments carry.
inline constexpr llvm::StringLiteral kernelAttr = "tile.kernel";
inline constexpr llvm::StringLiteral numWarpsAttr = "tile.num_warps";
inline constexpr llvm::StringLiteral gridMaxAttr = "tile.grid_max";
inline constexpr llvm::StringLiteral functionAttr = "tile.function";
inline constexpr llvm::StringLiteral nameAttr = "tile.name";
inline constexpr llvm::StringLiteral divisibilityAttr = "tile.divisibility";
inline constexpr llvm::StringLiteral contiguityAttr = "tile.contiguity";
inline constexpr llvm::StringLiteral constancyAttr = "tile.constancy";
inline constexpr llvm::StringLiteral rangeAttr = "tile.range";
inline constexpr llvm::StringLiteral noaliasAttr = "tile.noalias";
inline constexpr llvm::StringLiteral correctlyRoundedAttr = "tile.correctly_rounded";
inline constexpr llvm::StringLiteral cacheAttr = "tile.cache";
inline constexpr llvm::StringLiteral evictionAttr = "tile.eviction";
inline constexpr llvm::StringLiteral volatileAttr = "tile.volatile";
inline constexpr llvm::StringLiteral numStagesAttr = "tile.num_stages";
inline constexpr llvm::StringLiteral buffersAttr = "tile.buffers";

// Warps of the innermost enclosing region that states a number.
int numWarps(mlir::Operation *op);

// Iterations of a loop that are under way at once, of the loop or of the innermost enclosing region
// that states a number; 3 where none does.
int numStages(mlir::Operation *op);

// The largest number of programs along an axis of the grid of the kernel around `op`.
int64_t gridMax(mlir::Operation *op, unsigned axis);

// Whether a tensor of this shape can have the layout: the ranks agree and all sizes are powers of
// two.
mlir::LogicalResult verifyLayoutOfTensor(LayoutInterface layout, llvm::ArrayRef<int64_t> shape,
                                         llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

// The tensor's shape with another element type, or the element type itself for a scalar.
mlir::Type withElementType(mlir::Type shapeOf, mlir::Type element);

} // namespace teeny::tile
