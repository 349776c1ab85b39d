// What the fuzzer does, on what it starts from and on what it has found.
#include "Expr/Expr.h"
#include "Expr/SlowParser.h"
#include "Fuzz.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace teeny;

TEST_CASE("every string of the shipped declarations as an expression") {
  namespace fs = std::filesystem;
  size_t texts = 0;
  for (const fs::directory_entry &entry :
       fs::recursive_directory_iterator(std::string(TEENY_SOURCE_DIR) + "/kernels")) {
    if (entry.path().extension() != ".json")
      continue;
    std::ifstream file(entry.path());
    std::string text((std::istreambuf_iterator<char>(file)), {});
    for (size_t at = text.find('"'); at != std::string::npos; at = text.find('"', at + 1)) {
      size_t end = std::min(text.find('"', at + 1), text.size());
      fuzz::expr(std::string_view(text).substr(at + 1, end - at - 1));
      at = end;
      ++texts;
    }
  }
  CHECK(texts > 300);
}

TEST_CASE("the slow parser reads what the slow printer prints") {
  std::mt19937 random(8);
  for (int i = 0; i < 2000; ++i) {
    slow::Tree tree = slow::grow(random, 1 + i % 5, {0, 1, -1, 7, INT64_MAX, INT64_MIN});
    std::string text = slow::print(tree, random, 0);
    INFO(text);
    std::optional<slow::Tree> back = slow::parse(text, 64);
    REQUIRE(back);
    slow::Values values = {{"a", 3}, {"b", -7}, {"c", 0}, {"N", INT64_MAX}};
    REQUIRE(slow::evaluate(*back, values) == slow::evaluate(tree, values));
  }
  for (const char *text : {"", "a b", "a <", "a < b < c", "min(a)", "cdiv(a, b, c)", "if", "1a",
                           "9223372036854775808", "(a", "a)", "a if b", "a\xC3\xA4"})
    CHECK_FALSE(slow::parse(text, 64));
}

TEST_CASE("bounds of sums of products beyond 128 bits") {
  auto boundsOf = [](const char *text, int64_t min, int64_t max) {
    Result<Expr> e = Expr::parse(text);
    REQUIRE(e);
    SymbolFacts facts = e->facts([&](const std::string &) { return SymbolFacts{min, max, 1}; });
    return std::pair(facts.min, facts.max);
  };
  const int64_t large = int64_t(1) << 62;
  // At least 2^187, so no value at all; at most that much below 0.
  CHECK(boundsOf("a*b*c + a*b*d", large, INT64_MAX) == std::pair(INT64_MAX, INT64_MAX));
  CHECK(boundsOf("-a*b*c - a*b*d", large, INT64_MAX) == std::pair(INT64_MIN, INT64_MIN));
  // Here nothing is known.
  CHECK(boundsOf("a*b*c + a*b*d", -large, large) == std::pair(INT64_MIN, INT64_MAX));
  CHECK(boundsOf("a*b*c - a*b*d", large, INT64_MAX) == std::pair(INT64_MIN, INT64_MAX));
}

TEST_CASE("what fuzzing expressions has found") {
  const char *found[] = {
      "H + PAD_TOP //PAOOTBTD_M - DRKIH + PADWTOP % ION_HA-r1 if TA else a2 * (KH - 1) "
      "- 0\n*PADRKILATION_H * (KH - 1) - R1\n if TA else a2 * (GH - 1) - 0\n*PADRKILATI"
      "ON_H * (KH - 1) - R1\n*K*P//AD*Tnnn*Nnnn1\n*PADK*P//AD+Tnnn*NnnnK*P\n*K*P//AD*Tn"
      "nn*Nnnn5\n*PADK*P//AD+Tnnn*NnnnK*P\n//ATDTn*nn*NnnnT",
  };
  for (const char *text : found)
    fuzz::expr(text);
}
