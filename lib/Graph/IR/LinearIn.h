// Expressions solved for one of their names.
#pragma once

#include "Expr/Expr.h"

namespace teeny::graph {

// The expression as scale * name + offset, where neither has `name` in it.
struct LinearIn {
  Expr scale, offset;
};

// Nothing if the expression is not linear in the name, or does not depend on it.
std::optional<LinearIn> linearIn(const Expr &expr, const std::string &name);

} // namespace teeny::graph
