#include "Expr/Expr.h"

#include <catch2/catch.hpp>

using namespace teeny;

namespace {

std::string canonical(const char *text) {
  Result<Expr> e = Expr::parse(text);
  return e ? e->str() : "error: " + e.error().message;
}

bool equal(const char *a, const char *b) { return Expr::parse(a)->equal(*Expr::parse(b)); }

std::string valueOf(const char *text, int64_t n = 0) {
  Result<int64_t> value = Expr::parse(text)->evaluate(
      [&](const std::string &name) { return name == "N" ? std::optional(n) : std::nullopt; });
  return value ? std::to_string(*value) : value.error().message;
}

} // namespace

TEST_CASE("canonical text") {
  const std::pair<const char *, const char *> cases[] = {
      {"7", "7"},
      {"  N ", "N"},
      {"+N", "N"},
      {"--N", "N"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"(1 // 0 + N)*M < min(K, L)", "1 // 0"},
      {"7 % (M*0)", "7 % 0"},
      {"N // 0", "1 // 0"},
      {"N if M else 1 // 0", "N if M else 1 // 0"},
      {"N and 1 // 0", "N and 1 // 0"},
      {"1 // 0 and N", "1 // 0"},
      {"-9223372036854775808 - -9223372036854775808", "0"},
      // Sums and products.
      {"N + N", "2*N"},
      {"M + N - M", "N"},
      {"1 + N + 2", "N + 3"},
      {"4 - N", "4 - N"},
      {"-N - M", "-M - N"},
      {"N*3*M*2", "6*M*N"},
      {"2*(N + 3)", "2*N + 6"},
      {"(N + 1)*M", "M*(N + 1)"},
      {"(2*N + 4)*M", "2*M*(N + 2)"},
      {"N*0", "0"},
      {"N*N + N + 1", "N*N + N + 1"},
      {"-(N // 2)", "-(N // 2)"},
      {"N // 2*3", "3*(N // 2)"},
      // Division.
      {"4*N // 4", "N"},
      {"(4*N + 9) // 4", "N + 2"},
      {"(4*N + 9) % 4", "1"},
      {"(N + 9) // 4", "(N + 1) // 4 + 2"},
      {"(N - 1) // 2", "(N + 1) // 2 - 1"},
      {"(4*N + M) // 4", "N + M // 4"},
      {"6*N*M // (4*M)", "3*N // 2"},
      {"(N*M + N) // N", "M + 1"},
      {"(6*N + 4) % 8", "2*((3*N + 2) % 4)"},
      {"N // 2 // 3", "N // 6"},
      {"N % 8 % 4", "N % 4"},
      {"N // -2", "-N // 2"},
      {"N % -4", "-(-N % 4)"},
      {"7 // 2", "3"},
      {"-7 // 2", "-4"},
      {"7 // -2", "-4"},
      {"7 % -2", "-1"},
      {"-7 % 2", "1"},
      {"1 // 0", "1 // 0"},
      {"cdiv(N, 4)", "cdiv(N, 4)"},
      {"cdiv(4*N, 4)", "N"},
      {"cdiv(4*N + 1, 4)", "N + 1"},
      {"cdiv(-7, 2)", "-3"},
      {"align(5, 4)", "8"},
      {"align(8*N, 4)", "8*N"},
      {"align(align(N, 8), 4)", "align(N, 8)"},
      {"align(N, 1)", "N"},
      // min, max.
      {"min(N, 3, M, 2)", "min(M, N, 2)"},
      {"max(N, max(M, N))", "max(M, N)"},
      {"min(N, N)", "N"},
      // Comparisons.
      {"N > M", "M < N"},
      {"3 <= N", "N >= 3"},
      {"N == N", "1"},
      {"N < N + 1", "1"},
      {"N % 4 < 4", "1"},
      {"N % 4 >= 4", "0"},
      {"not N < 3", "N >= 3"},
      {"not N", "N == 0"},
      {"not not N", "N != 0"},
      {"not (N and M)", "not (N and M)"},
      // Logic and choice.
      {"N > 0 and 1 and N > 0", "N > 0"},
      {"N and 0", "0"},
      {"N or 5", "1"},
      {"N and 1", "N != 0"},
      {"a or b and c", "a or b and c"},
      {"(a or b) and c", "(a or b) and c"},
      {"a if 1 else b", "a"},
      {"a if N else a", "a"},
      {"a if N else b if M else c", "a if N else b if M else c"},
      {"(a if N else b) if M else c", "(a if N else b) if M else c"},
      {"(a if N else b) + 1", "(a if N else b) + 1"},
  };
  for (const auto &[text, expected] : cases)
    CHECK(canonical(text) == expected);
}

