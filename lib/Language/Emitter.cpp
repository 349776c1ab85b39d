// Functions, constants, arithmetic and shapes.
#include "Language/EmitterState.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"

namespace teeny::lang {

Emitter::Emitter(mlir::MLIRContext *context) : state(std::make_unique<State>(context)) {}
Emitter::~Emitter() = default;

mlir::MLIRContext *Emitter::context() const { return state->builder.getContext(); }
void Emitter::setLocation(mlir::Location location) { state->location = location; }
mlir::Location Emitter::location() const { return state->location; }

static mlir::Type scalarType(mlir::Builder &builder, ScalarType type) {
  switch (type) {
  case ScalarType::fp8e4nv:
    return builder.getType<mlir::Float8E4M3FNType>();
  case ScalarType::fp8e5:
    return builder.getType<mlir::Float8E5M2Type>();
  case ScalarType::fp8e4b8:
    return builder.getType<mlir::Float8E4M3FNUZType>();
  case ScalarType::fp8e5b16:
    return builder.getType<mlir::Float8E5M2FNUZType>();
  case ScalarType::fp16:
    return builder.getF16Type();
  case ScalarType::bf16:
    return builder.getBF16Type();
  case ScalarType::fp32:
    return builder.getF32Type();
  case ScalarType::fp64:
    return builder.getF64Type();
  default:
    // fp8e4b15 has no type of its own in the IR; it is carried as its bits.
    return builder.getIntegerType(std::max(type.bits(), 1u));
  }
}

mlir::Type Emitter::ir(const Type &type) {
  mlir::Type result = scalarType(state->builder, type.element.scalar);
  for (unsigned depth = 0; depth != type.element.pointerDepth; ++depth)
    result = tile::PtrType::get(context(), result);
  return type.isTile() ? mlir::RankedTensorType::get(type.shape, result) : result;
}

//===-- Scalars and tiles from nothing --------------------------------------------------------===//

mlir::Value Emitter::constant(ElementType type, Integer value) {
  if (type.isFloat())
    return constant(type, double(value));
  llvm::APInt bits(type.scalar.bits(), uint64_t(value), /*isSigned=*/false, /*implicitTrunc=*/true);
  auto attribute = mlir::IntegerAttr::get(ir(type), bits);
  return state->create<mlir::arith::ConstantOp>(attribute);
}

mlir::Value Emitter::constant(ElementType type, double value) {
  if (value == 0)
    value = 0; // a constant zero has no sign in Triton
  return state->create<mlir::arith::ConstantOp>(state->builder.getFloatAttr(ir(type), value));
}

mlir::Value Emitter::filled(const Type &type, Integer value) {
  mlir::Value scalar;
  if (type.element.isPointer())
    scalar = convert(Convert::intToPointer, constant(ScalarType::int64, Integer(0)), type.element);
  else
    scalar = constant(type.element, value);
  return type.isTile() ? splat(scalar, type) : scalar;
}

mlir::Value Emitter::zeroLike(mlir::Value value) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  mlir::Type element = tensor ? tensor.getElementType() : value.getType();
  mlir::Value scalar;
  if (llvm::isa<tile::PtrType>(element)) {
    mlir::Value address = constant(ScalarType::int64, Integer(0));
    scalar = state->create<tile::IntToPtrOp>(element, address);
  } else {
    scalar = state->create<mlir::arith::ConstantOp>(state->builder.getZeroAttr(element));
  }
  return tensor ? state->create<tile::SplatOp>(tensor, scalar) : scalar;
}

mlir::Value Emitter::programId(unsigned axis) {
  return state->create<tile::ProgramIdOp>(state->builder.getI32Type(), axis);
}
mlir::Value Emitter::numPrograms(unsigned axis) {
  return state->create<tile::NumProgramsOp>(state->builder.getI32Type(), axis);
}
mlir::Value Emitter::arange(int64_t start, int64_t end) {
  return state->create<tile::ArangeOp>(ir(Type(ScalarType::int32).withShape({end - start})),
                                       uint32_t(start), uint32_t(end));
}

//===-- Elements ------------------------------------------------------------------------------===//

