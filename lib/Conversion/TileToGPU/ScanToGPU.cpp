// Prefix combinations. The scan works on layouts in which the bits of an index along the axis come,
// from the lowest up, from registers, then lanes, then warps, then registers again (rows of `run`
// in the example):
//
//   axis of 512, registers = [2], lanes = [32], warps = [4], so 256 elements a run and 2 runs:
//
//   index  = register bit 0 | lane bits 0..4 | warp bits 0..1 | register bit 1
//
//   1. each thread scans the elements of its run: 2 of them. Their last value is the thread's
//   total.
//   2. lanes scan the totals by shuffles; each takes the lane before it as its prefix.
//   3. warps write the totals of their last lane, and read those of all: theirs are the warps
//   before, and all of them
//      together are the run's total.
//   4. every element is combined with what is before it: earlier runs, earlier warps, earlier
//   lanes.
//
// Any other layout is exchanged for such a one through shared memory, and back. A reversed scan is
// the same with all indices along the axis complemented.
#include "Conversion/TileToGPU/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;
using tile::Dim;
using tile::LinearLayout;
using tile::tensorDim;

namespace {
// Which bits of a position run along the axis, each list from the lowest index bit up.
struct AxisBits {
  SmallVector<unsigned> inRun, lanes, warps, runs;
};

// A prefix that may be missing: `present` null means that it is there in every thread.
struct Prefix {
  SmallVector<Value> values; // none at all if empty
  Value present;
};
} // namespace

// The bits, if the layout is of the required form.
static std::optional<AxisBits> findAxisBits(const LinearLayout &layout, unsigned axis) {
  Dim out = tensorDim(axis);
  AxisBits bits;
  unsigned found = 0;
  for (unsigned index = 0; index < layout.outBits(out); ++index) {
    uint64_t image = layout.packOut({{out, uint64_t(1) << index}});
    auto find = [&](Dim in) -> std::optional<unsigned> {
      for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
        if (layout.basis(in, bit) == image)
          return bit;
      return std::nullopt;
    };
    if (auto reg = find(Dim::reg))
      (bits.lanes.empty() && bits.warps.empty() ? bits.inRun : bits.runs).push_back(*reg);
    else if (auto lane = find(Dim::lane); lane && bits.warps.empty() && bits.runs.empty())
      bits.lanes.push_back(*lane);
    else if (auto warp = find(Dim::warp); warp && bits.runs.empty())
      bits.warps.push_back(*warp);
    else
      return std::nullopt;
    ++found;
  }
  // Nothing else may move along the axis, and the lane and warp bits must be neighbours.
  unsigned moving = 0;
  for (Dim in : {Dim::reg, Dim::lane, Dim::warp})
    for (unsigned bit = 0; bit < layout.inBits(in); ++bit)
      moving += layout.basis(in, bit, out) != 0;
  for (auto *list : {&bits.lanes, &bits.warps})
    for (unsigned i = 1; i < list->size(); ++i)
      if ((*list)[i] != (*list)[i - 1] + 1)
        return std::nullopt;
  return moving == found ? std::optional(bits) : std::nullopt;
}

// A layout of the required form: lanes, then warps, then registers along the axis, then the other
// dims.
static LinearLayout scannable(RankedTensorType type, unsigned axis, unsigned warps) {
  tile::Extents outs = tile::tensorExtents(type.getShape());
  LinearLayout layout({}, outs);
  SmallVector<uint64_t> images;
  auto addDim = [&](tile::Extent extent) {
    for (unsigned bit = 0; bit < extent.bits; ++bit)
      images.push_back(layout.packOut({{extent.dim, uint64_t(1) << bit}}));
  };
  for (tile::Extent extent : outs)
    if (extent.dim == tensorDim(axis))
      addDim(extent);
  for (tile::Extent extent : outs)
    if (extent.dim != tensorDim(axis))
      addDim(extent);
  unsigned next = 0;
  auto take = [&] { return next < images.size() ? images[next++] : 0; };
  SmallVector<uint64_t> lanes, warpBases;
  for (unsigned bit = 0; bit < 5; ++bit)
    lanes.push_back(take());
  for (unsigned bit = 0; bit < llvm::Log2_32(warps); ++bit)
    warpBases.push_back(take());
  while (next < images.size())
    layout.addBasis(Dim::reg, take());
  for (uint64_t basis : lanes)
    layout.addBasis(Dim::lane, basis);
  for (uint64_t basis : warpBases)
    layout.addBasis(Dim::warp, basis);
  return layout;
}

