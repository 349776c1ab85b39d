// Typed operations of a graph by their references.
#pragma once

#include "Graph/IR/Graph.h"
#include "Graph/Reference/ReferenceOp.h"

#include <span>

namespace teeny {

// Whether the operation is a typed one.
bool isTyped(mlir::Operation *op);

// Computes it: `out` is zeros of the result's type and shape. `lookup` gives dims their values.
Status evaluateTyped(mlir::Operation *op, std::span<const HostTensor *const> operands,
                     const Expr::Lookup &lookup, HostTensor &out);

// The data of a param, from its file. Errors: there is no such tensor of that type and rank.
Result<HostTensor> readParamData(graph::ParamOp param);

// The value of a call's attribute.
ReferenceAttr referenceAttr(mlir::Attribute value);

// The value of an attribute of a scalar type, as a tensor of one element.
HostTensor literalTensor(mlir::TypedAttr value);

} // namespace teeny
