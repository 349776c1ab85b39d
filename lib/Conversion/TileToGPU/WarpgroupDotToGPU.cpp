// Dots by the matrix instructions of warp groups (wgmma), which take operands from shared memory.
//
// Four warps multiply a [64, 16] part of the left operand by a [16, N] part of the right one. The
// right operand, and mostly the left one, are read from shared memory, at places that a descriptor
// states: rows of up to 128 bytes, eight of which make a block whose 16-byte pieces are swizzled.
// SwizzledBuffer.h (warpgroupBuffer) has the layout, seen as a linear map. A descriptor is
//
//   bits 0-13   address / 16 of the first element        16-29  distance of the blocks along a row
//   / 16 bits 32-45  distance of the blocks of 8 rows / 16    62-63  swizzle: 1, 2, 3 for rows of
//   128, 64, 32 bytes
//
// where rows run along k ("k major") or along the other dim, which a flag of the instruction says.
// The hardware swizzles by bits of the address itself, so buffers begin at multiples of 1024, and a
// step along a row is a step of the address. Threads hold the accumulators as after mma.sync, and
// a left operand in registers as mma.sync takes it.
//
// The instructions of one dot are one group, which runs on until a wait for all groups but the last
// so many. Meanwhile nothing may touch their registers: the dot's results go, as they are, to an
// empty piece of assembly with that wait, whose results are the same registers. To the compiler
// these are values like others; ptxas, which knows the instructions, keeps them where they are.
#include "Conversion/TileToGPU/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;
using tile::Dim;
using tile::LinearLayout;
using tile::tensorDim;

namespace {
// An operand in shared memory.
struct Operand {
  WarpgroupBuffer buffer;
  Value descriptor;  // i64, of the slot's first element
  unsigned kDim = 0; // of its tile

  // Whether rows run along k.
  bool isKMajor() const { return buffer.rowDim == kDim; }
  // Bytes from the first element to one at a multiple of 8 along the other dim and of 16 along k.
  int64_t distance(int64_t other, int64_t k) const {
    int64_t row = isKMajor() ? other : k, along = isKMajor() ? k : other;
    return along / buffer.rowElements * buffer.rows * buffer.rowBytes() + row * buffer.rowBytes() +
           along % buffer.rowElements * buffer.elementBytes;
  }
};

// Of f32 results; if `tied`, the first operands are their registers.
std::string constraintsOf(unsigned results, bool tied) {
  std::string constraints = "=f";
  for (unsigned i = 1; i < results; ++i)
    constraints += ",=f";
  for (unsigned i = 0; tied && i < results; ++i)
    constraints += "," + std::to_string(i);
  return constraints;
}

class WarpgroupDotPattern final : public TilePattern<tile::WarpgroupDotOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::WarpgroupDotOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override;
};

class WaitDotsPattern final : public TilePattern<tile::WaitDotsOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::WaitDotsOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    ValueRange sums = adaptor.getDot();
    std::string text = "wgmma.wait_group.sync.aligned " + std::to_string(op.getPending()) + ";";
    SmallVector<Type> types(sums.getTypes());
    Emit emit(rewriter, op.getLoc());
    rewriter.replaceOpWithMultiple(
        op, {emit.assembly(text, constraintsOf(sums.size(), /*tied=*/true) + ",~{memory}", types,
                           sums, /*sideEffects=*/true)});
    return success();
  }
};
} // namespace

static Operand makeOperand(Emit &emit, tile::BufferType type, Value buffer, Value slot,
                           unsigned kDim) {
  Operand operand{warpgroupBuffer(type), {}, kDim};
  const WarpgroupBuffer &layout = operand.buffer;
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(emit.builder, emit.loc, a, b);
  };
  Value offset = arith::MulIOp::create(emit.builder, emit.loc, slot, emit.i32(slotBytes(type)));
  Value address = emit.elementPointer(buffer, emit.builder.getI8Type(), offset);
  // Shared memory has less than 2^18 bytes.
  Value bits =
      arith::ShRUIOp::create(emit.builder, emit.loc, emit.sharedAddress(address), emit.i32(4));
  Value wide = arith::ExtUIOp::create(emit.builder, emit.loc, emit.builder.getI64Type(), bits);
  int64_t rowBytes = layout.rowBytes();
  int64_t swizzle = rowBytes == 128 ? 1 : rowBytes == 64 ? 2 : 3;
  int64_t fixed = (layout.rows * rowBytes / 16) << 16 | (8 * rowBytes / 16) << 32 | swizzle << 62;
  operand.descriptor = add(wide, emit.i64(fixed));
  return operand;
}

