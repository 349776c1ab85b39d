// The inside of an expression, for code that translates expressions.
#pragma once

#include "Expr/Expr.h"

#include <vector>

namespace teeny {

struct Expr::Node {
  enum class Kind {
    constant, // value
    symbol,   // name
    // Sum of coefficients[i] * operands[i]. Terms are in descending degree; an operand is the
    // constant 1 (last), a product, or anything that is no sum. Coefficients are not 0. A single
    // term has a coefficient other than 1.
    sum,
    product, // of two or more operands, ordered; constants are in the coefficient of a sum
    floorDiv,
    mod,
    cdiv,
    align,
    min, // two or more operands
    max,
    equal, // two operands, as the rest of the comparisons; a constant is on the right
    notEqual,
    less,
    lessEqual,
    greater, // only against a constant, as greaterEqual
    greaterEqual,
    logicalNot, // of logicalAnd or logicalOr; any other `not a` is a comparison
    logicalAnd, // two or more operands, evaluated from left to right until one is 0
    logicalOr,
    select, // operands: condition, value if it is not 0, value if it is
    tooLarge,
  };

  Kind kind = Kind::constant;
  int64_t value = 0;
  std::string name;
  std::vector<Expr> operands;
  std::vector<int64_t> coefficients;
  int depth = 1; // levels, a constant has 1
  int nodes = 1; // in the tree
};

} // namespace teeny
