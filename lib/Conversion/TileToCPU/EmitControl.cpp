// Loops and branches of the source. Scalars that they carry or yield stay values; tiles are in
// memory, and the plan has steps that write them.
#include "Conversion/TileToCPU/Emitter.h"
#include "Conversion/TileToCPU/ShapeMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

// Scalars of a list that tiles are in too.
static SmallVector<Value> scalarsIn(ValueRange values) {
  SmallVector<Value> found;
  for (Value value : values)
    if (!isTensor(value))
      found.push_back(value);
  return found;
}

void Emitter::copyBuffered(ValueRange targets) {
  for (Value target : targets)
    if (plan.buffered.contains(target)) {
      Buffer from = secondBufferOf(target), to = bufferOf(target);
      copyTile(from, to);
    }
}

void Emitter::emitFor(scf::ForOp source) {
  auto emitted = [&](ValueRange values) {
    SmallVector<Value> result;
    for (Value value : scalarsIn(values))
      result.push_back(scalar(value));
    return result;
  };
  auto loop = scf::ForOp::create(b, loc, scalar(source.getLowerBound()),
                                 scalar(source.getUpperBound()), scalar(source.getStep()),
                                 emitted(source.getInitArgs()), nullptr, source.getUnsignedCmp());
  OpBuilder::InsertPoint end = b.saveInsertionPoint();
  Block *body = loop.getBody();
  if (body->empty())
    b.setInsertionPointToEnd(body);
  else
    b.setInsertionPoint(&body->back());
  scalars[source.getInductionVar()] = loop.getInductionVar();
  for (auto [from, to] : llvm::zip(scalarsIn(source.getRegionIterArgs()), loop.getRegionIterArgs()))
    scalars[from] = to;
  emitBlock(*source.getBody());
  if (failed)
    return;
  copyBuffered(source.getRegionIterArgs());
  SmallVector<Value> next = emitted(source.getBody()->getTerminator()->getOperands());
  if (!next.empty())
    scf::YieldOp::create(b, loc, next);
  b.restoreInsertionPoint(end);
  for (auto [from, to] : llvm::zip(scalarsIn(source.getResults()), loop.getResults()))
    scalars[from] = to;
}

void Emitter::emitWhile(scf::WhileOp source) {
  SmallVector<Value> inits;
  SmallVector<Type> beforeTypes, afterTypes;
  for (Value value : scalarsIn(source.getInits())) {
    inits.push_back(scalar(value));
    beforeTypes.push_back(inits.back().getType());
  }
  for (Value value : scalarsIn(source.getResults()))
    afterTypes.push_back(convertType(value.getType()));
  auto loop = scf::WhileOp::create(b, loc, afterTypes, inits);
  OpBuilder::InsertPoint end = b.saveInsertionPoint();

  auto enter = [&](Region &region, ArrayRef<Type> types, ValueRange arguments) {
    Block *block = b.createBlock(&region, {}, types, SmallVector<Location>(types.size(), loc));
    for (auto [from, to] : llvm::zip(scalarsIn(arguments), block->getArguments()))
      scalars[from] = to;
  };
  enter(loop.getBefore(), beforeTypes, source.getBeforeArguments());
  emitBlock(*source.getBeforeBody());
  if (failed)
    return;
  SmallVector<Value> forwarded;
  for (Value value : scalarsIn(source.getConditionOp().getArgs()))
    forwarded.push_back(scalar(value));
  scf::ConditionOp::create(b, loc, scalar(source.getConditionOp().getCondition()), forwarded);

  enter(loop.getAfter(), afterTypes, source.getAfterArguments());
  emitBlock(*source.getAfterBody());
  if (failed)
    return;
  copyBuffered(source.getBeforeArguments());
  SmallVector<Value> next;
  for (Value value : scalarsIn(source.getAfterBody()->getTerminator()->getOperands()))
    next.push_back(scalar(value));
  scf::YieldOp::create(b, loc, next);
  b.restoreInsertionPoint(end);
  for (auto [from, to] : llvm::zip(scalarsIn(source.getResults()), loop.getResults()))
    scalars[from] = to;
}

void Emitter::emitIf(scf::IfOp source) {
  SmallVector<Type> types;
  for (Value value : scalarsIn(source.getResults()))
    types.push_back(convertType(value.getType()));
  bool hasElse = !source.getElseRegion().empty();
  auto branch = scf::IfOp::create(b, loc, types, scalar(source.getCondition()),
                                  /*addThenBlock=*/true, /*addElseBlock=*/hasElse);
  OpBuilder::InsertPoint end = b.saveInsertionPoint();
  for (unsigned side = 0; side < (hasElse ? 2u : 1u); ++side) {
    Block &from = source->getRegion(side).front();
    b.setInsertionPointToEnd(&branch->getRegion(side).front());
    emitBlock(from);
    if (failed)
      return;
    SmallVector<Value> yielded;
    for (Value value : scalarsIn(from.getTerminator()->getOperands()))
      yielded.push_back(scalar(value));
    scf::YieldOp::create(b, loc, yielded);
  }
  b.restoreInsertionPoint(end);
  for (auto [from, to] : llvm::zip(scalarsIn(source.getResults()), branch.getResults()))
    scalars[from] = to;
}
