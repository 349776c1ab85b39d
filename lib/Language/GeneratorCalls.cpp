// Calls: builtins by the table, functions by inlining.
#include "Language/Generator.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace teeny::lang {

using namespace ast;

Value Generator::call(const Value &callee, Arguments arguments) {
  if (const BoundMethod *method = callee.method()) {
    if (method->function.isNone()) { // a question to a type, already answered
      if (arguments.positional.empty() && arguments.keywords.empty())
        return method->self;
      fail("this method takes no arguments");
      return {};
    }
    arguments.positional.insert(arguments.positional.begin(), method->self);
    return call(method->function, std::move(arguments));
  }
  if (auto *builtin = callee.constantOf<BuiltinRef>())
    return callBuiltin(*builtin->builtin, std::move(arguments));
  if (auto *function = callee.constantOf<FunctionRef>()) {
    if (frame->isHost && function->function->role == FunctionStmt::kernel) {
      fail("a kernel function is called outside of kernels");
      return {};
    }
    return inlineCall(*function, std::move(arguments));
  }
  if (auto *lambda = callee.constantOf<LambdaRef>())
    return lambdaCall(*lambda, std::move(arguments));
  if (auto *unknown = callee.constantOf<Unknown>())
    fail(unknown->why);
  else
    fail(callee.describe() + " cannot be called");
  return {};
}

Value Generator::callBuiltin(const Builtin &builtin, Arguments arguments) {
  if (frame->isHost && !builtin.compileTime) {
    fail(builtin.fullName() + " is called outside of kernels");
    return {};
  }
  Semantics meaning = semantics();
  Call bound(*this, meaning, builtin);
  return bound.bind(std::move(arguments)) ? builtin.generate(bound) : Value();
}

// The signature of a function as errors quote it.
static std::string signature(const std::string &name, const FunctionStmt &function) {
  std::string text = name + "(";
  for (const Parameter &parameter : function.parameters)
    text += (&parameter == &function.parameters.front() ? "" : ", ") + parameter.name +
            (parameter.defaultValue ? "=..." : "");
  return text + ")";
}

std::optional<Misfit> misfit(FunctionRef ref, size_t positional,
                             llvm::ArrayRef<std::string> keywords) {
  const FunctionStmt &callee = *ref.function;
  bool isLibrary = ref.module->file.isLibrary;
  std::string shown = ref.module->file.shown(callee);
  auto misuse = [&](const std::string &what) {
    return Misfit{(isLibrary ? shown : "'" + shown + "'") + " " + what,
                  "it takes " + signature(shown, callee)};
  };
  std::set<llvm::StringRef> given;
  size_t next = 0;
  bool isVariadic = false;
  for (const Parameter &parameter : callee.parameters) {
    if (parameter.kind == Parameter::keywords)
      return misuse("takes '**" + parameter.name + "', which is not in the language");
    isVariadic |= parameter.kind == Parameter::variadic;
    if (parameter.kind == Parameter::variadic ||
        (parameter.kind == Parameter::positional && next < positional))
      given.insert(parameter.name);
    next += parameter.kind == Parameter::positional && next < positional;
  }
  if (next < positional && !isVariadic)
    return misuse("takes at most " + std::to_string(next) + " arguments, found " +
                  std::to_string(positional));
  for (const std::string &name : keywords) {
    if (llvm::none_of(callee.parameters,
                      [&](const Parameter &parameter) { return parameter.name == name; }))
      return misuse("has no parameter '" + name + "'");
    if (!given.insert(name).second)
      return misuse("was given '" + name + "' twice");
  }
  for (const Parameter &parameter : callee.parameters)
    if (!given.count(parameter.name) && !parameter.defaultValue)
      return misuse("needs '" + parameter.name + "'");
  return std::nullopt;
}

// Whether Python would know it: no part of it is a value of the run.
static bool isKnown(const Value &value) {
  if (const TupleValue *tuple = value.tuple())
    return llvm::all_of(tuple->items, isKnown);
  return !value.tensor() && !value.blockPointer();
}

// What the annotation of a library function's parameter says of its argument: `tl.constexpr` that
// it is known at compile time, `tl.tensor` that it is not, "tile" that it has dims.
bool Generator::fits(const Parameter &parameter, const Value &value, const std::string &function) {
  auto *kind = llvm::dyn_cast_or_null<AttributeExpr>(parameter.annotation.get());
  auto *word = llvm::dyn_cast_or_null<StringExpr>(parameter.annotation.get());
  const Tensor *tensor = value.tensor();
  std::string expected, hint;
  if (kind && kind->name == "constexpr" && !isKnown(value)) {
    expected = "known at compile time";
    if (tensor)
      hint = "a plain assignment makes a run-time scalar; declare 'name: tl.constexpr = ...'";
  } else if (kind && kind->name == "tensor" && !tensor) {
    expected = "a scalar or tile";
  } else if (word && word->value == "tile" && !(tensor && tensor->type.isTile())) {
    expected = "a tile";
  }
  if (!expected.empty())
    fail("'" + parameter.name + "' of " + function + " must be " + expected + ", found " +
             value.describe(),
         hint);
  return expected.empty();
}

