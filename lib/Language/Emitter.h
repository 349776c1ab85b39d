// Emission of tile IR: the only part of the front end that knows the dialects' operations.
//
// Everything here takes operands that already have matching types (see Semantics.h) and never
// fails. Operations are created at the current location and insertion point. Control flow is built
// inside out: the body of a loop or branch is emitted into a detached Region first, and the
// operation is created around it once it is known which values it must carry.
#pragma once

#include "Language/Types.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"

#include <memory>

namespace mlir {
class MLIRContext;
class ModuleOp;
class Region;
namespace func {
class FuncOp;
}
} // namespace mlir

namespace teeny::lang {

// What arithmetic does to two operands of one type.
enum class Arith : uint8_t {
  addi,
  addf,
  subi,
  subf,
  muli,
  mulf,
  divsi,
  divui,
  divf,
  remsi,
  remui,
  remf,
  andi,
  ori,
  xori,
  shli,
  shrsi,
  shrui,
  minsi,
  minui,
  maxsi,
  maxui,
  minnumf,
  maxnumf,
  minimumf,
  maximumf,
};
enum class Compare : uint8_t { eq, ne, lt, le, gt, ge };
enum class Convert : uint8_t { // to another element type
  extend,
  signExtend,
  truncate, // integers
  extendFloat,
  truncateFloat,
  truncateFloatTowardZero,
  signedToFloat,
  unsignedToFloat,
  floatToSigned,
  floatToUnsigned,
  bitcast,
  pointerToInt,
  intToPointer,
  pointerCast,
};
enum class Math : uint8_t {
  exp2,
  sqrt,
  rsqrt,
  floor,
  ceil,
  round,
  roundEven,
  trunc,
  absf,
  absi,
  leadingZeros,
  ones,
};
enum class AtomicKind : uint8_t { exchange, add, fadd, smax, smin, umax, umin, andi, ori, xori };
enum class MemoryOrder : uint8_t { relaxed, acquire, release, acquireRelease };
enum class MemoryScope : uint8_t { block, gpu, system };
enum class DotPrecision : uint8_t { ieee, tf32, tf32x3 };

// What the source says about how a loop should be compiled; attributes of the `scf.for`.
struct LoopHints {
  std::optional<int64_t> numStages, unroll;
  bool disallowAccMultiBuffer = false, flatten = false, warpSpecialize = false, disableLicm = false;
};

// What the source says about how accesses go through the caches.
struct AccessHints {
  std::string cache, eviction; // "cg", "evict_last", as PTX has them; empty: nothing is said
  bool isVolatile = false;
};

// A region under construction with one block; becomes part of an operation or is dropped.
class DetachedRegion {
public:
  explicit DetachedRegion(llvm::ArrayRef<mlir::Type> arguments, mlir::Location location);
  DetachedRegion(DetachedRegion &&);
  ~DetachedRegion();
  mlir::Value argument(unsigned index) const;
  // Removes an argument that is always equal to `value`.
  void replaceArgument(unsigned index, mlir::Value value);

private:
  friend class Emitter;
  std::unique_ptr<mlir::Region> region;
};

class Emitter {
public:
  explicit Emitter(mlir::MLIRContext *context);
  ~Emitter();

  mlir::MLIRContext *context() const;
  void setLocation(mlir::Location location);
  mlir::Location location() const;
  mlir::Type ir(const Type &type);

  // Functions. Arguments have names for `tile.name`.
  mlir::func::FuncOp beginKernel(mlir::ModuleOp module, llvm::StringRef symbol,
                                 llvm::ArrayRef<Type> arguments, int numWarps);
  void argumentFacts(mlir::func::FuncOp kernel, unsigned index, llvm::StringRef name,
                     int64_t divisibility, std::optional<std::pair<int64_t, int64_t>> range,
                     bool noalias);
  mlir::Value argument(mlir::func::FuncOp kernel, unsigned index);
  void endKernel(mlir::func::FuncOp kernel, bool keep);

  // Scalars and tiles from nothing.
  mlir::Value constant(ElementType type, Integer value);
  mlir::Value constant(ElementType type, double value);
  mlir::Value filled(const Type &type, Integer value); // tiles too; any element type, pointers null
  mlir::Value zeroLike(mlir::Value value);
  mlir::Value programId(unsigned axis);
  mlir::Value numPrograms(unsigned axis);
  mlir::Value arange(int64_t start, int64_t end);

