// How the layouts of an operation's operands and results belong together.
#pragma once

#include "Tile/IR/Tile.h"

namespace mlir::scf {
class ForOp;
}

namespace teeny::tile {

// The layout of a tile; null for scalars and tiles without one.
LayoutInterface layoutOf(mlir::Value value);
// The tile's type with this layout.
mlir::RankedTensorType withLayout(mlir::Type tile, LayoutInterface layout);

// Whether the operation works element by element, so that all its tiles have one layout.
// Arithmetic, and pointer arithmetic.
bool isElementwise(mlir::Operation *op);
// Loads, stores and atomics of tiles.
bool isTileAccess(mlir::Operation *op);
// Whether the operation makes or reshapes a tile with no data from elsewhere moved between threads,
// cheaply enough to be done again in another layout: everything elementwise but functions of
// `math`, ranges, splats, constants, and changes of shape.
bool isCheap(mlir::Operation *op);

// For an operation that changes the shape of a tile (expand_dims, broadcast, trans, reshape, join,
// split) or reduces one: the layout of its results where its sources have `source`, in which no
// data moves.
LayoutInterface resultLayout(mlir::Operation *op, LayoutInterface source);
// The other way round: the layout its sources need for results with `result`. Null if there is none
// (a broadcast always has one; a reduction's result that is no slice has none).
LayoutInterface sourceLayout(mlir::Operation *op, LayoutInterface result);

// Whether a buffer for such tiles, written `width` elements at once, can do without a layout of
// them (TileBuffers.td): elements of 16 bits, in rows of 32 bytes or more, written 16 bytes at
// once, and slots of a multiple of 1024 bytes.
bool canLieInRows(mlir::RankedTensorType tile, LayoutInterface writer, int64_t width);

// Bytes that threads may exchange through shared memory while the loop runs, at most.
int64_t exchangedBytes(mlir::scf::ForOp loop);
// Bytes that a buffer for so many such tiles takes.
int64_t bufferBytes(mlir::RankedTensorType tile, int64_t slots);

// Elements of one operand register of a matrix instruction: those of 32 bits.
int64_t kWidthOf(mlir::Type element);

} // namespace teeny::tile
