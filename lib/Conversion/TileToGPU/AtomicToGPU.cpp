// Atomics. Every element is updated once, by the first of the threads that hold it, inside an `if`;
// the old value goes to the others through shared memory where it is used. Neighbours are added to
// by one instruction where there is one: two f16 anywhere, 16 bytes of f32, f16 or bf16 on targets
// with vectors of atomics. Each element of such a vector is updated atomically by itself.
#include "Conversion/TileToGPU/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;
using tile::Dim;
using tile::LinearLayout;

static LLVM::AtomicOrdering orderingOf(tile::MemoryOrder order) {
  switch (order) {
  case tile::MemoryOrder::relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case tile::MemoryOrder::acquire:
    return LLVM::AtomicOrdering::acquire;
  case tile::MemoryOrder::release:
    return LLVM::AtomicOrdering::release;
  case tile::MemoryOrder::acq_rel:
    return LLVM::AtomicOrdering::acq_rel;
  }
  llvm_unreachable("all orders");
}

static StringRef scopeOf(tile::MemoryScope scope) {
  switch (scope) {
  case tile::MemoryScope::block:
    return "block";
  case tile::MemoryScope::gpu:
    return "device";
  case tile::MemoryScope::system:
    return "";
  }
  llvm_unreachable("all scopes");
}

// The scope as PTX has it.
static StringRef ptxScope(tile::MemoryScope scope) {
  switch (scope) {
  case tile::MemoryScope::block:
    return "cta";
  case tile::MemoryScope::gpu:
    return "gpu";
  case tile::MemoryScope::system:
    return "sys";
  }
  llvm_unreachable("all scopes");
}

static LLVM::AtomicBinOp operationOf(tile::AtomicOperation kind) {
  using Kind = tile::AtomicOperation;
  switch (kind) {
  case Kind::exchange:
    return LLVM::AtomicBinOp::xchg;
  case Kind::add:
    return LLVM::AtomicBinOp::add;
  case Kind::fadd:
    return LLVM::AtomicBinOp::fadd;
  case Kind::smax:
    return LLVM::AtomicBinOp::max;
  case Kind::smin:
    return LLVM::AtomicBinOp::min;
  case Kind::umax:
    return LLVM::AtomicBinOp::umax;
  case Kind::umin:
    return LLVM::AtomicBinOp::umin;
  case Kind::andi:
    return LLVM::AtomicBinOp::_and;
  case Kind::ori:
    return LLVM::AtomicBinOp::_or;
  case Kind::xori:
    return LLVM::AtomicBinOp::_xor;
  }
  llvm_unreachable("all operations");
}

// A layout in which the old values of the canonical threads lie: theirs without free bits.
static LinearLayout everyCopy(Type type, unsigned warps) {
  if (isa<RankedTensorType>(type))
    return linearLayout(type);
  // A scalar is held by everybody.
  LinearLayout layout({}, {{Dim::offset, 0}});
  for (unsigned bit = 0; bit < 5; ++bit)
    layout.addBasis(Dim::lane, uint64_t(0));
  for (unsigned bit = 0; bit < llvm::Log2_32(warps); ++bit)
    layout.addBasis(Dim::warp, uint64_t(0));
  return layout;
}

