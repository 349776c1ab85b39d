// Emits what a GPU thread does beyond scalar arithmetic: its place, memory accesses, shuffles and
// barriers, in the LLVM dialect. The only interface to that dialect here, whose headers are slow to
// read; everything else emits `arith`.
//
// Values are those of one thread. The storage of a value in memory or in a shuffle is an integer of
// its width: i1 takes a byte, a pointer 8.
#pragma once

#include "mlir/IR/Builders.h"

namespace teeny::gpu {

enum class Space : unsigned { global = 1, shared = 3 };

mlir::Type pointerType(mlir::MLIRContext *context, Space space);
// Width of the storage of a scalar.
unsigned storageBits(mlir::Type type);

// How a global access goes through the caches.
struct CacheHints {
  bool readOnly = false;   // nobody writes the memory while the kernel runs
  std::string qualifiers;  // of the PTX instruction, as ".cg" or ".L1::evict_last"
  bool isVolatile = false; // every access is carried out
};

class Emit {
public:
  Emit(mlir::OpBuilder &builder, mlir::Location loc) : builder(builder), loc(loc) {}

  mlir::OpBuilder &builder;
  mlir::Location loc;

  //===-- Constants and integers ------------------------------------------------------------===//

  mlir::Value i32(int64_t value);
  mlir::Value i64(int64_t value);
  mlir::Value i1(bool value);
  mlir::Value integer(mlir::Type type, int64_t value);
  // Zero, or null for a pointer.
  mlir::Value zero(mlir::Type type);
  mlir::Value poison(mlir::Type type);
  // `mask` may be null, which stands for true.
  mlir::Value both(mlir::Value mask, mlir::Value other);

  //===-- Place of the thread ---------------------------------------------------------------===//

  mlir::Value threadId(); // in its program: lane + 32 * warp
  mlir::Value programId(unsigned axis);
  mlir::Value numPrograms(unsigned axis);

  //===-- Other threads ---------------------------------------------------------------------===//

  void barrier();
  // The value of lane `lane ^ distance`, or of a given lane, of the same warp. Any scalar type.
  mlir::Value shuffleXor(mlir::Value value, unsigned distance);
  mlir::Value shuffleFrom(mlir::Value value, mlir::Value lane);
  // The value of lane `lane - distance`; lanes below that keep their own.
  mlir::Value shuffleUp(mlir::Value value, unsigned distance);

  //===-- Pointers and memory ---------------------------------------------------------------===//

  mlir::Value toStorage(mlir::Value value);
  mlir::Value fromStorage(mlir::Value bits, mlir::Type type);
  // pointer + index * (bytes of the element). The index is signed, of any width.
  mlir::Value elementPointer(mlir::Value pointer, mlir::Type element, mlir::Value index);
  mlir::Value bytePointer(mlir::Value pointer, int64_t bytes);
  mlir::Value pointerToInt(mlir::Value pointer);
  mlir::Value intToPointer(mlir::Value integer, Space space);
  mlir::Value addressOf(llvm::StringRef global, Space space);

  // `count` neighbours as one access, at an address that is a multiple of its size (at most 16
  // bytes). Where `mask` is false nothing is read and the result is `other` (zero if empty). A null
  // mask is true.
  llvm::SmallVector<mlir::Value> load(Space space, mlir::Value address, mlir::Type element,
                                      unsigned count, mlir::Value mask = nullptr,
                                      mlir::ValueRange other = {}, const CacheHints &hints = {});
  void store(Space space, mlir::Value address, mlir::ValueRange values, mlir::Value mask = nullptr,
             const CacheHints &hints = {});

  // Adds to neighbours in global memory by one instruction, to each of them atomically by itself,
  // at an address that is a multiple of the size of all: two f16, or up to 16 bytes of f32, f16 or
  // bf16 if the target has vectors of atomics. `order` and `scope` are PTX's words for them.
  // Returns the old values if they are used; those are zero where the mask is false.
  llvm::SmallVector<mlir::Value> atomicAdd(mlir::Value address, mlir::ValueRange values,
                                           mlir::Value mask, llvm::StringRef order,
                                           llvm::StringRef scope, bool isUsed);

  // Asynchronous copies of 4, 8 or 16 bytes from global to shared memory; zeros where the mask is
  // false. They are put in groups, and this thread can wait for all of its groups but the last few.
  void copyAsync(mlir::Value to, mlir::Value from, unsigned bytes, mlir::Value mask);
  void commitCopies();
  void waitCopies(unsigned pending);
  // What this thread has written to shared memory is there for the matrix instructions of warp
  // groups.
  void fenceForWarpgroups();
  // The address of shared memory as i32.
  mlir::Value sharedAddress(mlir::Value pointer);

  // One, two or four 8 x 8 matrices of 16 bits, a word of each in every lane; the address is that
  // of a row (SwizzledBuffer.h).
  llvm::SmallVector<mlir::Value> loadMatrices(mlir::Value address, unsigned count, bool transposed);

  //===-- Instructions ----------------------------------------------------------------------===//

  mlir::Value intrinsic(llvm::StringRef name, mlir::Type result, mlir::ValueRange arguments);
  // One PTX statement or several with the results' types; `constraints` as LLVM has them.
  llvm::SmallVector<mlir::Value> assembly(llvm::StringRef text, llvm::StringRef constraints,
                                          mlir::TypeRange results, mlir::ValueRange operands,
                                          bool sideEffects);
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  // Members of a struct that an intrinsic yields.
  llvm::SmallVector<mlir::Value> intrinsicStruct(llvm::StringRef name, mlir::TypeRange results,
                                                 mlir::ValueRange arguments);
  // Scalars as a vector, and a vector's members.
  mlir::Value vector(mlir::ValueRange parts);
  llvm::SmallVector<mlir::Value> members(mlir::Value vector, unsigned count);
  // Several values as one of a wider integer type and back, the first in the lowest bits.
  mlir::Value pack(mlir::ValueRange parts);
  llvm::SmallVector<mlir::Value> unpack(mlir::Value word, mlir::Type part);
};

} // namespace teeny::gpu