namespace {
class Scan {
public:
  Scan(tile::ScanOp op, Emit &emit, KernelContext &context, LinearLayout layout, AxisBits bits,
       SmallVector<SmallVector<Value>> values)
      : op(op), emit(emit), context(context), layout(std::move(layout)), bits(std::move(bits)),
        values(std::move(values)), flip(op.getReverse()) {
    for (unsigned reg = 0; reg < this->values.size(); ++reg)
      if ((reg & maskOf(this->bits.inRun)) == 0 && (reg & maskOf(this->bits.runs)) == 0)
        others.push_back(reg);
  }

  static int64_t exchangedBytes(tile::ScanOp op, const LinearLayout &layout, const AxisBits &bits) {
    int64_t bytes = 0;
    for (Value source : op.getSources())
      bytes = llvm::alignTo(
          bytes + (storageBits(registerType(source.getType())) / 8 << totalBits(layout, bits)), 16);
    return bytes;
  }

  SmallVector<SmallVector<Value>> run() {
    for (unsigned other : others)
      for (unsigned run = 0; run < runs(); ++run)
        for (unsigned i = 1; i < inRun(); ++i)
          at(other, run, i) = combined(at(other, run, i - 1), at(other, run, i));
    SmallVector<SmallVector<SmallVector<Value>>> totals; // of lanes up to this, by other and run
    for (unsigned other : others) {
      totals.emplace_back();
      for (unsigned run = 0; run < runs(); ++run)
        totals.back().push_back(scanLanes(at(other, run, inRun() - 1)));
    }
    SmallVector<SmallVector<SmallVector<SmallVector<Value>>>> ofWarps;
    if (!bits.warps.empty())
      ofWarps = exchangeTotals(totals);
    for (unsigned o = 0; o < others.size(); ++o) {
      Prefix before;
      for (unsigned run = 0; run < runs(); ++run) {
        Prefix mine = before;
        SmallVector<Value> runTotal;
        if (!bits.warps.empty()) {
          mine = join(mine, earlierWarps(ofWarps[o][run]));
          runTotal = ofWarps[o][run].back();
          for (unsigned w = ofWarps[o][run].size() - 1; w-- > 0;)
            runTotal = combined(ofWarps[o][run][w], runTotal);
        } else {
          runTotal = ofLastLane(totals[o][run]);
        }
        mine = join(mine, earlierLanes(totals[o][run]));
        if (!mine.values.empty())
          for (unsigned i = 0; i < inRun(); ++i)
            apply(mine, at(others[o], run, i));
        if (run + 1 < runs())
          before = join(before, {runTotal, nullptr});
      }
    }
    return std::move(values);
  }

private:
  static unsigned maskOf(ArrayRef<unsigned> list) {
    unsigned mask = 0;
    for (unsigned bit : list)
      mask |= 1u << bit;
    return mask;
  }
  unsigned inRun() const { return 1u << bits.inRun.size(); }
  unsigned runs() const { return 1u << bits.runs.size(); }

