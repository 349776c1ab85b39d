// Recursive descent, a level of the grammar a function. Nesting is counted where the functions
// recurse, so that no text can exhaust the stack.
#include "Expr/ExprBuilder.h"

#include <algorithm>
#include <array>

namespace teeny {
namespace {

// ASCII only, whatever the locale.
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

constexpr std::array<std::string_view, 9> words = {"if",  "else", "and",  "or",   "not",
                                                   "min", "max",  "cdiv", "align"};

bool isWord(std::string_view text) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

class Parser {
public:
  explicit Parser(std::string_view text) : text(text) { advance(); }

  Result<Expr> whole() {
    std::optional<Expr> e = select();
    if (e && !token.empty())
      e = fail("expected an operator or the end");
    if (e && (e->tooLarge() || e->str().size() > Expr::maxText))
      return Error{ErrorCode::unsupported, tooLargeMessage()};
    if (!e)
      return error;
    return *e;
  }

private:
  // The token at `position`; empty at the end.
  void advance() {
    position += token.size();
    while (position < text.size() && (text[position] == ' ' || text[position] == '\t' ||
                                      text[position] == '\n' || text[position] == '\r'))
      ++position;
    token = text.substr(position, length());
  }

  size_t length() const {
    std::string_view rest = text.substr(position);
    if (rest.empty())
      return 0;
    if (isLetter(rest[0]) || isDigit(rest[0])) {
      auto inside = [](char c) { return isLetter(c) || isDigit(c); };
      return std::find_if_not(rest.begin(), rest.end(), inside) - rest.begin();
    }
    for (std::string_view two : {"//", "==", "!=", "<=", ">="})
      if (rest.substr(0, 2) == two)
        return 2;
    return 1;
  }

  bool take(std::string_view what) {
    if (token != what)
      return false;
    advance();
    return true;
  }

  std::nullopt_t fail(const std::string &expected) {
    std::string found = "the end";
    if (!token.empty()) {
      found = "'";
      for (char c : token.substr(0, 40)) {
        if (c >= ' ' && c <= '~')
          found += c;
        else
          found += std::string("\\x") + "0123456789abcdef"[uint8_t(c) >> 4] +
                   "0123456789abcdef"[uint8_t(c) & 15];
      }
      found += token.size() > 40 ? "...'" : "'";
    }
    return failWith(ErrorCode::invalid, expected + ", found " + found);
  }

  std::nullopt_t failWith(ErrorCode code, const std::string &message) {
    error = {code, "column " + std::to_string(position + 1) + ": " + message};
    return std::nullopt;
  }

  std::optional<Expr> select() {
    if (nesting == Expr::maxDepth)
      return failWith(ErrorCode::unsupported,
                      "nested deeper than " + std::to_string(Expr::maxDepth) + " levels");
    ++nesting;
    std::optional<Expr> result = selectInside();
    --nesting;
    return result;
  }

  std::optional<Expr> selectInside() {
    std::optional<Expr> then = logicalOr();
    if (!then || !take("if"))
      return then;
    std::optional<Expr> condition = logicalOr();
    if (!condition)
      return std::nullopt;
    if (!take("else"))
      return fail("expected 'else'");
    std::optional<Expr> otherwise = select();
    if (!otherwise)
      return std::nullopt;
    return ExprBuilder::select(*condition, *then, *otherwise);
  }

  std::optional<Expr> logicalOr() {
    return chain("or", ExprKind::logicalOr, [this] { return logicalAnd(); });
  }
  std::optional<Expr> logicalAnd() {
    return chain("and", ExprKind::logicalAnd, [this] { return logicalNot(); });
  }

  template <typename Next>
  std::optional<Expr> chain(std::string_view word, ExprKind kind, Next next) {
    std::optional<Expr> first = next();
    if (!first || token != word)
      return first;
    std::vector<Expr> operands = {*first};
    while (take(word)) {
      std::optional<Expr> operand = next();
      if (!operand)
        return std::nullopt;
      operands.push_back(*operand);
    }
    return ExprBuilder::logical(kind, operands);
  }

  std::optional<Expr> logicalNot() {
    size_t count = 0;
    while (take("not"))
      ++count;
    std::optional<Expr> e = comparison();
    if (!e || count == 0)
      return e;
    Expr negated = ExprBuilder::logicalNot(*e);
    return count % 2 == 1 ? negated : ExprBuilder::logicalNot(negated);
  }

  static std::optional<ExprKind> comparisonKind(std::string_view token) {
    constexpr std::pair<std::string_view, ExprKind> kinds[] = {
        {"==", ExprKind::equal},     {"!=", ExprKind::notEqual}, {"<", ExprKind::less},
        {"<=", ExprKind::lessEqual}, {">", ExprKind::greater},   {">=", ExprKind::greaterEqual}};
    for (const auto &[sign, kind] : kinds)
      if (token == sign)
        return kind;
    return std::nullopt;
  }

