// What a file says around its functions, token by token: names that a function mentions, and
// decorators, which are host code that the compiler does not carry out.
#pragma once

#include "Language/AST.h"
#include "Language/Language.h"

#include <optional>
#include <string>
#include <vector>

namespace teeny {

// One choice of an autotuner: `triton.Config({"BLOCK": 128}, num_warps=4)`.
struct TuneConfig {
  using Entries = std::vector<std::pair<std::string, std::string>>; // names, and values as written
  Entries values, options;
  std::string text; // where it is something else: as written, with single spaces
};

struct FunctionDescription {
  std::string name;
  unsigned line = 0;
  // Whether hosts launch it: no other function of the file mentions it, and it returns nothing.
  bool isEntry = true;
  std::vector<KernelParameter> parameters;
  // @triton.autotune. `configsText` is what they are where that is no list of them.
  std::vector<TuneConfig> configs;
  std::string configsText;
  std::vector<std::string> key;
  // @triton.heuristics: parameters, and how they are computed.
  TuneConfig::Entries heuristics;
};

// The kernel functions of a file, in order.
std::vector<FunctionDescription> describeFunctions(const KernelFile &file);

} // namespace teeny

namespace teeny::lang {

// The names in the body of a function of the file whose tokens these are.
std::vector<std::string> namesIn(llvm::ArrayRef<Token> tokens, const ast::FunctionStmt &function);

} // namespace teeny::lang
