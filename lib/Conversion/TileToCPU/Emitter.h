// The emitter: follows a plan (LoopFusion.h) and writes loops and scalar code into a new function.
//
// While a loop nest is open, elements are emitted on demand by `element(tile, indices)`. Each piece
// of code goes to the outermost level of the nest where its indices are known: what does not depend
// on the innermost counter is computed before the innermost loop. Emitted elements are remembered,
// so that a value used by several members of a group is computed once.
//
// Files: Emitter.cpp (functions, steps), EmitElements.cpp (elements), Slopes.cpp (addresses and
// comparisons as functions of the innermost counter), LoopNest.cpp (nests), MaskRanges.cpp,
// EmitMemory.cpp (accesses), EmitAtomics.cpp, EmitGroup.cpp (groups, reductions, scans),
// EmitDot.cpp, EmitControl.cpp (loops and branches of the source).
#pragma once

#include "Conversion/TileToCPU/LLVMOps.h"
#include "Conversion/TileToCPU/LoopFusion.h"

#include <map>
#include <set>
#include <vector>

namespace mlir::scf {
class ForOp;
class IfOp;
class WhileOp;
} // namespace mlir::scf

namespace teeny::cpu {

struct EmitOptions {
  int vectorBits = 256, vectorRegisters = 16;
};

// An index of one dim. `level` counts the loops that it depends on; 0 is known before the nest.
struct Index {
  mlir::Value value; // i64; null for the innermost counter, and for unknown ones while analysing
  int level = 0;
  bool inner = false; // the innermost loop's own counter
  bool operator<(const Index &other) const {
    return std::pair(value.getAsOpaquePointer(), inner) <
           std::pair(other.value.getAsOpaquePointer(), other.inner);
  }
};
using Indices = std::vector<Index>;
using ElementKey = std::pair<const void *, Indices>;

// A scalar and the level where it is known.
struct Element {
  mlir::Value value;
  int level = 0;
};

// A tile in memory, elements in row-major order.
struct Buffer {
  mlir::Value address;
  mlir::Type element; // of the tile; i1 takes a byte
  llvm::SmallVector<int64_t> shape;
};

// How a number changes with the innermost counter: by constant * factor at each step.
struct Slope {
  bool known = false;
  int64_t constant = 0;
  mlir::Value factor; // i64 known outside the innermost loop; null is 1

  bool isZero() const { return known && constant == 0; }
  bool isConstant() const { return known && !factor; }
};

// A loop nest while it is being filled.
struct Nest {
  // Level n is inside n loops; code goes before `next`, or to the end of the block without one.
  struct Level {
    mlir::Block *block;
    mlir::Operation *next = nullptr;
  };
  std::vector<Level> levels;
  int depth = 0;     // number of loops; the innermost is open while `counter` is set
  int64_t count = 0; // iterations of the innermost
  const Group *group = nullptr;
  mlir::Value counter;                        // of the innermost loop; null while there is none yet
  std::map<ElementKey, Element> outer, inner; // emitted elements, by level
  std::set<ElementKey> knownTrue;             // masks that hold in the innermost loop
};

class Emitter {
public:
  Emitter(mlir::Operation *kernel, const Plan &plan, EmitOptions options);
  // Makes the functions and erases the kernel; fails with an error at what has no code.
  mlir::LogicalResult run();

private:
  mlir::Operation *kernel;
  const Plan &plan;
  EmitOptions options;
  mlir::OpBuilder b;
  mlir::Location loc;
  bool failed = false;

  llvm::DenseMap<mlir::Value, mlir::Value> scalars; // of the source -> emitted
  // At the start of the function: numbers (i64), and places in scratch memory by offset.
  std::map<int64_t, mlir::Value> constants, scratchAddresses;
  mlir::Block *entry = nullptr;
  mlir::Value scratch, programIds[3], gridSizes[3];
  Nest *nest = nullptr;

  Emit at() { return {b, loc}; }
  mlir::Value fail(mlir::Operation *op, const llvm::Twine &what); // a value to go on with, or null

  // Emitter.cpp
  void emitWrapper(llvm::StringRef symbol, mlir::Operation *body);
  void emitBlock(mlir::Block &block);
  void emitOperation(mlir::Operation *op);
  mlir::Value scalar(mlir::Value source);
  mlir::Type convertType(mlir::Type type);
  mlir::Value i64(int64_t value);
  Buffer bufferAt(int64_t offset, mlir::Type element, llvm::ArrayRef<int64_t> shape);
  Buffer bufferOf(mlir::Value tile);
  Buffer secondBufferOf(mlir::Value tile);
  Buffer workBuffer(mlir::Operation *op, unsigned number);

