// Computes pointer offsets at the width that the declared ranges need; the manual is Passes.td.
//
// Two steps. First, for each value behind an offset: what would it be in exact arithmetic, and does
// that fit its type (ExactRanges)? Values that do not, or that are made from such, are *inexact*.
// Then each inexact value is made again in i64 from the exact ones, sign-extended (Widener).
// Control flow that carries an inexact value carries it in i64 from then on, and what else used it
// takes the low bits, which are what it had before.
//
// Tested by test/Tile/widen-offsets.mlir.
#include "Tile/IR/Tile.h"
#include "Tile/Transforms/KernelRanges.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace teeny::tile {
#define GEN_PASS_DEF_WIDENOFFSETS
#include "Tile/Transforms/Passes.h.inc"
} // namespace teeny::tile

using namespace mlir;
using namespace teeny::tile;

namespace {

//===-- What control flow carries
//---------------------------------------------------------------===//

// A value that control flow carries: the values that stand for it, and the operands that it comes
// from.
struct Carried {
  SmallVector<Value> names;
  SmallVector<OpOperand *> sources;
};

std::optional<Carried> carriedBy(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  unsigned number = argument ? argument.getArgNumber() : cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    if (argument && number == 0)
      return Carried{
          {value},
          {&loop.getLowerBoundMutable(), &loop.getUpperBoundMutable(), &loop.getStepMutable()}};
    number -= argument ? 1 : 0;
    return Carried{
        {loop.getRegionIterArg(number), loop.getResult(number)},
        {&loop.getInitArgsMutable()[number], &(*loop.getYieldedValuesMutable())[number]}};
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Carried carried{{value}, {}};
    for (Region &region : branch->getRegions())
      if (!region.empty())
        carried.sources.push_back(&region.front().getTerminator()->getOpOperand(number));
    return carried;
  }
  if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    if (argument && argument.getOwner() == loop.getBeforeBody())
      return Carried{{value},
                     {&loop.getInitsMutable()[number], &loop.getYieldOp()->getOpOperand(number)}};
    return Carried{{loop.getAfterArguments()[number], loop.getResult(number)},
                   {&loop.getConditionOp().getArgsMutable()[number]}};
  }
  return std::nullopt;
}

//===-- Exact ranges
//----------------------------------------------------------------------------===//

// Bounds in exact arithmetic; those beyond 64 bits are cut to them.
struct Range {
  int64_t low, high;
};

int64_t saturated(__int128 value) {
  return std::clamp<__int128>(value, std::numeric_limits<int64_t>::min(),
                              std::numeric_limits<int64_t>::max());
}

Range hull(std::initializer_list<__int128> values) {
  return {saturated(std::min(values)), saturated(std::max(values))};
}

bool isOffsetType(Type type) {
  auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
  return integer && integer.getWidth() > 1 && integer.getWidth() <= 64;
}

// Whether the operation is done on the operands' exact values where they are wider: all but those
// that cut bits off.
bool isExactStep(Operation *op) {
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::DivSIOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp, arith::RemSIOp, arith::MinSIOp, arith::MaxSIOp, arith::ShLIOp,
             arith::ShRSIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp, arith::SelectOp,
             arith::ExtSIOp, SplatOp, ExpandDimsOp, BroadcastOp, TransOp, ReshapeOp, JoinOp,
             SplitOp>(op);
}

class ExactRanges {
public:
  explicit ExactRanges(const DataFlowSolver &solver) : solver(solver) {}

  // Whether the value's exact range exceeds its type, or that of something it is made from does.
  bool isInexact(Value value) {
    // What loops carry is taken to be exact until it proves not to be; then everything is looked at
    // again.
    for (;;) {
      size_t before = inexactCarried.size();
      bool result = visit(value).inexact;
      if (inexactCarried.size() == before)
        return result;
      seen.clear();
    }
  }

  // For the low bits of a value that is inexact.
  void markInexact(Value value) { inexactCarried.insert(value); }

private:
  struct Entry {
    Range range;
    bool inexact;
  };

