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

static bool isUniform(Value value, APInt *number = nullptr) {
  DenseElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat()) {
    if (number)
      *number = constant.getSplatValue<APInt>();
    return true;
  }
  return !number && value.getDefiningOp<tile::SplatOp>();
}

// The constant c where a tile of integers has the form c * arange + uniform; 0 for other forms.
static int64_t arangeFactor(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return 0;
  if (isa<tile::ArangeOp>(op))
    return 1;
  APInt number;
  if (isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op)) {
    Value tile = op->getOperand(0), other = op->getOperand(1);
    if (!isa<arith::SubIOp>(op) && isUniform(tile))
      std::swap(tile, other);
    if (!isa<arith::MulIOp>(op))
      return isUniform(other) ? arangeFactor(tile) : 0;
    return isUniform(other, &number) && number.isSignedIntN(31)
               ? arangeFactor(tile) * number.getSExtValue()
               : 0;
  }
  if (isa<arith::ExtSIOp>(op))
    return arangeFactor(op->getOperand(0));
  return 0;
}

static int64_t addressFactor(Value pointers) {
  auto add = pointers.getDefiningOp<tile::AddPtrOp>();
  if (!add || !isTensor(pointers) || shapeOf(pointers).size() != 1)
    return 0;
  if (isUniform(add.getPointer()))
    return arangeFactor(add.getOffset());
  return isUniform(add.getOffset()) ? addressFactor(add.getPointer()) : 0;
}

bool cpu::lanesDiffer(Value pointers) { return addressFactor(pointers) != 0; }

// Whether the second tile of addresses is the first moved by a constant that leads past its end.
static bool isBeside(Value first, Value second) {
  auto strip = [](Value pointers, int64_t &moved) {
    APInt number;
    while (auto add = pointers.getDefiningOp<tile::AddPtrOp>()) {
      if (!isUniform(add.getOffset(), &number) || !number.isSignedIntN(62))
        break;
      moved += number.getSExtValue();
      pointers = add.getPointer();
    }
    return pointers;
  };
  if (first.getType() != second.getType())
    return false;
  int64_t firstMoved = 0, secondMoved = 0;
  Value base = strip(first, firstMoved);
  if (base != strip(second, secondMoved))
    return false;
  int64_t factor = std::abs(addressFactor(base));
  return factor && std::abs(firstMoved - secondMoved) > factor * (shapeOf(base)[0] - 1);
}

bool cpu::mayAlias(Value pointer, Value other) {
  if (isBeside(pointer, other))
    return false;
  Value first = argumentOf(pointer), second = argumentOf(other);
  if (!first || !second || first == second)
    return true;
  return !isNoalias(first) && !isNoalias(second);
}