Value Generator::inlineCall(FunctionRef ref, Arguments arguments) {
  const FunctionStmt &callee = *ref.function;
  if (depth == maxCallDepth) {
    fail("calls nested more than " + std::to_string(maxCallDepth) + " deep, the last of '" +
             callee.name + "'",
         "functions cannot call themselves");
    return {};
  }
  if (++calls > maxCalls) {
    fail("more than " + std::to_string(maxCalls) + " calls are inlined");
    return {};
  }
  std::vector<std::string> keywords;
  for (const auto &[name, value] : arguments.keywords)
    keywords.push_back(name);
  if (std::optional<Misfit> wrong = misfit(ref, arguments.positional.size(), keywords)) {
    fail(wrong->message, wrong->hint);
    return {};
  }

  Frame inner;
  inner.function = &callee;
  inner.module = const_cast<Module *>(ref.module);
  inner.caller = frame;
  inner.callSpan = where;
  if (!frame->isHost)
    inner.callPlace = emit.location();
  inner.isHost = frame->isHost;
  inner.isConstexpr = callee.role != FunctionStmt::kernel;

  size_t next = 0;
  std::vector<Value> variadic;
  for (const Parameter &parameter : callee.parameters) {
    if (parameter.kind == Parameter::variadic) {
      while (next < arguments.positional.size())
        variadic.push_back(std::move(arguments.positional[next++]));
      inner.scope[parameter.name] = Value::tuple(std::move(variadic));
    } else if (parameter.kind == Parameter::positional && next < arguments.positional.size()) {
      inner.scope[parameter.name] = std::move(arguments.positional[next++]);
    }
  }
  for (auto &[name, value] : arguments.keywords)
    inner.scope.emplace(name, std::move(value));
  std::vector<const Parameter *> defaults;
  for (const Parameter &parameter : callee.parameters) {
    auto given = inner.scope.find(parameter.name);
    if (given == inner.scope.end())
      defaults.push_back(&parameter);
    else if (ref.module->file.isLibrary &&
             !fits(parameter, given->second, ref.module->file.shown(callee)))
      return {};
  }

  // A default is evaluated in the callee's module.
  Frame *caller = frame;
  Span callerPlace = where;
  ++depth;
  frame = &inner;
  bool valid = true;
  for (const Parameter *parameter : defaults) {
    Value value = expression(*parameter->defaultValue);
    valid = valid && value;
    inner.scope[parameter->name] = std::move(value);
  }
  if (valid && inner.isConstexpr)
    valid = python(callee.body) != Ended::failed;
  else
    valid = valid && run(callee.body, /*tail=*/true);
  frame = caller;
  --depth;
  moveTo(callerPlace);
  if (!valid)
    return {};
  return inner.flow.state == Flow::returned ? inner.flow.result : Value::none();
}

Value Generator::lambdaCall(LambdaRef ref, Arguments arguments) {
  const LambdaExpr &lambda = *ref.lambda;
  if (depth == maxCallDepth || !arguments.keywords.empty() ||
      arguments.positional.size() != lambda.parameters.size()) {
    fail("the lambda takes " + std::to_string(lambda.parameters.size()) + " arguments");
    return {};
  }
  Frame inner;
  inner.module = const_cast<Module *>(ref.module);
  inner.isHost = true;
  for (size_t i = 0; i != lambda.parameters.size(); ++i)
    inner.scope[lambda.parameters[i]] = std::move(arguments.positional[i]);
  Frame *caller = frame;
  Span place = where;
  frame = &inner;
  ++depth;
  Value value = expression(*lambda.body);
  --depth;
  frame = caller;
  moveTo(place);
  return value;
}

std::optional<DetachedRegion> Generator::combiner(const Value &function,
                                                  llvm::ArrayRef<Type> elements,
                                                  llvm::SmallVectorImpl<mlir::Value> &yields) {
  if (!function.constantOf<FunctionRef>()) {
    fail("the combining function must be a @triton.jit function, found " + function.describe());
    return std::nullopt;
  }
  llvm::SmallVector<mlir::Type> types;
  for (unsigned half = 0; half != 2; ++half)
    for (const Type &element : elements)
      types.push_back(emit.ir(element));
  DetachedRegion region = emit.enterRegion(types);
  Arguments arguments;
  for (unsigned i = 0; i != types.size(); ++i)
    arguments.positional.push_back(Tensor{region.argument(i), elements[i % elements.size()]});
  Value result = call(function, std::move(arguments));
  bool valid = bool(result);
  if (valid) {
    Value single = result.tuple() ? result : Value::tuple({result});
    const std::vector<Value> &items = single.tuple()->items;
    bool fits = items.size() == elements.size();
    for (size_t i = 0; fits && i != items.size(); ++i)
      fits = items[i].tensor() && items[i].tensor()->type == elements[i];
    if (fits) {
      flatten(single, yields);
    } else {
      std::string expected, found;
      for (const Type &element : elements)
        expected += (expected.empty() ? "" : ", ") + element.name();
      for (const Value &item : items)
        found += (found.empty() ? "" : ", ") + item.describe();
      fail("the combining function must return " + expected + ", as it is given, and returns " +
           found);
      valid = false;
    }
  }
  emit.leaveRegion();
  if (!valid)
    return std::nullopt;
  return region;
}

} // namespace teeny::lang
