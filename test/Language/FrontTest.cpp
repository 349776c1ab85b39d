// Lexer, parser and compile-time arithmetic by themselves, and texts that are no kernels.
#include "Language/Constants.h"
#include "Language/Lexer.h"
#include "LanguageSupport.h"

#include <catch2/catch.hpp>

using namespace teeny;
using namespace teeny::lang;
using namespace teeny::test;

static std::string shown(const std::string &text) {
  static const char *const kinds[] = {"end",    "newline", "indent",   "dedent",
                                      "name",   "integer", "floating", "imaginary",
                                      "string", "op",      "error"};
  std::string result;
  for (const Token &token : tokenize(text))
    result += std::string(result.empty() ? "" : " ") + kinds[token.kind] +
              (token.text.empty() ? "" : ":" + token.text.str());
  return result;
}

TEST_CASE("tokens are Python's") {
  CHECK(shown("a = 1\n") == "name:a op:= integer:1 newline end");
  CHECK(shown("if x:\n  y\n    \n# note\nz\n") ==
        "name:if name:x op:: newline indent name:y newline dedent name:z newline end");
  CHECK(shown("f(a,\n  b)\n") == "name:f op:( name:a op:, name:b op:) newline end");
  CHECK(shown("a \\\n  b") == "name:a name:b newline end");
  CHECK(shown("a\r\nb\rc") == "name:a newline name:b newline name:c newline end");
  CHECK(shown("x**=2//3") == "name:x op:**= integer:2 op:// integer:3 newline end");
  CHECK(shown("1.5e-3 .5 5. 0xFF_00 1j 1e5") ==
        "floating:1.5e-3 floating:.5 floating:5. integer:0xFF_00 imaginary:1j floating:1e5 newline "
        "end");
  CHECK(shown("1if x else 2") == "integer:1 name:if name:x name:else integer:2 newline end");
  CHECK(shown("'a' r\"\\n\" '''b\nc''' f'{x!r:>{w}}'") ==
        "string:'a' string:r\"\\n\" string:'''b\nc''' string:f'{x!r:>{w}}' newline end");
  CHECK(shown("f\"{d['k']}\" f'{{'") == "string:f\"{d['k']}\" string:f'{{' newline end");
  CHECK(shown("'open\nx") == "error:'open newline name:x newline end");
  CHECK(shown("12ab $") == "error:12ab error:$ newline end");
  CHECK(shown(std::string("a\0b", 3)) == std::string("name:a error:\0 name:b newline end", 33));
}

TEST_CASE("tokens know their place") {
  std::vector<Token> tokens = tokenize("ab = \\\n   cd\n");
  REQUIRE(tokens.size() == 5);
  CHECK(tokens[2].span.line == 2);
  CHECK(tokens[2].span.column == 4);
  CHECK(tokens[2].span.length == 2);
}

TEST_CASE("numbers and strings have their values") {
  CHECK(*parseInteger("0xffff_ffff_ffff_ffff") == (Integer(1) << 64) - 1);
  CHECK(*parseInteger("0b101") == 5);
  CHECK(*parseInteger("0o17") == 15);
  CHECK(!parseInteger("0xffffffffffffffffffffffffffffffff"));
  CHECK(parseFloating("1_0.5e1") == 105.0);
  CHECK(parseString("'a\\n\\x41\\u00e9\\101'").text == "a\nA\xc3\xa9"
                                                       "A");
  CHECK(parseString("r'a\\n'").text == "a\\n");
  CHECK(toString(-(Integer(1) << 100)) == "-1267650600228229401496703205376");
}

static std::string folded(ast::BinaryOp op, Constant a, Constant b) {
  std::string error;
  std::optional<Constant> result = evaluate(op, a, b, error);
  return result ? text(*result) : "error: " + error;
}

TEST_CASE("compile-time arithmetic is Python's") {
  using Op = ast::BinaryOp;
  CHECK(folded(Op::floordiv, Integer(-7), Integer(2)) == "-4");
  CHECK(folded(Op::mod, Integer(-7), Integer(2)) == "1");
  CHECK(folded(Op::mod, Integer(7), Integer(-2)) == "-1");
  CHECK(folded(Op::div, Integer(7), Integer(2)) == "3.5");
  CHECK(folded(Op::mod, -7.5, 2.0) == "0.5");
  CHECK(folded(Op::floordiv, -7.5, 2.0) == "-4.0");
  CHECK(folded(Op::pow, Integer(2), Integer(100)) == "1267650600228229401496703205376");
  CHECK(folded(Op::pow, Integer(2), Integer(-1)) == "0.5");
  CHECK(folded(Op::pow, Integer(2), Integer(200)) == "error: the result does not fit in 127 bits");
  CHECK(folded(Op::shiftLeft, Integer(-3), Integer(4)) == "-48");
  CHECK(folded(Op::shiftRight, Integer(-3), Integer(200)) == "-1");
  CHECK(folded(Op::add, true, Integer(1)) == "2");
  CHECK(folded(Op::bitAnd, true, false) == "False");
  CHECK(folded(Op::add, std::string("a"), std::string("b")) == "'ab'");
  CHECK(folded(Op::floordiv, Integer(1), Integer(0)) == "error: division by zero");
}

static Compiled compileText(const std::string &text, const std::string &specs = "") {
  return compile("kernel.py", text, "kernel", parseSpecs(specs));
}

