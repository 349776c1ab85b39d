// Expressions: Python's grammar, precedence climbing for the binary operators.
#include "Language/ParserImpl.h"

#include "llvm/ADT/StringSwitch.h"

namespace teeny::lang {

using namespace ast;

llvm::StringRef ast::spelling(UnaryOp op) {
  static const char *const text[] = {"-", "+", "~", "not"};
  return text[unsigned(op)];
}
llvm::StringRef ast::spelling(BinaryOp op) {
  static const char *const text[] = {"+",  "-",  "*", "/", "//", "%", "**",
                                     "<<", ">>", "&", "|", "^",  "@"};
  return text[unsigned(op)];
}
llvm::StringRef ast::spelling(CompareOp op) {
  static const char *const text[] = {"==", "!=", "<",      "<=", ">",
                                     ">=", "is", "is not", "in", "not in"};
  return text[unsigned(op)];
}

bool isKeyword(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"False", "None", "True", "and", "as", "assert", "async", "await", "break"}, true)
      .Cases({"class", "continue", "def", "del", "elif", "else", "except", "finally", "for"}, true)
      .Cases({"from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not"}, true)
      .Cases({"or", "pass", "raise", "return", "try", "while", "with", "yield"}, true)
      .Default(false);
}

bool Parser::tooDeep() {
  if (nesting <= maxNesting)
    return false;
  fail(peek().span, "nested more than " + std::to_string(maxNesting) + " levels deep");
  return true;
}

bool Parser::setDepth(Expr &expr, std::initializer_list<const Expr *> children) {
  for (const Expr *child : children)
    if (child)
      expr.depth = std::max(expr.depth, child->depth + 1);
  return expr.depth <= maxExpressionDepth ||
         fail(expr.span,
              "expression nested more than " + std::to_string(maxExpressionDepth) + " levels deep",
              "assign parts of it to variables");
}

ExprPtr Parser::unsupported(Span span, llvm::StringRef what) {
  auto expr = std::make_unique<UnsupportedExpr>(span);
  expr->what = what.str();
  return expr;
}

ExprPtr Parser::starredOrExpression() {
  if (!at("*"))
    return expression();
  Nesting guard(*this);
  if (tooDeep())
    return nullptr;
  auto starred = std::make_unique<StarredExpr>(next().span);
  starred->value = binary(0);
  if (!starred->value || !setDepth(*starred, {starred->value.get()}))
    return nullptr;
  return starred;
}

ExprPtr Parser::expressionList() {
  Span start = peek().span;
  ExprPtr first = starredOrExpression();
  if (!first || !at(","))
    return first;
  auto tuple = std::make_unique<TupleExpr>(start);
  tuple->items.push_back(std::move(first));
  while (accept(",")) {
    if (at(Token::newline) || at("=") || at(")") || at("]") || at("}") || at(":") || at(Token::end))
      break;
    tuple->items.push_back(starredOrExpression());
    if (!tuple->items.back())
      return nullptr;
  }
  tuple->span = upTo(start);
  for (const ExprPtr &item : tuple->items)
    if (!setDepth(*tuple, {item.get()}))
      return nullptr;
  return tuple;
}

// Parameters may have defaults with any brackets.
ExprPtr Parser::lambda() {
  auto result = std::make_unique<LambdaExpr>(next().span);
  bool plain = true;
  while (!at(":") && !at(Token::newline) && !at(Token::end)) {
    if (plain && at(Token::name) && (peek(1).is(",") || peek(1).is(":"))) {
      result->parameters.push_back(next().text.str());
      accept(",");
      continue;
    }
    plain = false;
    if (at("(") || at("[") || at("{")) {
      if (!skipBrackets())
        return nullptr;
    } else {
      next();
    }
  }
  if (!expect(":", "after the parameters of a lambda") || !(result->body = expression()) ||
      !setDepth(*result, {result->body.get()}))
    return nullptr;
  result->span = upTo(result->span);
  if (!plain)
    return unsupported(result->span, "'lambda'");
  return result;
}

