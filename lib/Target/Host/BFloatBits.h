// Values of bf16 that control flow or masks choose, as 16-bit integers.
//
// LLVM computes a bf16 that has no instructions for it in f32. So it extends what a phi or a masked
// load gives and rounds it back, which changes NaNs and, without hardware for the rounding, is a
// call of a library. Where only bits are passed on, integers do the same without either.
//
// It runs last, on optimised code: optimisation makes such phis and loads.
#pragma once

namespace llvm {
class Module;
}

namespace teeny {

void carryBFloatAsBits(llvm::Module &module);

} // namespace teeny
