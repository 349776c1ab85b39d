#include "Language/FunctionText.h"

#include "Language/Module.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace teeny {

using namespace lang;
using Tokens = llvm::ArrayRef<Token>;

static bool opens(const Token &token) { return token.is("(") || token.is("[") || token.is("{"); }
static bool closes(const Token &token) { return token.is(")") || token.is("]") || token.is("}"); }

// The name that stands there: of a function, or the first one of a decorator.
static size_t tokenAt(Tokens tokens, Span span) {
  // Tokens are in the order of the text; what has no text, such as an indent, stands before the
  // name.
  std::pair place(span.line, span.column);
  auto found = llvm::lower_bound(tokens, place, [](const Token &token, const auto &wanted) {
    return std::pair(token.span.line, token.span.column) < wanted;
  });
  while (found != tokens.end() && found->kind != Token::name)
    ++found;
  assert(found != tokens.end() && "a place in this file");
  return size_t(found - tokens.begin());
}

// From the name to the end of the body.
static Tokens definition(Tokens tokens, const ast::FunctionStmt &function) {
  const size_t begin = tokenAt(tokens, function.span);
  size_t end = begin;
  while (tokens[end].kind != Token::newline && tokens[end].kind != Token::end)
    ++end;
  unsigned depth = 0;
  do {
    if (tokens[end].kind != Token::end)
      ++end;
    depth += tokens[end].kind == Token::indent;
    depth -= tokens[end].kind == Token::dedent;
  } while (depth && tokens[end].kind != Token::end);
  return tokens.slice(begin, end - begin);
}

// What decorates the function, from first to last: a name, with what it is called with.
static std::vector<Tokens> decorators(Tokens tokens, const ast::FunctionStmt &function) {
  std::vector<Tokens> result;
  for (const ast::ExprPtr &decorator : function.decorators) {
    const size_t begin = tokenAt(tokens, decorator->span);
    size_t end = begin;
    while (tokens[end].kind == Token::name || tokens[end].is("."))
      ++end;
    for (unsigned depth = opens(tokens[end]); depth && tokens[end].kind != Token::end;) {
      ++end;
      depth += opens(tokens[end]);
      depth -= closes(tokens[end]);
      end += depth == 0;
    }
    result.push_back(tokens.slice(begin, end - begin));
  }
  return result;
}

std::vector<std::string> lang::namesIn(Tokens tokens, const ast::FunctionStmt &function) {
  std::vector<std::string> names;
  for (const Token &token : definition(tokens, function).drop_front())
    if (token.kind == Token::name)
      names.push_back(token.text.str());
  return names;
}

//===-- Pieces of host code -------------------------------------------------------------------===//

// As written, but for what is between tokens: at most one space.
static std::string textOf(Tokens tokens) {
  std::string text;
  const char *end = nullptr;
  for (const Token &token : tokens) {
    if (end && token.text.begin() != end)
      text += ' ';
    text += token.text;
    end = token.text.end();
  }
  return text;
}

// The parts between commas that are in no brackets; none is empty.
static std::vector<Tokens> parts(Tokens tokens) {
  std::vector<Tokens> result;
  unsigned depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= tokens.size(); ++i) {
    if (i < tokens.size() && !(depth == 0 && tokens[i].is(","))) {
      depth += opens(tokens[i]);
      depth -= closes(tokens[i]) && depth;
      continue;
    }
    if (i > begin)
      result.push_back(tokens.slice(begin, i - begin));
    begin = i + 1;
  }
  return result;
}

// What is between the brackets, of tokens that are one pair of them with what is inside.
static std::optional<Tokens> inside(Tokens tokens, llvm::StringRef open) {
  if (tokens.size() < 2 || !tokens.front().is(open) || !closes(tokens.back()))
    return std::nullopt;
  unsigned depth = 0;
  for (const Token &token : tokens.drop_back()) {
    depth += opens(token);
    depth -= closes(token);
    if (depth == 0)
      return std::nullopt; // another pair follows
  }
  return tokens.slice(1, tokens.size() - 2);
}

// The arguments of `NAME(...)` or `triton.NAME(...)`.
static std::optional<std::vector<Tokens>> argumentsOf(Tokens call, llvm::StringRef name) {
  if (call.size() > 2 && call[0].is("triton") && call[1].is("."))
    call = call.drop_front(2);
  if (call.empty() || !call[0].is(name))
    return std::nullopt;
  std::optional<Tokens> arguments = inside(call.drop_front(), "(");
  if (!arguments)
    return std::nullopt;
  return parts(*arguments);
}

// The argument NAME=..., else the one at `position` if that has no name.
static std::optional<Tokens> argument(const std::vector<Tokens> &arguments, llvm::StringRef name,
                                      size_t position) {
  auto isNamed = [](Tokens part) { return part.size() > 2 && part[1].is("="); };
  for (Tokens part : arguments)
    if (isNamed(part) && part[0].is(name))
      return part.drop_front(2);
  if (position < arguments.size() && !isNamed(arguments[position]))
    return arguments[position];
  return std::nullopt;
}

