// Groups of roots: one nest each. Reductions and scans.
//
// A reduction along the innermost loop has its accumulators in registers; a float sum or product
// may then be reordered (`reassoc`), which is what lets it be vectorised. Along another loop, the
// result's elements accumulate in scratch memory, and the loop over the reduced dim is the
// outermost.
#include "Conversion/TileToCPU/Emitter.h"
#include "Conversion/TileToCPU/MathFunctions.h"
#include "Conversion/TileToCPU/ShapeMaps.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

#include <functional>
#include <numeric>

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

static Type elementOf(Value tile) { return getElementTypeOrSelf(tile.getType()); }

static Indices without(const Indices &indices, unsigned dim) {
  Indices rest = indices;
  rest.erase(rest.begin() + dim);
  return rest;
}

// The number that changes nothing when combined, where the combining function is known to have one.
static TypedAttr neutral(Operation *op, OpBuilder &b) {
  Block &block = op->getRegion(0).front();
  if (op->getNumOperands() != 1 || block.getOperations().size() != 2)
    return {};
  Operation &combine = block.front();
  if (combine.getNumOperands() != 2 || combine.getNumResults() != 1 ||
      combine.getOperand(0) == combine.getOperand(1) ||
      block.getTerminator()->getOperand(0) != combine.getResult(0) ||
      combine.getOperand(0).getParentBlock() != &block ||
      combine.getOperand(1).getParentBlock() != &block)
    return {};
  Type type = combine.getResult(0).getType();
  if (auto number = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &format = number.getFloatSemantics();
    auto attr = [&](const APFloat &value) { return TypedAttr(b.getFloatAttr(type, value)); };
    if (isa<arith::AddFOp>(combine))
      return attr(APFloat::getZero(format, /*Negative=*/true));
    if (isa<arith::MulFOp>(combine))
      return attr(APFloat(format, 1));
    if (isa<arith::MaximumFOp, arith::MinimumFOp>(combine))
      return attr(APFloat::getInf(format, isa<arith::MaximumFOp>(combine)));
    if (isa<arith::MaxNumFOp, arith::MinNumFOp>(combine))
      return attr(APFloat::getNaN(format));
    return {};
  }
  unsigned width = type.getIntOrFloatBitWidth();
  auto attr = [&](const APInt &value) { return TypedAttr(b.getIntegerAttr(type, value)); };
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(combine))
    return attr(APInt::getZero(width));
  if (isa<arith::MulIOp>(combine))
    return attr(APInt(width, 1));
  if (isa<arith::AndIOp, arith::MinUIOp>(combine))
    return attr(APInt::getAllOnes(width));
  if (isa<arith::MaxSIOp>(combine))
    return attr(APInt::getSignedMinValue(width));
  if (isa<arith::MinSIOp>(combine))
    return attr(APInt::getSignedMaxValue(width));
  return {};
}

// `isFirst` (i1): there is nothing accumulated yet; null where the accumulator began neutral.
SmallVector<Value> Emitter::combine(Operation *op, ValueRange accumulated, ValueRange next,
                                    Value isFirst) {
  SmallVector<Value> arguments(accumulated);
  arguments.append(next.begin(), next.end());
  SmallVector<Value> combined = inlineRegion(op->getRegion(0), arguments);
  if (failed)
    return {};
  if (!isFirst) {
    if (Operation *made = combined[0].getDefiningOp();
        isa_and_nonnull<arith::AddFOp, arith::MulFOp>(made))
      made->setAttr("fastmath",
                    arith::FastMathFlagsAttr::get(b.getContext(), arith::FastMathFlags::reassoc));
    return combined;
  }
  for (auto [value, first] : llvm::zip(combined, next))
    value = select(at(), isFirst, first, value);
  return combined;
}

void Emitter::emitGroup(const Group &group) {
  unsigned rank = group.shape.size();
  SmallVector<unsigned> order = loopOrder(group);
  bool reduceInner = group.reduceAxis && order.back() == *group.reduceAxis;
  if (group.reduceAxis && !reduceInner) {
    order.erase(llvm::find(order, *group.reduceAxis));
    order.insert(order.begin(), *group.reduceAxis);
  }
  // Accumulators of all reductions, in order of members.
  SmallVector<Value> carried;
  for (const Member &member : group.members)
    if (reduceInner && member.kind == Member::Kind::reduce)
      for (Value source : member.op->getOperands()) {
        TypedAttr start = neutral(member.op, b);
        carried.push_back(start ? Value(arith::ConstantOp::create(b, loc, start))
                                : zero(convertType(elementOf(source))));
      }

  emitNest(
      group.shape, order, &group, carried,
      [&](const Indices &indices, ValueRange values) {
        return emitMembers(group, indices, values, reduceInner);
      },
      [&](const Indices &indices, ValueRange values) {
        size_t next = 0;
        for (const Member &member : group.members) {
          if (member.kind != Member::Kind::reduce || !reduceInner)
            continue;
          for (Value result : member.op->getResults()) {
            if (rank == 1)
              scalars[result] = values[next++];
            else
              writeTile(bufferOf(result), without(indices, *group.reduceAxis), values[next++]);
          }
        }
      });
}

