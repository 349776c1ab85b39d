// tl.inline_asm_elementwise: `pack` registers of each operand at a time go through the source's
// PTX.
#include "Conversion/TileToGPU/Patterns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::gpu;

namespace {
// Elements that share a register, and the register's type by its constraint: the front end has seen
// to it that its width is right.
struct Register {
  unsigned elements;
  Type type;
};

Register registerOf(OpBuilder &builder, Type element, unsigned pack) {
  unsigned bits = storageBits(element);
  unsigned elements = bits < 32 ? std::min(pack, 32 / bits) : 1;
  return {elements, builder.getIntegerType(std::max(16u, bits * elements))};
}

class InlineAsmPattern final : public TilePattern<tile::InlineAsmOp> {
public:
  InlineAsmPattern(KernelContext &context, MLIRContext *mlirContext)
      : TilePattern(context, mlirContext, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(tile::InlineAsmOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Emit emit(rewriter, op.getLoc());
    unsigned pack = op.getPack(), count = 1;
    for (Type type : op->getResultTypes())
      count = std::max(count, registerCount(type));
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    SmallVector<StringRef> constraints;
    op.getConstraints().split(constraints, ',');
    // The constraints of the results come first, as many as there are registers of them.
    SmallVector<Type> types;
    for (Type result : op->getResultTypes()) {
      Register reg = registerOf(rewriter, registerType(result), pack);
      for (unsigned at = 0; at < pack; at += reg.elements)
        types.push_back(operandType(rewriter, reg.type, constraints[types.size()]));
    }
    for (unsigned first = 0; first < count; first += pack) {
      SmallVector<Value> operands;
      for (auto [number, values] : llvm::enumerate(adaptor.getSources())) {
        Register reg = registerOf(rewriter, values.front().getType(), pack);
        for (unsigned at = 0; at < pack; at += reg.elements) {
          SmallVector<Value> parts;
          for (unsigned i = 0; i < reg.elements; ++i) {
            // A tile of fewer elements than `pack` in a thread: the last stands for what is
            // missing.
            unsigned from = values.size() == 1 ? 0 : std::min(first + at + i, count - 1);
            parts.push_back(emit.toStorage(values[from]));
          }
          Value word = emit.pack(parts);
          if (word.getType() != reg.type)
            word = arith::ExtUIOp::create(rewriter, op.getLoc(), reg.type, word);
          Type type = operandType(rewriter, reg.type, constraints[types.size() + operands.size()]);
          operands.push_back(retyped(rewriter, op.getLoc(), word, type));
        }
      }
      SmallVector<Value> outs =
          emit.assembly(op.getText(), op.getConstraints(), types, operands, !op.getPure());
      unsigned next = 0;
      for (auto [number, result] : llvm::enumerate(op->getResultTypes())) {
        Type element = registerType(result);
        Register reg = registerOf(rewriter, element, pack);
        for (unsigned at = 0; at < pack; at += reg.elements) {
          Value word = retyped(rewriter, op.getLoc(), outs[next++], reg.type);
          Type exact = rewriter.getIntegerType(storageBits(element) * reg.elements);
          if (word.getType() != exact)
            word = arith::TruncIOp::create(rewriter, op.getLoc(), exact, word);
          for (Value value : emit.unpack(word, element))
            if (results[number].size() < registerCount(result))
              results[number].push_back(value);
        }
      }
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  // `f` and `d` take floats, the other letters integers of the register's width.
  static Type operandType(OpBuilder &builder, Type word, StringRef constraint) {
    char letter = constraint.trim().back();
    return letter == 'f' ? builder.getF32Type() : letter == 'd' ? builder.getF64Type() : word;
  }
  static Value retyped(OpBuilder &builder, Location loc, Value value, Type type) {
    return value.getType() == type ? value : arith::BitcastOp::create(builder, loc, type, value);
  }
};
} // namespace

void teeny::gpu::populateInlineAsmPatterns(KernelContext &context, RewritePatternSet &patterns) {
  patterns.add<InlineAsmPattern>(context, patterns.getContext());
}
