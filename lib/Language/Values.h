// What an expression of a kernel can be while it is compiled.
//
// A Value is either known at compile time (a number, string, type, function, module, None:
// "constant" here, `constexpr` in the language), a scalar or tile that the kernel computes
// (Tensor), or something made of those: a tuple, a block pointer, a bound method. A
// default-constructed Value is the result of an error that has been reported; whoever gets one
// gives up in turn.
#pragma once

#include "Language/Types.h"

#include "mlir/IR/Value.h"

#include <memory>
#include <variant>
#include <vector>

namespace teeny::lang {

namespace ast {
struct FunctionStmt;
struct LambdaExpr;
} // namespace ast
class Module;
class ParsedFile;
struct Builtin;
class Value;

struct None {};

// A scalar or tile in the IR.
struct Tensor {
  mlir::Value value; // null after an error that has been reported
  Type type;

  explicit operator bool() const { return bool(value); }
};

// A function of some kernel file.
struct FunctionRef {
  const ast::FunctionStmt *function = nullptr;
  const Module *module = nullptr;
  bool operator==(const FunctionRef &other) const { return function == other.function; }
};

// A function that the compiler knows.
struct BuiltinRef {
  const Builtin *builtin = nullptr;
  bool operator==(const BuiltinRef &other) const { return builtin == other.builtin; }
};

// A module: one that the compiler knows, by its dotted name ("triton.language"), or a file.
struct ModuleRef {
  std::string path;
  const ParsedFile *file = nullptr;
  const ParsedFile *importer = nullptr; // of a package: who knows the files that are in it
  bool operator==(const ModuleRef &other) const { return path == other.path && file == other.file; }
};

// A lambda of host code.
struct LambdaRef {
  const ast::LambdaExpr *lambda = nullptr;
  const Module *module = nullptr;
  bool operator==(const LambdaRef &other) const { return lambda == other.lambda; }
};

// A name whose value only Python could tell.
struct Unknown {
  std::string why;
  bool isSome = false; // it is not None
};

// What is known of a value at compile time.
using Constant = std::variant<None, bool, Integer, double, std::string, Type, FunctionRef,
                              BuiltinRef, ModuleRef, LambdaRef, Unknown>;

struct TupleValue;
struct DictValue;
struct BlockPointer;
struct BoundMethod;
struct SliceValue;

class Value {
public:
  Value() = default;
  Value(Constant constant) : state(std::move(constant)) {}
  Value(Tensor tensor) {
    if (tensor)
      state = std::move(tensor);
  }
  Value(std::shared_ptr<const TupleValue> tuple) : state(std::move(tuple)) {}
  Value(std::shared_ptr<const DictValue> dict) : state(std::move(dict)) {}
  Value(std::shared_ptr<const BlockPointer> pointer) : state(std::move(pointer)) {}
  Value(std::shared_ptr<const BoundMethod> method) : state(std::move(method)) {}
  Value(std::shared_ptr<const SliceValue> slice) : state(std::move(slice)) {}
  static Value none() { return Constant(None{}); }
  static Value boolean(bool value) { return Constant(value); }
  static Value integer(Integer value) { return Constant(value); }
  static Value floating(double value) { return Constant(value); }
  static Value string(std::string value) { return Constant(std::move(value)); }
  static Value type(Type type) { return Constant(std::move(type)); }
  static Value tuple(std::vector<Value> items, bool isList = false);

  // False after an error.
  explicit operator bool() const { return state.index() != 0; }

  const Constant *constant() const { return std::get_if<Constant>(&state); }
  const Tensor *tensor() const { return std::get_if<Tensor>(&state); }
  const TupleValue *tuple() const { return get<TupleValue>(); }
  const DictValue *dict() const { return get<DictValue>(); }
  const BlockPointer *blockPointer() const { return get<BlockPointer>(); }
  const BoundMethod *method() const { return get<BoundMethod>(); }
  const SliceValue *slice() const { return get<SliceValue>(); }

  // The constant of this kind, or null.
  template <typename T> const T *constantOf() const {
    const Constant *value = constant();
    return value ? std::get_if<T>(value) : nullptr;
  }
  bool isNone() const { return constantOf<None>(); }
  // An integer or bool constant as an integer.
  std::optional<Integer> asInteger() const;
  // An integer, bool or float constant.
  bool isNumber() const;
  std::optional<double> asFloat() const;
  const std::string *asString() const { return constantOf<std::string>(); }
  const Type *asType() const { return constantOf<Type>(); }

  // For messages: "fp32[16, 32]", "the constant 3", "None", "a tuple of 2".
  std::string describe() const;

private:
  template <typename T> const T *get() const {
    auto *pointer = std::get_if<std::shared_ptr<const T>>(&state);
    return pointer ? pointer->get() : nullptr;
  }

  std::variant<std::monostate, Constant, Tensor, std::shared_ptr<const TupleValue>,
               std::shared_ptr<const DictValue>, std::shared_ptr<const BlockPointer>,
               std::shared_ptr<const BoundMethod>, std::shared_ptr<const SliceValue>>
      state;
};

struct TupleValue {
  std::vector<Value> items;
  bool isList = false;
};

// A dict of host code, such as the choices of an autotuner.
struct DictValue {
  std::vector<std::pair<std::string, Value>> items;

  const Value *find(llvm::StringRef name) const; // null if there is none
};

// A window into an array in memory: `tl.make_block_ptr`; or, without offsets, a descriptor of an
// array of which windows are taken: `tl.make_tensor_descriptor`. Shapes, strides and offsets are
// int64 scalars.
struct BlockPointer {
  Tensor base;
  llvm::SmallVector<Tensor, 3> shape, strides, offsets;
  llvm::SmallVector<int64_t, 3> block; // extents of the window
  llvm::SmallVector<int64_t, 3> order;
  bool isDescriptor = false;
  bool padsWithNan = false; // of a descriptor: what is read outside of the array

  Type elementType() const { return Type(base.type.element.pointee()); }
};

// `x.sum` before it is called.
struct BoundMethod {
  Value self, function;
};

struct SliceValue {
  Value start, stop, step;
};

// A constant as source text: 3, 'tf32', tl.float16, None.
std::string text(const Constant &constant);

// Truth of a constant as in Python; none for what has no truth at compile time.
std::optional<bool> truth(const Constant &constant);

// The IR values that a value is made of, in a fixed order: none for a constant.
void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &parts);
// A value like `like` with other IR values, taken from the front of `parts`.
Value rebuild(const Value &like, llvm::ArrayRef<mlir::Value> &parts);
// Whether one can take the other's place where control flow joins: equal types, equal constants.
bool interchangeable(const Value &a, const Value &b);
bool identical(const Value &a, const Value &b);

} // namespace teeny::lang