TEST_CASE("syntax errors name the column and what was expected") {
  const std::pair<const char *, const char *> cases[] = {
      {"", "column 1: expected an expression, found the end"},
      {"a + ", "column 5: expected an expression, found the end"},
      {"(a", "column 3: expected ')', found the end"},
      {"a b", "column 3: expected an operator or the end, found 'b'"},
      {"a @ b", "column 3: expected an operator or the end, found '@'"},
      {"3a", "column 1: expected a decimal integer, found '3a'"},
      {"0x10", "column 1: expected a decimal integer, found '0x10'"},
      {"a = b", "column 3: expected an operator or the end, found '='"},
      {"a < b < c",
       "column 7: comparisons cannot be chained: expected 'and' or parentheses, found '<'"},
      {"a if b", "column 7: expected 'else', found the end"},
      {"min(a)", "column 6: expected ',' and a second argument, found ')'"},
      {"cdiv(a, b, c)", "column 12: expected no third argument, found 'c'"},
      {"min a", "column 5: expected '(', found 'a'"},
      {"abs(a)", "column 4: 'abs' is not a function (min, max, cdiv, align): expected an operator "
                 "or the end, found '('"},
      {"a + else", "column 5: expected an expression, found 'else'"},
      {"9223372036854775808", "column 1: integer does not fit in 64 bits"},
      {"a\xff", "column 2: expected an operator or the end, found '\\xff'"},
  };
  for (const auto &[text, expected] : cases) {
    Result<Expr> e = Expr::parse(text);
    REQUIRE_FALSE(e);
    CHECK(e.error().message == expected);
  }
}

TEST_CASE("constants that do not fit are refused where the whole does not bring them back") {
  for (const char *text :
       {"9223372036854775807 + 1", "--9223372036854775808", "4611686018427387904*2*N",
        "9223372036854775807*N + N", "N - -9223372036854775808", "3*(9223372036854775807*N + M)"}) {
    Result<Expr> e = Expr::parse(text);
    INFO(text);
    REQUIRE_FALSE(e);
    CHECK(e.error().code == ErrorCode::unsupported);
    CHECK(e.error().message == "expression too large: more than 64 levels or 4096 operands, or a "
                               "constant beyond 64 bits");
  }
  CHECK(canonical("9223372036854775807 + N + 1 - 1") == "N + 9223372036854775807");
  CHECK(canonical("N - 9223372036854775807 - 1") == "N + -9223372036854775808");
}

TEST_CASE("evaluation errors name the part that fails") {
  CHECK(valueOf("N + 1", INT64_MAX) == "overflow in 'N + 1'");
  CHECK(valueOf("N*N", INT64_MAX) == "overflow in 'N*N'");
  CHECK(valueOf("7 // N", 0) == "division by zero in '7 // N'");
  CHECK(valueOf("7 % N", 0) == "division by zero in '7 % N'");
  CHECK(valueOf("align(7, N)", 0) == "alignment 0 in 'align(7, N)', must be at least 1");
  CHECK(valueOf("M + 1", 0) == "'M' has no value");
  CHECK(valueOf("N // -1", INT64_MIN) == "overflow in '-N'");
}

TEST_CASE("only what decides is evaluated") {
  CHECK(valueOf("7 // N if N != 0 else 5", 0) == "5");
  CHECK(valueOf("7 // N if N != 0 else 5", 2) == "3");
  CHECK(valueOf("5 if N == 0 else 7 // N", 0) == "5");
  CHECK(valueOf("N != 0 and 7 // N > 2", 0) == "0");
  CHECK(valueOf("N == 0 or 7 // N > 2", 0) == "1");
  CHECK(valueOf("7 // N > 2 and N != 0", 0) == "division by zero in '7 // N'");
}

TEST_CASE("intermediate sums and products are exact") {
  CHECK(valueOf("N + N - N", INT64_MAX) == std::to_string(INT64_MAX));
  CHECK(valueOf("2*(N - 1) - N", INT64_MAX) == std::to_string(INT64_MAX - 2));
  CHECK(valueOf("(N - 1) // 2", INT64_MAX) == std::to_string(INT64_MAX / 2));
  CHECK(valueOf("4*(N // 4) + N % 4", INT64_MIN) == std::to_string(INT64_MIN));
}

TEST_CASE("equality beyond canonical forms") {
  CHECK(equal("2*N", "N + N"));
  CHECK(equal("cdiv(N, 4)", "(N + 3) // 4"));
  CHECK(equal("align(N, 8)", "8*cdiv(N, 8)"));
  CHECK(equal("align(N, 8)", "(N + 7) // 8*8"));
  CHECK(equal("(N + 1)*(M - 1)", "N*M - N + M - 1"));
  CHECK(equal("(H + 2*1 - 3) // 2 + 1", "(H + 1) // 2"));
  CHECK(equal("-N // 4", "-cdiv(N, 4)"));
  CHECK(equal("B*((H - 1) // 2 + 1)*4", "4*B*((H + 1) // 2)"));
  CHECK(equal("max(N, (M + 1)*2)", "max(2 + 2*M, N)"));
  CHECK_FALSE(equal("N // 2", "N // 3"));
  CHECK_FALSE(equal("N", "M"));
  CHECK_FALSE(equal("(N + 1) // 2", "N // 2"));
  CHECK_FALSE(equal("a and b", "b and a")); // b may fail where a is 0
}

