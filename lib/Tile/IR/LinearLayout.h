// Layouts as linear maps over bits: which element of a tile each register of each thread holds.
//
// A tile is spread over the threads of a program. The code generator keeps asking two questions
// about that: which element is in register r of lane l of warp w, and where is element (i, j)?
// Every named layout (blocked, mma, ...) could answer in its own way, and every pair of layouts
// would then need its own conversion. Here all of them answer in one way: sizes are powers of two,
// so positions are vectors of bits, and a layout is a *linear* map between them, where adding is
// exclusive or:
//
//   L(a ^ b) = L(a) ^ L(b)         L(0) = 0
//
// Such a map is known once the images of the single bits are known. They are called bases, and
// they are all that is stored.
//
// Example 1: a row of 256 elements, four neighbours a thread, 32 lanes, two warps. Element
// i = r + 4 l + 128 w: no two terms share a bit, so + is ^ and the map is linear. The bases are
//
//   register  bit 0 -> 1   bit 1 -> 2
//   lane      bit 0 -> 4   bit 1 -> 8   bit 2 -> 16   bit 3 -> 32   bit 4 -> 64
//   warp      bit 0 -> 128
//
// Lane 5 = 101b, register 2 = 10b of warp 1 holds 2 ^ (4 ^ 16) ^ 128 = 150. A tile of 1024 with
// the same threads takes two more register bits, -> 256 and -> 512: the pattern repeats. A tile of
// 64 has no elements 64 and 128, so lane bit 4 and the warp bit map to 0: lane 21 holds what lane
// 5 holds. Such bits are *free*; a store goes out only from threads whose free bits are all 0.
//
// Example 2: a 16 x 8 accumulator of a tensor core. Lane l holds columns 2 (l % 4) and one more in
// rows l / 4 and l / 4 + 8. As (dim0, dim1):
//
//   register  bit 0 -> (0, 1)   bit 1 -> (8, 0)
//   lane      bit 0 -> (0, 2)   bit 1 -> (0, 4)   bit 2 -> (1, 0)   bit 3 -> (2, 0)   bit 4 -> (4,
//   0)
//
// No formula of the instruction is needed after this table, for any purpose.
//
// Example 3: shared memory, swizzled. Element (i, j) of an 8 x 8 tile lies at offset 8 i + (j ^ i):
// columns spread over the banks as rows do. That is no product of sizes and strides, but it is
// linear: offset -> (dim0, dim1) has bases
//
//   offset    bits 0..2 -> (0, 1) (0, 2) (0, 4)    bits 3..5 -> (1, 1) (2, 2) (4, 4)
//
// What follows from linearity, with A: (register, lane, warp) -> element and S: offset -> element:
//
//   A.invertAndCompose(S)        (register, lane, warp) -> offset: the addresses that store A in S
//   A.invertAndCompose(B)        where A's elements lie in B: which shuffles a conversion needs
//   rank, free bits              who holds copies, which threads need not store or take part
//   A with dim1 removed          the layout of a reduction over dim1. The lane bits that move only
//                                along dim1 are the distances of its shuffles, the warp bits say
//                                that shared memory is needed
//   A.then(reshape)              the layout of the reshaped tile, with no data moved
//   A.divide(tile)               whether A is made of copies of the tile an instruction wants
//
// Why from positions to elements, and not the other way round? Because copies are common and holes
// are not: a position always holds exactly one element, while an element may be held many times.
// The inverse question is answered by solving (invertAndCompose), which picks one of the copies.
//
// Conventions. Positions and elements are tuples of named dims. A list of dims begins with the
// fastest running one: packing a tuple into one number puts the first dim into the lowest bits. So
// a tile of shape [M, N] has outs (dim1, dim0), and its packed element is its row-major index; a
// thread's place has ins (register, lane, warp, block), `block` being the program's place in a
// cluster. All sizes are powers of two; numbers of bits are `unsigned`, packed values `uint64_t`.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace llvm {
class raw_ostream;
}

namespace teeny::tile {

// The names of dims. `offset` counts elements of a buffer in shared memory; the dims of a tensor
// are tensorDim(0), tensorDim(1), ...
enum class Dim : uint8_t { reg, lane, warp, block, offset, dim0 };

constexpr Dim tensorDim(unsigned i) { return Dim(unsigned(Dim::dim0) + i); }
// "register", "lane", "warp", "block", "offset", "dim0", "dim1", ...
std::string dimName(Dim dim);

// A dim and its number of bits; a dim and a position along it.
struct Extent {
  Dim dim;
  unsigned bits;
  bool operator==(const Extent &) const = default;
};
struct Coordinate {
  Dim dim;
  uint64_t value;
  bool operator==(const Coordinate &) const = default;
};
using Extents = llvm::SmallVector<Extent, 4>;
using Coordinates = llvm::SmallVector<Coordinate, 4>;

// The outs of a layout of a tensor: its dims, last first. Sizes must be powers of two.
Extents tensorExtents(llvm::ArrayRef<int64_t> shape);

class LinearLayout {
public:
  // The map from nothing to nothing: the unit of `*`.
  LinearLayout() = default;
  // The map that takes everything to 0.
  LinearLayout(llvm::ArrayRef<Extent> ins, llvm::ArrayRef<Extent> outs);
  // Position i of `in` is i along `out`.
  static LinearLayout identity(unsigned bits, Dim in, Dim out);
  // The map of positions in a row-major buffer to elements of a tensor.
  static LinearLayout rowMajor(llvm::ArrayRef<int64_t> shape, Dim in = Dim::offset);

