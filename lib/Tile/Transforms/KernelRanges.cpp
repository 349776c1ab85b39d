#include "Tile/Transforms/KernelRanges.h"

#include "Tile/IR/Tile.h"

#include "mlir/Analysis/DataFlow/ConstantPropagationAnalysis.h"
#include "mlir/Analysis/DataFlow/DeadCodeAnalysis.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace teeny::tile;

// The declared range of a function's argument, in its width.
static std::optional<ConstantIntRanges> declaredRange(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return std::nullopt;
  auto function = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || !argument.getOwner()->isEntryBlock())
    return std::nullopt;
  auto range = function.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(), rangeAttr);
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  if (!range || range.size() != 2 || width == 0 || !llvm::isIntN(width, range[0]) ||
      !llvm::isIntN(width, range[1]))
    return std::nullopt;
  return ConstantIntRanges::fromSigned(APInt(width, range[0], /*isSigned=*/true),
                                       APInt(width, range[1], /*isSigned=*/true));
}

void KernelRangeAnalysis::setToEntryState(dataflow::IntegerValueRangeLattice *lattice) {
  if (auto range = declaredRange(lattice->getAnchor()))
    return propagateIfChanged(lattice, lattice->join(IntegerValueRange(*range)));
  IntegerRangeAnalysis::setToEntryState(lattice);
}

void teeny::tile::loadRangeAnalyses(DataFlowSolver &solver) {
  solver.load<dataflow::DeadCodeAnalysis>();
  solver.load<dataflow::SparseConstantPropagation>();
  solver.load<KernelRangeAnalysis>();
}

std::pair<int64_t, int64_t> teeny::tile::signedRange(const DataFlowSolver &solver, Value value) {
  unsigned width = ConstantIntRanges::getStorageBitwidth(value.getType());
  assert(width > 0 && width <= 64 && "expected an integer");
  auto *lattice = solver.lookupState<dataflow::IntegerValueRangeLattice>(value);
  ConstantIntRanges range = lattice && !lattice->getValue().isUninitialized()
                                ? lattice->getValue().getValue()
                                : ConstantIntRanges::maxRange(width);
  return {range.smin().getSExtValue(), range.smax().getSExtValue()};
}
