#include "Tile/Transforms/AxisInfo.h"

#include "Tile/IR/Tile.h"
#include "Tile/Transforms/AxisTransfer.h"
#include "Tile/Transforms/KernelRanges.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace teeny::tile;

//===-- The facts
//-------------------------------------------------------------------------------===//

int64_t AxisInfo::divisibilityAt(unsigned dim, int64_t group) const {
  const Dim &facts = dims[dim];
  return group >= facts.contiguity ? facts.divisibility
                                   : std::min(facts.divisibility, group * unit);
}

int64_t AxisInfo::divisibilityOfAll() const {
  int64_t best = 1;
  for (unsigned dim = 0; dim < dims.size(); ++dim)
    best = std::max(best, divisibilityAt(dim, 1));
  return best;
}

AxisInfo AxisInfo::unknown(Type type) {
  AxisInfo info;
  auto tensor = dyn_cast<RankedTensorType>(type);
  info.dims.resize(tensor ? tensor.getRank() : 1);
  if (auto pointer = dyn_cast<PtrType>(getElementTypeOrSelf(type)))
    if (Type pointee = pointer.getPointee(); pointee.isIntOrFloat())
      info.unit = llvm::divideCeil(pointee.getIntOrFloatBitWidth(), 8);
  return info;
}

AxisInfo AxisInfo::join(const AxisInfo &a, const AxisInfo &b) {
  if (a.dims.empty())
    return b;
  if (b.dims.empty())
    return a;
  AxisInfo result = a;
  for (unsigned i = 0; i < a.dims.size(); ++i) {
    Dim &dim = result.dims[i];
    dim.contiguity = std::min(a.dims[i].contiguity, b.dims[i].contiguity);
    dim.constancy = std::min(a.dims[i].constancy, b.dims[i].constancy);
    dim.divisibility =
        std::min(a.divisibilityAt(i, dim.contiguity), b.divisibilityAt(i, dim.contiguity));
  }
  if (a.constant != b.constant)
    result.constant.reset();
  return result;
}

void AxisInfo::print(raw_ostream &os) const {
  auto list = [&](StringRef name, int64_t Dim::*fact) {
    os << name << " [";
    llvm::interleaveComma(dims, os, [&](const Dim &dim) { os << dim.*fact; });
    os << ']';
  };
  list("contiguity", &Dim::contiguity);
  list(", constancy", &Dim::constancy);
  list(", divisibility", &Dim::divisibility);
  if (constant)
    os << ", constant " << *constant;
}

//===-- The analysis
//----------------------------------------------------------------------------===//

namespace {

// What a kernel's argument is declared to be, a hint on an operation says.
void refine(AxisInfo &info, StringRef name, int64_t AxisInfo::Dim::*fact, Attribute attr) {
  if (auto list = dyn_cast_or_null<DenseI64ArrayAttr>(attr))
    for (auto [dim, value] : llvm::zip(info.dims, list.asArrayRef()))
      dim.*fact = std::max(dim.*fact, powerOfTwoIn(value));
}

class AxisInfoAnalysis final : public dataflow::SparseForwardDataFlowAnalysis<AxisInfoLattice> {
public:
  using SparseForwardDataFlowAnalysis::SparseForwardDataFlowAnalysis;

