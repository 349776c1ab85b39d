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
  if (content > uint64_t(INT64_MAX))
    return 1;
  if (sum.coefficients[0] < 0)
    return extreme && content == 1 ? 1 : -int64_t(content);
  return int64_t(content);
}

Expr dividedBy(const Expr::Node &sum, int64_t content) {
  if (content == 1)
    return ExprBuilder::make(ExprKind::sum, sum.operands, sum.coefficients);
  std::vector<int64_t> coefficients = sum.coefficients;
  for (int64_t &coefficient : coefficients)
    coefficient /= content;
  return ExprBuilder::make(ExprKind::sum, sum.operands, std::move(coefficients));
}

bool fits(const Expr::Node &sum, int64_t scale) {
  return std::all_of(sum.coefficients.begin(), sum.coefficients.end(),
                     [&](int64_t coefficient) { return checkedMul(coefficient, scale); });
}

// Multiplies factors into one coefficient and a list of what is no constant. A constant that would
// overflow the coefficient stays in the list.
struct ProductBuilder {
  Factored result;
  bool zero = false;

  bool scale(int64_t by) {
    std::optional<int64_t> scaled = checkedMul(result.coefficient, by);
    if (scaled)
      result.coefficient = *scaled;
    return scaled.has_value();
  }

  void multiply(const Expr &e) {
    const Expr::Node &node = e.node();
    if (node.kind == ExprKind::product) {
      for (const Expr &factor : node.operands)
        multiply(factor);
      return;
    }
    if (node.kind == ExprKind::constant) {
      zero |= node.value == 0;
      if (node.value == 0 || scale(node.value))
        return;
    }
    if (node.kind == ExprKind::sum) {
      bool single = node.operands.size() == 1;
      int64_t content = single ? node.coefficients[0] : contentOf(node);
      if (scale(content)) {
        if (single)
          multiply(node.operands[0]);
        else
          result.factors.push_back(content == 1 ? e : dividedBy(node, content));
        return;
      }
    }
    result.factors.push_back(e);
  }
};

} // namespace

void SumBuilder::add(const Expr &e, int64_t scale) {
  const Expr::Node &node = e.node();
  if (node.kind == ExprKind::constant) {
    if (std::optional<int64_t> scaled = checkedMul(node.value, scale))
      return addTerm(*scaled, 1);
  } else if (node.kind == ExprKind::sum && fits(node, scale)) {
    for (size_t i = 0; i < node.operands.size(); ++i)
      addTerm(node.coefficients[i] * scale, node.operands[i]);
    return;
  }
  addTerm(scale, e);
}

void SumBuilder::addTerm(int64_t coefficient, const Expr &operand) {
  poisoned |= operand.tooLarge();
  auto before = [](const Term &term, const Expr &e) {
    return compareOperands(term.operand, e) < 0;
  };
  while (coefficient != 0) {
    auto at = std::lower_bound(terms.begin(), terms.end(), operand, before);
    // Like terms whose coefficients can be added; else the term goes between them by coefficient.
    for (; at != terms.end() && compare(at->operand, operand) == 0; ++at) {
      if (checkedAdd(at->coefficient, coefficient) || at->coefficient > coefficient)
        break;
    }
    bool like = at != terms.end() && compare(at->operand, operand) == 0;
    std::optional<int64_t> total = like ? checkedAdd(at->coefficient, coefficient) : std::nullopt;
    if (!total) {
      terms.insert(at, {coefficient, operand});
      return;
    }
    // The total may in turn be added to another like term.
    terms.erase(at);
    coefficient = *total;
  }
}

Expr SumBuilder::finish() const {
  if (poisoned)
    return ExprBuilder::make(ExprKind::tooLarge, {});
  if (terms.empty())
    return 0;
  if (terms.size() == 1) {
    if (terms[0].operand.constant() == 1)
      return terms[0].coefficient;
    if (terms[0].coefficient == 1)
      return terms[0].operand;
  }
  std::vector<Expr> operands;
  std::vector<int64_t> coefficients;
  for (const Term &term : terms) {
    operands.push_back(term.operand);
    coefficients.push_back(term.coefficient);
  }
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
    sum.addTerm(term.coefficient, term.operand);
  return sum.finish();
}

Factored ExprBuilder::factored(const Expr &e) {
  ProductBuilder builder;
  builder.multiply(e);
  if (builder.zero)
    return {0, {}};
  return std::move(builder.result);
}

Expr ExprBuilder::product(const std::vector<Expr> &factors) {
  ProductBuilder builder;
  bool poisoned = false;
  for (const Expr &factor : factors) {
    builder.multiply(factor);
    poisoned |= factor.tooLarge();
  }
  if (poisoned)
    return make(ExprKind::tooLarge, {});
  if (builder.zero)
    return 0;
  auto &[coefficient, list] = builder.result;
  if (list.empty())
    return coefficient;
  SumBuilder sum;
  if (list.size() == 1) {
    if (list[0].node().kind == ExprKind::sum)
      sum.add(list[0], coefficient);
    else
      sum.addTerm(coefficient, list[0]);
    return sum.finish();
  }
  std::stable_sort(list.begin(), list.end(),
                   [](const Expr &a, const Expr &b) { return compare(a, b) < 0; });
  sum.addTerm(coefficient, make(ExprKind::product, std::move(list)));
  return sum.finish();
}

} // namespace teeny
