#include "Conversion/TileToGPU/Patterns.h"
#include "Conversion/TileToGPU/SwizzledBuffer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;
using tile::Dim;
using tile::LinearLayout;

// Up to so many shuffles cost less than two trips to shared memory and a barrier.
static constexpr unsigned maxShuffles = 8;

void teeny::gpu::writeTileBuffer(Emit &emit, Value base, ValueRange values,
                                 const LinearLayout &writes, unsigned vectorBits) {
  Type type = values.front().getType();
  RegisterGroups groups = vectorGroups(writes, vectorBits);
  ThreadIndex index(emit, writes);
  for (unsigned first : groups.first) {
    SmallVector<Value> vector;
    for (unsigned member : groups.members)
      vector.push_back(values[first ^ member]);
    emit.store(Space::shared, emit.elementPointer(base, type, index.get(first, Dim::offset)),
               vector);
  }
}

static SmallVector<Value> readBuffer(Emit &emit, Value base, Type type, const LinearLayout &reads,
                                     unsigned vectorBits) {
  RegisterGroups groups = vectorGroups(reads, vectorBits);
  ThreadIndex index(emit, reads);
  SmallVector<Value> results(reads.inSize(Dim::reg));
  for (unsigned first : groups.first) {
    Value address = emit.elementPointer(base, type, index.get(first, Dim::offset));
    SmallVector<Value> vector = emit.load(Space::shared, address, type, groups.members.size());
    for (auto [member, value] : llvm::zip(groups.members, vector))
      results[first ^ member] = value;
  }
  return results;
}

static SmallVector<Value> readMatrices(Emit &emit, Value base, Type type,
                                       const MatrixBuffer &buffer) {
  ThreadIndex index(emit, buffer.rows);
  unsigned matrices = 1u << buffer.matrixBits.size();
  unsigned covered = buffer.wordMask;
  for (unsigned mask : buffer.matrixBits)
    covered |= mask;
  SmallVector<Value> results(buffer.rows.inSize(Dim::reg));
  for (unsigned first = 0; first < results.size(); ++first) {
    if (first & covered)
      continue;
    Value address = emit.elementPointer(base, type, index.get(first, Dim::offset));
    SmallVector<Value> words = emit.loadMatrices(address, matrices, buffer.transposed);
    for (unsigned matrix = 0; matrix < matrices; ++matrix) {
      unsigned place = first;
      for (auto [bit, mask] : llvm::enumerate(buffer.matrixBits))
        place |= matrix >> bit & 1 ? mask : 0;
      for (auto [i, value] : llvm::enumerate(emit.unpack(words[matrix], type)))
        results[place | i] = value;
    }
  }
  return results;
}

SmallVector<Value> teeny::gpu::exchange(Emit &emit, KernelContext &context, ValueRange values,
                                        const LinearLayout &from, const LinearLayout &to) {
  Type type = values.front().getType();
  unsigned bytes = storageBits(type) / 8;
  Value base = context.scratch.begin(emit, int64_t(bytes) << from.outBits());
  if (context.facts.ldmatrix)
    if (auto buffer = chooseMatrixBuffer(from, to, bytes)) {
      writeTileBuffer(emit, base, values, buffer->writes, buffer->vectorBits);
      emit.barrier();
      return readMatrices(emit, base, type, *buffer);
    }
  SwizzledBuffer buffer = chooseBuffer(from, to, bytes);
  writeTileBuffer(emit, base, values, buffer.writes, buffer.vectorBits);
  emit.barrier();
  return readBuffer(emit, base, type, buffer.reads, buffer.vectorBits);
}

SmallVector<Value> teeny::gpu::readTileBuffer(Emit &emit, Value address, Type element,
                                              const TileBuffer &buffer) {
  if (buffer.matrices)
    return readMatrices(emit, address, element, *buffer.matrices);
  return readBuffer(emit, address, element, buffer.reads, buffer.readBits);
}

int64_t teeny::gpu::exchangeBytes(Type type, const LinearLayout &layout) {
  return int64_t(storageBits(registerType(type)) / 8) << layout.outBits();
}

// Whether elements stay in their warp, and which register they are read from does not depend on the
// lane.
static bool isShuffle(const LinearLayout &map) {
  for (unsigned bit = 0; bit < map.inBits(Dim::warp); ++bit)
    if (map.basis(Dim::warp, bit, Dim::warp) != uint64_t(1) << bit)
      return false;
  return map.isZero({Dim::reg, Dim::lane}, {Dim::warp}) &&
         map.isZero({Dim::lane, Dim::warp}, {Dim::reg});
}

namespace {
class ConvertLayoutPattern final : public TilePattern<tile::ConvertLayoutOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::ConvertLayoutOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinearLayout from = linearLayout(op.getSource().getType()), to = linearLayout(op.getType());
    ValueRange source = adaptor.getSource();
    SmallVector<Value> registers;
    if (auto places = registersInPlace(from, to)) {
      for (unsigned place : *places)
        registers.push_back(source[place]);
      rewriter.replaceOpWithMultiple(op, {registers});
      return success();
    }
    Emit emit(rewriter, op.getLoc());
    Type type = source.front().getType();
    std::optional<LinearLayout> map = to.invertAndCompose(from);
    if (!map)
      return op.emitOpError("has a source layout that does not hold every element");
    unsigned shuffles = to.inSize(Dim::reg) * llvm::divideCeil(storageBits(type), 32);
    if (shuffles <= maxShuffles && isShuffle(*map)) {
      ThreadIndex lanes(emit, map->sublayout({Dim::reg, Dim::lane, Dim::warp}, {Dim::lane}));
      LinearLayout places = map->sublayout({Dim::reg}, {Dim::reg});
      for (unsigned i = 0; i < to.inSize(Dim::reg); ++i)
        registers.push_back(emit.shuffleFrom(source[places.apply(i)], lanes.get(i, Dim::lane)));
    } else {
      if (failed(context.scratch.verifyFits(op, exchangeBytes(op.getType(), to))))
        return failure();
      registers = exchange(emit, context, source, from, to);
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};
} // namespace

void teeny::gpu::populateConvertLayoutPatterns(KernelContext &context,
                                               RewritePatternSet &patterns) {
  patterns.add<ConvertLayoutPattern>(context, patterns.getContext());
}
