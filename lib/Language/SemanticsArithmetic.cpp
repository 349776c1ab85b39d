// Promotion, arithmetic, comparison and selection.
#include "Language/Semantics.h"

namespace teeny::lang {

ScalarType promoteIntegers(ScalarType a, ScalarType b) {
  if (a.isSigned() == b.isSigned())
    return a.bits() > b.bits() ? a : b;
  ScalarType unsignedOne = a.isSigned() ? b : a, signedOne = a.isSigned() ? a : b;
  return unsignedOne.bits() >= signedOne.bits() ? unsignedOne : signedOne;
}

// bool < integer < float: a number of no higher kind takes the tensor's type.
static int kindRank(ScalarType type) { return type.isBool() ? 0 : type.isInteger() ? 1 : 2; }

std::optional<ScalarType> Semantics::promoted(ScalarType lhs, bool lhsIsNumber, ScalarType rhs,
                                              bool rhsIsNumber, bool divides, const char *what) {
  auto either = [&](ScalarType::Kind kind) { return lhs == kind || rhs == kind; };
  if (lhsIsNumber != rhsIsNumber) {
    ScalarType number = lhsIsNumber ? lhs : rhs, tensor = lhsIsNumber ? rhs : lhs;
    if (kindRank(number) <= kindRank(tensor)) {
      bool narrow = tensor == ScalarType::fp16 || tensor == ScalarType::bf16;
      return divides && narrow ? ScalarType(ScalarType::fp32) : tensor;
    }
  }
  if (either(ScalarType::fp64))
    return ScalarType::fp64;
  if (either(ScalarType::fp32))
    return ScalarType::fp32;
  if (either(ScalarType::fp16))
    return divides ? ScalarType::fp32 : ScalarType::fp16;
  if (lhs == ScalarType::bf16 && rhs == ScalarType::bf16)
    return divides ? ScalarType::fp32 : ScalarType::bf16;
  if (either(ScalarType::bf16))
    return ScalarType::fp32;
  if (lhs.isFloat8() && rhs.isFloat8())
    return lhs == rhs ? lhs : ScalarType(ScalarType::fp16);
  if (!lhs.isInteger() || !rhs.isInteger()) {
    errors.fail(std::string(what) + " takes no " + lhs.name().str() + " with " + rhs.name().str(),
                "convert one of them with .to(...)");
    return std::nullopt;
  }
  if (divides && lhs.isSigned() != rhs.isSigned()) {
    errors.fail(std::string(what) + " of " + lhs.name().str() + " and " + rhs.name().str() +
                    ": one is signed, the other is not",
                "convert one of them with .to(...)");
    return std::nullopt;
  }
  return promoteIntegers(lhs, rhs);
}

// 8-bit floats are for memory and for products of matrices: nothing else computes with them.
static bool isStorage(ElementType type) { return !type.isPointer() && type.scalar.isFloat8(); }

Tensor Semantics::failStorage(const std::string &what, const Type &type) {
  return fail(what + " does not compute with " + type.name(), "convert with .to(tl.float32)");
}

bool Semantics::unify(const Value &lhs, const Value &rhs, Tensor &left, Tensor &right,
                      const char *what, Rules rules) {
  auto operand = [&](const Value &value) {
    if (value.tensor() || value.isNumber())
      return true;
    if (value)
      errors.fail(std::string(what) + " takes scalars and tiles, found " + value.describe());
    return false;
  };
  if (!operand(lhs) || !operand(rhs))
    return false;
  bool lhsIsNumber = !lhs.tensor(), rhsIsNumber = !rhs.tensor();

  // A number is made a tensor when its type is known, so that no dead constant is left behind.
  std::optional<ElementType> l = elementType(lhs), r = elementType(rhs);
  if (!l || !r)
    return false;

  auto pointerAllowed = [&](ElementType a, ElementType b, bool allowed) {
    return !a.isPointer() || (allowed && !(b.isPointer() && !(a == b)) && !b.isFloat());
  };
  if (!pointerAllowed(*l, *r, rules.pointerOnLeft) ||
      !pointerAllowed(*r, *l, rules.pointerOnRight)) {
    errors.fail(std::string(what) + " takes no " + l->name() + " with " + r->name());
    return false;
  }
  if (rules.promote && !l->isPointer() && !r->isPointer()) {
    std::optional<ScalarType> common =
        promoted(l->scalar, lhsIsNumber, r->scalar, rhsIsNumber, rules.divides, what);
    if (!common)
      return false;
    auto inRange = [&](const Value &value, bool isNumber) {
      std::optional<Integer> integer = isNumber ? value.asInteger() : std::nullopt;
      if (!integer || !common->isInteger() ||
          (*integer >= common->minimum() && *integer <= common->maximum()))
        return true;
      errors.fail("the constant " + toString(*integer) + " does not fit in " +
                      common->name().str() + ", the type of the other operand of " + what,
                  "convert the other operand with .to(...)");
      return false;
    };
    if (!inRange(lhs, lhsIsNumber) || !inRange(rhs, rhsIsNumber))
      return false;
    left = lhsIsNumber ? number(lhs, *common) : cast(*lhs.tensor(), *common);
    right = rhsIsNumber ? number(rhs, *common) : cast(*rhs.tensor(), *common);
  } else {
    left = toTensor(lhs);
    right = toTensor(rhs);
  }
  return left && right && broadcastPair(left, right, what);
}

static std::string quoted(llvm::StringRef text) { return "'" + text.str() + "'"; }

Tensor Semantics::binary(ast::BinaryOp op, const Value &lhs, const Value &rhs) {
  using Op = ast::BinaryOp;
  std::string name = quoted(spelling(op));
  const char *what = name.c_str();
  Tensor left, right;
  auto result = [&](Arith arith) {
    return Tensor{emit.arith(arith, left.value, right.value), left.type};
  };
  // The operation for the operands' common type.
  auto choose = [&](std::optional<Arith> forFloat, Arith forSigned, Arith forUnsigned) -> Tensor {
    ElementType type = left.type.element;
    if (isStorage(type))
      return failStorage(what, left.type);
    if (type.isFloat())
      return forFloat ? result(*forFloat)
                      : fail(name + " takes integers, found " + left.type.name());
    return result(type.scalar.isSigned() ? forSigned : forUnsigned);
  };

  switch (op) {
  case Op::add:
  case Op::sub: {
    Rules rules;
    rules.pointerOnLeft = true;
    rules.pointerOnRight = op == Op::add;
    if (!unify(lhs, rhs, left, right, what, rules))
      return {};
    bool leftPointer = left.type.element.isPointer(), rightPointer = right.type.element.isPointer();
    if (leftPointer && rightPointer)
      return fail(name + " of two pointers");
    if (!leftPointer && !rightPointer)
      return op == Op::add ? choose(Arith::addf, Arith::addi, Arith::addi)
                           : choose(Arith::subf, Arith::subi, Arith::subi);
    if (rightPointer)
      std::swap(left, right);
    if (op == Op::sub && !(right = unary(ast::UnaryOp::minus, right)))
      return {};
    // Offsets are signed; an unsigned one is made so without changing its value.
    ElementType offset = right.type.element;
    if (offset.scalar.isUnsigned() && offset.bits() < 64)
      right = cast(right, ScalarType::int64);
    return {emit.addPointer(left.value, right.value), left.type};
  }
  case Op::mul:
    return unify(lhs, rhs, left, right, what) ? choose(Arith::mulf, Arith::muli, Arith::muli)
                                              : Tensor();
  case Op::div:
  case Op::floordiv:
  case Op::mod: {
    Rules rules;
    rules.divides = true;
    if (!unify(lhs, rhs, left, right, what, rules))
      return {};
    if (op == Op::mod)
      return choose(Arith::remf, Arith::remsi, Arith::remui);
    if (op == Op::floordiv)
      return choose(std::nullopt, Arith::divsi, Arith::divui);
    if (!left.type.element.isFloat()) {
      left = cast(left, ScalarType::fp32);
      right = cast(right, ScalarType::fp32);
    }
    if (isStorage(left.type.element))
      return failStorage(what, left.type);
    return result(Arith::divf);
  }
  case Op::bitAnd:
  case Op::bitOr:
  case Op::bitXor:
  case Op::shiftLeft:
  case Op::shiftRight: {
    if (!unify(lhs, rhs, left, right, what))
      return {};
    if (!left.type.element.isInteger())
      return fail(name + " takes integers, found " + left.type.name(),
                  "to reinterpret bits, use .to(tl.int32, bitcast=True)");
    if (op == Op::bitAnd)
      return result(Arith::andi);
    if (op == Op::bitOr)
      return result(Arith::ori);
    if (op == Op::bitXor)
      return result(Arith::xori);
    if (op == Op::shiftLeft)
      return result(Arith::shli);
    // Whether the sign is kept is up to the shifted tensor's own type, before promotion.
    const Tensor *own = lhs.tensor() ? lhs.tensor() : rhs.tensor();
    return result(own->type.element.scalar.isSigned() ? Arith::shrsi : Arith::shrui);
  }
  case Op::pow:
    return fail("'**' of scalars and tiles is not in the language",
                "use libdevice.pow(x, y), or x * x for a square");
  case Op::matmul:
    return fail("'@' is not in the language", "use tl.dot(a, b)");
  }
  return {};
}

Tensor Semantics::compare(Compare op, const Value &lhs, const Value &rhs) {
  static const char *const names[] = {"'=='", "'!='", "'<'", "'<='", "'>'", "'>='"};
  const char *what = names[unsigned(op)];
  // Constants are scalars of their own type here: they do not adapt.
  auto typed = [&](const Value &value) {
    return value.isNumber() ? Value(toTensor(value)) : value;
  };
  Tensor left, right;
  Rules rules;
  rules.pointerOnLeft = rules.pointerOnRight = true;
  if (!unify(typed(lhs), typed(rhs), left, right, what, rules))
    return {};
  Type type = left.type.withElement(ScalarType::int1);
  ElementType element = left.type.element;
  if (element.isPointer() || right.type.element.isPointer()) {
    if (!(element.isPointer() && right.type.element.isPointer()))
      return fail(std::string(what) + " takes no " + left.type.name() + " with " +
                  right.type.name());
    left = cast(left, ScalarType::uint64);
    right = cast(right, ScalarType::uint64);
    element = ScalarType::uint64;
  }
  if (isStorage(element))
    return failStorage(what, left.type);
  if (element.isFloat())
    return {emit.compareFloat(op, left.value, right.value), type};
  return {emit.compareInt(op, element.scalar.isSigned(), left.value, right.value), type};
}

Tensor Semantics::unary(ast::UnaryOp op, Tensor value) {
  ElementType element = value.type.element;
  std::string name = "unary " + quoted(spelling(op));
  switch (op) {
  case ast::UnaryOp::plus:
    return value;
  case ast::UnaryOp::minus:
    if (element.isPointer())
      return fail(name + " of a pointer");
    if (isStorage(element))
      return failStorage(name, value.type);
    return {emit.arith(element.isFloat() ? Arith::subf : Arith::subi, emit.filled(value.type, 0),
                       value.value),
            value.type};
  case ast::UnaryOp::invert:
    if (!element.isInteger())
      return fail(name + " takes integers, found " + value.type.name());
    return {emit.arith(Arith::xori, value.value, emit.filled(value.type, -1)), value.type};
  case ast::UnaryOp::logicalNot:
    value = toBool(value);
    return value ? unary(ast::UnaryOp::invert, value) : Tensor();
  }
  return {};
}

Tensor Semantics::logical(bool isAnd, Tensor lhs, Tensor rhs) {
  lhs = toBool(lhs);
  rhs = toBool(rhs);
  if (!lhs || !rhs || !broadcastPair(lhs, rhs, isAnd ? "'and'" : "'or'"))
    return {};
  return {emit.arith(isAnd ? Arith::andi : Arith::ori, lhs.value, rhs.value), lhs.type};
}

Tensor Semantics::select(Tensor condition, const Value &yes, const Value &no) {
  condition = toBool(condition);
  Tensor left, right;
  Rules rules;
  rules.pointerOnLeft = rules.pointerOnRight = true;
  if (!condition || !unify(yes, no, left, right, "tl.where", rules))
    return {};
  if (!(left.type.element == right.type.element))
    return fail("tl.where chooses between " + left.type.name() + " and " + right.type.name());
  if (condition.type.isTile()) {
    Tensor all[] = {condition, left, right};
    if (!broadcastAll(all, "tl.where"))
      return {};
    return {emit.select(all[0].value, all[1].value, all[2].value), all[1].type};
  }
  return {emit.select(condition.value, left.value, right.value), left.type};
}

Tensor Semantics::extremum(bool isMax, Tensor lhs, Tensor rhs, NanRule nan) {
  const char *what = isMax ? "tl.maximum" : "tl.minimum";
  lhs = promoteBfloat(lhs);
  rhs = promoteBfloat(rhs);
  Tensor left, right;
  if (!lhs || !rhs || !unify(lhs, rhs, left, right, what))
    return {};
  ElementType element = left.type.element;
  if (isStorage(element))
    return failStorage(what, left.type);
  Arith op;
  if (element.isFloat())
    op = nan == NanRule::propagated ? (isMax ? Arith::maximumf : Arith::minimumf)
                                    : (isMax ? Arith::maxnumf : Arith::minnumf);
  else if (element.scalar.isSigned())
    op = isMax ? Arith::maxsi : Arith::minsi;
  else
    op = isMax ? Arith::maxui : Arith::minui;
  return {emit.arith(op, left.value, right.value), left.type};
}

} // namespace teeny::lang
