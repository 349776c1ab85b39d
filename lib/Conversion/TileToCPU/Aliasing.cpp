#include "Conversion/TileToCPU/Aliasing.h"

#include "Conversion/TileToCPU/ShapeMaps.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

Value cpu::argumentOf(Value pointer) {
  while (Operation *op = pointer.getDefiningOp()) {
    if (!isa<tile::AddPtrOp, tile::PtrCastOp, tile::SplatOp, tile::BroadcastOp, tile::ExpandDimsOp,
             tile::ReshapeOp, tile::TransOp, tile::ConvertLayoutOp>(op))
      return {};
    pointer = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(pointer);
  return isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? pointer : Value();
}

static bool isNoalias(Value argument) {
  auto block = cast<BlockArgument>(argument);
  auto function = cast<func::FuncOp>(block.getOwner()->getParentOp());
  return bool(function.getArgAttr(block.getArgNumber(), tile::noaliasAttr));
}

bool cpu::mayAlias(Value pointer, Value other) {
  Value first = argumentOf(pointer), second = argumentOf(other);
  if (!first || !second || first == second)
    return true;
  return !isNoalias(first) && !isNoalias(second);
}

// Whether a tile of integers has the form c * arange + uniform, c a constant that is not 0. Sums
// that wrap still differ in the bits of their own width.
static bool stepsThroughArange(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<tile::ArangeOp>(op))
    return true;
  auto uniform = [](Value operand) {
    Operation *from = operand.getDefiningOp();
    DenseElementsAttr constant;
    return from && (isa<tile::SplatOp>(from) ||
                    (matchPattern(operand, m_Constant(&constant)) && constant.isSplat()));
  };
  if (isa<arith::AddIOp>(op))
    return (uniform(op->getOperand(0)) && stepsThroughArange(op->getOperand(1))) ||
           (uniform(op->getOperand(1)) && stepsThroughArange(op->getOperand(0)));
  if (isa<arith::SubIOp>(op))
    return uniform(op->getOperand(1)) && stepsThroughArange(op->getOperand(0));
  if (isa<arith::ExtSIOp>(op))
    return stepsThroughArange(op->getOperand(0));
  return false;
}

bool cpu::lanesDiffer(Value pointers) {
  if (!isTensor(pointers) || shapeOf(pointers).size() != 1)
    return false;
  auto add = pointers.getDefiningOp<tile::AddPtrOp>();
  if (!add)
    return false;
  if (add.getPointer().getDefiningOp<tile::SplatOp>())
    return stepsThroughArange(add.getOffset());
  return add.getOffset().getDefiningOp<tile::SplatOp>() && lanesDiffer(add.getPointer());
}
