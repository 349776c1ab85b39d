// Values of declared attributes, in declarations (defaults) and in nodes.
#pragma once

#include "Graph/IR/Graph.h"
#include "Support/Json.h"

namespace teeny {

// The value as IR holds it: i64, f64, i1, a string, or a type. Null, with an error, if it is of
// another kind.
mlir::Attribute readAttrValue(const JsonField &field, graph::AttrKind kind,
                              mlir::MLIRContext *context);

// Reports a number outside min and max, each of which may be null.
bool checkAttrRange(const JsonField &field, mlir::Attribute value, mlir::Attribute min,
                    mlir::Attribute max);

} // namespace teeny
