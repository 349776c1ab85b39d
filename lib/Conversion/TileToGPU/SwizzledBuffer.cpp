#include "Conversion/TileToGPU/SwizzledBuffer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace teeny::gpu;
using teeny::tile::Dim;
using teeny::tile::Extent;
using teeny::tile::LinearLayout;

namespace {
// The span of vectors over bits.
class Span {
public:
  // False if it is in the span already.
  bool add(uint64_t vector) {
    for (uint64_t row : rows)
      vector = std::min(vector, vector ^ row);
    if (vector == 0)
      return false;
    rows.push_back(vector);
    return true;
  }
  unsigned size() const { return rows.size(); }

private:
  SmallVector<uint64_t> rows; // each with a leading bit that no other has when it was added
};
} // namespace

static SmallVector<uint64_t> basesOf(const LinearLayout &layout, Dim in, unsigned count) {
  SmallVector<uint64_t> bases;
  for (unsigned bit = 0; bit < std::min(count, layout.inBits(in)); ++bit)
    if (uint64_t basis = layout.basis(in, bit))
      bases.push_back(basis);
  return bases;
}

// A basis of the elements of `shape`, in the order of the offset's bits, that begins with `vector`:
// offsets at which the directions `writing` and `reading`, in which lanes lie that are served
// together, meet different banks.
static LinearLayout swizzledOffsets(ArrayRef<Extent> shape, ArrayRef<uint64_t> vector,
                                    ArrayRef<uint64_t> writing, ArrayRef<uint64_t> reading,
                                    unsigned elementBytes) {
  LinearLayout offsets({}, shape);
  unsigned bits = offsets.outBits();
  unsigned accessBytes = elementBytes << vector.size();
  unsigned bankBits = std::min<unsigned>(bits - vector.size(), 7 - Log2_32(accessBytes));
  unsigned rowBits = bits - vector.size() - bankBits;

  Span chosen, lanes;
  for (uint64_t basis : vector) {
    chosen.add(basis);
    lanes.add(basis);
  }
  for (uint64_t basis : concat<const uint64_t>(writing, reading))
    lanes.add(basis);
  SmallVector<uint64_t> rows, banks;
  auto add = [&](SmallVectorImpl<uint64_t> &list, unsigned limit, uint64_t basis) {
    if (list.size() < limit && chosen.add(basis))
      list.push_back(basis);
  };
  // Directions outside of both; higher ones first, so that neighbours share a row.
  for (unsigned bit = bits; bit-- > 0;)
    if (rows.size() < rowBits && lanes.add(uint64_t(1) << bit))
      add(rows, rowBits, uint64_t(1) << bit);
  SmallVector<uint64_t> onlyWriting, onlyReading;
  for (uint64_t basis : writing)
    if (!is_contained(reading, basis))
      onlyWriting.push_back(basis);
  for (uint64_t basis : reading)
    if (!is_contained(writing, basis))
      onlyReading.push_back(basis);
  for (auto [w, r] : zip(onlyWriting, onlyReading))
    add(rows, rowBits, w ^ r);

  for (uint64_t basis : concat<const uint64_t>(writing, reading))
    add(banks, bankBits, basis);
  for (unsigned bit = 0; bit < bits; ++bit)
    add(banks, bankBits, uint64_t(1) << bit);
  for (unsigned bit = 0; bit < bits; ++bit)
    add(rows, rowBits, uint64_t(1) << bit);
  for (uint64_t basis : concat<const uint64_t>(vector, banks, rows))
    offsets.addBasis(Dim::offset, basis);
  assert(offsets.isInvertible() && "a basis");
  return offsets;
}

// Lanes that are served together, as bits, for accesses of so many bytes.
static unsigned laneBitsTogether(unsigned accessBytes) {
  return 5 - (accessBytes > 4 ? Log2_32(accessBytes / 4) : 0);
}

