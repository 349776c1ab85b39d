#include "Conversion/TileToGPU/SwizzledBuffer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace teeny::gpu;
using teeny::tile::Dim;
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

static SwizzledBuffer tryBuffer(const LinearLayout &writer, const LinearLayout &reader,
                                unsigned elementBytes, unsigned maxVectorBits) {
  unsigned bits = writer.outBits();
  SmallVector<uint64_t> columns;
  Span chosen;

  // Directions along which both have registers.
  SmallVector<uint64_t> readRegisters = basesOf(reader, Dim::reg, 64);
  for (uint64_t basis : basesOf(writer, Dim::reg, 64))
    if (columns.size() < maxVectorBits && is_contained(readRegisters, basis) && chosen.add(basis))
      columns.push_back(basis);
  unsigned vectorBits = columns.size();

  // Lanes that are served together, and how many vectors the banks hold.
  unsigned accessBytes = elementBytes << vectorBits;
  unsigned lanesTogether = 5 - (accessBytes > 4 ? Log2_32(accessBytes / 4) : 0);
  unsigned bankBits = std::min(bits - vectorBits, 7 - Log2_32(accessBytes));
  unsigned rowBits = bits - vectorBits - bankBits;
  SmallVector<uint64_t> writing = basesOf(writer, Dim::lane, lanesTogether);
  SmallVector<uint64_t> reading = basesOf(reader, Dim::lane, lanesTogether);

  SmallVector<uint64_t> rows, banks;
  auto add = [&](SmallVectorImpl<uint64_t> &list, unsigned limit, uint64_t vector) {
    if (list.size() < limit && chosen.add(vector))
      list.push_back(vector);
  };
  Span lanes;
  for (uint64_t basis : columns)
    lanes.add(basis);
  for (uint64_t basis : writing)
    lanes.add(basis);
  for (uint64_t basis : reading)
    lanes.add(basis);
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

  for (uint64_t basis : writing)
    add(banks, bankBits, basis);
  for (uint64_t basis : reading)
    add(banks, bankBits, basis);
  for (unsigned bit = 0; bit < bits; ++bit)
    add(banks, bankBits, uint64_t(1) << bit);
  for (unsigned bit = 0; bit < bits; ++bit)
    add(rows, rowBits, uint64_t(1) << bit);

  columns.append(banks);
  columns.append(rows);
  SwizzledBuffer buffer;
  buffer.vectorBits = vectorBits;
  buffer.offsets = LinearLayout({}, writer.outs());
  for (uint64_t column : columns)
    buffer.offsets.addBasis(Dim::offset, column);
  assert(buffer.offsets.isInvertible() && "a basis");
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
