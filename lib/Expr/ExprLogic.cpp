// min, max, comparisons, and, or, not, and the conditional.
#include "Expr/ExprBuilder.h"

#include <algorithm>

namespace teeny {
namespace {

SymbolFacts nothingKnown(const std::string &) { return {}; }

ExprKind mirrored(ExprKind kind) {
  switch (kind) {
  case ExprKind::less:
    return ExprKind::greater;
  case ExprKind::lessEqual:
    return ExprKind::greaterEqual;
  case ExprKind::greater:
    return ExprKind::less;
  case ExprKind::greaterEqual:
    return ExprKind::lessEqual;
  default:
    return kind;
  }
}

ExprKind negated(ExprKind kind) {
  switch (kind) {
  case ExprKind::equal:
    return ExprKind::notEqual;
  case ExprKind::notEqual:
    return ExprKind::equal;
  case ExprKind::less:
    return ExprKind::greaterEqual;
  case ExprKind::lessEqual:
    return ExprKind::greater;
  case ExprKind::greater:
    return ExprKind::lessEqual;
  default:
    return ExprKind::less;
  }
}

bool isComparison(ExprKind kind) {
  return kind >= ExprKind::equal && kind <= ExprKind::greaterEqual;
}

// The truth of a comparison whose difference of sides lies in `range`, if that decides it.
std::optional<bool> decided(ExprKind kind, WideInterval range) {
  bool never = range.min > 0 || range.max < 0, always = range.min == 0 && range.max == 0;
  switch (kind) {
  case ExprKind::equal:
    return never ? std::optional(false) : always ? std::optional(true) : std::nullopt;
  case ExprKind::notEqual:
    return never ? std::optional(true) : always ? std::optional(false) : std::nullopt;
  case ExprKind::less:
    return range.max < 0    ? std::optional(true)
           : range.min >= 0 ? std::optional(false)
                            : std::nullopt;
  case ExprKind::lessEqual:
    return range.max <= 0  ? std::optional(true)
           : range.min > 0 ? std::optional(false)
                           : std::nullopt;
  case ExprKind::greater:
  case ExprKind::greaterEqual: {
    std::optional<bool> opposite = decided(negated(kind), range);
    return opposite ? std::optional(!*opposite) : std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

// 0 or 1 as the truth of `e`.
Expr truth(const Expr &e) {
  return isBoolean(e) ? e : ExprBuilder::comparison(ExprKind::notEqual, e, 0);
}

bool anyTooLarge(const std::vector<Expr> &operands) {
  return std::any_of(operands.begin(), operands.end(),
                     [](const Expr &operand) { return operand.tooLarge(); });
}

} // namespace

Expr ExprBuilder::minMax(ExprKind kind, const std::vector<Expr> &operands) {
  if (anyTooLarge(operands))
    return make(kind, operands);
  if (const Expr *failing = firstWithoutValue(operands))
    return *failing;
  std::vector<Expr> list;
  std::optional<int64_t> constant;
  auto addOne = [&](const Expr &e) {
    if (std::optional<int64_t> value = e.constant()) {
      bool better = !constant || (kind == ExprKind::min ? *value < *constant : *value > *constant);
      if (better)
        constant = value;
    } else {
      list.push_back(e);
    }
  };
  for (const Expr &operand : operands) {
    if (operand.node().kind == kind)
      std::for_each(operand.node().operands.begin(), operand.node().operands.end(), addOne);
    else
      addOne(operand);
  }
  std::sort(list.begin(), list.end(),
            [](const Expr &a, const Expr &b) { return compare(a, b) < 0; });
  list.erase(std::unique(list.begin(), list.end(),
                         [](const Expr &a, const Expr &b) { return compare(a, b) == 0; }),
             list.end());
  if (constant)
    list.push_back(*constant);
  return list.size() == 1 ? list[0] : make(kind, std::move(list));
}

Expr ExprBuilder::comparison(ExprKind kind, const Expr &a, const Expr &b) {
  if (a.tooLarge() || b.tooLarge())
    return make(kind, {a, b});
  if (hasNoValue(a) || hasNoValue(b))
    return hasNoValue(a) ? a : b;
  // A constant is on the right, else > becomes <.
  bool symmetric = kind == ExprKind::equal || kind == ExprKind::notEqual;
  bool swap =
      symmetric ? compare(a, b) > 0 : kind == ExprKind::greater || kind == ExprKind::greaterEqual;
  if (!b.constant() && (a.constant() || swap))
    return comparison(mirrored(kind), b, a);
  // The range of the difference is exact, beyond int64 too.
  std::optional<bool> value;
  if (a.constant() && b.constant()) {
    __int128 difference = __int128(*a.constant()) - *b.constant();
    value = decided(kind, {difference, difference});
  } else if (Expr difference = a - b; !difference.tooLarge()) {
    value = decided(kind, intervalOf(difference, nothingKnown));
  }
  if (value)
    return *value ? 1 : 0;
  return make(kind, {a, b});
}

Expr ExprBuilder::logicalNot(const Expr &a) {
  const Expr::Node &node = a.node();
  if (hasNoValue(a))
    return a;
  if (isComparison(node.kind))
    return comparison(negated(node.kind), node.operands[0], node.operands[1]);
  if (node.kind == ExprKind::logicalNot)
    return node.operands[0];
  if (node.kind == ExprKind::logicalAnd || node.kind == ExprKind::logicalOr)
    return make(ExprKind::logicalNot, {a});
  return comparison(ExprKind::equal, a, 0);
}

Expr ExprBuilder::logical(ExprKind kind, const std::vector<Expr> &operands) {
  bool conjunction = kind == ExprKind::logicalAnd;
  std::vector<Expr> list;
  for (const Expr &operand : operands) {
    // A constant that decides makes the rest unreachable, and the whole a constant: what comes
    // before either decides the same or does not decide.
    if (std::optional<int64_t> value = operand.constant()) {
      if ((*value != 0) != conjunction)
        return conjunction ? 0 : 1;
      continue;
    }
    if (operand.tooLarge())
      return operand;
    if (operand.node().kind == kind)
      list.insert(list.end(), operand.node().operands.begin(), operand.node().operands.end());
    else
      list.push_back(operand);
  }
  if (list.size() > size_t(Expr::maxNodes))
    return make(kind, std::move(list)); // too large
  std::vector<Expr> once;
  for (const Expr &e : list)
    if (std::none_of(once.begin(), once.end(),
                     [&](const Expr &other) { return compare(other, e) == 0; }))
      once.push_back(e);
  if (once.empty())
    return conjunction ? 1 : 0;
  if (hasNoValue(once[0])) // it is always reached
    return once[0];
  return once.size() == 1 ? truth(once[0]) : make(kind, std::move(once));
}

Expr ExprBuilder::select(const Expr &condition, const Expr &then, const Expr &otherwise) {
  if (std::optional<int64_t> value = condition.constant())
    return *value != 0 ? then : otherwise;
  if (hasNoValue(condition))
    return condition;
  if (compare(then, otherwise) == 0)
    return then;
  return make(ExprKind::select, {condition, then, otherwise});
}

} // namespace teeny
