// How operations carry axis facts from their operands to their results (AxisInfo.h says what they
// mean).
#pragma once

#include "Tile/Transforms/AxisInfo.h"

#include "mlir/Interfaces/InferIntRangeInterface.h"

namespace teeny::tile {

// What divides 0; larger than any tile, and far from overflow.
inline constexpr int64_t largestPowerOfTwo = int64_t(1) << 40;

// The largest power of two that divides the value, at most largestPowerOfTwo.
int64_t powerOfTwoIn(int64_t value);

// The facts of one result of an operation. `range` gives what is known of an operand's range so
// far.
AxisInfo transferAxisInfo(mlir::Operation *op, mlir::OpResult result,
                          llvm::ArrayRef<AxisInfo> operands,
                          llvm::function_ref<mlir::IntegerValueRange(mlir::Value)> range);

} // namespace teeny::tile
