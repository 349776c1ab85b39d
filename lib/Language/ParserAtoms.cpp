// Atoms: names, literals, strings, and what is in brackets.
#include "Language/ParserImpl.h"

#include <utility>

namespace teeny::lang {

using namespace ast;

ExprPtr Parser::atom() {
  const Token &token = peek();
  switch (token.kind) {
  case Token::name: {
    if (token.text == "None" || token.text == "True" || token.text == "False") {
      auto constant = std::make_unique<ConstantExpr>(token.span);
      constant->which = token.text == "None"   ? ConstantExpr::none
                        : token.text == "True" ? ConstantExpr::trueValue
                                               : ConstantExpr::falseValue;
      next();
      return constant;
    }
    if (token.text == "yield") {
      Span start = next().span;
      accept("from");
      if (!at(")") && !at(Token::newline) && !expressionList())
        return nullptr;
      return unsupported(upTo(start), "'yield'");
    }
    if (isKeyword(token.text)) {
      unexpected("an expression");
      return nullptr;
    }
    auto name = std::make_unique<NameExpr>(token.span);
    name->name = next().text.str();
    return name;
  }
  case Token::integer: {
    std::optional<Integer> value = parseInteger(token.text);
    if (!value) {
      fail(token.span, "integer literal does not fit in 127 bits");
      return nullptr;
    }
    auto integer = std::make_unique<IntegerExpr>(next().span);
    integer->value = *value;
    return integer;
  }
  case Token::floating: {
    auto floating = std::make_unique<FloatingExpr>(token.span);
    floating->value = parseFloating(next().text);
    return floating;
  }
  case Token::imaginary:
    return unsupported(next().span, "an imaginary number");
  case Token::string:
    return strings();
  default:
    break;
  }
  if (at("..."))
    return [&] {
      auto constant = std::make_unique<ConstantExpr>(next().span);
      constant->which = ConstantExpr::ellipsis;
      return constant;
    }();
  if (at("("))
    return bracketed(")", /*isList=*/false);
  if (at("["))
    return bracketed("]", /*isList=*/true);
  if (at("{")) {
    size_t begin = position;
    bool wasQuiet = std::exchange(quiet, true);
    ExprPtr result = dict();
    quiet = wasQuiet;
    if (result)
      return result;
    position = begin;
    Span start = peek().span;
    if (!skipBrackets())
      return nullptr;
    return unsupported(upTo(start), "a dict or set");
  }
  unexpected("an expression");
  return nullptr;
}

// Null, with the cursor anywhere, for sets and comprehensions.
ExprPtr Parser::dict() {
  auto result = std::make_unique<DictExpr>(next().span);
  while (!at("}")) {
    ExprPtr key;
    if (!accept("**") && (!(key = expression()) || !accept(":")))
      return nullptr;
    ExprPtr value = expression();
    if (!value || (!at("}") && !accept(",")))
      return nullptr;
    if (!setDepth(*result, {key ? key.get() : value.get(), value.get()}))
      return nullptr;
    result->items.emplace_back(std::move(key), std::move(value));
  }
  next();
  result->span = upTo(result->span);
  return result;
}

bool Parser::skipBrackets() {
  unsigned depth = 0;
  do {
    if (at("(") || at("[") || at("{"))
      ++depth;
    else if (at(")") || at("]") || at("}"))
      --depth;
    else if (at(Token::end) || at(Token::error))
      return unexpected("a closing bracket");
    next();
  } while (depth);
  return true;
}

ExprPtr Parser::bracketed(llvm::StringRef close, bool isList) {
  Span start = next().span;
  auto tuple = std::make_unique<TupleExpr>(start);
  tuple->isList = isList;
  bool comma = false;
  while (!at(close)) {
    ExprPtr item = starredOrExpression();
    if (!item)
      return nullptr;
    if (tuple->items.empty() && (at("for") || at("async")))
      return comprehension(std::move(item), close, start, isList);
    tuple->items.push_back(std::move(item));
    comma = at(",");
    if (!at(close) && !expect(",", "between items, or '" + close.str() + "' to close the bracket"))
      return nullptr;
  }
  next();
  // Parentheses around one expression are only that.
  if (!isList && tuple->items.size() == 1 && !comma)
    return std::move(tuple->items.front());
  tuple->span = upTo(start);
  for (const ExprPtr &item : tuple->items)
    if (!setDepth(*tuple, {item.get()}))
      return nullptr;
  return tuple;
}

ExprPtr Parser::comprehension(ExprPtr element, llvm::StringRef close, Span span, bool isList) {
  auto result = std::make_unique<ListCompExpr>(span);
  result->element = std::move(element);
  result->isList = isList && !at("async");
  while (!at(close)) {
    accept("async");
    if (accept("for")) {
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
        target = std::move(tuple);
      }
      if (!target || !expect("in", "after the variables of a comprehension"))
        return nullptr;
      ExprPtr iterable = disjunction();
      if (!iterable)
        return nullptr;
      if (!setDepth(*result, {target.get(), iterable.get()}))
        return nullptr;
      result->clauses.push_back({std::move(target), std::move(iterable), {}});
    } else if (!result->clauses.empty() && accept("if")) {
      ExprPtr condition = disjunction();
      if (!condition || !setDepth(*result, {condition.get()}))
        return nullptr;
      result->clauses.back().conditions.push_back(std::move(condition));
    } else {
      unexpected("'for', 'if' or '" + close.str() + "'");
      return nullptr;
    }
  }
  next();
  result->span = upTo(span);
  if (!setDepth(*result, {result->element.get()}))
    return nullptr;
  return result;
}

