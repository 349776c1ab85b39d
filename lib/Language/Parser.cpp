// Module level: what of a file is kept, and how the rest is passed over.
#include "Language/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"

#include <utility>

namespace teeny::lang {

using namespace ast;

//===-- The cursor and errors -----------------------------------------------------------------===//

bool Parser::fail(Span span, const std::string &message, const std::string &hint) {
  if (quiet)
    return false;
  SourceLocation location;
  location.source = &source;
  location.line = span.line;
  location.column = span.column;
  location.length = span.length;
  Diagnostic &diagnostic = diagnostics.error(location, message);
  if (!hint.empty())
    diagnostic.suggest(hint);
  return false;
}

bool Parser::unexpected(llvm::StringRef expected) {
  const Token &token = peek();
  std::string found;
  switch (token.kind) {
  case Token::error:
    return fail(token.span, token.message);
  case Token::end:
    found = "the end of the file";
    break;
  case Token::newline:
    found = "the end of the line";
    break;
  case Token::indent:
    found = "an indented line";
    break;
  case Token::dedent:
    found = "the end of the block";
    break;
  default:
    found = "'" + token.text.take_front(40).str() + "'";
  }
  return fail(token.span, "expected " + expected.str() + ", found " + found);
}

bool Parser::expect(llvm::StringRef text, llvm::StringRef where) {
  return accept(text) || unexpected("'" + text.str() + "' " + where.str());
}

bool Parser::expectLineEnd() {
  if (at(Token::end) || at(Token::dedent))
    return true;
  if (!at(Token::newline))
    return unexpected("an operator or the end of the statement");
  next();
  return true;
}

bool Parser::identifier(std::string &name, llvm::StringRef what) {
  if (!at(Token::name) || isKeyword(peek().text))
    return unexpected(what);
  name = next().text.str();
  return true;
}

Span Parser::upTo(Span start) const {
  const Span &last = tokens[position ? position - 1 : 0].span;
  if (last.line == start.line && last.column >= start.column)
    start.length = last.column + last.length - start.column;
  return start;
}

void Parser::skipLine() {
  while (!at(Token::newline) && !at(Token::end))
    next();
  next();
}

void Parser::skipSuite() {
  if (!at(Token::indent))
    return;
  unsigned depth = 0;
  do {
    depth += at(Token::indent);
    depth -= at(Token::dedent);
    next();
  } while (depth && !at(Token::end));
}

//===-- Module level --------------------------------------------------------------------------===//

Block Parser::file() {
  Block block;
  findMakers();
  while (!at(Token::end)) {
    if (at(Token::newline) || at(Token::indent) || at(Token::dedent)) {
      next();
      continue;
    }
    if (StmtPtr statement = moduleStatement())
      block.push_back(std::move(statement));
  }
  reportSkipped();
  return block;
}

// A suite of module-level statements, of an `if` or `try`.
Block Parser::moduleSuite() {
  Block block;
  Nesting guard(*this);
  if (nesting > maxNesting) {
    skipLine();
    skipSuite();
    return block;
  }
  if (!accept(":")) {
    skipLine();
    skipSuite();
    return block;
  }
  if (!at(Token::newline)) {
    if (StmtPtr statement = moduleStatement())
      block.push_back(std::move(statement));
    return block;
  }
  next();
  if (!at(Token::indent))
    return block;
  next();
  while (!at(Token::dedent) && !at(Token::end)) {
    if (at(Token::newline) || at(Token::indent)) {
      next();
      continue;
    }
    if (StmtPtr statement = moduleStatement())
      block.push_back(std::move(statement));
  }
  next();
  return block;
}

StmtPtr Parser::moduleStatement() {
  if (at("@"))
    return decorated();
  if (at("if"))
    return moduleIf();
  if (at("try"))
    return moduleTry();
  if (at("def"))
    return hostFunction();
  if (at("class"))
    return skipCompound("a class");
  return moduleSimple();
}

// A definition by tokens; the name it binds is kept.
StmtPtr Parser::skipCompound(llvm::StringRef what) {
  auto result = std::make_unique<OpaqueStmt>(peek(1).span);
  result->what = what.str();
  if (peek(1).kind == Token::name)
    result->names.push_back(peek(1).text.str());
  skipLine();
  skipSuite();
  return result;
}

StmtPtr Parser::moduleIf() {
  auto result = std::make_unique<IfStmt>(next().span);
  quiet = true;
  result->test = expression();
  quiet = false;
  if (!result->test || !at(":")) {
    result->test = unsupported(result->span, "a host condition");
    while (!at(Token::newline) && !at(Token::end) && !(at(":") && peek(1).kind == Token::newline))
      next();
  }
  result->body = moduleSuite();
  if (at("elif")) {
    Nesting guard(*this);
    if (nesting > maxNesting) {
      skipLine();
      skipSuite();
    } else if (StmtPtr nested = moduleIf()) {
      result->orelse.push_back(std::move(nested));
    }
  } else if (accept("else")) {
    result->orelse = moduleSuite();
  }
  return result;
}

StmtPtr Parser::moduleTry() {
  auto result = std::make_unique<TryStmt>(next().span);
  result->body = moduleSuite();
  while (at("except") || at("finally") || at("else")) {
    bool handler = next().text == "except";
    while (!at(":") && !at(Token::newline) && !at(Token::end))
      next();
    Block block = moduleSuite();
    Block &into = handler ? result->handlers : result->orelse;
    for (StmtPtr &statement : block)
      into.push_back(std::move(statement));
  }
  return result;
}

// The names that an assignment binds, by tokens: every name before its last '=' at depth 0.
static void assignedNames(llvm::ArrayRef<Token> line, std::vector<std::string> &names) {
  unsigned depth = 0;
  size_t last = 0;
  for (size_t i = 0; i != line.size(); ++i) {
    depth += line[i].is("(") || line[i].is("[") || line[i].is("{");
    depth -= (line[i].is(")") || line[i].is("]") || line[i].is("}")) && depth;
    if (depth == 0 && line[i].kind == Token::op && line[i].text.ends_with("=") &&
        !line[i].is("==") && !line[i].is("!=") && !line[i].is("<=") && !line[i].is(">="))
      last = i;
  }
  for (const Token &token : line.take_front(last))
    if (token.kind == Token::name && !isKeyword(token.text))
      names.push_back(token.text.str());
}

StmtPtr Parser::moduleSimple() {
  size_t begin = position;
  quiet = true;
  StmtPtr result = at("import") || at("from") ? importStatement() : assignmentOrExpression();
  quiet = false;
  bool keep = result && (at(Token::newline) || at(";") || at(Token::end)) &&
              result->kind != Stmt::Expression;
  if (keep) {
    next();
    return madeByCall(std::move(result));
  }
  position = begin;
  Span span = peek().span;
  skipLine();
  auto opaque = std::make_unique<OpaqueStmt>(span);
  opaque->what = "a host expression";
  assignedNames(llvm::ArrayRef(tokens).slice(begin, position - begin), opaque->names);
  skipSuite();
  return opaque->names.empty() ? nullptr : std::move(opaque);
}

Block parseFile(const Source &source, Diagnostics &diagnostics) {
  if (source.text.size() > maxFileBytes) {
    SourceLocation location;
    location.source = &source;
    diagnostics.error(location, "a kernel file of " + std::to_string(source.text.size()) +
                                    " bytes; at most " + std::to_string(maxFileBytes) +
                                    " are read");
    return {};
  }
  return Parser(source, tokenize(source.text), diagnostics).file();
}

} // namespace teeny::lang