static SwizzledBuffer tryBuffer(const LinearLayout &writer, const LinearLayout &reader,
                                unsigned elementBytes, unsigned maxVectorBits) {
  // Directions along which both have registers.
  SmallVector<uint64_t> vector, readRegisters = basesOf(reader, Dim::reg, 64);
  for (uint64_t basis : basesOf(writer, Dim::reg, 64))
    if (vector.size() < maxVectorBits && is_contained(readRegisters, basis))
      vector.push_back(basis);
  unsigned together = laneBitsTogether(elementBytes << vector.size());
  SwizzledBuffer buffer;
  buffer.vectorBits = vector.size();
  buffer.offsets = swizzledOffsets(writer.outs(), vector, basesOf(writer, Dim::lane, together),
                                   basesOf(reader, Dim::lane, together), elementBytes);
  buffer.writes = *writer.invertAndCompose(buffer.offsets);
  buffer.reads = *reader.invertAndCompose(buffer.offsets);
  return buffer;
}

// Whether only the registers of a vector move within it, so that every address is aligned.
static bool isAligned(const LinearLayout &accesses, unsigned vectorBits) {
  uint64_t mask = (uint64_t(1) << vectorBits) - 1, seen = 0;
  for (uint64_t basis : accesses.bases()) {
    if ((basis & mask) == 0)
      continue;
    if (!isPowerOf2_64(basis) || seen & basis)
      return false;
    seen |= basis;
  }
  for (Dim in : {Dim::lane, Dim::warp})
    for (unsigned bit = 0; bit < accesses.inBits(in); ++bit)
      if (accesses.basis(in, bit) & mask)
        return false;
  return seen == mask;
}

SwizzledBuffer teeny::gpu::chooseBuffer(const LinearLayout &writer, const LinearLayout &reader,
                                        unsigned elementBytes) {
  for (unsigned vectorBits = Log2_32(16 / elementBytes);; --vectorBits) {
    SwizzledBuffer buffer = tryBuffer(writer, reader, elementBytes, vectorBits);
    if (isAligned(buffer.writes, buffer.vectorBits) && isAligned(buffer.reads, buffer.vectorBits))
      return buffer;
  }
}

// The image of one bit of a position, or 0 where the layout has no such bit.
static uint64_t imageOf(const LinearLayout &layout, Dim in, unsigned bit) {
  return bit < layout.inBits(in) ? layout.basis(in, bit) : 0;
}

namespace {
// The directions of a matrix load, of so many bits within a word.
struct MatrixDirections {
  unsigned wordBits;
  SmallVector<uint64_t> vector, rows; // within a row of 16 bytes, from row to row
};
} // namespace

static std::optional<MatrixDirections> matrixDirections(const LinearLayout &reader,
                                                        unsigned elementBytes, bool transposed) {
  MatrixDirections directions{Log2_32(4 / elementBytes), {}, {}};
  SmallVector<uint64_t> word, eight;
  for (unsigned bit = 0; bit < directions.wordBits; ++bit)
    word.push_back(imageOf(reader, Dim::reg, bit));
  for (unsigned bit = 0; bit < 2; ++bit)
    word.push_back(imageOf(reader, Dim::lane, bit));
  for (unsigned bit = 2; bit < 5; ++bit)
    eight.push_back(imageOf(reader, Dim::lane, bit));
  directions.vector = transposed ? eight : word;
  directions.rows = transposed ? word : eight;
  Span independent;
  for (uint64_t basis : concat<const uint64_t>(directions.vector, directions.rows))
    if (!independent.add(basis))
      return std::nullopt;
  return directions;
}

