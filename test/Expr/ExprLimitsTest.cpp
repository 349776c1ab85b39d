// Text that is too deep, too long or no text at all, and expressions built too large.
#include "Expr/Expr.h"

#include <catch2/catch.hpp>

#include <random>

using namespace teeny;

namespace {

std::string repeat(const std::string &text, int count) {
  std::string all;
  for (int i = 0; i < count; ++i)
    all += text;
  return all;
}

std::optional<int64_t> one(const std::string &) { return 1; }

} // namespace

TEST_CASE("nesting is limited") {
  CHECK(Expr::parse(repeat("(", 60) + "N" + repeat(")", 60)));
  for (int depth : {65, 1000, 30000}) {
    Result<Expr> e = Expr::parse(repeat("(", depth) + "N" + repeat(")", depth));
    REQUIRE_FALSE(e);
    CHECK(e.error().code == ErrorCode::unsupported);
    CHECK(e.error().message == "column 65: nested deeper than 64 levels");
  }
  CHECK_FALSE(Expr::parse(repeat("1 if a else ", 1000) + "2"));
  CHECK_FALSE(Expr::parse(repeat("min(a, ", 1000) + "2" + repeat(")", 1000)));
  CHECK_FALSE(Expr::parse(repeat("(", 60000)));
}

TEST_CASE("chains need no nesting in text but are levels of the expression") {
  CHECK(Expr::parse("N" + repeat(" // M", 60)));
  Result<Expr> deep = Expr::parse("N" + repeat(" // M", 70));
  REQUIRE_FALSE(deep);
  CHECK(deep.error().message ==
        "expression too large: more than 64 levels or 4096 operands, or a constant beyond 64 bits");
  // These are not.
  CHECK(Expr::parse(repeat("not ", 10000) + "N")->str() == "N != 0");
  CHECK(Expr::parse(repeat("-", 10001) + "N")->str() == "-N");
  CHECK(Expr::parse("N" + repeat(" + N", 10000))->str() == "10001*N");
  CHECK(Expr::parse("N" + repeat(" // 2", 62))->str() == "N // 4611686018427387904");
}

TEST_CASE("length is limited") {
  CHECK(Expr::parse(std::string(Expr::maxText - 1, ' ') + "N"));
  Result<Expr> e = Expr::parse(std::string(Expr::maxText, ' ') + "N");
  REQUIRE_FALSE(e);
  CHECK(e.error().message == "expression of 65537 bytes, at most 65536 are read");

  std::string wide = "x0", factors = "x0";
  for (int i = 1; i < 5000; ++i) {
    wide += " + x" + std::to_string(i);
    factors += "*x" + std::to_string(i);
  }
  CHECK_FALSE(Expr::parse(wide));
  CHECK_FALSE(Expr::parse(factors));
}

TEST_CASE("what operators build beyond the limits has no value") {
  // Doubles its factors each time.
  Expr e = Expr::symbol("N");
  for (int i = 0; i < 100; ++i)
    e = e * e;
  CHECK(e.tooLarge());
  Result<int64_t> value = e.evaluate(one);
  REQUIRE_FALSE(value);
  CHECK(value.error().code == ErrorCode::outOfRange);
  CHECK(value.error().message.find("expression too large") == 0);
  CHECK_FALSE(Expr::parse(e.str()));

  // Everything passes it on.
  Expr n = Expr::symbol("N");
  for (const Expr &user : {e + 1, e - e, e * 0, 0 - e, floorDiv(e, 2), mod(n, e), cdiv(e, e),
                           align(e, 4), min(e, n), max(3, e)})
    CHECK(user.tooLarge());
  CHECK_FALSE(e.equal(e));
  CHECK(e.symbols().empty());
  CHECK(e.facts([](const std::string &) { return SymbolFacts(); }).max == INT64_MAX);
  CHECK((n + 1).substitute([&](const std::string &) { return std::optional(e); }).tooLarge());

  // Levels.
  Expr deep = n;
  for (int i = 0; i < 1000; ++i)
    deep = floorDiv(deep, Expr::symbol("M"));
  CHECK(deep.tooLarge());
}

TEST_CASE("the deepest expressions print text that is read again") {
  // Each of these wraps what it is given in as much text as one level can take.
  const char *wrappers[] = {"(@)*M // K",
                            "K // (@)",
                            "K // ((@ if a else b)*c)",
                            "min(K, @)",
                            "a if b else (@) + 1",
                            "(a if b else @)*c",
                            "not (a and (@))",
                            "(@ + 1)*M",
                            "K % ((@) % M)",
                            "a if (b if c else @) else d"};
  for (const char *wrapper : wrappers) {
    std::string text = "N";
    int levels = 0;
    for (; levels < 100; ++levels) {
      std::string next = wrapper;
      next.replace(next.find('@'), 1, text);
      Result<Expr> e = Expr::parse(next);
      if (!e)
        break;
      text = e->str();
      INFO(text);
      Result<Expr> back = Expr::parse(text);
      REQUIRE(back);
      REQUIRE(back->str() == text);
    }
    INFO(wrapper);
    CHECK(levels >= 15);
  }
}

TEST_CASE("any bytes are read or refused") {
  std::mt19937 random(7);
  const std::string pieces[] = {"N",
                                "M",
                                "12",
                                "(",
                                ")",
                                "+",
                                "-",
                                "*",
                                "//",
                                "%",
                                "min(",
                                ",",
                                "if ",
                                " else ",
                                " and ",
                                " or ",
                                "not ",
                                "cdiv(",
                                "align(",
                                "<",
                                "==",
                                " ",
                                "9223372036854775807",
                                "\xff",
                                std::string(1, '\0')};
  int read = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string text;
    for (size_t length = random() % 12; length > 0; --length)
      text += random() % 20 ? pieces[random() % std::size(pieces)] : std::string(1, char(random()));
    Result<Expr> e = Expr::parse(text);
    if (!e) {
      REQUIRE_FALSE(e.error().message.empty());
      continue;
    }
    ++read;
    (void)bool(e->evaluate(one));
    REQUIRE(Expr::parse(e->str()));
  }
  CHECK(read > 1000);
}
