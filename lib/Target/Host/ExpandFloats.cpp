#include "Target/Host/ExpandFloats.h"

#include "Target/Host/FloatArithmetic.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {

bool isNarrow(Type *type) {
  Type *scalar = type->getScalarType();
  return scalar->isHalfTy() || scalar->isBFloatTy();
}

class Expander {
public:
  Expander(Module &module, const TargetMachine &machine) : module(module), b(module.getContext()) {
    bool x86 = machine.getTargetTriple().isX86();
    const MCSubtargetInfo &has = *machine.getMCSubtargetInfo();
    f16Conversions = !x86 || has.checkFeatures("+f16c");
    fma = !x86 || has.checkFeatures("+fma");
    rounding = !x86 || has.checkFeatures("+sse4.1");
  }

  void run() {
    // Expansions contain no operation that would be expanded again, except through `replace`, which
    // handles what it makes.
    SmallVector<Instruction *> work;
    for (Function &function : module)
      for (Instruction &instruction : instructions(function))
        work.push_back(&instruction);
    for (Instruction *instruction : work)
      visit(*instruction);
  }

private:
  Module &module;
  IRBuilder<> b;
  bool f16Conversions, fma, rounding;

  void visit(Instruction &instruction) {
    b.SetInsertPoint(&instruction);
    Value *result = expand(instruction);
    if (!result)
      return;
    result->takeName(&instruction);
    instruction.replaceAllUsesWith(result);
    instruction.eraseFromParent();
  }

  // What replaces the instruction; null to leave it.
  Value *expand(Instruction &i) {
    Type *type = i.getType();
    switch (i.getOpcode()) {
    case Instruction::FPExt:
      return isNarrow(i.getOperand(0)->getType()) ? extend(i.getOperand(0), type) : nullptr;
    case Instruction::FPTrunc:
      return isNarrow(type) ? truncate(i.getOperand(0), type) : nullptr;
    case Instruction::FNeg:
      return isNarrow(type) ? flipSign(i.getOperand(0)) : nullptr;
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FRem:
      return expandBinary(cast<BinaryOperator>(i));
    case Instruction::FCmp:
      if (!isNarrow(i.getOperand(0)->getType()))
        return nullptr;
      return b.CreateFCmp(cast<FCmpInst>(i).getPredicate(), wide(i.getOperand(0)),
                          wide(i.getOperand(1)));
    case Instruction::SIToFP:
    case Instruction::UIToFP:
      return isNarrow(type)
                 ? fromInteger(i.getOperand(0), type, i.getOpcode() == Instruction::SIToFP)
                 : nullptr;
    case Instruction::FPToSI:
      return isNarrow(i.getOperand(0)->getType()) ? b.CreateFPToSI(wide(i.getOperand(0)), type)
                                                  : nullptr;
    case Instruction::FPToUI:
      return isNarrow(i.getOperand(0)->getType()) ? b.CreateFPToUI(wide(i.getOperand(0)), type)
                                                  : nullptr;
    case Instruction::Call:
      if (auto *intrinsic = dyn_cast<IntrinsicInst>(&i))
        return expandIntrinsic(*intrinsic);
      return nullptr;
    default:
      return nullptr;
    }
  }

  Value *wide(Value *narrow) {
    return extend(narrow, teeny::withScalar(narrow->getType(), b.getFloatTy()));
  }

  Value *extend(Value *narrow, Type *type) {
    Type *f32 = teeny::withScalar(type, b.getFloatTy());
    Value *result;
    if (narrow->getType()->getScalarType()->isBFloatTy())
      result = teeny::extendBFloat(b, narrow);
    else if (!f16Conversions)
      result = teeny::extendHalf(b, narrow);
    else
      result = b.CreateFPExt(narrow, f32);
    return type == f32 ? result : b.CreateFPExt(result, type);
  }

  Value *truncate(Value *value, Type *type) {
    if (value->getType()->getScalarType()->isDoubleTy())
      value = teeny::truncateToOdd(b, value);
    if (type->getScalarType()->isBFloatTy())
      return teeny::truncateToBFloat(b, value);
    return f16Conversions ? b.CreateFPTrunc(value, type) : teeny::truncateToHalf(b, value);
  }

  Value *flipSign(Value *value) {
    Type *integer = teeny::withScalar(value->getType(), b.getInt16Ty());
    Value *bits = b.CreateBitCast(value, integer);
    return b.CreateBitCast(b.CreateXor(bits, ConstantInt::get(integer, 0x8000)), value->getType());
  }

  Value *expandBinary(BinaryOperator &i) {
    Type *type = i.getType();
    bool narrow = isNarrow(type);
    if (!narrow && i.getOpcode() != Instruction::FRem)
      return nullptr;
    Value *x = i.getOperand(0), *y = i.getOperand(1);
    if (narrow) {
      x = wide(x);
      y = wide(y);
    }
    Value *result =
        i.getOpcode() == Instruction::FRem ? remainder(x, y) : b.CreateBinOp(i.getOpcode(), x, y);
    return narrow ? truncate(result, type) : result;
  }

