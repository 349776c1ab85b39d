// Which functions are kernels, and what stands around them: decorators, and calls that do what
// decorators do. For example
//
//     tuner = triton.autotune(configs, key=["n"])
//     fast = tuner(triton.jit(add))
//
// is read as a definition of `fast` with the body of `add`, under `@triton.autotune(...)` and
// `@triton.jit`. A copy is parsed from the same tokens: each has its own configurations.
#include "Language/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"

#include <array>
#include <utility>

namespace teeny::lang {

using namespace ast;

// By tokens, before anything is parsed: a function may be made a kernel after its definition.
void Parser::findMakers() {
  auto isMaker = [&](size_t i) { // whether the expression `jit` or `triton.jit` begins here
    if (tritonNames.count(tokens[i].text) && tokens[i + 1].is(".") && tokens[i + 2].is("jit"))
      return size_t(3);
    return size_t(tokens[i].kind == Token::name && makers.count(tokens[i].text) ? 1 : 0);
  };
  for (size_t i = 0; i + 4 < tokens.size(); ++i) {
    if (tokens[i].kind != Token::name)
      continue;
    bool renamed = tokens[i + 1].is("as") && tokens[i + 2].kind == Token::name;
    if (renamed && i && tokens[i].is("triton") && tokens[i - 1].is("import"))
      tritonNames.insert(tokens[i + 2].text.str());
    if (renamed && tokens[i].is("jit"))
      makers.insert(tokens[i + 2].text.str());
    if (tokens[i + 1].is("=")) { // `jit = triton.jit`, `jit = partial(triton.jit, ...)`
      size_t value = i + 2;
      bool isPartial = false;
      if (tokens[value].is("functools") && value + 5 < tokens.size())
        value += 2;
      if (tokens[value].is("partial") && tokens[value + 1].is("(")) {
        value += 2;
        isPartial = true;
      }
      size_t length = value + 3 < tokens.size() ? isMaker(value) : 0;
      if (length && (isPartial || tokens[value + length].kind == Token::newline))
        makers.insert(tokens[i].text.str());
    }
    size_t length = isMaker(i);
    if (length && tokens[i + length].is("(") && tokens[i + length + 1].kind == Token::name &&
        (tokens[i + length + 2].is(")") || tokens[i + length + 2].is(",")))
      made.insert(tokens[i + length + 1].text.str());
  }
}

// Decorators are looked at when names are resolved. A definition without one that makes it a kernel
// function is host code, whatever it contains.
bool Parser::makesKernel(const Expr *decorator) const {
  if (auto *call = llvm::dyn_cast<CallExpr>(decorator))
    return makesKernel(call->callee.get()) ||
           llvm::any_of(call->arguments, [&](const ExprPtr &argument) {
             return argument->kind == Expr::Attribute && makesKernel(argument.get());
           });
  if (auto *name = llvm::dyn_cast<NameExpr>(decorator))
    return makers.count(name->name);
  auto *attribute = llvm::dyn_cast<AttributeExpr>(decorator);
  if (!attribute || attribute->name != "jit")
    return false;
  const Expr *base = attribute->base.get();
  while (auto *inner = llvm::dyn_cast<AttributeExpr>(base))
    base = inner->base.get();
  auto *root = llvm::dyn_cast<NameExpr>(base);
  return root && tritonNames.count(root->name);
}

static bool isNamed(const Expr &decorator, llvm::StringRef name) {
  if (auto *call = llvm::dyn_cast<CallExpr>(&decorator))
    return isNamed(*call->callee, name);
  if (auto *attribute = llvm::dyn_cast<AttributeExpr>(&decorator))
    return attribute->name == name;
  auto *plain = llvm::dyn_cast<NameExpr>(&decorator);
  return plain && plain->name == name;
}

// Those that the compiler carries out, or that change nothing.
bool Parser::isTritons(const Expr &decorator) const {
  return makesKernel(&decorator) ||
         llvm::any_of(
             std::array{"autotune", "heuristics", "constexpr_function", "lru_cache", "cache"},
             [&](llvm::StringRef name) { return isNamed(decorator, name); });
}

//===-- What is skipped -----------------------------------------------------------------------===//

// The path of a decorator's name: "runtime.libentry" of `runtime.libentry()`.
static std::string pathOf(const Expr &decorator) {
  if (auto *call = llvm::dyn_cast<CallExpr>(&decorator))
    return pathOf(*call->callee);
  if (auto *subscript = llvm::dyn_cast<SubscriptExpr>(&decorator))
    return pathOf(*subscript->base);
  if (auto *attribute = llvm::dyn_cast<AttributeExpr>(&decorator)) {
    std::string base = pathOf(*attribute->base);
    return base.empty() ? base : base + "." + attribute->name;
  }
  auto *plain = llvm::dyn_cast<NameExpr>(&decorator);
  return plain ? plain->name : "";
}

void Parser::noteSkipped(const Expr &decorator) {
  if (isTritons(decorator))
    return;
  Span span = decorator.span;
  std::string name = pathOf(decorator);
  if (name.empty())
    name = source.line(span.line).substr(span.column - 1, span.length).str();
  auto [place, isNew] = skippedNames.try_emplace(name, skipped.size());
  if (isNew) {
    span.length = std::min<unsigned>(span.length, name.size());
    skipped.push_back({name, span});
  }
  ++skipped[place->second].count;
}

void Parser::reportSkipped() {
  constexpr size_t most = 10; // errors must have room
  for (const auto &[name, span, count] : llvm::ArrayRef(skipped).take_front(most)) {
    std::string others;
    if (count > 1)
      others = ", here and on " + counted(count - 1, "other function");
    if (skipped.size() > most && &name == &skipped[most - 1].name)
      others += "; so are " + counted(skipped.size() - most, "decorator") + " more";
    SourceLocation location{&source, span.line, span.column, span.length, {}};
    diagnostics
        .warning(location, "the decorator '" + name + "' is not Triton's, and is skipped" + others)
        .severity = Severity::note;
  }
}

//===-- Definitions ---------------------------------------------------------------------------===//

// Host code that parses is kept, because choices of the module may be made by it; what does not is
// passed over.
StmtPtr Parser::hostFunction() {
  if (made.count(peek(1).text)) {
    size_t begin = position;
    if (std::unique_ptr<FunctionStmt> result = function()) {
      definitions[result->name] = {begin, {}, result.get()};
      return result;
    }
    position = begin;
    return skipCompound(functionWithErrors);
  }
  size_t begin = position;
  bool wasQuiet = std::exchange(quiet, true);
  std::unique_ptr<FunctionStmt> result = function();
  quiet = wasQuiet;
  if (result) {
    result->role = FunctionStmt::host;
    definitions[result->name] = {begin, {}, result.get()};
    return result;
  }
  position = begin;
  return skipCompound("a host function");
}

StmtPtr Parser::decorated() {
  std::vector<DecoratorPlace> places;
  std::vector<ExprPtr> decorators;
  bool kernel = false, constant = false, transparent = true;
  while (accept("@")) {
    const size_t begin = position;
    ExprPtr decorator = decoratorAt({begin});
    skipLine();
    if (!decorator)
      decorator = unsupported(tokens[begin].span, "this decorator");
    kernel |= makesKernel(decorator.get());
    constant |= isNamed(*decorator, "constexpr_function");
    transparent &= isNamed(*decorator, "lru_cache") || isNamed(*decorator, "cache");
    places.push_back({begin});
    decorators.push_back(std::move(decorator));
  }
  if (at("def") && !kernel && !constant && transparent)
    return hostFunction();
  if ((!kernel && !constant) || !at("def"))
    return skipCompound(at("class") ? "a class" : "a host function");
  Span nameSpan = peek(1).span;
  std::string name = peek(1).text.str();
  size_t begin = position;
  std::unique_ptr<FunctionStmt> result = function();
  for (const ExprPtr &decorator : decorators)
    noteSkipped(*decorator);
  if (result) {
    result->decorators = std::move(decorators);
    result->role = kernel ? FunctionStmt::kernel : FunctionStmt::constant;
    definitions[name] = {begin, std::move(places), result.get()};
    return result;
  }
  // Reported; the rest of the file is still looked at.
  position = begin;
  skipLine();
  skipSuite();
  auto opaque = std::make_unique<OpaqueStmt>(nameSpan);
  opaque->what = functionWithErrors;
  opaque->names.push_back(name);
  return opaque;
}

//===-- Calls that do what decorators do ------------------------------------------------------===//

// The decorator of a line or call; the cursor stays. Null if it is none.
ExprPtr Parser::decoratorAt(DecoratorPlace place) {
  const size_t saved = std::exchange(position, place.position);
  const bool wasQuiet = std::exchange(quiet, true);
  ExprPtr expr = expression();
  if (expr && !place.isCall && !at(Token::newline) && !at(";") && !at(Token::end))
    expr = nullptr;
  quiet = wasQuiet;
  copiedTokens += position - place.position;
  position = saved;
  if (expr && place.isCall) {
    auto &call = llvm::cast<CallExpr>(*expr);
    call.arguments.clear();
    if (call.keywords.empty()) // of `jit(f, debug=True)` the rest is the decorator
      expr = ExprPtr(std::move(call.callee));
  }
  auto *name = llvm::dyn_cast_or_null<NameExpr>(expr.get());
  auto tuner = name && copiedTokens < maxCopiedTokens ? tuners.find(name->name) : tuners.end();
  return tuner == tuners.end() ? std::move(expr) : decoratorAt({tuner->second});
}

size_t Parser::tokenAt(Span span) const {
  auto place = [](Span span) { return std::pair(span.line, span.column); };
  auto found = llvm::lower_bound(tokens, place(span), [&](const Token &token, auto wanted) {
    return place(token.span) < wanted;
  });
  // What has no text, such as an indent, stands before the token.
  while (found->kind == Token::indent || found->kind == Token::dedent)
    ++found;
  return size_t(found - tokens.begin());
}

// An assignment of module level, or the definition that it comes to.
StmtPtr Parser::madeByCall(StmtPtr statement) {
  auto *assignment = llvm::dyn_cast<AssignStmt>(statement.get());
  auto *target = assignment && assignment->targets.size() == 1
                     ? llvm::dyn_cast<NameExpr>(assignment->targets.front().get())
                     : nullptr;
  if (!target)
    return statement;
  const Expr *value = assignment->value.get();
  if (auto *call = llvm::dyn_cast<CallExpr>(value);
      call && (isNamed(*call, "autotune") || isNamed(*call, "heuristics")) &&
      call->callee->kind != Expr::Call) {
    tuners[target->name] = tokenAt(value->span);
    return statement;
  }
  std::vector<DecoratorPlace> places;
  bool isKernel = false;
  while (auto *call = llvm::dyn_cast<CallExpr>(value)) {
    if (call->arguments.size() != 1)
      return statement;
    auto *maker = llvm::dyn_cast<NameExpr>(call->callee.get());
    isKernel |= makesKernel(call->callee.get()) || isNamed(*call->callee, "autotune") ||
                isNamed(*call->callee, "heuristics") || (maker && tuners.count(maker->name));
    places.push_back({tokenAt(call->span), /*isCall=*/true});
    value = call->arguments.front().get();
  }
  auto *name = llvm::dyn_cast<NameExpr>(value);
  auto known = name && isKernel ? definitions.find(name->name) : definitions.end();
  if (known == definitions.end() || copiedTokens >= maxCopiedTokens)
    return statement;

  const size_t fresh = places.size();
  Definition definition = known->second;
  llvm::append_range(places, definition.decorators);
  std::unique_ptr<FunctionStmt> copy;
  FunctionStmt *result = definition.function;
  if (target->name != name->name) {
    const size_t saved = std::exchange(position, definition.def);
    copy = function();
    copiedTokens += position - definition.def;
    position = saved;
    if (!copy)
      return statement;
    // Alone it is no kernel.
    if (result->decorators.empty())
      result->role = FunctionStmt::host;
    result = copy.get();
    result->name = target->name;
  }
  result->role = FunctionStmt::kernel;
  result->decorators.clear();
  for (size_t i = 0; i != places.size(); ++i)
    if (ExprPtr decorator = decoratorAt(places[i])) {
      if (i < fresh)
        noteSkipped(*decorator);
      result->decorators.push_back(std::move(decorator));
    }
  definitions[target->name] = {definition.def, std::move(places), result};
  return copy ? StmtPtr(std::move(copy)) : std::make_unique<PassStmt>(statement->span);
}

} // namespace teeny::lang
