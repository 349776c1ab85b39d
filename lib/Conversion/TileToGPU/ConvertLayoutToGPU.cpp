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

SmallVector<Value> teeny::gpu::exchange(Emit &emit, Scratch &scratch, ValueRange values,
                                        const LinearLayout &from, const LinearLayout &to) {
  Type type = values.front().getType();
  unsigned bytes = storageBits(type) / 8;
  SwizzledBuffer buffer = chooseBuffer(from, to, bytes);
  Value base = scratch.begin(emit, int64_t(bytes) << from.outBits());

  RegisterGroups written = vectorGroups(buffer.writes, buffer.vectorBits);
  ThreadIndex writes(emit, buffer.writes);
  for (unsigned first : written.first) {
    SmallVector<Value> vector;
    for (unsigned member : written.members)
      vector.push_back(values[first ^ member]);
    emit.store(Space::shared, emit.elementPointer(base, type, writes.get(first, Dim::offset)),
               vector);
  }
  emit.barrier();

  RegisterGroups read = vectorGroups(buffer.reads, buffer.vectorBits);
  ThreadIndex reads(emit, buffer.reads);
  SmallVector<Value> results(to.inSize(Dim::reg));
  for (unsigned first : read.first) {
    Value address = emit.elementPointer(base, type, reads.get(first, Dim::offset));
    SmallVector<Value> vector = emit.load(Space::shared, address, type, read.members.size());
    for (auto [member, value] : llvm::zip(read.members, vector))
      results[first ^ member] = value;
  }
  return results;
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
      registers = exchange(emit, context.scratch, source, from, to);
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
