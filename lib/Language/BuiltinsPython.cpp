// Python's own functions, those of `triton`, and what has to do with compile-time values.
#include "Language/Call.h"
#include "Language/Constants.h"
#include "Language/Generator.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

namespace teeny::lang {
namespace {

Value onlyInLoops(Call &call) {
  if (call.generator.isCompileTime() && call.builtin.where == Builtin::python) {
    std::optional<Integer> first = call.integer(0), second = call.integer(1, 0),
                           step = call.integer(2, 1);
    if (!first || !second || !step)
      return {};
    if (!call.has(1))
      std::swap(*first, *second);
    std::vector<Value> items;
    if (*step == 0)
      return call.fail("the step of range is 0");
    for (Integer i = *first; *step > 0 ? i < *second : i > *second; i += *step) {
      if (items.size() == maxUnrolled)
        return call.fail("a range of more than " + std::to_string(maxUnrolled) + " numbers");
      items.push_back(Value::integer(i));
    }
    return Value::tuple(std::move(items), /*isList=*/true);
  }
  return call.fail(call.builtin.fullName() + " can stand only in the head of a loop");
}

Value lengthOf(Call &call) {
  if (const TupleValue *tuple = call[0].tuple())
    return Value::integer(Integer(tuple->items.size()));
  if (const std::string *text = call[0].asString())
    return Value::integer(Integer(text->size()));
  return call.fail("len takes a tuple, found " + call[0].describe());
}

Value toFloat(Call &call) {
  if (const std::string *text = call[0].asString()) {
    llvm::StringRef trimmed = llvm::StringRef(*text).trim();
    double value = 0;
    if (!trimmed.getAsDouble(value))
      return Value::floating(value);
    bool negative = trimmed.consume_front("-");
    trimmed.consume_front("+");
    if (trimmed.equals_insensitive("inf") || trimmed.equals_insensitive("infinity"))
      return Value::floating(negative ? -HUGE_VAL : HUGE_VAL);
    if (trimmed.equals_insensitive("nan"))
      return Value::floating(std::nan(""));
    return call.fail("float('" + *text + "') is no number");
  }
  if (std::optional<double> value = call[0].asFloat())
    return Value::floating(*value);
  return call.fail("float takes a number or string known at compile time, found " +
                       call[0].describe(),
                   "to convert a scalar or tile, use .to(tl.float32)");
}

Value toInt(Call &call) {
  if (std::optional<Integer> value = call[0].asInteger())
    return Value::integer(*value);
  if (std::optional<double> value = call[0].asFloat(); value && std::fabs(*value) < 0x1p126)
    return Value::integer(Integer(std::trunc(*value)));
  return call.fail("int takes a number known at compile time, found " + call[0].describe(),
                   "to convert a scalar or tile, use .to(tl.int32)");
}

Value toBool(Call &call) {
  if (std::optional<bool> value = call.generator.constantTruth(call[0]))
    return Value::boolean(*value);
  return call.fail("bool takes a value known at compile time, found " + call[0].describe());
}

Value toString(Call &call) {
  if (const Constant *constant = call[0].constant())
    return Value::string(display(*constant));
  return call.fail("str takes a value known at compile time, found " + call[0].describe());
}

// min and max: of constants as Python has them, else tl.minimum and tl.maximum.
Value extremum(Call &call, bool isMax) {
  std::vector<Value> items(call.rest().begin(), call.rest().end());
  if (items.size() == 1 && items[0].tuple())
    items = std::vector<Value>(items[0].tuple()->items);
  if (items.empty())
    return call.fail(call.builtin.fullName() + " needs at least one value");
  Value best = items[0];
  for (size_t i = 0; i != items.size(); ++i) {
    if (!items[i].isNumber() && !items[i].tensor())
      return call.fail(call.builtin.fullName() + " takes numbers, found " + items[i].describe());
    if (i == 0)
      continue;
    if (best.isNumber() && items[i].isNumber()) {
      std::string ignored;
      std::optional<Constant> less =
          evaluate(ast::CompareOp::lt, isMax ? *best.constant() : *items[i].constant(),
                   isMax ? *items[i].constant() : *best.constant(), ignored);
      if (less && truth(*less) == true)
        best = items[i];
      continue;
    }
    if (call.generator.isHostCode())
      return call.fail(call.builtin.fullName() + " takes numbers known at compile time here");
    Tensor lhs = call.semantics.toTensor(best), rhs = call.semantics.toTensor(items[i]);
    best = lhs && rhs ? call.semantics.extremum(isMax, lhs, rhs, NanRule::dropped) : Tensor();
    if (!best)
      return {};
  }
  return best;
}

Value minimum(Call &call) { return extremum(call, false); }
Value maximum(Call &call) { return extremum(call, true); }

Value isInstance(Call &call) {
  std::vector<Value> kinds{call[1]};
  if (call[1].tuple())
    kinds = call[1].tuple()->items;
  const Value &value = call[0];
  for (const Value &kind : kinds) {
    auto *builtin = kind.constantOf<BuiltinRef>();
    llvm::StringRef name = builtin ? builtin->builtin->name : "";
    bool matches;
    if (name == "int")
      matches = value.asInteger().has_value();
    else if (name == "float")
      matches = value.constantOf<double>();
    else if (name == "bool")
      matches = value.constantOf<bool>();
    else if (name == "str")
      matches = value.asString();
    else if (name == "tensor")
      matches = value.tensor() || value.blockPointer();
    else if (name == "constexpr")
      matches = value.constant();
    else if (name == "tuple" || name == "list")
      matches = value.tuple();
    else if (name == "dtype")
      matches = value.asType();
    else
      return call.fail("isinstance takes int, float, bool, str, tuple, tl.tensor, tl.constexpr or "
                       "tl.dtype, found " +
                       kind.describe());
    if (matches)
      return Value::boolean(true);
  }
  return Value::boolean(false);
}

// The prefix ends in ": " and begins with a space, as Triton prints it.
Value print(Call &call) {
  const std::string *text = call[0].asString();
  if (!text)
    return call.fail(call.builtin.fullName() + " takes text known at compile time first, found " +
                         call[0].describe(),
                     "write " + call.builtin.fullName() + "('x: ', x)");
  std::string prefix = *text;
  if (llvm::any_of(prefix, [](char c) { return uint8_t(c) < ' ' || uint8_t(c) > '~'; }))
    return call.fail("the text of " + call.builtin.fullName() + " must be printable ASCII");
  std::optional<bool> hex = call.boolean(1, false);
  if (!hex)
    return {};
  llvm::SmallVector<bool> isSigned;
  llvm::SmallVector<mlir::Value> sources;
  for (const Value &value : call.rest()) {
    if (!value.tensor() && !value.isNumber())
      return call.fail(call.builtin.fullName() + " prints scalars and tiles, found " +
                       value.describe());
    Tensor tensor = call.semantics.toTensor(value);
    if (!tensor)
      return {};
    ElementType element = tensor.type.element;
    if (!element.isPointer() && element.scalar.isFloat8()) {
      tensor = call.semantics.cast(tensor, ScalarType::fp32);
      if (!tensor)
        return {};
    }
    isSigned.push_back(!element.isPointer() && element.scalar.isSigned());
    sources.push_back(tensor.value);
  }
  if (!sources.empty()) {
    llvm::StringRef trimmed = llvm::StringRef(prefix).rtrim(' ');
    prefix = trimmed.str() + (trimmed.ends_with(":") || trimmed.empty() ? " " : ": ");
  }
  if (!llvm::StringRef(prefix).starts_with(" "))
    prefix.insert(0, " ");
  call.semantics.emit.print(prefix, *hex, isSigned, sources);
  return Value::none();
}

Value staticPrint(Call &call) {
  std::string text;
  for (const Value &value : call.rest())
    text += (text.empty() ? "" : " ") +
            (value.constant() ? display(*value.constant()) : value.describe());
  call.semantics.errors.warn("static_print: " + text);
  return Value::none();
}

Value ceilDivide(Call &call) {
  std::optional<Integer> x = call.integer(0), y = call.integer(1);
  if (!x || !y)
    return {};
  std::string error;
  std::optional<Constant> sum = evaluate(ast::BinaryOp::add, *x, *y - 1, error);
  std::optional<Constant> result =
      sum ? evaluate(ast::BinaryOp::floordiv, *sum, *y, error) : std::nullopt;
  return result ? Value(*result) : call.fail(error);
}

Value nextPowerOfTwo(Call &call) {
  std::optional<Integer> value = call.integer(0);
  if (!value)
    return {};
  if (*value > (Integer(1) << 62))
    return call.fail("the next power of two of " + lang::toString(*value) +
                     " does not fit in 64 bits");
  Integer power = 1;
  while (power < *value)
    power <<= 1;
  return Value::integer(*value <= 0 ? Integer(0) : power);
}

Value constexprOf(Call &call) {
  if (!call[0].constant() && !call[0].tuple())
    return call.fail("tl.constexpr of " + call[0].describe() + ", which is known only at run time");
  return call[0];
}

Value staticAssert(Call &call) {
  std::optional<bool> holds = call.generator.constantTruth(call[0]);
  if (!holds)
    return call.fail("the condition of tl.static_assert must be known at compile time, found " +
                     call[0].describe());
  if (*holds)
    return Value::none();
  std::string message = call.has(1) && call[1].constant() ? display(*call[1].constant()) : "";
  if (call.generator.inLibrary() && !message.empty())
    return call.fail(message); // which says what the library's function takes
  return call.fail("static assertion failed" + (message.empty() ? "" : ": " + message));
}

Value deviceAssert(Call &call) {
  std::string message = call.has(1) && call[1].constant() ? display(*call[1].constant()) : "";
  bool valid = call.generator.assertion(call[0], message, call.has(2) ? &call[2] : nullptr);
  return valid ? Value::none() : Value();
}

Value dtypeOf(Call &call) {
  if (call[0].asType())
    return call[0];
  std::optional<std::string> name = call.string(0, "");
  if (!name)
    return {};
  if (std::optional<ScalarType> type = ScalarType::parse(*name))
    return Value::type(Type(*type));
  return call.fail("there is no type '" + *name + "'");
}

Value pointerType(Call &call) {
  std::optional<ElementType> element = call.elementType(0);
  if (!element)
    return {};
  if (element->pointerDepth > 8)
    return call.fail("a pointer to a pointer to a pointer, more than 8 times");
  return Value::type(Type(element->pointer()));
}

Value integerType(Call &call) {
  std::optional<Integer> bits = call.integer(0);
  std::optional<bool> isSigned = call.boolean(1, true);
  if (!bits || !isSigned)
    return {};
  if (*bits > 0 && *bits <= 64)
    if (std::optional<ScalarType> type = ScalarType::integer(unsigned(*bits), *isSigned))
      return Value::type(Type(*type));
  return call.fail("there is no integer type of " + lang::toString(*bits) + " bits");
}

Value log2Of(Call &call) {
  std::optional<Integer> value = call.integer(0);
  if (!value)
    return {};
  Integer result = 0;
  for (Integer n = *value; n > 1; n >>= 1)
    ++result;
  return Value::integer(result);
}

Value sequence(Call &call) {
  if (call[0].tuple() && call.generator.isCompileTime())
    return Value::tuple(call[0].tuple()->items, llvm::StringRef(call.builtin.name) == "list");
  return call.fail(call.builtin.fullName() + " cannot be called");
}

// A condition of `while`, with what is said about the loop: hints alone.
Value condition(Call &call) {
  std::optional<bool> disableLicm = call.boolean(1, false);
  return disableLicm ? call[0] : Value();
}

Value mapElementwise(Call &call) {
  return call.fail("tl.map_elementwise is not supported",
                   "write the function for tiles, with tl.where where it branches");
}

Value onlyAType(Call &call) { return call.fail(call.builtin.fullName() + " cannot be called"); }

} // namespace

llvm::ArrayRef<Builtin> pythonBuiltins() {
  using B = Builtin;
  static const Builtin table[] = {
      {"range", "start, stop=None, step=None", B::python, true, onlyInLoops},
      {"range",
       "start, stop=None, step=None, num_stages=None, loop_unroll_factor=None, "
       "disallow_acc_multi_buffer=False, "
       "flatten=False, warp_specialize=False, disable_licm=False",
       B::language, false, onlyInLoops},
      {"static_range", "start, stop=None, step=None", B::language, false, onlyInLoops},
      {"len", "value", B::python, true, lengthOf},
      {"float", "value", B::python, true, toFloat},
      {"int", "value", B::python, true, toInt},
      {"bool", "value", B::python, true, toBool},
      {"str", "value", B::python, true, toString},
      {"tuple", "value", B::python, true, sequence},
      {"list", "value", B::python, true, sequence},
      {"min", "*values", B::python, true, minimum},
      {"max", "*values", B::python, true, maximum},
      {"isinstance", "value, kinds", B::python, true, isInstance},
      {"print", "prefix, *values, hex=False", B::python, false, print},
      {"device_print", "prefix, *values, hex=False", B::language, false, print},
      {"static_print", "*values", B::language, false, staticPrint},
      {"cdiv", "x, y", B::triton, true, ceilDivide},
      {"next_power_of_2", "n", B::triton | B::language, true, nextPowerOfTwo},
      {"constexpr", "value", B::language, true, constexprOf},
      {"static_assert", "condition, message=None", B::language, true, staticAssert},
      {"device_assert", "condition, message=None, mask=None", B::language, false, deviceAssert},
      {"condition", "arg1, disable_licm=False", B::language, true, condition},
      {"map_elementwise", "scalar_fn, *args, pack=1", B::language, false, mapElementwise},
      {"dtype", "name", B::language, true, dtypeOf},
      {"tensor", "", B::language, true, onlyAType},
      {"const", "", B::language, true, onlyAType},
      {"pointer_type", "element_ty, address_space=1", B::language, true, pointerType},
      {"get_int_dtype", "bitwidth, signed", B::language, true, integerType},
      {"_log2", "n", B::language, true, log2Of},
  };
  return table;
}

} // namespace teeny::lang
