#include "Expr/ExprBuilder.h"

#include <algorithm>

namespace teeny {
namespace {

// How tightly a text binds, as in the grammar.
enum Level {
  selectLevel,
  orLevel,
  andLevel,
  notLevel,
  compareLevel,
  sumLevel,
  productLevel,
  unaryLevel
};

class Printer {
public:
  std::string text;

  // Prints `e` where what binds looser than `level` needs parentheses.
  void print(const Expr &e, Level level = selectLevel) {
    bool parentheses = levelOf(e) < level;
    if (parentheses)
      text += '(';
    printBare(e);
    if (parentheses)
      text += ')';
  }

private:
  static Level levelOf(const Expr &e) {
    const Expr::Node &node = e.node();
    switch (node.kind) {
    case ExprKind::sum:
      return node.operands.size() == 1 ? productLevel : sumLevel;
    case ExprKind::product:
    case ExprKind::floorDiv:
    case ExprKind::mod:
      return productLevel;
    case ExprKind::equal:
    case ExprKind::notEqual:
    case ExprKind::less:
    case ExprKind::lessEqual:
    case ExprKind::greater:
    case ExprKind::greaterEqual:
      return compareLevel;
    case ExprKind::logicalNot:
      return notLevel;
    case ExprKind::logicalAnd:
      return andLevel;
    case ExprKind::logicalOr:
      return orLevel;
    case ExprKind::select:
      return selectLevel;
    default:
      return unaryLevel;
    }
  }

  void list(const std::vector<Expr> &operands, const char *separator, Level level) {
    for (size_t i = 0; i < operands.size(); ++i) {
      text += i == 0 ? "" : separator;
      print(operands[i], level);
    }
  }

  void call(const char *function, const Expr::Node &node) {
    text += function;
    text += '(';
    list(node.operands, ", ", selectLevel);
    text += ')';
  }

  void binary(const Expr::Node &node, const char *sign, Level left, Level right) {
    print(node.operands[0], left);
    text += sign;
    print(node.operands[1], right);
  }

  // `level` is for an operand that is no product: "-(N // 4)", but "N // 4".
  void factors(const Expr &operand, Level level) {
    if (operand.node().kind == ExprKind::product)
      list(operand.node().operands, "*", unaryLevel);
    else
      print(operand, level);
  }

  // Whether a minus before the factors, which goes to the first of them, overflows nothing.
  static bool canNegate(const Expr &operand) {
    const Expr::Node &node = operand.node();
    const std::vector<int64_t> &coefficients =
        node.kind == ExprKind::product ? node.operands[0].node().coefficients : node.coefficients;
    return std::find(coefficients.begin(), coefficients.end(), INT64_MIN) == coefficients.end();
  }

  void term(int64_t coefficient, const Expr &operand) {
    if (operand.constant()) {
      text += std::to_string(coefficient);
      return;
    }
    if (coefficient == -1 && canNegate(operand))
      text += '-';
    else if (coefficient != 1)
      text += std::to_string(coefficient) + '*';
    factors(operand, coefficient == 1 ? productLevel : unaryLevel);
  }

  void sum(const Expr::Node &node) {
    // A positive term first, if there is one: "4 - N", not "-N + 4".
    auto positive = std::find_if(node.coefficients.begin(), node.coefficients.end(),
                                 [](int64_t coefficient) { return coefficient > 0; });
    size_t first = positive == node.coefficients.end() ? 0 : positive - node.coefficients.begin();
    term(node.coefficients[first], node.operands[first]);
    for (size_t i = 0; i < node.operands.size(); ++i) {
      if (i == first)
        continue;
      int64_t coefficient = node.coefficients[i];
      bool negative = coefficient < 0 && coefficient != INT64_MIN;
      text += negative ? " - " : " + ";
      term(negative ? -coefficient : coefficient, node.operands[i]);
    }
  }

  void printBare(const Expr &e) {
    const Expr::Node &node = e.node();
    switch (node.kind) {
    case ExprKind::constant:
      text += std::to_string(node.value);
      return;
    case ExprKind::symbol:
      text += node.name;
      return;
    case ExprKind::sum:
      return sum(node);
    case ExprKind::product:
      return factors(e, productLevel);
    case ExprKind::floorDiv:
      return binary(node, " // ", productLevel, unaryLevel);
    case ExprKind::mod:
      return binary(node, " % ", productLevel, unaryLevel);
    case ExprKind::cdiv:
      return call("cdiv", node);
    case ExprKind::align:
      return call("align", node);
    case ExprKind::min:
      return call("min", node);
    case ExprKind::max:
      return call("max", node);
    case ExprKind::equal:
      return binary(node, " == ", sumLevel, sumLevel);
    case ExprKind::notEqual:
      return binary(node, " != ", sumLevel, sumLevel);
    case ExprKind::less:
      return binary(node, " < ", sumLevel, sumLevel);
    case ExprKind::lessEqual:
      return binary(node, " <= ", sumLevel, sumLevel);
    case ExprKind::greater:
      return binary(node, " > ", sumLevel, sumLevel);
    case ExprKind::greaterEqual:
      return binary(node, " >= ", sumLevel, sumLevel);
    case ExprKind::logicalNot:
      text += "not ";
      return print(node.operands[0], notLevel);
    case ExprKind::logicalAnd:
      return list(node.operands, " and ", notLevel);
    case ExprKind::logicalOr:
      return list(node.operands, " or ", andLevel);
    case ExprKind::select:
      print(node.operands[1], orLevel);
      text += " if ";
      print(node.operands[0], orLevel);
      text += " else ";
      return print(node.operands[2], selectLevel);
    case ExprKind::tooLarge:
      text += "<too large>";
      return;
    }
  }
};

} // namespace

std::string Expr::str() const {
  Printer printer;
  printer.print(*this);
  return std::move(printer.text);
}

} // namespace teeny