ExprPtr Parser::expression() {
  Nesting guard(*this);
  if (tooDeep())
    return nullptr;
  Span start = peek().span;
  if (at("lambda"))
    return lambda();
  ExprPtr body = disjunction();
  if (!body)
    return nullptr;
  if (at(":=")) {
    next();
    if (!expression())
      return nullptr;
    return unsupported(upTo(start), "':='");
  }
  if (!at("if"))
    return body;
  next();
  auto conditional = std::make_unique<ConditionalExpr>(start);
  conditional->body = std::move(body);
  conditional->test = disjunction();
  if (!conditional->test)
    return nullptr;
  if (!expect("else", "after the condition of a conditional expression"))
    return nullptr;
  conditional->orelse = expression();
  if (!conditional->orelse)
    return nullptr;
  conditional->span = upTo(start);
  if (!setDepth(*conditional,
                {conditional->test.get(), conditional->body.get(), conditional->orelse.get()}))
    return nullptr;
  return conditional;
}

// `a or b or c` and `a and b and c` are each one node.
static ExprPtr booleanChain(Parser &parser, llvm::StringRef keyword, ExprPtr (Parser::*operand)()) {
  Span start = parser.peek().span;
  ExprPtr first = (parser.*operand)();
  if (!first || !parser.at(keyword))
    return first;
  auto chain = std::make_unique<BooleanExpr>(start);
  chain->isAnd = keyword == "and";
  chain->values.push_back(std::move(first));
  while (parser.accept(keyword)) {
    chain->values.push_back((parser.*operand)());
    if (!chain->values.back())
      return nullptr;
  }
  chain->span = parser.upTo(start);
  for (const ExprPtr &value : chain->values)
    if (!parser.setDepth(*chain, {value.get()}))
      return nullptr;
  return chain;
}

ExprPtr Parser::disjunction() { return booleanChain(*this, "or", &Parser::conjunction); }
ExprPtr Parser::conjunction() { return booleanChain(*this, "and", &Parser::inversion); }

ExprPtr Parser::inversion() {
  if (!at("not"))
    return comparison();
  Nesting guard(*this);
  if (tooDeep())
    return nullptr;
  auto unary = std::make_unique<UnaryExpr>(next().span);
  unary->op = UnaryOp::logicalNot;
  unary->operand = inversion();
  if (!unary->operand || !setDepth(*unary, {unary->operand.get()}))
    return nullptr;
  unary->span = upTo(unary->span);
  return unary;
}

ExprPtr Parser::comparison() {
  Span start = peek().span;
  ExprPtr first = binary(0);
  if (!first)
    return nullptr;
  std::unique_ptr<CompareExpr> compare;
  while (true) {
    CompareOp op;
    if (at("is") || (at("not") && peek(1).is("in"))) {
      bool isIs = next().is("is");
      op = !isIs ? CompareOp::notIn : accept("not") ? CompareOp::isNot : CompareOp::is;
      if (!isIs)
        next();
    } else {
      auto found = llvm::StringSwitch<std::optional<CompareOp>>(
                       peek().kind == Token::op || peek().kind == Token::name ? peek().text : "")
                       .Case("==", CompareOp::eq)
                       .Case("!=", CompareOp::ne)
                       .Case("<", CompareOp::lt)
                       .Case("<=", CompareOp::le)
                       .Case(">", CompareOp::gt)
                       .Case(">=", CompareOp::ge)
                       .Case("in", CompareOp::in)
                       .Default(std::nullopt);
      if (!found)
        break;
      op = *found;
      next();
    }
    if (!compare) {
      compare = std::make_unique<CompareExpr>(start);
      compare->operands.push_back(std::move(first));
    }
    compare->ops.push_back(op);
    compare->operands.push_back(binary(0));
    if (!compare->operands.back())
      return nullptr;
  }
  if (!compare)
    return first;
  compare->span = upTo(start);
  for (const ExprPtr &operand : compare->operands)
    if (!setDepth(*compare, {operand.get()}))
      return nullptr;
  return compare;
}

