// What the names of a declaration mean in one call.
#pragma once

#include "Graph/IR/Graph.h"

#include <optional>
#include <string>
#include <vector>

namespace teeny {

// What a kernel parameter can be bound to.
struct NamedValue {
  enum class Kind {
    tensor,   // an input, param, output or scratch of the declaration
    integer,  // a dim, an integer attribute, or an expression over them; over the graph's dims
    constant, // an attribute that is no integer: FloatAttr, BoolAttr, StringAttr or TypeAttr
  };
  Kind kind = Kind::integer;
  std::string tensor;
  Expr integer;
  mlir::Attribute constant;
};

// What an extra of an epilogue is called; no name of a declaration has a dot.
std::string extraName(size_t index);

class CallNames {
public:
  explicit CallNames(graph::CallOp call);

  std::optional<NamedValue> find(llvm::StringRef name) const;
  // An entry of `args`: a name, an expression or a number. The error says what it does not know.
  Result<NamedValue> read(mlir::Attribute arg) const;
  // All names, sorted.
  std::vector<std::string> all() const;

  // A condition over dims, attributes, type variables and names of types.
  Expr condition(const Expr &declared) const;
  // Inputs, params, outputs and scratches in declared order, then the extras of an epilogue.
  llvm::ArrayRef<std::string> tensors() const { return tensorNames; }

private:
  mutable graph::CallOp call; // MLIR's handles have no const accessors
  std::vector<std::string> tensorNames;
};

} // namespace teeny
