// What autotuners and heuristics say, worked out without a GPU.
#include "Language/Tuning.h"
#include "LanguageSupport.h"
#include "Support/Diagnostics.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"

#include <catch2/catch.hpp>

using namespace teeny;
using namespace teeny::test;

namespace {

const std::string prelude = "import os\nimport triton\nimport triton.language as tl\n";

struct Parsed {
  explicit Parsed(const std::string &text)
      : source(sources.add("kernel.py", prelude + text)),
        file(KernelFile::parse(source, diagnostics)) {
    REQUIRE(file);
  }
  TuningSpace space() { return tuningSpace(*file, "kernel", {}, &context); }
  // The values that heuristics add, or what is wrong.
  std::string heuristics(const std::string &known) {
    std::vector<ParamSpec> specs = parseSpecs(known);
    size_t given = specs.size();
    if (!applyHeuristics(*file, "kernel", {}, &context, specs, diagnostics)) {
      std::string text;
      llvm::raw_string_ostream os(text);
      diagnostics.render(os);
      return text;
    }
    TuningConfig added;
    for (size_t i = given; i != specs.size(); ++i)
      added.values.emplace_back(specs[i].name, specs[i].value);
    return added.text();
  }

  mlir::MLIRContext context;
  Sources sources;
  Diagnostics diagnostics;
  const Source *source;
  std::unique_ptr<KernelFile> file;
};

std::vector<std::string> textsOf(const TuningSpace &space) {
  std::vector<std::string> texts;
  for (const TuningConfig &config : space.configs)
    texts.push_back(config.text());
  return texts;
}

const std::string kernel = "@triton.jit\ndef kernel(x, n, A: tl.constexpr, B: tl.constexpr):\n"
                           "    pass\n";

} // namespace

TEST_CASE("configs are listed however they are written") {
  const std::vector<std::string> wanted = {
      "A=16, B=1, num_warps=2, num_stages=3", "A=16, B=1, num_warps=4, num_stages=3",
      "A=32, B=1, num_warps=2, num_stages=3", "A=32, B=1, num_warps=4, num_stages=3"};
  const std::pair<const char *, const char *> spellings[] = {
      {"", "[triton.Config({'A': a, 'B': 1}, num_warps=w, num_stages=3) for a in [16, 32] "
           "for w in (2, 4)]"},
      {"LIST = [triton.Config(dict_, num_stages=3, num_warps=w) for dict_ in "
       "[{'A': 16, 'B': 1}, {'A': 32, **{'B': 1}}] for w in [2, 4] if w < 8]\n",
       "LIST"},
      {"def choices(large):\n    configs = []\n    for a in [16, 32]:\n        for w in range(1, "
       "5):\n"
       "            if w % 2:\n                continue\n"
       "            configs.append(triton.Config({'A': a, 'B': 1}, num_warps=w, num_stages=3))\n"
       "    return configs\n",
       "choices(True)"},
      {"def keep(config):\n    return config.kwargs['A'] * config.num_warps < 200\n"
       "ALL = [triton.Config({'A': a, 'B': 1}, w, 3) for a in (16, 32) for w in (2, 4, 128)]\n",
       "list(filter(keep, ALL))"},
      {"STEPS = [16] if os.environ.get('SMALL', '0') == '1' else [16, 32]\n",
       "sum_ if False else [triton.Config(kwargs={'A': a, 'B': 1}, num_warps=w, num_stages=3) "
       "for a in STEPS for w in [2, 4]]"},
  };
  for (auto [before, configs] : spellings) {
    INFO(before << configs);
    for (const char *form :
         {"@triton.autotune(configs=%, key=['n'])\n", "@triton.autotune(%, ['n'], warmup=3)\n"}) {
      std::string decorator = form;
      decorator.replace(decorator.find('%'), 1, configs);
      TuningSpace space = Parsed(before + decorator + kernel).space();
      CHECK(space.isTuned);
      REQUIRE(space.isKnown);
      CHECK(textsOf(space) == wanted);
    }
  }
}

TEST_CASE("configs that take Python to tell are none") {
  for (const char *configs :
       {"elsewhere.configs()", "[elsewhere]", "[]", "[triton.Config({'A': elsewhere.size})]",
        "[triton.Config({'A': 1}, num_warps='many')]"}) {
    INFO(configs);
    TuningSpace space =
        Parsed("import elsewhere\n@triton.autotune(configs=" + std::string(configs) +
               ", key=[])\n" + kernel)
            .space();
    CHECK(space.isTuned);
    CHECK_FALSE(space.isKnown);
    CHECK(space.configs.empty());
  }
  CHECK_FALSE(Parsed(kernel).space().isTuned);
}

TEST_CASE("a config is picked by what it says") {
  TuningConfig config = {{{"A", int64_t(16)}, {"B", true}}, 4, std::nullopt};
  CHECK(config.text() == "A=16, B=True, num_warps=4");
  CHECK(config.matches("A=16"));
  CHECK(config.matches("num_warps=4, A=16"));
  CHECK(config.matches("B=True,"));
  CHECK_FALSE(config.matches("A=1"));
  CHECK_FALSE(config.matches("A=16, num_warps=8"));
}

TEST_CASE("heuristics are worked out from what is known") {
  const std::string rules =
      "def next_power(n):\n    p = 1\n    while p < n:\n        p *= 2\n    return p\n"
      "@triton.heuristics({'A': lambda args: next_power(args['B'] + 1),\n"
      "                    'HAS': lambda args: args['x'] is not None,\n"
      "                    'EVEN': lambda args: args['n'] % args['A'] == 0})\n"
      "@triton.jit\ndef kernel(x, n, A: tl.constexpr, B: tl.constexpr, HAS: tl.constexpr,\n"
      "           EVEN: tl.constexpr):\n    pass\n";
  CHECK(Parsed(rules).heuristics("x=*fp32,n=i32!64,B=20") == "A=32, HAS=True, EVEN=True");
  CHECK(Parsed(rules).heuristics("x=None,n=i32!65,B=20") == "A=32, HAS=False, EVEN=False");
  CHECK(Parsed(rules).heuristics("x=*fp32,n=i32,B=7,EVEN=False") == "A=8, HAS=True");
  CHECK(
      Parsed(rules).heuristics("x=*fp32,n=i32,B=7") ==
      R"(kernel.py:9:2: error: the heuristic for 'EVEN' of 'kernel' asks for what is known only at run time, or is Python
  9 | @triton.heuristics({'A': lambda args: next_power(args['B'] + 1),
    |  ^~~~~~
  hint: give the parameter a value in the signature: 'EVEN=...'
kernel.py:14:12: note: the parameter
  14 |            EVEN: tl.constexpr):
     |            ^~~~
)");
}
