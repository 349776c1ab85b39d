#include "Conversion/TileToGPU/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;
using tile::Dim;
using tile::LinearLayout;
using tile::tensorDim;

// Whether position bits of lanes and warps stay where they are and registers stay in the thread.
static bool staysInThread(const LinearLayout &map) {
  for (auto [dim, bits] : map.ins())
    for (unsigned bit = 0; bit < bits; ++bit)
      for (Dim out : {Dim::lane, Dim::warp, Dim::reg}) {
        if (dim == Dim::reg && out == Dim::reg)
          continue;
        uint64_t expected = dim == out ? uint64_t(1) << bit : 0;
        if (map.hasOut(out) && map.basis(dim, bit, out) != expected)
          return false;
      }
  return true;
}

std::optional<SmallVector<unsigned>> teeny::gpu::registersInPlace(const LinearLayout &from,
                                                                  const LinearLayout &to) {
  std::optional<LinearLayout> map = to.invertAndCompose(from);
  if (!map || !staysInThread(*map))
    return std::nullopt;
  LinearLayout registers = map->sublayout({Dim::reg}, {Dim::reg});
  SmallVector<unsigned> list;
  for (unsigned i = 0; i < to.inSize(Dim::reg); ++i)
    list.push_back(registers.apply(i));
  return list;
}

static LogicalResult reportMoves(Operation *op) {
  return op->emitOpError("would move elements between threads: expected a result layout that keeps "
                         "them, and a tile.convert_layout");
}

// Replaces a one-result operation by registers of its only tile operand.
static LogicalResult replaceInPlace(Operation *op, ValueRange source, const LinearLayout &from,
                                    const LinearLayout &to, ConversionPatternRewriter &rewriter) {
  auto places = registersInPlace(from, to);
  if (!places)
    return reportMoves(op);
  SmallVector<Value> registers;
  for (unsigned place : *places)
    registers.push_back(source[place]);
  rewriter.replaceOpWithMultiple(op, {registers});
  return success();
}

namespace {
class ArangePattern final : public TilePattern<tile::ArangeOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::ArangeOp op, OneToNOpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit emit(rewriter, op.getLoc());
    ThreadIndex index(emit, linearLayout(op.getType()));
    SmallVector<Value> registers;
    for (unsigned i = 0, n = registerCount(op.getType()); i < n; ++i) {
      Value value = index.get(i, tensorDim(0));
      if (op.getStart() != 0)
        value = arith::AddIOp::create(rewriter, op.getLoc(), value, emit.i32(op.getStart()));
      registers.push_back(value);
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

class SplatPattern final : public TilePattern<tile::SplatOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::SplatOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> registers(registerCount(op.getType()), adaptor.getSource()[0]);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

// expand_dims and reshape: the row-major index of an element stays.
template <typename Op> class ReshapePattern final : public TilePattern<Op> {
public:
  using TilePattern<Op>::TilePattern;
  LogicalResult matchAndRewrite(Op op,
                                typename Op::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto result = cast<RankedTensorType>(op.getType());
    LinearLayout from = linearLayout(op.getSource().getType()).reshape(result.getShape());
    return replaceInPlace(op, adaptor.getSource(), from, linearLayout(result), rewriter);
  }
};

class BroadcastPattern final : public TilePattern<tile::BroadcastOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::BroadcastOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto source = cast<RankedTensorType>(op.getSource().getType());
    LinearLayout to = linearLayout(op.getType());
    for (auto [i, size] : llvm::enumerate(source.getShape()))
      if (size == 1)
        to = to.resizeOut(tensorDim(i), 0);
    return replaceInPlace(op, adaptor.getSource(), linearLayout(source), to, rewriter);
  }
};

class TransPattern final : public TilePattern<tile::TransOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::TransOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinearLayout from = linearLayout(op.getSource().getType()).transpose(op.getOrder());
    return replaceInPlace(op, adaptor.getSource(), from, linearLayout(op.getType()), rewriter);
  }
};

// The last dim of the result says which source an element is from; it may depend on the thread.
class JoinPattern final : public TilePattern<tile::JoinOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::JoinOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    LinearLayout to = linearLayout(op.getType());
    Dim last = tensorDim(cast<RankedTensorType>(op.getType()).getRank() - 1);
    LinearLayout from = linearLayout(op.getLhs().getType());
    if (from != linearLayout(op.getRhs().getType()))
      return op.emitOpError("has operands of different layouts");
    auto places = registersInPlace(from, to.withoutOut(last));
    if (!places)
      return reportMoves(op);
    Emit emit(rewriter, op.getLoc());
    ThreadIndex index(emit, to);
    bool byThread = !to.isZero({Dim::lane, Dim::warp}, {last});
    SmallVector<Value> registers;
    for (auto [i, place] : llvm::enumerate(*places)) {
      Value lhs = adaptor.getLhs()[place], rhs = adaptor.getRhs()[place];
      if (!byThread) {
        bool second = to.sublayout({Dim::reg}, {last}).apply(i) != 0;
        registers.push_back(second ? rhs : lhs);
        continue;
      }
      Value second = arith::CmpIOp::create(rewriter, op.getLoc(), arith::CmpIPredicate::ne,
                                           index.get(i, last), emit.i32(0));
      registers.push_back(arith::SelectOp::create(rewriter, op.getLoc(), second, rhs, lhs));
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

class SplitPattern final : public TilePattern<tile::SplitOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::SplitOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto result = cast<RankedTensorType>(op.getLhs().getType());
    LinearLayout from = linearLayout(op.getSource().getType());
    if (result != op.getRhs().getType())
      return op.emitOpError("has results of different layouts");
    // Element (e, 0) of the source for element e of the left half; its neighbour for the right.
    SmallVector<int64_t> shape(result.getShape());
    shape.push_back(1);
    Dim last = tensorDim(shape.size() - 1);
    auto places = registersInPlace(from, linearLayout(result).reshape(shape).resizeOut(last, 1));
    if (!places || !from.isZero({Dim::lane, Dim::warp}, {last}))
      return reportMoves(op);
    std::optional<unsigned> neighbour;
    for (unsigned bit = 0; bit < from.inBits(Dim::reg); ++bit)
      if (from.basis(Dim::reg, bit) == from.packOut({{last, 1}}))
        neighbour = 1u << bit;
    if (!neighbour)
      return reportMoves(op);
    SmallVector<Value> lhs, rhs;
    for (unsigned place : *places) {
      lhs.push_back(adaptor.getSource()[place]);
      rhs.push_back(adaptor.getSource()[place ^ *neighbour]);
    }
    rewriter.replaceOpWithMultiple(op, {lhs, rhs});
    return success();
  }
};
} // namespace

void teeny::gpu::populateMakeTilePatterns(KernelContext &context, RewritePatternSet &patterns) {
  patterns.add<ArangePattern, SplatPattern, ReshapePattern<tile::ExpandDimsOp>,
               ReshapePattern<tile::ReshapeOp>, BroadcastPattern, TransPattern, JoinPattern,
               SplitPattern>(context, patterns.getContext());
}
