// Python's tokens, with exact places.
//
// The lexer never fails: what is no token becomes a token of kind `error` that says why, and
// matters only where a kernel contains it (host code around kernels is skipped by tokens).
#pragma once

#include "Language/Types.h"

#include <vector>

namespace teeny::lang {

// A place in a file: lines and columns count from 1, columns and length in bytes.
struct Span {
  unsigned line = 0, column = 0, length = 1;
};

struct Token {
  enum Kind : uint8_t {
    end,     // of the file
    newline, // of a logical line
    indent,
    dedent,
    name,     // identifiers and keywords
    integer,  // the value is in `text`: see parseInteger
    floating, // likewise
    imaginary,
    string, // prefix and quotes included
    op,     // operators and delimiters
    error,  // `text` is what was found; `message` why it is wrong
  };
  Kind kind = end;
  llvm::StringRef text;
  Span span;
  const char *message = nullptr;

  bool is(llvm::StringRef operatorOrKeyword) const {
    return (kind == op || kind == name) && text == operatorOrKeyword;
  }
};

// The tokens of a text, ending with one of kind `end`. The texts point into `source`.
std::vector<Token> tokenize(llvm::StringRef source);

// Part of a file as a file of its own, for the expressions inside formatted strings; no newlines or
// indents.
std::vector<Token> tokenizeExpression(llvm::StringRef text, Span at);

// The value of an integer token ("0x_ff", "1_000"); none if it exceeds 127 bits.
std::optional<Integer> parseInteger(llvm::StringRef text);
// The value of a floating token ("1_0.5e-3").
double parseFloating(llvm::StringRef text);

// A string token taken apart.
struct StringLiteral {
  std::string text; // escapes replaced, unless `isFormatted`: then the raw text between the quotes
  size_t bodyOffset = 0;
  bool isFormatted = false, isRaw = false, isBytes = false;
};
StringLiteral parseString(llvm::StringRef token);
// Replaces the escape sequences of a string that is not raw.
std::string unescape(llvm::StringRef text);

} // namespace teeny::lang
