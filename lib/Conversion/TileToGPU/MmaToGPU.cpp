// Matrix multiplication by the warp-wide matrix instructions (mma.sync, 16 x 8 results).
//
// A warp's instruction takes words of 32 bits: 4 of the left operand (rows r and r + 8, each for
// two halves of k), 2 of the right one, and 4 results. The layouts of operands and result give
// every thread exactly the elements that the instruction wants of it; what is left is to find the
// registers. Their rows, columns and k's differ from the thread's first element by constants, which
// name them:
//
//   left (row + 0 or 8, k), (..., k half)     right (k), (k half) by column     result (row + 0 or
//   8, column + 0 or 1)
//
// Which k's make up a step is free as long as left and right agree, for a sum does not care: the
// lowest k that registers differ by, beyond those within a word, is taken as the distance of the
// halves, the others are steps.
#include "Conversion/TileToGPU/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <map>

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;
using tile::Dim;
using tile::DotPrecision;
using tile::LinearLayout;
using tile::tensorDim;

namespace {
// The instruction for an element type.
struct Instruction {
  MmaType type;
  StringRef name;    // of the intrinsic, after the shape
  unsigned bits;     // of an element in a word
  unsigned k;        // elements along k of one instruction
  bool words = true; // operands are i32; else vectors of f16
};

// Registers by where they are relative to the first: (batch, row or column, k).
class Registers {
public:
  // `outer` and `inner` are the tensor's dims of row or column and of k (or of the result's
  // columns).
  Registers(RankedTensorType type, unsigned outer, unsigned inner) : layout(linearLayout(type)) {
    Dim batch = tensorDim(0);
    for (unsigned reg = 0; reg < layout.inSize(Dim::reg); ++reg) {
      tile::Coordinates at = layout.apply({{Dim::reg, reg}});
      auto along = [&](Dim dim) -> uint64_t {
        for (tile::Coordinate coordinate : at)
          if (coordinate.dim == dim)
            return coordinate.value;
        return 0;
      };
      places[{type.getRank() == 3 ? along(batch) : 0, along(tensorDim(outer)),
              along(tensorDim(inner))}] = reg;
    }
  }
  std::optional<unsigned> find(uint64_t batch, uint64_t outer, uint64_t inner) const {
    auto it = places.find({batch, outer, inner});
    return it == places.end() ? std::nullopt : std::optional(it->second);
  }
  // Constants along one of the three, in order.
  SmallVector<uint64_t> all(unsigned which) const {
    SmallVector<uint64_t> list;
    for (const auto &[at, reg] : places)
      list.push_back(which == 0 ? std::get<0>(at) : which == 1 ? std::get<1>(at) : std::get<2>(at));
    llvm::sort(list);
    list.erase(llvm::unique(list), list.end());
    return list;
  }

private:
  LinearLayout layout;
  std::map<std::tuple<uint64_t, uint64_t, uint64_t>, unsigned> places;
};

class MmaPattern final : public TilePattern<tile::DotOp> {
public:
  using TilePattern::TilePattern;
  LogicalResult matchAndRewrite(tile::DotOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override;

private:
  FailureOr<Instruction> chooseInstruction(tile::DotOp op) const;
};
} // namespace

FailureOr<Instruction> MmaPattern::chooseInstruction(tile::DotOp op) const {
  Type type = getElementTypeOrSelf(op.getLhs().getType());
  std::optional<Instruction> instruction;
  if (type.isF16())
    instruction = {MmaType::f16, "f32.f32", 16, 0, false};
  else if (type.isBF16())
    instruction = {MmaType::bf16, "bf16", 16, 0};
  else if (type.isF32() && op.getPrecision() != DotPrecision::ieee)
    instruction = {MmaType::tf32, "tf32", 32, 0};
  else if (type.isInteger(8))
    instruction = {MmaType::s8, "s8", 8, 0};
  if (instruction)
    for (const MmaShape &shape : context.facts.mmaShapes)
      if (shape.type == instruction->type && shape.m == 16 && shape.n == 8)
        instruction->k = std::max<unsigned>(instruction->k, shape.k);
  if (!instruction || instruction->k == 0)
    return op.emitOpError(
               "has a layout for matrix instructions, which the target lacks for elements of ")
           << type << " with precision " << stringifyDotPrecision(op.getPrecision());
  return *instruction;
}

// One word of an operand: neighbours along k.
static Value word(Emit &emit, ArrayRef<Value> parts, const Instruction &instruction) {
  if (instruction.words)
    return emit.pack(parts);
  return emit.vector(parts);
}

// tf32 has the sign, the exponent and the upper 10 bits of the fraction.
static Value roundToTf32(Emit &emit, Value value) {
  Value bits = emit.intrinsic("llvm.nvvm.f2tf32.rna", emit.builder.getI32Type(), {value});
  return emit.fromStorage(bits, value.getType());
}

LogicalResult MmaPattern::matchAndRewrite(tile::DotOp op, OneToNOpAdaptor adaptor,
                                          ConversionPatternRewriter &rewriter) const {
  auto result = cast<RankedTensorType>(op.getType());
  if (!isa<tile::MmaLayoutAttr>(result.getEncoding()))
    return rewriter.notifyMatchFailure(op, "expected a layout of matrix instructions");
  auto lhs = cast<RankedTensorType>(op.getLhs().getType());
  auto rhs = cast<RankedTensorType>(op.getRhs().getType());
  for (auto [index, operand] : {std::pair(0, lhs), std::pair(1, rhs)}) {
    auto layout = dyn_cast<tile::DotOperandLayoutAttr>(operand.getEncoding());
    if (!layout || layout.getIndex() != index || layout.getParent() != result.getEncoding())
      return op.emitOpError("has an operand of layout ")
             << operand.getEncoding() << ": expected #tile.dot_operand of the result's layout";
  }
  FailureOr<Instruction> instruction = chooseInstruction(op);
  if (failed(instruction))
    return failure();

  unsigned rank = result.getRank();
  Registers left(lhs, rank - 2, rank - 1), right(rhs, rank - 1, rank - 2),
      sums(result, rank - 2, rank - 1);
  unsigned perWord = 32 / instruction->bits;
  unsigned halves = instruction->k / (4 * perWord);
  // k's of words, and those of them that begin a step.
  SmallVector<uint64_t> ks = left.all(2), steps;
  if (ks != right.all(2))
    return op.emitOpError("has operands with different orders along k");
  llvm::erase_if(ks, [&](uint64_t k) { return k % perWord != 0; });
  uint64_t half = 0;
  if (halves == 2) {
    if (ks.size() < 2)
      return op.emitOpError("sums over ")
             << lhs.getDimSize(rank - 1) << " elements: the matrix instruction takes "
             << instruction->k;
    half = ks[1];
  }
  for (uint64_t k : ks)
    if ((k & half) == 0)
      steps.push_back(k);

  Emit emit(rewriter, op.getLoc());
  Type element = registerType(result);
  bool isInteger = element.isInteger();
  Type sumType = isInteger ? Type(rewriter.getI32Type()) : Type(rewriter.getF32Type());
  SmallVector<Value> accumulators(adaptor.getAcc());
  if (element != sumType)
    for (Value &value : accumulators)
      value = arith::ExtFOp::create(rewriter, op.getLoc(), sumType, value);

  // Parts of an f32 operand that are multiplied one by one: with tf32x3 what rounding leaves, too.
  unsigned parts =
      op.getPrecision() == DotPrecision::tf32x3 && instruction->type == MmaType::tf32 ? 2 : 1;
  auto split = [&](ValueRange values) {
    SmallVector<SmallVector<Value>> all(parts, llvm::to_vector(values));
    if (instruction->type == MmaType::tf32)
      for (unsigned i = 0; i < values.size(); ++i) {
        all[0][i] = roundToTf32(emit, values[i]);
        if (parts == 2) {
          Value rest = arith::SubFOp::create(rewriter, op.getLoc(), values[i], all[0][i]);
          all[1][i] = roundToTf32(emit, rest);
        }
      }
    return all;
  };
  SmallVector<SmallVector<Value>> lhsParts = split(adaptor.getLhs()),
                                  rhsParts = split(adaptor.getRhs());

  // The word at these constants; every word is packed once.
  std::map<std::tuple<unsigned, unsigned, unsigned>, Value> packed;
  auto wordAt = [&](unsigned side, unsigned part, const Registers &registers, uint64_t batch,
                    uint64_t outer, uint64_t k) -> Value {
    std::optional<unsigned> first = registers.find(batch, outer, k);
    if (!first)
      return {};
    Value &value = packed[{side, part, *first}];
    if (value)
      return value;
    SmallVector<Value> elements;
    ArrayRef<Value> values = side == 0 ? lhsParts[part] : rhsParts[part];
    for (unsigned e = 0; e < perWord; ++e) {
      std::optional<unsigned> place = registers.find(batch, outer, k + e);
      if (!place)
        return {};
      elements.push_back(values[*place]);
    }
    return value = word(emit, elements, *instruction);
  };

  std::string name =
      ("llvm.nvvm.mma.m16n8k" + llvm::Twine(instruction->k) + ".row.col." + instruction->name)
          .str();
  SmallVector<Type> resultTypes(4, sumType);
  for (uint64_t step : steps)
    for (uint64_t batch : sums.all(0))
      for (uint64_t row : sums.all(1))
        for (uint64_t column : sums.all(2)) {
          if (row & 8 || column & 1)
            continue;
          unsigned places[4] = {*sums.find(batch, row, column), *sums.find(batch, row, column + 1),
                                *sums.find(batch, row + 8, column),
                                *sums.find(batch, row + 8, column + 1)};
          // The small products first.
          for (unsigned pair = 0; pair < (parts == 2 ? 3u : 1u); ++pair) {
            unsigned lhsPart = parts == 2 && pair == 0, rhsPart = parts == 2 && pair == 1;
            SmallVector<Value> arguments;
            for (unsigned h = 0; h < halves; ++h)
              for (uint64_t r : {row, row + 8})
                arguments.push_back(wordAt(0, lhsPart, left, batch, r, step + h * half));
            for (unsigned h = 0; h < halves; ++h)
              arguments.push_back(wordAt(1, rhsPart, right, batch, column, step + h * half));
            for (unsigned place : places)
              arguments.push_back(accumulators[place]);
            assert(llvm::all_of(arguments, [](Value v) { return bool(v); }) &&
                   "layouts of one instruction");
            SmallVector<Value> made = emit.intrinsicStruct(name, resultTypes, arguments);
            for (unsigned i = 0; i < 4; ++i)
              accumulators[places[i]] = made[i];
          }
        }
  if (element != sumType)
    for (Value &value : accumulators)
      value = arith::TruncFOp::create(rewriter, op.getLoc(), element, value);
  rewriter.replaceOpWithMultiple(op, {accumulators});
  return success();
}

void teeny::gpu::populateMmaPatterns(KernelContext &context, RewritePatternSet &patterns) {
  patterns.add<MmaPattern>(context, patterns.getContext());
}
