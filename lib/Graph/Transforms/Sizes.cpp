#include "Graph/Transforms/Sizes.h"

using namespace teeny;
using namespace teeny::graph;

SymbolFacts SizeProver::facts(const Expr &expr) {
  return expr.facts([&](const std::string &name) { return graph.factsOf(name); });
}

Truth SizeProver::isTrue(const Expr &condition) {
  SymbolFacts known = facts(condition);
  if (known.min > 0 || known.max < 0)
    return Truth::yes;
  return known.min == 0 && known.max == 0 ? Truth::no : Truth::maybe;
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
  Truth remainder = isTrue(mod(size, of));
  if (remainder == Truth::maybe)
    return Truth::maybe;
  return remainder == Truth::yes ? Truth::no : Truth::yes;
}

// The grammar has comparisons, which Expr's operators do not build.
static Expr filled(const char *pattern, const Expr &a, const Expr &b) {
  return Expr::parse(pattern)->substitute(
      [&](const std::string &name) -> std::optional<Expr> { return name == "a" ? a : b; });
}

Expr graph::equalTo(const Expr &a, const Expr &b) { return filled("a == b", a, b); }
Expr graph::atLeast(const Expr &a, const Expr &b) { return filled("a >= b", a, b); }
Expr graph::isMultipleOf(const Expr &a, const Expr &b) { return filled("a % b == 0", a, b); }
