// Reductions: first the registers of a thread, then the lanes of a warp by shuffles, then the warps
// through shared memory. Which of a thread's bits take part is read off the layout: those that move
// along the axis.
#include "Conversion/TileToGPU/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;
using tile::Dim;
using tile::LinearLayout;
using tile::tensorDim;

SmallVector<Value> teeny::gpu::combine(OpBuilder &builder, Region &region, ValueRange lhs,
                                       ValueRange rhs) {
  Block &body = region.front();
  IRMapping mapping;
  mapping.map(body.getArguments().take_front(lhs.size()), lhs);
  mapping.map(body.getArguments().drop_front(lhs.size()), rhs);
  for (Operation &op : body.without_terminator())
    builder.clone(op, mapping);
  SmallVector<Value> results;
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

LogicalResult teeny::gpu::verifyCombine(Operation *op, Region &region) {
  for (Type type : region.getArgumentTypes())
    if (registerType(type) != type)
      return op->emitOpError("combines values of ") << type << ", which a GPU cannot compute with";
  return success();
}

// Whether exchanging the operands cannot change a bit of the result.
static bool isCommutative(Region &region) {
  Block &body = region.front();
  return llvm::hasSingleElement(body.without_terminator()) &&
         body.front().hasTrait<OpTrait::IsCommutative>() &&
         body.getTerminator()->getOperands() == ValueRange(body.front().getResults());
}

// Mask of the bits of `in` that move along the axis.
static unsigned axisBits(const LinearLayout &layout, Dim in, Dim axis) {
  unsigned mask = 0;
  for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
    if (layout.basis(in, bit, axis) != 0)
      mask |= 1u << bit;
  return mask;
}

// Whether every bit moves along the axis or along the other dims, not both.
static bool separates(const LinearLayout &layout, Dim axis) {
  LinearLayout others = layout.withoutOut(axis);
  for (Dim in : {Dim::reg, Dim::lane, Dim::warp})
    for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
      if (layout.basis(in, bit, axis) != 0 && others.basis(in, bit) != 0)
        return false;
  return true;
}

LinearLayout teeny::gpu::removeAxis(const LinearLayout &layout, unsigned axis, unsigned rank) {
  LinearLayout result = layout.withoutOut(tensorDim(axis));
  for (unsigned i = axis + 1; i < rank; ++i)
    result = result.renameOut(tensorDim(i), tensorDim(i - 1));
  return result;
}

namespace {
// The state of one reduction: values of each source by register.
class Reduction {
public:
  Reduction(tile::ReduceOp op, Emit &emit, KernelContext &context, ArrayRef<ValueRange> sources)
      : op(op), emit(emit), context(context),
        type(cast<RankedTensorType>(op.getSources()[0].getType())), layout(linearLayout(type)),
        axis(tensorDim(op.getAxis())), rest(removeAxis(layout, op.getAxis(), type.getRank())) {
    for (unsigned reg = 0; reg < layout.inSize(Dim::reg); ++reg) {
      SmallVector<Value> element;
      for (ValueRange source : sources)
        element.push_back(source[reg]);
      values.push_back(std::move(element));
    }
    registerMask = axisBits(layout, Dim::reg, axis);
    laneMask = axisBits(layout, Dim::lane, axis);
    warpMask = axisBits(layout, Dim::warp, axis);
  }

  LogicalResult verify() {
    if (failed(verifyCombine(op, op.getCombine())))
      return failure();
    if (!separates(layout, axis))
      return op.emitOpError("has a source layout that mixes its axis with others: expected a "
                            "tile.convert_layout");
    for (Type result : op.getResultTypes())
      if (isa<RankedTensorType>(result) && !registersInPlace(rest, linearLayout(result)))
        return op.emitOpError("has a result layout that is not its source's without the axis: "
                              "expected a tile.convert_layout");
    return warpMask ? context.scratch.verifyFits(op, exchangedBytes()) : success();
  }

  SmallVector<SmallVector<Value>> run() {
    withinThread();
    withinWarp();
    if (warpMask)
      acrossWarps();
    SmallVector<SmallVector<Value>> results;
    for (auto [i, result] : llvm::enumerate(op.getResultTypes())) {
      SmallVector<Value> registers;
      if (isa<RankedTensorType>(result)) {
        auto places = registersInPlace(rest, linearLayout(result));
        for (unsigned place : *places)
          registers.push_back(values[place & ~registerMask][i]);
      } else {
        registers.push_back(values[0][i]);
      }
      results.push_back(std::move(registers));
    }
    return results;
  }

private:
  bool isKept(unsigned reg) const { return (reg & registerMask) == 0; }

  SmallVector<Value> combined(ValueRange lhs, ValueRange rhs) {
    return combine(emit.builder, op.getCombine(), lhs, rhs);
  }

  // Bit by bit: neighbours first, in a tree.
  void withinThread() {
    unsigned done = 0;
    for (unsigned bit = 0; bit < layout.inBits(Dim::reg); ++bit) {
      unsigned mask = 1u << bit;
      if (!(registerMask & mask))
        continue;
      done |= mask;
      for (unsigned reg = 0; reg < values.size(); ++reg)
        if ((reg & done) == 0)
          values[reg] = combined(values[reg], values[reg | mask]);
    }
  }

  // Both lanes of a pair combine the same two operands. All lanes have to come to the same bits, so
  // where the order matters to those, the lower lane's operand is first in both.
  void withinWarp() {
    bool ordered = !isCommutative(op.getCombine());
    for (unsigned bit = 0; bit < layout.inBits(Dim::lane); ++bit) {
      if (!(laneMask >> bit & 1))
        continue;
      Value isUpper;
      if (ordered) {
        Value set =
            arith::AndIOp::create(emit.builder, emit.loc, emit.threadId(), emit.i32(1 << bit));
        isUpper = arith::CmpIOp::create(emit.builder, emit.loc, arith::CmpIPredicate::ne, set,
                                        emit.i32(0));
      }
      for (unsigned reg = 0; reg < values.size(); ++reg) {
        if (!isKept(reg))
          continue;
        SmallVector<Value> other;
        for (Value value : values[reg])
          other.push_back(emit.shuffleXor(value, 1u << bit));
        if (ordered)
          for (auto [mine, theirs] : llvm::zip(values[reg], other)) {
            auto choose = [&](Value upper, Value lower) {
              return arith::SelectOp::create(emit.builder, emit.loc, isUpper, upper, lower);
            };
            Value first = choose(theirs, mine), second = choose(mine, theirs);
            mine = first;
            theirs = second;
          }
        values[reg] = combined(values[reg], other);
      }
    }
  }

  int64_t elementBytes(unsigned source) {
    return storageBits(registerType(op.getSources()[source].getType())) / 8;
  }
  int64_t partials() const { return int64_t(1) << (rest.outBits() + llvm::popcount(warpMask)); }
  int64_t exchangedBytes() {
    int64_t bytes = 0;
    for (unsigned i = 0; i < op.getSources().size(); ++i)
      bytes = llvm::alignTo(bytes, 16) + partials() * elementBytes(i);
    return bytes;
  }

  // Each warp writes what it has, partial w of element e at e * warps + w; all read all partials of
  // their elements.
  void acrossWarps() {
    unsigned partBits = llvm::popcount(warpMask), parts = 1u << partBits;
    LinearLayout flat = rest.flattenOuts(Dim::offset);
    LinearLayout places({}, {{Dim::offset, rest.outBits() + partBits}}), begins = places;
    for (Dim in : {Dim::reg, Dim::lane, Dim::warp}) {
      unsigned part = 0;
      for (unsigned bit = 0; bit < layout.inBits(in); ++bit) {
        uint64_t element = flat.basis(in, bit) << partBits;
        bool takesPart = in == Dim::warp && (warpMask >> bit & 1);
        places.addBasis(in, element | (takesPart ? 1u << part++ : 0));
        begins.addBasis(in, element);
      }
    }
    Value base = context.scratch.begin(emit, exchangedBytes());
    ThreadIndex written(emit, places), read(emit, begins);
    auto address = [&](ThreadIndex &index, unsigned reg, unsigned source) {
      int64_t offset = 0;
      for (unsigned i = 0; i < source; ++i)
        offset = llvm::alignTo(offset + partials() * elementBytes(i), 16);
      return emit.elementPointer(emit.bytePointer(base, offset), values[reg][source].getType(),
                                 index.get(reg, Dim::offset));
    };
    for (unsigned reg = 0; reg < values.size(); ++reg)
      for (unsigned i = 0; isKept(reg) && i < values[reg].size(); ++i)
        emit.store(Space::shared, address(written, reg, i), values[reg][i]);
    emit.barrier();
    for (unsigned reg = 0; reg < values.size(); ++reg) {
      if (!isKept(reg))
        continue;
      SmallVector<SmallVector<Value>> all(parts);
      for (unsigned i = 0; i < values[reg].size(); ++i) {
        Type element = values[reg][i].getType();
        unsigned width = std::min<unsigned>(parts, 16 / elementBytes(i));
        for (unsigned part = 0; part < parts; part += width) {
          Value from = emit.bytePointer(address(read, reg, i), part * elementBytes(i));
          for (auto [j, value] : llvm::enumerate(emit.load(Space::shared, from, element, width)))
            all[part + j].push_back(value);
        }
      }
      for (unsigned step = 1; step < parts; step *= 2)
        for (unsigned part = 0; part < parts; part += 2 * step)
          all[part] = combined(all[part], all[part + step]);
      values[reg] = all[0];
    }
  }

  tile::ReduceOp op;
  Emit &emit;
  KernelContext &context;
  RankedTensorType type;
  LinearLayout layout;
  Dim axis;
  LinearLayout rest; // layout without the axis; its registers along the axis hold copies
  unsigned registerMask, laneMask, warpMask;
  SmallVector<SmallVector<Value>> values; // by register, then by source
};

class ReducePattern final : public TilePattern<tile::ReduceOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::ReduceOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit emit(rewriter, op.getLoc());
    Reduction reduction(op, emit, context, adaptor.getSources());
    if (failed(reduction.verify()))
      return failure();
    rewriter.replaceOpWithMultiple(op, reduction.run());
    return success();
  }
};
} // namespace

void teeny::gpu::populateReducePatterns(KernelContext &context, RewritePatternSet &patterns) {
  patterns.add<ReducePattern>(context, patterns.getContext());
}
