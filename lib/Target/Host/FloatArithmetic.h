// Sequences of LLVM IR that stand for operations on floats which a target lacks. All take scalars
// or fixed vectors and insert at the builder's place. ExpandFloats.h has the rules that they keep.
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace teeny {

// The type with another scalar type, vector or not.
llvm::Type *withScalar(llvm::Type *shapeOf, llvm::Type *scalar);

// Whether an intrinsic moves elements without looking at them: there is nothing to expand.
bool movesElements(llvm::Intrinsic::ID id);

llvm::Value *extendHalf(llvm::IRBuilderBase &b, llvm::Value *half);    // f16 -> f32
llvm::Value *truncateToHalf(llvm::IRBuilderBase &b, llvm::Value *f32); // f32 -> f16
llvm::Value *extendBFloat(llvm::IRBuilderBase &b, llvm::Value *bfloat);
llvm::Value *truncateToBFloat(llvm::IRBuilderBase &b, llvm::Value *f32);

// f64 -> f32, inexact results with the last bit set.
llvm::Value *truncateToOdd(llvm::IRBuilderBase &b, llvm::Value *f64);

// x + y in f64, inexact results with the last bit set.
llvm::Value *addToOdd(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y);

// Correctly rounded x * y + z without fma instructions.
llvm::Value *fusedMultiplyAdd(llvm::IRBuilderBase &b, llvm::Value *x, llvm::Value *y,
                              llvm::Value *z);

enum class Rounding { floor, ceil, trunc, nearestEven, nearestAway };
llvm::Value *roundToInteger(llvm::IRBuilderBase &b, llvm::Value *value, Rounding rounding);

// The internal function that computes C's fmod for f32 or f64; made on first use.
llvm::Function *remainderFunction(llvm::Module &module, llvm::Type *type);

} // namespace teeny
