// What a CPU has no instructions for, in arithmetic that it has.
//
// LLVM calls a library for some operations on floats: conversions of f16 without F16C and of bf16,
// fma without FMA hardware, rounding to integers before SSE4.1, remainders anywhere. Our code has
// no library to call, so this pass replaces those operations before optimisation, where the
// vectorisers still see plain arithmetic:
//
//   f16, bf16   arithmetic in f32, rounded after each operation. For + - * / and sqrt that is the
//               correctly rounded result: 24 bits are enough to round twice (2 * 11 + 2). fma of
//               them: exact product and sum to odd in f64.
//               Conversions round to nearest even; NaN stays NaN, quiet, sign and payload kept.
//   f64 -> f16  through f32 *rounded to odd*: the last bit of an inexact f32 is set, so that a
//   value
//               just beside the middle between two f16 does not become the middle.
//   fma f32     product exact in f64, sum in f64 rounded to odd by its exact error (Knuth's
//   TwoSum),
//               then rounded once to f32: the correctly rounded result, subnormals included.
//   fma f64     Dekker's product and a sum rounded to odd (Boldo and Melquiond): correctly rounded
//               while the product neither exceeds 2^969 nor is below 2^-968 in magnitude; beyond,
//               the error may be one unit in the last place more, and a finite sum of an
//               overflowing product is infinite.
//   floor ...   by adding and taking away 2^23 (2^52), which rounds to integers; zeros keep signs.
//   frem        C's fmod, exact: the remainder of the significands as integers, some bits at a
//   time,
//               in one function per type.
//
// It runs on the whole module. Functions that it makes are internal.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace teeny {

void expandFloats(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace teeny
