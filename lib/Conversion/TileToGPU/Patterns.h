// The patterns of the conversion from tiles to threads, one file per family of operations.
#pragma once

#include "Conversion/TileToGPU/AccessWidths.h"
#include "Conversion/TileToGPU/Distribution.h"
#include "Conversion/TileToGPU/Scratch.h"
#include "Conversion/TileToGPU/SwizzledBuffer.h"
#include "Support/Targets.h"

namespace teeny::gpu {

// What the patterns of one kernel share.
struct KernelContext {
  const DistributionTypes &types;
  const GpuFacts &facts;
  int warps;
  Scratch &scratch;
  const AccessFacts &access;
};

template <typename Op> class TilePattern : public mlir::OpConversionPattern<Op> {
public:
  TilePattern(KernelContext &context, mlir::MLIRContext *mlirContext,
              mlir::PatternBenefit benefit = 1)
      : mlir::OpConversionPattern<Op>(context.types, mlirContext, benefit), context(context) {}

protected:
  KernelContext &context;
};

// arith and math on tiles: the same operation on each register.
void populateElementwisePatterns(KernelContext &, mlir::RewritePatternSet &);
// Conversions of 8-bit floats, and the report of what else is done with them.
void populateFloat8Patterns(KernelContext &, mlir::RewritePatternSet &);
mlir::LogicalResult verifyFloat8(mlir::Operation *op);
// arange, splat, and the operations that only rename elements.
void populateMakeTilePatterns(KernelContext &, mlir::RewritePatternSet &);
// Pointer arithmetic, loads and stores, the place in the grid, barriers.
void populateMemoryPatterns(KernelContext &, mlir::RewritePatternSet &);
void populateConvertLayoutPatterns(KernelContext &, mlir::RewritePatternSet &);

void populateReducePatterns(KernelContext &, mlir::RewritePatternSet &);
void populateScanPatterns(KernelContext &, mlir::RewritePatternSet &);
void populateDotPatterns(KernelContext &, mlir::RewritePatternSet &);
void populateMmaPatterns(KernelContext &, mlir::RewritePatternSet &);
void populateBufferPatterns(KernelContext &, mlir::RewritePatternSet &);
void populateWarpgroupDotPatterns(KernelContext &, mlir::RewritePatternSet &);
void populateAtomicPatterns(KernelContext &, mlir::RewritePatternSet &);
void populateInlineAsmPatterns(KernelContext &, mlir::RewritePatternSet &);
// Text and failed assertions, by what the driver has for them.
void populatePrintPatterns(KernelContext &, mlir::RewritePatternSet &);
// Of scalars: division, exp2, sqrt, rsqrt; and the report of functions that no pattern knows.
void populateMathPatterns(const mlir::TypeConverter &types, mlir::RewritePatternSet &patterns);
mlir::LogicalResult verifyMath(mlir::Operation *kernel);

// For each register of `to`, the register of `from` in the same thread that holds the same element,
// or nothing where an element lies in another thread. The two have the same outs.
std::optional<llvm::SmallVector<unsigned>> registersInPlace(const tile::LinearLayout &from,
                                                            const tile::LinearLayout &to);

// What the region of a reduction or scan yields for these elements, one of each source on either
// side.
llvm::SmallVector<mlir::Value> combine(mlir::OpBuilder &builder, mlir::Region &region,
                                       mlir::ValueRange lhs, mlir::ValueRange rhs);
mlir::LogicalResult verifyCombine(mlir::Operation *op, mlir::Region &region);

// The layout of a tile without one of its dims.
tile::LinearLayout removeAxis(const tile::LinearLayout &layout, unsigned axis, unsigned rank);

// The registers of the same tile in layout `to`, by way of shared memory, of which exchangeBytes
// must fit.
llvm::SmallVector<mlir::Value> exchange(Emit &emit, KernelContext &context, mlir::ValueRange values,
                                        const tile::LinearLayout &from,
                                        const tile::LinearLayout &to);
int64_t exchangeBytes(mlir::Type type, const tile::LinearLayout &layout);

// The registers of the tile in a slot of a buffer at this address.
llvm::SmallVector<mlir::Value> readTileBuffer(Emit &emit, mlir::Value address, mlir::Type element,
                                              const TileBuffer &buffer);
// Writes registers to offsets from an address, 2^vectorBits neighbours at once.
void writeTileBuffer(Emit &emit, mlir::Value address, mlir::ValueRange values,
                     const tile::LinearLayout &writes, unsigned vectorBits);
// The order of a buffer's tile without a layout.
WarpgroupBuffer warpgroupBuffer(tile::BufferType type);
// Bytes of a slot.
int64_t slotBytes(tile::BufferType type);

} // namespace teeny::gpu
