// Tiles that a loop only moves along, as scalars.
//
//   %p = scf.for ... iter_args(%q = %p0) -> tensor<64x!tile.ptr<f32>> {
//     tile.load %q ...
//     %r = tile.addptr %q, %step         (%step the same number in all lanes)
//     scf.yield %r
//   }
//
// becomes a loop that carries how far %q has moved, a scalar; %q is %p0 plus that. Carried as
// tiles, addresses would be in memory, and no access in the loop would be known to go from an
// element to the next. Also tiles of integers (offsets). Inner loops first, so that what a nest of
// loops adds up is seen from outside.
#pragma once

namespace mlir {
class Operation;
}

namespace teeny::cpu {

void scalarizeCarriedTiles(mlir::Operation *kernel);

} // namespace teeny::cpu
