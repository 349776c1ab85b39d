// The declarations under kernels/core that carry typed operations out.
#pragma once

#include "Graph/IR/Graph.h"

namespace teeny::graph {

// A typed operation as a call of a declaration: its operands in the same order, and these
// attributes.
struct CoreForm {
  llvm::StringLiteral declaration;
  llvm::SmallVector<llvm::StringLiteral, 2> operands; // their names there
  mlir::DictionaryAttr attrs;                         // beside those that have defaults
};

// Nothing for operations that maps and copies are made of.
std::optional<CoreForm> coreForm(mlir::Operation *op);

} // namespace teeny::graph
