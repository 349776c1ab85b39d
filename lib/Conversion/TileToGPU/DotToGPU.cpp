// Matrix multiplication by multiply-adds of single elements, for operands whose threads hold all
// that their results need (`dot_operand` with a `blocked` parent). MmaToGPU.cpp has the matrix
// instructions.
#include "Conversion/TileToGPU/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;
using tile::Dim;
using tile::LinearLayout;
using tile::tensorDim;

// Where the elements of an operand lie that the results in `acc` are made of: the register of the
// operand for each (register of acc, k), k running slowest. `free` is the dim that the operand has
// in common with the result, besides batches: rows for the left, columns for the right; `k` the dim
// that is summed over.
static std::optional<SmallVector<unsigned>>
operandRegisters(RankedTensorType operand, const LinearLayout &acc, unsigned free, unsigned k) {
  LinearLayout needed({}, tile::tensorExtents(operand.getShape()));
  unsigned rank = operand.getRank();
  auto image = [&](Dim in, unsigned bit) {
    tile::Coordinates at{{tensorDim(free), acc.basis(in, bit, tensorDim(free))}};
    if (rank == 3)
      at.push_back({tensorDim(0), acc.basis(in, bit, tensorDim(0))});
    return at;
  };
  for (unsigned bit = 0; bit < acc.inBits(Dim::reg); ++bit)
    needed.addBasis(Dim::reg, image(Dim::reg, bit));
  for (unsigned bit = 0; bit < llvm::Log2_64(operand.getDimSize(k)); ++bit)
    needed.addBasis(Dim::reg, {{tensorDim(k), uint64_t(1) << bit}});
  for (Dim in : {Dim::lane, Dim::warp})
    for (unsigned bit = 0; bit < acc.inBits(in); ++bit)
      needed.addBasis(in, image(in, bit));
  return registersInPlace(linearLayout(operand), needed);
}

static Value widen(Emit &emit, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (isa<FloatType>(type))
    return arith::ExtFOp::create(emit.builder, emit.loc, type, value);
  return arith::ExtSIOp::create(emit.builder, emit.loc, type, value);
}

namespace {
class DotPattern final : public TilePattern<tile::DotOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::DotOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto lhs = cast<RankedTensorType>(op.getLhs().getType());
    auto rhs = cast<RankedTensorType>(op.getRhs().getType());
    auto result = cast<RankedTensorType>(op.getType());
    if (isa<tile::MmaLayoutAttr>(result.getEncoding()))
      return rewriter.notifyMatchFailure(op, "expected a layout without matrix instructions");
    unsigned rank = result.getRank();
    LinearLayout acc = linearLayout(result);
    auto lhsAt = operandRegisters(lhs, acc, rank - 2, rank - 1);
    auto rhsAt = operandRegisters(rhs, acc, rank - 1, rank - 2);
    if (!lhsAt || !rhsAt)
      return op.emitOpError(
          "has operands whose threads lack elements that their results need: expected layouts "
          "#tile.dot_operand of the result's");
    Type element = registerType(result);
    if (registerType(lhs) != lhs.getElementType() || registerType(rhs) != rhs.getElementType())
      return op.emitOpError("multiplies elements of ")
             << lhs.getElementType() << ", which needs matrix instructions";

    Emit emit(rewriter, op.getLoc());
    SmallVector<Value> left(adaptor.getLhs()), right(adaptor.getRhs()), sums(adaptor.getAcc());
    for (Value &value : left)
      value = widen(emit, value, element);
    for (Value &value : right)
      value = widen(emit, value, element);
    unsigned n = sums.size();
    for (unsigned k = 0; k < lhs.getDimSize(rank - 1); ++k)
      for (unsigned i = 0; i < n; ++i) {
        Value a = left[(*lhsAt)[k * n + i]], b = right[(*rhsAt)[k * n + i]];
        if (isa<FloatType>(element)) {
          sums[i] = emit.fma(a, b, sums[i]);
        } else {
          Value product = arith::MulIOp::create(rewriter, op.getLoc(), a, b);
          sums[i] = arith::AddIOp::create(rewriter, op.getLoc(), sums[i], product);
        }
      }
    rewriter.replaceOpWithMultiple(op, {sums});
    return success();
  }
};
} // namespace

void teeny::gpu::populateDotPatterns(KernelContext &context, RewritePatternSet &patterns) {
  patterns.add<DotPattern>(context, patterns.getContext());
}
