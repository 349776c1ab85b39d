// The few operations of the LLVM dialect that the lowering creates itself, behind functions: the
// dialect's header takes longer to parse than all else here.
#pragma once

#include "mlir/IR/Builders.h"

namespace teeny::cpu {

// Builder and location of what is being emitted.
struct Emit {
  mlir::OpBuilder &b;
  mlir::Location loc;
};

mlir::Type pointerType(mlir::MLIRContext *context);
bool isPointer(mlir::Type type);

// base + index elements of `element`; the index is an i64.
mlir::Value elementAddress(Emit e, mlir::Value base, mlir::Type element, mlir::Value index);
mlir::Value byteAddress(Emit e, mlir::Value base, int64_t bytes);
// Memory accesses; vector types move all their elements. Alignment in bytes.
mlir::Value loadFrom(Emit e, mlir::Type type, mlir::Value address, unsigned alignment);
void storeTo(Emit e, mlir::Value value, mlir::Value address, unsigned alignment);

mlir::Value pointerToInteger(Emit e, mlir::Value pointer); // i64
mlir::Value integerToPointer(Emit e, mlir::Value integer);
mlir::Value nullPointer(Emit e);
mlir::Value select(Emit e, mlir::Value condition, mlir::Value yes, mlir::Value no);
// Rounded once or twice, as the target likes.
mlir::Value multiplyAdd(Emit e, mlir::Value a, mlir::Value b, mlir::Value c);
// A float to an integer, out of range to the nearest end, NaN to 0.
mlir::Value saturateToInteger(Emit e, mlir::Value value, mlir::Type type, bool isSigned);
// A vector with the scalar in every lane.
mlir::Value splatVector(Emit e, mlir::Value value, int64_t lanes);

enum class Atomic { exchange, add, fadd, smax, smin, umax, umin, andi, ori, xori };
enum class Ordering { relaxed, acquire, release, acquireRelease };
mlir::Value atomicUpdate(Emit e, Atomic kind, Ordering order, mlir::Value address,
                         mlir::Value operand);
// The old value, and whether it was replaced (i1). Integers and pointers only.
std::pair<mlir::Value, mlir::Value> compareExchange(Emit e, Ordering order, mlir::Value address,
                                                    mlir::Value expected, mlir::Value value);

// A table of constants in the module that holds `e.b`'s block; its address.
mlir::Value constantTable(Emit e, mlir::Type element, mlir::DenseElementsAttr values);

} // namespace teeny::cpu
