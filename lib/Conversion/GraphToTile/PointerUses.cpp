#include "Conversion/GraphToTile/PointerUses.h"

#include "Tile/IR/Tile.h"
#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "mlir/Analysis/DataFlow/Utils.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace teeny {
namespace {

// The arguments that a value may come from.
struct Origins {
  llvm::SmallBitVector arguments;
  bool anywhere = false;

  static Origins join(const Origins &a, const Origins &b) {
    Origins both = a;
    both.arguments |= b.arguments; // grows to the larger of the two
    both.anywhere |= b.anywhere;
    return both;
  }
  bool operator==(const Origins &other) const {
    return anywhere == other.anywhere && arguments == other.arguments;
  }
  void print(raw_ostream &os) const {
    for (unsigned argument : arguments.set_bits())
      os << argument << " ";
    if (anywhere)
      os << "anywhere";
  }
};

using OriginsState = dataflow::Lattice<Origins>;

bool isPointer(Type type) { return isa<tile::PtrType>(getElementTypeOrSelf(type)); }

class OriginsAnalysis : public dataflow::SparseForwardDataFlowAnalysis<OriginsState> {
public:
  OriginsAnalysis(DataFlowSolver &solver, func::FuncOp kernel)
      : SparseForwardDataFlowAnalysis(solver), kernel(kernel) {}

  LogicalResult visitOperation(Operation *op, ArrayRef<const OriginsState *> operands,
                               ArrayRef<OriginsState *> results) override {
    Origins origins;
    if (isa<tile::LoadOp, tile::AtomicRMWOp, tile::AtomicCASOp>(op)) {
      // What comes out of memory has no more to do with where it lay.
      origins.anywhere = isPointer(op->getResult(0).getType());
    } else {
      for (const OriginsState *operand : operands)
        origins = Origins::join(origins, operand->getValue());
      // An address that was computed from no argument.
      if (isa<tile::IntToPtrOp>(op) && origins.arguments.none())
        origins.anywhere = true;
    }
    for (OriginsState *result : results)
      propagateIfChanged(result, result->join(origins));
    return success();
  }

  void setToEntryState(OriginsState *state) override {
    Origins origins;
    auto argument = dyn_cast<BlockArgument>(state->getAnchor());
    if (argument && argument.getOwner() == &kernel.getBody().front() &&
        isPointer(argument.getType())) {
      origins.arguments.resize(kernel.getNumArguments());
      origins.arguments.set(argument.getArgNumber());
    }
    propagateIfChanged(state, state->join(origins));
  }

private:
  func::FuncOp kernel;
};

} // namespace

FailureOr<SmallVector<PointerUses>> findPointerUses(func::FuncOp kernel) {
  DataFlowSolver solver;
  dataflow::loadBaselineAnalyses(solver);
  solver.load<OriginsAnalysis>(kernel);
  if (failed(solver.initializeAndRun(kernel)))
    return failure();

  SmallVector<PointerUses> uses(kernel.getNumArguments());
  auto note = [&](Value pointer, bool read, bool written) {
    const auto *state = solver.lookupState<OriginsState>(pointer);
    if (!state)
      return; // never executed
    const Origins &origins = state->getValue();
    for (auto [index, use] : llvm::enumerate(uses)) {
      bool reached = index < origins.arguments.size() && origins.arguments.test(index);
      if (!isPointer(kernel.getArgumentTypes()[index]) || !(reached || origins.anywhere))
        continue;
      use.read |= read;
      use.written |= written;
    }
  };
  kernel.walk([&](Operation *op) {
    if (auto load = dyn_cast<tile::LoadOp>(op))
      note(load.getPointer(), true, false);
    else if (auto store = dyn_cast<tile::StoreOp>(op))
      note(store.getPointer(), false, true);
    else if (isa<tile::AtomicRMWOp, tile::AtomicCASOp, func::CallOp>(op))
      for (Value operand : op->getOperands())
        if (isPointer(operand.getType()))
          note(operand, true, true);
  });
  return uses;
}

} // namespace teeny
