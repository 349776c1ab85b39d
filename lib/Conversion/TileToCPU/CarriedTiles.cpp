#include "Conversion/TileToCPU/CarriedTiles.h"

#include "Conversion/TileToCPU/ShapeMaps.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

// The scalar that is in all lanes; null if they may differ.
static Value uniformScalar(Value tile, OpBuilder &b) {
  Operation *op = tile.getDefiningOp();
  if (!op)
    return {};
  DenseElementsAttr constant;
  if (matchPattern(tile, m_Constant(&constant)) && constant.isSplat())
    return arith::ConstantOp::create(b, op->getLoc(),
                                     cast<TypedAttr>(constant.getSplatValue<Attribute>()));
  if (auto splat = dyn_cast<tile::SplatOp>(op))
    return splat.getSource();
  if (isa<tile::BroadcastOp, tile::ExpandDimsOp, tile::ReshapeOp, tile::TransOp>(op))
    return uniformScalar(op->getOperand(0), b);
  if (!isa<arith::MulIOp, arith::AddIOp, arith::SubIOp, arith::ExtSIOp>(op))
    return {};
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(uniformScalar(operand, b));
    if (!operands.back())
      return {};
  }
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(getElementTypeOrSelf(op->getResult(0).getType()));
  return b.create(state)->getResult(0);
}

// What is added to `carried` to make `next`, summed up in `type`; null if it is anything else.
static Value distanceMoved(Value next, Value carried, Type type, OpBuilder &b) {
  if (next == carried)
    return arith::ConstantOp::create(b, next.getLoc(), b.getIntegerAttr(type, 0));
  Operation *op = next.getDefiningOp();
  if (!op || !isa<tile::AddPtrOp, arith::AddIOp, arith::SubIOp>(op))
    return {};
  Value base = op->getOperand(0), step = op->getOperand(1);
  if (isa<arith::AddIOp>(op) && step == carried)
    std::swap(base, step);
  Value before = distanceMoved(base, carried, type, b);
  if (!before)
    return {};
  Value uniform = uniformScalar(step, b);
  if (!uniform)
    return {};
  if (uniform.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    uniform = arith::ExtSIOp::create(b, op->getLoc(), type, uniform);
  if (isa<arith::SubIOp>(op))
    return arith::SubIOp::create(b, op->getLoc(), before, uniform);
  return arith::AddIOp::create(b, op->getLoc(), before, uniform);
}

static Value moved(OpBuilder &b, Location loc, Value tile, Value distance) {
  auto type = cast<RankedTensorType>(tile.getType());
  Value everywhere = tile::SplatOp::create(b, loc, type.clone(distance.getType()), distance);
  if (isa<tile::PtrType>(type.getElementType()))
    return tile::AddPtrOp::create(b, loc, type, tile, everywhere);
  return arith::AddIOp::create(b, loc, tile, everywhere);
}

static void scalarize(scf::ForOp loop) {
  Operation *yield = loop.getBody()->getTerminator();
  OpBuilder b(loop);
  SmallVector<Value> inits(loop.getInitArgs()), distances(inits.size());
  bool any = false;
  for (auto [i, init] : llvm::enumerate(loop.getInitArgs())) {
    if (!isTensor(init))
      continue;
    Type element = getElementTypeOrSelf(init.getType());
    if (!isa<tile::PtrType, IntegerType>(element))
      continue;
    Type type = isa<IntegerType>(element) ? element : b.getI64Type();
    b.setInsertionPoint(yield);
    distances[i] = distanceMoved(yield->getOperand(i), loop.getRegionIterArg(i), type, b);
    if (!distances[i])
      continue;
    any = true;
    b.setInsertionPoint(loop);
    inits[i] = arith::ConstantOp::create(b, loop.getLoc(), b.getIntegerAttr(type, 0));
  }
  if (!any)
    return;

  b.setInsertionPoint(loop);
  auto scalar = scf::ForOp::create(b, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                                   loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
  scalar->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  scalar.getBody()->getOperations().splice(scalar.getBody()->end(),
                                           loop.getBody()->getOperations());
  loop.getInductionVar().replaceAllUsesWith(scalar.getInductionVar());
  b.setInsertionPointToStart(scalar.getBody());
  SmallVector<Value> carried;
  for (auto [i, argument] : llvm::enumerate(scalar.getRegionIterArgs()))
    carried.push_back(distances[i] ? moved(b, loop.getLoc(), loop.getInitArgs()[i], argument)
                                   : Value(argument));
  b.setInsertionPoint(yield);
  for (auto [i, distance] : llvm::enumerate(distances))
    if (distance)
      yield->setOperand(
          i, arith::AddIOp::create(b, loop.getLoc(), scalar.getRegionIterArg(i), distance));
  for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), carried))
    argument.replaceAllUsesWith(value);
  b.setInsertionPointAfter(scalar);
  for (auto [i, result] : llvm::enumerate(loop.getResults()))
    result.replaceAllUsesWith(
        distances[i] ? moved(b, loop.getLoc(), loop.getInitArgs()[i], scalar.getResult(i))
                     : scalar.getResult(i));
  loop.erase();
}

void cpu::scalarizeCarriedTiles(Operation *kernel) {
  SmallVector<scf::ForOp> loops; // inner before outer
  kernel->walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops)
    scalarize(loop);
}
