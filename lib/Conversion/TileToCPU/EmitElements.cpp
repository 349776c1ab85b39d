// Elements on demand.
#include "Conversion/TileToCPU/Emitter.h"
#include "Conversion/TileToCPU/MathFunctions.h"
#include "Conversion/TileToCPU/ShapeMaps.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

void Emitter::goTo(int level) {
  assert(level < int(nest->levels.size()) && "code for a loop that is not open");
  Nest::Level &place = nest->levels[level];
  if (place.next)
    b.setInsertionPoint(place.next);
  else
    b.setInsertionPointToEnd(place.block);
}

int Emitter::levelOf(const Indices &indices) {
  int level = 0;
  for (const Index &index : indices)
    level = std::max(level, index.level);
  return level;
}

Value Emitter::indexValue(const Index &index) {
  if (index.inner) {
    assert(nest->counter && "counter of a loop that is not open");
    return nest->counter;
  }
  assert(index.value && "index that is only analysed");
  return index.value;
}

Index Emitter::linearIndex(const Indices &indices, ArrayRef<int64_t> shape) {
  int level = levelOf(indices);
  bool unknown = llvm::any_of(indices, [](const Index &i) { return !i.inner && !i.value; });
  if (unknown || level >= int(nest->levels.size())) // only analysing
    return {{}, level, false};
  goTo(level);
  Value sum;
  for (auto [index, size] : llvm::zip(indices, shape)) {
    if (sum)
      sum = b.createOrFold<arith::MulIOp>(loc, sum, i64(size));
    Value value = indexValue(index);
    sum = sum ? b.createOrFold<arith::AddIOp>(loc, sum, value) : value;
  }
  return {sum ? sum : i64(0), level, false};
}

Indices Emitter::operandIndices(Value result, const Indices &indices) {
  Indices mapped;
  auto sources = mapToOperand(result);
  if (!sources) {
    mapped = indices;
    if (result.getDefiningOp<tile::JoinOp>())
      mapped.pop_back();
    return mapped;
  }
  Index linear;
  Value operand = result.getDefiningOp()->getOperand(0);
  bool mixes =
      llvm::any_of(*sources, [](DimSource source) { return source.kind == DimSource::mixed; });
  if (mixes)
    linear = linearIndex(indices, shapeOf(result));
  int64_t stride = mixes ? elementCount(shapeOf(operand)) : 0;
  for (auto [i, source] : llvm::enumerate(*sources)) {
    switch (source.kind) {
    case DimSource::dim:
      mapped.push_back(indices[source.number]);
      break;
    case DimSource::constant:
      mapped.push_back({i64(source.number), 0, false});
      break;
    case DimSource::mixed: {
      if (!linear.value) { // only analysing
        mapped.push_back(linear);
        break;
      }
      int64_t size = shapeOf(operand)[i];
      stride /= size;
      goTo(linear.level);
      Value index = b.createOrFold<arith::DivUIOp>(loc, linear.value, i64(stride));
      index = b.createOrFold<arith::RemUIOp>(loc, index, i64(size));
      mapped.push_back({index, linear.level, false});
    }
    }
  }
  return mapped;
}

// A tile that a member of this group keeps is an expression inside the group.
bool Emitter::isComputedHere(Value tile) {
  if (!plan.kept.contains(tile))
    return true;
  return nest->group && llvm::any_of(nest->group->members, [&](const Member &member) {
           return member.kind == Member::Kind::materialise && member.value == tile;
         });
}

Element Emitter::element(Value tile, const Indices &indices) {
  if (!isTensor(tile))
    return {scalar(tile), 0};
  ElementKey key(tile.getAsOpaquePointer(), indices);
  // At the innermost level, so that nothing computed from it leaves the loop, which may not run.
  if (nest->counter && levelOf(indices) == nest->depth && nest->knownTrue.count(key)) {
    goTo(nest->depth);
    return {arith::ConstantOp::create(b, loc, b.getBoolAttr(true)), nest->depth};
  }
  for (auto *known : {&nest->outer, &nest->inner})
    if (auto found = known->find(key); found != known->end())
      return found->second;
  Element result =
      isComputedHere(tile) ? computeElement(tile, indices) : readTile(bufferOf(tile), indices);
  if (failed)
    return result;
  bool isInner = nest->counter && result.level == nest->depth;
  (isInner ? nest->inner : nest->outer)[key] = result;
  return result;
}

