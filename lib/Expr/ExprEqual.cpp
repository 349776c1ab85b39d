// Equality beyond canonical forms: products of sums multiplied out, cdiv and align as floor
// divisions. Such forms are compared only; they would evaluate less exactly.
#include "Expr/ExprBuilder.h"

#include "Base/Checked.h"

namespace teeny {
namespace {

constexpr size_t maxTerms = 256; // of a product multiplied out; beyond, it stays as it is

Expr expanded(const Expr &e);

Expr multiplyOut(const std::vector<Expr> &factors) {
  std::vector<SumBuilder::Term> product = {{1, 1}};
  for (const Expr &factor : factors) {
    std::vector<SumBuilder::Term> terms = termsOf(factor);
    if (product.size() * terms.size() > maxTerms)
      return ExprBuilder::product(factors);
    SumBuilder sum;
    for (const SumBuilder::Term &a : product)
      for (const SumBuilder::Term &b : terms)
        sum.add(ExprBuilder::product({a.coefficient, a.operand, b.coefficient, b.operand}));
    product = termsOf(sum.finish());
  }
  return sumOf(product);
}

// Where the first coefficient of the numerator is negative, the division is that of the negated
// numerator in the other direction: (-N) // 4 = -((N + 3) // 4).
Expr floorDivision(const Expr &a, const Expr &b) {
  std::optional<int64_t> divisor = b.constant();
  std::vector<SumBuilder::Term> terms = termsOf(a);
  if (divisor && *divisor > 0 && !terms.empty() && terms[0].coefficient < 0)
    return -ExprBuilder::floorDiv(Expr(*divisor - 1) - a, b);
  return ExprBuilder::floorDiv(a, b);
}

Expr ceilDivision(const Expr &a, const Expr &b) {
  std::optional<int64_t> divisor = b.constant();
  if (divisor && *divisor > 0)
    return floorDivision(a + Expr(*divisor - 1), b);
  return -ExprBuilder::floorDiv(-a, b);
}

Expr expanded(const Expr &e) {
  const Expr::Node &node = e.node();
  if (node.operands.empty())
    return e;
  std::vector<Expr> operands;
  for (const Expr &operand : node.operands)
    operands.push_back(expanded(operand));
  switch (node.kind) {
  case ExprKind::sum: {
    SumBuilder sum;
    for (size_t i = 0; i < operands.size(); ++i)
      sum.add(multiplyOut({node.coefficients[i], operands[i]}));
    return sum.finish();
  }
  case ExprKind::product:
    return multiplyOut(operands);
  case ExprKind::floorDiv:
    return floorDivision(operands[0], operands[1]);
  case ExprKind::cdiv:
    return ceilDivision(operands[0], operands[1]);
  case ExprKind::align:
    return multiplyOut({operands[1], ceilDivision(operands[0], operands[1])});
  default:
    return ExprBuilder::rebuild(node, operands);
  }
}

} // namespace

bool Expr::equal(const Expr &other) const {
  if (tooLarge() || other.tooLarge())
    return false;
  if (compare(*this, other) == 0)
    return true;
  Expr a = expanded(*this), b = expanded(other);
  if (a.tooLarge() || b.tooLarge())
    return false;
  // Sums subtract to 0 even where overflow kept like terms apart.
  return compare(a, b) == 0 || (a - b).constant() == 0;
}

} // namespace teeny