namespace {
template <typename Op> class AtomicPattern : public TilePattern<Op> {
public:
  using TilePattern<Op>::TilePattern;
  using TilePattern<Op>::context;

protected:
  // Updates the elements of `width` registers, those from i on, where the condition (null: true)
  // holds, and returns the old values, or nothing if they are not used.
  using Update = llvm::function_ref<SmallVector<Value>(unsigned i, Value condition)>;

  LogicalResult rewrite(Op op, ValueRange mask, unsigned width, ConversionPatternRewriter &rewriter,
                        Update update) const {
    Emit emit(rewriter, op.getLoc());
    Type type = op.getType(), element = registerType(type);
    LinearLayout layout = everyCopy(type, context.warps);
    bool isUsed = !op->use_empty();
    Value writer = isCanonicalThread(emit, layout);
    bool exchanges = isUsed && writer;
    int64_t bytes = exchangeBytes(element, layout);
    if (exchanges && failed(context.scratch.verifyFits(op, bytes)))
      return failure();

    SmallVector<Value> registers;
    for (unsigned i = 0, n = registerCount(type); i < n; i += width) {
      Value condition = writer;
      if (!mask.empty())
        condition = writer ? emit.both(writer, mask[i]) : mask[i];
      llvm::append_range(registers, update(i, condition));
    }
    if (!isUsed)
      registers.assign(registerCount(type), emit.poison(element));
    else if (exchanges)
      registers = fromWriters(emit, writer, registers, layout);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }

  // An update of one element by what `atomic` emits.
  SmallVector<Value> updateOne(Op op, Value condition, ConversionPatternRewriter &rewriter,
                               llvm::function_ref<Value()> atomic) const {
    Emit emit(rewriter, op.getLoc());
    Type element = registerType(op.getType());
    bool isUsed = !op->use_empty();
    if (!condition) {
      Value old = atomic();
      return isUsed ? SmallVector<Value>{old} : SmallVector<Value>();
    }
    auto branch = scf::IfOp::create(rewriter, op.getLoc(),
                                    isUsed ? TypeRange(element) : TypeRange(), condition,
                                    /*withElseRegion=*/isUsed);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    Value old = atomic();
    if (!isUsed)
      return {};
    scf::YieldOp::create(rewriter, op.getLoc(), old);
    rewriter.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(rewriter, op.getLoc(), emit.zero(element));
    return {branch.getResult(0)};
  }

private:
  SmallVector<Value> fromWriters(Emit &emit, Value writer, ValueRange old,
                                 const LinearLayout &layout) const {
    Type type = old.front().getType();
    Value base = context.scratch.begin(emit, exchangeBytes(type, layout));
    ThreadIndex index(emit, layout);
    SmallVector<Value> addresses, results;
    for (auto [i, value] : llvm::enumerate(old)) {
      addresses.push_back(emit.elementPointer(base, type, index.packed(i)));
      emit.store(Space::shared, addresses.back(), value, writer);
    }
    emit.barrier();
    for (Value address : addresses)
      results.push_back(emit.load(Space::shared, address, type, 1).front());
    return results;
  }
};

class AtomicRMWPattern final : public AtomicPattern<tile::AtomicRMWOp> {
public:
  using AtomicPattern::AtomicPattern;
  LogicalResult matchAndRewrite(tile::AtomicRMWOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    unsigned width = std::min(context.access.widths.lookup_or(op, 1), mostAtOnce(op));
    return rewrite(op, adaptor.getMask(), width, rewriter, [&](unsigned i, Value condition) {
      if (width > 1)
        return Emit(rewriter, op.getLoc())
            .atomicAdd(adaptor.getPointer()[i], adaptor.getValue().slice(i, width), condition,
                       tile::stringifyMemoryOrder(op.getOrder()), ptxScope(op.getScope()),
                       /*isUsed=*/!op->use_empty());
      return updateOne(op, condition, rewriter, [&]() -> Value {
        return LLVM::AtomicRMWOp::create(rewriter, op.getLoc(), operationOf(op.getKind()),
                                         adaptor.getPointer()[i], adaptor.getValue()[i],
                                         orderingOf(op.getOrder()), scopeOf(op.getScope()));
      });
    });
  }

private:
  // Elements that one instruction can add to.
  unsigned mostAtOnce(tile::AtomicRMWOp op) const {
    Type type = registerType(op.getType());
    if (op.getKind() != tile::AtomicOperation::fadd)
      return 1;
    if (context.facts.vectorAtomics && (type.isF32() || type.isF16() || type.isBF16()))
      return 128 / storageBits(type);
    return type.isF16() ? 2 : 1;
  }
};

class AtomicCASPattern final : public AtomicPattern<tile::AtomicCASOp> {
public:
  using AtomicPattern::AtomicPattern;
  LogicalResult matchAndRewrite(tile::AtomicCASOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit emit(rewriter, op.getLoc());
    // What fails need not release; everything else as for success.
    LLVM::AtomicOrdering success = orderingOf(op.getOrder());
    LLVM::AtomicOrdering failure =
        success == LLVM::AtomicOrdering::acq_rel   ? LLVM::AtomicOrdering::acquire
        : success == LLVM::AtomicOrdering::release ? LLVM::AtomicOrdering::monotonic
                                                   : success;
    return rewrite(op, {}, 1, rewriter, [&](unsigned i, Value condition) {
      return updateOne(op, condition, rewriter, [&] {
        // Floats are compared by their bits.
        Value pair = LLVM::AtomicCmpXchgOp::create(
            rewriter, op.getLoc(), adaptor.getPointer()[i], emit.toStorage(adaptor.getCompare()[i]),
            emit.toStorage(adaptor.getValue()[i]), success, failure, scopeOf(op.getScope()));
        Value old = LLVM::ExtractValueOp::create(rewriter, op.getLoc(), pair, 0);
        return emit.fromStorage(old, registerType(op.getType()));
      });
    });
  }
};
} // namespace

void teeny::gpu::populateAtomicPatterns(KernelContext &context, RewritePatternSet &patterns) {
  patterns.add<AtomicRMWPattern, AtomicCASPattern>(context, patterns.getContext());
}