// "NAME" or 'NAME': the text in quotes.
static std::string unquoted(Tokens tokens) {
  if (tokens.size() == 1 && tokens[0].kind == Token::string)
    return parseString(tokens[0].text).text;
  return textOf(tokens);
}

// The entries of a dict; none if it is something else.
static std::optional<TuneConfig::Entries> entriesOf(Tokens dict) {
  std::optional<Tokens> content = inside(dict, "{");
  if (!content)
    return std::nullopt;
  TuneConfig::Entries entries;
  for (Tokens part : parts(*content)) {
    if (part.size() < 3 || part[0].kind != Token::string || !part[1].is(":"))
      return std::nullopt;
    entries.emplace_back(unquoted(part.take_front()), textOf(part.drop_front(2)));
  }
  return entries;
}

static TuneConfig configOf(Tokens tokens) {
  TuneConfig config;
  std::optional<std::vector<Tokens>> arguments = argumentsOf(tokens, "Config");
  std::optional<Tokens> dict =
      arguments ? argument(*arguments, "kwargs", 0) : std::optional<Tokens>();
  std::optional<TuneConfig::Entries> values = dict ? entriesOf(*dict) : std::nullopt;
  if (!values) {
    config.text = textOf(tokens);
    return config;
  }
  config.values = std::move(*values);
  for (Tokens part : *arguments)
    if (part.size() > 2 && part[1].is("=") && !part[0].is("kwargs"))
      config.options.emplace_back(part[0].text.str(), textOf(part.drop_front(2)));
  return config;
}

static void describeDecorator(Tokens decorator, FunctionDescription &function) {
  if (auto arguments = argumentsOf(decorator, "autotune")) {
    if (std::optional<Tokens> configs = argument(*arguments, "configs", 0)) {
      std::optional<Tokens> list = inside(*configs, "[");
      bool isComprehension = list && llvm::any_of(parts(*list), [](Tokens part) {
                               unsigned depth = 0;
                               return llvm::any_of(part, [&](const Token &token) {
                                 depth += opens(token);
                                 depth -= closes(token) && depth;
                                 return depth == 0 && token.is("for");
                               });
                             });
      if (!list || isComprehension)
        function.configsText = textOf(*configs);
      else
        for (Tokens part : parts(*list))
          function.configs.push_back(configOf(part));
    }
    if (std::optional<Tokens> key = argument(*arguments, "key", 1))
      if (std::optional<Tokens> list = inside(*key, "["))
        for (Tokens part : parts(*list))
          function.key.push_back(unquoted(part));
  }
  if (auto arguments = argumentsOf(decorator, "heuristics"))
    if (std::optional<Tokens> dict = argument(*arguments, "values", 0))
      function.heuristics = entriesOf(*dict).value_or(TuneConfig::Entries{{"", textOf(*dict)}});
}

static bool returnsValue(const ast::Block &statements) {
  return llvm::any_of(statements, [](const ast::StmtPtr &statement) {
    if (auto *node = llvm::dyn_cast<ast::ReturnStmt>(statement.get())) {
      auto *constant = llvm::dyn_cast_or_null<ast::ConstantExpr>(node->value.get());
      return node->value && !(constant && constant->which == ast::ConstantExpr::none);
    }
    if (auto *node = llvm::dyn_cast<ast::IfStmt>(statement.get()))
      return returnsValue(node->body) || returnsValue(node->orelse);
    if (auto *node = llvm::dyn_cast<ast::ForStmt>(statement.get()))
      return returnsValue(node->body);
    if (auto *node = llvm::dyn_cast<ast::WhileStmt>(statement.get()))
      return returnsValue(node->body);
    return false;
  });
}

std::vector<FunctionDescription> describeFunctions(const KernelFile &file) {
  const std::vector<Token> tokens = tokenize(file.source()->text);
  const std::vector<const ast::FunctionStmt *> functions = file.parsed().functions();
  std::set<std::string> mentioned;
  for (const ast::FunctionStmt *function : functions)
    for (const std::string &name : namesIn(tokens, *function))
      if (name != function->name)
        mentioned.insert(name);
  std::vector<FunctionDescription> result;
  for (auto [function, info] : llvm::zip_equal(functions, file.kernels())) {
    FunctionDescription description;
    description.name = info.name;
    description.line = info.location.line;
    description.isEntry = !mentioned.count(info.name) && !returnsValue(function->body);
    description.parameters = info.parameters;
    for (Tokens decorator : decorators(tokens, *function))
      describeDecorator(decorator, description);
    result.push_back(std::move(description));
  }
  return result;
}

} // namespace teeny
