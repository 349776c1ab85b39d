// How canonical expressions are built. Internal to lib/Expr.
//
// Why canonical forms keep their values. Let the text as written have a value. The factors of a
// product here are subexpressions of the text, up to sign and a constant divisor, and multiplying
// out only happens with constants; so a product without its coefficient is at most 2^63 in
// magnitude, and with an int64 coefficient at most 2^126. Division moves multiples of the divisor
// out of the numerator only where what stays has coefficients that add up to the divisor at most,
// so a quotient grows by 1 at most for each level. Evaluating terms in 128 bits and adding them in
// more is therefore exact.
#pragma once

#include "Expr/ExprNode.h"

#include <span>

namespace teeny {

using ExprKind = Expr::Node::Kind;

// A total order on canonical forms; 0 only for identical trees.
int compare(const Expr &a, const Expr &b);

// Whether `e` is an operation on constants, such as 1 // 0. It was not folded because it has no
// value. Neither has any operation that needs the value of one that has none; it becomes that one.
// So these stand alone or where they may not be reached: in the arm of a conditional, on the right
// of `and`.
bool hasNoValue(const Expr &e);
const Expr *firstWithoutValue(std::span<const Expr> operands); // null if there is none

// coefficient * product of factors, none of which is a product or a sum of one term.
struct Factored {
  int64_t coefficient = 1;
  std::vector<Expr> factors;
};

struct ExprBuilder {
  // A node with these operands as it is; tooLarge if it exceeds the limits.
  static Expr make(ExprKind kind, std::vector<Expr> operands,
                   std::vector<int64_t> coefficients = {});
  static Expr symbol(std::string name);

  static Expr product(const std::vector<Expr> &factors);
  static Factored factored(const Expr &e);
  static Expr floorDiv(const Expr &a, const Expr &b);
  static Expr mod(const Expr &a, const Expr &b);
  static Expr cdiv(const Expr &a, const Expr &b);
  static Expr align(const Expr &x, const Expr &n);
  static Expr minMax(ExprKind kind, const std::vector<Expr> &operands);
  static Expr comparison(ExprKind kind, const Expr &a, const Expr &b);
  static Expr logicalNot(const Expr &a);
  static Expr logical(ExprKind kind, const std::vector<Expr> &operands); // and, or
  static Expr select(const Expr &condition, const Expr &then, const Expr &otherwise);
  // The node of this kind simplified anew.
  static Expr rebuild(const Expr::Node &like, const std::vector<Expr> &operands);
};

std::string tooLargeMessage();

// Collects like terms.
class SumBuilder {
public:
  struct Term {
    int64_t coefficient;
    Expr operand;
  };

  void add(const Expr &e, int64_t scale = 1);
  Expr finish() const;

private:
  struct WideTerm {
    __int128 coefficient;
    Expr operand;
  };
  void collect(__int128 coefficient, const Expr &operand);

  std::vector<WideTerm> terms; // each operand once, ordered by degree, then operand
  bool poisoned = false;       // a term is tooLarge
  std::optional<Expr> failing; // the first term without a value
};

// The terms of any expression, as coefficient * operand; none for 0.
std::vector<SumBuilder::Term> termsOf(const Expr &e);
Expr sumOf(const std::vector<SumBuilder::Term> &terms);

// Bounds on the exact value, beyond int64 where terms are: see ExprFacts.cpp.
struct WideInterval {
  __int128 min, max;
};
using FactsLookup = std::function<SymbolFacts(const std::string &)>;
WideInterval intervalOf(const Expr &e, const FactsLookup &of);
uint64_t multipleOf(const Expr &e, const FactsLookup &of);

// Floor and ceiling of a / b, and the remainder of floor division, for b != 0.
inline __int128 floorQuotient(__int128 a, __int128 b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0));
}
inline __int128 ceilQuotient(__int128 a, __int128 b) {
  return a / b + (a % b != 0 && (a % b < 0) == (b < 0));
}
inline __int128 floorRemainder(__int128 a, __int128 b) { return a - b * floorQuotient(a, b); }

inline uint64_t magnitude(int64_t value) {
  return value < 0 ? uint64_t(0) - uint64_t(value) : uint64_t(value);
}

inline bool isBoolean(const Expr &e) {
  ExprKind kind = e.node().kind;
  return kind >= ExprKind::equal && kind <= ExprKind::logicalOr;
}

} // namespace teeny
