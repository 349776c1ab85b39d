// Values of bf16 as 16-bit integers.
//
// LLVM computes a bf16 that has no instructions for it in f32. So it extends what a phi, a masked
// load or a shuffle gives and rounds it back, which changes NaNs and, without hardware for the
// rounding, is a call of a library. Arithmetic is gone by now (ExpandFloats.h), and where only bits
// are passed on, integers do the same without either. A value of one element stored 32 times,
//
//   %a = load bfloat, ptr %x
//   %v = insertelement <32 x bfloat> poison, bfloat %a, i64 0
//   %s = shufflevector <32 x bfloat> %v, <32 x bfloat> poison, <32 x i32> zeroinitializer
//   store <32 x bfloat> %s, ptr %y
//
// becomes the same four lines with i16 for bfloat.
//
// It runs last, on optimised code: optimisation makes such phis, loads and shuffles.
#pragma once

namespace llvm {
class Module;
}

namespace teeny {

void carryBFloatAsBits(llvm::Module &module);

} // namespace teeny
