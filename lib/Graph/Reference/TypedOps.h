// What those typed operations of graphs mean that move data (Graph/IR/GraphTypedOps.td says it in
// words), slowly. Maps are in Pointwise.h; the others are references of declarations. Results are
// given as zeros of the right type and shape; whoever calls has checked that shapes fit.
#pragma once

#include "Graph/Reference/HostTensor.h"

#include <string_view>

namespace teeny::reference {

void permute(const HostTensor &x, std::span<const int64_t> permutation, HostTensor &out);
void expand(const HostTensor &x, HostTensor &out); // NumPy's broadcast
void slice(const HostTensor &x, std::span<const int64_t> starts, std::span<const int64_t> steps,
           HostTensor &out);
// `mode` is constant, reflect, replicate or circular; `value` has one element.
void pad(const HostTensor &x, std::string_view mode, std::span<const int64_t> low,
         const HostTensor &value, HostTensor &out);
void concat(std::span<const HostTensor *const> operands, int64_t axis, HostTensor &out);

} // namespace teeny::reference
