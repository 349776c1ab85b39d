// Which loops a kernel over tiles becomes on a CPU.
//
// Tile IR says what happens to whole tiles, one operation after the other. Run that way, each
// operation would read and write a tile in memory. Instead, a tile is *computed where it is
// needed*: loops are made only for operations that must happen, and inside such a loop the scalar
// code of the operands is emitted on demand, element by element.
//
//   %i    = tile.arange 0 to 256                      } no loop: %i is the loop's index,
//   %offs = arith.addi %base, %i                      } %offs a scalar sum
//   %p    = tile.addptr %x_ptrs, %offs                } an address
//   %m    = arith.cmpi slt, %offs, %n                 }
//   %x    = tile.load %p mask %m                      } a scalar load, if it may wait (see below)
//   %s    = tile.reduce (%x) axis 0 { maxnumf }       a loop, `reduce`
//   %d    = arith.subf %x, splat %s                   }
//   %e    = math.exp2 %d                              a loop, `materialise`: dear, and needed twice
//   %t    = tile.reduce (%e) axis 0 { addf }          joins the loop of %e
//   %r    = arith.divf %e, splat %t                   }
//   tile.store %q, %r mask %m                         a loop, `store`
//
//   for i: s = max(s, load x[i])
//   for i: e = exp2(load x[i] - s); E[i] = e; t = t + e
//   for i: store E[i] / t
//
// **Roots** are what must happen: stores, reductions, and the writing of a tile into scratch
// memory, which is for
//   - tiles that cross control flow: carried by loops, yielded by branches;
//   - results of scans, dots, atomics and of reductions that leave a tile;
//   - loads that may not wait until their uses: between the load and a loop that needs it (or in
//   that
//     loop, at another element) something is stored to memory that may be the same. So a kernel
//     that works in place, or whose arguments might overlap, sees all of a tile before it
//     overwrites any;
//   - values that several loops need (or one loop many times, by broadcasting) when computing them
//     again costs more than a tile in the cache. Index arithmetic is free: it becomes addresses.
//
// **Steps.** Each block becomes a list of steps in program order: scalar operations and control
// flow as they are, and groups of roots, each group one loop nest. A root joins the group before it
// if they have the same shape and the result is the same as one after the other: it reads nothing
// that the group has yet to finish (results of reductions, tiles except at the element at hand),
// and no store in one may touch what the other accesses. Writes come last in the body, after all
// values of that element; so tiles that a loop carries can be replaced in place.
//
// Why not the other way round, one loop per operation and a fusion pass on loops? Because the fused
// form is what the tile form already says: no dependence analysis on memory has to find it again,
// and nothing has to be undone to keep masks, whose ranges split the loops (LoopNest.h).
//
// Scratch memory: each tile kept has a place in the thread's buffer, shared by tiles whose lives do
// not overlap; lives are counted in steps. Integers of one bit take a byte.
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace mlir::func {
class FuncOp;
}

namespace teeny::cpu {

struct Member {
  enum class Kind {
    store,
    materialise, // the tile `value` into its own place
    assign,      // the tile `value` into the place of `target`, a carried or yielded tile
    reduce,
  };
  Kind kind;
  mlir::Operation *op; // store, reduce; for assign, what the value is an operand of
  mlir::Value value, target;
  bool needed = true; // materialise: somebody outside the group reads it
};

struct Group {
  llvm::SmallVector<Member> members;
  llvm::SmallVector<int64_t> shape;
  std::optional<unsigned> reduceAxis;
};

struct Step {
  mlir::Operation *op = nullptr; // emitted as it is; null for a group
  Group group;
};

struct Plan {
  llvm::DenseSet<mlir::Value> kept; // tiles that live in scratch memory
  llvm::DenseMap<mlir::Block *, std::vector<Step>> steps;
  // Tiles that share a place: results of a loop and what it carries. Value -> the one that names
  // it.
  llvm::DenseMap<mlir::Value, mlir::Value> place;
  // Carried tiles that must not be overwritten while others of the same yield are computed.
  llvm::DenseSet<mlir::Value> buffered;
  // Bytes from the start of scratch memory: of places, of the second copies of `buffered` ones, and
  // of what operations use for themselves (the packed operands of a dot), by operation and number.
  llvm::DenseMap<mlir::Value, int64_t> offsets, secondOffsets;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, int64_t> workOffsets;
  int64_t scratchBytes = 0;

  mlir::Value placeOf(mlir::Value tile) const {
    auto found = place.find(tile);
    return found == place.end() ? tile : found->second;
  }
};

Plan planLoops(mlir::func::FuncOp kernel);

// Bytes of one element in scratch memory.
int64_t storedBytes(mlir::Type element);

} // namespace teeny::cpu
