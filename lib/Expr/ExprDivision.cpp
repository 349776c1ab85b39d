// Division: // % cdiv align.
//
//   (6*N*M) // (4*M)    = (3*N) // 2            common factors of all terms go
//   (4*N + M + 9) // 4  = N + (M + 1) // 4 + 2  multiples of a constant divisor move out
//   (4*N + M + 9) % 4   = (M + 1) % 4
//   N // 2 // 3         = N // 6
//   align(4*N, 4)       = 4*N
#include "Expr/ExprBuilder.h"

#include "Base/Checked.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace teeny {
namespace {

using Term = SumBuilder::Term;

// Takes out of `from` what is also in `other`, with multiplicity, and returns it.
std::vector<Expr> takeCommon(std::vector<Expr> &from, std::vector<Expr> other) {
  auto before = [](const Expr &a, const Expr &b) { return compare(a, b) < 0; };
  std::sort(from.begin(), from.end(), before);
  std::sort(other.begin(), other.end(), before);
  std::vector<Expr> common, rest;
  std::set_intersection(from.begin(), from.end(), other.begin(), other.end(),
                        std::back_inserter(common), before);
  std::set_difference(from.begin(), from.end(), other.begin(), other.end(),
                      std::back_inserter(rest), before);
  from = std::move(rest);
  return common;
}

Expr unfactored(const Factored &f) {
  std::vector<Expr> factors = f.factors;
  factors.insert(factors.begin(), Expr(f.coefficient));
  return ExprBuilder::product(factors);
}

// `a` and `b` divided by what divides both: factors of the whole of `a`, factors of each of its
// terms, and constants. Division by zero is no concern: a factor of the divisor is not 0 where the
// division has a value.
struct Reduced {
  Expr a, b;
  Expr common; // a positive constant and factors of b
};

Reduced reduce(const Expr &a, const Expr &b) {
  Factored numerator = ExprBuilder::factored(a), divisor = ExprBuilder::factored(b);
  std::vector<Expr> common = takeCommon(numerator.factors, divisor.factors);
  if (!common.empty())
    takeCommon(divisor.factors, common);

  // A factor of each term: (N*M + N) // N.
  std::vector<Term> terms = termsOf(unfactored(numerator));
  if (terms.size() > 1 && !divisor.factors.empty()) {
    std::vector<Expr> shared = divisor.factors;
    for (size_t i = 0; i < terms.size() && !shared.empty(); ++i)
      shared = takeCommon(shared, ExprBuilder::factored(terms[i].operand).factors);
    if (!shared.empty()) {
      SumBuilder sum;
      for (const Term &term : terms) {
        Factored f = ExprBuilder::factored(term.operand);
        takeCommon(f.factors, shared);
        sum.add(ExprBuilder::product({Expr(term.coefficient), unfactored(f)}));
      }
      numerator = ExprBuilder::factored(sum.finish());
      takeCommon(divisor.factors, shared);
      common.insert(common.end(), shared.begin(), shared.end());
    }
  }

  uint64_t constant = std::gcd(magnitude(numerator.coefficient), magnitude(divisor.coefficient));
  if (constant > 1 && constant <= uint64_t(INT64_MAX)) {
    numerator.coefficient /= int64_t(constant);
    divisor.coefficient /= int64_t(constant);
    common.push_back(int64_t(constant));
  }
  if (common.empty())
    return {a, b, 1};
  return {unfactored(numerator), unfactored(divisor), ExprBuilder::product(common)};
}

// a = divisor * quotient + rest, with the multiples of `divisor` (> 1) in `quotient`.
struct Split {
  Expr quotient, rest;
  bool withoutTerms; // rest is a constant in [0, divisor)
};

// Terms move only if the coefficients that stay add up to `limit` at most; the constant always
// does.
Split split(const Expr &a, int64_t divisor, int64_t limit) {
  SumBuilder quotient, rest;
  std::vector<Term> stay, move;
  bool bounded = true;
  int64_t total = 0;
  for (const Term &term : termsOf(a)) {
    if (term.operand.constant() == 1) {
      quotient.add(int64_t(floorQuotient(term.coefficient, divisor)));
      rest.add(int64_t(floorRemainder(term.coefficient, divisor)));
    } else if (term.coefficient % divisor == 0) {
      move.push_back(term);
    } else {
      stay.push_back(term);
      uint64_t size = magnitude(term.coefficient);
      bounded &= size <= uint64_t(limit) && !__builtin_add_overflow(total, int64_t(size), &total) &&
                 total <= limit;
    }
  }
  for (const Term &term : stay)
    rest.add(term.operand, term.coefficient);
  for (const Term &term : move) {
    if (bounded)
      quotient.add(term.operand, term.coefficient / divisor);
    else
      rest.add(term.operand, term.coefficient);
  }
  Expr left = rest.finish();
  return {quotient.finish(), left, left.constant().has_value()};
}

// Without a value, whatever the numerator.
Expr divisionByZero(ExprKind kind, const Expr &a) {
  return a.tooLarge() ? a : ExprBuilder::make(kind, {a.constant().value_or(1), 0});
}

// floorDiv and cdiv.
Expr quotient(ExprKind kind, const Expr &a, const Expr &b) {
  bool floor = kind == ExprKind::floorDiv;
  if (hasNoValue(a) || hasNoValue(b))
    return hasNoValue(a) ? a : b;
  if (b.constant() == 0)
    return divisionByZero(kind, a);
  if (a.constant() && b.constant()) {
    __int128 value = floor ? floorQuotient(*a.constant(), *b.constant())
                           : ceilQuotient(*a.constant(), *b.constant());
    if (value > INT64_MAX) // INT64_MIN // -1
      return ExprBuilder::make(kind, {a, b});
    return int64_t(value);
  }
  if (a.tooLarge() || b.tooLarge())
    return ExprBuilder::make(kind, {a, b});

  Reduced reduced = reduce(a, b);
  if (reduced.common.constant() != 1)
    return quotient(kind, reduced.a, reduced.b);
  if (a.constant() == 0)
    return 0;
  std::optional<int64_t> divisor = b.constant();
  if (!divisor || *divisor == INT64_MIN)
    return ExprBuilder::make(kind, {a, b});
  if (*divisor < 0)
    return quotient(kind, -a, -*divisor);
  if (*divisor == 1)
    return a;

  Split parts = split(a, *divisor, *divisor);
  if (parts.withoutTerms)
    return parts.quotient + Expr(floor || parts.rest.constant() == 0 ? 0 : 1);
  Expr left = parts.rest;
  // What is left may have a common constant again: (4*N + 2*M) // 4.
  if (parts.quotient.constant() != 0)
    return parts.quotient + quotient(kind, left, b);
  if (left.node().kind == kind) {
    std::optional<int64_t> inner = left.node().operands[1].constant();
    std::optional<int64_t> both = inner && *inner > 0 ? checkedMul(*inner, *divisor) : std::nullopt;
    if (both)
      return quotient(kind, left.node().operands[0], *both);
  }
  return ExprBuilder::make(kind, {left, b});
}

} // namespace