  Value *remainder(Value *x, Value *y) {
    Function *function = teeny::remainderFunction(module, x->getType()->getScalarType());
    auto *vector = dyn_cast<FixedVectorType>(x->getType());
    if (!vector)
      return b.CreateCall(function, {x, y});
    Value *result = PoisonValue::get(vector);
    for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
      Value *one = b.CreateCall(function,
                                {b.CreateExtractElement(x, lane), b.CreateExtractElement(y, lane)});
      result = b.CreateInsertElement(result, one, lane);
    }
    return result;
  }

  // One rounding: f64 holds integers up to 2^53. Beyond, the bits below are first gathered in one
  // (round to odd); f16 does not care, all that is infinite there.
  Value *fromInteger(Value *integer, Type *type, bool isSigned) {
    Type *f64 = teeny::withScalar(type, b.getDoubleTy());
    Type *i64 = teeny::withScalar(type, b.getInt64Ty());
    if (integer->getType()->getScalarSizeInBits() == 64 && type->getScalarType()->isBFloatTy()) {
      Value *low = b.CreateAnd(integer, ConstantInt::get(i64, 0xfff));
      Value *sticky = b.CreateSelect(b.CreateICmpEQ(low, ConstantInt::get(i64, 0)), low,
                                     ConstantInt::get(i64, 0x800));
      Value *odd = b.CreateOr(b.CreateSub(integer, low), sticky);
      Value *size =
          isSigned ? b.CreateBinaryIntrinsic(Intrinsic::abs, integer, b.getFalse()) : integer;
      Value *large = b.CreateICmpUGT(size, ConstantInt::get(i64, uint64_t(1) << 53));
      integer = b.CreateSelect(large, odd, integer);
    }
    Value *value = isSigned ? b.CreateSIToFP(integer, f64) : b.CreateUIToFP(integer, f64);
    return truncate(value, type);
  }

  Value *expandIntrinsic(IntrinsicInst &i) {
    Intrinsic::ID id = i.getIntrinsicID();
    if (teeny::movesElements(id))
      return nullptr;
    bool narrowOperand = i.arg_size() > 0 && isNarrow(i.getArgOperand(0)->getType());
    if (narrowOperand) {
      if (id == Intrinsic::fabs || id == Intrinsic::copysign)
        return signBits(i);
      return widened(i);
    }
    if (!i.getType()->isFPOrFPVectorTy())
      return nullptr;
    auto round = [&](teeny::Rounding how) {
      return rounding ? nullptr : teeny::roundToInteger(b, i.getArgOperand(0), how);
    };
    switch (id) {
    case Intrinsic::fma:
      return fma ? nullptr
                 : teeny::fusedMultiplyAdd(b, i.getArgOperand(0), i.getArgOperand(1),
                                           i.getArgOperand(2));
    case Intrinsic::floor:
      return round(teeny::Rounding::floor);
    case Intrinsic::ceil:
      return round(teeny::Rounding::ceil);
    case Intrinsic::trunc:
      return round(teeny::Rounding::trunc);
    case Intrinsic::round:
      return round(teeny::Rounding::nearestAway);
    case Intrinsic::rint:
    case Intrinsic::nearbyint:
    case Intrinsic::roundeven:
      return round(teeny::Rounding::nearestEven);
    default:
      return nullptr;
    }
  }

  Value *signBits(IntrinsicInst &i) {
    Type *integer = teeny::withScalar(i.getType(), b.getInt16Ty());
    auto bits = [&](Value *value) { return b.CreateBitCast(value, integer); };
    Value *result = b.CreateAnd(bits(i.getArgOperand(0)), ConstantInt::get(integer, 0x7fff));
    if (i.getIntrinsicID() == Intrinsic::copysign)
      result = b.CreateOr(result,
                          b.CreateAnd(bits(i.getArgOperand(1)), ConstantInt::get(integer, 0x8000)));
    return b.CreateBitCast(result, i.getType());
  }

  // The intrinsic on f32 (fma on f64) operands, its result rounded.
  Value *widened(IntrinsicInst &i) {
    bool isFma = i.getIntrinsicID() == Intrinsic::fma || i.getIntrinsicID() == Intrinsic::fmuladd;
    Type *scalar = isFma ? b.getDoubleTy() : b.getFloatTy();
    SmallVector<Value *> operands;
    for (Value *operand : i.args())
      operands.push_back(isNarrow(operand->getType())
                             ? extend(operand, teeny::withScalar(operand->getType(), scalar))
                             : operand);
    if (isFma) {
      // The product of two f16 or bf16 is exact in f64.
      Value *product = b.CreateFMul(operands[0], operands[1]);
      return truncate(teeny::addToOdd(b, product, operands[2]), i.getType());
    }
    SmallVector<Type *> overloads = {operands[0]->getType()};
    if (!isNarrow(i.getType()))
      overloads.insert(overloads.begin(), i.getType());
    auto *call = cast<IntrinsicInst>(b.CreateIntrinsic(i.getIntrinsicID(), overloads, operands));
    Value *result = call;
    if (Value *expanded = expandIntrinsic(*call)) {
      call->eraseFromParent();
      result = expanded;
    }
    return isNarrow(i.getType()) ? truncate(result, i.getType()) : result;
  }
};

} // namespace

void teeny::expandFloats(Module &module, const TargetMachine &machine) {
  Expander(module, machine).run();
}
