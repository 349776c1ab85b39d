#include "Conversion/TileToCPU/LLVMOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace teeny::cpu;

Type teeny::cpu::pointerType(MLIRContext *context) { return LLVM::LLVMPointerType::get(context); }

bool teeny::cpu::isPointer(Type type) { return isa<LLVM::LLVMPointerType>(type); }

Value teeny::cpu::elementAddress(Emit e, Value base, Type element, Value index) {
  return LLVM::GEPOp::create(e.b, e.loc, base.getType(), element, base, ValueRange(index));
}

Value teeny::cpu::byteAddress(Emit e, Value base, int64_t bytes) {
  if (bytes == 0)
    return base;
  assert(bytes <= INT32_MAX && "more than a constant index can say");
  return LLVM::GEPOp::create(e.b, e.loc, base.getType(), e.b.getI8Type(), base,
                             LLVM::GEPArg(int32_t(bytes)));
}

Value teeny::cpu::loadFrom(Emit e, Type type, Value address, unsigned alignment) {
  return LLVM::LoadOp::create(e.b, e.loc, type, address, alignment);
}

void teeny::cpu::storeTo(Emit e, Value value, Value address, unsigned alignment) {
  LLVM::StoreOp::create(e.b, e.loc, value, address, alignment);
}

Value teeny::cpu::pointerToInteger(Emit e, Value pointer) {
  return LLVM::PtrToIntOp::create(e.b, e.loc, e.b.getI64Type(), pointer);
}

Value teeny::cpu::integerToPointer(Emit e, Value integer) {
  return LLVM::IntToPtrOp::create(e.b, e.loc, pointerType(e.b.getContext()), integer);
}

Value teeny::cpu::nullPointer(Emit e) {
  return LLVM::ZeroOp::create(e.b, e.loc, pointerType(e.b.getContext()));
}

Value teeny::cpu::select(Emit e, Value condition, Value yes, Value no) {
  return LLVM::SelectOp::create(e.b, e.loc, condition, yes, no);
}

Value teeny::cpu::multiplyAdd(Emit e, Value a, Value b, Value c) {
  return LLVM::FMulAddOp::create(e.b, e.loc, a, b, c);
}

Value teeny::cpu::saturateToInteger(Emit e, Value value, Type type, bool isSigned) {
  StringAttr name = e.b.getStringAttr(isSigned ? "llvm.fptosi.sat" : "llvm.fptoui.sat");
  return LLVM::CallIntrinsicOp::create(e.b, e.loc, type, name, ValueRange(value)).getResult(0);
}

Value teeny::cpu::splatVector(Emit e, Value value, int64_t lanes) {
  auto type = VectorType::get(lanes, value.getType());
  Value undefined = LLVM::PoisonOp::create(e.b, e.loc, type);
  Value zero = LLVM::ConstantOp::create(e.b, e.loc, e.b.getI32Type(), e.b.getI32IntegerAttr(0));
  Value first = LLVM::InsertElementOp::create(e.b, e.loc, undefined, value, zero);
  SmallVector<int32_t> mask(lanes, 0);
  return LLVM::ShuffleVectorOp::create(e.b, e.loc, first, undefined, mask);
}

static LLVM::AtomicOrdering ordering(Ordering order) {
  switch (order) {
  case Ordering::relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case Ordering::acquire:
    return LLVM::AtomicOrdering::acquire;
  case Ordering::release:
    return LLVM::AtomicOrdering::release;
  case Ordering::acquireRelease:
    return LLVM::AtomicOrdering::acq_rel;
  }
  llvm_unreachable("memory order");
}

Value teeny::cpu::atomicUpdate(Emit e, Atomic kind, Ordering order, Value address, Value operand) {
  static const LLVM::AtomicBinOp operations[] = {LLVM::AtomicBinOp::xchg, LLVM::AtomicBinOp::add,
                                                 LLVM::AtomicBinOp::fadd, LLVM::AtomicBinOp::max,
                                                 LLVM::AtomicBinOp::min,  LLVM::AtomicBinOp::umax,
                                                 LLVM::AtomicBinOp::umin, LLVM::AtomicBinOp::_and,
                                                 LLVM::AtomicBinOp::_or,  LLVM::AtomicBinOp::_xor};
  return LLVM::AtomicRMWOp::create(e.b, e.loc, operations[unsigned(kind)], address, operand,
                                   ordering(order));
}

std::pair<Value, Value> teeny::cpu::compareExchange(Emit e, Ordering order, Value address,
                                                    Value expected, Value value) {
  LLVM::AtomicOrdering failed = order == Ordering::relaxed || order == Ordering::release
                                    ? LLVM::AtomicOrdering::monotonic
                                    : LLVM::AtomicOrdering::acquire;
  Value pair =
      LLVM::AtomicCmpXchgOp::create(e.b, e.loc, address, expected, value, ordering(order), failed);
  return {LLVM::ExtractValueOp::create(e.b, e.loc, pair, 0),
          LLVM::ExtractValueOp::create(e.b, e.loc, pair, 1)};
}

Value teeny::cpu::constantTable(Emit e, Type element, DenseElementsAttr values) {
  Operation *module = e.b.getBlock()->getParentOp();
  while (!isa<ModuleOp>(module))
    module = module->getParentOp();
  SymbolTable symbols(module);
  auto type = LLVM::LLVMArrayType::get(element, values.getNumElements());
  OpBuilder b(e.b.getContext());
  auto global = LLVM::GlobalOp::create(b, e.loc, type, /*isConstant=*/true, LLVM::Linkage::Internal,
                                       "constants", values);
  symbols.insert(global);
  return LLVM::AddressOfOp::create(e.b, e.loc, pointerType(e.b.getContext()), global.getSymName());
}
