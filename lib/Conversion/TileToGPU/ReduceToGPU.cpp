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

  // Both lanes of a pair combine the same two operands, their own first. Where the order of
  // operands matters, only the lowest lane has the result then: others read it from there, or from
  // shared memory.
  void withinWarp() {
    for (unsigned bit = 0; bit < layout.inBits(Dim::lane); ++bit) {
      if (!(laneMask >> bit & 1))
        continue;
      for (unsigned reg = 0; reg < values.size(); ++reg) {
        if (!isKept(reg))
          continue;
        SmallVector<Value> other;
        for (Value value : values[reg])
          other.push_back(emit.shuffleXor(value, 1u << bit));
        values[reg] = combined(values[reg], other);
      }
    }
    if (!laneMask || warpMask || isCommutative(op.getCombine()))
      return;
    Value lowest =
        arith::AndIOp::create(emit.builder, emit.loc, emit.threadId(), emit.i32(31 & ~laneMask));
    for (unsigned reg = 0; reg < values.size(); ++reg)
      for (unsigned i = 0; isKept(reg) && i < values[reg].size(); ++i)
        values[reg][i] = emit.shuffleFrom(values[reg][i], lowest);
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

  // The map from (register, lane, warp) to where a partial result lies: that of warp w for element
  // e at e * warps + w, or with `byPart` at w * elements + e. `part` says whether warps are told
  // apart: without, it is where the partials of a thread's elements begin.
  LinearLayout places(bool byPart, bool part) const {
    LinearLayout flat = rest.flattenOuts(Dim::offset);
    unsigned partBits = llvm::popcount(warpMask), elementBits = rest.outBits(), taken = 0;
    LinearLayout map({}, {{Dim::offset, elementBits + partBits}});
    for (Dim in : {Dim::reg, Dim::lane, Dim::warp})
      for (unsigned bit = 0; bit < layout.inBits(in); ++bit) {
        uint64_t image = flat.basis(in, bit) << (byPart ? 0 : partBits);
        if (part && in == Dim::warp && (warpMask >> bit & 1))
          image |= uint64_t(1) << (taken++ + (byPart ? elementBits : 0));
        map.addBasis(in, image);
      }
    return map;
  }

  // The registers that are kept, in groups of neighbours of which one access moves all.
  SmallVector<SmallVector<unsigned>> keptGroups(unsigned mostAtOnce) const {
    LinearLayout flat = rest.flattenOuts(Dim::offset);
    LinearLayout kept({}, {{Dim::offset, flat.outBits()}});
    for (Dim in : {Dim::reg, Dim::lane, Dim::warp})
      for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
        if (in != Dim::reg || !(registerMask >> bit & 1))
          kept.addBasis(in, flat.basis(in, bit));
    unsigned width = kept.hasIn(Dim::reg) ? kept.consecutive(Dim::reg, Dim::offset) : 1;
    width = std::min(width, mostAtOnce);
    SmallVector<SmallVector<unsigned>> groups;
    for (unsigned reg = 0, i = 0; reg < values.size(); ++reg) {
      if (!isKept(reg))
        continue;
      if (i++ % width == 0)
        groups.emplace_back();
      groups.back().push_back(reg);
    }
    return groups;
  }

  // Where the partial results of one source lie. Whether elements or parts run faster there is what
  // takes fewer accesses: with four warps, a thread of four neighbours writes 16 bytes and reads
  // four times 16; one of a single element writes 4 bytes and reads its four parts at once.
  struct Partials {
    Value base;
    Type element;
    bool byPart;
    unsigned partsAtOnce;
    SmallVector<SmallVector<unsigned>> groups;
  };
  Partials placePartials(unsigned source, Value base, unsigned parts) {
    Partials made{base, values[0][source].getType(), false, 1, {}};
    unsigned most = 16 / elementBytes(source);
    made.partsAtOnce = std::min(parts, most);
    made.groups = keptGroups(most);
    size_t inGroups = made.groups.size() * (1 + parts);
    size_t single = made.groups.size() * made.groups[0].size() * (1 + parts / made.partsAtOnce);
    made.byPart = inGroups < single;
    return made;
  }

  // Each warp writes what it has; all read all partials of their elements.
  void acrossWarps() {
    unsigned parts = 1u << llvm::popcount(warpMask);
    Value memory = context.scratch.begin(emit, exchangedBytes());
    SmallVector<Partials> sources;
    int64_t offset = 0;
    for (unsigned source = 0; source < values[0].size(); ++source) {
      offset = llvm::alignTo(offset, 16);
      sources.push_back(placePartials(source, emit.bytePointer(memory, offset), parts));
      offset += partials() * elementBytes(source);
    }
    // Indexed by `byPart`.
    ThreadIndex written[] = {{emit, places(false, true)}, {emit, places(true, true)}};
    ThreadIndex read[] = {{emit, places(false, false)}, {emit, places(true, false)}};
    auto address = [&](ThreadIndex *index, const Partials &to, unsigned reg) {
      return emit.elementPointer(to.base, to.element, index[to.byPart].get(reg, Dim::offset));
    };

    Value writes; // whether this lane has the result of its warp; null where all have
    if (laneMask && !isCommutative(op.getCombine()))
      writes = arith::CmpIOp::create(
          emit.builder, emit.loc, arith::CmpIPredicate::eq,
          arith::AndIOp::create(emit.builder, emit.loc, emit.threadId(), emit.i32(laneMask)),
          emit.i32(0));
    for (auto [source, to] : llvm::enumerate(sources))
      for (ArrayRef<unsigned> group : to.groups) {
        SmallVector<Value> neighbours;
        for (unsigned reg : group)
          neighbours.push_back(values[reg][source]);
        if (to.byPart)
          emit.store(Space::shared, address(written, to, group[0]), neighbours, writes);
        else
          for (auto [reg, value] : llvm::zip(group, neighbours))
            emit.store(Space::shared, address(written, to, reg), value, writes);
      }
    emit.barrier();

    // By register, part and source.
    SmallVector<SmallVector<SmallVector<Value>>> all(values.size());
    for (auto &ofRegister : all)
      ofRegister.assign(parts, SmallVector<Value>(values[0].size()));
    for (auto [source, from] : llvm::enumerate(sources)) {
      int64_t bytes = elementBytes(source);
      for (ArrayRef<unsigned> group : from.groups)
        if (from.byPart)
          for (unsigned part = 0; part < parts; ++part) {
            Value at = emit.bytePointer(address(read, from, group[0]),
                                        (int64_t(part) << rest.outBits()) * bytes);
            auto loaded = emit.load(Space::shared, at, from.element, group.size());
            for (auto [reg, value] : llvm::zip(group, loaded))
              all[reg][part][source] = value;
          }
        else
          for (unsigned reg : group)
            for (unsigned part = 0; part < parts; part += from.partsAtOnce) {
              Value at = emit.bytePointer(address(read, from, reg), part * bytes);
              auto loaded = emit.load(Space::shared, at, from.element, from.partsAtOnce);
              for (auto [i, value] : llvm::enumerate(loaded))
                all[reg][part + i][source] = value;
            }
    }
    for (unsigned reg = 0; reg < values.size(); ++reg) {
      if (!isKept(reg))
        continue;
      for (unsigned step = 1; step < parts; step *= 2)
        for (unsigned part = 0; part < parts; part += 2 * step)
          all[reg][part] = combined(all[reg][part], all[reg][part + step]);
      values[reg] = all[reg][0];
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
