// Loads and stores.
#include "Conversion/TileToCPU/Emitter.h"
#include "Conversion/TileToCPU/ShapeMaps.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

Value Emitter::zero(Type type) {
  if (isPointer(type))
    return nullPointer(at());
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

bool Emitter::isTrue(Value condition) { return !condition || matchPattern(condition, m_One()); }

Value Emitter::conditional(Value condition, Type type, llvm::function_ref<Value()> yes, Value no) {
  if (isTrue(condition))
    return yes();
  OpBuilder::InsertionGuard guard(b);
  auto branch = scf::IfOp::create(b, loc, type, condition, /*addThenBlock=*/true,
                                  /*addElseBlock=*/true);
  b.setInsertionPointToEnd(&branch.getThenRegion().front());
  scf::YieldOp::create(b, loc, yes());
  b.setInsertionPointToEnd(&branch.getElseRegion().front());
  scf::YieldOp::create(b, loc, no);
  return branch.getResult(0);
}

void Emitter::onlyIf(Value condition, llvm::function_ref<void()> body) {
  if (isTrue(condition))
    return body();
  OpBuilder::InsertionGuard guard(b);
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  body();
}

// Elements of global memory and of scratch memory are aligned to their own size.
Value Emitter::loadValue(Type element, Value address) {
  Type type = convertType(element);
  if (!type.isInteger(1))
    return loadFrom(at(), type, address, storedBytes(type));
  Value byte = loadFrom(at(), b.getI8Type(), address, 1);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, byte, zero(byte.getType()));
}

void Emitter::storeValue(Type element, Value value, Value address) {
  if (element.isInteger(1))
    value = arith::ExtUIOp::create(b, loc, b.getI8Type(), value);
  storeTo(at(), value, address, storedBytes(value.getType()));
}

static Type pointeeOf(Value pointer) {
  return cast<tile::PtrType>(getElementTypeOrSelf(pointer.getType())).getPointee();
}

// A line over the innermost counter becomes base + counter * step, which vectorisers understand.
Element Emitter::addressAt(Value pointers, const Indices &indices) {
  int depth = nest->depth;
  if (!isTensor(pointers) || levelOf(indices) < depth || depth == 0)
    return element(pointers, indices);
  Slope line = slope(pointers, indices, /*emitting=*/true);
  if (failed || !line.known || line.isZero())
    return element(pointers, indices);
  Element base = element(pointers, atCounterZero(indices));
  if (failed)
    return {};
  goTo(depth - 1);
  Value step = i64(line.constant);
  if (line.factor)
    step = b.createOrFold<arith::MulIOp>(loc, line.factor, step);
  goTo(depth);
  Value distance = nest->counter;
  if (!line.isConstant() || line.constant != 1)
    distance = arith::MulIOp::create(b, loc, distance, step);
  Type stored = convertType(pointeeOf(pointers));
  if (stored.isInteger(1))
    stored = b.getI8Type();
  return {elementAddress(at(), base.value, stored, distance), depth};
}

Element Emitter::loadElement(Operation *op, const Indices &indices) {
  auto load = cast<tile::LoadOp>(op);
  Element address = addressAt(load.getPointer(), indices);
  int level = address.level;
  Element mask, other;
  if (load.getMask() && !failed) {
    mask = element(load.getMask(), indices);
    level = std::max(level, mask.level);
  }
  if (load.getOther() && !failed) {
    other = element(load.getOther(), indices);
    level = std::max(level, other.level);
  }
  if (failed)
    return {};
  goTo(level);
  Type element = getElementTypeOrSelf(load.getResult().getType());
  if (isTrue(mask.value))
    return {loadValue(element, address.value), level};
  // Lanes that the source leaves undefined are 0.
  Value otherwise = other.value ? other.value : zero(convertType(element));
  return {conditional(
              mask.value, convertType(element), [&] { return loadValue(element, address.value); },
              otherwise),
          level};
}

Element Emitter::readTile(const Buffer &buffer, const Indices &indices) {
  Index linear = linearIndex(indices, buffer.shape);
  assert(linear.value && "index that is only analysed");
  goTo(linear.level);
  Type stored = convertType(buffer.element);
  Value address = elementAddress(at(), buffer.address, stored.isInteger(1) ? b.getI8Type() : stored,
                                 linear.value);
  return {loadValue(buffer.element, address), linear.level};
}

void Emitter::writeTile(const Buffer &buffer, const Indices &indices, Value value) {
  Index linear = linearIndex(indices, buffer.shape);
  goTo(nest->counter ? nest->depth : std::max(0, nest->depth - 1));
  Type stored = convertType(buffer.element);
  Value address = elementAddress(at(), buffer.address, stored.isInteger(1) ? b.getI8Type() : stored,
                                 linear.value);
  storeValue(buffer.element, value, address);
}

void Emitter::emitScalarAccess(Operation *op) {
  if (auto load = dyn_cast<tile::LoadOp>(op)) {
    Type element = load.getResult().getType();
    Value address = scalar(load.getPointer());
    Value mask = load.getMask() ? scalar(load.getMask()) : Value();
    if (isTrue(mask)) {
      scalars[load.getResult()] = loadValue(element, address);
      return;
    }
    Value other = load.getOther() ? scalar(load.getOther()) : zero(convertType(element));
    scalars[load.getResult()] = conditional(
        mask, convertType(element), [&] { return loadValue(element, address); }, other);
    return;
  }
  auto store = cast<tile::StoreOp>(op);
  Value value = scalar(store.getValue()), address = scalar(store.getPointer());
  onlyIf(store.getMask() ? scalar(store.getMask()) : Value(),
         [&] { storeValue(store.getValue().getType(), value, address); });
}
