#include "Conversion/TileToGPU/Distribution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;
using tile::Dim;
using tile::LayoutInterface;
using tile::LinearLayout;

LinearLayout teeny::gpu::linearLayout(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return cast<LayoutInterface>(tensor.getEncoding()).toLinear(tensor.getShape());
}

unsigned teeny::gpu::registerCount(Type type) {
  return isa<RankedTensorType>(type) ? linearLayout(type).inSize(Dim::reg) : 1;
}

Type teeny::gpu::registerType(Type type) {
  type = getElementTypeOrSelf(type);
  if (isa<tile::PtrType>(type))
    return pointerType(type.getContext(), Space::global);
  if (auto real = dyn_cast<FloatType>(type); real && real.getWidth() == 8)
    return IntegerType::get(type.getContext(), 8);
  return type;
}

DistributionTypes::DistributionTypes() {
  addConversion([](Type type) { return isa<TensorType>(type) ? Type() : registerType(type); });
  addConversion(
      [](tile::BufferType type) -> Type { return pointerType(type.getContext(), Space::shared); });
  addConversion(
      [](RankedTensorType type, SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
        if (!isa_and_present<LayoutInterface>(type.getEncoding()))
          return failure();
        types.append(registerCount(type), registerType(type));
        return success();
      });
}

static LogicalResult verifyType(Operation *op, Type type, int warps) {
  auto tensor = dyn_cast<TensorType>(type);
  if (!tensor)
    return success();
  auto ranked = dyn_cast<RankedTensorType>(type);
  if (!ranked || !isa_and_present<LayoutInterface>(ranked.getEncoding()))
    return op->emitOpError("has a tile without a layout: ") << type;
  uint64_t found = linearLayout(type).inSize(Dim::warp);
  if (found != uint64_t(warps))
    return op->emitOpError("has a tile with a layout for ")
           << found << " warps where there are " << warps << ": " << type;
  return success();
}

LogicalResult teeny::gpu::verifyDistributed(Operation *kernel) {
  int warps = tile::numWarps(kernel);
  WalkResult result = kernel->walk([&](Operation *op) {
    for (Type type : op->getOperandTypes())
      if (failed(verifyType(op, type, warps)))
        return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (failed(verifyType(op, type, warps)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return success(!result.wasInterrupted());
}

//===-- Indices -------------------------------------------------------------------------------===//

ThreadIndex::ThreadIndex(Emit &emit, LinearLayout layout)
    : emit(emit), map(std::move(layout)), flat(map.flattenOuts(Dim::offset)) {
  assert(map.inBits(Dim::block) == 0 && "one program a block");
}

// The exclusive or of the bases whose bit is set in `id`. Neighbouring bits that move to
// neighbouring bits go together: bases 4, 8, 16 of the lowest bits are (id & 7) << 2.
static std::pair<Value, uint64_t> applyToThread(Emit &emit, ArrayRef<uint64_t> bases) {
  OpBuilder &builder = emit.builder;
  Location loc = emit.loc;
  Value id, sum;
  uint64_t reach = 0;
  for (unsigned i = 0, end; i < bases.size(); i = end) {
    end = i + 1;
    if (bases[i] == 0)
      continue;
    if (!id)
      id = emit.threadId();
    Value term;
    uint64_t termReach = bases[i];
    if (llvm::isPowerOf2_64(bases[i])) {
      while (end < bases.size() && bases[end] == bases[end - 1] << 1)
        termReach |= bases[end++];
      unsigned to = llvm::countr_zero(bases[i]);
      term = id;
      // Nothing lies above the last bit, nothing below the first; a shift to 0 drops what is below.
      if (end < bases.size() || (i > 0 && to > 0))
        term = arith::AndIOp::create(builder, loc, term,
                                     emit.i32(((int64_t(1) << (end - i)) - 1) << i));
      if (to > i)
        term = arith::ShLIOp::create(builder, loc, term, emit.i32(to - i));
      else if (to < i)
        term = arith::ShRUIOp::create(builder, loc, term, emit.i32(i - to));
    } else {
      Value bit = arith::AndIOp::create(builder, loc, id, emit.i32(int64_t(1) << i));
      Value set = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bit, emit.i32(0));
      term = arith::SelectOp::create(builder, loc, set, emit.i32(bases[i]), emit.i32(0));
    }
    if (!sum)
      sum = term;
    else if (reach & termReach)
      sum = arith::XOrIOp::create(builder, loc, sum, term);
    else
      sum = arith::OrIOp::create(builder, loc, sum, term);
    reach |= termReach;
  }
  return {sum, reach};
}

static SmallVector<uint64_t> threadBases(const LinearLayout &map, Dim out) {
  SmallVector<uint64_t> bases;
  for (Dim in : {Dim::lane, Dim::warp})
    for (unsigned bit = 0; bit < map.inBits(in); ++bit)
      bases.push_back(map.basis(in, bit, out));
  return bases;
}

ThreadIndex::Part &ThreadIndex::threadPart(Dim out) {
  auto [it, isNew] = parts.try_emplace(unsigned(out));
  if (isNew) {
    const LinearLayout &layout = map.hasOut(out) ? map : flat;
    std::tie(it->second.value, it->second.reach) = applyToThread(emit, threadBases(layout, out));
  }
  return it->second;
}

Value ThreadIndex::combine(Part &part, uint64_t constant) {
  if (!part.value)
    return emit.i32(constant);
  if (constant == 0)
    return part.value;
  Value other = emit.i32(constant);
  if (part.reach & constant)
    return arith::XOrIOp::create(emit.builder, emit.loc, part.value, other);
  // Bits in common with none: a sum tells LLVM more than an exclusive or.
  auto noWrap = arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
  return arith::AddIOp::create(emit.builder, emit.loc, part.value, other, noWrap);
}

Value ThreadIndex::get(unsigned reg, Dim out) {
  uint64_t constant = 0;
  for (unsigned bit = 0; bit < map.inBits(Dim::reg); ++bit)
    if (reg >> bit & 1)
      constant ^= map.basis(Dim::reg, bit, out);
  Value &value = known[{unsigned(out), constant}];
  if (!value)
    value = combine(threadPart(out), constant);
  return value;
}

Value ThreadIndex::packed(unsigned reg) {
  uint64_t constant = 0;
  for (unsigned bit = 0; bit < map.inBits(Dim::reg); ++bit)
    if (reg >> bit & 1)
      constant ^= flat.basis(Dim::reg, bit);
  Value &value = known[{unsigned(Dim::offset), constant}];
  if (!value)
    value = combine(threadPart(Dim::offset), constant);
  return value;
}

Value teeny::gpu::isCanonicalThread(Emit &emit, const LinearLayout &layout) {
  uint64_t free = layout.freeBits(Dim::lane) | layout.freeBits(Dim::warp)
                                                   << layout.inBits(Dim::lane);
  if (free == 0)
    return nullptr;
  Value bits = arith::AndIOp::create(emit.builder, emit.loc, emit.threadId(), emit.i32(free));
  return arith::CmpIOp::create(emit.builder, emit.loc, arith::CmpIPredicate::eq, bits, emit.i32(0));
}
