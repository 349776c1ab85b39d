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

Value *bits(IRBuilder<> &b, Value *value) {
  if (!isBFloat(value->getType()))
    return value;
  auto *cast = dyn_cast<BitCastInst>(value);
  if (cast && cast->getSrcTy() == bitsOf(value->getType()))
    return cast->getOperand(0);
  return b.CreateBitCast(value, bitsOf(value->getType()));
}

// The twin of an instruction comes with integers where it had bf16. Users still see bf16; they get
// the integers themselves when it is their turn.
void replace(Instruction *old, Value *twin, IRBuilder<> &b) {
  if (old->getType()->isVoidTy()) {
    old->eraseFromParent();
    return;
  }
  twin->takeName(old);
  old->replaceAllUsesWith(b.CreateBitCast(twin, old->getType()));
  old->eraseFromParent();
}

void replacePhi(PHINode *phi) {
  IRBuilder<> b(phi);
  PHINode *twin = b.CreatePHI(bitsOf(phi->getType()), phi->getNumIncomingValues());
  // A block that comes in by several edges brings the same value on each.
  DenseMap<BasicBlock *, Value *> brought;
  for (auto [value, block] : llvm::zip(phi->incoming_values(), phi->blocks())) {
    Value *&one = brought[block];
    if (!one) {
      b.SetInsertPoint(block->getTerminator());
      one = bits(b, value);
    }
    twin->addIncoming(one, block);
  }
  b.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
  replace(phi, twin, b);
}

// The types that the intrinsic is overloaded on, from its result and its new arguments.
SmallVector<Type *> overloads(IntrinsicInst *move, ArrayRef<Value *> arguments) {
  Type *result = move->getType()->isVoidTy() ? nullptr : bitsOf(move->getType());
  switch (move->getIntrinsicID()) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_gather:
  case Intrinsic::vector_extract:
    return {result, arguments[0]->getType()};
  case Intrinsic::vector_insert:
    return {result, arguments[1]->getType()};
  case Intrinsic::masked_store:
  case Intrinsic::masked_scatter:
    return {arguments[0]->getType(), arguments[1]->getType()};
  case Intrinsic::masked_compressstore:
    return {arguments[0]->getType()};
  default:
    return {result};
  }
}

void replaceMove(IntrinsicInst *move) {
  IRBuilder<> b(move);
  SmallVector<Value *> arguments;
  for (Value *argument : move->args())
    arguments.push_back(bits(b, argument));
  CallInst *twin = b.CreateIntrinsic(move->getIntrinsicID(), overloads(move, arguments), arguments);
  twin->setAttributes(move->getAttributes());
  twin->copyMetadata(*move);
  replace(move, twin, b);
}

// Of an instruction that moves elements; null for any other.
Value *twinOf(Instruction *i, IRBuilder<> &b) {
  if (auto *load = dyn_cast<LoadInst>(i)) {
    LoadInst *twin = b.CreateAlignedLoad(bitsOf(load->getType()), load->getPointerOperand(),
                                         load->getAlign(), load->isVolatile());
    twin->setAtomic(load->getOrdering(), load->getSyncScopeID());
    twin->copyMetadata(*load);
    return twin;
  }
  if (auto *store = dyn_cast<StoreInst>(i)) {
    StoreInst *twin =
        b.CreateAlignedStore(bits(b, store->getValueOperand()), store->getPointerOperand(),
                             store->getAlign(), store->isVolatile());
    twin->setAtomic(store->getOrdering(), store->getSyncScopeID());
    twin->copyMetadata(*store);
    return twin;
  }
  auto at = [&](unsigned operand) { return bits(b, i->getOperand(operand)); };
  if (auto *select = dyn_cast<SelectInst>(i))
    return b.CreateSelect(select->getCondition(), at(1), at(2), "", select);
  if (isa<InsertElementInst>(i))
    return b.CreateInsertElement(at(0), at(1), i->getOperand(2));
  if (isa<ExtractElementInst>(i))
    return b.CreateExtractElement(at(0), i->getOperand(1));
  if (auto *shuffle = dyn_cast<ShuffleVectorInst>(i))
    return b.CreateShuffleVector(at(0), at(1), shuffle->getShuffleMask());
  if (isa<FreezeInst>(i))
    return b.CreateFreeze(at(0));
  return nullptr;
}

bool touchesBFloat(const Instruction &i) {
  return isBFloat(i.getType()) ||
         llvm::any_of(i.operands(), [](const Use &use) { return isBFloat(use->getType()); });
}

} // namespace

void teeny::carryBFloatAsBits(Module &module) {
  SmallVector<Instruction *> work;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (touchesBFloat(instruction))
        work.push_back(&instruction);
  SmallVector<BitCastInst *> casts;
  for (Instruction *i : work) {
    if (auto *phi = dyn_cast<PHINode>(i)) {
      replacePhi(phi);
    } else if (auto *move = dyn_cast<IntrinsicInst>(i);
               move && teeny::movesElements(move->getIntrinsicID())) {
      replaceMove(move);
    } else {
      IRBuilder<> b(i);
      if (Value *twin = twinOf(i, b))
        replace(i, twin, b);
    }
  }
  // A user that came before what it uses, as phis may, has cast bits to bf16 and back.
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *cast = dyn_cast<BitCastInst>(&instruction))
        casts.push_back(cast);
  for (BitCastInst *cast : casts)
    if (auto *inner = dyn_cast<BitCastInst>(cast->getOperand(0));
        inner && isBFloat(inner->getType()))
      cast->setOperand(0, inner->getOperand(0));
  for (BitCastInst *cast : llvm::reverse(casts)) {
    if (cast->getSrcTy() == cast->getType())
      cast->replaceAllUsesWith(cast->getOperand(0));
    if (cast->use_empty())
      cast->eraseFromParent();
  }
}
