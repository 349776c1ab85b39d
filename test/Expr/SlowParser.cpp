#include "Expr/SlowParser.h"

#include <set>

namespace slow {
namespace {

const std::set<std::string> reserved = {"if",  "else", "and",  "or",   "not",
                                        "min", "max",  "cdiv", "align"};

// All tokens; an empty list where a character belongs to none.
std::vector<std::string> tokensOf(std::string_view text) {
  std::vector<std::string> tokens;
  auto isWord = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (size_t at = 0; at < text.size();) {
    std::string token(1, text[at++]);
    if (token.find_first_of(" \t\r\n") == 0)
      continue;
    if (isWord(token[0]))
      while (at < text.size() && isWord(text[at]))
        token += text[at++];
    else if (at < text.size() &&
             std::set<std::string>{"//", "==", "!=", "<=", ">="}.count(token + text[at]))
      token += text[at++];
    tokens.push_back(token);
  }
  tokens.push_back("");
  return tokens;
}

struct Failure {};

struct Parser {
  std::vector<std::string> tokens;
  int maxNesting;
  size_t at = 0;
  int nesting = 0;

  const std::string &peek() const { return tokens[at]; }
  bool take(const std::string &token) { return peek() == token && !token.empty() && ++at; }
  void need(const std::string &token) {
    if (!take(token))
      throw Failure();
  }
  std::string takeAny(const std::set<std::string> &any) {
    return any.count(peek()) ? tokens[at++] : "";
  }
  static Tree make(Tree::Kind kind, std::string word, std::vector<Tree> parts) {
    Tree tree;
    tree.kind = kind;
    tree.word = std::move(word);
    tree.parts = std::move(parts);
    return tree;
  }

  Tree select() {
    if (++nesting > maxNesting)
      throw Failure();
    Tree then = either();
    if (take("if")) {
      Tree condition = either();
      need("else");
      then = make(Tree::Kind::select, "", {then, condition, select()});
    }
    --nesting;
    return then;
  }
  Tree either() {
    Tree left = both();
    while (take("or"))
      left = make(Tree::Kind::lor, "", {left, both()});
    return left;
  }
  Tree both() {
    Tree left = negation();
    while (take("and"))
      left = make(Tree::Kind::land, "", {left, negation()});
    return left;
  }
  Tree negation() {
    int count = 0;
    while (take("not"))
      ++count;
    Tree tree = comparison();
    while (count-- > 0)
      tree = make(Tree::Kind::lnot, "", {tree});
    return tree;
  }
  Tree comparison() {
    static const std::set<std::string> signs = {"==", "!=", "<", "<=", ">", ">="};
    Tree left = sum();
    std::string sign = takeAny(signs);
    if (sign.empty())
      return left;
    left = make(Tree::Kind::binary, sign, {left, sum()});
    if (signs.count(peek()))
      throw Failure();
    return left;
  }
  Tree sum() {
    Tree left = product();
    for (std::string sign; !(sign = takeAny({"+", "-"})).empty();)
      left = make(Tree::Kind::binary, sign, {left, product()});
    return left;
  }
  Tree product() {
    Tree left = signedOne();
    for (std::string sign; !(sign = takeAny({"*", "//", "%"})).empty();)
      left = make(Tree::Kind::binary, sign, {left, signedOne()});
    return left;
  }
  Tree signedOne() {
    std::vector<bool> minus;
    for (std::string sign; !(sign = takeAny({"+", "-"})).empty();)
      minus.push_back(sign == "-");
    Tree tree;
    if (!peek().empty() && peek()[0] >= '0' && peek()[0] <= '9') {
      // The minus before a number is part of it: there is one more negative number.
      bool negative = !minus.empty() && minus.back();
      if (!minus.empty())
        minus.pop_back();
      __int128 value = 0;
      for (char c : tokens[at++]) {
        if (c < '0' || c > '9' || value > INT64_MAX)
          throw Failure();
        value = value * 10 + (c - '0');
      }
      std::optional<int64_t> fits = narrow(negative ? -value : value);
      if (!fits)
        throw Failure();
      tree.value = *fits;
    } else {
      tree = primary();
    }
    for (bool one : minus)
      if (one)
        tree = make(Tree::Kind::negate, "", {tree});
    return tree;
  }
  Tree primary() {
    if (take("(")) {
      Tree tree = select();
      need(")");
      return tree;
    }
    std::string function = takeAny({"min", "max", "cdiv", "align"});
    if (!function.empty()) {
      need("(");
      Tree tree = make(Tree::Kind::call, function, {select()});
      while (take(","))
        tree.parts.push_back(select());
      need(")");
      bool two = function == "cdiv" || function == "align";
      if (tree.parts.size() < 2 || (two && tree.parts.size() > 2))
        throw Failure();
      return tree;
    }
    std::string name = peek();
    bool isName = !name.empty() && !reserved.count(name) &&
                  (name[0] == '_' || (name[0] >= 'a' && name[0] <= 'z') ||
                   (name[0] >= 'A' && name[0] <= 'Z'));
    if (!isName)
      throw Failure();
    ++at;
    return make(Tree::Kind::name, name, {});
  }
};

} // namespace

std::optional<Tree> parse(std::string_view text, int maxNesting) {
  try {
    Parser parser{tokensOf(text), maxNesting};
    Tree tree = parser.select();
    if (!parser.peek().empty())
      return std::nullopt;
    return tree;
  } catch (Failure) {
    return std::nullopt;
  }
}

} // namespace slow
