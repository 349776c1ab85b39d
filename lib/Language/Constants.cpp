#include "Language/Constants.h"

#include <cmath>

namespace teeny::lang {
namespace {

std::optional<Integer> integerOf(const Constant &value) {
  if (auto *integer = std::get_if<Integer>(&value))
    return *integer;
  if (auto *boolean = std::get_if<bool>(&value))
    return Integer(*boolean);
  return std::nullopt;
}

std::optional<double> floatOf(const Constant &value) {
  if (auto *number = std::get_if<double>(&value))
    return *number;
  if (std::optional<Integer> integer = integerOf(value))
    return double(*integer);
  return std::nullopt;
}

using Result = std::optional<Constant>;

Result integerPower(Integer base, Integer exponent, std::string &error) {
  if (exponent < 0)
    return Constant(std::pow(double(base), double(exponent)));
  Integer result = 1;
  while (exponent) {
    if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) {
      error = "the result does not fit in 127 bits";
      return std::nullopt;
    }
    exponent >>= 1;
    if (exponent && __builtin_mul_overflow(base, base, &base)) {
      error = "the result does not fit in 127 bits";
      return std::nullopt;
    }
  }
  return Constant(result);
}

Result integers(ast::BinaryOp op, Integer a, Integer b, std::string &error) {
  using Op = ast::BinaryOp;
  Integer result = 0;
  bool overflow = false;
  switch (op) {
  case Op::add:
    overflow = __builtin_add_overflow(a, b, &result);
    break;
  case Op::sub:
    overflow = __builtin_sub_overflow(a, b, &result);
    break;
  case Op::mul:
    overflow = __builtin_mul_overflow(a, b, &result);
    break;
  case Op::div:
  case Op::floordiv:
  case Op::mod: {
    if (b == 0) {
      error = "division by zero";
      return std::nullopt;
    }
    if (op == Op::div)
      return Constant(double(a) / double(b));
    if (b == -1) { // the one case where the quotient can overflow
      overflow = __builtin_sub_overflow(Integer(0), a, &result);
      if (op == Op::mod)
        return Constant(Integer(0));
      break;
    }
    Integer quotient = a / b, rest = a % b;
    if (rest != 0 && (rest < 0) != (b < 0)) {
      --quotient;
      rest += b;
    }
    result = op == Op::mod ? rest : quotient;
    break;
  }
  case Op::pow:
    return integerPower(a, b, error);
  case Op::shiftLeft:
  case Op::shiftRight:
    if (b < 0) {
      error = "negative shift count";
      return std::nullopt;
    }
    if (op == Op::shiftRight)
      result = b > 126 ? (a < 0 ? -1 : 0) : a >> int(b);
    else if (a != 0)
      overflow = b > 126 || __builtin_mul_overflow(a, Integer(1) << int(b), &result);
    break;
  case Op::bitAnd:
    result = a & b;
    break;
  case Op::bitOr:
    result = a | b;
    break;
  case Op::bitXor:
    result = a ^ b;
    break;
  case Op::matmul:
    error = "'@' is not defined for integers";
    return std::nullopt;
  }
  if (overflow) {
    error = "the result does not fit in 127 bits";
    return std::nullopt;
  }
  return Constant(result);
}

Result floats(ast::BinaryOp op, double a, double b, std::string &error) {
  using Op = ast::BinaryOp;
  switch (op) {
  case Op::add:
    return Constant(a + b);
  case Op::sub:
    return Constant(a - b);
  case Op::mul:
    return Constant(a * b);
  case Op::div:
  case Op::floordiv:
  case Op::mod: {
    if (b == 0) {
      error = "division by zero";
      return std::nullopt;
    }
    if (op == Op::div)
      return Constant(a / b);
    double rest = std::fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0))
      rest += b;
    return Constant(op == Op::mod ? rest : std::floor((a - rest) / b + 0.5));
  }
  case Op::pow:
    return Constant(std::pow(a, b));
  default:
    error = "'" + spelling(op).str() + "' is not defined for floats";
    return std::nullopt;
  }
}

} // namespace

Result evaluate(ast::BinaryOp op, const Constant &lhs, const Constant &rhs, std::string &error) {
  using Op = ast::BinaryOp;
  auto *leftBool = std::get_if<bool>(&lhs), *rightBool = std::get_if<bool>(&rhs);
  if (leftBool && rightBool) {
    if (op == Op::bitAnd)
      return Constant(*leftBool && *rightBool);
    if (op == Op::bitOr)
      return Constant(*leftBool || *rightBool);
    if (op == Op::bitXor)
      return Constant(*leftBool != *rightBool);
  }
  std::optional<Integer> a = integerOf(lhs), b = integerOf(rhs);
  if (a && b)
    return integers(op, *a, *b, error);
  std::optional<double> x = floatOf(lhs), y = floatOf(rhs);
  if (x && y)
    return floats(op, *x, *y, error);
  auto *leftText = std::get_if<std::string>(&lhs), *rightText = std::get_if<std::string>(&rhs);
  if (leftText && rightText && op == Op::add) {
    if (leftText->size() + rightText->size() <= maxString)
      return Constant(*leftText + *rightText);
    error = tooLongString();
    return std::nullopt;
  }
  error = "'" + spelling(op).str() + "' is not defined for " + text(lhs) + " and " + text(rhs);
  return std::nullopt;
}