  Entry visit(Value value) {
    if (auto it = seen.find(value); it != seen.end())
      return it->second;
    auto [low, high] = signedRange(solver, value);
    Entry entry{{low, high}, false};
    if (inexactCarried.count(value))
      return seen[value] = unbounded();
    if (std::optional<Carried> carried = carriedBy(value)) {
      seen[value] = entry;
      bool inexact = false;
      for (OpOperand *source : carried->sources)
        inexact |= visit(source->get()).inexact;
      if (!inexact)
        return entry;
      inexactCarried.insert_range(carried->names);
      return seen[value] = unbounded();
    }
    Operation *op = value.getDefiningOp();
    if (op && isExactStep(op)) {
      SmallVector<Range> in;
      for (Value operand : op->getOperands()) {
        if (!isOffsetType(operand.getType())) // the choice of a select
          continue;
        Entry source = visit(operand);
        in.push_back(source.range);
        entry.inexact |= source.inexact;
      }
      entry.range = step(op, in, entry);
      unsigned width = getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
      entry.inexact |= width < 64 && (!llvm::isIntN(width, entry.range.low) ||
                                      !llvm::isIntN(width, entry.range.high));
    }
    return seen[value] = entry;
  }

  static Entry unbounded() {
    return {{std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}, true};
  }

  // `inferred` has the range of the wrapped result, which is exact where the operands are and
  // nothing can overflow.
  static Range step(Operation *op, ArrayRef<Range> in, const Entry &inferred) {
    auto corners = [&](auto combine) {
      Range a = in[0], b = in[1];
      return hull({combine(a.low, b.low), combine(a.low, b.high), combine(a.high, b.low),
                   combine(a.high, b.high)});
    };
    using Wide = __int128;
    return TypeSwitch<Operation *, Range>(op)
        .Case<arith::AddIOp>([&](auto) { return corners([](Wide a, Wide b) { return a + b; }); })
        .Case<arith::SubIOp>([&](auto) { return corners([](Wide a, Wide b) { return a - b; }); })
        .Case<arith::MulIOp>([&](auto) { return corners([](Wide a, Wide b) { return a * b; }); })
        .Case<arith::MinSIOp>([&](auto) {
          return Range{std::min(in[0].low, in[1].low), std::min(in[0].high, in[1].high)};
        })
        .Case<arith::MaxSIOp>([&](auto) {
          return Range{std::max(in[0].low, in[1].low), std::max(in[0].high, in[1].high)};
        })
        .Case<arith::SelectOp, JoinOp>([&](auto) {
          return Range{std::min(in[0].low, in[1].low), std::max(in[0].high, in[1].high)};
        })
        .Case<arith::ShLIOp>([&](auto) {
          int64_t most = std::clamp<int64_t>(in[1].high, 0, 63),
                  least = std::clamp<int64_t>(in[1].low, 0, 63);
          Wide low = in[0].low, high = in[0].high;
          return hull({low << least, low << most, high << least, high << most});
        })
        .Case<arith::DivSIOp, arith::FloorDivSIOp, arith::CeilDivSIOp, arith::RemSIOp,
              arith::ShRSIOp>([&](auto) {
          // No further from 0 than what is divided.
          if (!inferred.inexact)
            return inferred.range;
          Wide most = std::max<Wide>(in[0].high, -Wide(in[0].low));
          return hull({in[0].low < 0 || in[1].low < 0 ? -most : 0, most});
        })
        .Case<arith::AndIOp, arith::OrIOp, arith::XOrIOp>([&](auto) {
          if (!inferred.inexact)
            return inferred.range;
          if (isa<arith::AndIOp>(op) && (in[0].low >= 0 || in[1].low >= 0))
            return Range{0, in[1].low >= 0 ? in[1].high : in[0].high};
          return unbounded().range;
        })
        .Default([&](Operation *) { return in[0]; });
  }

  const DataFlowSolver &solver;
  DenseMap<Value, Entry> seen;
  DenseSet<Value> inexactCarried;
};

//===-- Widening
//--------------------------------------------------------------------------------===//

class Widener {
public:
  Widener(MLIRContext *context, ExactRanges &ranges) : builder(context), ranges(ranges) {}

