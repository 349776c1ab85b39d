#include "Language/Lexer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

#include <cstdlib>

namespace teeny::lang {
namespace {

bool isNameStart(char c) { return llvm::isAlpha(c) || c == '_' || (unsigned char)c >= 0x80; }
bool isNamePart(char c) { return isNameStart(c) || llvm::isDigit(c); }

class Lexer {
public:
  Lexer(llvm::StringRef source, Span at, bool expressionOnly)
      : source(source), line(at.line), columnOfStart(at.column), expressionOnly(expressionOnly) {}

  std::vector<Token> run();

private:
  char peek(size_t ahead = 0) const {
    return position + ahead < source.size() ? source[position + ahead] : '\0';
  }
  bool atEnd() const { return position >= source.size(); }
  bool atNewline() const { return peek() == '\n' || peek() == '\r'; }
  unsigned column() const { return unsigned(position - lineStart) + columnOfStart; }
  Span here(unsigned length = 1) const { return {line, column(), length}; }

  void passNewline();
  bool definitionFollows() const;
  void add(Token::Kind kind, size_t begin, Span span, const char *message = nullptr);
  void indentation();
  void word();
  void number();
  bool string();
  void stringBody(size_t begin, Span span, bool formatted);
  void replacementField();
  void oper();

  llvm::StringRef source;
  size_t position = 0, lineStart = 0;
  unsigned line, columnOfStart;
  bool expressionOnly;
  unsigned brackets = 0;
  std::vector<unsigned> indents{0};
  std::vector<Token> tokens;
};

void Lexer::passNewline() {
  position += peek() == '\r' && peek(1) == '\n' ? 2 : 1;
  lineStart = position;
  columnOfStart = 1;
  ++line;
}

// Whether the next line begins, in its first column, with what begins a definition and no line of
// an expression does.
bool Lexer::definitionFollows() const {
  llvm::StringRef rest = source.substr(position).ltrim("\r\n");
  return rest.starts_with("def ") || rest.starts_with("class ") ||
         (rest.starts_with("@") && rest.size() > 1 && isNameStart(rest[1]));
}

void Lexer::add(Token::Kind kind, size_t begin, Span span, const char *message) {
  Token token;
  token.kind = kind;
  token.text = source.slice(begin, position);
  token.span = span;
  token.message = message;
  tokens.push_back(token);
}

// At the start of a line outside brackets: blank lines are passed over, others compared with the
// open blocks.
void Lexer::indentation() {
  unsigned width = 0;
  while (peek() == ' ' || peek() == '\t' || peek() == '\f') {
    width = peek() == '\t' ? (width / 8 + 1) * 8 : peek() == '\f' ? 0 : width + 1;
    ++position;
  }
  if (atEnd() || atNewline() || peek() == '#')
    return;
  if (width > indents.back()) {
    indents.push_back(width);
    add(Token::indent, position, here());
    return;
  }
  while (width < indents.back()) {
    indents.pop_back();
    add(Token::dedent, position, here());
  }
  if (width != indents.back()) {
    add(Token::error, position, here(), "unindent does not match any outer indentation level");
    indents.push_back(width);
  }
}

void Lexer::word() {
  size_t begin = position;
  Span span = here();
  while (!atEnd() && isNamePart(peek()))
    ++position;
  span.length = unsigned(position - begin);
  add(Token::name, begin, span);
}

void Lexer::number() {
  size_t begin = position;
  Span span = here();
  Token::Kind kind = Token::integer;
  auto digits = [&](auto isDigit) {
    while (isDigit(peek()) || (peek() == '_' && isDigit(peek(1))))
      ++position;
  };
  auto decimal = [](char c) { return llvm::isDigit(c); };
  char radix = llvm::toLower(peek(1));
  if (peek() == '0' && (radix == 'x' || radix == 'o' || radix == 'b')) {
    position += 2;
    digits([](char c) { return llvm::isHexDigit(c); });
  } else {
    digits(decimal);
    if (peek() == '.') {
      kind = Token::floating;
      ++position;
      digits(decimal);
    }
    size_t sign = peek(1) == '+' || peek(1) == '-';
    if (llvm::toLower(peek()) == 'e' && decimal(peek(1 + sign))) {
      kind = Token::floating;
      position += 1 + sign;
      digits(decimal);
    }
    if (llvm::toLower(peek()) == 'j') {
      kind = Token::imaginary;
      ++position;
    }
  }
  bool bad = isNamePart(peek());
  // "1if x else y" is legal Python: a keyword may follow a number.
  if (bad) {
    llvm::StringRef rest = source.substr(position);
    for (const char *keyword : {"if", "else", "and", "or", "in", "is", "not", "for"})
      if (rest.starts_with(keyword) &&
          !isNamePart(rest.substr(strlen(keyword)).empty() ? '\0' : rest[strlen(keyword)]))
        bad = false;
  }
  if (bad)
    while (isNamePart(peek()))
      ++position;
  llvm::StringRef text = source.slice(begin, position);
  if (!bad && text.size() == 2 && llvm::isAlpha(text[1]) && kind == Token::integer)
    bad = true; // "0x" alone
  span.length = unsigned(text.size());
  add(bad ? Token::error : kind, begin, span, bad ? "malformed number" : nullptr);
}

// A string literal with its prefix, if one begins here.
bool Lexer::string() {
  size_t quote = 0;
  bool formatted = false;
  while (quote < 3 && llvm::StringRef("rRbBuUfFtT").contains(peek(quote)) && peek(quote) != '\0')
    formatted |= llvm::toLower(peek(quote++)) == 'f';
  if (quote == 3 || (peek(quote) != '"' && peek(quote) != '\''))
    return false;
  size_t begin = position;
  Span span = here();
  position += quote;
  stringBody(begin, span, formatted);
  return true;
}

void Lexer::stringBody(size_t begin, Span span, bool formatted) {
  char quote = peek();
  bool triple = peek(1) == quote && peek(2) == quote;
  position += triple ? 3 : 1;
  bool closed = false;
  while (!atEnd() && !closed) {
    char c = peek();
    if (c == '\\' && position + 1 < source.size()) {
      ++position;
      if (atNewline())
        passNewline();
      else
        ++position;
    } else if (atNewline()) {
      if (!triple)
        break;
      passNewline();
    } else if (c == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
      position += triple ? 3 : 1;
      closed = true;
    } else if (formatted && c == '{' && peek(1) == '{') {
      position += 2;
    } else if (formatted && c == '{') {
      replacementField();
    } else {
      ++position;
    }
  }
  span.length = line == span.line ? unsigned(position - begin) : 1;
  add(closed ? Token::string : Token::error, begin, span, closed ? nullptr : "unterminated string");
}

// From a '{' in a formatted string to after its '}', strings inside skipped: they may hold any
// quotes.
void Lexer::replacementField() {
  size_t start = position;
  unsigned depth = 0;
  do {
    char c = peek();
    if (c == '{' || c == '[' || c == '(')
      ++depth;
    else if (c == '}' || c == ']' || c == ')')
      --depth;
    else if (atNewline() || c == '\\') {
      // No field of an older Python spans lines; leave the rest to the body's own scan.
      position = start + 1;
      return;
    } else if (c == '"' || c == '\'') {
      size_t close = source.find(c, position + 1);
      if (close == llvm::StringRef::npos || source.slice(position, close).contains('\n')) {
        position = start + 1;
        return;
      }
      position = close;
    }
    ++position;
  } while (depth && !atEnd());
}

void Lexer::oper() {
  static const char *const operators[] = {
      "**=", "//=", ">>=", "<<=", "...", "->", ":=", "+=", "-=", "*=", "/=", "%=",
      "@=",  "&=",  "|=",  "^=",  "==",  "!=", "<=", ">=", "<<", ">>", "**", "//",
      "+",   "-",   "*",   "/",   "%",   "@",  "&",  "|",  "^",  "~",  "<",  ">",
      "(",   ")",   "[",   "]",   "{",   "}",  ",",  ":",  ".",  ";",  "=",  "!"};
  size_t begin = position;
  Span span = here();
  for (llvm::StringRef candidate : operators)
    if (source.substr(position).starts_with(candidate)) {
      position += candidate.size();
      span.length = unsigned(candidate.size());
      char c = candidate[0];
      if (c == '(' || c == '[' || c == '{')
        ++brackets;
      else if ((c == ')' || c == ']' || c == '}') && brackets)
        --brackets;
      return add(Token::op, begin, span);
    }
  ++position;
  add(Token::error, begin, span, "unexpected character");
}

std::vector<Token> Lexer::run() {
  if (!expressionOnly && source.starts_with("\xEF\xBB\xBF"))
    position = lineStart = 3;
  bool startOfLine = !expressionOnly;
  while (true) {
    if (startOfLine && brackets == 0)
      indentation();
    startOfLine = false;
    if (atEnd())
      break;
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\f') {
      ++position;
    } else if (c == '#') {
      while (!atEnd() && !atNewline())
        ++position;
    } else if (c == '\\' && (peek(1) == '\n' || peek(1) == '\r')) {
      ++position;
      passNewline();
    } else if (atNewline()) {
      if (brackets && !expressionOnly && definitionFollows())
        brackets = 0; // one was not closed, which must not hide what follows
      bool significant = !expressionOnly && brackets == 0 && !tokens.empty() &&
                         tokens.back().kind != Token::newline &&
                         tokens.back().kind != Token::indent && tokens.back().kind != Token::dedent;
      if (significant)
        add(Token::newline, position, here());
      passNewline();
      startOfLine = !expressionOnly;
    } else if (string()) {
    } else if (isNameStart(c)) {
      word();
    } else if (llvm::isDigit(c) || (c == '.' && llvm::isDigit(peek(1)))) {
      number();
    } else {
      oper();
    }
  }
  if (!expressionOnly) {
    if (!tokens.empty() && tokens.back().kind != Token::newline)
      add(Token::newline, position, here());
    for (; indents.size() > 1; indents.pop_back())
      add(Token::dedent, position, here());
  }
  add(Token::end, position, here());
  return std::move(tokens);
}

} // namespace