Expr ExprBuilder::floorDiv(const Expr &a, const Expr &b) {
  return quotient(ExprKind::floorDiv, a, b);
}

Expr ExprBuilder::cdiv(const Expr &a, const Expr &b) { return quotient(ExprKind::cdiv, a, b); }

Expr ExprBuilder::mod(const Expr &a, const Expr &b) {
  if (hasNoValue(a) || hasNoValue(b))
    return hasNoValue(a) ? a : b;
  if (b.constant() == 0)
    return divisionByZero(ExprKind::mod, a);
  if (a.tooLarge() || b.tooLarge())
    return make(ExprKind::mod, {a, b});
  if (a.constant() && b.constant())
    return int64_t(floorRemainder(*a.constant(), *b.constant()));
  Reduced reduced = reduce(a, b);
  if (reduced.common.constant() != 1)
    return product({reduced.common, mod(reduced.a, reduced.b)});
  if (a.constant() == 0)
    return 0;
  std::optional<int64_t> divisor = b.constant();
  if (!divisor || *divisor == INT64_MIN)
    return make(ExprKind::mod, {a, b});
  if (*divisor < 0)
    return product({-1, mod(-a, -*divisor)});
  if (*divisor == 1)
    return 0;

  // A remainder does not grow, so more may go than in a quotient.
  Split parts = split(a, *divisor, INT64_MAX);
  if (parts.quotient.constant() != 0)
    return mod(parts.rest, b);
  if (a.node().kind == ExprKind::mod) {
    std::optional<int64_t> inner = a.node().operands[1].constant();
    if (inner && *inner != 0 && *inner % *divisor == 0)
      return mod(a.node().operands[0], b);
  }
  return make(ExprKind::mod, {a, b});
}

Expr ExprBuilder::align(const Expr &x, const Expr &n) {
  if (hasNoValue(x) || hasNoValue(n))
    return hasNoValue(x) ? x : n;
  std::optional<int64_t> multiple = n.constant();
  if (x.tooLarge() || n.tooLarge() || (multiple && *multiple < 1))
    return make(ExprKind::align, {x, n});
  if (compare(x, n) == 0 || x.constant() == 0)
    return x;
  if (!multiple)
    return make(ExprKind::align, {x, n});
  if (std::optional<int64_t> value = x.constant()) {
    __int128 aligned = ceilQuotient(*value, *multiple) * *multiple;
    return aligned > INT64_MAX ? make(ExprKind::align, {x, n}) : Expr(int64_t(aligned));
  }
  uint64_t known = multipleOf(x, [](const std::string &) { return SymbolFacts(); });
  if (known % uint64_t(*multiple) == 0)
    return x;
  return make(ExprKind::align, {x, n});
}

} // namespace teeny
