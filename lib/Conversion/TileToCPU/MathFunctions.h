// Operations of arith and math on scalars that need care on a CPU.
//
// Integer division never traps: x / 0 is x and x % 0 is 0 (a GPU's results are unspecified), the
// smallest number / -1 is itself. Shifts by the width or more give 0, or the sign. Floats become
// integers as on a GPU: out of range to the nearest end, NaN to 0.
//
// exp2, log2, exp and log are computed here, in f32 or f64, within 2 ulp:
//   exp2 x = 2^n * e^(r ln 2), n = x rounded, |r| <= 1/2, a Taylor polynomial for e^t, |t| <= 0.347
//   log2 x = n + log2 m, m in [sqrt 1/2, sqrt 2), log m = 2 artanh((m - 1) / (m + 1)) as a series
#pragma once

#include "Conversion/TileToCPU/LLVMOps.h"

namespace teeny::cpu {

mlir::Value constantScalar(Emit e, mlir::Attribute value, mlir::Type type);

// The results of `op` on scalars; none, and what is wrong, where it has no code.
llvm::SmallVector<mlir::Value> scalarFunction(Emit e, mlir::Operation *op,
                                              mlir::ValueRange operands, std::string &unsupported);

// A number in another type: floats widened or rounded, integers sign-extended.
mlir::Value convertNumber(Emit e, mlir::Value value, mlir::Type from, mlir::Type to);

// On f32 or f64.
mlir::Value exponential(Emit e, mlir::Value x, bool base2);
mlir::Value logarithm(Emit e, mlir::Value x, bool base2);

// Numbers of 8-bit float types, as their bits in an i8.
mlir::Value extendFloat8(Emit e, mlir::Value bits, mlir::FloatType from, mlir::Type to);
mlir::Value truncateToFloat8(Emit e, mlir::Value value, mlir::FloatType to);

} // namespace teeny::cpu