  void setToEntryState(AxisInfoLattice *lattice) override {
    Value value = lattice->getAnchor();
    AxisInfo info = AxisInfo::unknown(value.getType());
    auto argument = dyn_cast<BlockArgument>(value);
    auto function = argument ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
                             : FunctionOpInterface();
    if (function && argument.getOwner()->isEntryBlock())
      if (auto attr =
              function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), divisibilityAttr))
        for (AxisInfo::Dim &dim : info.dims)
          dim.divisibility = powerOfTwoIn(attr.getInt());
    propagateIfChanged(lattice, lattice->join(info));
  }

  LogicalResult visitOperation(Operation *op, ArrayRef<const AxisInfoLattice *> operands,
                               ArrayRef<AxisInfoLattice *> results) override {
    // Wait for what still has no facts; it will be back.
    SmallVector<AxisInfo> facts;
    for (const AxisInfoLattice *operand : operands) {
      if (operand->getValue().dims.empty())
        return success();
      facts.push_back(operand->getValue());
    }
    bool waits = false;
    auto range = [&](Value value) {
      auto *lattice =
          getOrCreateFor<dataflow::IntegerValueRangeLattice>(getProgramPointAfter(op), value);
      waits |= lattice->getValue().isUninitialized();
      return lattice->getValue();
    };
    for (AxisInfoLattice *result : results) {
      AxisInfo info = transferAxisInfo(op, cast<OpResult>(result->getAnchor()), facts, range);
      if (waits)
        return success();
      if (op->getNumResults() == 1) {
        refine(info, contiguityAttr, &AxisInfo::Dim::contiguity, op->getAttr(contiguityAttr));
        refine(info, constancyAttr, &AxisInfo::Dim::constancy, op->getAttr(constancyAttr));
        refine(info, divisibilityAttr, &AxisInfo::Dim::divisibility, op->getAttr(divisibilityAttr));
      }
      propagateIfChanged(result, result->join(info));
    }
    return success();
  }

  // The variable of a loop moves from its lower bound by its step.
  void visitNonControlFlowArguments(Operation *op, const RegionSuccessor &successor,
                                    ArrayRef<AxisInfoLattice *> arguments,
                                    unsigned firstIndex) override {
    auto loop = dyn_cast<LoopLikeOpInterface>(op);
    std::optional<Value> variable = loop ? loop.getSingleInductionVar() : std::nullopt;
    if (!variable)
      return SparseForwardDataFlowAnalysis::visitNonControlFlowArguments(op, successor, arguments,
                                                                         firstIndex);
    ProgramPoint *point = getProgramPointBefore(variable->getParentBlock());
    AxisInfo info = AxisInfo::unknown(variable->getType());
    int64_t divisibility = largestPowerOfTwo;
    for (std::optional<OpFoldResult> bound : {loop.getSingleLowerBound(), loop.getSingleStep()}) {
      Value value = bound ? dyn_cast<Value>(*bound) : Value();
      if (std::optional<int64_t> constant = bound ? getConstantIntValue(*bound) : std::nullopt) {
        divisibility = std::min(divisibility, powerOfTwoIn(*constant));
      } else if (value) {
        const AxisInfo &facts = getLatticeElementFor(point, value)->getValue();
        if (facts.dims.empty())
          return;
        divisibility = std::min(divisibility, facts.divisibilityOfAll());
      } else {
        divisibility = 1;
      }
    }
    info.dims[0].divisibility = divisibility;
    for (AxisInfoLattice *argument : arguments)
      if (argument->getAnchor() == *variable)
        propagateIfChanged(argument, argument->join(info));
  }
};

} // namespace

AxisInfoMap::AxisInfoMap(Operation *root) : solver(std::make_unique<DataFlowSolver>()) {
  loadRangeAnalyses(*solver);
  solver->load<AxisInfoAnalysis>();
  // Only a missing analysis can make it fail, and then nothing is known.
  if (failed(solver->initializeAndRun(root)))
    solver = std::make_unique<DataFlowSolver>();
}

AxisInfoMap::~AxisInfoMap() = default;

AxisInfo AxisInfoMap::of(Value value) const {
  auto *lattice = solver->lookupState<AxisInfoLattice>(value);
  return lattice && !lattice->getValue().dims.empty() ? lattice->getValue()
                                                      : AxisInfo::unknown(value.getType());
}

int64_t AxisInfoMap::accessWidth(Value pointer, Value mask, unsigned dim) const {
  AxisInfo facts = of(pointer);
  int64_t width = std::min(facts.dims[dim].contiguity,
                           std::max<int64_t>(1, facts.dims[dim].divisibility / facts.unit));
  return mask ? std::min(width, of(mask).dims[dim].constancy) : width;
}
