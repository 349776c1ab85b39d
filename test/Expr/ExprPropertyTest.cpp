// Random expressions against the slow implementation.
#include "Expr/Expr.h"
#include "Expr/SlowExpr.h"

#include <catch2/catch.hpp>

using namespace teeny;

namespace {

const std::vector<int64_t> smallNumbers = {0, 1, 2, 3, 4, 5, 8, 12, -1, -2, -3, -8};
const std::vector<int64_t> extremeNumbers = {0,
                                             1,
                                             -1,
                                             2,
                                             3,
                                             -4,
                                             INT64_MAX,
                                             INT64_MIN,
                                             INT64_MAX - 1,
                                             INT64_MIN + 1,
                                             int64_t(1) << 62,
                                             -(int64_t(1) << 62),
                                             int64_t(1) << 32,
                                             3037000500};

slow::Values valuesFrom(std::mt19937 &random, const std::vector<int64_t> &numbers) {
  slow::Values values;
  for (const char *name : {"a", "b", "c", "N"})
    values[name] = random() % 4 ? numbers[random() % numbers.size()] : int64_t(random() % 100) - 50;
  return values;
}

Expr::Lookup lookupIn(const slow::Values &values) {
  return [&values](const std::string &name) -> std::optional<int64_t> { return values.at(name); };
}

// Calls `check(expression, tree, text)` for random expressions of two characters: small numbers,
// where most have values, and extremes, where most overflow somewhere.
template <typename Check> void forRandom(unsigned seed, int count, Check check) {
  std::mt19937 random(seed);
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    const std::vector<int64_t> &numbers = i % 2 ? smallNumbers : extremeNumbers;
    slow::Tree tree = slow::grow(random, 1 + i % 5, numbers);
    std::string text = slow::print(tree, random, i % 3 == 0 ? 10 : 0);
    Result<Expr> e = Expr::parse(text);
    INFO(text);
    if (e) {
      check(*e, tree, random, numbers);
      continue;
    }
    // Constants beyond int64, in the extreme ones.
    REQUIRE(i % 2 == 0);
    REQUIRE(e.error().code == ErrorCode::unsupported);
    ++refused;
  }
  CHECK(refused < count / 10);
}

} // namespace

TEST_CASE("a parsed expression has the value of its text") {
  int withValue = 0, without = 0;
  forRandom(1, 20000,
            [&](const Expr &e, const slow::Tree &tree, std::mt19937 &random,
                const std::vector<int64_t> &numbers) {
              for (int i = 0; i < 10; ++i) {
                slow::Values values = valuesFrom(random, numbers);
                std::optional<int64_t> expected = slow::evaluate(tree, values);
                Result<int64_t> found = e.evaluate(lookupIn(values));
                ++(expected ? withValue : without);
                if (!expected)
                  continue; // simplification may have removed what fails
                INFO(e.str() << " a=" << values["a"] << " b=" << values["b"] << " c=" << values["c"]
                             << " N=" << values["N"]);
                REQUIRE(found);
                REQUIRE(*found == *expected);
              }
            });
  // Both characters were there.
  CHECK(withValue > 50000);
  CHECK(without > 20000);
}

TEST_CASE("text without simplifiable parts fails where the definition fails") {
  // Names only, one operation: nothing is simplified away.
  std::mt19937 random(2);
  for (const char *text : {"a + b", "a - b", "a*b", "a // b", "a % b", "cdiv(a, b)", "align(a, b)",
                           "a*b*c", "a + b + c", "a*b - c", "-a"}) {
    Expr e = *Expr::parse(text);
    REQUIRE(e.str() == text);
    for (int i = 0; i < 300; ++i) {
      slow::Values values = valuesFrom(random, extremeNumbers);
      __int128 a = values["a"], b = values["b"], c = values["c"];
      std::optional<int64_t> expected;
      auto floorOf = [](__int128 p, __int128 q) {
        __int128 down = p / q;
        return down * q != p && (p < 0) != (q < 0) ? down - 1 : down;
      };
      if (e.str() == "a + b")
        expected = slow::narrow(a + b);
      else if (e.str() == "a - b")
        expected = slow::narrow(a - b);
      else if (e.str() == "a*b")
        expected = slow::narrow(a * b);
      else if (e.str() == "a // b" && b != 0)
        expected = slow::narrow(floorOf(a, b));
      else if (e.str() == "a % b" && b != 0)
        expected = slow::narrow(a - b * floorOf(a, b));
      else if (e.str() == "cdiv(a, b)" && b != 0)
        expected = slow::narrow(-floorOf(-a, b));
      else if (e.str() == "align(a, b)" && b >= 1)
        expected = slow::narrow(-floorOf(-a, b) * b);
      else if (e.str() == "a + b + c")
        expected = slow::narrow(a + b + c); // exact: also where a + b overflows
      else if (e.str() == "-a")
        expected = slow::narrow(-a);
      else if (e.str() == "a*b*c") {
        if (a == 0 || b == 0 || c == 0)
          expected = 0;
        else if (std::optional<int64_t> ab = slow::narrow(a * b); ab)
          expected = slow::narrow(__int128(*ab) * c);
        else if (a * b == -__int128(INT64_MIN) && c == -1)
          expected = INT64_MIN;
      } else if (e.str() == "a*b - c") {
        __int128 wide = a * b;
        // A product alone may be 2^63 in magnitude, no more.
        if (wide >= INT64_MIN && wide <= -__int128(INT64_MIN))
          expected = slow::narrow(wide - c);
      }
      Result<int64_t> found = e.evaluate(lookupIn(values));
      INFO(text << " a=" << values["a"] << " b=" << values["b"] << " c=" << values["c"]);
      REQUIRE(bool(found) == expected.has_value());
      if (expected)
        REQUIRE(*found == *expected);
      else
        REQUIRE(found.error().code == ErrorCode::outOfRange);
    }
  }
}