  // EmitElements.cpp
  Element element(mlir::Value tile, const Indices &indices);
  Element computeElement(mlir::Value tile, const Indices &indices);
  Element reshapedElement(mlir::Operation *op, const Indices &indices);
  Element constantElement(mlir::Operation *op, const Indices &indices);
  Indices operandIndices(mlir::Value result, const Indices &indices);
  mlir::Value indexValue(const Index &index);
  Index linearIndex(const Indices &indices, llvm::ArrayRef<int64_t> shape);
  int levelOf(const Indices &indices);
  void goTo(int level); // moves the builder there
  bool isComputedHere(mlir::Value tile);
  // One operation of arith, math or tile on scalars, for one result.
  mlir::Value scalarResult(mlir::Value result, mlir::ValueRange operands);
  // A combining region with these arguments, at the builder's place.
  llvm::SmallVector<mlir::Value> inlineRegion(mlir::Region &region, mlir::ValueRange arguments);

  // Slopes.cpp
  Slope slope(mlir::Value tile, const Indices &indices, bool emitting,
              llvm::SmallVectorImpl<mlir::Value> *noWrap = nullptr);
  Slope addSlopes(Slope a, Slope b, int64_t sign, bool emitting);
  // Adds a condition (i1) that `tile` stays in its width while the counter runs.
  void addNoWrap(mlir::Value tile, const Indices &indices, Slope slope,
                 llvm::SmallVectorImpl<mlir::Value> &conditions);
  Indices atCounterZero(const Indices &indices);

  // EmitMemory.cpp
  Element loadElement(mlir::Operation *op, const Indices &indices);
  void storeElement(mlir::Operation *op, const Indices &indices);
  Element addressAt(mlir::Value pointers, const Indices &indices);
  mlir::Value loadValue(mlir::Type element, mlir::Value address);
  void storeValue(mlir::Type element, mlir::Value value, mlir::Value address);
  Element readTile(const Buffer &buffer, const Indices &indices);
  void writeTile(const Buffer &buffer, const Indices &indices, mlir::Value value);
  mlir::Value zero(mlir::Type type);
  mlir::Value conditional(mlir::Value condition, mlir::Type type,
                          llvm::function_ref<mlir::Value()> yes, mlir::Value no);
  void onlyIf(mlir::Value condition, llvm::function_ref<void()> body);
  bool isTrue(mlir::Value condition);
  void emitScalarAccess(mlir::Operation *op);

  // EmitAtomics.cpp
  void emitAtomic(mlir::Operation *op);
  mlir::Value atomicElement(mlir::Operation *op, mlir::Value address, mlir::ValueRange operands);
  mlir::Value addByExchange(mlir::Operation *op, mlir::Value address, mlir::Value operand);

  // LoopNest.cpp. A body gets the indices and the carried values, and returns the next ones;
  // `after` gets the last ones, at the level outside the innermost loop.
  using Body =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(const Indices &, mlir::ValueRange)>;
  using After = llvm::function_ref<void(const Indices &, mlir::ValueRange)>;
  void emitNest(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order, const Group *group,
                mlir::ValueRange carried, Body body, After after);
  llvm::SmallVector<unsigned> loopOrder(const Group &group);
  struct Segment {
    mlir::Value from, to;
    bool masksHold;
  };

  // MaskRanges.cpp
  struct Access {
    mlir::Operation *op; // load or store; null for a kept tile
    mlir::Value tile;
    Indices indices;
  };
  void forEachAccess(const Member &member, const Indices &indices,
                     llvm::function_ref<void(const Access &)> visit);
  void visitAccesses(mlir::Value value, const Indices &indices, std::set<ElementKey> &seen,
                     llvm::function_ref<void(const Access &)> visit);
  llvm::SmallVector<Segment> segments(const Indices &indices);
  struct MaskRange;
  void limitByMask(mlir::Value mask, const Indices &indices, MaskRange &range);
  bool limitByComparison(mlir::Value comparison, const Indices &indices, MaskRange &range);

  // EmitGroup.cpp
  void emitGroup(const Group &group);
  llvm::SmallVector<mlir::Value> emitMembers(const Group &group, const Indices &indices,
                                             mlir::ValueRange carried, bool reduceInner);
  llvm::SmallVector<mlir::Value> combine(mlir::Operation *op, mlir::ValueRange accumulated,
                                         mlir::ValueRange next, mlir::Value isFirst);
  void assignTile(mlir::Value value, const Buffer &target);
  void emitScan(mlir::Operation *op);
  void copyTile(const Buffer &from, const Buffer &to);

  // EmitDot.cpp
  void emitDot(mlir::Operation *op);

  // EmitControl.cpp
  void emitFor(mlir::scf::ForOp loop);
  void emitWhile(mlir::scf::WhileOp loop);
  void emitIf(mlir::scf::IfOp branch);
  void copyBuffered(mlir::ValueRange targets);
};

} // namespace teeny::cpu
