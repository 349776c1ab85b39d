// Symbolic integer expressions: the sizes, grids, guards and conditions of graphs, declarations and
// bundles.
//
// One grammar everywhere (graph files, op declarations, the manifest), given from loose to tight
// binding:
//
//   x if c else y      the arms are evaluated lazily: only the chosen one may fail
//   a or b             0 or 1; b is evaluated only if it decides
//   a and b
//   not a
//   == != < <= > >=    0 or 1; no chaining
//   + -
//   * // %             floor division; the remainder has the sign of the divisor, as in Python
//   -a  +a
//   min(a, b, ...)  max(a, b, ...)  cdiv(a, b)  align(x, n)  integer  name  ( )
//
// cdiv(a, b) is the ceiling of a / b; align(x, n) is the least multiple of n that is >= x, for n
// >= 1. Names are [A-Za-z_][A-Za-z0-9_]*. Integers are int64; an overflow or a division by zero is
// an error, never a wrapped value.
//
// An Expr is an immutable value, cheap to copy, and safe to share between threads. It is kept as
// written but for simplifications that hold for all integers at which the original has a value (x *
// 1, x + 0, folded constants, like terms collected); equal() compares the simplified forms, so
// "2*N" equals "N + N". str() prints a canonical text that parses back to an equal Expr.
#pragma once

#include "Base/Result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace teeny {

// What is known of a name before it has a value: min <= value <= max and value % multipleOf == 0.
struct SymbolFacts {
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;
  int64_t multipleOf = 1;
};

class Expr {
public:
  Expr() : Expr(0) {}
  Expr(int64_t constant);

  static Expr symbol(std::string name);
  // Reads a whole text; on an error the message holds the column, from 1, and what was expected
  // there.
  static Result<Expr> parse(std::string_view text);

  std::string str() const;
  std::optional<int64_t> constant() const;       // its value if it has no names
  std::optional<std::string> symbolName() const; // the name if it is nothing else
  std::set<std::string> symbols() const;
  bool equal(const Expr &other) const;

  // The value where `lookup` gives each name its value; a name without one is an error (notFound).
  using Lookup = std::function<std::optional<int64_t>(const std::string &)>;
  Result<int64_t> evaluate(const Lookup &lookup) const;

  // Names replaced by expressions; names that `replace` does not know stay.
  Expr substitute(const std::function<std::optional<Expr>(const std::string &)> &replace) const;

  // Bounds that hold wherever the expression has a value, by interval arithmetic; INT64_MIN/MAX
  // where unknown. A constant factor of the value is given as multipleOf (0 % anything == 0, so 0
  // has multipleOf 0).
  SymbolFacts facts(const std::function<SymbolFacts(const std::string &)> &of) const;

  // If the expression is a*N + b with constants a != 0 and b: solves it for `value`. Used for input
  // dims. An error says why `value` has no integer solution.
  struct Linear {
    std::string name;
    int64_t scale, offset;
  };
  std::optional<Linear> linear() const;

  struct Node;
  const Node &node() const { return *root; }

private:
  explicit Expr(std::shared_ptr<const Node> node) : root(std::move(node)) {}
  std::shared_ptr<const Node> root;
  friend struct ExprBuilder;
};

// Arithmetic on expressions, simplified as it is built.
Expr operator+(const Expr &a, const Expr &b);
Expr operator-(const Expr &a, const Expr &b);
Expr operator*(const Expr &a, const Expr &b);
Expr floorDiv(const Expr &a, const Expr &b);
Expr mod(const Expr &a, const Expr &b);
Expr cdiv(const Expr &a, const Expr &b);
Expr min(const Expr &a, const Expr &b);
Expr max(const Expr &a, const Expr &b);

} // namespace teeny
