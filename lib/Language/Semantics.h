// The meaning of operations on typed values: which types they take, what they promote to, how
// shapes broadcast. The rules are Triton's (3.6).
//
// Operands are Values: a tensor, or a constant number, which adapts to the tensor it meets (`x
// * 2.0` of an fp16 tile is fp16) where a tensor scalar does not. Results are Tensors; a null one
// means that an error has been reported to the ErrorSink at the place being compiled.
#pragma once

#include "Language/AST.h"
#include "Language/Emitter.h"
#include "Language/Values.h"

namespace teeny::lang {

class ErrorSink {
public:
  virtual ~ErrorSink() = default;
  virtual void fail(std::string message, std::string hint = "") = 0;
  virtual void warn(std::string message) = 0;
};

enum class Rounding : uint8_t { unspecified, nearestEven, towardZero };
enum class NanRule : uint8_t { dropped, propagated };

class Semantics {
public:
  Semantics(Emitter &emitter, ErrorSink &errors) : emit(emitter), errors(errors) {}

  //===-- Conversions (SemanticsCast.cpp) -----------------------------------------------------===//

  // A constant number as the scalar it becomes when assigned to a variable: int32 if it fits, fp32,
  // int1.
  Tensor toTensor(const Value &value);
  std::optional<ElementType> elementType(const Value &value); // that it would have
  Tensor number(const Value &value, ElementType type);
  Tensor cast(Tensor value, ElementType to, Rounding rounding = Rounding::unspecified);
  Tensor bitcast(Tensor value, ElementType to);
  // As `if` and `and` see it: int1.
  Tensor toBool(Tensor value);
  Tensor promoteBfloat(Tensor value) {
    return value.type.element.is(ScalarType::bf16) ? cast(value, ScalarType::fp32) : value;
  }

  //===-- Arithmetic (SemanticsArithmetic.cpp) ------------------------------------------------===//

  struct Rules {
    bool pointerOnLeft = false, pointerOnRight = false;
    bool promote = true;
    bool divides = false; // / // %: never in 16 bits
  };
  // Both operands with one element type (but pointers) and one shape.
  bool unify(const Value &lhs, const Value &rhs, Tensor &left, Tensor &right, const char *what,
             Rules rules);
  bool unify(const Value &lhs, const Value &rhs, Tensor &left, Tensor &right, const char *what) {
    return unify(lhs, rhs, left, right, what, Rules());
  }
  Tensor binary(ast::BinaryOp op, const Value &lhs, const Value &rhs);
  Tensor compare(Compare op, const Value &lhs, const Value &rhs);
  Tensor unary(ast::UnaryOp op, Tensor value);
  Tensor failStorage(const std::string &what, const Type &type);
  Tensor logical(bool isAnd, Tensor lhs, Tensor rhs);
  Tensor select(Tensor condition, const Value &yes, const Value &no);
  Tensor extremum(bool isMax, Tensor lhs, Tensor rhs, NanRule nan);

  //===-- Shapes (SemanticsShape.cpp) ---------------------------------------------------------===//

  // An error unless dims are powers of two with at most maxTileElements in all.
  bool checkShape(llvm::ArrayRef<int64_t> shape);
  Tensor splat(Tensor scalar, llvm::ArrayRef<int64_t> shape);
  Tensor broadcastTo(Tensor value, llvm::ArrayRef<int64_t> shape);
  bool broadcastPair(Tensor &lhs, Tensor &rhs, const char *what);
  bool broadcastAll(llvm::MutableArrayRef<Tensor> values, const char *what);
  Tensor expandDims(Tensor value, unsigned axis);
  Tensor reshape(Tensor value, llvm::ArrayRef<int64_t> shape);
  Tensor toScalar(Tensor value); // of a tile of one element
  Tensor permute(Tensor value, llvm::ArrayRef<int64_t> order);
  Tensor join(Tensor lhs, Tensor rhs);
  std::pair<Tensor, Tensor> split(Tensor value);

  //===-- Memory (SemanticsMemory.cpp) --------------------------------------------------------===//

  Tensor load(Tensor pointer, Tensor mask, Tensor other);
  bool store(Tensor pointer, Tensor value, Tensor mask);
  // `boundary`: the dims at which elements outside are not touched; loaded elements outside are
  // `padding`.
  Tensor loadBlock(const BlockPointer &pointer, llvm::ArrayRef<int64_t> boundary, Tensor padding);
  bool storeBlock(const BlockPointer &pointer, Tensor value, llvm::ArrayRef<int64_t> boundary);
  Tensor atomic(llvm::StringRef name, Tensor pointer, const Value &value, Tensor mask,
                MemoryOrder order, MemoryScope scope);
  Tensor compareAndSwap(Tensor pointer, const Value &compare, const Value &value, MemoryOrder order,
                        MemoryScope scope);

  Tensor dot(Tensor lhs, Tensor rhs, Tensor acc, DotPrecision precision, ElementType out);

  Emitter &emit;
  ErrorSink &errors;

private:
  Tensor fail(std::string message, std::string hint = "") {
    errors.fail(std::move(message), std::move(hint));
    return {};
  }
  std::optional<ScalarType> promoted(ScalarType lhs, bool lhsIsNumber, ScalarType rhs,
                                     bool rhsIsNumber, bool divides, const char *what);
  Tensor addressOf(const BlockPointer &pointer, llvm::ArrayRef<int64_t> boundary, Tensor &mask);
  Tensor floatExtremum(bool isMax, Tensor pointer, Tensor value, Tensor mask, MemoryOrder order,
                       MemoryScope scope);
};

// The common type of two integers, by C's rules.
ScalarType promoteIntegers(ScalarType a, ScalarType b);

} // namespace teeny::lang
