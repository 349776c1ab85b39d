// The texts of --signature, --range and --global, token by token. Internal to lib/Language.
#pragma once

#include "Language/Language.h"
#include "Language/Lexer.h"

namespace teeny::lang {

// One item: what is bound to a parameter.
struct SignatureItem {
  std::string name; // of NAME=item
  Span nameSpan, span;
  bool isType = false;
  bool isPointer = false, readOnly = false;
  ScalarType type;
  std::optional<int64_t> hint;
  Span hintSpan;
  ConstValue value; // where it is no type
};

// The tokens of one text, and errors at them.
class SignatureReader {
public:
  SignatureReader(const Source *source, Diagnostics &diagnostics)
      : source(source), diagnostics(diagnostics), tokens(tokenizeExpression(source->text, {1, 1})) {
  }

  const Token &peek() const { return tokens[position]; }
  bool atEnd() const { return peek().kind == Token::end; }
  Token next() { return atEnd() ? peek() : tokens[position++]; }
  bool accept(llvm::StringRef text) {
    if (!peek().is(text))
      return false;
    ++position;
    return true;
  }
  // NAME= begins here.
  bool atName() const { return peek().kind == Token::name && tokens[position + 1].is("="); }
  // Past the comma that ends the current item, whatever comes before it.
  void skipItem();
  // From `start` to the token before the current one.
  Span upTo(Span start) const {
    const Span &last = tokens[position ? position - 1 : 0].span;
    if (last.line == start.line)
      start.length = last.column + last.length - start.column;
    return start;
  }

  SourceLocation place(Span span) const {
    SourceLocation location;
    location.source = source;
    location.line = span.line;
    location.column = span.column;
    location.length = span.length;
    return location;
  }
  // The end of the text has a place too: that after its last character.
  SourceLocation placeOfEnd() const {
    auto [line, column] = source->lineAndColumn(source->text.size());
    return place({line, column});
  }
  SourceLocation here() const { return atEnd() ? placeOfEnd() : place(peek().span); }
  Diagnostic &fail(SourceLocation at, std::string message) {
    return diagnostics.error(std::move(at), std::move(message));
  }
  std::string found() const {
    if (atEnd())
      return "the end";
    return peek().kind == Token::error ? std::string(peek().message)
                                       : "'" + peek().text.str() + "'";
  }

  bool item(SignatureItem &item);
  bool value(ConstValue &value);
  bool number(bool negative, ConstValue &value);
  bool integer(int64_t &value, const char *what);

private:
  bool type(SignatureItem &item);
  bool hint(SignatureItem &item);

  const Source *source;
  Diagnostics &diagnostics;
  std::vector<Token> tokens;
  size_t position = 0;
};

// The name of a scalar type in signatures; empty if it has none.
llvm::StringRef signatureTypeName(ScalarType type);

} // namespace teeny::lang
