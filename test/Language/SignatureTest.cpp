// What --signature, --range and --global accept, and the exact text where they do not.
#include "Language/Signature.h"

#include <catch2/catch.hpp>

#include <cmath>

using namespace teeny;

namespace {

const char *const file = "import triton\n"
                         "import triton.language as tl\n"
                         "LIMIT = 3\n"
                         "@triton.jit\n"
                         "def kernel(x, n, wide: tl.int64, B: tl.constexpr, F=None):\n"
                         "    pass\n"
                         "@triton.jit\n"
                         "def none():\n"
                         "    pass\n";

struct Fixture {
  Sources sources;
  Diagnostics diagnostics;
  std::unique_ptr<KernelFile> kernels =
      KernelFile::parse(sources.add("kernel.py", file), diagnostics);
  const KernelInfo &kernel = *kernels->find("kernel");

  std::optional<std::vector<ParamSpec>> parse(const std::string &text) {
    return parseSignature(sources.add("--signature", text), kernel, diagnostics);
  }
  // Of diagnostics: "COLUMN: message [hint]" a line, and where notes point, "@LINE:COLUMN".
  std::string reported() const {
    std::string text;
    for (const Diagnostic &diagnostic : diagnostics.all()) {
      text += std::to_string(diagnostic.location.column) + ": " + diagnostic.message;
      for (const Note &note : diagnostic.notes)
        text +=
            " @" + std::to_string(note.location.line) + ":" + std::to_string(note.location.column);
      if (!diagnostic.hint.empty())
        text += " [" + diagnostic.hint + "]";
      text += "\n";
    }
    return text;
  }
};

// "*fp16/16", "i32/1", "=128".
std::string shown(const ParamSpec &spec) {
  if (spec.kind == ParamSpec::constexprValue)
    return "=" + constText(spec.value);
  return signatureType(spec) + (spec.readOnly ? "k" : "") + "/" + std::to_string(spec.divisibility);
}

std::string accepted(const std::string &text) {
  Fixture fixture;
  std::optional<std::vector<ParamSpec>> specs = fixture.parse(text);
  INFO(text << "\n" << fixture.reported());
  REQUIRE(specs);
  std::string result;
  for (const ParamSpec &spec : *specs)
    result += (result.empty() ? "" : " ") + spec.name + ":" + shown(spec);
  return result;
}

std::string refused(const std::string &text) {
  Fixture fixture;
  INFO(text);
  CHECK_FALSE(fixture.parse(text));
  REQUIRE(fixture.diagnostics.hasErrors());
  return fixture.reported();
}

} // namespace

TEST_CASE("signatures that fit") {
  struct Row {
    const char *text, *meaning;
  };
  const Row rows[] = {
      {"*fp16:16, i32:16, i64, 128", "x:*fp16/16 n:i32/16 wide:i64/1 B:=128"},
      {"*fp16,i32,i64,128,None", "x:*fp16/2 n:i32/1 wide:i64/1 B:=128 F:=None"},
      {" * fp64 , u8 , i64 : 16 , -1 ", "x:*fp64/8 n:u8/1 wide:i64/16 B:=-1"},
      {"*kfp32:16, i32, i64, 1", "x:*fp32k/16 n:i32/1 wide:i64/1 B:=1"},
      {"*i1, i1, i64, True", "x:*i1/1 n:i1/1 wide:i64/1 B:=True"},
      {"*fp8e4nv, bf16, i64, 'a\\'b'", "x:*fp8e4nv/1 n:bf16/1 wide:i64/1 B:='a\\'b'"},
      {"*fp8e5, fp64, i64, \"relu\"", "x:*fp8e5/1 n:fp64/1 wide:i64/1 B:='relu'"},
      {"*bf16, i32:1, i64:1, 0x10", "x:*bf16/2 n:=1 wide:=1 B:=16"},
      {"*i64, u64, i64, tl.float32", "x:*i64/8 n:u64/1 wide:i64/1 B:=tl.float32"},
      {"*i32, 7, 9, tl.bfloat16", "x:*i32/4 n:=7 wide:=9 B:=tl.bfloat16"},
      {"None, fp32, i64, 0.5", "x:=None n:fp32/1 wide:i64/1 B:=0.5"},
      {"B=4, n=i16, wide=i64, x=*i8", "x:*i8/1 n:i16/1 wide:i64/1 B:=4"},
      {"*u32, u32, B=-inf, wide=i64, F=False", "x:*u32/4 n:u32/1 wide:i64/1 B:=-inf F:=False"},
      {"*u16, u16, i64, +1_000, F=1e-5", "x:*u16/2 n:u16/1 wide:i64/1 B:=1000 F:=1e-05"},
      {"*u64, i8, i64, 9223372036854775807", "x:*u64/8 n:i8/1 wide:i64/1 B:=9223372036854775807"},
      {"*u64, i8, i64, -9223372036854775808", "x:*u64/8 n:i8/1 wide:i64/1 B:=-9223372036854775808"},
  };
  for (const Row &row : rows)
    CHECK(accepted(row.text) == row.meaning);

  Fixture fixture;
  auto specs = fixture.parse("*fp16, i32, i64, nan");
  REQUIRE(specs);
  CHECK(std::isnan(std::get<double>(specs->back().value)));
  std::optional<std::vector<ParamSpec>> empty = parseSignature(
      fixture.sources.add("--signature", ""), *fixture.kernels->find("none"), fixture.diagnostics);
  REQUIRE(empty);
  CHECK(empty->empty());
}