  // The exact value in i64.
  Value widen(Value value) {
    if (Value wide = made.lookup(value))
      return wide;
    if (!ranges.isInexact(value)) {
      if (getElementTypeOrSelf(value.getType()).isInteger(64))
        return value;
      builder.setInsertionPointAfterValue(value);
      return made[value] =
                 builder.createOrFold<arith::ExtSIOp>(value.getLoc(), wideType(value), value);
    }
    if (std::optional<Carried> carried = carriedBy(value)) {
      carry(*carried);
      return made.lookup(value);
    }
    Operation *op = value.getDefiningOp();
    // Widening may put the low bits of a carried value in its place, so operands are mapped as they
    // are afterwards.
    SmallVector<Value> wide;
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      wide.push_back(isOffsetType(op->getOperand(i).getType()) ? widen(op->getOperand(i))
                                                               : op->getOperand(i));
    if (isa<arith::ExtSIOp>(op))
      return made[value] = wide[0];
    IRMapping mapping;
    mapping.map(op->getOperands(), wide);
    builder.setInsertionPointAfter(op);
    Operation *again = builder.clone(*op, mapping);
    for (auto [from, to] : llvm::zip(op->getResults(), again->getResults())) {
      to.setType(wideType(from));
      made[from] = to;
    }
    return made.lookup(value);
  }

  // Whether the value was made again because an offset needs it.
  bool wasWidened(Value value) const { return made.count(value); }

private:
  static Type wideType(Value value) {
    return withElementType(value.getType(), IntegerType::get(value.getContext(), 64));
  }

  // From now on the value is i64; what used it before takes its low bits.
  void carry(const Carried &carried) {
    for (Value name : carried.names) {
      if (getElementTypeOrSelf(name.getType()).isInteger(64)) {
        made[name] = name;
        continue;
      }
      Type narrow = name.getType();
      name.setType(wideType(name));
      builder.setInsertionPointAfterValue(name);
      Value low = arith::TruncIOp::create(builder, name.getLoc(), narrow, name);
      name.replaceAllUsesExcept(low, low.getDefiningOp());
      made[name] = name;
      made[low] = name;
      ranges.markInexact(low);
    }
    for (OpOperand *source : carried.sources)
      source->set(widen(source->get()));
  }

  OpBuilder builder;
  ExactRanges &ranges;
  DenseMap<Value, Value> made;
};

struct WidenOffsets final : teeny::tile::impl::WidenOffsetsBase<WidenOffsets> {
  using WidenOffsetsBase::WidenOffsetsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    DataFlowSolver solver;
    loadRangeAnalyses(solver);
    if (failed(solver.initializeAndRun(function)))
      return signalPassFailure();
    ExactRanges ranges(solver);
    Widener widener(&getContext(), ranges);
    SmallVector<AddPtrOp> pointers;
    SmallVector<arith::CmpIOp> comparisons;
    function.walk([&](Operation *op) {
      if (auto pointer = dyn_cast<AddPtrOp>(op))
        pointers.push_back(pointer);
      if (auto comparison = dyn_cast<arith::CmpIOp>(op))
        comparisons.push_back(comparison);
    });
    for (AddPtrOp op : pointers)
      if (isOffsetType(op.getOffset().getType()) && ranges.isInexact(op.getOffset()))
        op.getOffsetMutable().assign(widener.widen(op.getOffset()));
    // What decides whether an offset is used has to see the same value.
    for (arith::CmpIOp op : comparisons)
      if (!isUnsigned(op.getPredicate()) && isOffsetType(op.getLhs().getType()) &&
          (isInexactOffset(op.getLhs(), ranges, widener) ||
           isInexactOffset(op.getRhs(), ranges, widener))) {
        Value lhs = widener.widen(op.getLhs()), rhs = widener.widen(op.getRhs());
        op->setOperands({lhs, rhs});
      }
  }

  static bool isUnsigned(arith::CmpIPredicate predicate) {
    using P = arith::CmpIPredicate;
    return llvm::is_contained({P::ult, P::ule, P::ugt, P::uge}, predicate);
  }

  // An inexact value that an offset is made from, or that is made from one.
  static bool isInexactOffset(Value value, ExactRanges &ranges, const Widener &widener) {
    if (!isOffsetType(value.getType()) || !ranges.isInexact(value))
      return false;
    if (widener.wasWidened(value))
      return true;
    Operation *op = value.getDefiningOp();
    return op && isExactStep(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
             return isInexactOffset(operand, ranges, widener);
           });
  }
};

} // namespace