// The matrix loads from a buffer with these offsets; none where rows of 16 bytes are not
// neighbours in it. Without `writes`.
static std::optional<MatrixBuffer> matrixReads(const LinearLayout &reader,
                                               const LinearLayout &offsets,
                                               const MatrixDirections &directions,
                                               bool transposed) {
  unsigned wordBits = directions.wordBits;
  MatrixBuffer buffer;
  buffer.transposed = transposed;
  buffer.vectorBits = directions.vector.size();
  buffer.wordMask = (1u << wordBits) - 1;
  for (auto [bit, basis] : llvm::enumerate(directions.vector))
    if (bit >= offsets.inBits() || offsets.basis(Dim::offset, bit) != basis)
      return std::nullopt;

  // Who gives which address: lanes 0 to 7 the rows of one matrix, lane bits 3 and 4 go to the next
  // matrices.
  LinearLayout addresses({}, reader.outs());
  for (unsigned bit = 0; bit < reader.inBits(Dim::reg); ++bit) {
    bool isMatrix = bit >= wordBits && bit < wordBits + 2;
    if (isMatrix)
      buffer.matrixBits.push_back(1u << bit);
    addresses.addBasis(Dim::reg, bit < wordBits || isMatrix ? 0 : reader.basis(Dim::reg, bit));
  }
  for (uint64_t basis : directions.rows)
    addresses.addBasis(Dim::lane, basis);
  for (unsigned bit = wordBits; bit < wordBits + 2; ++bit)
    addresses.addBasis(Dim::lane, imageOf(reader, Dim::reg, bit));
  for (unsigned bit = 0; bit < reader.inBits(Dim::warp); ++bit)
    addresses.addBasis(Dim::warp, reader.basis(Dim::warp, bit));
  buffer.rows = *addresses.invertAndCompose(offsets);
  uint64_t within = (uint64_t(1) << buffer.vectorBits) - 1;
  if (any_of(buffer.rows.bases(), [&](uint64_t basis) { return (basis & within) != 0; }))
    return std::nullopt;
  return buffer;
}

static std::optional<MatrixBuffer> tryMatrixBuffer(const LinearLayout &writer,
                                                   const LinearLayout &reader,
                                                   unsigned elementBytes, bool transposed) {
  std::optional<MatrixDirections> directions = matrixDirections(reader, elementBytes, transposed);
  SmallVector<uint64_t> writeRegisters = basesOf(writer, Dim::reg, 64);
  if (!directions || !all_of(directions->vector,
                             [&](uint64_t basis) { return is_contained(writeRegisters, basis); }))
    return std::nullopt;
  LinearLayout offsets = swizzledOffsets(writer.outs(), directions->vector,
                                         basesOf(writer, Dim::lane, laneBitsTogether(16)),
                                         directions->rows, elementBytes);
  std::optional<MatrixBuffer> buffer = matrixReads(reader, offsets, *directions, transposed);
  if (!buffer)
    return std::nullopt;
  buffer->writes = *writer.invertAndCompose(offsets);
  return isAligned(buffer->writes, buffer->vectorBits) ? buffer : std::nullopt;
}

std::optional<MatrixBuffer> teeny::gpu::chooseMatrixBuffer(const LinearLayout &writer,
                                                           const LinearLayout &reader,
                                                           unsigned elementBytes) {
  if (elementBytes > 4)
    return std::nullopt;
  if (auto buffer = tryMatrixBuffer(writer, reader, elementBytes, false))
    return buffer;
  return elementBytes == 2 ? tryMatrixBuffer(writer, reader, elementBytes, true) : std::nullopt;
}

TileBuffer teeny::gpu::chooseTileBuffer(const LinearLayout &writer, const LinearLayout &reader,
                                        unsigned elementBytes, bool matrixLoads) {
  TileBuffer buffer;
  if (matrixLoads)
    buffer.matrices = chooseMatrixBuffer(writer, reader, elementBytes);
  if (buffer.matrices) {
    buffer.writes = buffer.matrices->writes;
    return buffer;
  }
  SmallVector<uint64_t> vector =
      basesOf(writer, Dim::reg, Log2_32(std::max(1u, 16 / elementBytes)));
  // A swizzle by directions within the vectors would tear them apart.
  SmallVector<uint64_t> reading = basesOf(reader, Dim::lane, laneBitsTogether(elementBytes));
  llvm::erase_if(reading, [&](uint64_t basis) { return is_contained(vector, basis); });
  SmallVector<uint64_t> writing =
      basesOf(writer, Dim::lane, laneBitsTogether(elementBytes << vector.size()));
  LinearLayout offsets = swizzledOffsets(writer.outs(), vector, writing, reading, elementBytes);
  if (!isAligned(*writer.invertAndCompose(offsets), vector.size()))
    offsets = swizzledOffsets(writer.outs(), vector, writing, {}, elementBytes);
  buffer.writes = *writer.invertAndCompose(offsets);
  buffer.reads = *reader.invertAndCompose(offsets);
  buffer.readBits = vector.size();
  while (!isAligned(buffer.reads, buffer.readBits))
    --buffer.readBits;
  return buffer;
}

