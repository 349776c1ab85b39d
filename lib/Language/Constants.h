// Compile-time arithmetic, with Python's meaning: integers are exact, `//` and `%` round down, `/`
// gives a float.
#pragma once

#include "Language/AST.h"
#include "Language/Values.h"

namespace teeny::lang {

// The result, or none with `error` set.
std::optional<Constant> evaluate(ast::BinaryOp op, const Constant &lhs, const Constant &rhs,
                                 std::string &error);
std::optional<Constant> evaluate(ast::CompareOp op, const Constant &lhs, const Constant &rhs,
                                 std::string &error);
std::optional<Constant> evaluate(ast::UnaryOp op, const Constant &operand, std::string &error);

// Bytes of a string at most, and what is said of a longer one.
inline constexpr size_t maxString = 1 << 20;
std::string tooLongString();

// As `str(value)` prints it: strings without quotes.
std::string display(const Constant &constant);
// As f"{value:format}" prints it; none if the format is not one of the common ones.
std::optional<std::string> formatted(const Constant &constant, char conversion,
                                     llvm::StringRef format);

} // namespace teeny::lang
