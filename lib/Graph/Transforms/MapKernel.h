// Kernels of maps and of data movement, as text in the kernel language.
//
// A generated kernel walks the elements of its result, each program a block of them, and finds the
// element of every operand by strides. Views of an operand need no kernel of their own then:
// coordinate d of the operand is
//
//     offset + factor * (coordinate `dim` of the result)
//
// which expand (factor 0), slice (offset and factor), and permute (another dim) compose. For
// example y = relu(transpose(x) + b), with x [N, M] and b [1], is
//
//     @triton.jit
//     def map_add_relu(x0, x1, out, n, d1, s0_0, BLOCK: tl.constexpr):
//         i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
//         inside = i < n
//         i1 = i % d1
//         i0 = i // d1
//         v0 = tl.load(x0 + (i0 + i1 * s0_1), mask=inside)
//         v1 = tl.load(x1 + tl.zeros_like(i), mask=inside)
//         v2 = add(v0, v1)
//         v3 = relu(v2)
//         tl.store(out + i, v3, mask=inside)
//
// Dims that all operands walk alike are one dim, so a map of equal shapes has no divisions. Sizes
// and strides are arguments, so maps with the same text share one kernel. Each line rounds to the
// type of its value: f16 and bf16 are converted to f32 and back, as the typed operation says.
#pragma once

#include "Graph/IR/Graph.h"

namespace teeny::graph {

// How elements of an operand are found from a position in the result.
struct Access {
  // Coordinate of one dim of the operand.
  struct Coordinate {
    int64_t dim = -1; // of the result; -1: the same everywhere
    int64_t factor = 1;
    Expr offset;
  };
  // Where a border stands for elements outside.
  struct Border {
    PadMode mode;
    std::string value; // in the kernel language
  };

  mlir::Value operand;
  llvm::SmallVector<Coordinate> coordinates; // one for each dim of the operand
  std::optional<Border> border;
};

// The operand of a map whose result has `rank` dims, with views in front of it looked through.
Access accessThroughViews(mlir::Value operand, int64_t rank);
// The same element everywhere: coordinate i is that of dim i.
Access identityAccess(mlir::Value operand);

struct MapKernel {
  std::string function, text;                          // with all it uses
  llvm::SmallVector<mlir::Value> operands;             // parameters x0, x1, ...
  std::vector<std::pair<std::string, Expr>> arguments; // the integer parameters and their values
};

// The kernel of a map over a result of this shape. `isWide`: positions may need 64 bits.
MapKernel mapKernel(MapOp map, llvm::ArrayRef<Access> accesses, bool isWide);
// The epilogue of a call as a function `epilogue` that stores for a kernel: parameters are the tile
// that the kernel would store (value), its positions in the result (i), its mask (inside), the
// output (out), and then the extras and the integers.
MapKernel epilogueFunction(CallOp call, llvm::ArrayRef<Access> extras);
// One that copies elements.
MapKernel copyKernel(GraphTensorType result, const Access &access, bool isWide);

// A tile of this shape with the number everywhere, in the kernel language.
std::string constantText(mlir::TypedAttr value, llvm::StringRef shape);

// The part of a concatenation that one operand is, as a function of `text`; parameters: x, out, n,
// and d (elements of the operand that lie together), s (those of the result), b (where they begin).
std::string concatKernelText(bool isWide);

} // namespace teeny::graph
