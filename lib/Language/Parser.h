// Kernel files to syntax trees.
//
// Inside a decorated function every statement is parsed and a syntax error is reported with its
// place. Around them only what can matter to a kernel is kept: imports, assignments, `if` and `try`
// at module level. The rest of a file is Python that runs on a host, skipped token by token; what
// names it binds is noted as an Opaque statement.
#pragma once

#include "Language/AST.h"
#include "Support/Diagnostics.h"

namespace teeny::lang {

// Nesting of brackets, statements and operators beyond which a file is refused.
inline constexpr unsigned maxNesting = 200;
inline constexpr unsigned maxExpressionDepth = 1000;
// Tokens that are parsed again, of functions that calls make kernels and of their decorators,
// beyond which no more are made.
inline constexpr size_t maxCopiedTokens = size_t(1) << 18;
// Bytes of a kernel file.
inline constexpr size_t maxFileBytes = size_t(16) << 20;

// What an Opaque statement is where a function has a syntax error.
inline constexpr llvm::StringLiteral functionWithErrors = "a function with errors";

// The statements of a file that matter, in order; errors are in `diagnostics`.
ast::Block parseFile(const Source &source, Diagnostics &diagnostics);

} // namespace teeny::lang
