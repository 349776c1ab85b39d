// Checked evaluation. Sums and products are exact (see ExprBuilder.h): a product is compared with
// the limit after factors of 0 are known, terms are added in 192 bits.
#include "Expr/ExprBuilder.h"

#include <algorithm>

namespace teeny {
namespace {

using Wide = __int128;
constexpr Wide productLimit = Wide(1) << 63;

// The sum of any number of 128-bit terms that is to fit in 128 bits at the end.
struct ExactSum {
  Wide high = 0;             // of the sums of the upper halves
  unsigned __int128 low = 0; // of the sums of the lower halves: fewer than 2^64 terms

  void add(Wide term) {
    high += term >> 64;
    low += uint64_t(term);
  }
  std::optional<Wide> total() const {
    Wide upper = high + Wide(low >> 64);
    if (upper < INT64_MIN || upper > INT64_MAX)
      return std::nullopt;
    return Wide(static_cast<unsigned __int128>(upper) << 64 | uint64_t(low));
  }
};

class Evaluator {
public:
  explicit Evaluator(const Expr::Lookup &lookup) : lookup(lookup) {}

  std::optional<Wide> value(const Expr &e);
  std::optional<Wide> narrowValue(const Expr &e) {
    std::optional<Wide> result = value(e);
    if (result && (*result < INT64_MIN || *result > INT64_MAX))
      return fail("overflow in '" + e.str() + "'");
    return result;
  }
  Error error;

private:
  std::nullopt_t fail(std::string message, ErrorCode code = ErrorCode::outOfRange) {
    error = {code, std::move(message)};
    return std::nullopt;
  }

  std::optional<Wide> sum(const Expr &e);
  std::optional<Wide> product(const Expr &e);
  std::optional<Wide> division(const Expr &e);
  std::optional<Wide> minMax(const Expr &e);
  std::optional<Wide> comparison(const Expr &e);
  std::optional<Wide> logical(const Expr &e);

  const Expr::Lookup &lookup;
};

std::optional<Wide> Evaluator::value(const Expr &e) {
  const Expr::Node &node = e.node();
  switch (node.kind) {
  case ExprKind::constant:
    return node.value;
  case ExprKind::symbol: {
    std::optional<int64_t> known = lookup(node.name);
    if (!known)
      return fail("'" + node.name + "' has no value", ErrorCode::notFound);
    return *known;
  }
  case ExprKind::sum:
    return sum(e);
  case ExprKind::product:
    return product(e);
  case ExprKind::floorDiv:
  case ExprKind::mod:
  case ExprKind::cdiv:
  case ExprKind::align:
    return division(e);
  case ExprKind::min:
  case ExprKind::max:
    return minMax(e);
  case ExprKind::equal:
  case ExprKind::notEqual:
  case ExprKind::less:
  case ExprKind::lessEqual:
  case ExprKind::greater:
  case ExprKind::greaterEqual:
    return comparison(e);
  case ExprKind::logicalNot:
  case ExprKind::logicalAnd:
  case ExprKind::logicalOr:
    return logical(e);
  case ExprKind::select: {
    std::optional<Wide> condition = narrowValue(node.operands[0]);
    if (!condition)
      return std::nullopt;
    return narrowValue(node.operands[*condition != 0 ? 1 : 2]);
  }
  case ExprKind::tooLarge:
    break;
  }
  return fail(tooLargeMessage());
}

std::optional<Wide> Evaluator::sum(const Expr &e) {
  const Expr::Node &node = e.node();
  ExactSum total;
  for (size_t i = 0; i < node.operands.size(); ++i) {
    std::optional<Wide> operand = value(node.operands[i]);
    if (!operand)
      return std::nullopt;
    Wide term;
    if (__builtin_mul_overflow(*operand, Wide(node.coefficients[i]), &term))
      return fail("overflow in '" + e.str() + "'");
    total.add(term);
  }
  if (std::optional<Wide> result = total.total())
    return result;
  return fail("overflow in '" + e.str() + "'");
}

std::optional<Wide> Evaluator::product(const Expr &e) {
  std::vector<Wide> factors;
  bool zero = false;
  for (const Expr &operand : e.node().operands) {
    std::optional<Wide> factor = value(operand);
    if (!factor)
      return std::nullopt;
    zero |= *factor == 0;
    factors.push_back(*factor);
  }
  if (zero)
    return 0;
  // No partial product is larger than the whole now.
  Wide result = 1;
  for (Wide factor : factors)
    if (__builtin_mul_overflow(result, factor, &result) || result > productLimit ||
        result < -productLimit)
      return fail("overflow in '" + e.str() + "'");
  return result;
}

std::optional<Wide> Evaluator::division(const Expr &e) {
  const Expr::Node &node = e.node();
  std::optional<Wide> a = value(node.operands[0]);
  std::optional<Wide> b = a ? narrowValue(node.operands[1]) : std::nullopt;
  if (!b)
    return std::nullopt;
  if (node.kind == ExprKind::align) {
    if (*b < 1)
      return fail("alignment " + std::to_string(int64_t(*b)) + " in '" + e.str() +
                  "', must be at least 1");
    Wide aligned;
    if (__builtin_mul_overflow(ceilQuotient(*a, *b), *b, &aligned))
      return fail("overflow in '" + e.str() + "'");
    return aligned;
  }
  if (*b == 0)
    return fail("division by zero in '" + e.str() + "'");
  switch (node.kind) {
  case ExprKind::floorDiv:
    return floorQuotient(*a, *b);
  case ExprKind::cdiv:
    return ceilQuotient(*a, *b);
  default:
    return floorRemainder(*a, *b);
  }
}

std::optional<Wide> Evaluator::minMax(const Expr &e) {
  const Expr::Node &node = e.node();
  std::optional<Wide> best;
  for (const Expr &operand : node.operands) {
    std::optional<Wide> next = narrowValue(operand);
    if (!next)
      return std::nullopt;
    if (!best || (node.kind == ExprKind::min ? *next < *best : *next > *best))
      best = next;
  }
  return best;
}

std::optional<Wide> Evaluator::comparison(const Expr &e) {
  const Expr::Node &node = e.node();
  std::optional<Wide> a = narrowValue(node.operands[0]);
  std::optional<Wide> b = a ? narrowValue(node.operands[1]) : std::nullopt;
  if (!b)
    return std::nullopt;
  switch (node.kind) {
  case ExprKind::equal:
    return *a == *b;
  case ExprKind::notEqual:
    return *a != *b;
  case ExprKind::less:
    return *a < *b;
  case ExprKind::lessEqual:
    return *a <= *b;
  case ExprKind::greater:
    return *a > *b;
  default:
    return *a >= *b;
  }
}

std::optional<Wide> Evaluator::logical(const Expr &e) {
  const Expr::Node &node = e.node();
  bool stopAt = node.kind == ExprKind::logicalOr;
  for (const Expr &operand : node.operands) {
    std::optional<Wide> next = narrowValue(operand);
    if (!next)
      return std::nullopt;
    if (node.kind == ExprKind::logicalNot)
      return *next == 0;
    if ((*next != 0) == stopAt)
      return stopAt;
  }
  return !stopAt;
}

} // namespace

Result<int64_t> Expr::evaluate(const Lookup &lookup) const {
  Evaluator evaluator(lookup);
  if (std::optional<Wide> value = evaluator.narrowValue(*this))
    return int64_t(*value);
  return evaluator.error;
}

} // namespace teeny
