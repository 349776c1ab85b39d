// Integer ranges in kernels: upstream's analysis, which also knows the declared ranges of arguments
// (`tile.range`).
#pragma once

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"

namespace teeny::tile {

class KernelRangeAnalysis : public mlir::dataflow::IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;
  void setToEntryState(mlir::dataflow::IntegerValueRangeLattice *lattice) override;
};

// Loads the analyses that ranges need into a solver.
void loadRangeAnalyses(mlir::DataFlowSolver &solver);

// The signed range of a value after the solver has run: its declared or inferred bounds, or those
// of its type. Needs an integer or index type of at most 64 bits (or a tile of them).
std::pair<int64_t, int64_t> signedRange(const mlir::DataFlowSolver &solver, mlir::Value value);

} // namespace teeny::tile
