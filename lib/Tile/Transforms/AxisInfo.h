// Axis facts: how the elements of an integer or pointer tile change along each of its dims.
//
// They decide how wide memory accesses can be. For each dim, looking at aligned groups of elements
// along it (a group of 4 begins at index 0, 4, 8, ...):
//
//   contiguity    in every aligned group of this size, each element is one more than the one
//   before;
//                 for pointers, it points to the next element
//   constancy     in every aligned group of this size, all elements are equal
//   divisibility  divides the first element of every aligned group of size `contiguity`; bytes for
//   pointers
//
// All are powers of two; 1 says nothing. A scalar is a tile with one element, so it has one dim.
//
// Example: offs = pid * 1024 + arange(0, 1024), mask = offs < n with n a multiple of 16.
//
//   pid * 1024         scalar             contiguity 1     constancy 1     divisibility 1024
//   splat of it        tensor<1024>       contiguity 1     constancy 1024  divisibility 1024
//   arange             tensor<1024>       contiguity 1024  constancy 1     divisibility of 0: the
//   largest offs               tensor<1024>       contiguity 1024  constancy 1     divisibility
//   1024 splat n            tensor<1024>       contiguity 1     constancy 1024  divisibility 16
//   mask               tensor<1024>       constancy 16
//
// The mask: a group of 16 offsets begins at a multiple of 16, and so does n, so the whole group is
// below n or none of it. A load of f32 through p + offs, p a multiple of 16 bytes, can take 4
// elements at a time: its pointers have contiguity 1024 and divisibility 16, and its mask never
// splits such a group.
//
// Integers wrap. Inside a group whose first element is a multiple of its size they cannot;
// elsewhere contiguity is kept through a widening only where ranges exclude it.
#pragma once

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlowFramework.h"

#include <memory>

namespace teeny::tile {

struct AxisInfo {
  // The facts about one dim.
  struct Dim {
    int64_t contiguity = 1, constancy = 1, divisibility = 1;
    bool operator==(const Dim &) const = default;
  };

  // One a dim; empty: nothing has reached the value yet.
  llvm::SmallVector<Dim, 4> dims;
  // Between neighbours: 1, or the size of a pointer's element in bytes.
  int64_t unit = 1;
  // The value of every element, of an integer whose value is known.
  std::optional<int64_t> constant;

  bool operator==(const AxisInfo &) const = default;

  // What divides the first element of every aligned group of `group` along the dim.
  int64_t divisibilityAt(unsigned dim, int64_t group) const;
  // What divides every element.
  int64_t divisibilityOfAll() const;

  // Nothing known of a value of this type.
  static AxisInfo unknown(mlir::Type type);
  // What holds for both.
  static AxisInfo join(const AxisInfo &a, const AxisInfo &b);
  void print(llvm::raw_ostream &os) const;
};

using AxisInfoLattice = mlir::dataflow::Lattice<AxisInfo>;

// The facts of all values under an operation, computed at once. Besides operations, it takes in the
// attributes of kernel arguments (`tile.divisibility`, `tile.range`) and the hints
// `tile.contiguity`, `tile.constancy`, `tile.divisibility` (array<i64>, one entry a dim) on
// operations with one result. It says what held when it was made.
class AxisInfoMap {
public:
  explicit AxisInfoMap(mlir::Operation *root);
  ~AxisInfoMap();

  // Unknown for values that cannot be reached.
  AxisInfo of(mlir::Value value) const;
  // The largest number of elements along `dim` that one access through these pointers may take:
  // they are neighbours, begin at a multiple of their size in bytes, and the mask (may be null)
  // does not split them.
  int64_t accessWidth(mlir::Value pointer, mlir::Value mask, unsigned dim) const;

private:
  std::unique_ptr<mlir::DataFlowSolver> solver;
};

} // namespace teeny::tile
