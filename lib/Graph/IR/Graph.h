// The graph dialect: models with symbolic shapes, and the declarations of what they call. Graph*.td
// has the operations, attributes and the tensor type; README.md what graphs are made of.
#pragma once

#include "Expr/Expr.h"
#include "TensorFile/DType.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "Graph/IR/GraphDialect.h.inc"

#include "Graph/IR/GraphEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "Graph/IR/GraphAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "Graph/IR/GraphTypes.h.inc"

namespace teeny::graph {
class AttributeOp;
class DeclareOp;
class OpOp;
} // namespace teeny::graph

#define GET_OP_CLASSES
#include "Graph/IR/GraphOps.h.inc"

namespace teeny::graph {

// The type of a value of a graph; it must be known.
inline GraphTensorType tensorType(mlir::Value value) {
  return llvm::cast<GraphTensorType>(value.getType());
}

// The path of a file that an operation names relative to the file it was read from ("" if the
// location names no file: then `file` itself).
std::string pathOf(mlir::Operation *op, llvm::StringRef file);

// The file, line and column inside names, fused and called locations; null if there is none.
mlir::FileLineColRange fileOf(mlir::Location location);

// Where an operand of a call was named: the importer fuses the places of a call's operands, in
// order, into its location. The call's own place where there is none.
mlir::Location operandLoc(mlir::Operation *call, unsigned index);

// Where an attribute of a node was given; the node's own place where there is none. The importer
// fuses these places after those of the operands, with the names of the attributes.
mlir::Location attributeLoc(mlir::Operation *node, llvm::StringRef name);
mlir::Location fuseNodeLoc(mlir::MLIRContext *context, mlir::Location name,
                           llvm::ArrayRef<mlir::Location> operands,
                           llvm::ArrayRef<std::pair<std::string, mlir::Location>> attributes);

// Element types of IR and those of files. Signed integers are signless in IR, bool is i1.
mlir::Type typeOf(mlir::MLIRContext *context, DType dtype);
std::optional<DType> dtypeOf(mlir::Type type);
std::string dtypeName(mlir::Type type); // as in files
int64_t dtypeBytes(mlir::Type type);    // of an element type

// "f32[B, 4, 2*A]": a type as messages show it.
std::string typeText(GraphTensorType type);

} // namespace teeny::graph
