// Buffers in shared memory: asynchronous copies into them, and reads in the layouts that their
// readers want.
#include "Conversion/TileToGPU/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;
using tile::Dim;
using tile::LinearLayout;

static unsigned elementBytes(tile::BufferType type) {
  return storageBits(registerType(type.getTile())) / 8;
}

int64_t teeny::gpu::slotBytes(tile::BufferType type) {
  return type.getTile().getNumElements() * int64_t(elementBytes(type));
}

static LinearLayout writerLayout(tile::BufferType type) {
  return type.getWriter().toLinear(type.getTile().getShape());
}

WarpgroupBuffer teeny::gpu::warpgroupBuffer(tile::BufferType type) {
  return chooseWarpgroupBuffer(writerLayout(type), elementBytes(type));
}

// Where the elements that a thread writes lie in a slot.
static LinearLayout writePlaces(tile::BufferType type, const GpuFacts &facts) {
  if (!type.getTile().getEncoding())
    return warpgroupBuffer(type).writes;
  return chooseTileBuffer(writerLayout(type), linearLayout(type.getTile()), elementBytes(type),
                          facts.ldmatrix)
      .writes;
}

// The address of a slot.
static Value slotAddress(Emit &emit, tile::BufferType type, Value buffer, Value slot) {
  Value offset = arith::MulIOp::create(emit.builder, emit.loc, slot, emit.i32(slotBytes(type)));
  return emit.elementPointer(buffer, emit.builder.getI8Type(), offset);
}

namespace {
class AllocBufferPattern final : public TilePattern<tile::AllocBufferOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::AllocBufferOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit emit(rewriter, op.getLoc());
    rewriter.replaceOp(
        op, context.scratch.reserve(emit, op.getType().getSlots() * slotBytes(op.getType())));
    return success();
  }
};

class CopyAsyncPattern final : public TilePattern<tile::CopyAsyncOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::CopyAsyncOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    tile::BufferType type = op.getBuffer().getType();
    unsigned width = op.getWidth(), bytes = elementBytes(type);
    LinearLayout places = writePlaces(type, context.facts);
    if (places.consecutive(Dim::reg, Dim::offset) < width)
      return op.emitOpError("copies ")
             << width << " elements at once, which are not neighbours in the buffer";
    Emit emit(rewriter, op.getLoc());
    Value base = slotAddress(emit, type, adaptor.getBuffer().front(), adaptor.getSlot().front());
    ThreadIndex index(emit, places);
    Type element = registerType(type.getTile());
    ValueRange pointers = adaptor.getPointer(), masks = adaptor.getMask();
    for (unsigned i = 0; i < pointers.size(); i += width) {
      Value mask = masks.empty() || matchPattern(masks[i], m_One()) ? Value() : masks[i];
      emit.copyAsync(emit.elementPointer(base, element, index.get(i, Dim::offset)), pointers[i],
                     width * bytes, mask);
    }
    rewriter.eraseOp(op);
    return success();
  }
};

class WriteBufferPattern final : public TilePattern<tile::WriteBufferOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::WriteBufferOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    tile::BufferType type = op.getBuffer().getType();
    if (type.getTile().getEncoding())
      return op.emitOpError("writes a buffer whose tile has a layout");
    Emit emit(rewriter, op.getLoc());
    Value base = slotAddress(emit, type, adaptor.getBuffer().front(), adaptor.getSlot().front());
    WarpgroupBuffer buffer = warpgroupBuffer(type);
    writeTileBuffer(emit, base, adaptor.getTile(), buffer.writes, buffer.writeBits);
    rewriter.eraseOp(op);
    return success();
  }
};

class CommitCopiesPattern final : public TilePattern<tile::CommitCopiesOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::CommitCopiesOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit(rewriter, op.getLoc()).commitCopies();
    rewriter.eraseOp(op);
    return success();
  }
};

class WaitCopiesPattern final : public TilePattern<tile::WaitCopiesOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::WaitCopiesOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit emit(rewriter, op.getLoc());
    emit.waitCopies(op.getPending());
    // Instructions of warp groups see what was written before such a fence.
    if (context.facts.tma)
      emit.fenceForWarpgroups();
    emit.barrier();
    rewriter.eraseOp(op);
    return success();
  }
};

class ReadBufferPattern final : public TilePattern<tile::ReadBufferOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::ReadBufferOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    tile::BufferType type = op.getBuffer().getType();
    Emit emit(rewriter, op.getLoc());
    Value base = slotAddress(emit, type, adaptor.getBuffer().front(), adaptor.getSlot().front());
    LinearLayout reader = linearLayout(op.getType());
    bool matrixLoads = context.facts.ldmatrix;
    TileBuffer buffer =
        type.getTile().getEncoding()
            ? chooseTileBuffer(writerLayout(type), reader, elementBytes(type), matrixLoads)
            : readsOf(warpgroupBuffer(type), reader, matrixLoads);
    rewriter.replaceOpWithMultiple(
        op, {readTileBuffer(emit, base, registerType(type.getTile()), buffer)});
    return success();
  }
};
} // namespace

void teeny::gpu::populateBufferPatterns(KernelContext &context, RewritePatternSet &patterns) {
  patterns.add<AllocBufferPattern, CopyAsyncPattern, WriteBufferPattern, CommitCopiesPattern,
               WaitCopiesPattern, ReadBufferPattern>(context, patterns.getContext());
}
