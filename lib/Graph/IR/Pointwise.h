// The closed table of scalar functions that maps are made of. Importers take their names, kernels
// are generated from kernels/core/pointwise.py, which has a function of each name, and
// lib/Graph/Reference says slowly what they mean.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace teeny::graph {

struct PointwiseFunction {
  // Types of the operands. All operands have one type, but the first of `where`, which is bool.
  enum Domain {
    floats,
    numbers,  // floats and integers
    integers, // bool too
    booleans,
    anything,
  };
  struct Parameter {
    llvm::StringLiteral name;
    double defaultValue;
  };

  llvm::StringLiteral name;
  unsigned operands;
  Domain domain;
  bool isPredicate; // the result is bool, else the type of the operands; `cast` has any
  llvm::ArrayRef<Parameter> parameters;
  llvm::StringLiteral formula; // for people
};

llvm::ArrayRef<PointwiseFunction> pointwiseFunctions();
const PointwiseFunction *findPointwise(llvm::StringRef name); // null if there is none

} // namespace teeny::graph