// Adjacent literals are one string; formatted ones make it a FormattedString.
ExprPtr Parser::strings() {
  Span start = peek().span;
  auto result = std::make_unique<FormattedStringExpr>(start);
  bool formatted = false, bytes = false;
  auto text = [&](const std::string &piece) {
    if (result->parts.empty() || result->parts.back().value)
      result->parts.emplace_back();
    result->parts.back().text += piece;
  };
  while (at(Token::string)) {
    const Token &token = next();
    StringLiteral literal = parseString(token.text);
    bytes |= literal.isBytes;
    if (!literal.isFormatted) {
      text(literal.text);
      continue;
    }
    formatted = true;
    Span at = token.span;
    at.column += unsigned(literal.bodyOffset);
    if (!formattedParts(*result, literal.text, literal.isRaw, at))
      return nullptr;
  }
  Span span = upTo(start);
  if (bytes)
    return unsupported(span, "a bytes literal");
  if (formatted) {
    result->span = span;
    return result;
  }
  auto plain = std::make_unique<StringExpr>(span);
  plain->value = result->parts.empty() ? "" : result->parts.front().text;
  return plain;
}

bool Parser::formattedParts(FormattedStringExpr &result, llvm::StringRef body, bool raw, Span at) {
  std::string text;
  auto flush = [&] {
    if (!text.empty()) {
      result.parts.emplace_back();
      result.parts.back().text = raw ? text : unescape(text);
    }
    text.clear();
  };
  for (size_t i = 0; i < body.size();) {
    char c = body[i];
    if ((c == '{' || c == '}') && body.substr(i + 1).starts_with(llvm::StringRef(&c, 1))) {
      text.push_back(c);
      i += 2;
      continue;
    }
    if (c == '}')
      return fail(at, "single '}' in a formatted string", "write '}}' for the character");
    if (c != '{') {
      text.push_back(c);
      ++i;
      continue;
    }
    flush();
    // The field ends at the '}' of its own depth, the expression at '!' or ':' before it.
    size_t begin = i + 1, end = begin, stop = llvm::StringRef::npos;
    unsigned depth = 0;
    char quote = 0;
    for (; end < body.size(); ++end) {
      char d = body[end];
      if (quote) {
        quote = d == quote ? 0 : quote;
      } else if (d == '"' || d == '\'') {
        quote = d;
      } else if (d == '(' || d == '[' || d == '{') {
        ++depth;
      } else if (d == '}' && depth == 0) {
        break;
      } else if (d == ')' || d == ']' || d == '}') {
        depth -= depth != 0;
      } else if (depth == 0 && stop == llvm::StringRef::npos &&
                 (d == ':' || (d == '!' && !body.substr(end + 1).starts_with("=")))) {
        stop = end;
      }
    }
    if (end == body.size())
      return fail(at, "'{' without '}' in a formatted string", "write '{{' for the character");
    FormattedStringExpr::Part part;
    llvm::StringRef source = body.slice(begin, std::min(stop, end));
    if (stop < end && body[stop] == '!' && stop + 1 < end) {
      part.conversion = body[stop + 1];
      stop = stop + 2 < end && body[stop + 2] == ':' ? stop + 2 : end;
    }
    if (stop < end)
      part.format = body.slice(stop + 1, end).str();
    llvm::StringRef trimmed = source.rtrim();
    if (trimmed.ends_with("=") && !trimmed.ends_with("==")) {
      result.parts.emplace_back();
      result.parts.back().text = source.str();
      source = trimmed.drop_back();
    }
    Span place = at;
    if (!body.take_front(begin).contains('\n'))
      place.column += unsigned(begin);
    Parser nested(this->source, tokenizeExpression(source, place), diagnostics);
    nested.nesting = nesting + 1;
    nested.quiet = quiet;
    part.value = nested.expressionList();
    if (!part.value)
      return false;
    if (!nested.at(Token::end))
      return nested.unexpected("the end of the field");
    result.parts.push_back(std::move(part));
    if (!setDepth(result, {result.parts.back().value.get()}))
      return false;
    i = end + 1;
  }
  flush();
  return true;
}

} // namespace teeny::lang