mlir::Value Emitter::arith(Arith op, mlir::Value lhs, mlir::Value rhs) {
  using namespace mlir::arith;
  switch (op) {
  case Arith::addi:
    return state->create<AddIOp>(lhs, rhs);
  case Arith::addf:
    return state->create<AddFOp>(lhs, rhs);
  case Arith::subi:
    return state->create<SubIOp>(lhs, rhs);
  case Arith::subf:
    return state->create<SubFOp>(lhs, rhs);
  case Arith::muli:
    return state->create<MulIOp>(lhs, rhs);
  case Arith::mulf:
    return state->create<MulFOp>(lhs, rhs);
  case Arith::divsi:
    return state->create<DivSIOp>(lhs, rhs);
  case Arith::divui:
    return state->create<DivUIOp>(lhs, rhs);
  case Arith::divf:
    return state->create<DivFOp>(lhs, rhs);
  case Arith::remsi:
    return state->create<RemSIOp>(lhs, rhs);
  case Arith::remui:
    return state->create<RemUIOp>(lhs, rhs);
  case Arith::remf:
    return state->create<RemFOp>(lhs, rhs);
  case Arith::andi:
    return state->create<AndIOp>(lhs, rhs);
  case Arith::ori:
    return state->create<OrIOp>(lhs, rhs);
  case Arith::xori:
    return state->create<XOrIOp>(lhs, rhs);
  case Arith::shli:
    return state->create<ShLIOp>(lhs, rhs);
  case Arith::shrsi:
    return state->create<ShRSIOp>(lhs, rhs);
  case Arith::shrui:
    return state->create<ShRUIOp>(lhs, rhs);
  case Arith::minsi:
    return state->create<MinSIOp>(lhs, rhs);
  case Arith::minui:
    return state->create<MinUIOp>(lhs, rhs);
  case Arith::maxsi:
    return state->create<MaxSIOp>(lhs, rhs);
  case Arith::maxui:
    return state->create<MaxUIOp>(lhs, rhs);
  case Arith::minnumf:
    return state->create<MinNumFOp>(lhs, rhs);
  case Arith::maxnumf:
    return state->create<MaxNumFOp>(lhs, rhs);
  case Arith::minimumf:
    return state->create<MinimumFOp>(lhs, rhs);
  case Arith::maximumf:
    return state->create<MaximumFOp>(lhs, rhs);
  }
  llvm_unreachable("arithmetic operation");
}

mlir::Value Emitter::compareInt(Compare op, bool isSigned, mlir::Value lhs, mlir::Value rhs) {
  using P = mlir::arith::CmpIPredicate;
  static const P signedOnes[] = {P::eq, P::ne, P::slt, P::sle, P::sgt, P::sge};
  static const P unsignedOnes[] = {P::eq, P::ne, P::ult, P::ule, P::ugt, P::uge};
  P predicate = (isSigned ? signedOnes : unsignedOnes)[unsigned(op)];
  return state->create<mlir::arith::CmpIOp>(predicate, lhs, rhs);
}

mlir::Value Emitter::compareFloat(Compare op, mlir::Value lhs, mlir::Value rhs) {
  // With a NaN every comparison is false, but `!=` true.
  using P = mlir::arith::CmpFPredicate;
  static const P predicates[] = {P::OEQ, P::UNE, P::OLT, P::OLE, P::OGT, P::OGE};
  return state->create<mlir::arith::CmpFOp>(predicates[unsigned(op)], lhs, rhs);
}

mlir::Value Emitter::select(mlir::Value condition, mlir::Value yes, mlir::Value no) {
  return state->create<mlir::arith::SelectOp>(condition, yes, no);
}

mlir::Value Emitter::convert(Convert how, mlir::Value value, const Type &to) {
  using namespace mlir::arith;
  mlir::Type type = ir(to);
  switch (how) {
  case Convert::extend:
    return state->create<ExtUIOp>(type, value);
  case Convert::signExtend:
    return state->create<ExtSIOp>(type, value);
  case Convert::truncate:
    return state->create<TruncIOp>(type, value);
  case Convert::extendFloat:
    return state->create<ExtFOp>(type, value);
  case Convert::truncateFloat:
    return state->create<TruncFOp>(type, value);
  case Convert::truncateFloatTowardZero: {
    auto op = state->create<TruncFOp>(type, value);
    op.setRoundingmode(RoundingMode::toward_zero);
    return op;
  }
  case Convert::signedToFloat:
    return state->create<SIToFPOp>(type, value);
  case Convert::unsignedToFloat:
    return state->create<UIToFPOp>(type, value);
  case Convert::floatToSigned:
    return state->create<FPToSIOp>(type, value);
  case Convert::floatToUnsigned:
    return state->create<FPToUIOp>(type, value);
  case Convert::bitcast:
    return state->create<BitcastOp>(type, value);
  case Convert::pointerToInt:
    return state->create<tile::PtrToIntOp>(type, value);
  case Convert::intToPointer:
    return state->create<tile::IntToPtrOp>(type, value);
  case Convert::pointerCast:
    return state->create<tile::PtrCastOp>(type, value);
  }
  llvm_unreachable("conversion");
}