  static unsigned spread(unsigned index, ArrayRef<unsigned> list) {
    unsigned result = 0;
    for (auto [i, bit] : llvm::enumerate(list))
      if (index >> i & 1)
        result |= 1u << bit;
    return result;
  }
  // The values of element i of a run, counted in the direction of the scan.
  SmallVector<Value> &at(unsigned other, unsigned run, unsigned i) {
    if (flip)
      run = runs() - 1 - run, i = inRun() - 1 - i;
    return values[other | spread(run, bits.runs) | spread(i, bits.inRun)];
  }

  SmallVector<Value> combined(ValueRange lhs, ValueRange rhs) {
    return combine(emit.builder, op.getCombine(), lhs, rhs);
  }
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(emit.builder, emit.loc, predicate, lhs, rhs);
  }
  SmallVector<Value> select(Value condition, ValueRange yes, ValueRange no) {
    SmallVector<Value> results;
    for (auto [a, b] : llvm::zip(yes, no))
      results.push_back(arith::SelectOp::create(emit.builder, emit.loc, condition, a, b));
    return results;
  }

  // The index of this thread among those along the axis, in the direction of the scan; `first` is
  // the place of its lowest bit in the thread id.
  Value placeAlong(unsigned first, unsigned count) {
    OpBuilder &builder = emit.builder;
    Value id = arith::ShRUIOp::create(builder, emit.loc, emit.threadId(), emit.i32(first));
    Value mask = emit.i32((1 << count) - 1);
    if (flip)
      id = arith::XOrIOp::create(builder, emit.loc, id, mask);
    return arith::AndIOp::create(builder, emit.loc, id, mask);
  }

  SmallVector<Value> shuffled(ValueRange element, Value lane) {
    SmallVector<Value> results;
    for (Value value : element)
      results.push_back(emit.shuffleFrom(value, lane));
    return results;
  }

  // Totals of the lanes up to this one: in each step those of twice as many.
  SmallVector<Value> scanLanes(SmallVector<Value> total) {
    OpBuilder &builder = emit.builder;
    for (auto [step, bit] : llvm::enumerate(bits.lanes)) {
      // From the last lane of the half before, which the lanes of the other half combine with
      // theirs.
      int64_t below = ((int64_t(1) << step) - 1) << bits.lanes[0];
      int64_t own = int64_t(1) << bit;
      Value lane = emit.threadId();
      Value half = arith::AndIOp::create(builder, emit.loc, lane, emit.i32(own));
      Value from;
      if (flip) {
        // Complemented: bit set, those below clear.
        from = arith::OrIOp::create(builder, emit.loc, lane, emit.i32(own));
        from = arith::AndIOp::create(builder, emit.loc, from, emit.i32(~below));
      } else {
        from = arith::AndIOp::create(builder, emit.loc, lane, emit.i32(~own));
        from = arith::OrIOp::create(builder, emit.loc, from, emit.i32(below));
      }
      Value isLater =
          compare(flip ? arith::CmpIPredicate::eq : arith::CmpIPredicate::ne, half, emit.i32(0));
      total = select(isLater, combined(shuffled(total, from), total), total);
    }
    return total;
  }

  // What the last lane along the axis has.
  SmallVector<Value> ofLastLane(ValueRange total) {
    if (bits.lanes.empty())
      return llvm::to_vector(total);
    Value mask = emit.i32(flip ? ~int64_t(maskOf(bits.lanes)) : int64_t(maskOf(bits.lanes)));
    Value lane = emit.threadId();
    lane = flip ? Value(arith::AndIOp::create(emit.builder, emit.loc, lane, mask))
                : Value(arith::OrIOp::create(emit.builder, emit.loc, lane, mask));
    return shuffled(total, lane);
  }

  Prefix earlierLanes(ValueRange total) {
    if (bits.lanes.empty())
      return {};
    Value one = emit.i32((flip ? 1 : -1) * (int64_t(1) << bits.lanes[0]));
    Value lane = arith::AddIOp::create(emit.builder, emit.loc, emit.threadId(), one);
    Value place = placeAlong(bits.lanes[0], bits.lanes.size());
    return {shuffled(total, lane), compare(arith::CmpIPredicate::ne, place, emit.i32(0))};
  }

