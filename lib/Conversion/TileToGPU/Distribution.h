// How tiles become values of single threads.
//
// A tile of type tensor<...x T, layout> becomes N scalars of type T in every thread, N = the number
// of registers that its layout gives a thread. Which element scalar r of a thread is follows from
// the layout's linear map (Tile/IR/LinearLayout.h), so that no lowering knows one layout from
// another:
//
//   %x : tensor<256xf32, #tile.blocked<registers = [4], lanes = [32], warps = [2], order = [0]>>
//
// becomes %x0, %x1, %x2, %x3 : f32; in thread t of 64, %xr is element r + 4 t. A tile that is
// smaller than the threads can hold is held several times: bits of the thread id that do not matter
// are the map's free bits, and only threads where they are all 0 store.
//
// Pointers become !llvm.ptr<1>; 8-bit floats, which no instruction adds, become their bits in an
// i8.
#pragma once

#include "Conversion/TileToGPU/GpuEmit.h"
#include "Tile/IR/Tile.h"

#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

namespace teeny::gpu {

// Scalars a thread holds of a value of this type: 1 for scalars.
unsigned registerCount(mlir::Type type);
// The linear map of a tile's layout. The type must have one (see verifyDistributed).
tile::LinearLayout linearLayout(mlir::Type type);
// What a scalar, or an element of a tile, is in a thread's register.
mlir::Type registerType(mlir::Type type);

class DistributionTypes : public mlir::TypeConverter {
public:
  DistributionTypes();
};

// Reports tiles without a layout, or of a layout made for another number of warps.
mlir::LogicalResult verifyDistributed(mlir::Operation *kernel);

// The images of a linear map from (register, lane, warp) for this thread, emitted once: the part
// of lane and warp is computed for each out dim, registers add a constant.
class ThreadIndex {
public:
  ThreadIndex(Emit &emit, tile::LinearLayout map);
  mlir::Value get(unsigned reg, tile::Dim out);
  // All out dims packed, the first in the lowest bits.
  mlir::Value packed(unsigned reg);

private:
  struct Part {
    mlir::Value value;  // null where it is always 0
    uint64_t reach = 0; // bits it can have
  };
  Part &threadPart(tile::Dim out);
  mlir::Value combine(Part &part, uint64_t constant);

  Emit &emit;
  tile::LinearLayout map, flat;
  llvm::DenseMap<unsigned, Part> parts;
  llvm::DenseMap<std::pair<unsigned, uint64_t>, mlir::Value> known;
};

// Whether this thread is the first of those that hold the same elements; null if it always is.
mlir::Value isCanonicalThread(Emit &emit, const tile::LinearLayout &layout);

} // namespace teeny::gpu
