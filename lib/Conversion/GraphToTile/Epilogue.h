// Maps fused into the stores of a kernel.
//
// A kernel that writes a call's output by plain stores only, and never reads it, need not know what
// becomes of the values: the map after the call can be applied to each tile as it is stored. Say a
// product stores to `out` and a bias and relu follow:
//
//     %p = tile.addptr %rows, %columns         %rows = tile.addptr (tile.splat %out), %m_times_n,
//     broadcast tile.store %p, %v mask %inside
//
// The position of each element in the output is what has been added to `%out`: here %m_times_n +
// %columns. From it the map's function, generated from text for tiles of this shape, finds the
// coordinates by division over the output's shape, loads the extras there, and stores:
//
//     def epilogue(value, i, inside, out, x1, d1):      value: the tile, rounded to the declared
//     type
//         i1 = i % d1
//         v1 = tl.load(x1 + i1, mask=inside)
//         tl.store(out + i, relu(add(value, v1)), mask=inside)
//
// No other proof is needed: whatever order a kernel walks its output in, each store says where it
// is. The value is rounded as before, so fused equals unfused bit for bit. Extras cannot lie in the
// output, which is new memory.
#pragma once

#include "Language/Language.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace teeny {

// Why the stores through pointer argument `output` of a kernel cannot have an epilogue; empty if
// they can.
std::string whyNoEpilogue(mlir::func::FuncOp kernel, unsigned output);

// A parameter of an epilogue function, and the argument of the kernel that it becomes where it is
// one of a run.
struct EpilogueParam {
  ParamSpec spec;
  bool isRuntime = false;
};

// Puts the function `epilogue` of `file` before every store through the argument; whyNoEpilogue()
// is empty. New arguments are added to the kernel at its end, in the order of `params`. False with
// errors if the function cannot be generated.
bool addEpilogue(mlir::func::FuncOp kernel, unsigned output, const KernelFile &file,
                 llvm::ArrayRef<EpilogueParam> params, Diagnostics &diagnostics);

} // namespace teeny
