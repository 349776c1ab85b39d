// How the operations that only rearrange elements map indices: from those of a result to those of
// an operand. The planner uses them on symbols, the emitter on values.
#pragma once

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

namespace teeny::cpu {

bool isTensor(mlir::Type type);
inline bool isTensor(mlir::Value value) { return isTensor(value.getType()); }
llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor);
int64_t elementCount(llvm::ArrayRef<int64_t> shape);

// For each dim of the operand of a shape operation, where its index comes from.
struct DimSource {
  enum Kind {
    dim,      // dim `number` of the result
    constant, // always `number`
    mixed,    // a function of several dims: only reshapes that split or merge dims
  } kind;
  unsigned number = 0;
};

// For results of splat (no dims), expand_dims, broadcast, trans, split, convert_layout and reshape;
// empty optional for others. Operand 0 is the one meant. A reshape that only adds or removes dims
// of size 1 has no mixed dims.
std::optional<llvm::SmallVector<DimSource>> mapToOperand(mlir::Value result);

} // namespace teeny::cpu
