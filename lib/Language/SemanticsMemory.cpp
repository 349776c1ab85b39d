// Loads, stores and atomics, by pointers and by block pointers; dot.
#include "Language/Semantics.h"

#include "llvm/ADT/StringSwitch.h"

namespace teeny::lang {

// A bool occupies a byte in memory.
static Tensor asBytes(Semantics &semantics, Tensor pointer) {
  if (pointer.type.element.pointee().isBool())
    return semantics.cast(pointer, ElementType(ScalarType::int8).pointer());
  return pointer;
}

static bool isPointer(const Tensor &value) { return value.type.element.isPointer(); }

Tensor Semantics::load(Tensor pointer, Tensor mask, Tensor other) {
  if (!isPointer(pointer))
    return fail("tl.load reads from pointers, found " + pointer.type.name());
  if (other && !mask)
    return fail("tl.load has 'other' but no 'mask'", "without a mask every element is read");
  if (mask && !mask.type.element.isBool())
    return fail("the mask of tl.load must be int1, found " + mask.type.name(),
                "compare, or convert with .to(tl.int1)");
  if (!pointer.type.isTile()) {
    if (mask && mask.type.isTile())
      return fail("tl.load of one pointer has a mask of type " + mask.type.name());
    if (other && other.type.isTile())
      return fail("tl.load of one pointer has 'other' of type " + other.type.name());
  }
  if (mask && !broadcastPair(pointer, mask, "the pointer and mask of tl.load"))
    return {};
  if (other && !broadcastPair(pointer, other, "the pointer and 'other' of tl.load"))
    return {};
  if (mask && !broadcastPair(pointer, mask, "the pointer and mask of tl.load"))
    return {};
  bool isBool = pointer.type.element.pointee().isBool();
  pointer = asBytes(*this, pointer);
  ElementType element = pointer.type.element.pointee();
  if (other && !(other = cast(other, element)))
    return {};
  Tensor result{emit.load(pointer.value, mask.value, other.value),
                pointer.type.withElement(element)};
  return isBool ? cast(result, ScalarType::int1) : result;
}

bool Semantics::store(Tensor pointer, Tensor value, Tensor mask) {
  if (!isPointer(pointer))
    return bool(fail("tl.store writes to pointers, found " + pointer.type.name()));
  if (pointer.type.element.readOnly)
    return bool(fail("tl.store through a pointer to constant data"));
  if (mask && !mask.type.element.isBool())
    return bool(fail("the mask of tl.store must be int1, found " + mask.type.name(),
                     "compare, or convert with .to(tl.int1)"));
  if (!pointer.type.isTile()) {
    if (value.type.isTile())
      return bool(fail("tl.store of " + value.type.name() + " through one pointer",
                       "add tl.arange(...) to the pointer for a tile of pointers"));
    if (mask && mask.type.isTile())
      return bool(fail("tl.store through one pointer has a mask of type " + mask.type.name()));
  } else {
    Tensor all[] = {pointer, value, mask};
    if (!broadcastAll(llvm::MutableArrayRef(all).take_front(mask ? 3 : 2),
                      "the pointer, value and mask of tl.store"))
      return false;
    if (all[0].type.shape != pointer.type.shape)
      return bool(fail("tl.store of shape " + shapeText(all[0].type.shape) +
                       " through pointers of shape " + shapeText(pointer.type.shape)));
    value = all[1];
    mask = all[2];
  }
  pointer = asBytes(*this, pointer);
  if (!(value = cast(value, pointer.type.element.pointee())))
    return false;
  emit.store(pointer.value, value.value, mask.value);
  return true;
}

//===-- Block pointers ------------------------------------------------------------------------===//

// The tile of pointers that a block pointer stands for, and the mask of those inside along the
// `boundary` dims.
Tensor Semantics::addressOf(const BlockPointer &pointer, llvm::ArrayRef<int64_t> boundary,
                            Tensor &mask) {
  Tensor address = splat(pointer.base, pointer.block);
  Type offsetType = Type(ScalarType::int64);
  for (unsigned dim = 0; dim != pointer.block.size(); ++dim) {
    // Coordinates along the dim as a tile with extent 1 everywhere else.
    int64_t extent = pointer.block[dim];
    Tensor index{emit.arange(0, extent), Type(ScalarType::int32).withShape({extent})};
    index = cast(index, ScalarType::int64);
    Tensor start = splat(pointer.offsets[dim], {extent});
    Tensor along{emit.arith(Arith::addi, start.value, index.value), index.type};
    auto spread = [&](Tensor tile) {
      for (unsigned other = 0; other != pointer.block.size(); ++other)
        if (other != dim)
          tile = expandDims(tile, other);
      return broadcastTo(tile, pointer.block);
    };
    if (llvm::is_contained(boundary, int64_t(dim))) {
      Type boolType = along.type.withElement(ScalarType::int1);
      Tensor zero = splat({emit.constant(ScalarType::int64, Integer(0)), offsetType}, {extent});
      Tensor end = splat(pointer.shape[dim], {extent});
      mlir::Value fromStart = emit.compareInt(Compare::ge, true, along.value, zero.value);
      mlir::Value toEnd = emit.compareInt(Compare::lt, true, along.value, end.value);
      mlir::Value inside = emit.arith(Arith::andi, fromStart, toEnd);
      Tensor wide = spread({inside, boolType});
      mask = mask ? Tensor{emit.arith(Arith::andi, mask.value, wide.value), wide.type} : wide;
    }
    Tensor stride = splat(pointer.strides[dim], {extent});
    Tensor offset = spread({emit.arith(Arith::muli, along.value, stride.value), along.type});
    address.value = emit.addPointer(address.value, offset.value);
  }
  return address;
}

Tensor Semantics::loadBlock(const BlockPointer &pointer, llvm::ArrayRef<int64_t> boundary,
                            Tensor padding) {
  Tensor mask;
  Tensor address = addressOf(pointer, boundary, mask);
  return load(address, mask, mask ? padding : Tensor());
}

bool Semantics::storeBlock(const BlockPointer &pointer, Tensor value,
                           llvm::ArrayRef<int64_t> boundary) {
  if (!value.type.isTile())
    value = splat(value, pointer.block);
  if (llvm::ArrayRef<int64_t>(value.type.shape) != llvm::ArrayRef<int64_t>(pointer.block))
    return bool(fail("tl.store of shape " + shapeText(value.type.shape) +
                     " through a block pointer of shape " + shapeText(pointer.block)));
  Tensor mask;
  Tensor address = addressOf(pointer, boundary, mask);
  return store(address, value, mask);
}

//===-- Atomics -------------------------------------------------------------------------------===//

Tensor Semantics::atomic(llvm::StringRef name, Tensor pointer, const Value &operand, Tensor mask,
                         MemoryOrder order, MemoryScope scope) {
  std::string what = "tl.atomic_" + name.str();
  if (!isPointer(pointer))
    return fail(what + " works on pointers, found " + pointer.type.name());
  if (pointer.type.element.readOnly)
    return fail(what + " through a pointer to constant data");
  ElementType element = pointer.type.element.pointee();
  bool half = element.is(ScalarType::fp16) || element.is(ScalarType::bf16);
  bool isAdd = name == "add", isExchange = name == "xchg", isMax = name == "max",
       isMin = name == "min";
  bool bitwise = !isAdd && !isExchange && !isMax && !isMin;
  if (element.isPointer() || element.bits() < 16 || (element.bits() == 16 && !(half && isAdd)) ||
      (bitwise && element.isFloat()))
    return fail(what + " does not work on " + element.name());
  if (mask && !mask.type.element.isBool())
    return fail("the mask of " + what + " must be int1, found " + mask.type.name());
  Tensor value = toTensor(operand);
  if (!value)
    return {};
  if (!pointer.type.isTile() && (value.type.isTile() || (mask && mask.type.isTile())))
    return fail(what + " of one pointer has a tile as operand");
  value = broadcastTo(value, pointer.type.shape);
  if (mask && !(mask = broadcastTo(mask, pointer.type.shape)))
    return {};
  if (!value || !(value = cast(value, element)))
    return {};
  if (element.isFloat() && (isMax || isMin))
    return floatExtremum(isMax, pointer, value, mask, order, scope);
  bool isSigned = element.scalar.isSigned();
  AtomicKind kind = llvm::StringSwitch<AtomicKind>(name)
                        .Case("add", element.isFloat() ? AtomicKind::fadd : AtomicKind::add)
                        .Case("xchg", AtomicKind::exchange)
                        .Case("max", isSigned ? AtomicKind::smax : AtomicKind::umax)
                        .Case("min", isSigned ? AtomicKind::smin : AtomicKind::umin)
                        .Case("and", AtomicKind::andi)
                        .Case("or", AtomicKind::ori)
                        .Default(AtomicKind::xori);
  return {emit.atomic(kind, order, scope, pointer.value, value.value, mask.value), value.type};
}

// Floats compare like their bits as signed integers where the operand is not negative, and the
// other way round as unsigned ones where it is: each lane takes part in one of two integer atomics.
Tensor Semantics::floatExtremum(bool isMax, Tensor pointer, Tensor value, Tensor mask,
                                MemoryOrder order, MemoryScope scope) {
  unsigned bits = value.type.element.bits();
  ElementType integer = *ScalarType::integer(bits, /*isSigned=*/true);
  Tensor asInteger = bitcast(value, integer);
  Tensor asIntegerPointer = cast(pointer, integer.pointer());
  mlir::Value negative =
      emit.compareInt(Compare::lt, true, asInteger.value, emit.filled(asInteger.type, 0));
  Type boolType = value.type.withElement(ScalarType::int1);
  mlir::Value positive = emit.arith(Arith::xori, negative, emit.filled(boolType, -1));
  auto masked = [&](mlir::Value lanes) {
    return mask ? emit.arith(Arith::andi, mask.value, lanes) : lanes;
  };
  mlir::Value whenPositive = emit.atomic(isMax ? AtomicKind::smax : AtomicKind::smin, order, scope,
                                         asIntegerPointer.value, asInteger.value, masked(positive));
  mlir::Value whenNegative = emit.atomic(isMax ? AtomicKind::umin : AtomicKind::umax, order, scope,
                                         asIntegerPointer.value, asInteger.value, masked(negative));
  Tensor old{emit.select(positive, whenPositive, whenNegative), asInteger.type};
  return bitcast(old, value.type.element);
}

Tensor Semantics::compareAndSwap(Tensor pointer, const Value &compare, const Value &value,
                                 MemoryOrder order, MemoryScope scope) {
  if (!isPointer(pointer))
    return fail("tl.atomic_cas works on pointers, found " + pointer.type.name());
  ElementType element = pointer.type.element.pointee();
  if (element.isPointer() || element.bits() < 16)
    return fail("tl.atomic_cas does not work on " + element.name());
  Tensor expected = toTensor(compare), desired = toTensor(value);
  if (!expected || !desired)
    return {};
  expected = cast(broadcastTo(expected, pointer.type.shape), element);
  desired = cast(broadcastTo(desired, pointer.type.shape), element);
  if (!expected || !desired)
    return {};
  return {emit.compareAndSwap(order, scope, pointer.value, expected.value, desired.value),
          desired.type};
}

//===-- Dot -----------------------------------------------------------------------------------===//

Tensor Semantics::dot(Tensor lhs, Tensor rhs, Tensor acc, DotPrecision precision, ElementType out) {
  unsigned rank = lhs.type.rank();
  if (rank != rhs.type.rank() || rank < 2)
    return fail("tl.dot takes two tiles of equal rank, at least 2; found " + lhs.type.name() +
                " and " + rhs.type.name());
  ElementType l = lhs.type.element, r = rhs.type.element;
  auto multiplies = [](ElementType type) {
    return (type.isFloat() && !type.is(ScalarType::fp8e4b15)) || type.is(ScalarType::int8);
  };
  if (!multiplies(l) || !multiplies(r))
    return fail("tl.dot multiplies floats or int8, found " + lhs.type.name() + " and " +
                rhs.type.name());
  if (!(l == r) && !(l.scalar.isFloat8() && r.scalar.isFloat8()))
    return fail("tl.dot of " + lhs.type.name() + " and " + rhs.type.name() +
                    ": the element types differ",
                "convert one of them with .to(...)");
  // Every 8-bit float is a number of f16, and products of those are exact in the sum's type.
  if (l.scalar.isFloat8()) {
    lhs = cast(lhs, ScalarType::fp16);
    rhs = lhs ? cast(rhs, ScalarType::fp16) : Tensor();
    if (!rhs)
      return {};
    l = lhs.type.element;
  }
  llvm::ArrayRef<int64_t> a = lhs.type.shape, b = rhs.type.shape;
  if (a.back() != b[rank - 2] || a.drop_back(2) != b.drop_back(2))
    return fail("tl.dot of shapes " + shapeText(a) + " and " + shapeText(b) +
                ": the last dim of the first must equal the second to last of the second");
  ElementType result = out;
  if (l.isInteger())
    result = ScalarType::int32;
  else if (out.is(ScalarType::bf16))
    return fail("tl.dot does not sum in bf16", "leave out_dtype out and convert the result");
  else if (l.is(ScalarType::fp64))
    result = ScalarType::fp64;
  else if (l.is(ScalarType::fp32) || l.is(ScalarType::bf16))
    result = ScalarType::fp32;
  llvm::SmallVector<int64_t> shape(a.begin(), a.end());
  shape.back() = b.back();
  Type type(result, shape);
  if (!checkShape(shape))
    return {};
  if (acc && acc.type != type)
    return fail("the accumulator of tl.dot must be " + type.name() + ", found " + acc.type.name());
  // More than one batch dim is one, for the operation.
  llvm::SmallVector<int64_t> flat(shape);
  if (rank > 3) {
    auto flattened = [&](llvm::ArrayRef<int64_t> full) {
      int64_t batch = 1;
      for (int64_t dim : full.drop_back(2))
        batch *= dim;
      return llvm::SmallVector<int64_t>{batch, full[rank - 2], full[rank - 1]};
    };
    flat = flattened(shape);
    lhs = reshape(lhs, flattened(a));
    rhs = reshape(rhs, flattened(b));
    if (acc)
      acc = reshape(acc, flat);
  }
  if (!acc)
    acc = {emit.filled(type.withShape(flat), 0), type.withShape(flat)};
  return reshape({emit.dot(lhs.value, rhs.value, acc.value, precision), type.withShape(flat)},
                 shape);
}

} // namespace teeny::lang
