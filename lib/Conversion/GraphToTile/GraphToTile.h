// From graphs to tile functions: each call becomes the launches that its declaration asks for, and
// each launch names functions specialised for its arguments.
//
//   %y = graph.call "y" @scale(%x) {BLOCK = 128 : i64} where {N = #graph.expr<N>, T = f32} : ...
//
// becomes
//
//   %y = graph.launch "y" of "y" (%x) variants [
//       #graph.variant<when "N % 16 == 0" run @scale_aligned grid ["cdiv(N, 128)", 1, 1]
//                      args [operand 0, result 0, int N]>,
//       #graph.variant<run @scale grid ["cdiv(N, 128)", 1, 1] args [operand 0, result 0, int N]>]
//   func.func @scale(%x: !tile.ptr<f32> {tile.name = "x_ptr", tile.divisibility = 16, ...}, ...)
//
// Parameters of a kernel are bound by name: to what the declaration's `args` says, else to the
// tensor, scratch memory, attribute or dim of that name, else to their default. A value that is
// known when compiling is put into the function and is no argument of it. Of the others, dims and
// expressions become i32 where their range fits and i64 else, with their range and the number they
// are a multiple of; memory is 16-byte aligned and marked as reached through one argument only
// where that is so. Where an integer argument may, but need not, be a multiple of 16, two functions
// are made, and the launch chooses. Equal specialisations share a function.
//
// Grids are checked against what devices can launch. What the declared ranges exclude is an error;
// what they do not decide becomes a requirement of the graph.
#pragma once

#include "Support/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"

namespace teeny {

// Maps that directly follow a call become its epilogue, where nothing else reads what the call
// makes, the map has its shape and element type, and every kernel that may carry the call out only
// stores to the output (Epilogue.h). The call's `remark` says what was decided and why. Kernels are
// generated to look at them; mistakes in them are reported by bindKernels.
void fuseEpilogues(mlir::ModuleOp module, Sources &sources);

// Kernel files are read into `sources`. False with the reasons in `diagnostics`; the module is then
// half done and must not be used. After success no calls and no declarations are left.
bool bindKernels(mlir::ModuleOp module, Sources &sources, Diagnostics &diagnostics);

// The value that begins the memory which `value` lies in: launches whose result takes over an
// operand are looked through.
mlir::Value memoryBehind(mlir::Value value);

} // namespace teeny
