// What there is to know of the ops that graphs can name, as texts: for people, and as JSON for
// programs.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace teeny {

class Sources;

struct OpDescription {
  struct Tensor {
    std::string name, dtype, shape; // "x", "T", "[B, N]"; of typed ops the name alone
    bool isOptional = false, isVariadic = false;
  };
  // A value of an attribute: JSON, or words for people.
  struct Value {
    std::string text;
    bool isJson = true;
  };
  struct Attribute {
    std::string name, type;
    bool isRequired = false;
    Value otherwise; // what holds where it is left out, if it may be
    std::vector<Value> tune, choices;
    std::string min, max; // empty: no bound
  };
  struct Launch {
    std::string kernel; // "file.py::function"
    std::vector<std::string> grid;
    int64_t numWarps, numStages;
  };
  struct Implementation {
    std::string when; // empty: where no other holds
    std::vector<Launch> launches;
  };

  std::string name, doc;
  bool isTyped = false;
  std::string file; // of the declaration; empty for a typed op
  unsigned line = 0;
  std::vector<std::pair<std::string, std::vector<std::string>>> dtypes; // of type variables
  std::string domain;                                                   // of a typed op: "floats"
  std::string shapes;                                                   // likewise, as a rule
  std::vector<Tensor> inputs, params, outputs;
  std::vector<Attribute> attributes;
  std::vector<std::pair<std::string, std::string>> sizes;        // name, expression
  std::vector<std::pair<std::string, std::string>> requirements; // condition, message
  std::vector<std::pair<std::string, std::string>> scratch;      // name, bytes
  std::vector<std::pair<std::string, std::string>> aliases;      // output, input
  std::vector<Implementation> implementations;
  std::vector<std::string> uses; // declarations that carry a typed op out
};

// The typed ops and those declared in `module`, each in order of name, typed ones first.
std::vector<OpDescription> describeOps(mlir::ModuleOp module, const Sources &sources);

// The whole of one, on many lines.
void printOp(const OpDescription &op, llvm::raw_ostream &os);
// All, one line each.
void printOpList(llvm::ArrayRef<OpDescription> ops, llvm::raw_ostream &os);
void writeOpJson(const OpDescription &op, llvm::json::OStream &json);

} // namespace teeny
