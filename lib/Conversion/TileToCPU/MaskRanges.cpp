// Where masks hold, as ranges of the innermost counter; LoopNest.cpp has the idea.
#include "Conversion/TileToCPU/Emitter.h"
#include "Conversion/TileToCPU/ShapeMaps.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

// Limits known outside the innermost loop. The conjuncts in `holding` are true for counters in
// [low, high) and one of them is false elsewhere, if all `conditions` are true; if not, nothing is
// known.
struct Emitter::MaskRange {
  Value low, high; // i64; null for no limit
  SmallVector<Value> conditions;
  SmallVector<ElementKey> holding;
  bool complete = true; // nothing else is in the mask
};

void Emitter::visitAccesses(Value value, const Indices &indices, std::set<ElementKey> &seen,
                            llvm::function_ref<void(const Access &)> visit) {
  if (!isTensor(value) || !seen.insert({value.getAsOpaquePointer(), indices}).second)
    return;
  if (!isComputedHere(value)) {
    visit({nullptr, value, indices});
    return;
  }
  Operation *op = value.getDefiningOp();
  if (isa<tile::LoadOp>(op))
    visit({op, value, indices});
  Indices inner = operandIndices(value, indices);
  for (Value operand : op->getOperands())
    visitAccesses(operand, inner, seen, visit);
}

void Emitter::forEachAccess(const Member &member, const Indices &indices,
                            llvm::function_ref<void(const Access &)> visit) {
  std::set<ElementKey> seen;
  if (member.kind == Member::Kind::store)
    visit({member.op, member.value, indices});
  if (member.kind == Member::Kind::store || member.kind == Member::Kind::reduce) {
    for (Value operand : member.op->getOperands())
      visitAccesses(operand, indices, seen, visit);
    return;
  }
  visitAccesses(member.value, indices, seen, visit);
}

// A comparison of lines that approach each other by one per step limits the counter on one side.
bool Emitter::limitByComparison(Value comparison, const Indices &indices, MaskRange &range) {
  auto compare = comparison.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return false;
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  if (predicate == P::sgt || predicate == P::sge) {
    std::swap(lhs, rhs);
    predicate = predicate == P::sgt ? P::slt : P::sle;
  }
  if (predicate != P::slt && predicate != P::sle)
    return false;
  SmallVector<Value> conditions;
  Slope left = slope(lhs, indices, true, &conditions);
  Slope right = slope(rhs, indices, true, &conditions);
  if (failed || !left.isConstant() || !left.known || !right.isConstant() || !right.known)
    return false;
  int64_t approach = left.constant - right.constant;
  if (approach != 1 && approach != -1)
    return false;
  if (!left.isZero())
    addNoWrap(lhs, indices, left, conditions);
  if (!right.isZero())
    addNoWrap(rhs, indices, right, conditions);
  Value x = element(lhs, atCounterZero(indices)).value;
  Value y = element(rhs, atCounterZero(indices)).value;
  if (failed)
    return false;
  // Truth changes after `steps`: with x + i < y at i = y - x, with x + i <= y one later; with
  // x - i < y it begins, at i = x - y + 1, with <= one earlier. Differences are taken only where
  // they are not negative, as unsigned numbers.
  bool orEqual = predicate == P::sle, rising = approach == 1;
  bool oneMore = rising == orEqual;
  goTo(nest->depth - 1);
  Value from = rising ? x : y, to = rising ? y : x;
  auto wide = [&](Value value) -> Value {
    if (value.getType().getIntOrFloatBitWidth() == 64)
      return value;
    return b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), value);
  };
  from = wide(from);
  to = wide(to);
  Value positive = b.createOrFold<arith::CmpIOp>(loc, oneMore ? P::sge : P::sgt, to, from);
  Value steps = b.createOrFold<arith::SubIOp>(loc, to, from);
  Value most = i64(oneMore ? nest->count - 1 : nest->count);
  steps = b.createOrFold<arith::MinUIOp>(loc, steps, most);
  if (oneMore)
    steps = b.createOrFold<arith::AddIOp>(loc, steps, i64(1));
  steps = b.createOrFold<arith::SelectOp>(loc, positive, steps, i64(0));
  if (rising)
    range.high = range.high ? b.createOrFold<arith::MinSIOp>(loc, range.high, steps) : steps;
  else
    range.low = range.low ? b.createOrFold<arith::MaxSIOp>(loc, range.low, steps) : steps;
  range.conditions.append(conditions);
  return true;
}