TEST_CASE("signatures that do not fit") {
  struct Row {
    const char *text, *message;
  };
  const Row rows[] = {
      {"*fp17, i32, i64, 1", "2: unknown type 'fp17' [did you mean 'fp16'?]\n"},
      {"*float, i32, i64, 1", "2: unknown type 'float' [did you mean 'fp32'?]\n"},
      {"*fp32, int64, i64, 1", "8: unknown type 'int64' [did you mean 'i64'?]\n"},
      {"*fp32, constexpr, i64, 1",
       "8: unknown type 'constexpr' [types are i1 i8 i16 i32 i64 u8 u16 u32 u64 fp8e4nv fp8e5 fp16 "
       "bf16 fp32 fp64, and *TYPE for pointers]\n"},
      {"**fp32, i32, i64, 1", "1: pointers to pointers are not supported\n"},
      {"*, i32, i64, 1", "2: expected a type after '*', found ',' [types are i1 i8 i16 i32 i64 u8 "
                         "u16 u32 u64 fp8e4nv fp8e5 fp16 bf16 fp32 fp64, and *TYPE for "
                         "pointers]\n"},
      {"*fp32, fp8e5, i64, 1", "8: a parameter cannot be an fp8e5 scalar; only pointers to it can "
                               "be [write '*fp8e5' for a pointer]\n"},
      {"*fp32:8, i32, i64, 1",
       "7: expected the hint ':16' (a multiple of 16) or ':1' (the value 1), found '8'\n"},
      {"*fp32:, i32, i64, 1",
       "7: expected the hint ':16' (a multiple of 16) or ':1' (the value 1), found ','\n"},
      {"*fp32:1, i32, i64, 1",
       "7: the hint ':1' is for integers, but parameter 'x' is a pointer @5:12\n"},
      {"*fp32, fp32:16, i64, 1", "13: the hint ':16' is for integers and pointers, but parameter "
                                 "'n' is fp32 @5:15\n"},
      {"*fp32, i1:1, i64, 1",
       "11: the hint ':1' is for integers, but parameter 'n' is int1 @5:15\n"},
      {"*fp32, i32, i32, 1", "13: parameter 'wide' is annotated tl.int64 @5:18 [write 'i64']\n"},
      {"*fp32, i32, *i64, 1", "13: parameter 'wide' is annotated tl.int64 @5:18 [write 'i64']\n"},
      {"*fp32, i32, i64, fp16",
       "18: parameter 'B' is constexpr, so a value is needed here @5:34 [a "
       "type as a value is written tl.float16]\n"},
      {"*fp32, i32, i64, *fp16",
       "18: parameter 'B' is constexpr, so a value is needed here @5:34\n"},
      {"*fp32, i32, i64", "16: the signature says nothing of parameter 'B' of 'kernel' @5:34\n"},
      {"*fp32", "6: the signature says nothing of parameters 'n', 'wide' and 'B' of 'kernel' "
                "@5:15\n"},
      {"", "1: the signature says nothing of parameters 'x', 'n', 'wide' and 'B' of 'kernel' "
           "@5:12\n"},
      {"*fp32, i32, i64, 1, 2, 3, 4", "24: too many items: 'kernel' has 5 parameters @5:5\n"},
      {"*fp32, i32, i64, 1,", "20: expected a type or a value after the comma, found the end\n"},
      {"*fp32,, i64, 1", "7: expected a type or a value, found ','\n"},
      {"*fp32 i32, i64, 1", "7: expected a comma or the end, found 'i32'\n"
                            "18: the signature says nothing of parameter 'B' of 'kernel' @5:34\n"},
      {"*fp32, m=i32, wide=i64, B=1", "8: 'kernel' has no parameter 'm' @5:5\n"},
      {"*fp32, N=i32, wide=i64, B=1",
       "8: 'kernel' has no parameter 'N' @5:5 [did you mean 'n'?]\n"},
      {"*fp32, x=*fp32, i32, i64", "8: parameter 'x' is given twice @5:12\n"
                                   "17: an item without a name follows one with a name [write "
                                   "NAME= before it]\n"
                                   "22: an item without a name follows one with a name [write "
                                   "NAME= before it]\n"},
      {"*fp32, i32, i64, B=1, B=2", "23: parameter 'B' is given twice @5:34\n"},
      {"*fp32, i32, i64, 9223372036854775808",
       "18: integer '9223372036854775808' does not fit in 64 bits\n"},
      {"*fp32, i32, i64, tl.float31", "21: expected a type of the language after 'tl.', such as "
                                      "tl.float32, found 'float31'\n"},
      {"*fp32, i32, i64, -x", "19: expected a number, found 'x'\n"},
      {"*fp32, i32, i64, (1, 2)",
       "18: expected a value, found '(' [values are True, False, None, numbers, 'text' and types "
       "such as tl.float32]\n"},
      {"*fp32, i32, i64, f'a'", "18: expected plain text in quotes, found 'f'a''\n"},
      {"*fp32, i32, i64, 'a", "18: expected a value, found unterminated string [values are "
                              "True, False, None, numbers, 'text' and types such as tl.float32]\n"},
  };
  for (const Row &row : rows)
    CHECK(refused(row.text) == row.message);
  std::string longText = "*fp32, i32, i64, '" + std::string(201, 'a') + "'";
  CHECK(refused(longText) == "18: text of 201 bytes, at most 200 are allowed\n");
}