SmallVector<Value> Emitter::emitMembers(const Group &group, const Indices &indices,
                                        ValueRange carried, bool reduceInner) {
  int depth = nest->depth;
  SmallVector<std::function<void()>> writes;
  SmallVector<Value> next;
  for (const Member &member : group.members) {
    loc = member.op->getLoc();
    switch (member.kind) {
    case Member::Kind::store: {
      auto store = cast<tile::StoreOp>(member.op);
      Value address = addressAt(store.getPointer(), indices).value;
      Value value = failed ? Value() : element(store.getValue(), indices).value;
      Value mask;
      if (store.getMask() && !failed)
        mask = element(store.getMask(), indices).value;
      Type type = elementOf(store.getValue());
      writes.push_back([=, this] { onlyIf(mask, [&] { storeValue(type, value, address); }); });
      break;
    }
    case Member::Kind::materialise:
    case Member::Kind::assign: {
      if (member.kind == Member::Kind::materialise && !member.needed)
        break;
      Value value = element(member.value, indices).value;
      bool second = member.kind == Member::Kind::assign && plan.buffered.contains(member.target);
      Buffer buffer = second ? secondBufferOf(member.target) : bufferOf(member.target);
      writes.push_back([=, this] { writeTile(buffer, indices, value); });
      break;
    }
    case Member::Kind::reduce: {
      SmallVector<Value> sources, accumulated;
      for (Value source : member.op->getOperands()) {
        sources.push_back(element(source, indices).value);
        if (failed)
          return {};
      }
      bool startsNeutral = reduceInner && neutral(member.op, b);
      const Index &axis = indices[*group.reduceAxis];
      Indices rest = without(indices, *group.reduceAxis);
      if (reduceInner) {
        accumulated = SmallVector<Value>(carried.slice(next.size(), sources.size()));
      } else {
        for (Value result : member.op->getResults()) {
          Buffer buffer = bufferOf(result);
          accumulated.push_back(readTile(buffer, rest).value);
        }
      }
      Value isFirst;
      if (!startsNeutral) {
        goTo(axis.level);
        isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, indexValue(axis), i64(0));
      }
      goTo(depth);
      SmallVector<Value> combined = combine(member.op, accumulated, sources, isFirst);
      if (failed)
        return {};
      if (reduceInner) {
        next.append(combined);
        break;
      }
      for (auto [result, value] : llvm::zip(member.op->getResults(), combined)) {
        Buffer buffer = bufferOf(result);
        writes.push_back([=, this, value = value] { writeTile(buffer, rest, value); });
      }
      break;
    }
    }
    if (failed)
      return {};
  }
  goTo(depth);
  for (auto &write : writes) {
    goTo(depth);
    write();
  }
  return next;
}

static SmallVector<unsigned> rowMajor(size_t rank) {
  SmallVector<unsigned> order(rank);
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

void Emitter::assignTile(Value value, const Buffer &target) {
  Group group;
  group.shape.assign(target.shape.begin(), target.shape.end());
  group.members.push_back({Member::Kind::assign, value.getDefiningOp(), value, {}});
  emitNest(
      group.shape, loopOrder(group), &group, {},
      [&](const Indices &indices, ValueRange) -> SmallVector<Value> {
        Value scalar = element(value, indices).value;
        if (!failed)
          writeTile(target, indices, convertNumber(at(), scalar, elementOf(value), target.element));
        return {};
      },
      nullptr);
}

void Emitter::copyTile(const Buffer &from, const Buffer &to) {
  emitNest(
      from.shape, rowMajor(from.shape.size()), nullptr, {},
      [&](const Indices &indices, ValueRange) -> SmallVector<Value> {
        Value value = readTile(from, indices).value;
        goTo(nest->depth);
        writeTile(to, indices, convertNumber(at(), value, from.element, to.element));
        return {};
      },
      nullptr);
}

// The scanned dim innermost, from either end, each prefix written as it is reached.
void Emitter::emitScan(Operation *op) {
  auto scan = cast<tile::ScanOp>(op);
  ArrayRef<int64_t> shape = shapeOf(scan.getSources()[0]);
  unsigned axis = scan.getAxis();
  SmallVector<unsigned> order = rowMajor(shape.size());
  order.erase(order.begin() + axis);
  order.push_back(axis);
  SmallVector<Value> carried;
  SmallVector<std::optional<Buffer>> results; // a result that nobody reads has no place
  for (Value source : scan.getSources())
    carried.push_back(zero(convertType(elementOf(source))));
  for (Value result : scan.getResults())
    results.push_back(result.use_empty() ? std::nullopt : std::optional(bufferOf(result)));
  emitNest(
      shape, order, nullptr, carried,
      [&](Indices indices, ValueRange accumulated) -> SmallVector<Value> {
        goTo(nest->depth);
        Value isFirst =
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, nest->counter, i64(0));
        if (scan.getReverse()) {
          Value back = arith::SubIOp::create(b, loc, i64(shape[axis] - 1), nest->counter);
          indices[axis] = {back, nest->depth, false};
        }
        SmallVector<Value> sources;
        for (Value source : scan.getSources()) {
          sources.push_back(element(source, indices).value);
          if (failed)
            return {};
        }
        goTo(nest->depth);
        SmallVector<Value> combined = combine(op, accumulated, sources, isFirst);
        if (failed)
          return {};
        for (auto [result, value] : llvm::zip(results, combined))
          if (result)
            writeTile(*result, indices, value);
        return combined;
      },
      nullptr);
}
