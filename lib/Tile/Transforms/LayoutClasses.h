// Which tiles of a kernel should have one layout, and which.
//
// Most values have to be laid out as their neighbours are: the operands and results of arithmetic,
// what a loop carries, the pointers and the result of a load. These links make classes
// (union-find). A class has one layout, and data moves only where classes meet. Values that can be
// computed again in any layout at no great cost (ranges, splats, offsets, masks: isCheap of all
// they are made of) are in no class, since they would tie together what needs not be: one range of
// column numbers serves a load of rows and a store of columns.
//
// A class takes the layout that saves most: each memory access in it wishes for a coalesced one,
// weighted with the bytes it moves (those in loops count more), and each operation at its border (a
// reduction, a change of shape, a dot) votes for the layout in which its data need not move, once
// the class on the other side is decided. Classes are decided from high rank to low, so that the
// rows' maxima follow the rows.
#pragma once

#include "Tile/Transforms/AccessLayouts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

namespace teeny::tile {

class LayoutClasses {
public:
  // Decides for all tiles in the function, which have no layouts yet. `lanes` is the size of a
  // warp. `mmaVersion` is that of the matrix instructions to use (tile-assign-gpu-layouts).
  LayoutClasses(mlir::func::FuncOp function, const AxisInfoMap &facts, int64_t lanes,
                int64_t mmaVersion);

  // The layout of a tile: of its class, or of its shape where it is in none.
  LayoutInterface layoutOf(mlir::Value value) const;
  // The layout in which a memory operation on tiles moves its data: of its class, unless that would
  // scatter what its own wish keeps together.
  LayoutInterface accessLayout(mlir::Operation *access) const;
  // The layout of a dot's accumulator and result: mma or blocked.
  LayoutInterface dotLayout(DotOp dot) const;

private:
  struct Class {
    int64_t rank = 0;
    llvm::SmallVector<int64_t> shape; // of the largest tile
    llvm::SmallVector<std::pair<mlir::Operation *, AccessWish>> accesses;
    llvm::MapVector<mlir::Attribute, int64_t> votes; // bytes that need not move
    LayoutInterface layout;
  };
  // An operation whose sources and results are in different classes.
  struct Border {
    mlir::Operation *op;
    unsigned source, result;
    int64_t sourceBytes, resultBytes;
  };

  void findCheap(mlir::func::FuncOp function);
  void join(mlir::ValueRange values, mlir::Operation *access = nullptr);
  void joinLoops(mlir::Operation *op);
  void joinOperation(mlir::Operation *op);
  void makeClasses(mlir::func::FuncOp function, const AxisInfoMap &facts);
  void findBorders(mlir::func::FuncOp function);
  MmaLayoutAttr mmaLayout(DotOp dot) const;
  BlockedLayoutAttr fmaLayout(DotOp dot) const;
  void decide();
  LayoutInterface memoryLayout(const Class &members, int64_t &bytes) const;
  LayoutInterface shapeLayout(llvm::ArrayRef<int64_t> shape) const;

  unsigned leaderOf(unsigned node) const;
  std::optional<unsigned> classOf(mlir::Value value) const;

  int64_t lanes, warps, mmaVersion;
  mlir::MLIRContext *context;
  llvm::DenseMap<mlir::Value, unsigned> valueNodes;        // tiles that are not cheap
  llvm::DenseMap<mlir::Operation *, unsigned> accessNodes; // memory operations on tiles
  llvm::SmallVector<unsigned> parents;                     // of the union-find forest
  llvm::MapVector<unsigned, Class> classes;                // by leader
  llvm::SmallVector<Border> borders;
};

} // namespace teeny::tile