  // Elements.
  mlir::Value arith(Arith op, mlir::Value lhs, mlir::Value rhs);
  mlir::Value compareInt(Compare op, bool isSigned, mlir::Value lhs, mlir::Value rhs);
  mlir::Value compareFloat(Compare op, mlir::Value lhs, mlir::Value rhs);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);
  mlir::Value convert(Convert how, mlir::Value value, const Type &to);
  mlir::Value math(Math op, mlir::Value value);
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c);
  mlir::Value copySign(mlir::Value size, mlir::Value sign);
  // A division or square root that has just been emitted.
  void correctlyRounded(mlir::Value value);
  mlir::Value highProduct(bool isSigned, mlir::Value lhs, mlir::Value rhs);

  // Shapes; `to` is the type of the result.
  mlir::Value splat(mlir::Value scalar, const Type &to);
  mlir::Value expandDims(mlir::Value value, unsigned axis, const Type &to);
  mlir::Value broadcast(mlir::Value value, const Type &to);
  mlir::Value reshape(mlir::Value value, const Type &to);
  mlir::Value transpose(mlir::Value value, llvm::ArrayRef<int32_t> order, const Type &to);
  mlir::Value join(mlir::Value lhs, mlir::Value rhs, const Type &to);
  std::pair<mlir::Value, mlir::Value> split(mlir::Value value, const Type &to);

  // Memory. `mask` and `other` may be null. What is emitted while `access` is set carries it.
  AccessHints access;
  mlir::Value addPointer(mlir::Value pointer, mlir::Value offset);
  mlir::Value load(mlir::Value pointer, mlir::Value mask, mlir::Value other);
  void store(mlir::Value pointer, mlir::Value value, mlir::Value mask);
  mlir::Value atomic(AtomicKind kind, MemoryOrder order, MemoryScope scope, mlir::Value pointer,
                     mlir::Value value, mlir::Value mask);
  mlir::Value compareAndSwap(MemoryOrder order, MemoryScope scope, mlir::Value pointer,
                             mlir::Value compare, mlir::Value value);
  void barrier();

  // Across elements.
  mlir::Value dot(mlir::Value lhs, mlir::Value rhs, mlir::Value acc, DotPrecision precision);
  llvm::SmallVector<mlir::Value> reduce(llvm::ArrayRef<mlir::Value> sources, unsigned axis,
                                        DetachedRegion combine, llvm::ArrayRef<mlir::Value> yields,
                                        llvm::ArrayRef<Type> results);
  llvm::SmallVector<mlir::Value> scan(llvm::ArrayRef<mlir::Value> sources, unsigned axis,
                                      bool reverse, DetachedRegion combine,
                                      llvm::ArrayRef<mlir::Value> yields);

  // Elements computed by PTX, `pack` at a time.
  llvm::SmallVector<mlir::Value> inlineAssembly(llvm::StringRef text, llvm::StringRef constraints,
                                                int pack, bool isPure,
                                                llvm::ArrayRef<mlir::Value> sources,
                                                llvm::ArrayRef<Type> results);

  // Text for each element, and a check of each; `isSigned` is of the sources' integers.
  void print(llvm::StringRef prefix, bool hex, llvm::ArrayRef<bool> isSigned,
             llvm::ArrayRef<mlir::Value> sources);
  void assertion(mlir::Value condition, llvm::StringRef message, llvm::StringRef file,
                 unsigned line, llvm::StringRef function);

  // What the source promises about a value; `name` is one of the attributes in README.md.
  void hint(mlir::Value value, llvm::StringRef name, llvm::ArrayRef<int64_t> values);

  // Control flow.
  DetachedRegion enterRegion(llvm::ArrayRef<mlir::Type> arguments); // further operations go into it
  void reenterRegion(DetachedRegion &region);
  void leaveRegion();
  llvm::SmallVector<mlir::Value> branch(mlir::Value condition, DetachedRegion yes,
                                        llvm::ArrayRef<mlir::Value> yesYields, DetachedRegion no,
                                        llvm::ArrayRef<mlir::Value> noYields);
  // The body's arguments are the induction variable, then the carried values.
  llvm::SmallVector<mlir::Value> loop(mlir::Value lower, mlir::Value upper, mlir::Value step,
                                      bool isUnsigned, llvm::ArrayRef<mlir::Value> inits,
                                      DetachedRegion body, llvm::ArrayRef<mlir::Value> yields,
                                      const LoopHints &hints);
  llvm::SmallVector<mlir::Value> whileLoop(llvm::ArrayRef<mlir::Value> inits, DetachedRegion before,
                                           mlir::Value condition,
                                           llvm::ArrayRef<mlir::Value> beforeYields,
                                           DetachedRegion after,
                                           llvm::ArrayRef<mlir::Value> yields);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace teeny::lang