LogicalResult WarpgroupDotPattern::matchAndRewrite(tile::WarpgroupDotOp op, OneToNOpAdaptor adaptor,
                                                   ConversionPatternRewriter &rewriter) const {
  auto result = cast<RankedTensorType>(op.getType());
  auto rhsType = cast<tile::BufferType>(op.getRhs().getType());
  auto lhsBuffer = dyn_cast<tile::BufferType>(op.getLhs().getType());
  Emit emit(rewriter, op.getLoc());
  unsigned rhsK = op.getRhsTransposed() ? 1 : 0, lhsK = op.getLhsTransposed() ? 0 : 1;
  int64_t m = result.getDimSize(0), n = result.getDimSize(1);
  int64_t k = rhsType.getTile().getDimSize(rhsK);
  bool isHalf = rhsType.getTile().getElementType().isF16();

  auto plus = [&](Value descriptor, int64_t bytes) -> Value {
    return bytes ? arith::AddIOp::create(rewriter, op.getLoc(), descriptor, emit.i64(bytes / 16))
                       .getResult()
                 : descriptor;
  };
  Operand right =
      makeOperand(emit, rhsType, adaptor.getRhs().front(), adaptor.getRhsSlot().front(), rhsK);
  Operand left;
  int groups = context.warps / 4;
  if (lhsBuffer) {
    left =
        makeOperand(emit, lhsBuffer, adaptor.getLhs().front(), adaptor.getLhsSlot().front(), lhsK);
    if (groups > 1) {
      // Each group begins 64 rows behind the one before; the same for all threads of a warp.
      Value group = arith::ShRUIOp::create(rewriter, op.getLoc(), emit.threadId(), emit.i32(7));
      Value same = emit.shuffleFrom(group, emit.i32(0));
      Value wide = arith::ExtUIOp::create(rewriter, op.getLoc(), rewriter.getI64Type(), same);
      Value moved =
          arith::MulIOp::create(rewriter, op.getLoc(), wide, emit.i64(left.distance(64, 0) / 16));
      left.descriptor = arith::AddIOp::create(rewriter, op.getLoc(), left.descriptor, moved);
    }
  }

  // All instructions as one piece of assembly: nothing may touch the accumulators in between. Where
  // they begin at zero the first instruction of each block ignores what the registers hold.
  SmallVector<Value> sums(adaptor.getAcc()), inputs;
  bool fromZero = llvm::all_of(sums, [](Value sum) { return matchPattern(sum, m_AnyZeroFloat()); });
  unsigned count = sums.size();
  auto name = [&](Value value) {
    auto it = llvm::find(inputs, value);
    unsigned index = it - inputs.begin();
    if (it == inputs.end())
      inputs.push_back(value);
    return "$" + std::to_string((fromZero ? 1 : 2) * count + index);
  };
  unsigned perBlock = n / 2; // registers of 64 rows
  std::string text = "wgmma.fence.sync.aligned;\n";
  auto packed = [&](unsigned first) {
    SmallVector<Value> pair{adaptor.getLhs()[first], adaptor.getLhs()[first + 1]};
    return emit.pack(pair);
  };
  // Of the left operand in registers: those of 16 k's, 8 to a thread, come together, then further
  // k's, then further rows.
  for (int64_t block = 0; block * 64 * groups < m; ++block)
    for (int64_t step = 0; step < k; step += 16) {
      std::string list;
      for (unsigned i = 0; i < perBlock; ++i)
        list += (i ? ", $" : "$") + std::to_string(block * perBlock + i);
      std::string a;
      if (lhsBuffer) {
        a = name(plus(left.descriptor, left.distance(block * 64 * groups, step)));
      } else {
        unsigned first = (block * k + step) / 2;
        for (unsigned word = 0; word < 4; ++word)
          a += (word ? ", " : "{") + name(packed(first + 2 * word));
        a += "}";
      }
      std::string type = isHalf ? "f16" : "bf16";
      text += "wgmma.mma_async.sync.aligned.m64n" + std::to_string(n) + "k16.f32." + type + "." +
              type + " {" + list + "}, " + a + ", " +
              name(plus(right.descriptor, right.distance(0, step))) +
              (fromZero && step == 0 ? ", 0, 1, 1" : ", 1, 1, 1") +
              (lhsBuffer ? left.isKMajor() ? ", 0" : ", 1" : "") +
              (right.isKMajor() ? ", 0" : ", 1") + ";\n";
    }
  text += "wgmma.commit_group.sync.aligned;";
  std::string constraints = constraintsOf(count, /*tied=*/!fromZero);
  SmallVector<Value> operands;
  if (!fromZero)
    operands = sums;
  for (Value input : inputs) {
    constraints += input.getType().isInteger(64) ? ",l" : ",r";
    operands.push_back(input);
  }
  SmallVector<Type> types(count, rewriter.getF32Type());
  rewriter.replaceOpWithMultiple(
      op, {emit.assembly(text, constraints + ",~{memory}", types, operands, /*sideEffects=*/true)});
  return success();
}

void teeny::gpu::populateWarpgroupDotPatterns(KernelContext &context, RewritePatternSet &patterns) {
  patterns.add<WarpgroupDotPattern, WaitDotsPattern>(context, patterns.getContext());
}