void Emitter::limitByMask(Value mask, const Indices &indices, MaskRange &range) {
  if (!isTensor(mask)) {
    range.complete = false;
    return;
  }
  ElementKey key(mask.getAsOpaquePointer(), indices);
  if (slope(mask, indices, /*emitting=*/false).isZero()) {
    Value holds = element(mask, atCounterZero(indices)).value;
    if (failed)
      return;
    goTo(nest->depth - 1);
    Value high = range.high ? range.high : i64(nest->count);
    range.high = b.createOrFold<arith::SelectOp>(loc, holds, high, i64(0));
    range.holding.push_back(key);
    return;
  }
  if (!isComputedHere(mask)) {
    range.complete = false;
    return;
  }
  Operation *op = mask.getDefiningOp();
  bool wasComplete = range.complete;
  range.complete = true;
  if (isa<arith::AndIOp>(op)) {
    limitByMask(op->getOperand(0), indices, range);
    limitByMask(op->getOperand(1), indices, range);
  } else if (mapToOperand(mask)) {
    limitByMask(op->getOperand(0), operandIndices(mask, indices), range);
  } else if (!limitByComparison(mask, indices, range)) {
    range.complete = false;
  }
  if (range.complete)
    range.holding.push_back(key);
  range.complete &= wasComplete;
}

static Value maskOf(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return load.getMask();
  return cast<tile::StoreOp>(op).getMask();
}

SmallVector<Emitter::Segment> Emitter::segments(const Indices &indices) {
  Value zero = i64(0), count = i64(nest->count);
  SmallVector<Segment> whole = {{zero, count, false}};
  nest->knownTrue.clear();
  if (!nest->group || nest->count < 4)
    return whole;

  MaskRange all;
  std::set<ElementKey> done;
  bool onlyMaskedStores = true, limited = false;
  Value storesLow, storesHigh; // what covers the ranges of all stores
  SmallVector<Value> storeConditions;
  for (const Member &member : nest->group->members) {
    onlyMaskedStores &= member.kind == Member::Kind::store && maskOf(member.op);
    forEachAccess(member, indices, [&](const Access &access) {
      Value mask = access.op ? maskOf(access.op) : Value();
      if (!mask || failed)
        return;
      bool isStore = isa<tile::StoreOp>(access.op);
      bool isNew = done.insert({mask.getAsOpaquePointer(), access.indices}).second;
      if (!isNew && !isStore)
        return;
      MaskRange range;
      limitByMask(mask, access.indices, range);
      if (failed || range.holding.empty()) {
        onlyMaskedStores &= !isStore;
        return;
      }
      limited = true;
      goTo(nest->depth - 1);
      Value low = range.low ? range.low : zero, high = range.high ? range.high : count;
      if (isStore && onlyMaskedStores) {
        storesLow = storesLow ? b.createOrFold<arith::MinSIOp>(loc, storesLow, low) : low;
        storesHigh = storesHigh ? b.createOrFold<arith::MaxSIOp>(loc, storesHigh, high) : high;
        storeConditions.append(range.conditions);
      }
      all.low = all.low ? b.createOrFold<arith::MaxSIOp>(loc, all.low, low) : low;
      all.high = all.high ? b.createOrFold<arith::MinSIOp>(loc, all.high, high) : high;
      all.conditions.append(range.conditions);
      all.holding.append(range.holding);
    });
  }
  if (failed || !limited)
    return whole;
  nest->knownTrue.insert(all.holding.begin(), all.holding.end());

  goTo(nest->depth - 1);
  auto conjunction = [&](ArrayRef<Value> conditions) {
    Value result = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
    for (Value condition : conditions)
      result = b.createOrFold<arith::AndIOp>(loc, result, condition);
    return result;
  };
  auto choose = [&](Value condition, Value yes, Value no) {
    return b.createOrFold<arith::SelectOp>(loc, condition, yes, no);
  };
  Value liveLow = zero, liveHigh = count;
  if (onlyMaskedStores) {
    Value exact = conjunction(storeConditions);
    liveLow = choose(exact, storesLow, zero);
    liveHigh = choose(exact, storesHigh, count);
  }
  // [liveLow, first) and [last, liveHigh) test the masks, [first, last) need not.
  Value exact = conjunction(all.conditions);
  Value first = all.low == zero && liveLow == zero
                    ? zero
                    : b.createOrFold<arith::MinSIOp>(
                          loc, b.createOrFold<arith::MaxSIOp>(loc, all.low, liveLow), liveHigh);
  Value last = choose(exact, all.high, zero);
  last = b.createOrFold<arith::MinSIOp>(loc, last, liveHigh);
  last = b.createOrFold<arith::MaxSIOp>(loc, last, first);
  SmallVector<Segment> result;
  if (first != liveLow)
    result.push_back({liveLow, first, false});
  result.push_back({first, last, true});
  result.push_back({last, liveHigh, false});
  return result;
}