// The binary operators by rising precedence; all associate to the left.
static std::optional<BinaryOp> binaryOperator(const Token &token, unsigned level) {
  if (token.kind != Token::op)
    return std::nullopt;
  using Result = std::optional<BinaryOp>;
  llvm::StringSwitch<Result> match(token.text);
  switch (level) {
  case 0:
    return match.Case("|", BinaryOp::bitOr).Default(std::nullopt);
  case 1:
    return match.Case("^", BinaryOp::bitXor).Default(std::nullopt);
  case 2:
    return match.Case("&", BinaryOp::bitAnd).Default(std::nullopt);
  case 3:
    return match.Case("<<", BinaryOp::shiftLeft)
        .Case(">>", BinaryOp::shiftRight)
        .Default(std::nullopt);
  case 4:
    return match.Case("+", BinaryOp::add).Case("-", BinaryOp::sub).Default(std::nullopt);
  default:
    return match.Case("*", BinaryOp::mul)
        .Case("/", BinaryOp::div)
        .Case("//", BinaryOp::floordiv)
        .Case("%", BinaryOp::mod)
        .Case("@", BinaryOp::matmul)
        .Default(std::nullopt);
  }
}

ExprPtr Parser::binary(unsigned level) {
  if (level == 6)
    return factor();
  Span start = peek().span;
  ExprPtr lhs = binary(level + 1);
  while (lhs) {
    std::optional<BinaryOp> op = binaryOperator(peek(), level);
    if (!op)
      return lhs;
    next();
    auto node = std::make_unique<BinaryExpr>(start);
    node->op = *op;
    node->lhs = std::move(lhs);
    node->rhs = binary(level + 1);
    if (!node->rhs)
      return nullptr;
    node->span = upTo(start);
    if (!setDepth(*node, {node->lhs.get(), node->rhs.get()}))
      return nullptr;
    lhs = std::move(node);
  }
  return nullptr;
}

ExprPtr Parser::factor() {
  if (!at("-") && !at("+") && !at("~"))
    return power();
  Nesting guard(*this);
  if (tooDeep())
    return nullptr;
  Span start = peek().span;
  llvm::StringRef text = next().text;
  auto unary = std::make_unique<UnaryExpr>(start);
  unary->op = text == "-" ? UnaryOp::minus : text == "+" ? UnaryOp::plus : UnaryOp::invert;
  unary->operand = factor();
  if (!unary->operand || !setDepth(*unary, {unary->operand.get()}))
    return nullptr;
  unary->span = upTo(start);
  return unary;
}

ExprPtr Parser::power() {
  Span start = peek().span;
  if (at("await")) {
    next();
    if (!primary())
      return nullptr;
    return unsupported(upTo(start), "'await'");
  }
  ExprPtr base = primary();
  if (!base || !at("**"))
    return base;
  next();
  Nesting guard(*this);
  if (tooDeep())
    return nullptr;
  auto node = std::make_unique<BinaryExpr>(start);
  node->op = BinaryOp::pow;
  node->lhs = std::move(base);
  node->rhs = factor();
  if (!node->rhs)
    return nullptr;
  node->span = upTo(start);
  if (!setDepth(*node, {node->lhs.get(), node->rhs.get()}))
    return nullptr;
  return node;
}