WarpgroupBuffer teeny::gpu::chooseWarpgroupBuffer(const LinearLayout &writer,
                                                  unsigned elementBytes) {
  WarpgroupBuffer buffer;
  buffer.elementBytes = elementBytes;
  buffer.rowDim = writer.basis(Dim::reg, 0, tile::tensorDim(1)) ? 1 : 0;
  Dim along = tile::tensorDim(buffer.rowDim), other = tile::tensorDim(1 - buffer.rowDim);
  buffer.rowElements = std::min<int64_t>(128 / elementBytes, writer.outSize(along));
  buffer.rows = writer.outSize(other);
  unsigned rowBits = Log2_64(buffer.rowElements), addressBits = Log2_64(buffer.rowBytes());
  LinearLayout &offsets = buffer.offsets = LinearLayout({}, writer.outs());
  for (unsigned bit = 0; bit < rowBits; ++bit)
    offsets.addBasis(Dim::offset, {{along, uint64_t(1) << bit}});
  for (unsigned bit = 0; bit < writer.outBits(other); ++bit) {
    uint64_t piece = 0;
    if (unsigned address = addressBits + bit; address >= 7 && address < addressBits + 3)
      piece = uint64_t(16 / elementBytes) << (address - 7);
    offsets.addBasis(Dim::offset, {{along, piece}, {other, uint64_t(1) << bit}});
  }
  for (unsigned bit = rowBits; bit < writer.outBits(along); ++bit)
    offsets.addBasis(Dim::offset, {{along, uint64_t(1) << bit}});
  buffer.writes = *writer.invertAndCompose(offsets);
  buffer.writeBits = Log2_32(16 / elementBytes);
  while (!isAligned(buffer.writes, buffer.writeBits))
    --buffer.writeBits;
  return buffer;
}

TileBuffer teeny::gpu::readsOf(const WarpgroupBuffer &buffer, const LinearLayout &reader,
                               bool matrixLoads) {
  TileBuffer found;
  found.writes = buffer.writes;
  for (bool transposed : {false, true})
    if (matrixLoads && !found.matrices && (!transposed || buffer.elementBytes == 2))
      if (auto directions = matrixDirections(reader, buffer.elementBytes, transposed))
        found.matrices = matrixReads(reader, buffer.offsets, *directions, transposed);
  if (found.matrices)
    return found;
  found.reads = *reader.invertAndCompose(buffer.offsets);
  found.readBits = Log2_32(16 / buffer.elementBytes);
  while (!isAligned(found.reads, found.readBits))
    --found.readBits;
  return found;
}

RegisterGroups teeny::gpu::vectorGroups(const LinearLayout &accesses, unsigned vectorBits) {
  RegisterGroups groups;
  SmallVector<unsigned> moving(vectorBits); // register bit of each bit within a vector
  unsigned movingMask = 0;
  for (unsigned bit = 0; bit < accesses.inBits(Dim::reg); ++bit) {
    uint64_t basis = accesses.basis(Dim::reg, bit);
    if (basis != 0 && basis < uint64_t(1) << vectorBits) {
      moving[Log2_64(basis)] = 1u << bit;
      movingMask |= 1u << bit;
    }
  }
  for (unsigned i = 0; i < 1u << vectorBits; ++i) {
    unsigned member = 0;
    for (unsigned bit = 0; bit < vectorBits; ++bit)
      if (i >> bit & 1)
        member |= moving[bit];
    groups.members.push_back(member);
  }
  for (unsigned reg = 0; reg < accesses.inSize(Dim::reg); ++reg)
    if ((reg & movingMask) == 0)
      groups.first.push_back(reg);
  return groups;
}
