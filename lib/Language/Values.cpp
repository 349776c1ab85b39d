#include "Language/Values.h"

#include "Language/AST.h"
#include "Language/Builtins.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

namespace teeny::lang {

Value Value::tuple(std::vector<Value> items, bool isList) {
  auto result = std::make_shared<TupleValue>();
  result->items = std::move(items);
  result->isList = isList;
  return Value(std::shared_ptr<const TupleValue>(std::move(result)));
}

const Value *DictValue::find(llvm::StringRef name) const {
  for (const auto &[key, value] : items)
    if (key == name)
      return &value;
  return nullptr;
}

std::optional<Integer> Value::asInteger() const {
  if (auto *value = constantOf<Integer>())
    return *value;
  if (auto *value = constantOf<bool>())
    return Integer(*value);
  return std::nullopt;
}

bool Value::isNumber() const { return asInteger() || constantOf<double>(); }

std::optional<double> Value::asFloat() const {
  if (auto *value = constantOf<double>())
    return *value;
  if (std::optional<Integer> value = asInteger())
    return double(*value);
  return std::nullopt;
}

static std::string floatText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  // The shortest text that reads back as the same number, as Python prints it.
  char buffer[40];
  for (int digits = 1; digits <= 17; ++digits) {
    snprintf(buffer, sizeof buffer, "%.*g", digits, value);
    if (std::strtod(buffer, nullptr) == value)
      break;
  }
  std::string text = buffer;
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string text(const Constant &constant) {
  struct Printer {
    std::string operator()(None) { return "None"; }
    std::string operator()(bool value) { return value ? "True" : "False"; }
    std::string operator()(Integer value) { return toString(value); }
    std::string operator()(double value) { return floatText(value); }
    std::string operator()(const std::string &value) { return "'" + value + "'"; }
    std::string operator()(const Type &value) { return value.name(); }
    std::string operator()(const FunctionRef &value) {
      return "function '" + value.function->name + "'";
    }
    std::string operator()(const BuiltinRef &value) {
      return "function '" + std::string(value.builtin->name) + "'";
    }
    std::string operator()(const ModuleRef &value) { return "module '" + value.path + "'"; }
    std::string operator()(const LambdaRef &) { return "a lambda"; }
    std::string operator()(const Unknown &) { return "a value unknown at compile time"; }
  };
  return std::visit(Printer(), constant);
}

std::string Value::describe() const {
  if (const Constant *value = constant()) {
    if (std::holds_alternative<bool>(*value) || isNumber() || asString())
      return "the constant " + text(*value);
    if (asType())
      return "the type " + text(*value);
    return text(*value);
  }
  if (const Tensor *value = tensor())
    return value->type.name();
  if (const TupleValue *value = tuple())
    return (value->isList ? "a list of " : "a tuple of ") + std::to_string(value->items.size());
  if (dict())
    return "a dict";
  if (const BlockPointer *value = blockPointer())
    return (value->isDescriptor ? "a tensor descriptor of " : "a block pointer to ") +
           value->elementType().withShape(value->block).name();
  if (method())
    return "a method";
  if (slice())
    return "a slice";
  return "an error";
}

std::optional<bool> truth(const Constant &constant) {
  struct Truth {
    std::optional<bool> operator()(None) { return false; }
    std::optional<bool> operator()(bool value) { return value; }
    std::optional<bool> operator()(Integer value) { return value != 0; }
    std::optional<bool> operator()(double value) { return value != 0; }
    std::optional<bool> operator()(const std::string &value) { return !value.empty(); }
    std::optional<bool> operator()(const Type &) { return true; }
    std::optional<bool> operator()(const FunctionRef &) { return true; }
    std::optional<bool> operator()(const BuiltinRef &) { return true; }
    std::optional<bool> operator()(const ModuleRef &) { return true; }
    std::optional<bool> operator()(const LambdaRef &) { return true; }
    std::optional<bool> operator()(const Unknown &) { return std::nullopt; }
  };
  return std::visit(Truth(), constant);
}

void flatten(const Value &value, llvm::SmallVectorImpl<mlir::Value> &parts) {
  if (const Tensor *tensor = value.tensor()) {
    parts.push_back(tensor->value);
  } else if (const TupleValue *tuple = value.tuple()) {
    for (const Value &item : tuple->items)
      flatten(item, parts);
  } else if (const BlockPointer *pointer = value.blockPointer()) {
    parts.push_back(pointer->base.value);
    for (auto *list : {&pointer->shape, &pointer->strides, &pointer->offsets})
      for (const Tensor &tensor : *list)
        parts.push_back(tensor.value);
  } else if (const BoundMethod *method = value.method()) {
    flatten(method->self, parts);
  }
}

Value rebuild(const Value &like, llvm::ArrayRef<mlir::Value> &parts) {
  auto take = [&](const Tensor &tensor) {
    mlir::Value part = parts.front();
    parts = parts.drop_front();
    return Tensor{part, tensor.type};
  };
  if (const Tensor *tensor = like.tensor())
    return take(*tensor);
  if (const TupleValue *tuple = like.tuple()) {
    std::vector<Value> items;
    for (const Value &item : tuple->items)
      items.push_back(rebuild(item, parts));
    return Value::tuple(std::move(items), tuple->isList);
  }
  if (const BlockPointer *pointer = like.blockPointer()) {
    auto result = std::make_shared<BlockPointer>(*pointer);
    result->base = take(result->base);
    for (auto *list : {&result->shape, &result->strides, &result->offsets})
      for (Tensor &tensor : *list)
        tensor = take(tensor);
    return Value(std::shared_ptr<const BlockPointer>(std::move(result)));
  }
  if (const BoundMethod *method = like.method()) {
    auto result = std::make_shared<BoundMethod>(*method);
    result->self = rebuild(method->self, parts);
    return Value(std::shared_ptr<const BoundMethod>(std::move(result)));
  }
  return like;
}

static bool equal(const Constant &a, const Constant &b) {
  if (a.index() != b.index())
    return false;
  return std::visit(
      [&](const auto &value) {
        using T = std::decay_t<decltype(value)>;
        const T &other = std::get<T>(b);
        if constexpr (std::is_same_v<T, None>)
          return true;
        else if constexpr (std::is_same_v<T, Unknown>)
          return value.why == other.why;
        else if constexpr (std::is_same_v<T, double>)
          return value == other || (std::isnan(value) && std::isnan(other));
        else
          return value == other;
      },
      a);
}

bool interchangeable(const Value &a, const Value &b) {
  if (a.constant() && b.constant())
    return equal(*a.constant(), *b.constant());
  if (a.tensor() && b.tensor())
    return a.tensor()->type == b.tensor()->type;
  if (a.tuple() && b.tuple())
    return llvm::equal(a.tuple()->items, b.tuple()->items, interchangeable);
  if (a.blockPointer() && b.blockPointer()) {
    const BlockPointer &x = *a.blockPointer(), &y = *b.blockPointer();
    return x.base.type == y.base.type && x.block == y.block && x.order == y.order &&
           x.isDescriptor == y.isDescriptor && x.padsWithNan == y.padsWithNan;
  }
  if (a.dict() && b.dict())
    return a.dict() == b.dict();
  if (a.slice() && b.slice())
    return a.slice() == b.slice();
  if (a.method() && b.method())
    return interchangeable(a.method()->self, b.method()->self) &&
           interchangeable(a.method()->function, b.method()->function);
  return !a && !b;
}

bool identical(const Value &a, const Value &b) {
  if (!interchangeable(a, b))
    return false;
  llvm::SmallVector<mlir::Value> partsOfA, partsOfB;
  flatten(a, partsOfA);
  flatten(b, partsOfB);
  return partsOfA == partsOfB;
}

} // namespace teeny::lang
