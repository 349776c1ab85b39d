// What is known of a value before it is known: an interval and a constant factor.
//
// Intervals are those of the exact integers that evaluation computes (see ExprBuilder.h), in 128
// bits, clamped to +-2^126, beyond which no value lies.
#include "Expr/ExprBuilder.h"

#include <algorithm>
#include <numeric>

namespace teeny {
namespace {

using Wide = __int128;
constexpr Wide limit = Wide(1) << 126;
constexpr WideInterval unknown = {-limit, limit};

Wide clamp(Wide value) { return std::clamp(value, -limit, limit); }

Wide saturatingAdd(Wide a, Wide b) {
  Wide result;
  if (__builtin_add_overflow(a, b, &result))
    return a < 0 ? -limit : limit;
  return clamp(result);
}

// At the limits nothing is known, and adding to that knows nothing. (Bounds beyond the limit on the
// other side are cut to it, which only weakens them.)
Wide addMin(Wide a, Wide b) { return a == -limit || b == -limit ? -limit : saturatingAdd(a, b); }
Wide addMax(Wide a, Wide b) { return a == limit || b == limit ? limit : saturatingAdd(a, b); }

Wide saturatingMul(Wide a, Wide b) {
  Wide result;
  if (__builtin_mul_overflow(a, b, &result))
    return (a < 0) == (b < 0) ? limit : -limit;
  return clamp(result);
}

WideInterval hull(std::initializer_list<Wide> corners) {
  return {std::min(corners), std::max(corners)};
}

WideInterval times(WideInterval a, WideInterval b) {
  return hull({saturatingMul(a.min, b.min), saturatingMul(a.min, b.max),
               saturatingMul(a.max, b.min), saturatingMul(a.max, b.max)});
}

// Extremes of a quotient lie at the ends of both ranges; of the divisor's, also next to 0.
WideInterval quotient(WideInterval a, WideInterval b, Wide (*divide)(Wide, Wide)) {
  bool any = false;
  WideInterval result = unknown;
  auto include = [&](Wide divisor) {
    if (divisor == 0 || divisor < b.min || divisor > b.max)
      return;
    auto at = [&](Wide value) {
      bool infinite = value == limit || value == -limit;
      return infinite ? saturatingMul(value, divisor) : divide(value, divisor);
    };
    WideInterval here = hull({at(a.min), at(a.max)});
    result = any ? hull({result.min, result.max, here.min, here.max}) : here;
    any = true;
  };
  for (Wide divisor : {b.min, b.max, Wide(-1), Wide(1)})
    include(divisor);
  return result;
}

WideInterval remainder(WideInterval a, WideInterval b) {
  // One quotient for the whole range: the remainder moves along with it.
  if (a.min != -limit && a.max != limit && b.min == b.max && b.min != 0 &&
      floorQuotient(a.min, b.min) == floorQuotient(a.max, b.min)) {
    Wide base = b.min * floorQuotient(a.min, b.min);
    return {a.min - base, a.max - base};
  }
  WideInterval result = {std::min<Wide>(0, b.min + 1), std::max<Wide>(0, b.max - 1)};
  if (a.min >= 0 && b.min > 0)
    result.max = std::min(result.max, a.max);
  return result;
}

// What a condition is worth that surely holds, or surely does not.
WideInterval decided(bool holds, bool fails) { return {holds ? 1 : 0, fails ? 0 : 1}; }

bool isApart(WideInterval a, WideInterval b) { return a.max < b.min || b.max < a.min; }

WideInterval symbolInterval(const SymbolFacts &facts) {
  Wide multiple = facts.multipleOf;
  if (multiple == 0)
    return {0, 0};
  if (multiple <= 1)
    return {facts.min, facts.max};
  return {ceilQuotient(facts.min, multiple) * multiple,
          floorQuotient(facts.max, multiple) * multiple};
}

// Factors beyond 64 bits are cut to one that fits.
uint64_t productOf(uint64_t a, uint64_t b) {
  uint64_t result;
  return __builtin_mul_overflow(a, b, &result) ? std::max(a, b) : result;
}

} // namespace

WideInterval intervalOf(const Expr &e, const FactsLookup &of) {
  const Expr::Node &node = e.node();
  auto operand = [&](size_t i) { return intervalOf(node.operands[i], of); };
  switch (node.kind) {
  case ExprKind::constant:
    return {node.value, node.value};
  case ExprKind::symbol:
    return symbolInterval(of(node.name));
  case ExprKind::sum: {
    WideInterval total = {0, 0};
    for (size_t i = 0; i < node.operands.size(); ++i) {
      Wide coefficient = node.coefficients[i];
      WideInterval term = times(operand(i), {coefficient, coefficient});
      total = {addMin(total.min, term.min), addMax(total.max, term.max)};
    }
    return total;
  }
  case ExprKind::product: {
    WideInterval total = operand(0);
    for (size_t i = 1; i < node.operands.size(); ++i)
      total = times(total, operand(i));
    return total;
  }
  case ExprKind::floorDiv:
    return quotient(operand(0), operand(1), floorQuotient);
  case ExprKind::cdiv:
    return quotient(operand(0), operand(1), ceilQuotient);
  case ExprKind::mod:
    return remainder(operand(0), operand(1));
  case ExprKind::align: {
    WideInterval x = operand(0), n = operand(1);
    if (n.min == n.max && n.min > 0 && x.min != -limit && x.max != limit)
      return {clamp(ceilQuotient(x.min, n.min) * n.min), clamp(ceilQuotient(x.max, n.min) * n.min)};
    return {x.min, addMax(x.max, std::max<Wide>(0, n.max - 1))};
  }
  case ExprKind::min:
  case ExprKind::max: {
    WideInterval total = operand(0);
    for (size_t i = 1; i < node.operands.size(); ++i) {
      WideInterval next = operand(i);
      total = node.kind == ExprKind::min
                  ? WideInterval{std::min(total.min, next.min), std::min(total.max, next.max)}
                  : WideInterval{std::max(total.min, next.min), std::max(total.max, next.max)};
    }
    return total;
  }
  case ExprKind::select: {
    WideInterval a = operand(1), b = operand(2);
    return {std::min(a.min, b.min), std::max(a.max, b.max)};
  }
  case ExprKind::tooLarge:
    return unknown;
  // Comparisons that the ranges of both sides decide.
  case ExprKind::less:
    return decided(operand(0).max < operand(1).min, operand(0).min >= operand(1).max);
  case ExprKind::lessEqual:
    return decided(operand(0).max <= operand(1).min, operand(0).min > operand(1).max);
  case ExprKind::greater:
    return decided(operand(0).min > operand(1).max, operand(0).max <= operand(1).min);
  case ExprKind::greaterEqual:
    return decided(operand(0).min >= operand(1).max, operand(0).max < operand(1).min);
  case ExprKind::equal:
    return decided(false, isApart(operand(0), operand(1)));
  case ExprKind::notEqual:
    return decided(isApart(operand(0), operand(1)), false);
  default:
    return {0, 1};
  }
}

uint64_t multipleOf(const Expr &e, const FactsLookup &of) {
  const Expr::Node &node = e.node();
  auto operand = [&](size_t i) { return multipleOf(node.operands[i], of); };
  auto common = [&](size_t first) {
    uint64_t all = 0;
    for (size_t i = first; i < node.operands.size(); ++i)
      all = std::gcd(all, operand(i));
    return all;
  };
  switch (node.kind) {
  case ExprKind::constant:
    return magnitude(node.value);
  case ExprKind::symbol:
    return magnitude(of(node.name).multipleOf);
  case ExprKind::sum: {
    uint64_t all = 0;
    for (size_t i = 0; i < node.operands.size(); ++i)
      all = std::gcd(all, productOf(magnitude(node.coefficients[i]), operand(i)));
    return all;
  }
  case ExprKind::product: {
    uint64_t all = 1;
    for (size_t i = 0; i < node.operands.size(); ++i)
      all = productOf(all, operand(i));
    return all;
  }
  case ExprKind::floorDiv:
  case ExprKind::cdiv: {
    std::optional<int64_t> divisor = node.operands[1].constant();
    uint64_t known = operand(0);
    if (known == 0)
      return 0;
    bool exact = divisor && *divisor != 0 && known % magnitude(*divisor) == 0;
    return exact ? known / magnitude(*divisor) : 1;
  }
  case ExprKind::mod:
    return std::gcd(operand(0), operand(1));
  case ExprKind::align: {
    std::optional<int64_t> n = node.operands[1].constant();
    uint64_t x = operand(0);
    return n && *n > 0 && x % uint64_t(*n) == 0 ? x : operand(1);
  }
  case ExprKind::min:
  case ExprKind::max:
    return common(0);
  case ExprKind::select:
    return common(1);
  default:
    return 1;
  }
}

SymbolFacts Expr::facts(const std::function<SymbolFacts(const std::string &)> &of) const {
  WideInterval range = intervalOf(*this, of);
  uint64_t multiple = multipleOf(*this, of);
  while (multiple > uint64_t(INT64_MAX)) // only 2^63 matters: powers of two have smaller ones
    multiple = multiple % 2 == 0 ? multiple / 2 : 1;
  if (multiple > 1 && range.min > -limit && range.max < limit) {
    Wide step = Wide(multiple);
    range = {ceilQuotient(range.min, step) * step, floorQuotient(range.max, step) * step};
  }
  auto narrow = [](Wide value) { return int64_t(std::clamp<Wide>(value, INT64_MIN, INT64_MAX)); };
  SymbolFacts result = {narrow(range.min), narrow(range.max), int64_t(multiple)};
  if (result.min == result.max && range.min == range.max && result.min != INT64_MIN)
    result.multipleOf = int64_t(magnitude(result.min));
  return result;
}

} // namespace teeny