  Prefix earlierWarps(ArrayRef<SmallVector<Value>> totals) {
    Value place = placeAlong(5 + bits.warps[0], bits.warps.size());
    // Combined up to each warp; the thread takes the one before its own.
    SmallVector<Value> upTo = totals[0], mine = totals[0];
    for (unsigned w = 1; w + 1 < totals.size(); ++w) {
      upTo = combined(upTo, totals[w]);
      mine = select(compare(arith::CmpIPredicate::ugt, place, emit.i32(w)), upTo, mine);
    }
    return {mine, compare(arith::CmpIPredicate::ne, place, emit.i32(0))};
  }

  Prefix join(const Prefix &first, const Prefix &second) {
    if (first.values.empty())
      return second;
    if (second.values.empty())
      return first;
    SmallVector<Value> both = combined(first.values, second.values);
    Prefix result;
    // Where the second is missing the first remains, where the first is missing the second.
    if (second.present)
      both = select(second.present, both, first.values);
    if (first.present) {
      both = select(first.present, both, second.values);
      if (second.present)
        result.present =
            arith::OrIOp::create(emit.builder, emit.loc, first.present, second.present);
    }
    result.values = both;
    return result;
  }

  void apply(const Prefix &prefix, SmallVector<Value> &element) {
    SmallVector<Value> both = combined(prefix.values, element);
    element = prefix.present ? select(prefix.present, both, element) : both;
  }

  // Bits of the number of totals: one for each warp along the axis and element beside it.
  static unsigned totalBits(const LinearLayout &layout, const AxisBits &bits) {
    unsigned axisBits = bits.inRun.size() + bits.lanes.size() + bits.warps.size();
    return layout.outBits() - axisBits + bits.warps.size();
  }

  // The totals of every warp along the axis, by other, run and warp.
  SmallVector<SmallVector<SmallVector<SmallVector<Value>>>>
  exchangeTotals(ArrayRef<SmallVector<SmallVector<Value>>> totals) {
    // A total's number: the warp along the axis in the lowest bits, then the runs and all else.
    unsigned outBits = totalBits(layout, bits), warpBits = bits.warps.size();
    LinearLayout places({}, {{Dim::offset, outBits}}), begins = places;
    unsigned next = warpBits;
    SmallVector<uint64_t> seen, given;
    for (Dim in : {Dim::reg, Dim::lane, Dim::warp})
      for (unsigned bit = 0; bit < layout.inBits(in); ++bit) {
        bool along = (in == Dim::reg && llvm::is_contained(bits.inRun, bit)) ||
                     (in == Dim::lane && llvm::is_contained(bits.lanes, bit));
        uint64_t image = 0;
        auto *warp = llvm::find(bits.warps, bit);
        bool ofAxis = in == Dim::warp && warp != bits.warps.end();
        if (!along && !ofAxis && layout.basis(in, bit) != 0) {
          auto *known = llvm::find(seen, layout.basis(in, bit));
          if (known == seen.end()) {
            seen.push_back(layout.basis(in, bit));
            given.push_back(uint64_t(1) << next++);
            image = given.back();
          } else {
            image = given[known - seen.begin()];
          }
        }
        begins.addBasis(in, image);
        places.addBasis(in, ofAxis ? uint64_t(1) << (warp - bits.warps.begin()) : image);
      }
    Value base = context.scratch.begin(emit, exchangedBytes(op, layout, bits));
    ThreadIndex written(emit, places), read(emit, begins);
    auto address = [&](ThreadIndex &index, unsigned reg, unsigned source) {
      int64_t offset = 0;
      for (unsigned i = 0; i < source; ++i)
        offset = llvm::alignTo(
            offset + (storageBits(registerType(op.getSources()[i].getType())) / 8 << outBits), 16);
      return emit.elementPointer(emit.bytePointer(base, offset), totals[0][0][source].getType(),
                                 index.get(reg, Dim::offset));
    };
    Value isLast;
    if (!bits.lanes.empty())
      isLast = compare(arith::CmpIPredicate::eq, placeAlong(bits.lanes[0], bits.lanes.size()),
                       emit.i32((1 << bits.lanes.size()) - 1));
    auto registerOf = [&](unsigned other, unsigned run) {
      return others[other] | spread(flip ? runs() - 1 - run : run, bits.runs);
    };
    for (unsigned o = 0; o < others.size(); ++o)
      for (unsigned run = 0; run < runs(); ++run)
        for (auto [i, value] : llvm::enumerate(totals[o][run]))
          emit.store(Space::shared, address(written, registerOf(o, run), i), value, isLast);
    emit.barrier();

    SmallVector<SmallVector<SmallVector<SmallVector<Value>>>> all(others.size());
    for (unsigned o = 0; o < others.size(); ++o)
      for (unsigned run = 0; run < runs(); ++run) {
        SmallVector<SmallVector<Value>> ofWarps(1u << warpBits);
        for (unsigned i = 0; i < totals[o][run].size(); ++i) {
          Type type = totals[o][run][i].getType();
          for (unsigned w = 0; w < ofWarps.size(); ++w) {
            unsigned place = flip ? ofWarps.size() - 1 - w : w;
            Value from = emit.bytePointer(address(read, registerOf(o, run), i),
                                          place * (storageBits(type) / 8));
            ofWarps[w].push_back(emit.load(Space::shared, from, type, 1).front());
          }
        }
        all[o].push_back(std::move(ofWarps));
      }
    return all;
  }

