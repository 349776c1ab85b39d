// Which memory operations may touch the same bytes.
//
// A pointer, or a tile of pointers, stems from one argument of the kernel when it is made from it
// by additions, casts and changes of shape. Accesses through different arguments do not meet where
// one of the two has `tile.noalias`. Nor do those through two tiles of addresses that are further
// apart than the tiles are long. All others may.
#pragma once

#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace teeny::cpu {

// The argument that the pointer stems from; null if that is unknown.
mlir::Value argumentOf(mlir::Value pointer);

// Whether the bytes reached through the two may overlap.
bool mayAlias(mlir::Value pointer, mlir::Value other);

// Whether every lane of the tile of pointers surely has its own address: a uniform pointer plus
// multiples of an arange.
bool lanesDiffer(mlir::Value pointers);

} // namespace teeny::cpu
