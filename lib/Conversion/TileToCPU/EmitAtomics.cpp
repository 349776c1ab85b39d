// Atomics, one element at a time in row-major order.
#include "Conversion/TileToCPU/Emitter.h"
#include "Conversion/TileToCPU/ShapeMaps.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

static Ordering orderOf(tile::MemoryOrder order) {
  switch (order) {
  case tile::MemoryOrder::relaxed:
    return Ordering::relaxed;
  case tile::MemoryOrder::acquire:
    return Ordering::acquire;
  case tile::MemoryOrder::release:
    return Ordering::release;
  case tile::MemoryOrder::acq_rel:
    return Ordering::acquireRelease;
  }
  llvm_unreachable("memory order");
}

// f16 and bf16 have no atomic addition: the sum is exchanged for the bits that it was made from,
// until nobody came between.
Value Emitter::addByExchange(Operation *op, Value address, Value operand) {
  Type type = operand.getType(), bits = b.getI16Type();
  Ordering order = orderOf(cast<tile::AtomicRMWOp>(op).getOrder());
  Value none = zero(bits);
  Value old = atomicUpdate(at(), Atomic::ori, Ordering::relaxed, address, none); // an atomic load
  auto loop = scf::WhileOp::create(b, loc, TypeRange(bits), ValueRange(old));
  OpBuilder::InsertionGuard guard(b);
  Block *before = b.createBlock(&loop.getBefore(), {}, bits, loc);
  Value expected = before->getArgument(0);
  Value sum =
      arith::AddFOp::create(b, loc, arith::BitcastOp::create(b, loc, type, expected), operand);
  Value wanted = arith::BitcastOp::create(b, loc, bits, sum);
  auto [seen, replaced] = compareExchange(at(), order, address, expected, wanted);
  Value yes = arith::ConstantOp::create(b, loc, b.getBoolAttr(true));
  Value again = arith::XOrIOp::create(b, loc, replaced, yes);
  scf::ConditionOp::create(b, loc, again, ValueRange(seen));
  Block *after = b.createBlock(&loop.getAfter(), {}, bits, loc);
  scf::YieldOp::create(b, loc, ValueRange(after->getArgument(0)));
  b.setInsertionPointAfter(loop);
  return arith::BitcastOp::create(b, loc, type, loop.getResult(0));
}

Value Emitter::atomicElement(Operation *op, Value address, ValueRange operands) {
  Type type = operands[0].getType();
  auto asBits = [&](Value value) -> Value {
    if (!isa<FloatType>(value.getType()))
      return value;
    Type bits = b.getIntegerType(value.getType().getIntOrFloatBitWidth());
    return arith::BitcastOp::create(b, loc, bits, value);
  };
  auto fromBits = [&](Value value) -> Value {
    return isa<FloatType>(type) ? arith::BitcastOp::create(b, loc, type, value).getResult() : value;
  };
  if (auto cas = dyn_cast<tile::AtomicCASOp>(op)) {
    auto [old, replaced] = compareExchange(at(), orderOf(cas.getOrder()), address,
                                           asBits(operands[0]), asBits(operands[1]));
    return fromBits(old);
  }
  auto rmw = cast<tile::AtomicRMWOp>(op);
  using K = tile::AtomicOperation;
  Atomic kind = Atomic::add;
  switch (rmw.getKind()) {
  case K::exchange:
    return fromBits(atomicUpdate(at(), Atomic::exchange, orderOf(rmw.getOrder()), address,
                                 asBits(operands[0])));
  case K::fadd:
    if (type.getIntOrFloatBitWidth() == 16)
      return addByExchange(op, address, operands[0]);
    kind = Atomic::fadd;
    break;
  case K::add:
    break;
  case K::smax:
    kind = Atomic::smax;
    break;
  case K::smin:
    kind = Atomic::smin;
    break;
  case K::umax:
    kind = Atomic::umax;
    break;
  case K::umin:
    kind = Atomic::umin;
    break;
  case K::andi:
    kind = Atomic::andi;
    break;
  case K::ori:
    kind = Atomic::ori;
    break;
  case K::xori:
    kind = Atomic::xori;
    break;
  }
  if (isa<FloatType>(type) && kind != Atomic::fadd)
    return fail(op, "this atomic on floats is not supported on CPUs; only xchg and fadd are");
  return atomicUpdate(at(), kind, orderOf(rmw.getOrder()), address, operands[0]);
}

void Emitter::emitAtomic(Operation *op) {
  Value result = op->getResult(0), mask;
  if (auto rmw = dyn_cast<tile::AtomicRMWOp>(op))
    mask = rmw.getMask();
  SmallVector<Value> values = {op->getOperand(1)};
  if (isa<tile::AtomicCASOp>(op))
    values.push_back(op->getOperand(2));
  auto guarded = [&](Value condition, Value address, ValueRange operands) {
    Type type = operands[0].getType();
    return conditional(
        condition, type, [&] { return atomicElement(op, address, operands); }, zero(type));
  };
  if (!isTensor(result)) {
    SmallVector<Value> operands;
    for (Value value : values)
      operands.push_back(scalar(value));
    scalars[result] = guarded(mask ? scalar(mask) : Value(), scalar(op->getOperand(0)), operands);
    return;
  }
  ArrayRef<int64_t> shape = shapeOf(result);
  SmallVector<unsigned> order(shape.size());
  std::iota(order.begin(), order.end(), 0u);
  std::optional<Buffer> old;
  if (!result.use_empty())
    old = bufferOf(result);
  emitNest(
      shape, order, nullptr, {},
      [&](const Indices &indices, ValueRange) -> SmallVector<Value> {
        Value address = addressAt(op->getOperand(0), indices).value;
        SmallVector<Value> operands;
        Value condition;
        for (Value value : values)
          if (!failed)
            operands.push_back(element(value, indices).value);
        if (mask && !failed)
          condition = element(mask, indices).value;
        if (failed)
          return {};
        goTo(nest->depth);
        Value seen = guarded(condition, address, operands);
        if (old && !failed)
          writeTile(*old, indices, seen);
        return {};
      },
      nullptr);
}
