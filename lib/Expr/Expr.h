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
// >= 1. Names are [A-Za-z_][A-Za-z0-9_]*, other than the words above. Integers are int64; an
// overflow or a division by zero is an error, never a wrapped value.
//
// Canonical form. An Expr is simplified as it is built: constants are folded, a sum is a list of
// coefficient * product with like terms collected, constants are multiplied into sums (a product
// of two sums stays a product), common factors of a division are cancelled, what is decided by
// constants or by ranges alone (x % 4 < 4) is decided. equal() compares canonical forms, and where
// those differ the forms with all products multiplied out and cdiv and align turned into floor
// divisions. So "2*N" equals "N + N", and "cdiv(N, 4)" equals "(N + 3) // 4". Equal expressions
// have the same value wherever both have one; unequal ones may still agree everywhere.
//
// Partial operations. A simplification may make an expression total, never partial: wherever the
// text as written has a value, the canonical form has that value. Where it has none, the canonical
// form may have one: N - N is 0 although N may be unknown, (N + M) - M is N even where N + M
// overflows, 0 * (1 // N) is 0 and N // N is 1 also for N = 0. To keep the promise when terms are
// reordered, a sum or product is evaluated exactly and fails only if its result does not fit.
//
// Limits. Text is at most maxText bytes. An expression has at most maxDepth levels and maxNodes
// nodes, and its coefficients and constants are int64, in its text and in its canonical form: parse
// refuses more. Operators cannot fail; beyond the limits they give an expression that has no value
// (tooLarge() tells), which every operation passes on, so that nothing here can exhaust the stack
// or hang.
//
// An Expr is an immutable value, cheap to copy, and safe to share between threads. str() prints a
// canonical text that parses back to an equal Expr. ExprNode.h shows the inside, for those who
// translate expressions into something else.
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
  static constexpr int maxDepth = 64;
  static constexpr int maxNodes = 4096;
  static constexpr size_t maxText = 65536;

  Expr() : Expr(0) {}
  Expr(int64_t constant);

  // `name` must satisfy isName().
  static Expr symbol(std::string name);
  static bool isName(std::string_view text);
  // Reads a whole text; on an error the message holds the column, from 1, and what was expected
  // there.
  static Result<Expr> parse(std::string_view text);

  std::string str() const;
  std::optional<int64_t> constant() const;       // its value if it has no names and is a number
  std::optional<std::string> symbolName() const; // the name if it is nothing else
  std::set<std::string> symbols() const;
  bool equal(const Expr &other) const;
  bool tooLarge() const;

  // The value where `lookup` gives each name its value. Errors: notFound (a name without a value),
  // outOfRange (overflow, division by zero, alignment below 1).
  using Lookup = std::function<std::optional<int64_t>(const std::string &)>;
  Result<int64_t> evaluate(const Lookup &lookup) const;

  // Names replaced by expressions; names that `replace` does not know stay. The result may be too
  // large.
  Expr substitute(const std::function<std::optional<Expr>(const std::string &)> &replace) const;

  // Bounds that hold wherever the expression has a value, by interval arithmetic; INT64_MIN/MAX
  // where unknown. A constant factor of the value is given as multipleOf (0 % anything == 0, so 0
  // has multipleOf 0).
  SymbolFacts facts(const std::function<SymbolFacts(const std::string &)> &of) const;

  // The expression as scale*name + offset with scale != 0, if it has that form. Used for input
  // dims.
  struct Linear {
    std::string name;
    int64_t scale, offset;

    // What `name` must be for the expression to be `value`. An error (outOfRange) says why there is
    // no such integer.
    Result<int64_t> solve(int64_t value) const;
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
Expr operator-(const Expr &a);
Expr operator*(const Expr &a, const Expr &b);
Expr floorDiv(const Expr &a, const Expr &b);
Expr mod(const Expr &a, const Expr &b);
Expr cdiv(const Expr &a, const Expr &b);
Expr align(const Expr &x, const Expr &n);
Expr min(const Expr &a, const Expr &b);
Expr max(const Expr &a, const Expr &b);

} // namespace teeny
