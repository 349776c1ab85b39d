// Sums and products: like terms are collected, constants are multiplied into sums, and a product
// of sums is made of primitive sums (no constant divides all coefficients, the first is positive)
// and one coefficient in front.
#include "Expr/ExprBuilder.h"

#include "Base/Checked.h"

#include <algorithm>
#include <numeric>

namespace teeny {
namespace {

int degree(const Expr &operand) {
  const Expr::Node &node = operand.node();
  if (node.kind == ExprKind::constant)
    return 0;
  return node.kind == ExprKind::product ? int(node.operands.size()) : 1;
}

// Terms in descending degree, so that the constant is last.
int compareOperands(const Expr &a, const Expr &b) {
  if (int difference = degree(b) - degree(a))
    return difference;
  return compare(a, b);
}

// The signed content of a sum: the greatest constant that divides all coefficients, negative if the
// first coefficient is; 1 where dividing by it would overflow.
int64_t contentOf(const Expr::Node &sum) {
  uint64_t content = 0;
  bool extreme = false; // INT64_MIN has no positive counterpart
  for (int64_t coefficient : sum.coefficients) {
    content = std::gcd(content, magnitude(coefficient));
    extreme |= coefficient == INT64_MIN;
  }
  if (content > uint64_t(INT64_MAX) || (extreme && content == 1))
    return 1;
  return sum.coefficients[0] < 0 ? -int64_t(content) : int64_t(content);
}

Expr dividedBy(const Expr::Node &sum, int64_t content) {
  std::vector<int64_t> coefficients = sum.coefficients;
  for (int64_t &coefficient : coefficients)
    coefficient /= content;
  return ExprBuilder::make(ExprKind::sum, sum.operands, std::move(coefficients));
}

// Multiplies factors into one coefficient and a list of what is no constant.
struct ProductBuilder {
  Factored result;
  bool zero = false, overflow = false;

  void scale(int64_t by) {
    zero |= by == 0;
    overflow |= __builtin_mul_overflow(result.coefficient, by, &result.coefficient);
  }

  void multiply(const Expr &e) {
    const Expr::Node &node = e.node();
    if (node.kind == ExprKind::constant) {
      scale(node.value);
    } else if (node.kind == ExprKind::product) {
      for (const Expr &factor : node.operands)
        multiply(factor);
    } else if (node.kind == ExprKind::sum && node.operands.size() == 1) {
      scale(node.coefficients[0]);
      multiply(node.operands[0]);
    } else if (node.kind == ExprKind::sum) {
      int64_t content = contentOf(node);
      scale(content);
      result.factors.push_back(content == 1 ? e : dividedBy(node, content));
    } else {
      result.factors.push_back(e);
    }
  }
};

} // namespace

void SumBuilder::add(const Expr &e, int64_t scale) {
  const Expr::Node &node = e.node();
  poisoned |= e.tooLarge();
  if (hasNoValue(e)) {
    failing = failing ? failing : std::optional(e);
  } else if (node.kind == ExprKind::constant) {
    collect(__int128(node.value) * scale, 1);
  } else if (node.kind == ExprKind::sum) {
    for (size_t i = 0; i < node.operands.size(); ++i)
      collect(__int128(node.coefficients[i]) * scale, node.operands[i]);
  } else {
    collect(scale, e);
  }
}

void SumBuilder::collect(__int128 coefficient, const Expr &operand) {
  // More terms make the sum too large anyway.
  poisoned |= terms.size() > size_t(Expr::maxNodes);
  if (poisoned)
    return;
  auto at = std::lower_bound(
      terms.begin(), terms.end(), operand,
      [](const WideTerm &term, const Expr &e) { return compareOperands(term.operand, e) < 0; });
  if (at == terms.end() || compare(at->operand, operand) != 0)
    at = terms.insert(at, {0, operand});
  poisoned |= __builtin_add_overflow(at->coefficient, coefficient, &at->coefficient);
  if (at->coefficient == 0)
    terms.erase(at);
}

Expr SumBuilder::finish() const {
  std::vector<Expr> operands;
  std::vector<int64_t> coefficients;
  bool fits = true;
  for (const auto &[coefficient, operand] : terms) {
    fits &= coefficient >= INT64_MIN && coefficient <= INT64_MAX;
    operands.push_back(operand);
    coefficients.push_back(int64_t(coefficient));
  }
  if (poisoned || (!failing && !fits))
    return ExprBuilder::make(ExprKind::tooLarge, {});
  if (failing)
    return *failing;
  if (operands.empty())
    return 0;
  if (operands.size() == 1 && operands[0].constant())
    return coefficients[0];
  if (operands.size() == 1 && coefficients[0] == 1)
    return operands[0];
  return ExprBuilder::make(ExprKind::sum, std::move(operands), std::move(coefficients));
}

std::vector<SumBuilder::Term> termsOf(const Expr &e) {
  const Expr::Node &node = e.node();
  if (node.kind == ExprKind::constant)
    return node.value == 0 ? std::vector<SumBuilder::Term>{}
                           : std::vector<SumBuilder::Term>{{node.value, 1}};
  if (node.kind != ExprKind::sum)
    return {{1, e}};
  std::vector<SumBuilder::Term> terms;
  for (size_t i = 0; i < node.operands.size(); ++i)
    terms.push_back({node.coefficients[i], node.operands[i]});
  return terms;
}

Expr sumOf(const std::vector<SumBuilder::Term> &terms) {
  SumBuilder sum;
  for (const SumBuilder::Term &term : terms)
    sum.add(term.operand, term.coefficient);
  return sum.finish();
}

Factored ExprBuilder::factored(const Expr &e) {
  ProductBuilder builder;
  builder.multiply(e); // it is canonical: no overflow
  return builder.zero ? Factored{0, {}} : std::move(builder.result);
}

Expr ExprBuilder::product(const std::vector<Expr> &factors) {
  ProductBuilder builder;
  for (const Expr &factor : factors) {
    if (factor.tooLarge())
      return factor;
    builder.multiply(factor);
  }
  if (const Expr *failing = firstWithoutValue(factors))
    return *failing;
  if (builder.zero)
    return 0;
  if (builder.overflow)
    return make(ExprKind::tooLarge, {});
  auto &[coefficient, list] = builder.result;
  if (list.empty())
    return coefficient;
  std::stable_sort(list.begin(), list.end(),
                   [](const Expr &a, const Expr &b) { return compare(a, b) < 0; });
  SumBuilder sum;
  sum.add(list.size() == 1 ? list[0] : make(ExprKind::product, std::move(list)), coefficient);
  return sum.finish();
}

} // namespace teeny
