// Any text as an expression, against the slow parser and evaluator: both read it or both refuse it,
// but for the limits; where the text has a value the expression has it, within its facts; printed,
// it is read again.
#include "Expr/Expr.h"
#include "Expr/SlowParser.h"
#include "Fuzz.h"

#include <algorithm>

using namespace teeny;

namespace {

constexpr int64_t numbers[] = {0,  1, -1, 2,         3,         4,
                               16, 7, -8, INT64_MAX, INT64_MIN, int64_t(1) << 32};

void gatherNames(const slow::Tree &tree, slow::Values &values) {
  if (tree.kind == slow::Tree::Kind::name)
    values[tree.word] = 0;
  for (const slow::Tree &part : tree.parts)
    gatherNames(part, values);
}

void checkValue(const Expr &e, const slow::Tree &tree, const slow::Values &values) {
  std::optional<int64_t> expected = slow::evaluate(tree, values);
  auto lookup = [&](const std::string &name) -> std::optional<int64_t> {
    auto found = values.find(name);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  };
  Result<int64_t> found = e.evaluate(lookup);
  fuzz::expect(found || !found.error().message.empty(), "an expression has a value or an error");
  if (!expected)
    return; // simplification may have removed what fails
  fuzz::expect(found && *found == *expected, "the value is that of the text");
  if (std::optional<Expr::Linear> linear = e.linear()) {
    __int128 value = __int128(linear->scale) * values.at(linear->name) + linear->offset;
    fuzz::expect(slow::narrow(value) == expected, "the linear form has the value");
    Result<int64_t> solved = linear->solve(*expected);
    fuzz::expect(solved && *solved == values.at(linear->name), "the linear form is solved");
  }

  // Facts: of single values, and of a range that holds them.
  for (int64_t width : {int64_t(0), int64_t(3)}) {
    SymbolFacts facts = e.facts([&](const std::string &name) {
      int64_t value = values.at(name);
      SymbolFacts known{value, value, 1};
      if (value > INT64_MIN + width && value < INT64_MAX - width)
        known.min -= width, known.max += width;
      if (value != INT64_MIN && width == 0)
        known.multipleOf = value < 0 ? -value : value;
      return known;
    });
    fuzz::expect(facts.min <= *expected && *expected <= facts.max, "the value is in its range");
    fuzz::expect(facts.multipleOf == 0 ? *expected == 0 : *expected % facts.multipleOf == 0,
                 "the value is a multiple of what is known");
  }
}

} // namespace

void fuzz::expr(std::string_view input) {
  Result<Expr> e = Expr::parse(input);
  std::optional<slow::Tree> tree = slow::parse(input, Expr::maxDepth);
  if (!e) {
    expect(!e.error().message.empty(), "an error has a message");
    expect(!tree || e.error().code == ErrorCode::unsupported, "what is read is refused for limits");
    return;
  }
  expect(tree.has_value(), "what is accepted is by the grammar");
  std::string text = e->str();
  Result<Expr> back = Expr::parse(text);
  expect(back && back->str() == text, "printed text is read again");
  expect(back->equal(*e) && e->equal(*back), "an expression equals itself");

  slow::Values values;
  gatherNames(*tree, values);
  for (size_t round = 0; round < 6; ++round) {
    size_t at = round;
    for (auto &[name, value] : values)
      value = numbers[(at += 5 + round) % std::size(numbers)];
    checkValue(*e, *tree, values);
  }
}