Element Emitter::computeElement(Value tile, const Indices &indices) {
  Operation *op = tile.getDefiningOp();
  if (isa<tile::LoadOp>(op))
    return loadElement(op, indices);
  if (isa<arith::ConstantOp>(op))
    return constantElement(op, indices);
  if (auto arange = dyn_cast<tile::ArangeOp>(op)) {
    int level = indices[0].level;
    goTo(level);
    Value index = indexValue(indices[0]);
    Value narrow = b.createOrFold<arith::TruncIOp>(loc, b.getI32Type(), index);
    if (int64_t start = int32_t(arange.getStart())) {
      Value offset = arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(start)));
      narrow = b.createOrFold<arith::AddIOp>(loc, narrow, offset);
    }
    return {narrow, level};
  }
  if (isa<tile::ReshapeOp>(op))
    return reshapedElement(op, indices);
  if (mapToOperand(tile))
    return element(op->getOperand(0), operandIndices(tile, indices));
  if (auto join = dyn_cast<tile::JoinOp>(op)) {
    Indices inner = operandIndices(tile, indices);
    Element lhs = element(join.getLhs(), inner), rhs = element(join.getRhs(), inner);
    if (failed)
      return {};
    int level = std::max({lhs.level, rhs.level, indices.back().level});
    goTo(level);
    Value isFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, indexValue(indices.back()), i64(0));
    return {select(at(), isFirst, lhs.value, rhs.value), level};
  }
  SmallVector<Value> operands;
  int level = 0;
  for (Value operand : op->getOperands()) {
    Element each = element(operand, indices);
    if (failed)
      return {};
    operands.push_back(each.value);
    level = std::max(level, each.level);
  }
  goTo(level);
  return {scalarResult(tile, operands), level};
}

// Where dims merge or split, a tile in memory still has its elements in the same order.
Element Emitter::reshapedElement(Operation *op, const Indices &indices) {
  Value result = op->getResult(0), source = op->getOperand(0);
  auto sources = mapToOperand(result);
  bool mixes = llvm::any_of(*sources, [](DimSource dim) { return dim.kind == DimSource::mixed; });
  if (!mixes || isComputedHere(source))
    return element(source, operandIndices(result, indices));
  Buffer buffer = bufferOf(source);
  buffer.shape = SmallVector<int64_t>(shapeOf(result));
  return readTile(buffer, indices);
}

Element Emitter::constantElement(Operation *op, const Indices &indices) {
  auto values = cast<DenseElementsAttr>(cast<arith::ConstantOp>(op).getValue());
  Type element = values.getElementType();
  if (values.isSplat()) {
    goTo(0);
    return {constantScalar(at(), values.getSplatValue<Attribute>(), convertType(element)), 0};
  }
  if (element.isInteger(1))
    return {fail(op, "constant tile of i1 that is not uniform; not supported on CPUs"), 0};
  goTo(0);
  Value table = constantTable(at(), element, values);
  Buffer buffer{table, element, SmallVector<int64_t>(values.getType().getShape())};
  return readTile(buffer, indices);
}

Value Emitter::scalarResult(Value result, ValueRange operands) {
  Operation *op = result.getDefiningOp();
  unsigned number = cast<OpResult>(result).getResultNumber();
  Type type = convertType(getElementTypeOrSelf(result.getType()));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return constantScalar(at(), constant.getValue(), type);
  if (isa<tile::AddPtrOp>(op)) {
    Type pointee =
        cast<tile::PtrType>(getElementTypeOrSelf(op->getOperand(0).getType())).getPointee();
    Value offset = operands[1];
    unsigned width = offset.getType().getIntOrFloatBitWidth();
    if (width < 64)
      offset = b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), offset);
    else if (width > 64)
      offset = b.createOrFold<arith::TruncIOp>(loc, b.getI64Type(), offset);
    Type stored = convertType(pointee);
    return elementAddress(at(), operands[0], stored.isInteger(1) ? b.getI8Type() : stored, offset);
  }
  if (isa<tile::PtrToIntOp>(op))
    return pointerToInteger(at(), operands[0]);
  if (isa<tile::IntToPtrOp>(op))
    return integerToPointer(at(), operands[0]);
  if (isa<tile::PtrCastOp, tile::SplatOp>(op))
    return operands[0];
  if (isa<arith::SelectOp>(op))
    return select(at(), operands[0], operands[1], operands[2]);
  std::string unsupported;
  SmallVector<Value> results = scalarFunction(at(), op, operands, unsupported);
  if (results.empty())
    return fail(op, unsupported);
  return results[number];
}

SmallVector<Value> Emitter::inlineRegion(Region &region, ValueRange arguments) {
  Block &block = region.front();
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    scalars[argument] = value;
  for (Operation &op : block.without_terminator()) {
    if (op.getNumRegions() || !isPure(&op)) {
      fail(&op, "'" + op.getName().getStringRef() +
                    "' in a combining function is not supported on CPUs");
      return {};
    }
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(scalar(operand));
    for (Value result : op.getResults()) {
      scalars[result] = scalarResult(result, operands);
      if (failed)
        return {};
    }
  }
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(scalar(value));
  return results;
}
