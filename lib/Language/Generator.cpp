// A kernel's parameters, the place being generated, and errors.
#include "Language/Generator.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ScopeExit.h"

namespace teeny::lang {

Generator::Generator(mlir::MLIRContext *context, const GenerateOptions &options,
                     Diagnostics &diagnostics)
    : options(options), emit(context), diagnostics(diagnostics) {}

SourceLocation Generator::locate(const Module &module, Span span) const {
  SourceLocation location;
  location.source = module.file.source;
  location.line = span.line;
  location.column = span.column;
  location.length = span.length;
  return location;
}

void Generator::moveTo(Span span) {
  where = span;
  if (frame->isHost)
    return;
  mlir::Location location = mlir::FileLineColLoc::get(
      emit.context(), frame->module->file.source->name, span.line, span.column);
  if (frame->callPlace)
    location = mlir::CallSiteLoc::get(location, mlir::Location(frame->callPlace));
  emit.setLocation(location);
}

void Generator::fail(std::string message, std::string hint) {
  failed = true;
  if (quiet)
    return;
  // In the library an error is that of the call that led there.
  const Frame *at = frame;
  Span span = where;
  std::string outermost;
  while (at->caller && at->module->file.isLibrary) {
    outermost = at->module->file.shown(*at->function);
    span = at->callSpan;
    at = at->caller;
  }
  if (!outermost.empty() && !llvm::StringRef(message).contains(outermost))
    message = outermost + ": " + message;
  Diagnostic &diagnostic = diagnostics.error(locate(*at->module, span), std::move(message));
  // A long chain is shown by its ends.
  unsigned calls = 0, shown = 0;
  for (const Frame *frame = at; frame->caller; frame = frame->caller)
    ++calls;
  for (; at->caller; at = at->caller, ++shown) {
    if (calls > 8 && shown >= 4 && shown < calls - 2)
      continue;
    std::string text = "in '" + at->function->name + "', called here";
    if (calls > 8 && shown == 3)
      text += "; " + std::to_string(calls - 6) + " more calls lead to this one";
    diagnostic.note(locate(*at->caller->module, at->callSpan), text);
  }
  lastError = &diagnostic;
  if (!hint.empty())
    diagnostic.suggest(std::move(hint));
}

void Generator::noteAssignment(const std::string &name) {
  auto found = frame->assignedAt.find(name);
  if (!quiet && lastError && found != frame->assignedAt.end() && !inLibrary())
    lastError->note(locate(*frame->module, found->second), "'" + name + "' is assigned here");
}

void Generator::warn(std::string message) {
  if (!quiet && !frame->module->file.isLibrary)
    diagnostics.warning(locate(*frame->module, where), std::move(message));
}

Value Generator::fromConst(const ConstValue &value) {
  struct Convert {
    Value operator()(std::monostate) { return Value::none(); }
    Value operator()(bool value) { return Value::boolean(value); }
    Value operator()(int64_t value) { return Value::integer(value); }
    Value operator()(double value) { return Value::floating(value); }
    Value operator()(const std::string &value) { return Value::string(value); }
    Value operator()(ScalarType value) { return Value::type(Type(value)); }
  };
  return std::visit(Convert(), value);
}

static Type typeOf(const ParamSpec &spec) {
  if (spec.kind == ParamSpec::pointer)
    return Type(ElementType(spec.type, 1, spec.readOnly));
  if (spec.kind == ParamSpec::tile)
    return Type(spec.type, spec.shape);
  return Type(spec.type);
}

bool Generator::bindParameters(const KernelInfo &info, const ast::FunctionStmt &syntax,
                               llvm::ArrayRef<ParamSpec> specs, mlir::ModuleOp into) {
  auto specOf = [&](llvm::StringRef name) -> const ParamSpec * {
    for (const ParamSpec &spec : specs)
      if (spec.name == name)
        return &spec;
    return nullptr;
  };
  for (const ParamSpec &spec : specs)
    if (!info.find(spec.name)) {
      std::vector<std::string> names;
      for (const KernelParameter &parameter : info.parameters)
        names.push_back(parameter.name);
      std::string near = nearest(spec.name, names);
      where = syntax.span;
      fail("'" + info.name + "' has no parameter '" + spec.name + "'",
           near.empty() ? "" : "did you mean '" + near + "'?");
      return false;
    }

  // The function's type must be known before its body, so first the parameters that stay.
  llvm::SmallVector<Type> types;
  std::vector<const ParamSpec *> kept;
  for (size_t i = 0; i != info.parameters.size(); ++i) {
    const KernelParameter &parameter = info.parameters[i];
    const ParamSpec *spec = specOf(parameter.name);
    where = syntax.parameters[i].span;
    if (syntax.parameters[i].kind == ast::Parameter::variadic ||
        syntax.parameters[i].kind == ast::Parameter::keywords) {
      fail("a kernel cannot take a varying number of arguments");
      return false;
    }
    if (!spec && !parameter.hasDefault) {
      fail("parameter '" + parameter.name + "' of '" + info.name + "' is not bound");
      return false;
    }
    if (!spec || spec->kind == ParamSpec::constexprValue)
      continue;
    if (parameter.isConstexpr) {
      fail("parameter '" + parameter.name + "' of '" + info.name +
           "' is constexpr, but no compile-time value is bound to it");
      return false;
    }
    if (parameter.annotation && spec->kind == ParamSpec::scalar &&
        spec->type != *parameter.annotation) {
      fail("parameter '" + parameter.name + "' of '" + info.name + "' is annotated " +
           parameter.annotation->name().str() + ", but bound as " + spec->type.name().str());
      return false;
    }
    if (spec->known)
      continue;
    types.push_back(typeOf(*spec));
    kept.push_back(spec);
  }

  moveTo(syntax.span);
  std::string symbol = options.symbolName.empty() ? info.name : options.symbolName;
  function = emit.beginKernel(into, symbol, types, options.numWarps);
  for (unsigned i = 0; i != kept.size(); ++i)
    emit.argumentFacts(function, i, kept[i]->name, kept[i]->divisibility, kept[i]->range,
                       kept[i]->noalias);

  unsigned next = 0;
  for (size_t i = 0; i != info.parameters.size(); ++i) {
    const std::string &name = info.parameters[i].name;
    const ParamSpec *spec = specOf(name);
    moveTo(syntax.parameters[i].span);
    Value value;
    if (!spec) {
      value = expression(*syntax.parameters[i].defaultValue);
      if (!value)
        return false;
    } else if (spec->kind == ParamSpec::constexprValue) {
      value = fromConst(spec->value);
    } else if (spec->known) {
      value = Tensor{emit.constant(typeOf(*spec).element, Integer(*spec->known)), typeOf(*spec)};
    } else {
      value = Tensor{emit.argument(function, next), types[next]};
      ++next;
    }
    frame->scope[name] = std::move(value);
  }
  return true;
}

mlir::func::FuncOp Generator::kernel(const KernelFile &file, llvm::StringRef name,
                                     llvm::ArrayRef<ParamSpec> specs, mlir::ModuleOp into) {
  const KernelInfo *info = file.find(name);
  const ast::FunctionStmt *syntax = nullptr;
  for (const ast::FunctionStmt *candidate : file.parsed().functions())
    if (!syntax && candidate->name == name)
      syntax = candidate;
  if (!info || !syntax) {
    std::vector<std::string> names;
    for (const KernelInfo &kernel : file.kernels())
      names.push_back(kernel.name);
    std::string near = nearest(name, names);
    SourceLocation location;
    location.source = file.source();
    Diagnostic &diagnostic =
        diagnostics.error(location, "no @triton.jit function '" + name.str() + "'");
    if (!near.empty())
      diagnostic.suggest("did you mean '" + near + "'?");
    return nullptr;
  }
  Frame outermost;
  outermost.function = syntax;
  frame = &outermost;
  outermost.module = &moduleOf(file.parsed());
  where = syntax->span;
  checksAssertions = options.checkAssertions;
  for (const ast::ExprPtr &decorator : syntax->decorators)
    if (auto *made = llvm::dyn_cast<ast::CallExpr>(decorator.get()))
      for (const ast::Keyword &keyword : made->keywords)
        if (auto *constant = llvm::dyn_cast<ast::ConstantExpr>(keyword.value.get()))
          checksAssertions |=
              keyword.name == "debug" && constant->which == ast::ConstantExpr::trueValue;
  bool valid = bindParameters(*info, *syntax, specs, into) && run(syntax->body, /*tail=*/true);
  frame = nullptr;
  if (function)
    emit.endKernel(function, valid);
  return valid ? function : mlir::func::FuncOp();
}

} // namespace teeny::lang

namespace teeny {

mlir::func::FuncOp generateKernel(const KernelFile &file, llvm::StringRef function,
                                  llvm::ArrayRef<ParamSpec> parameters,
                                  const GenerateOptions &options, mlir::ModuleOp into,
                                  Diagnostics &diagnostics) {
  lang::Generator generator(into.getContext(), options, diagnostics);
  return generator.kernel(file, function, parameters, into);
}

} // namespace teeny
