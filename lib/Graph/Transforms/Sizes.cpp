#include "Graph/Transforms/Sizes.h"

#include "Expr/ExprNode.h"

using namespace teeny;
using namespace teeny::graph;

SymbolFacts SizeProver::facts(const Expr &expr) {
  return expr.facts([&](const std::string &name) { return graph.factsOf(name); });
}

static Truth negation(Truth truth) {
  return truth == Truth::maybe ? truth : truth == Truth::yes ? Truth::no : Truth::yes;
}

// Comparisons by the range of the difference, which knows more than the ranges of both sides.
Truth SizeProver::isTrue(const Expr &condition) {
  using Kind = Expr::Node::Kind;
  const Expr::Node &node = condition.node();
  auto operand = [&](size_t i) -> const Expr & { return node.operands[i]; };
  switch (node.kind) {
  case Kind::equal:
    return areEqual(operand(0), operand(1));
  case Kind::notEqual:
    return negation(areEqual(operand(0), operand(1)));
  case Kind::less:
    return isNegative(operand(0) - operand(1));
  case Kind::greater:
    return isNegative(operand(1) - operand(0));
  case Kind::lessEqual:
    return negation(isNegative(operand(1) - operand(0)));
  case Kind::greaterEqual:
    return negation(isNegative(operand(0) - operand(1)));
  case Kind::logicalNot:
    return negation(isTrue(operand(0)));
  case Kind::logicalAnd:
  case Kind::logicalOr: {
    Truth deciding = node.kind == Kind::logicalAnd ? Truth::no : Truth::yes;
    Truth all = negation(deciding);
    for (const Expr &part : node.operands) {
      Truth truth = isTrue(part);
      if (truth == deciding)
        return deciding;
      if (truth == Truth::maybe)
        all = Truth::maybe;
    }
    return all;
  }
  default: {
    SymbolFacts known = facts(condition);
    if (known.min > 0 || known.max < 0)
      return Truth::yes;
    return known.min == 0 && known.max == 0 ? Truth::no : Truth::maybe;
  }
  }
}

Truth SizeProver::areEqual(const Expr &a, const Expr &b) {
  if (a.equal(b))
    return Truth::yes;
  SymbolFacts difference = facts(a - b);
  if (difference.min > 0 || difference.max < 0)
    return Truth::no;
  return difference.min == 0 && difference.max == 0 ? Truth::yes : Truth::maybe;
}

Truth SizeProver::isNegative(const Expr &size) {
  SymbolFacts known = facts(size);
  if (known.max < 0)
    return Truth::yes;
  return known.min >= 0 ? Truth::no : Truth::maybe;
}

Truth SizeProver::isMultiple(const Expr &size, const Expr &of) {
  std::optional<int64_t> constant = of.constant();
  if (constant && *constant != 0 && facts(size).multipleOf % *constant == 0)
    return Truth::yes;
  return negation(isTrue(mod(size, of)));
}

// The grammar has comparisons, which Expr's operators do not build.
static Expr filled(const char *pattern, const Expr &a, const Expr &b) {
  return Expr::parse(pattern)->substitute(
      [&](const std::string &name) -> std::optional<Expr> { return name == "a" ? a : b; });
}

Expr graph::equalTo(const Expr &a, const Expr &b) { return filled("a == b", a, b); }
Expr graph::atLeast(const Expr &a, const Expr &b) { return filled("a >= b", a, b); }
Expr graph::isMultipleOf(const Expr &a, const Expr &b) { return filled("a % b == 0", a, b); }
