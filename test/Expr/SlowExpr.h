// A second implementation of expressions, as plain as can be: a tree that is printed as text and
// evaluated by the definition, with every step checked. It shares no code with lib/Expr.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace slow {

struct Tree {
  enum class Kind { number, name, negate, binary, call, lnot, land, lor, select };
  Kind kind = Kind::number;
  int64_t value = 0;
  std::string word; // the name, the sign or the function
  std::vector<Tree> parts;
};

using Values = std::map<std::string, int64_t>;

inline std::optional<int64_t> narrow(__int128 wide) {
  if (wide < INT64_MIN || wide > INT64_MAX)
    return std::nullopt;
  return int64_t(wide);
}

// Nothing where a step overflows, divides by zero, or aligns to less than 1.
std::optional<int64_t> evaluate(const Tree &tree, const Values &values);

// With parentheses only where the grammar needs them; some more where `random` says so.
std::string print(const Tree &tree, std::mt19937 &random, int extraParentheses);

// A random tree over the names a, b, c, N.
Tree grow(std::mt19937 &random, int depth, const std::vector<int64_t> &numbers);

} // namespace slow
