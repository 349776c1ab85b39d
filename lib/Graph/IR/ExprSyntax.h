// How expressions stand in the text of IR: an integer, a name, a quoted text, or `?`; lists in
// brackets.
#pragma once

#include "Graph/IR/Graph.h"

namespace teeny::graph {

void printExprText(mlir::AsmPrinter &printer, ExprAttr expr);
mlir::ParseResult parseExprText(mlir::AsmParser &parser, ExprAttr &expr);

void printExprList(mlir::AsmPrinter &printer, llvm::ArrayRef<ExprAttr> exprs);
mlir::ParseResult parseExprList(mlir::AsmParser &parser, llvm::SmallVectorImpl<ExprAttr> &exprs);

} // namespace teeny::graph
