#include "Expr/ExprBuilder.h"

#include "Base/Checked.h"

#include <algorithm>
#include <array>

namespace teeny {

Expr::Expr(int64_t constant) {
  // The commonest constants are shared.
  static const std::array<std::shared_ptr<const Node>, 2> shared = [] {
    std::array<std::shared_ptr<const Node>, 2> nodes;
    for (int64_t value : {0, 1}) {
      Node node;
      node.value = value;
      nodes[value] = std::make_shared<const Node>(std::move(node));
    }
    return nodes;
  }();
  if (constant == 0 || constant == 1) {
    root = shared[constant];
    return;
  }
  Node node;
  node.value = constant;
  root = std::make_shared<const Node>(std::move(node));
}

Expr Expr::symbol(std::string name) {
  assert(isName(name) && "not a name");
  return ExprBuilder::symbol(std::move(name));
}

Expr ExprBuilder::symbol(std::string name) {
  Expr::Node node;
  node.kind = ExprKind::symbol;
  node.name = std::move(name);
  return Expr(std::make_shared<const Expr::Node>(std::move(node)));
}

Expr ExprBuilder::make(ExprKind kind, std::vector<Expr> operands,
                       std::vector<int64_t> coefficients) {
  Expr::Node node;
  node.kind = kind;
  for (const Expr &operand : operands) {
    node.depth = std::max(node.depth, operand.node().depth + 1);
    node.nodes += operand.node().nodes;
    if (operand.tooLarge() || node.depth > Expr::maxDepth || node.nodes > Expr::maxNodes) {
      Expr::Node poison;
      poison.kind = ExprKind::tooLarge;
      return Expr(std::make_shared<const Expr::Node>(std::move(poison)));
    }
  }
  node.operands = std::move(operands);
  node.coefficients = std::move(coefficients);
  return Expr(std::make_shared<const Expr::Node>(std::move(node)));
}

std::string tooLargeMessage() {
  return "expression too large: more than " + std::to_string(Expr::maxDepth) + " levels or " +
         std::to_string(Expr::maxNodes) + " operands, or a constant beyond 64 bits";
}

bool Expr::tooLarge() const { return root->kind == ExprKind::tooLarge; }

std::optional<int64_t> Expr::constant() const {
  return root->kind == ExprKind::constant ? std::optional(root->value) : std::nullopt;
}

std::optional<std::string> Expr::symbolName() const {
  return root->kind == ExprKind::symbol ? std::optional(root->name) : std::nullopt;
}

std::set<std::string> Expr::symbols() const {
  if (root->kind == ExprKind::symbol)
    return {root->name};
  std::set<std::string> all;
  for (const Expr &operand : root->operands)
    all.merge(operand.symbols());
  return all;
}

int compare(const Expr &a, const Expr &b) {
  const Expr::Node &x = a.node(), &y = b.node();
  if (&x == &y)
    return 0;
  auto order = [](const auto &p, const auto &q) { return p < q ? -1 : q < p ? 1 : 0; };
  if (int result = order(x.kind, y.kind))
    return result;
  if (int result = order(x.value, y.value))
    return result;
  if (int result = x.name.compare(y.name))
    return result;
  size_t shared = std::min(x.operands.size(), y.operands.size());
  for (size_t i = 0; i < shared; ++i)
    if (int result = compare(x.operands[i], y.operands[i]))
      return result;
  if (int result = order(x.operands.size(), y.operands.size()))
    return result;
  return order(x.coefficients, y.coefficients);
}

bool hasNoValue(const Expr &e) {
  const std::vector<Expr> &operands = e.node().operands;
  return !operands.empty() &&
         std::all_of(operands.begin(), operands.end(),
                     [](const Expr &operand) { return operand.constant().has_value(); });
}

const Expr *firstWithoutValue(std::span<const Expr> operands) {
  auto at = std::find_if(operands.begin(), operands.end(), hasNoValue);
  return at == operands.end() ? nullptr : &*at;
}

Expr ExprBuilder::rebuild(const Expr::Node &like, const std::vector<Expr> &operands) {
  switch (like.kind) {
  case ExprKind::constant:
    return like.value;
  case ExprKind::symbol:
    return symbol(like.name);
  case ExprKind::sum: {
    SumBuilder sum;
    for (size_t i = 0; i < operands.size(); ++i)
      sum.add(operands[i], like.coefficients[i]);
    return sum.finish();
  }
  case ExprKind::product:
    return product(operands);
  case ExprKind::floorDiv:
    return floorDiv(operands[0], operands[1]);
  case ExprKind::mod:
    return mod(operands[0], operands[1]);
  case ExprKind::cdiv:
    return cdiv(operands[0], operands[1]);
  case ExprKind::align:
    return align(operands[0], operands[1]);
  case ExprKind::min:
  case ExprKind::max:
    return minMax(like.kind, operands);
  case ExprKind::equal:
  case ExprKind::notEqual:
  case ExprKind::less:
  case ExprKind::lessEqual:
  case ExprKind::greater:
  case ExprKind::greaterEqual:
    return comparison(like.kind, operands[0], operands[1]);
  case ExprKind::logicalNot:
    return logicalNot(operands[0]);
  case ExprKind::logicalAnd:
  case ExprKind::logicalOr:
    return logical(like.kind, operands);
  case ExprKind::select:
    return select(operands[0], operands[1], operands[2]);
  case ExprKind::tooLarge:
    break;
  }
  return make(ExprKind::tooLarge, {});
}

Expr Expr::substitute(
    const std::function<std::optional<Expr>(const std::string &)> &replace) const {
  if (root->kind == ExprKind::symbol)
    return replace(root->name).value_or(*this);
  if (root->operands.empty())
    return *this;
  std::vector<Expr> operands;
  bool changed = false;
  for (const Expr &operand : root->operands) {
    operands.push_back(operand.substitute(replace));
    changed |= operands.back().root != operand.root;
  }
  return changed ? ExprBuilder::rebuild(*root, operands) : *this;
}

std::optional<Expr::Linear> Expr::linear() const {
  if (root->kind == ExprKind::symbol)
    return Linear{root->name, 1, 0};
  if (root->kind != ExprKind::sum || root->operands.size() > 2)
    return std::nullopt;
  std::optional<std::string> name = root->operands[0].symbolName();
  if (!name)
    return std::nullopt;
  if (root->operands.size() == 1)
    return Linear{*name, root->coefficients[0], 0};
  if (root->operands[1].constant() != 1)
    return std::nullopt;
  return Linear{*name, root->coefficients[0], root->coefficients[1]};
}

Result<int64_t> Expr::Linear::solve(int64_t value) const {
  __int128 multiple = __int128(value) - offset;
  auto described = [&] {
    return (Expr(scale) * Expr::symbol(name) + Expr(offset)).str() + " = " + std::to_string(value);
  };
  if (multiple % scale != 0) {
    std::string why = std::to_string(value);
    if (offset != 0 && multiple >= INT64_MIN && multiple <= INT64_MAX)
      why += (offset < 0 ? " + " : " - ") + std::to_string(magnitude(offset)) + " = " +
             std::to_string(int64_t(multiple));
    else if (offset != 0)
      why = "the difference";
    return Error{ErrorCode::outOfRange, described() + " has no integer solution: " + why +
                                            " is no multiple of " + std::to_string(scale)};
  }
  __int128 solution = multiple / scale;
  if (solution < INT64_MIN || solution > INT64_MAX)
    return Error{ErrorCode::outOfRange, described() + " has no solution in 64 bits"};
  return int64_t(solution);
}

Expr operator+(const Expr &a, const Expr &b) {
  SumBuilder sum;
  sum.add(a);
  sum.add(b);
  return sum.finish();
}

Expr operator-(const Expr &a, const Expr &b) {
  SumBuilder sum;
  sum.add(a);
  sum.add(b, -1);
  return sum.finish();
}

Expr operator-(const Expr &a) { return Expr(0) - a; }
Expr operator*(const Expr &a, const Expr &b) { return ExprBuilder::product({a, b}); }
Expr floorDiv(const Expr &a, const Expr &b) { return ExprBuilder::floorDiv(a, b); }
Expr mod(const Expr &a, const Expr &b) { return ExprBuilder::mod(a, b); }
Expr cdiv(const Expr &a, const Expr &b) { return ExprBuilder::cdiv(a, b); }
Expr align(const Expr &x, const Expr &n) { return ExprBuilder::align(x, n); }
Expr min(const Expr &a, const Expr &b) { return ExprBuilder::minMax(ExprKind::min, {a, b}); }
Expr max(const Expr &a, const Expr &b) { return ExprBuilder::minMax(ExprKind::max, {a, b}); }

} // namespace teeny
