// A second parser of expressions, by the grammar of lib/Expr/Expr.h and nothing else.
#pragma once

#include "Expr/SlowExpr.h"

#include <string_view>

namespace slow {

// The tree of a text; nothing if it is none, or is nested deeper than `maxNesting`.
std::optional<Tree> parse(std::string_view text, int maxNesting);

} // namespace slow
