#include "Target/Host/BFloatBits.h"

#include "Target/Host/FloatArithmetic.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace {

bool isBFloat(Type *type) { return type->getScalarType()->isBFloatTy(); }

Type *bitsOf(Type *type) {
  return teeny::withScalar(type, IntegerType::get(type->getContext(), 16));
}

void replacePhi(PHINode *phi) {
  IRBuilder<> b(phi);
  PHINode *bits = b.CreatePHI(bitsOf(phi->getType()), phi->getNumIncomingValues());
  // A block that comes in by several edges brings the same value on each.
  DenseMap<BasicBlock *, Value *> brought;
  for (auto [value, block] : llvm::zip(phi->incoming_values(), phi->blocks())) {
    Value *&one = brought[block];
    if (!one) {
      b.SetInsertPoint(block->getTerminator());
      one = b.CreateBitCast(value, bits->getType());
    }
    bits->addIncoming(one, block);
  }
  b.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
  phi->replaceAllUsesWith(b.CreateBitCast(bits, phi->getType()));
  bits->takeName(phi);
  phi->eraseFromParent();
}

void replaceLoad(IntrinsicInst *load) {
  IRBuilder<> b(load);
  SmallVector<Value *> arguments;
  for (Value *argument : load->args())
    arguments.push_back(isBFloat(argument->getType())
                            ? b.CreateBitCast(argument, bitsOf(argument->getType()))
                            : argument);
  SmallVector<Type *> overloads = {bitsOf(load->getType())};
  if (load->getIntrinsicID() != Intrinsic::masked_expandload)
    overloads.push_back(load->getArgOperand(0)->getType());
  CallInst *bits = b.CreateIntrinsic(load->getIntrinsicID(), overloads, arguments);
  bits->setAttributes(load->getAttributes());
  bits->copyMetadata(*load);
  load->replaceAllUsesWith(b.CreateBitCast(bits, load->getType()));
  load->eraseFromParent();
}

} // namespace

void teeny::carryBFloatAsBits(Module &module) {
  SmallVector<PHINode *> phis;
  SmallVector<IntrinsicInst *> loads;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      if (!isBFloat(instruction.getType()))
        continue;
      if (auto *phi = dyn_cast<PHINode>(&instruction))
        phis.push_back(phi);
      else if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
               call && (call->getIntrinsicID() == Intrinsic::masked_load ||
                        call->getIntrinsicID() == Intrinsic::masked_gather ||
                        call->getIntrinsicID() == Intrinsic::masked_expandload))
        loads.push_back(call);
    }
  llvm::for_each(phis, replacePhi);
  llvm::for_each(loads, replaceLoad);
}