TEST_CASE("host code around kernels is passed over") {
  Compiled result = compileText(R"(
import os, torch
import triton
import triton.language as tl
from weird import *

class Host(torch.nn.Module):
    def forward(self, x):
        return kernel[(1,)](x, *[y for y in x], **{"a": 1})

X: int = 3
table = {"a": [1, 2], **{}}
lookup = lambda x, *y: x if x else (yield)
if os.environ.get("A") or X > 2:
    N = tl.constexpr(4)
else:
    N = tl.constexpr(4)
try:
    from triton.language.math import rsqrt
except ImportError:
    from elsewhere import rsqrt

async def later():
    async with x as y: pass
    match y:
        case 1: pass

@somewhere.decorate(x=[1, 2])
@triton.autotune(configs=[triton.Config({"B": b}) for b in (1, 2)], key=["n"])
@triton.jit
def kernel(p):
    tl.store(p + tl.arange(0, N), rsqrt(tl.full((N,), 2.0, tl.float32)))

for i in range(3): print(i)
)",
                                "p=*fp32");
  CHECK(result.diagnostics ==
        R"(kernel.py:28:2: note: the decorator 'somewhere.decorate' is not Triton's, and is skipped
  28 | @somewhere.decorate(x=[1, 2])
     |  ^~~~~~~~~~~~~~~~~~
)");
  CHECK(result.outcome == Compiled::generated);
}

TEST_CASE("names of earlier versions mean what today's do") {
  auto irOf = [](const std::string &body) {
    std::string kernel = "import triton\nimport triton.language as tl\n"
                         "from triton.language.extra import libdevice\n"
                         "@triton.jit\ndef kernel(p):\n    x = tl.load(p)\n";
    Compiled result = compileText(kernel + "    " + body + "\n", "p=*fp32");
    INFO(body << "\n" << result.diagnostics);
    CHECK(result.outcome == Compiled::generated);
    return result.ir;
  };
  const std::pair<const char *, const char *> names[] = {
      {"tl.store(p, tl.math.pow(x, 2.0))", "tl.store(p, libdevice.pow(x, 2.0))"},
      {"tl.store(p, tl.math.tanh(x))", "tl.store(p, libdevice.tanh(x))"},
      {"tl.store(p, tl.math.log1p(x))", "tl.store(p, libdevice.log1p(x))"},
      {"tl.store(p, tl.math.fast_expf(x))", "tl.store(p, libdevice.fast_expf(x))"},
      {"tl.store(p, tl.math.fast_dividef(x, 3.0))", "tl.store(p, libdevice.fast_dividef(x, 3.0))"},
      {"tl.store(p, x * tl._log2(16))", "tl.store(p, x * 4)"},
      {"d = tl.make_tensor_descriptor(p, [64], [1], [16]); "
       "v = tl._experimental_descriptor_load(d, [4], [16], tl.float32); "
       "tl._experimental_descriptor_store(d, v, [8])",
       "d = tl.make_tensor_descriptor(p, [64], [1], [16]); v = d.load([4]); d.store([8], v)"},
  };
  for (auto [earlier, today] : names)
    CHECK(irOf(earlier) == irOf(today));
}

TEST_CASE("any bytes are survived") {
  // Deterministic noise, and pieces of a kernel in the wrong order.
  const std::string pieces[] = {"@triton.jit\n",
                                "def kernel(",
                                "x,",
                                "):\n",
                                "    ",
                                "if ",
                                "x",
                                ":\n",
                                "  return",
                                "(",
                                ")",
                                "[",
                                "]",
                                "{",
                                "'",
                                "\"\"\"",
                                "f'{",
                                "}'",
                                "\n",
                                "\t",
                                "\\",
                                "0x",
                                "1e",
                                "for i in range(",
                                "tl.load(x)",
                                "lambda ",
                                "=",
                                ":=",
                                "**",
                                "#",
                                "\xff",
                                "not ",
                                "else:\n",
                                "while ",
                                "import ",
                                "from . ",
                                "@"};
  uint64_t state = 12345;
  auto next = [&](size_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return size_t((state >> 33) % n);
  };
  for (int round = 0; round != 3000; ++round) {
    std::string text =
        "import triton\nimport triton.language as tl\n@triton.jit\ndef kernel(x):\n    ";
    for (size_t i = 0, n = next(24); i != n; ++i)
      text += pieces[next(std::size(pieces))];
    Compiled result = compileText(text, "x=*fp32");
    CHECK(result.outcome != Compiled::invalid);
    CHECK((result.outcome == Compiled::generated || !result.diagnostics.empty()));
  }
}

TEST_CASE("deep nesting is refused, not a crash") {
  auto deep = [&](const std::string &open, const std::string &middle, const std::string &close,
                  int n) {
    std::string text =
        "import triton\nimport triton.language as tl\n@triton.jit\ndef kernel(x):\n    y = ";
    for (int i = 0; i != n; ++i)
      text += open;
    text += middle;
    for (int i = 0; i != n; ++i)
      text += close;
    return compileText(text + "\n", "x=*fp32").outcome;
  };
  CHECK(deep("(", "1", ")", 100) == Compiled::generated);
  for (const char *open :
       {"(", "[", "-", "not ", "1 if x else ", "tl.cdiv(", "lambda: ", "x[", "2**", "f(*"})
    CHECK(deep(open, "1", "", 100000) == Compiled::refused);
  CHECK(deep("1+", "1", "", 900) == Compiled::generated);
  CHECK(deep("1+", "1", "", 100000) == Compiled::refused);
  CHECK(deep("", "x", ".a", 100000) == Compiled::refused);
  std::string blocks = "import triton\n@triton.jit\ndef kernel(x):\n";
  for (int i = 0; i != 5000; ++i)
    blocks += std::string(size_t(i + 1), ' ') + "if x:\n";
  CHECK(compileText(blocks, "x=*fp32").outcome == Compiled::refused);
}
