// The graph dialect: models with symbolic shapes, and the declarations of what they call. Graph*.td
// has the operations, attributes and the tensor type; README.md what graphs are made of.
#pragma once

#include "Expr/Expr.h"

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

// The path of a file that an operation names relative to the file it was read from ("" if the
// location names no file: then `file` itself).
std::string pathOf(mlir::Operation *op, llvm::StringRef file);

// The file, line and column inside names, fused and called locations; null if there is none.
mlir::FileLineColRange fileOf(mlir::Location location);

// Element types by their names in files: f64 f32 f16 bf16 f8e4m3 f8e5m2 i64 i32 i16 i8 u64 u32 u16
// u8 bool. Null where the name is none of them.
mlir::Type dtypeByName(mlir::MLIRContext *context, llvm::StringRef name);
std::string dtypeName(mlir::Type dtype); // "?" where it is not known
int64_t dtypeBytes(mlir::Type dtype);
llvm::ArrayRef<std::string> dtypeNames();

// "f32[B, 4, 2*A]": a type as messages show it.
std::string typeText(GraphTensorType type);

} // namespace teeny::graph