TEST_CASE("ranges of integer parameters") {
  struct Row {
    const char *text;
    int64_t low, high;
  };
  const Row rows[] = {{"n=1:4096", 1, 4096},
                      {"n=0:0", 0, 0},
                      {"n=-5:", -5, INT32_MAX},
                      {"n=:7", INT32_MIN, 7},
                      {"n=:", INT32_MIN, INT32_MAX},
                      {"wide=1:", 1, INT64_MAX},
                      {"wide=-9223372036854775808:9223372036854775807", INT64_MIN, INT64_MAX}};
  for (const Row &row : rows) {
    Fixture fixture;
    INFO(row.text);
    auto specs = fixture.parse("*fp32, i32, i64, 1");
    auto range = parseRange(fixture.sources.add("--range", row.text), fixture.diagnostics);
    REQUIRE(specs);
    REQUIRE(range);
    REQUIRE(applyRange(*range, fixture.kernel, *specs, fixture.diagnostics));
    const ParamSpec &spec = (*specs)[range->name == "n" ? 1 : 2];
    CHECK(spec.range == std::pair(row.low, row.high));
  }
  Fixture fixture;
  auto specs = fixture.parse("*fp32, u64, i64, 1");
  auto range = parseRange(fixture.sources.add("--range", "n=3:"), fixture.diagnostics);
  REQUIRE((specs && range && applyRange(*range, fixture.kernel, *specs, fixture.diagnostics)));
  CHECK((*specs)[1].range == std::pair(int64_t(3), INT64_MAX));
}

TEST_CASE("ranges that cannot be") {
  struct Row {
    const char *text, *message;
  };
  const Row rows[] = {
      {"n", "1: expected NAME=LOW:HIGH, found 'n'\n"},
      {"", "1: expected NAME=LOW:HIGH, found the end\n"},
      {"n=4", "4: expected ':' and the largest value, found the end\n"},
      {"n=a:4", "3: expected an integer, found 'a'\n"},
      {"n=1:4.5", "5: expected an integer, found '4.5'\n"},
      {"n=1:4 5", "7: expected the end, found '5'\n"},
      {"n=9:4", "5: the largest value, 4, is less than the smallest, 9\n"},
      {"n=0:2147483648", "5: 2147483648 is no i32, which is -2147483648 to 2147483647 @5:15\n"},
      {"x=0:1", "1: parameter 'x' is a pointer; only integers have a range @5:12\n"},
      {"B=0:1", "1: parameter 'B' is known at compile time, and so has no range @5:34\n"},
      {"F=0:1", "1: parameter 'F' is known at compile time, and so has no range @5:51\n"},
  };
  for (const Row &row : rows) {
    Fixture fixture;
    INFO(row.text);
    auto specs = fixture.parse("*fp32, i32, i64, 1");
    REQUIRE(specs);
    auto range = parseRange(fixture.sources.add("--range", row.text), fixture.diagnostics);
    CHECK_FALSE((range && applyRange(*range, fixture.kernel, *specs, fixture.diagnostics)));
    CHECK(fixture.reported() == row.message);
  }
}

TEST_CASE("globals") {
  Fixture fixture;
  auto global = parseGlobal(fixture.sources.add("--global", "LIMIT=-7"), *fixture.kernels->source(),
                            fixture.diagnostics);
  REQUIRE(global);
  CHECK(global->first == "LIMIT");
  CHECK(std::get<int64_t>(global->second) == -7);
  for (const auto &[text, message] : std::vector<std::pair<std::string, std::string>>{
           {"LIMIT", "1: expected NAME=VALUE, found 'LIMIT'\n"},
           {"LIMIT=", "7: expected a value, found the end [values are True, False, None, numbers, "
                      "'text' and types such as tl.float32]\n"},
           {"LIMIT=3 4", "9: expected the end, found '4'\n"},
           {"LIMITS=3", "1: 'kernel.py' does not mention 'LIMITS' [did you mean 'LIMIT'?]\n"}}) {
    Fixture fresh;
    INFO(text);
    CHECK_FALSE(parseGlobal(fresh.sources.add("--global", text), *fresh.kernels->source(),
                            fresh.diagnostics));
    CHECK(fresh.reported() == message);
  }
}