mlir::Value Emitter::math(Math op, mlir::Value value) {
  using namespace mlir::math;
  switch (op) {
  case Math::exp2:
    return state->create<Exp2Op>(value);
  case Math::sqrt:
    return state->create<SqrtOp>(value);
  case Math::rsqrt:
    return state->create<RsqrtOp>(value);
  case Math::floor:
    return state->create<FloorOp>(value);
  case Math::ceil:
    return state->create<CeilOp>(value);
  case Math::round:
    return state->create<RoundOp>(value);
  case Math::roundEven:
    return state->create<RoundEvenOp>(value);
  case Math::trunc:
    return state->create<TruncOp>(value);
  case Math::absf:
    return state->create<AbsFOp>(value);
  case Math::absi:
    return state->create<AbsIOp>(value);
  case Math::leadingZeros:
    return state->create<CountLeadingZerosOp>(value);
  case Math::ones:
    return state->create<CtPopOp>(value);
  }
  llvm_unreachable("math function");
}

mlir::Value Emitter::fma(mlir::Value a, mlir::Value b, mlir::Value c) {
  return state->create<mlir::math::FmaOp>(a, b, c);
}

mlir::Value Emitter::copySign(mlir::Value size, mlir::Value sign) {
  return state->create<mlir::math::CopySignOp>(size, sign);
}

void Emitter::correctlyRounded(mlir::Value value) {
  if (mlir::Operation *op = value.getDefiningOp())
    op->setAttr(tile::correctlyRoundedAttr, state->builder.getUnitAttr());
}

mlir::Value Emitter::highProduct(bool isSigned, mlir::Value lhs, mlir::Value rhs) {
  if (isSigned)
    return state->create<mlir::arith::MulSIExtendedOp>(lhs, rhs).getHigh();
  return state->create<mlir::arith::MulUIExtendedOp>(lhs, rhs).getHigh();
}

//===-- Shapes --------------------------------------------------------------------------------===//

mlir::Value Emitter::splat(mlir::Value scalar, const Type &to) {
  return state->create<tile::SplatOp>(ir(to), scalar);
}
mlir::Value Emitter::expandDims(mlir::Value value, unsigned axis, const Type &to) {
  return state->create<tile::ExpandDimsOp>(ir(to), value, axis);
}
mlir::Value Emitter::broadcast(mlir::Value value, const Type &to) {
  return state->create<tile::BroadcastOp>(ir(to), value);
}
mlir::Value Emitter::reshape(mlir::Value value, const Type &to) {
  return state->create<tile::ReshapeOp>(ir(to), value);
}
mlir::Value Emitter::transpose(mlir::Value value, llvm::ArrayRef<int32_t> order, const Type &to) {
  return state->create<tile::TransOp>(ir(to), value, order);
}
mlir::Value Emitter::join(mlir::Value lhs, mlir::Value rhs, const Type &to) {
  return state->create<tile::JoinOp>(ir(to), lhs, rhs);
}
std::pair<mlir::Value, mlir::Value> Emitter::split(mlir::Value value, const Type &to) {
  auto op = state->create<tile::SplitOp>(ir(to), ir(to), value);
  return {op.getLhs(), op.getRhs()};
}

llvm::SmallVector<mlir::Value>
Emitter::inlineAssembly(llvm::StringRef text, llvm::StringRef constraints, int pack, bool isPure,
                        llvm::ArrayRef<mlir::Value> sources, llvm::ArrayRef<Type> results) {
  llvm::SmallVector<mlir::Type> types;
  for (const Type &type : results)
    types.push_back(ir(type));
  auto op = state->create<tile::InlineAsmOp>(types, text, constraints, uint32_t(pack), isPure,
                                             mlir::ValueRange(sources));
  return llvm::SmallVector<mlir::Value>(op->getResults());
}

void Emitter::hint(mlir::Value value, llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
  // A hint about a function's argument says nothing that its own attributes could not.
  if (mlir::Operation *op = value.getDefiningOp())
    op->setAttr(name, state->builder.getDenseI64ArrayAttr(values));
}

} // namespace teeny::lang