Result evaluate(ast::CompareOp op, const Constant &lhs, const Constant &rhs, std::string &error) {
  using Op = ast::CompareOp;
  auto compare = [&](const auto &a, const auto &b) -> Result {
    switch (op) {
    case Op::eq:
    case Op::is:
      return Constant(a == b);
    case Op::ne:
    case Op::isNot:
      return Constant(a != b);
    case Op::lt:
      return Constant(a < b);
    case Op::le:
      return Constant(a <= b);
    case Op::gt:
      return Constant(a > b);
    case Op::ge:
      return Constant(a >= b);
    default:
      return std::nullopt;
    }
  };
  bool sameKind = lhs.index() == rhs.index();
  bool identity = op == Op::is || op == Op::isNot;
  if (!identity || sameKind) {
    std::optional<Integer> a = integerOf(lhs), b = integerOf(rhs);
    if (a && b)
      return compare(*a, *b);
    std::optional<double> x = floatOf(lhs), y = floatOf(rhs);
    if (x && y)
      return compare(*x, *y);
    auto *leftText = std::get_if<std::string>(&lhs), *rightText = std::get_if<std::string>(&rhs);
    if (leftText && rightText)
      return compare(*leftText, *rightText);
  }
  auto *left = std::get_if<Unknown>(&lhs), *right = std::get_if<Unknown>(&rhs);
  if (identity && ((left && left->isSome && std::holds_alternative<None>(rhs)) ||
                   (right && right->isSome && std::holds_alternative<None>(lhs))))
    return Constant(op == Op::isNot);
  if (std::holds_alternative<Unknown>(lhs) || std::holds_alternative<Unknown>(rhs)) {
    error = "a value unknown at compile time is compared";
    return std::nullopt;
  }
  if (op == Op::eq || op == Op::ne || identity) {
    bool equal = interchangeable(Value(lhs), Value(rhs));
    return Constant(equal == (op == Op::eq || op == Op::is));
  }
  error = "'" + spelling(op).str() + "' is not defined for " + text(lhs) + " and " + text(rhs);
  return std::nullopt;
}

Result evaluate(ast::UnaryOp op, const Constant &operand, std::string &error) {
  if (op == ast::UnaryOp::logicalNot) {
    if (std::optional<bool> value = truth(operand))
      return Constant(!*value);
  } else if (std::optional<Integer> value = integerOf(operand)) {
    Integer result = *value;
    if (op == ast::UnaryOp::invert)
      result = ~result;
    if (op != ast::UnaryOp::minus || !__builtin_sub_overflow(Integer(0), *value, &result))
      return Constant(result);
  } else if (auto *number = std::get_if<double>(&operand)) {
    if (op != ast::UnaryOp::invert)
      return Constant(op == ast::UnaryOp::minus ? -*number : *number);
  }
  error = "unary '" + spelling(op).str() + "' is not defined for " + text(operand);
  return std::nullopt;
}

std::string tooLongString() {
  return "a string of more than " + std::to_string(maxString) + " bytes";
}

std::string display(const Constant &constant) {
  if (auto *string = std::get_if<std::string>(&constant))
    return *string;
  return text(constant);
}

std::optional<std::string> formatted(const Constant &constant, char conversion,
                                     llvm::StringRef format) {
  std::string plain = conversion == 'r' ? text(constant) : display(constant);
  if (format.empty())
    return plain;
  unsigned width = 0;
  bool zeros = format.consume_front("0");
  format.consumeInteger(10, width);
  if (std::optional<Integer> integer = integerOf(constant)) {
    if (format == "x" || format == "X") {
      if (*integer < 0 || *integer > Integer(UINT64_MAX))
        return std::nullopt;
      char buffer[24];
      snprintf(buffer, sizeof buffer, format == "x" ? "%llx" : "%llX",
               (unsigned long long)*integer);
      plain = buffer;
    } else if (format != "d" && !format.empty()) {
      return std::nullopt;
    }
  } else if (auto *number = std::get_if<double>(&constant)) {
    unsigned digits = 0;
    if (!format.consume_front(".") || format.consumeInteger(10, digits) || digits > 40 ||
        (format != "f" && format != "e" && format != "g"))
      return std::nullopt;
    char buffer[400];
    const char *pattern = format == "f" ? "%.*f" : format == "e" ? "%.*e" : "%.*g";
    snprintf(buffer, sizeof buffer, pattern, int(digits), *number);
    plain = buffer;
  } else if (!format.empty()) {
    return std::nullopt;
  }
  if (width > 1000)
    return std::nullopt;
  if (plain.size() < width)
    plain.insert(0, std::string(width - plain.size(), zeros ? '0' : ' '));
  return plain;
}

} // namespace teeny::lang