std::vector<Token> tokenize(llvm::StringRef source) {
  return Lexer(source, {1, 1, 1}, /*expressionOnly=*/false).run();
}

std::vector<Token> tokenizeExpression(llvm::StringRef text, Span at) {
  return Lexer(text, at, /*expressionOnly=*/true).run();
}

std::optional<Integer> parseInteger(llvm::StringRef text) {
  unsigned radix = 10;
  if (text.size() > 2 && text[0] == '0' && llvm::isAlpha(text[1])) {
    char letter = llvm::toLower(text[1]);
    radix = letter == 'x' ? 16 : letter == 'o' ? 8 : 2;
    text = text.drop_front(2);
  }
  Integer value = 0;
  for (char c : text) {
    if (c == '_')
      continue;
    unsigned digit = llvm::hexDigitValue(c);
    if (digit >= radix || __builtin_mul_overflow(value, Integer(radix), &value) ||
        __builtin_add_overflow(value, Integer(digit), &value))
      return std::nullopt;
  }
  return value;
}

double parseFloating(llvm::StringRef text) {
  std::string digits;
  for (char c : text)
    if (c != '_')
      digits.push_back(c);
  return std::strtod(digits.c_str(), nullptr);
}

StringLiteral parseString(llvm::StringRef token) {
  StringLiteral literal;
  size_t quote = token.find_first_of("\"'");
  for (char c : token.take_front(quote)) {
    literal.isRaw |= llvm::toLower(c) == 'r';
    literal.isBytes |= llvm::toLower(c) == 'b';
    literal.isFormatted |= llvm::toLower(c) == 'f';
  }
  llvm::StringRef body = token.drop_front(quote);
  size_t width = body.size() >= 6 && body[1] == body[0] && body[2] == body[0] ? 3 : 1;
  literal.bodyOffset = quote + width;
  body = body.drop_front(width).drop_back(width);
  literal.text = literal.isFormatted || literal.isRaw ? body.str() : unescape(body);
  return literal;
}

std::string unescape(llvm::StringRef text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result.push_back(text[i]);
      continue;
    }
    char c = text[++i];
    static const llvm::StringRef letters = "abfnrtv\\'\"";
    static const llvm::StringRef meanings = "\a\b\f\n\r\t\v\\'\"";
    size_t known = letters.find(c);
    unsigned digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    unsigned value = 0;
    if (known != llvm::StringRef::npos) {
      result.push_back(meanings[known]);
    } else if (c == '\n') {
      continue;
    } else if (digits && !text.substr(i + 1, digits).getAsInteger(16, value)) {
      i += digits;
      char buffer[8];
      char *out = buffer;
      if (c == 'x' || !llvm::ConvertCodePointToUTF8(value, out))
        *out++ = char(value);
      result.append(buffer, out);
    } else if (c >= '0' && c <= '7') {
      unsigned count = 0;
      while (count < 3 && i < text.size() && text[i] >= '0' && text[i] <= '7') {
        value = value * 8 + unsigned(text[i++] - '0');
        ++count;
      }
      --i;
      result.push_back(char(value));
    } else {
      result.push_back('\\');
      result.push_back(c);
    }
  }
  return result;
}

} // namespace teeny::lang
