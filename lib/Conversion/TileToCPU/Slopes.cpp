// Tiles of integers and addresses as straight lines over the innermost counter.
//
// Offsets that feed addresses never wrap (a rule of the kernel language), so the slope of a sum is
// the sum of the slopes, through extensions too. Where the numbers decide something else, a
// comparison, `noWrap` collects conditions under which that holds.
#include "Conversion/TileToCPU/Emitter.h"
#include "Conversion/TileToCPU/ShapeMaps.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

static Slope flat() { return {true, 0, {}}; }

Indices Emitter::atCounterZero(const Indices &indices) {
  Indices zero = indices;
  for (Index &index : zero)
    if (index.inner)
      index = {i64(0), 0, false};
  return zero;
}

Slope Emitter::addSlopes(Slope x, Slope y, int64_t sign, bool emitting) {
  if (!x.known || !y.known)
    return {};
  y.constant *= sign;
  if (y.isZero())
    return x;
  if (x.isZero())
    return y;
  if (x.isConstant() && y.isConstant())
    return {true, x.constant + y.constant, {}};
  if (!emitting)
    return {true, 1, x.factor ? x.factor : y.factor};
  goTo(nest->depth - 1);
  auto value = [&](const Slope &slope) {
    Value constant = i64(slope.constant);
    return slope.factor ? b.createOrFold<arith::MulIOp>(loc, slope.factor, constant) : constant;
  };
  return {true, 1, b.createOrFold<arith::AddIOp>(loc, value(x), value(y))};
}

Slope Emitter::slope(Value tile, const Indices &indices, bool emitting,
                     SmallVectorImpl<Value> *noWrap) {
  if (!isTensor(tile) || levelOf(indices) < nest->depth)
    return flat();
  if (!isComputedHere(tile))
    return {};
  Operation *op = tile.getDefiningOp();
  if (isa<tile::ArangeOp>(op))
    return indices[0].inner ? Slope{true, 1, {}} : Slope{};
  DenseElementsAttr constant;
  if (isa<tile::SplatOp>(op) || (matchPattern(tile, m_Constant(&constant)) && constant.isSplat()))
    return flat();
  auto operand = [&](unsigned i) {
    return slope(op->getOperand(i), operandIndices(tile, indices), emitting, noWrap);
  };
  if (mapToOperand(tile))
    return operand(0);
  if (isa<arith::AddIOp, tile::AddPtrOp>(op))
    return addSlopes(operand(0), operand(1), 1, emitting);
  if (isa<arith::SubIOp>(op))
    return addSlopes(operand(0), operand(1), -1, emitting);
  if (isa<arith::ExtSIOp>(op)) {
    Slope source = operand(0);
    if (noWrap && source.known && !source.isZero())
      addNoWrap(op->getOperand(0), indices, source, *noWrap);
    return source;
  }
  if (isa<arith::MulIOp>(op)) {
    Slope x = operand(0), y = operand(1);
    if (!x.known || !y.known || (x.isZero() && y.isZero()))
      return x.known && y.known ? flat() : Slope{};
    if (!x.isZero() && !y.isZero())
      return {};
    Slope steep = x.isZero() ? y : x;
    Value other = op->getOperand(x.isZero() ? 0 : 1);
    if (matchPattern(other, m_Constant(&constant)) && constant.isSplat()) {
      steep.constant *= constant.getSplatValue<APInt>().getSExtValue();
      return steep;
    }
    if (!emitting)
      return {true, steep.constant, other};
    Element factor = element(other, atCounterZero(indices));
    if (failed)
      return {};
    goTo(nest->depth - 1);
    Value wide = factor.value;
    if (wide.getType().getIntOrFloatBitWidth() < 64)
      wide = b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), wide);
    if (steep.factor)
      wide = b.createOrFold<arith::MulIOp>(loc, wide, steep.factor);
    return {true, steep.constant, wide};
  }
  // Anything else is flat if all that it is made of is.
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    if (!operand(i).isZero())
      return {};
  return op->getNumOperands() ? flat() : Slope{};
}

// For constant slopes only: first and last number of the line, without overflow, in i64. Numbers of
// 64 bits are checked by the distance to their ends.
void Emitter::addNoWrap(Value tile, const Indices &indices, Slope slope,
                        SmallVectorImpl<Value> &conditions) {
  Value first = element(tile, atCounterZero(indices)).value;
  if (failed)
    return;
  goTo(nest->depth - 1);
  auto type = cast<IntegerType>(first.getType());
  auto falseCondition = [&]() -> Value {
    return arith::ConstantOp::create(b, loc, b.getBoolAttr(false));
  };
  APInt least = APInt::getSignedMinValue(type.getWidth()),
        most = APInt::getSignedMaxValue(type.getWidth());
  int64_t distance;
  if (!slope.isConstant() || llvm::MulOverflow(slope.constant, nest->count - 1, distance) ||
      !APInt(64, distance, true).isSignedIntN(type.getWidth()) || distance == INT64_MIN) {
    conditions.push_back(falseCondition());
    return;
  }
  APInt step(type.getWidth(), distance, true);
  bool up = distance >= 0;
  Value bound =
      arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, up ? most - step : least - step));
  conditions.push_back(arith::CmpIOp::create(
      b, loc, up ? arith::CmpIPredicate::sle : arith::CmpIPredicate::sge, first, bound));
}
