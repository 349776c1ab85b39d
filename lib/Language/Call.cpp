#include "Language/Call.h"

#include "llvm/ADT/STLExtras.h"

namespace teeny::lang {

std::string Builtin::fullName() const {
  std::string prefix = where & language     ? "tl."
                       : where & libdevice  ? "libdevice."
                       : where & math       ? "tl.math."
                       : where & triton     ? "triton."
                       : where & descriptor ? "desc."
                                            : "";
  return prefix + name;
}

Value Call::fail(std::string message, std::string hint) {
  semantics.errors.fail(std::move(message), std::move(hint));
  return {};
}

std::string Call::parameter(unsigned index) const {
  return "'" + names[index] + "' of " + builtin.fullName();
}

namespace {
// The parameters of a builtin, read from the signature in its row.
struct BuiltinParameters {
  std::vector<std::string> names; // without the one that takes any number
  llvm::SmallVector<bool> required;
  std::optional<size_t> variadicAt; // before this one

  explicit BuiltinParameters(const Builtin &builtin) {
    llvm::SmallVector<llvm::StringRef> parameters;
    llvm::StringRef(builtin.signature).split(parameters, ", ", -1, /*KeepEmpty=*/false);
    for (llvm::StringRef parameter : parameters) {
      if (parameter.consume_front("*")) {
        variadicAt = names.size();
        continue;
      }
      names.push_back(parameter.split('=').first.str());
      required.push_back(!parameter.contains('='));
    }
  }
};
} // namespace

std::optional<Misfit> misfit(const Builtin &builtin, size_t positional,
                             llvm::ArrayRef<std::string> keywords) {
  auto misuse = [&](const std::string &what) {
    return Misfit{builtin.fullName() + " " + what,
                  "it takes " + builtin.fullName() + "(" + builtin.signature + ")"};
  };
  BuiltinParameters parameters(builtin);
  const std::vector<std::string> &names = parameters.names;
  std::vector<bool> given(names.size());
  size_t places = parameters.variadicAt.value_or(names.size());
  if (positional > places && !parameters.variadicAt)
    return misuse("takes at most " + std::to_string(names.size()) + " arguments, found " +
                  std::to_string(positional));
  std::fill(given.begin(), given.begin() + std::min(positional, places), true);
  for (const std::string &name : keywords) {
    auto found = llvm::find(names, name);
    if (found == names.end() && (name == "trans_a" || name == "trans_b"))
      return Misfit{builtin.fullName() + " has no parameter '" + name + "'",
                    "earlier versions of Triton had it; transpose with tl.trans"};
    if (found == names.end())
      return misuse("has no parameter '" + name + "'");
    size_t index = size_t(found - names.begin());
    if (given[index])
      return misuse("was given '" + name + "' twice");
    given[index] = true;
  }
  for (size_t index = 0; index != names.size(); ++index)
    if (parameters.required[index] && !given[index])
      return misuse("needs '" + names[index] + "'");
  return std::nullopt;
}

bool Call::bind(Arguments arguments) {
  std::vector<std::string> keywords;
  for (const auto &[name, value] : arguments.keywords)
    keywords.push_back(name);
  if (std::optional<Misfit> wrong = misfit(builtin, arguments.positional.size(), keywords)) {
    fail(wrong->message, wrong->hint);
    return false;
  }
  BuiltinParameters parameters(builtin);
  names = std::move(parameters.names);
  values.resize(names.size());
  size_t next = 0;
  for (Value &value : arguments.positional) {
    if (next == parameters.variadicAt)
      variadic.push_back(std::move(value));
    else
      values[next++] = std::move(value);
  }
  for (auto &[name, value] : arguments.keywords)
    values[size_t(llvm::find(names, name) - names.begin())] = std::move(value);
  return true;
}

Tensor Call::tensor(unsigned index) {
  const Value &value = values[index];
  if (value.tensor() || value.isNumber())
    return semantics.toTensor(value);
  fail(parameter(index) + " must be a scalar or tile, found " + value.describe());
  return {};
}

Tensor Call::optionalTensor(unsigned index, bool &valid) {
  if (!has(index))
    return {};
  Tensor result = tensor(index);
  valid = valid && result;
  return result;
}

std::optional<Integer> Call::integer(unsigned index) {
  std::optional<Integer> result = values[index].asInteger();
  if (!result)
    fail(parameter(index) + " must be an integer known at compile time, found " +
             values[index].describe(),
         values[index].tensor()
             ? "a plain assignment makes a run-time scalar; declare 'name: tl.constexpr = ...'"
             : "");
  return result;
}

std::optional<Integer> Call::integer(unsigned index, Integer otherwise) {
  return has(index) ? integer(index) : otherwise;
}

std::optional<bool> Call::boolean(unsigned index, bool otherwise) {
  if (!has(index))
    return otherwise;
  const Constant *constant = values[index].constant();
  std::optional<bool> result = constant ? truth(*constant) : std::nullopt;
  if (!result)
    fail(parameter(index) + " must be known at compile time, found " + values[index].describe());
  return result;
}

std::optional<std::string> Call::string(unsigned index, llvm::StringRef otherwise) {
  if (!has(index))
    return otherwise.str();
  if (const std::string *text = values[index].asString())
    return *text;
  fail(parameter(index) + " must be a string, found " + values[index].describe());
  return std::nullopt;
}

std::optional<ElementType> Call::elementType(unsigned index) {
  if (const Type *type = values[index].asType())
    return type->element;
  fail(parameter(index) + " must be a type such as tl.float32, found " + values[index].describe());
  return std::nullopt;
}

std::optional<llvm::SmallVector<int64_t>> Call::integers(const Value &value,
                                                         const std::string &what) {
  llvm::SmallVector<int64_t> result;
  auto add = [&](const Value &item) {
    std::optional<Integer> integer = item.asInteger();
    if (!integer || *integer < INT64_MIN || *integer > INT64_MAX) {
      fail(what + " must be integers known at compile time, found " + item.describe(),
           item.tensor()
               ? "a plain assignment makes a run-time scalar; declare 'name: tl.constexpr = ...'"
               : "");
      return false;
    }
    result.push_back(int64_t(*integer));
    return true;
  };
  if (const TupleValue *tuple = value.tuple()) {
    for (const Value &item : tuple->items)
      if (!add(item))
        return std::nullopt;
    return result;
  }
  if (!add(value))
    return std::nullopt;
  return result;
}

std::optional<llvm::SmallVector<int64_t>> Call::integers(unsigned index) {
  return integers(values[index], parameter(index));
}

std::optional<llvm::SmallVector<int64_t>> Call::restIntegers() {
  std::string what = "the dims of " + builtin.fullName();
  if (variadic.size() == 1 && variadic[0].tuple())
    return integers(variadic[0], what);
  return integers(Value::tuple(variadic), what);
}

std::optional<unsigned> Call::axis(const Value &value, unsigned rank) {
  std::optional<Integer> axis = value.asInteger();
  if (!axis)
    fail("the axis of " + builtin.fullName() + " must be an integer known at compile time, found " +
         value.describe());
  else if (*axis < -Integer(rank) || *axis >= Integer(rank))
    fail("axis " + toString(*axis) + " of " + builtin.fullName() +
         " is out of range for a tile of " + std::to_string(rank) + (rank == 1 ? " dim" : " dims"));
  else
    return unsigned(*axis < 0 ? *axis + rank : *axis);
  return std::nullopt;
}

std::optional<unsigned> Call::word(unsigned index, llvm::ArrayRef<llvm::StringRef> words,
                                   unsigned otherwise) {
  std::optional<std::string> text = string(index, "");
  if (!text)
    return std::nullopt;
  if (text->empty())
    return otherwise;
  for (unsigned i = 0; i != words.size(); ++i)
    if (words[i] == *text)
      return i;
  std::string list;
  for (llvm::StringRef word : words)
    list += (list.empty() ? "'" : ", '") + word.str() + "'";
  fail(parameter(index) + " is '" + *text + "'; it may be " + list);
  return std::nullopt;
}

std::optional<llvm::SmallVector<Tensor, 3>> Call::scalars(unsigned index) {
  const Value &list = values[index];
  std::vector<Value> single{list};
  llvm::SmallVector<Tensor, 3> result;
  for (const Value &item : list.tuple() ? list.tuple()->items : single) {
    if (!item.isNumber() && !item.tensor()) {
      fail(parameter(index) + " must be integers, found " + item.describe());
      return std::nullopt;
    }
    Tensor scalar = item.asInteger() ? semantics.number(item, ScalarType::int64)
                                     : semantics.toScalar(semantics.toTensor(item));
    if (!scalar)
      return std::nullopt;
    if (!scalar.type.element.isInteger()) {
      fail(parameter(index) + " must be integers, found " + scalar.type.name());
      return std::nullopt;
    }
    result.push_back(semantics.cast(scalar, ScalarType::int64));
  }
  return result;
}

} // namespace teeny::lang