TEST_CASE("text of an expression parses back to it") {
  forRandom(3, 20000,
            [&](const Expr &e, const slow::Tree &, std::mt19937 &, const std::vector<int64_t> &) {
              std::string text = e.str();
              INFO(text);
              Result<Expr> back = Expr::parse(text);
              REQUIRE(back);
              REQUIRE(back->str() == text);
              REQUIRE(back->equal(e));
            });
}

TEST_CASE("facts hold for every value") {
  int bounded = 0, factored = 0;
  forRandom(4, 20000,
            [&](const Expr &e, const slow::Tree &tree, std::mt19937 &random,
                const std::vector<int64_t> &numbers) {
              // Random facts, and values within them.
              std::map<std::string, SymbolFacts> facts;
              for (const char *name : {"a", "b", "c", "N"}) {
                SymbolFacts &f = facts[name];
                int64_t x = numbers[random() % numbers.size()], y = int64_t(random() % 100) - 20;
                if (random() % 4)
                  f.min = std::min(x, y);
                if (random() % 4)
                  f.max = std::max(x, y);
                if (random() % 2)
                  f.multipleOf = int64_t(1) << random() % 4;
              }
              SymbolFacts known = e.facts([&](const std::string &name) { return facts.at(name); });
              bounded += known.min != INT64_MIN || known.max != INT64_MAX;
              factored += known.multipleOf != 1;
              for (int i = 0; i < 10; ++i) {
                slow::Values values = valuesFrom(random, numbers);
                bool inside = true;
                for (auto &[name, value] : values) {
                  const SymbolFacts &f = facts[name];
                  value = std::clamp(value, f.min, f.max);
                  value -= value % f.multipleOf;
                  inside &= value >= f.min && value <= f.max;
                }
                std::optional<int64_t> value = slow::evaluate(tree, values);
                if (!inside || !value)
                  continue;
                INFO(e.str() << " = " << *value << " not in " << known.min << ".." << known.max
                             << " by " << known.multipleOf);
                REQUIRE(*value >= known.min);
                REQUIRE(*value <= known.max);
                REQUIRE((known.multipleOf == 0 ? *value == 0 : *value % known.multipleOf == 0));
              }
            });
  CHECK(bounded > 5000);
  CHECK(factored > 2000);
}

TEST_CASE("equal expressions have equal values") {
  // Small trees over small numbers, so that many pairs are equal.
  std::mt19937 random(5);
  std::vector<std::pair<slow::Tree, Expr>> all;
  for (int i = 0; i < 1500; ++i) {
    slow::Tree tree = slow::grow(random, 1 + i % 3, {0, 1, 2, 4, -1});
    Result<Expr> e = Expr::parse(slow::print(tree, random, 0));
    REQUIRE(e);
    if (!e->symbols().empty())
      all.emplace_back(tree, *e);
  }
  int equal = 0;
  for (size_t i = 0; i < all.size(); ++i)
    for (size_t j = i + 1; j < all.size(); ++j) {
      if (!all[i].second.equal(all[j].second))
        continue;
      REQUIRE(all[j].second.equal(all[i].second));
      ++equal;
      for (int k = 0; k < 20; ++k) {
        slow::Values values = valuesFrom(random, smallNumbers);
        std::optional<int64_t> a = slow::evaluate(all[i].first, values);
        std::optional<int64_t> b = slow::evaluate(all[j].first, values);
        INFO(all[i].second.str() << " and " << all[j].second.str());
        REQUIRE((!a || !b || *a == *b));
      }
    }
  CHECK(equal > 1000);
}

TEST_CASE("substitution is evaluation in another environment") {
  int tooLarge = 0; // by constants beyond int64
  forRandom(
      6, 5000,
      [&](const Expr &e, const slow::Tree &tree, std::mt19937 &random,
          const std::vector<int64_t> &numbers) {
        slow::Values values = valuesFrom(random, numbers);
        // All names by numbers: a constant, where there is a value.
        Expr whole = e.substitute(
            [&](const std::string &name) -> std::optional<Expr> { return Expr(values.at(name)); });
        std::optional<int64_t> expected = slow::evaluate(tree, values);
        INFO(e.str() << " -> " << whole.str());
        tooLarge += whole.tooLarge();
        if (expected && !whole.tooLarge())
          REQUIRE(whole.constant() == expected);
        // Two names by expressions.
        slow::Tree a = slow::grow(random, 2, numbers), b = slow::grow(random, 2, numbers);
        Result<Expr> ea = Expr::parse(slow::print(a, random, 0));
        Result<Expr> eb = Expr::parse(slow::print(b, random, 0));
        if (!ea || !eb)
          return;
        Expr inner = e.substitute([&](const std::string &name) -> std::optional<Expr> {
          return name == "a" ? std::optional(*ea) : name == "b" ? std::optional(*eb) : std::nullopt;
        });
        slow::Values outer = values;
        std::optional<int64_t> va = slow::evaluate(a, values), vb = slow::evaluate(b, values);
        if (!va || !vb)
          return;
        outer["a"] = *va;
        outer["b"] = *vb;
        expected = slow::evaluate(tree, outer);
        INFO(e.str() << " -> " << inner.str());
        tooLarge += inner.tooLarge();
        if (expected && !inner.tooLarge())
          REQUIRE(*inner.evaluate(lookupIn(values)) == *expected);
      });
  CHECK(tooLarge < 500);
}