  tile::ScanOp op;
  Emit &emit;
  KernelContext &context;
  LinearLayout layout;
  AxisBits bits;
  SmallVector<SmallVector<Value>> values; // by register, then by source
  SmallVector<unsigned> others;           // registers at the begin of the axis, for all other dims
  bool flip;
};

class ScanPattern final : public TilePattern<tile::ScanOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::ScanOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (failed(verifyCombine(op, op.getCombine())))
      return failure();
    auto type = cast<RankedTensorType>(op.getSources()[0].getType());
    LinearLayout given = linearLayout(type), layout = given;
    for (Type other : llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                               llvm::to_vector(op.getResultTypes())))
      if (linearLayout(other) != given)
        return op.emitOpError("has sources or results of different layouts");
    std::optional<AxisBits> bits = findAxisBits(given, op.getAxis());
    bool moves = !bits;
    if (moves) {
      layout = scannable(type, op.getAxis(), context.warps);
      bits = findAxisBits(layout, op.getAxis());
      for (Value source : op.getSources())
        if (failed(context.scratch.verifyFits(op, exchangeBytes(source.getType(), given))))
          return failure();
    }
    if (failed(context.scratch.verifyFits(op, Scan::exchangedBytes(op, layout, *bits))))
      return failure();

    Emit emit(rewriter, op.getLoc());
    SmallVector<SmallVector<Value>> values(layout.inSize(Dim::reg));
    for (ValueRange source : adaptor.getSources()) {
      SmallVector<Value> registers =
          moves ? exchange(emit, context, source, given, layout) : llvm::to_vector(source);
      for (auto [list, value] : llvm::zip(values, registers))
        list.push_back(value);
    }
    values = Scan(op, emit, context, layout, *bits, std::move(values)).run();
    SmallVector<SmallVector<Value>> results(op.getNumResults());
    for (auto [i, result] : llvm::enumerate(results)) {
      for (const SmallVector<Value> &element : values)
        result.push_back(element[i]);
      if (moves)
        result = exchange(emit, context, result, layout, given);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }
};
} // namespace

void teeny::gpu::populateScanPatterns(KernelContext &context, RewritePatternSet &patterns) {
  patterns.add<ScanPattern>(context, patterns.getContext());
}