ExprPtr Parser::primary() {
  Span start = peek().span;
  ExprPtr expr = atom();
  while (expr) {
    if (accept(".")) {
      auto attribute = std::make_unique<AttributeExpr>(start);
      attribute->nameSpan = peek().span;
      if (!identifier(attribute->name, "an attribute name after '.'"))
        return nullptr;
      attribute->base = std::move(expr);
      attribute->span = upTo(start);
      if (!setDepth(*attribute, {attribute->base.get()}))
        return nullptr;
      expr = std::move(attribute);
    } else if (at("(")) {
      auto call = std::make_unique<CallExpr>(start);
      call->callee = std::move(expr);
      if (!callArguments(*call))
        return nullptr;
      call->span = upTo(start);
      if (!setDepth(*call, {call->callee.get()}))
        return nullptr;
      expr = std::move(call);
    } else if (accept("[")) {
      auto subscript = std::make_unique<SubscriptExpr>(start);
      subscript->base = std::move(expr);
      Span indexSpan = peek().span;
      ExprPtr index = subscriptItem();
      if (!index)
        return nullptr;
      if (at(",")) {
        auto tuple = std::make_unique<TupleExpr>(indexSpan);
        tuple->items.push_back(std::move(index));
        while (accept(",") && !at("]")) {
          tuple->items.push_back(subscriptItem());
          if (!tuple->items.back())
            return nullptr;
        }
        tuple->span = upTo(indexSpan);
        for (const ExprPtr &item : tuple->items)
          if (!setDepth(*tuple, {item.get()}))
            return nullptr;
        index = std::move(tuple);
      }
      subscript->index = std::move(index);
      if (!expect("]", "to close the index"))
        return nullptr;
      subscript->span = upTo(start);
      if (!setDepth(*subscript, {subscript->base.get(), subscript->index.get()}))
        return nullptr;
      expr = std::move(subscript);
    } else {
      return expr;
    }
  }
  return nullptr;
}

ExprPtr Parser::subscriptItem() {
  Span start = peek().span;
  ExprPtr first;
  if (!at(":")) {
    first = starredOrExpression();
    if (!first || !at(":"))
      return first;
  }
  auto slice = std::make_unique<SliceExpr>(start);
  slice->start = std::move(first);
  ExprPtr *parts[] = {&slice->stop, &slice->step};
  for (ExprPtr *part : parts) {
    if (!accept(":"))
      break;
    if (at(":") || at("]") || at(","))
      continue;
    *part = expression();
    if (!*part)
      return nullptr;
  }
  slice->span = upTo(start);
  if (!setDepth(*slice, {slice->start.get(), slice->stop.get(), slice->step.get()}))
    return nullptr;
  return slice;
}

bool Parser::callArguments(CallExpr &call) {
  next();
  while (!at(")")) {
    if (at("**")) {
      Keyword keyword;
      keyword.span = next().span;
      keyword.value = expression();
      if (!keyword.value)
        return false;
      call.keywords.push_back(std::move(keyword));
    } else if (at(Token::name) && peek(1).is("=") && !isKeyword(peek().text)) {
      Keyword keyword;
      keyword.span = peek().span;
      keyword.name = next().text.str();
      next();
      keyword.value = expression();
      if (!keyword.value)
        return false;
      call.keywords.push_back(std::move(keyword));
    } else {
      Span start = peek().span;
      ExprPtr argument = starredOrExpression();
      if (!argument)
        return false;
      if (at("for") || at("async")) {
        argument = comprehension(std::move(argument), ")", start, /*isList=*/false);
        if (!argument)
          return false;
        // The comprehension ate the closing parenthesis, which is the call's.
        --position;
      } else if (!call.keywords.empty() && argument->kind != Expr::Starred) {
        return fail(argument->span, "positional argument follows keyword argument");
      }
      call.arguments.push_back(std::move(argument));
    }
    if (!at(")") && !expect(",", "between arguments, or ')' to close the call"))
      return false;
  }
  next();
  for (const ExprPtr &argument : call.arguments)
    if (!setDepth(call, {argument.get()}))
      return false;
  for (const Keyword &keyword : call.keywords)
    if (!setDepth(call, {keyword.value.get()}))
      return false;
  return true;
}

} // namespace teeny::lang
