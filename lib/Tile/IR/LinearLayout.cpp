#include "Tile/IR/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cassert>
#include <vector>

using namespace llvm;

namespace teeny::tile {
namespace {

uint64_t lowMask(unsigned bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

unsigned totalBits(ArrayRef<Extent> extents) {
  unsigned bits = 0;
  for (const Extent &extent : extents)
    bits += extent.bits;
  assert(bits <= 64 && "a packed position has 64 bits");
  return bits;
}

const Extent *extentOf(ArrayRef<Extent> extents, Dim dim) {
  auto *it = llvm::find_if(extents, [&](const Extent &extent) { return extent.dim == dim; });
  return it == extents.end() ? nullptr : it;
}

// Where the bits of a dim begin in a packed position; the total where it is missing.
unsigned startOf(ArrayRef<Extent> extents, Dim dim) {
  unsigned start = 0;
  for (const Extent &extent : extents) {
    if (extent.dim == dim)
      break;
    start += extent.bits;
  }
  return start;
}

uint64_t pack(ArrayRef<Extent> extents, ArrayRef<Coordinate> coordinates) {
  uint64_t packed = 0;
  for (const Coordinate &coordinate : coordinates) {
    const Extent *extent = extentOf(extents, coordinate.dim);
    assert((extent ? coordinate.value <= lowMask(extent->bits) : coordinate.value == 0) &&
           "no such position");
    if (extent)
      packed |= coordinate.value << startOf(extents, coordinate.dim);
  }
  return packed;
}

Coordinates unpack(ArrayRef<Extent> extents, uint64_t packed) {
  Coordinates result;
  for (const Extent &extent : extents) {
    result.push_back({extent.dim, packed & lowMask(extent.bits)});
    packed = extent.bits >= 64 ? 0 : packed >> extent.bits;
  }
  assert(packed == 0 && "no such position");
  return result;
}

// The part of a packed position that lies along one dim.
uint64_t component(ArrayRef<Extent> extents, uint64_t packed, Dim dim) {
  const Extent *extent = extentOf(extents, dim);
  return extent ? packed >> startOf(extents, dim) & lowMask(extent->bits) : 0;
}

void setBits(Extents &extents, Dim dim, unsigned bits) {
  for (Extent &extent : extents)
    if (extent.dim == dim) {
      extent.bits = bits;
      return;
    }
  extents.push_back({dim, bits});
}

// What a set of vectors reaches, in echelon form by highest bit; knows for everything it reaches
// which of the vectors, as a mask of their numbers, give it. Vectors that add nothing are never
// used.
class Span {
public:
  // False if the vector adds nothing.
  bool insert(uint64_t vector, unsigned number) {
    uint64_t mask = uint64_t(1) << number;
    reduce(vector, mask);
    if (!vector)
      return false;
    rows[Log2_64(vector)] = {vector, mask};
    return true;
  }

  std::optional<uint64_t> solve(uint64_t vector) const {
    uint64_t mask = 0;
    reduce(vector, mask);
    return vector ? std::nullopt : std::optional(mask);
  }

private:
  struct Row {
    uint64_t vector = 0, mask = 0;
  };
  void reduce(uint64_t &vector, uint64_t &mask) const {
    for (uint64_t rest = vector; rest;) {
      unsigned top = Log2_64(rest);
      const Row &row = rows[top];
      if (row.vector) {
        vector ^= row.vector;
        mask ^= row.mask;
      }
      rest = vector & lowMask(top);
    }
  }
  std::array<Row, 64> rows;
};

} // namespace

std::string dimName(Dim dim) {
  switch (dim) {
  case Dim::reg:
    return "register";
  case Dim::lane:
    return "lane";
  case Dim::warp:
    return "warp";
  case Dim::block:
    return "block";
  case Dim::offset:
    return "offset";
  default:
    return "dim" + std::to_string(unsigned(dim) - unsigned(Dim::dim0));
  }
}

Extents tensorExtents(ArrayRef<int64_t> shape) {
  Extents result;
  for (size_t i = shape.size(); i-- > 0;) {
    assert(isPowerOf2_64(shape[i]) && "sizes of tiles are powers of two");
    result.push_back({tensorDim(i), Log2_64(shape[i])});
  }
  return result;
}

LinearLayout::LinearLayout(ArrayRef<Extent> ins, ArrayRef<Extent> outs)
    : inDims(ins), outDims(outs), columns(totalBits(ins), 0) {
  totalBits(outs);
}

LinearLayout LinearLayout::identity(unsigned bits, Dim in, Dim out) {
  LinearLayout result({{in, bits}}, {{out, bits}});
  for (unsigned bit = 0; bit < bits; ++bit)
    result.columns[bit] = uint64_t(1) << bit;
  return result;
}

LinearLayout LinearLayout::rowMajor(ArrayRef<int64_t> shape, Dim in) {
  Extents outs = tensorExtents(shape);
  LinearLayout result = identity(totalBits(outs), in, in);
  result.outDims = outs;
  return result;
}

//===-- Dims and bases
//--------------------------------------------------------------------------===//

bool LinearLayout::hasIn(Dim dim) const { return extentOf(inDims, dim); }
bool LinearLayout::hasOut(Dim dim) const { return extentOf(outDims, dim); }

unsigned LinearLayout::inBits(Dim dim) const {
  const Extent *extent = extentOf(inDims, dim);
  return extent ? extent->bits : 0;
}
unsigned LinearLayout::outBits(Dim dim) const {
  const Extent *extent = extentOf(outDims, dim);
  return extent ? extent->bits : 0;
}
unsigned LinearLayout::outBits() const { return totalBits(outDims); }

uint64_t LinearLayout::basis(Dim in, unsigned bit) const {
  assert(bit < inBits(in) && "no such bit");
  return columns[startOf(inDims, in) + bit];
}
uint64_t LinearLayout::basis(Dim in, unsigned bit, Dim out) const {
  return component(outDims, basis(in, bit), out);
}

void LinearLayout::addBasis(Dim in, uint64_t image) {
  assert((image & ~lowMask(outBits())) == 0 && "no such position");
  setBits(inDims, in, inBits(in) + 1);
  columns.insert(columns.begin() + startOf(inDims, in) + inBits(in) - 1, image);
}
void LinearLayout::addBasis(Dim in, ArrayRef<Coordinate> image) { addBasis(in, packOut(image)); }

//===-- Applying
//--------------------------------------------------------------------------------===//

uint64_t LinearLayout::apply(uint64_t packedIn) const {
  assert((packedIn & ~lowMask(inBits())) == 0 && "no such position");
  uint64_t result = 0;
  for (; packedIn; packedIn &= packedIn - 1)
    result ^= columns[countr_zero(packedIn)];
  return result;
}
Coordinates LinearLayout::apply(ArrayRef<Coordinate> in) const {
  return unpackOut(apply(packIn(in)));
}
uint64_t LinearLayout::packIn(ArrayRef<Coordinate> in) const { return pack(inDims, in); }
uint64_t LinearLayout::packOut(ArrayRef<Coordinate> out) const { return pack(outDims, out); }
Coordinates LinearLayout::unpackIn(uint64_t in) const { return unpack(inDims, in); }
Coordinates LinearLayout::unpackOut(uint64_t out) const { return unpack(outDims, out); }

//===-- Properties
//------------------------------------------------------------------------------===//

unsigned LinearLayout::rank() const {
  Span span;
  unsigned rank = 0;
  for (auto [number, column] : enumerate(columns))
    rank += span.insert(column, number);
  return rank;
}

uint64_t LinearLayout::freeBits(Dim in) const {
  Span span;
  uint64_t free = 0;
  for (auto [number, column] : enumerate(columns))
    if (!span.insert(column, number))
      free |= uint64_t(1) << number;
  return component(inDims, free, in);
}

bool LinearLayout::isZero(ArrayRef<Dim> ins, ArrayRef<Dim> outs) const {
  return all_of(sublayout(ins, outs).columns, [](uint64_t column) { return column == 0; });
}

uint64_t LinearLayout::consecutive(Dim in, Dim out) const {
  unsigned n = 0, inStart = startOf(inDims, in), outStart = startOf(outDims, out);
  // One more bit counts if it moves along `out` by exactly its own value and nothing else does.
  while (n < inBits(in) && n < outBits(out)) {
    uint64_t image = uint64_t(1) << (outStart + n);
    bool only = columns[inStart + n] == image;
    for (auto [number, column] : enumerate(columns))
      only &= number == inStart + n || !(column & image);
    if (!only)
      break;
    ++n;
  }
  return uint64_t(1) << n;
}

//===-- Building new maps
//-----------------------------------------------------------------------===//

LinearLayout LinearLayout::operator*(const LinearLayout &high) const {
  LinearLayout result;
  for (const LinearLayout *part : {this, &high}) {
    for (const Extent &in : part->inDims)
      setBits(result.inDims, in.dim, result.inBits(in.dim) + in.bits);
    for (const Extent &out : part->outDims)
      setBits(result.outDims, out.dim, result.outBits(out.dim) + out.bits);
  }
  for (const Extent &in : result.inDims) {
    for (unsigned bit = 0; bit < inBits(in.dim); ++bit)
      result.columns.push_back(result.packOut(unpackOut(basis(in.dim, bit))));
    for (unsigned bit = 0; bit < high.inBits(in.dim); ++bit) {
      Coordinates image = high.unpackOut(high.basis(in.dim, bit));
      for (Coordinate &coordinate : image)
        coordinate.value <<= outBits(coordinate.dim);
      result.columns.push_back(result.packOut(image));
    }
  }
  return result;
}

LinearLayout LinearLayout::then(const LinearLayout &next) const {
  LinearLayout result(inDims, next.outDims);
  for (auto [column, image] : zip(columns, result.columns))
    image = next.apply(next.packIn(unpackOut(column)));
  return result;
}

LinearLayout LinearLayout::inverse() const {
  assert(isSurjective() && "nothing holds some of the elements");
  LinearLayout all(outDims, outDims);
  for (unsigned bit = 0; bit < all.inBits(); ++bit)
    all.columns[bit] = uint64_t(1) << bit;
  return *all.invertAndCompose(*this);
}

std::optional<LinearLayout> LinearLayout::invertAndCompose(const LinearLayout &to) const {
  // reach[i] is what the first i dims of `to` reach by themselves: the fewer, the nearer.
  std::vector<Span> reach(1);
  unsigned number = 0;
  for (const Extent &in : to.inDims) {
    Span span = reach.back();
    for (unsigned bit = 0; bit < in.bits; ++bit, ++number)
      span.insert(to.columns[number], number);
    reach.push_back(span);
  }

  auto solve = [&](Dim dim, unsigned bit, uint64_t image) -> std::optional<uint64_t> {
    // With the bit in place, where dims before it can make up for the difference.
    if (bit < to.inBits(dim)) {
      unsigned place = startOf(to.inDims, dim) + bit;
      size_t before = extentOf(to.inDims, dim) - to.inDims.begin();
      for (const Span &span : ArrayRef(reach).take_front(before + 1))
        if (std::optional<uint64_t> mask = span.solve(image ^ to.columns[place]))
          return *mask | uint64_t(1) << place;
    }
    for (const Span &span : reach)
      if (std::optional<uint64_t> mask = span.solve(image))
        return mask;
    return std::nullopt;
  };

  LinearLayout result(inDims, to.inDims);
  number = 0;
  for (const Extent &in : inDims)
    for (unsigned bit = 0; bit < in.bits; ++bit, ++number) {
      Coordinates image = unpackOut(columns[number]);
      for (const Coordinate &coordinate : image)
        if (coordinate.value > lowMask(to.outBits(coordinate.dim)))
          return std::nullopt;
      std::optional<uint64_t> mask = solve(in.dim, bit, to.packOut(image));
      if (!mask)
        return std::nullopt;
      result.columns[number] = *mask;
    }
  return result;
}

std::optional<LinearLayout> LinearLayout::divide(const LinearLayout &tile) const {
  LinearLayout quotient;
  for (const Extent &in : inDims) {
    if (tile.inBits(in.dim) > in.bits)
      return std::nullopt;
    quotient.inDims.push_back({in.dim, in.bits - tile.inBits(in.dim)});
  }
  for (const Extent &out : outDims) {
    if (tile.outBits(out.dim) > out.bits)
      return std::nullopt;
    quotient.outDims.push_back({out.dim, out.bits - tile.outBits(out.dim)});
  }
  for (const Extent &in : tile.inDims)
    if (in.bits && !hasIn(in.dim))
      return std::nullopt;
  for (const Extent &out : tile.outDims)
    if (out.bits && !hasOut(out.dim))
      return std::nullopt;
  for (const Extent &in : inDims)
    for (unsigned bit = tile.inBits(in.dim); bit < in.bits; ++bit) {
      Coordinates image = unpackOut(basis(in.dim, bit));
      for (Coordinate &coordinate : image)
        coordinate.value >>= tile.outBits(coordinate.dim);
      quotient.columns.push_back(quotient.packOut(image));
    }
  // The shifts lose what lies below the tile; the product tells whether that was nothing.
  LinearLayout product = tile * quotient;
  for (const Extent &in : inDims)
    for (unsigned bit = 0; bit < in.bits; ++bit)
      if (packOut(product.unpackOut(product.basis(in.dim, bit))) != basis(in.dim, bit))
        return std::nullopt;
  return quotient;
}

LinearLayout LinearLayout::sublayout(ArrayRef<Dim> ins, ArrayRef<Dim> outs) const {
  LinearLayout result;
  for (Dim out : outs)
    result.outDims.push_back({out, outBits(out)});
  for (Dim in : ins) {
    result.inDims.push_back({in, inBits(in)});
    for (unsigned bit = 0; bit < inBits(in); ++bit) {
      Coordinates image;
      for (Dim out : outs)
        image.push_back({out, basis(in, bit, out)});
      result.columns.push_back(result.packOut(image));
    }
  }
  return result;
}

LinearLayout LinearLayout::withoutOut(Dim out) const {
  SmallVector<Dim> ins, outs;
  for (const Extent &extent : inDims)
    ins.push_back(extent.dim);
  for (const Extent &extent : outDims)
    if (extent.dim != out)
      outs.push_back(extent.dim);
  return sublayout(ins, outs);
}

LinearLayout LinearLayout::resizeOut(Dim out, unsigned bits) const {
  LinearLayout result = *this;
  setBits(result.outDims, out, bits);
  for (auto [column, image] : zip(columns, result.columns)) {
    Coordinates coordinates = unpackOut(column);
    for (Coordinate &coordinate : coordinates)
      if (coordinate.dim == out)
        coordinate.value &= lowMask(bits);
    image = result.packOut(coordinates);
  }
  return result;
}

LinearLayout LinearLayout::renameIn(Dim from, Dim to) const {
  assert((from == to || !hasIn(to)) && "two dims of one name");
  LinearLayout result = *this;
  for (Extent &extent : result.inDims)
    if (extent.dim == from)
      extent.dim = to;
  return result;
}

LinearLayout LinearLayout::renameOut(Dim from, Dim to) const {
  assert((from == to || !hasOut(to)) && "two dims of one name");
  LinearLayout result = *this;
  for (Extent &extent : result.outDims)
    if (extent.dim == from)
      extent.dim = to;
  return result;
}

LinearLayout LinearLayout::flattenIns(Dim to) const {
  LinearLayout result = *this;
  result.inDims = {{to, inBits()}};
  return result;
}

LinearLayout LinearLayout::flattenOuts(Dim to) const {
  LinearLayout result = *this;
  result.outDims = {{to, outBits()}};
  return result;
}

LinearLayout LinearLayout::reshape(ArrayRef<int64_t> shape) const {
  LinearLayout result = *this;
  result.outDims = tensorExtents(shape);
  assert(result.outBits() == outBits() && "a reshape keeps the number of elements");
  return result;
}

LinearLayout LinearLayout::transpose(ArrayRef<int32_t> order) const {
  LinearLayout result(inDims, {});
  for (size_t i = order.size(); i-- > 0;)
    result.outDims.push_back({tensorDim(i), outBits(tensorDim(order[i]))});
  for (auto [column, image] : zip(columns, result.columns)) {
    Coordinates coordinates;
    for (auto [i, source] : enumerate(order))
      coordinates.push_back({tensorDim(i), component(outDims, column, tensorDim(source))});
    image = result.packOut(coordinates);
  }
  return result;
}

LinearLayout LinearLayout::withoutZeroBases(Dim in) const {
  LinearLayout result;
  result.outDims = outDims;
  for (const Extent &extent : inDims) {
    unsigned kept = 0;
    for (unsigned bit = 0; bit < extent.bits; ++bit)
      if (uint64_t image = basis(extent.dim, bit); image || extent.dim != in) {
        result.columns.push_back(image);
        ++kept;
      }
    result.inDims.push_back({extent.dim, kept});
  }
  return result;
}

void LinearLayout::print(raw_ostream &os) const {
  interleaveComma(inDims, os, [&](const Extent &in) {
    os << dimName(in.dim) << " = [";
    interleaveComma(seq(in.bits), os, [&](unsigned bit) {
      os << '(';
      interleaveComma(reverse(outDims), os,
                      [&](const Extent &out) { os << basis(in.dim, bit, out.dim); });
      os << ')';
    });
    os << ']';
  });
  os << " -> (";
  interleaveComma(reverse(outDims), os,
                  [&](const Extent &out) { os << dimName(out.dim) << ": " << outSize(out.dim); });
  os << ')';
}

std::string LinearLayout::str() const {
  std::string text;
  raw_string_ostream stream(text);
  print(stream);
  return text;
}

} // namespace teeny::tile