  std::optional<Expr> comparison() {
    std::optional<Expr> left = sum();
    std::optional<ExprKind> kind = left ? comparisonKind(token) : std::nullopt;
    if (!kind)
      return left;
    advance();
    std::optional<Expr> right = sum();
    if (!right)
      return std::nullopt;
    if (comparisonKind(token))
      return fail("comparisons cannot be chained: expected 'and' or parentheses");
    return ExprBuilder::comparison(*kind, *left, *right);
  }

  std::optional<Expr> sum() {
    std::optional<Expr> first = product();
    if (!first || (token != "+" && token != "-"))
      return first;
    SumBuilder total;
    total.add(*first);
    while (token == "+" || token == "-") {
      int64_t sign = token == "+" ? 1 : -1;
      advance();
      std::optional<Expr> term = product();
      if (!term)
        return std::nullopt;
      total.add(*term, sign);
    }
    return total.finish();
  }

  std::optional<Expr> product() {
    std::optional<Expr> left = unary();
    std::vector<Expr> factors;
    while (left && (token == "*" || token == "//" || token == "%")) {
      std::string_view sign = token;
      advance();
      std::optional<Expr> right = unary();
      if (!right)
        return std::nullopt;
      if (factors.empty())
        factors.push_back(*left);
      if (sign == "*") {
        factors.push_back(*right);
        continue;
      }
      Expr whole = ExprBuilder::product(factors);
      left = sign == "//" ? ExprBuilder::floorDiv(whole, *right) : ExprBuilder::mod(whole, *right);
      factors.clear();
    }
    return left && !factors.empty() ? ExprBuilder::product(factors) : left;
  }

  std::optional<Expr> unary() {
    // The last sign belongs to the digits, if there are any.
    bool negative = false, last = false;
    while (token == "-" || token == "+") {
      negative ^= last;
      last = token == "-";
      advance();
    }
    bool digits = !token.empty() && isDigit(token[0]);
    std::optional<Expr> e = digits ? number(last) : primary();
    if (!digits)
      negative ^= last;
    return e && negative ? -*e : e;
  }

  // The sign is read with the digits: 9223372036854775808 is a number only after a minus.
  std::optional<Expr> number(bool negative) {
    uint64_t value = 0;
    uint64_t limit = uint64_t(INT64_MAX) + negative;
    for (char c : token) {
      if (!isDigit(c))
        return fail("expected a decimal integer");
      if (__builtin_mul_overflow(value, uint64_t(10), &value) ||
          __builtin_add_overflow(value, uint64_t(c - '0'), &value) || value > limit)
        return failWith(ErrorCode::outOfRange, "integer does not fit in 64 bits");
    }
    advance();
    return Expr(int64_t(negative ? uint64_t(0) - value : value));
  }

  std::optional<Expr> primary() {
    if (take("(")) {
      std::optional<Expr> e = select();
      if (e && !take(")"))
        return fail("expected ')'");
      return e;
    }
    if (token.empty() || !isLetter(token[0]))
      return fail("expected an expression");
    if (!isWord(token)) {
      Expr e = ExprBuilder::symbol(std::string(token));
      advance();
      if (token == "(")
        return fail("'" + e.node().name +
                    "' is not a function (min, max, cdiv, align): expected an operator or the end");
      return e;
    }
    for (auto [name, kind] : {std::pair<std::string_view, ExprKind>("min", ExprKind::min),
                              std::pair<std::string_view, ExprKind>("max", ExprKind::max),
                              std::pair<std::string_view, ExprKind>("cdiv", ExprKind::cdiv),
                              std::pair<std::string_view, ExprKind>("align", ExprKind::align)})
      if (token == name)
        return call(kind);
    return fail("expected an expression");
  }

  std::optional<Expr> call(ExprKind kind) {
    bool any = kind == ExprKind::min || kind == ExprKind::max;
    advance();
    if (!take("("))
      return fail("expected '('");
    std::vector<Expr> operands;
    do {
      if (!any && operands.size() == 2)
        return fail("expected no third argument");
      std::optional<Expr> operand = select();
      if (!operand)
        return std::nullopt;
      operands.push_back(*operand);
    } while (take(","));
    if (token != ")" || operands.size() < 2)
      return fail(operands.size() < 2 ? "expected ',' and a second argument"
                                      : "expected ',' or ')'");
    advance();
    if (any)
      return ExprBuilder::minMax(kind, operands);
    return kind == ExprKind::cdiv ? ExprBuilder::cdiv(operands[0], operands[1])
                                  : ExprBuilder::align(operands[0], operands[1]);
  }

  std::string_view text, token;
  size_t position = 0;
  int nesting = 0;
  Error error;
};

} // namespace

bool Expr::isName(std::string_view text) {
  auto inside = [](char c) { return isLetter(c) || isDigit(c); };
  return !text.empty() && isLetter(text[0]) && std::all_of(text.begin(), text.end(), inside) &&
         !isWord(text);
}

Result<Expr> Expr::parse(std::string_view text) {
  if (text.size() > maxText)
    return Error{ErrorCode::unsupported, "expression of " + std::to_string(text.size()) +
                                             " bytes, at most " + std::to_string(maxText) +
                                             " are read"};
  return Parser(text).whole();
}

} // namespace teeny
