#include "Expr/SlowExpr.h"

namespace slow {

static __int128 floorOf(__int128 a, __int128 b) {
  __int128 q = a / b;
  if (q * b != a && (a < 0) != (b < 0))
    q = q - 1;
  return q;
}

static std::optional<int64_t> binary(const std::string &sign, int64_t a, int64_t b) {
  if (sign == "+")
    return narrow(__int128(a) + b);
  if (sign == "-")
    return narrow(__int128(a) - b);
  if (sign == "*")
    return narrow(__int128(a) * b);
  if (sign == "//")
    return b == 0 ? std::nullopt : narrow(floorOf(a, b));
  if (sign == "%")
    return b == 0 ? std::nullopt : narrow(a - b * floorOf(a, b));
  if (sign == "==")
    return a == b;
  if (sign == "!=")
    return a != b;
  if (sign == "<")
    return a < b;
  if (sign == "<=")
    return a <= b;
  if (sign == ">")
    return a > b;
  return a >= b;
}

static std::optional<int64_t> call(const std::string &function, int64_t a, int64_t b) {
  if (function == "min")
    return b < a ? b : a;
  if (function == "max")
    return b > a ? b : a;
  if (function == "cdiv")
    return b == 0 ? std::nullopt : narrow(-floorOf(-__int128(a), b));
  return b < 1 ? std::nullopt : narrow(-floorOf(-__int128(a), b) * b);
}

std::optional<int64_t> evaluate(const Tree &tree, const Values &values) {
  auto part = [&](size_t i) { return evaluate(tree.parts[i], values); };
  switch (tree.kind) {
  case Tree::Kind::number:
    return tree.value;
  case Tree::Kind::name:
    return values.at(tree.word);
  case Tree::Kind::negate: {
    std::optional<int64_t> a = part(0);
    return a ? narrow(-__int128(*a)) : std::nullopt;
  }
  case Tree::Kind::binary: {
    std::optional<int64_t> a = part(0), b = part(1);
    return a && b ? binary(tree.word, *a, *b) : std::nullopt;
  }
  case Tree::Kind::call: {
    std::optional<int64_t> result = part(0);
    for (size_t i = 1; i < tree.parts.size(); ++i) {
      std::optional<int64_t> next = part(i);
      result = result && next ? call(tree.word, *result, *next) : std::nullopt;
    }
    return result;
  }
  case Tree::Kind::lnot: {
    std::optional<int64_t> a = part(0);
    return a ? std::optional<int64_t>(*a == 0) : std::nullopt;
  }
  case Tree::Kind::land:
  case Tree::Kind::lor: {
    bool decides = tree.kind == Tree::Kind::lor;
    std::optional<int64_t> a = part(0);
    if (!a)
      return std::nullopt;
    if ((*a != 0) == decides)
      return decides;
    std::optional<int64_t> b = part(1);
    return b ? std::optional<int64_t>(*b != 0) : std::nullopt;
  }
  case Tree::Kind::select: {
    std::optional<int64_t> condition = part(1);
    if (!condition)
      return std::nullopt;
    return part(*condition != 0 ? 0 : 2);
  }
  }
  return std::nullopt;
}

// The levels of the grammar, from loose to tight.
static int levelOf(const Tree &tree) {
  switch (tree.kind) {
  case Tree::Kind::select:
    return 0;
  case Tree::Kind::lor:
    return 1;
  case Tree::Kind::land:
    return 2;
  case Tree::Kind::lnot:
    return 3;
  case Tree::Kind::binary:
    if (tree.word == "+" || tree.word == "-")
      return 5;
    return tree.word == "*" || tree.word == "//" || tree.word == "%" ? 6 : 4;
  default:
    return 7; // unary minus, numbers, names, calls
  }
}

std::string print(const Tree &tree, std::mt19937 &random, int extraParentheses) {
  auto part = [&](size_t i, int level) {
    std::string text = print(tree.parts[i], random, extraParentheses);
    bool needed = levelOf(tree.parts[i]) < level;
    bool extra = extraParentheses > 0 && random() % 100 < unsigned(extraParentheses);
    return needed || extra ? "(" + text + ")" : text;
  };
  std::string space = random() % 3 ? " " : "";
  switch (tree.kind) {
  case Tree::Kind::number:
    return std::to_string(tree.value);
  case Tree::Kind::name:
    return tree.word;
  case Tree::Kind::negate:
    return "-" + part(0, 7);
  case Tree::Kind::binary: {
    int level = levelOf(tree);
    // Left-associative; comparisons do not chain.
    std::string left = part(0, level == 4 ? 5 : level);
    return left + space + tree.word + space + part(1, level + 1);
  }
  case Tree::Kind::call: {
    std::string text = tree.word + "(" + part(0, 0);
    for (size_t i = 1; i < tree.parts.size(); ++i)
      text += "," + space + part(i, 0);
    return text + ")";
  }
  case Tree::Kind::lnot:
    return "not " + part(0, 3);
  case Tree::Kind::land: {
    std::string left = part(0, 2);
    return left + " and " + part(1, 3);
  }
  case Tree::Kind::lor: {
    std::string left = part(0, 1);
    return left + " or " + part(1, 2);
  }
  case Tree::Kind::select: {
    std::string then = part(0, 1), condition = part(1, 1);
    return then + " if " + condition + " else " + part(2, 0);
  }
  }
  return "";
}

Tree grow(std::mt19937 &random, int depth, const std::vector<int64_t> &numbers) {
  static const std::vector<std::string> names = {"a", "b", "c", "N"};
  // Arithmetic is more frequent than the rest.
  static const std::vector<std::string> signs = {"+", "+", "-",  "-",  "*", "*",  "*", "//", "//",
                                                 "%", "%", "==", "!=", "<", "<=", ">", ">="};
  static const std::vector<std::string> functions = {"min", "max", "cdiv", "align"};
  Tree tree;
  if (depth == 0 || random() % 8 == 0) {
    if (random() % 2) {
      tree.kind = Tree::Kind::name;
      tree.word = names[random() % names.size()];
    } else {
      tree.value = numbers[random() % numbers.size()];
    }
    return tree;
  }
  size_t parts = 2;
  switch (random() % 16) {
  case 0:
    tree.kind = Tree::Kind::negate;
    parts = 1;
    break;
  case 1:
    tree.kind = Tree::Kind::lnot;
    parts = 1;
    break;
  case 2:
    tree.kind = Tree::Kind::land;
    break;
  case 3:
    tree.kind = Tree::Kind::lor;
    break;
  case 4:
    tree.kind = Tree::Kind::select;
    parts = 3;
    break;
  case 5:
  case 6:
  case 7:
    tree.kind = Tree::Kind::call;
    tree.word = functions[random() % functions.size()];
    if (tree.word == "min" || tree.word == "max")
      parts = 2 + random() % 3;
    break;
  default:
    tree.kind = Tree::Kind::binary;
    tree.word = signs[random() % signs.size()];
  }
  for (size_t i = 0; i < parts; ++i)
    tree.parts.push_back(grow(random, depth - 1, numbers));
  return tree;
}

} // namespace slow
