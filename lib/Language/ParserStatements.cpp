// Functions and the statements inside them.
#include "Language/ParserImpl.h"

#include "llvm/ADT/StringSwitch.h"

namespace teeny::lang {

using namespace ast;

std::unique_ptr<FunctionStmt> Parser::function() {
  next(); // def
  auto result = std::make_unique<FunctionStmt>(peek().span);
  if (!identifier(result->name, "a function name"))
    return nullptr;
  if (at("[")) // type parameters
    if (!skipBrackets())
      return nullptr;
  if (!expect("(", "after the name of a function") || !parameters(*result))
    return nullptr;
  if (accept("->") && !expression())
    return nullptr;
  if (!suite(result->body))
    return nullptr;
  return result;
}

bool Parser::parameters(FunctionStmt &function) {
  bool keywordOnly = false;
  while (!at(")")) {
    if (accept("/")) {
      // What stands before is positional only; calls by name are not told apart.
    } else if (at("*") && (peek(1).is(",") || peek(1).is(")"))) {
      next();
      keywordOnly = true;
    } else {
      Parameter parameter;
      parameter.kind = keywordOnly ? Parameter::keywordOnly : Parameter::positional;
      if (accept("**")) {
        parameter.kind = Parameter::keywords;
      } else if (accept("*")) {
        parameter.kind = Parameter::variadic;
        keywordOnly = true;
      }
      parameter.span = peek().span;
      if (!identifier(parameter.name, "a parameter name"))
        return false;
      for (const Parameter &other : function.parameters)
        if (other.name == parameter.name)
          return fail(parameter.span, "duplicate parameter '" + parameter.name + "'");
      if (accept(":") && !(parameter.annotation = expression()))
        return false;
      if (accept("=") && !(parameter.defaultValue = expression()))
        return false;
      function.parameters.push_back(std::move(parameter));
    }
    if (!at(")") && !expect(",", "between parameters, or ')' to end them"))
      return false;
  }
  next();
  return true;
}

// ':' and an indented block, or simple statements on the same line.
bool Parser::suite(Block &block) {
  Nesting guard(*this);
  if (tooDeep() || !expect(":", "before a block"))
    return false;
  if (!at(Token::newline))
    return simpleStatements(block);
  next();
  if (!at(Token::indent))
    return unexpected("an indented block");
  next();
  while (!at(Token::dedent) && !at(Token::end))
    if (!statement(block))
      return false;
  if (at(Token::dedent))
    next();
  // A line that is between this block's indentation and the enclosing one's belongs to neither.
  return !at(Token::error) || unexpected("");
}

bool Parser::statement(Block &block) {
  StmtPtr result;
  llvm::StringRef text = at(Token::name) ? peek().text : "";
  if (at("@"))
    result = unsupportedCompound("a decorated definition");
  else if (text == "if")
    result = ifStatement();
  else if (text == "for")
    result = forStatement();
  else if (text == "while")
    result = whileStatement();
  else if (text == "with")
    result = withStatement();
  else if (text == "def" || text == "class" || text == "try" || text == "async")
    result = unsupportedCompound("'" + text.str() + "'");
  else
    return simpleStatements(block);
  if (!result)
    return false;
  block.push_back(std::move(result));
  return true;
}

bool Parser::simpleStatements(Block &block) {
  do {
    if (at(Token::newline))
      break;
    StmtPtr result = simpleStatement();
    if (!result)
      return false;
    block.push_back(std::move(result));
  } while (accept(";"));
  return expectLineEnd();
}

StmtPtr Parser::simpleStatement() {
  Span start = peek().span;
  llvm::StringRef text = at(Token::name) ? peek().text : "";
  if (text == "pass") {
    next();
    return std::make_unique<PassStmt>(start);
  }
  if (text == "return") {
    next();
    auto result = std::make_unique<ReturnStmt>(start);
    if (!at(Token::newline) && !at(";") && !(result->value = expressionList()))
      return nullptr;
    return result;
  }
  if (text == "assert") {
    next();
    auto result = std::make_unique<AssertStmt>(start);
    if (!(result->test = expression()))
      return nullptr;
    if (accept(",") && !(result->message = expression()))
      return nullptr;
    result->span = upTo(start);
    return result;
  }
  if (text == "import" || text == "from")
    return importStatement();
  bool known = llvm::StringSwitch<bool>(text)
                   .Cases({"break", "continue", "raise", "del", "global", "nonlocal"}, true)
                   .Default(false);
  if (known) {
    auto result = std::make_unique<UnsupportedStmt>(start);
    result->what = "'" + text.str() + "'";
    while (!at(Token::newline) && !at(";") && !at(Token::end))
      next();
    return result;
  }
  return assignmentOrExpression();
}

static std::optional<BinaryOp> augmentedOperator(const Token &token) {
  return llvm::StringSwitch<std::optional<BinaryOp>>(token.kind == Token::op ? token.text : "")
      .Case("+=", BinaryOp::add)
      .Case("-=", BinaryOp::sub)
      .Case("*=", BinaryOp::mul)
      .Case("/=", BinaryOp::div)
      .Case("//=", BinaryOp::floordiv)
      .Case("%=", BinaryOp::mod)
      .Case("**=", BinaryOp::pow)
      .Case("<<=", BinaryOp::shiftLeft)
      .Case(">>=", BinaryOp::shiftRight)
      .Case("&=", BinaryOp::bitAnd)
      .Case("|=", BinaryOp::bitOr)
      .Case("^=", BinaryOp::bitXor)
      .Case("@=", BinaryOp::matmul)
      .Default(std::nullopt);
}

StmtPtr Parser::assignmentOrExpression() {
  Span start = peek().span;
  ExprPtr first = expressionList();
  if (!first)
    return nullptr;
  if (std::optional<BinaryOp> op = augmentedOperator(peek())) {
    next();
    auto result = std::make_unique<AugmentedAssignStmt>(start);
    result->op = *op;
    result->target = std::move(first);
    if (!(result->value = expressionList()))
      return nullptr;
    result->span = upTo(start);
    return result;
  }
  if (accept(":")) {
    auto result = std::make_unique<AnnotatedAssignStmt>(start);
    result->target = std::move(first);
    if (!(result->annotation = expression()))
      return nullptr;
    if (accept("=") && !(result->value = expressionList()))
      return nullptr;
    result->span = upTo(start);
    return result;
  }
  if (!at("=")) {
    auto result = std::make_unique<ExpressionStmt>(start);
    result->value = std::move(first);
    return result;
  }
  auto result = std::make_unique<AssignStmt>(start);
  result->value = std::move(first);
  while (accept("=")) {
    result->targets.push_back(std::move(result->value));
    if (!(result->value = expressionList()))
      return nullptr;
  }
  for (const ExprPtr &target : result->targets)
    if (target->kind != Expr::Name && target->kind != Expr::Tuple &&
        target->kind != Expr::Attribute && target->kind != Expr::Subscript &&
        target->kind != Expr::Starred) {
      fail(target->span, "cannot assign to this expression", "to compare, write '=='");
      return nullptr;
    }
  result->span = upTo(start);
  return result;
}

StmtPtr Parser::ifStatement() {
  auto result = std::make_unique<IfStmt>(next().span);
  if (!(result->test = expression()) || !suite(result->body))
    return nullptr;
  if (at("elif")) {
    Nesting guard(*this);
    if (tooDeep())
      return nullptr;
    result->orelse.push_back(ifStatement());
    return result->orelse.back() ? std::move(result) : nullptr;
  }
  return elseSuite(result->orelse) ? std::move(result) : nullptr;
}

bool Parser::elseSuite(Block &block) { return !accept("else") || suite(block); }

StmtPtr Parser::forStatement() {
  Span start = next().span;
  auto result = std::make_unique<ForStmt>(start);
  Span targetSpan = peek().span;
  ExprPtr target = binary(0);
  if (target && at(",")) {
    auto tuple = std::make_unique<TupleExpr>(targetSpan);
    tuple->items.push_back(std::move(target));
    while (accept(",") && !at("in")) {
      tuple->items.push_back(binary(0));
      if (!tuple->items.back())
        return nullptr;
    }
    tuple->span = upTo(targetSpan);
    target = std::move(tuple);
  }
  if (!target || !expect("in", "after the variable of a loop"))
    return nullptr;
  result->target = std::move(target);
  if (!(result->iterable = expressionList()))
    return nullptr;
  result->span = upTo(start);
  return suite(result->body) && elseSuite(result->orelse) ? std::move(result) : nullptr;
}

StmtPtr Parser::whileStatement() {
  auto result = std::make_unique<WhileStmt>(next().span);
  if (!(result->test = expression()) || !suite(result->body) || !elseSuite(result->orelse))
    return nullptr;
  return result;
}

StmtPtr Parser::withStatement() {
  auto result = std::make_unique<WithStmt>(next().span);
  do {
    result->items.push_back(expression());
    if (!result->items.back())
      return nullptr;
    if (accept("as") && !binary(0))
      return nullptr;
  } while (accept(","));
  return suite(result->body) ? std::move(result) : nullptr;
}

StmtPtr Parser::importStatement() {
  Span start = peek().span;
  auto result = std::make_unique<ImportStmt>(start);
  result->isFrom = next().text == "from";
  auto dotted = [&](std::string &name) {
    while (at(".") || at("..."))
      name += next().text.str();
    if (result->isFrom && at("import") && !name.empty())
      return true;
    std::string part;
    if (!identifier(part, "a module name"))
      return false;
    name += part;
    while (accept(".")) {
      if (!identifier(part, "a module name after '.'"))
        return false;
      name += "." + part;
    }
    return true;
  };
  if (result->isFrom) {
    if (!dotted(result->module) || !expect("import", "after the module of an import"))
      return nullptr;
    bool parenthesis = accept("(");
    do {
      if (parenthesis && at(")"))
        break;
      ImportStmt::Name name;
      name.span = peek().span;
      if (accept("*"))
        name.name = "*";
      else if (!identifier(name.name, "a name to import"))
        return nullptr;
      name.alias = name.name;
      if (accept("as") && !identifier(name.alias, "a name after 'as'"))
        return nullptr;
      result->names.push_back(name);
    } while (accept(","));
    if (parenthesis && !expect(")", "to close the import"))
      return nullptr;
    return result;
  }
  // `import a.b` binds `a`; `import a.b as c` binds a.b to c.
  do {
    ImportStmt::Name name;
    name.span = peek().span;
    if (!dotted(name.name))
      return nullptr;
    if (accept("as")) {
      if (!identifier(name.alias, "a name after 'as'"))
        return nullptr;
    } else {
      name.alias = llvm::StringRef(name.name).split('.').first.str();
      if (name.alias != name.name)
        result->inner.push_back(name.name);
      name.name = name.alias;
    }
    result->names.push_back(name);
  } while (accept(","));
  return result;
}

// A compound statement that the language does not have: kept as a name, its lines skipped.
StmtPtr Parser::unsupportedCompound(llvm::StringRef what) {
  auto result = std::make_unique<UnsupportedStmt>(peek().span);
  result->what = what.str();
  do {
    while (at("@"))
      skipLine();
    skipLine();
    skipSuite();
  } while (at("except") || at("finally") || (what == "'try'" && at("else")));
  return result;
}

} // namespace teeny::lang