TEST_CASE("facts of typical sizes") {
  auto facts = [](const char *text) {
    SymbolFacts f = Expr::parse(text)->facts([](const std::string &name) {
      return name == "A" ? SymbolFacts{4, 33600, 4} : SymbolFacts{0, 64, 1};
    });
    return std::vector<int64_t>{f.min, f.max, f.multipleOf};
  };
  using Facts = std::vector<int64_t>;
  CHECK(facts("A") == Facts{4, 33600, 4});
  CHECK(facts("A*B") == Facts{0, 33600 * 64, 4});
  CHECK(facts("B*cdiv(A, 256)") == Facts{0, 64 * 132, 1});
  CHECK(facts("A*4 + 16") == Facts{32, 134416, 16});
  CHECK(facts("A // 4") == Facts{1, 8400, 1});
  CHECK(facts("A % 16") == Facts{0, 12, 4});
  CHECK(facts("align(B, 16)") == Facts{0, 64, 16});
  CHECK(facts("min(A, 16*B)") == Facts{0, 1024, 4});
  CHECK(facts("B - 1") == Facts{-1, 63, 1});
  CHECK(facts("100 // B") == Facts{1, 100, 1});
  CHECK(facts("A if B > 3 else 8") == Facts{4, 33600, 4});
  CHECK(facts("0") == Facts{0, 0, 0});
  CHECK(facts("12") == Facts{12, 12, 12});
  CHECK(facts("A < B") == Facts{0, 1, 1});
  CHECK(facts("A > 3") == Facts{1, 1, 1});
  CHECK(facts("B >= 65") == Facts{0, 0, 0});
  CHECK(facts("B <= A + 64") == Facts{1, 1, 1});
  CHECK(facts("A < B - 60") == Facts{0, 0, 0});
  CHECK(facts("A == 2") == Facts{0, 0, 0});
  CHECK(facts("A != 2") == Facts{1, 1, 1});
  SymbolFacts unknown =
      Expr::parse("N*N")->facts([](const std::string &) { return SymbolFacts(); });
  CHECK(unknown.min == INT64_MIN);
  CHECK(unknown.max == INT64_MAX);
}

TEST_CASE("linear expressions are solved") {
  auto linear = [](const char *text) { return Expr::parse(text)->linear(); };
  REQUIRE(linear("N"));
  CHECK(*linear("N")->solve(7) == 7);
  REQUIRE(linear("4*N + 2"));
  CHECK(linear("4*N + 2")->scale == 4);
  CHECK(linear("4*N + 2")->offset == 2);
  CHECK(*linear("4*N + 2")->solve(14) == 3);
  CHECK(*linear("3 - N")->solve(10) == -7);
  CHECK(linear("4*N + 2")->solve(7).error().message ==
        "4*N + 2 = 7 has no integer solution: 7 - 2 = 5 is no multiple of 4");
  CHECK(linear("-N")->solve(INT64_MIN).error().message ==
        "-N = -9223372036854775808 has no solution in 64 bits");
  CHECK(linear("2*N - 4")->solve(3).error().message ==
        "2*N - 4 = 3 has no integer solution: 3 + 4 = 7 is no multiple of 2");
  for (const char *text : {"5", "N*N", "N + M", "N // 2", "N + M + 1", "2*(N // 2)"})
    CHECK_FALSE(linear(text));
}

TEST_CASE("building with operators gives what parsing gives") {
  Expr n = Expr::symbol("N"), m = Expr::symbol("M");
  CHECK((n + m * 2 - 1).str() == canonical("N + M*2 - 1"));
  CHECK((-n).str() == "-N");
  CHECK(floorDiv(n, 4).str() == "N // 4");
  CHECK(mod(n, m).str() == "N % M");
  CHECK(cdiv(n, 4).str() == "cdiv(N, 4)");
  CHECK(align(n, m).str() == "align(N, M)");
  CHECK(min(n, m).str() == "min(M, N)");
  CHECK(max(n, 3).str() == "max(N, 3)");
  CHECK(Expr().constant() == 0);
  CHECK(n.symbolName() == "N");
  CHECK_FALSE((n + 1).symbolName());
  CHECK((n * m + 3).symbols() == std::set<std::string>{"M", "N"});
}

TEST_CASE("names") {
  for (const char *text : {"N", "_", "a1", "If", "minimum", "A_9"})
    CHECK(Expr::isName(text));
  for (const char *text : {"", "1a", "a-b", "if", "else", "and", "or", "not", "min", "max", "cdiv",
                           "align", "a b", "\xc3\xa4"})
    CHECK_FALSE(Expr::isName(text));
}
