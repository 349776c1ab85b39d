#include "Conversion/TileToGPU/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;

// The pointee of a pointer or of a tile of them, as it lies in memory.
static Type pointee(Value pointer) {
  return registerType(cast<tile::PtrType>(getElementTypeOrSelf(pointer.getType())).getPointee());
}

// The mask of the access that begins at a register; null where it is known to be true.
static Value maskAt(ValueRange masks, unsigned i) {
  if (masks.empty() || matchPattern(masks[i], m_One()))
    return nullptr;
  return masks[i];
}

// How the source wants the access to go through the caches. PTX has a cache operator or a priority
// of eviction, not both, and neither with .volatile.
static CacheHints cacheHints(Operation *op) {
  CacheHints hints;
  hints.isVolatile = op->hasAttr(tile::volatileAttr);
  if (hints.isVolatile)
    return hints;
  if (auto cache = op->getAttrOfType<StringAttr>(tile::cacheAttr))
    hints.qualifiers = ("." + cache.getValue()).str();
  else if (auto eviction = op->getAttrOfType<StringAttr>(tile::evictionAttr))
    hints.qualifiers = (".L1::" + eviction.getValue()).str();
  return hints;
}

// Whether this thread is the one to write; null if all are.
static Value isWriter(Emit &emit, Type type) {
  if (isa<RankedTensorType>(type))
    return isCanonicalThread(emit, linearLayout(type));
  return arith::CmpIOp::create(emit.builder, emit.loc, arith::CmpIPredicate::eq, emit.threadId(),
                               emit.i32(0));
}

namespace {
class LoadPattern final : public TilePattern<tile::LoadOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::LoadOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit emit(rewriter, op.getLoc());
    Type element = pointee(op.getPointer());
    ValueRange pointers = adaptor.getPointer();
    unsigned width = context.access.widths.lookup_or(op, 1);
    SmallVector<Value> registers;
    for (unsigned i = 0; i < pointers.size(); i += width) {
      ValueRange other = adaptor.getOther();
      llvm::append_range(registers,
                         emit.load(Space::global, pointers[i], element, width,
                                   maskAt(adaptor.getMask(), i),
                                   other.empty() ? other : other.slice(i, width), cacheHints(op)));
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

class StorePattern final : public TilePattern<tile::StoreOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::StoreOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit emit(rewriter, op.getLoc());
    ValueRange pointers = adaptor.getPointer();
    unsigned width = context.access.widths.lookup_or(op, 1);
    Value writer = isWriter(emit, op.getPointer().getType());
    for (unsigned i = 0; i < pointers.size(); i += width) {
      Value mask = maskAt(adaptor.getMask(), i);
      emit.store(Space::global, pointers[i], adaptor.getValue().slice(i, width),
                 mask && writer ? emit.both(writer, mask)
                 : mask         ? mask
                                : writer,
                 cacheHints(op));
    }
    rewriter.eraseOp(op);
    return success();
  }
};

class AddPtrPattern final : public TilePattern<tile::AddPtrOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::AddPtrOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit emit(rewriter, op.getLoc());
    Type element = pointee(op.getPointer());
    SmallVector<Value> registers;
    for (auto [i, pointer] : llvm::enumerate(adaptor.getPointer()))
      registers.push_back(emit.elementPointer(pointer, element, adaptor.getOffset()[i]));
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

class PtrToIntPattern final : public TilePattern<tile::PtrToIntOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::PtrToIntOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit emit(rewriter, op.getLoc());
    SmallVector<Value> registers;
    for (Value pointer : adaptor.getPointer())
      registers.push_back(emit.pointerToInt(pointer));
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

class IntToPtrPattern final : public TilePattern<tile::IntToPtrOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::IntToPtrOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit emit(rewriter, op.getLoc());
    SmallVector<Value> registers;
    for (Value integer : adaptor.getSource())
      registers.push_back(emit.intToPointer(integer, Space::global));
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

class PtrCastPattern final : public TilePattern<tile::PtrCastOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::PtrCastOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op, {adaptor.getPointer()});
    return success();
  }
};

class ProgramIdPattern final : public TilePattern<tile::ProgramIdOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::ProgramIdOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, Emit(rewriter, op.getLoc()).programId(op.getAxis()));
    return success();
  }
};

class NumProgramsPattern final : public TilePattern<tile::NumProgramsOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::NumProgramsOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, Emit(rewriter, op.getLoc()).numPrograms(op.getAxis()));
    return success();
  }
};

class BarrierPattern final : public TilePattern<tile::BarrierOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::BarrierOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit(rewriter, op.getLoc()).barrier();
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void teeny::gpu::populateMemoryPatterns(KernelContext &context, RewritePatternSet &patterns) {
  patterns.add<LoadPattern, StorePattern, AddPtrPattern, PtrToIntPattern, IntToPtrPattern,
               PtrCastPattern, ProgramIdPattern, NumProgramsPattern, BarrierPattern>(
      context, patterns.getContext());
}
