// Where the elements of a tile lie in shared memory while threads exchange them, so that neither
// those who write in one layout nor those who read in another wait for each other.
//
// Shared memory has 32 banks of 4 bytes; byte address a is in bank a / 4 % 32. The lanes of one
// access are served together (all 32 for accesses of 4 bytes, 16 lanes for 8 bytes, 8 lanes for 16)
// if no two of them want different rows (a / 128) of one bank. A plain row-major buffer is good for
// one direction only: threads that read along columns of a 32 x 32 tile of f32 all want the same
// bank.
//
// The buffer is a linear map S from offsets to elements, to be chosen: a basis of the space of
// elements, in the order of the offset's bits:
//
//   offset = [ vector | bank | row ]
//
// 1. vector: directions along which both layouts have registers: those elements move together.
// 2. row: two lanes conflict when they differ by something with no bank part, that is, by an
// element of
//    span(row, vector). So `row` must meet neither the directions in which the writing lanes lie,
//    W, nor those of the reading lanes, R. Directions outside of both are good. So is w + r for w
//    only in W and r only in R: it lies in neither span.
// 3. bank: whatever completes the basis.
//
// Example: a 32 x 32 tile, written along rows (W = the 5 column bits), read along columns (R = the
// 5 row bits). There is no direction outside of W and R, so row = {c0 + r0, ..., c4 + r4} and bank
// = {c0, ..., c4}: element (i, j) is at offset 32 i + (i ^ j), the usual swizzle, found and not
// written down.
#pragma once

#include "Tile/IR/LinearLayout.h"

namespace teeny::gpu {

struct SwizzledBuffer {
  tile::LinearLayout offsets;       // Dim::offset -> the tile's dims; invertible
  unsigned vectorBits = 0;          // 2^vectorBits elements move at once
  tile::LinearLayout writes, reads; // (register, lane, warp) -> Dim::offset
};

// For a tile with elements of so many bytes, written in the one layout and read in the other.
SwizzledBuffer chooseBuffer(const tile::LinearLayout &writer, const tile::LinearLayout &reader,
                            unsigned elementBytes);

// A buffer for reading by matrix loads (ldmatrix). Such a load takes the addresses of 8 rows of 16
// bytes each from 8 lanes, and deals the rows out: lane l gets word l % 4 of row l / 4; transposed,
// for elements of 16 bits, elements 2 (l % 4) and one more of column l / 4. Four loads go as one:
// lanes 8 j to 8 j + 7 give the rows of matrix j, which becomes the j-th word of every lane. Any
// layout will do whose lowest registers and lanes move along a row so:
//
//   straight:    within a row register bits of a word, lane bits 0 and 1     rows lane bits 2 to 4
//   transposed:  within a row lane bits 2 to 4                               rows register bit 0,
//   lane bits 0 and 1
//
// The elements of a row must be neighbours in the buffer; the rows can be anywhere, so they are
// swizzled as above.
struct MatrixBuffer {
  bool transposed = false;
  unsigned vectorBits = 0;   // elements in a row of 16 bytes, which the writer moves at once
  tile::LinearLayout writes; // (register, lane, warp) -> Dim::offset
  tile::LinearLayout rows;   // of the reader's (register, warp) and the address's lane
  unsigned wordMask = 0;     // register bits within a word
  llvm::SmallVector<unsigned, 2>
      matrixBits; // masks of the register bits that tell the matrices of one load apart
};

// None where the reader's layout is not of that kind or the writer does not hold whole rows.
std::optional<MatrixBuffer> chooseMatrixBuffer(const tile::LinearLayout &writer,
                                               const tile::LinearLayout &reader,
                                               unsigned elementBytes);

// A buffer of its own for a tile, which asynchronous copies write: the writer's registers that are
// neighbours in memory stay neighbours in the buffer, up to 16 bytes of them. Read by matrix loads
// if `matrixLoads` and the layouts allow it.
struct TileBuffer {
  tile::LinearLayout writes; // (register, lane, warp) -> Dim::offset
  std::optional<MatrixBuffer> matrices;
  tile::LinearLayout reads; // without matrix loads, 2^readBits elements at once
  unsigned readBits = 0;
};
TileBuffer chooseTileBuffer(const tile::LinearLayout &writer, const tile::LinearLayout &reader,
                            unsigned elementBytes, bool matrixLoads);

// A buffer from which the matrix instructions of warp groups read (WarpgroupDotToGPU.cpp). Rows of
// up to 128 bytes run along the dim of the writer's first register; row r is the r-th along
// the other dim, and behind all rows those of the next part follow. Address bits 7, 8 and 9 are
// added (exclusive or) to bits 4, 5 and 6; with rows of 64 bytes the first two, of 32 bytes the
// first one.
struct WarpgroupBuffer {
  tile::LinearLayout offsets; // Dim::offset -> the tile's dims; invertible
  tile::LinearLayout writes;  // (register, lane, warp) -> Dim::offset
  unsigned writeBits = 0;     // 2^writeBits elements can be written at once
  unsigned rowDim = 0;
  int64_t rowElements = 1, rows = 1;
  unsigned elementBytes = 2;

  int64_t rowBytes() const { return rowElements * elementBytes; }
};
WarpgroupBuffer chooseWarpgroupBuffer(const tile::LinearLayout &writer, unsigned elementBytes);
// How threads read such a buffer in a layout.
TileBuffer readsOf(const WarpgroupBuffer &buffer, const tile::LinearLayout &reader,
                   bool matrixLoads);

// Registers in groups that lie at consecutive offsets: the first of each group, and what to add to
// (exclusive or) get its others.
struct RegisterGroups {
  llvm::SmallVector<unsigned> first;
  llvm::SmallVector<unsigned> members; // members[0] is 0
};
RegisterGroups vectorGroups(const tile::LinearLayout &accesses, unsigned vectorBits);

} // namespace teeny::gpu