  //===-- Dims and bases ----------------------------------------------------------------------===//

  llvm::ArrayRef<Extent> ins() const { return inDims; }
  llvm::ArrayRef<Extent> outs() const { return outDims; }
  bool hasIn(Dim dim) const;
  bool hasOut(Dim dim) const;
  // Bits of one dim (0 where it is missing) or of all.
  unsigned inBits(Dim dim) const;
  unsigned outBits(Dim dim) const;
  unsigned inBits() const { return columns.size(); }
  unsigned outBits() const;
  uint64_t inSize(Dim dim) const { return uint64_t(1) << inBits(dim); }
  uint64_t outSize(Dim dim) const { return uint64_t(1) << outBits(dim); }

  // The image of one bit of a dim: packed, or along one out dim.
  uint64_t basis(Dim in, unsigned bit) const;
  uint64_t basis(Dim in, unsigned bit, Dim out) const;
  // The packed images of all bits, in the order of ins().
  llvm::ArrayRef<uint64_t> bases() const { return columns; }

  // Adds one more bit on top of `in` (a new last dim if it is missing) with this packed image, or
  // this image by coordinates.
  void addBasis(Dim in, uint64_t image);
  void addBasis(Dim in, llvm::ArrayRef<Coordinate> image);

  //===-- Applying ----------------------------------------------------------------------------===//

  uint64_t apply(uint64_t packedIn) const;
  // Dims that are not mentioned are at 0; the result lists every out dim.
  Coordinates apply(llvm::ArrayRef<Coordinate> in) const;
  uint64_t packIn(llvm::ArrayRef<Coordinate> in) const;
  uint64_t packOut(llvm::ArrayRef<Coordinate> out) const;
  Coordinates unpackIn(uint64_t in) const;
  Coordinates unpackOut(uint64_t out) const;

  //===-- Properties --------------------------------------------------------------------------===//

  // Number of independent bases: the map reaches 2^rank values.
  unsigned rank() const;
  bool isSurjective() const { return rank() == outBits(); }
  bool isInjective() const { return rank() == inBits(); }
  bool isInvertible() const { return isSurjective() && isInjective(); }
  // Mask of the bits of `in` that add nothing to what the bits before them reach. Positions where
  // all free bits of all dims are 0 hold every value exactly once.
  uint64_t freeBits(Dim in) const;
  // Whether moving along `ins` never changes `outs`.
  bool isZero(llvm::ArrayRef<Dim> ins, llvm::ArrayRef<Dim> outs) const;
  // How many neighbours along `out` the lowest positions of `in` hold, in order: the largest n such
  // that every n positions of `in`, aligned to n, hold n elements along `out`, aligned to n. With
  // (reg, fastest dim) the number of elements that one instruction can move.
  uint64_t consecutive(Dim in, Dim out) const;
  bool operator==(const LinearLayout &) const = default;

  //===-- Building new maps -------------------------------------------------------------------===//

  // Side by side: dims that both have are stacked, the bits of `high` on top. A 4 x 4 tile of 2 x 2
  // tiles is `tile * tiles`.
  LinearLayout operator*(const LinearLayout &high) const;
  // First this, then `next`, whose ins are found by name among the outs of this; all outs of this
  // must be ins of `next`, and no wider.
  LinearLayout then(const LinearLayout &next) const;
  // A map from outs to ins such that inverse().then(*this) is the identity. Needs isSurjective();
  // where an element is held more than once, the position whose free bits are 0 is taken.
  LinearLayout inverse() const;
  // The map M from ins of this to ins of `to` with to(M(x)) = (*this)(x): where the elements of
  // this layout lie in the other. Where there is a choice, M keeps a bit of a dim that both layouts
  // have in place (a thread looks into its own registers first). None if `to` lacks one of the
  // elements.
  std::optional<LinearLayout> invertAndCompose(const LinearLayout &to) const;
  // Q with *this == tile * Q, if there is one.
  std::optional<LinearLayout> divide(const LinearLayout &tile) const;

  // Only these dims, in this order; others are at 0, or dropped from the images.
  LinearLayout sublayout(llvm::ArrayRef<Dim> ins, llvm::ArrayRef<Dim> outs) const;
  LinearLayout withoutOut(Dim out) const;
  // Gives an out dim another size: images beyond it wrap to 0, or there is room that is not
  // reached.
  LinearLayout resizeOut(Dim out, unsigned bits) const;
  LinearLayout renameIn(Dim from, Dim to) const;
  LinearLayout renameOut(Dim from, Dim to) const;
  // All ins or outs as one dim, the first in the lowest bits.
  LinearLayout flattenIns(Dim to) const;
  LinearLayout flattenOuts(Dim to) const;
  // For layouts of tensors: the same packed elements under another shape with as many elements.
  LinearLayout reshape(llvm::ArrayRef<int64_t> shape) const;
  // For layouts of tensors: dim i of the result is dim order[i] of this.
  LinearLayout transpose(llvm::ArrayRef<int32_t> order) const;
  // Without those bits of `in` whose image is 0. The others close ranks.
  LinearLayout withoutZeroBases(Dim in) const;

  // "register = [(0, 1), (8, 0)], lane = [...] -> (dim0: 16, dim1: 8)": images with dim0 first.
  void print(llvm::raw_ostream &os) const;
  std::string str() const;

private:
  Extents inDims, outDims;
  llvm::SmallVector<uint64_t, 12> columns; // packed images, in packed order of the in bits
};

} // namespace teeny::tile
