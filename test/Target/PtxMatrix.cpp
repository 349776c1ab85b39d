// mma.sync and wgmma, written from the figures of fragments in the PTX manual, not from the
// compiler's layouts.
#include "PtxMachine.h"
#include "PtxTypes.h"

using namespace teeny::test;

namespace teeny::test {
std::vector<std::vector<uint64_t>> multiplyMatrices(const PtxInstruction &instruction,
                                                    const std::vector<std::vector<uint64_t>> &a,
                                                    const std::vector<std::vector<uint64_t>> &b,
                                                    const std::vector<std::vector<uint64_t>> &c) {
  std::string shape, sum = instruction.type();
  for (const std::string &word : instruction.words)
    if (word[0] == 'm' && word.find('k') != std::string::npos)
      shape = word;
  std::string element = instruction.words[instruction.words.size() - 2];
  if (shape.rfind("m16n8k", 0) != 0)
    throw PtxError("unknown shape of a matrix instruction: " + instruction.text);
  unsigned k = std::stoul(shape.substr(6));
  unsigned bits = element == "tf32" ? 32 : bitsOf(element), perWord = 32 / bits;
  auto elementOf = [&](uint64_t word, unsigned i) {
    uint64_t part = truncated(word >> (i * bits), bits);
    if (element == "tf32") // the instruction does not see the rest
      part &= ~uint64_t(0x1fff);
    return isFloat(element) ? toDouble(element == "tf32" ? "f32" : element, part)
                            : double(signExtended(part, bits));
  };
  // Element (row, i) of A: lane 4 (row % 8) + (i / perWord) % 4; register (row / 8) + 2 (i / (4
  // perWord)).
  auto elementA = [&](unsigned row, unsigned i) {
    unsigned lane = 4 * (row % 8) + i / perWord % 4;
    return elementOf(a[lane].at(row / 8 + 2 * (i / (4 * perWord))), i % perWord);
  };
  // Element (i, column) of B: lane 4 column + (i / perWord) % 4; register i / (4 perWord).
  auto elementB = [&](unsigned i, unsigned column) {
    return elementOf(b[4 * column + i / perWord % 4].at(i / (4 * perWord)), i % perWord);
  };
  auto result = c;
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 8; ++column) {
      uint64_t &place = result[4 * (row % 8) + column / 2].at(column % 2 + 2 * (row / 8));
      double total = sum == "s32" ? double(signExtended(place, 32)) : toDouble(sum, place);
      for (unsigned i = 0; i < k; ++i)
        total += elementA(row, i) * elementB(i, column);
      place = sum == "s32" ? truncated(uint64_t(int64_t(total)), 32) : fromDouble(sum, total);
    }
  return result;
}

void multiplyGroup(const GroupMatrix &matrix,
                   const std::function<uint16_t(unsigned, uint64_t)> &shared,
                   const std::function<uint64_t &(unsigned, unsigned)> &sum) {
  const PtxInstruction &instruction = *matrix.instruction;
  const std::vector<PtxOperand> &operands = instruction.operands;
  std::string element = instruction.type(), shape;
  for (const std::string &word : instruction.words)
    if (word.rfind("m64n", 0) == 0)
      shape = word;
  unsigned n = shape.empty() ? 0 : std::stoul(shape.substr(4));
  if (shape != "m64n" + std::to_string(n) + "k16")
    throw PtxError("unknown shape of a matrix instruction: " + instruction.text);
  bool fromRegisters = operands[1].kind == PtxOperand::Kind::vector, adds = operands.at(3).bits;
  uint64_t columnsA = fromRegisters ? 0 : operands.at(6).bits, rowsB = operands.back().bits;
  // The element at (outer, k) of an operand in shared memory; `outerRuns`: rows run along outer.
  auto fromShared = [&](uint64_t descriptor, unsigned outer, unsigned k, bool outerRuns) {
    unsigned mode = descriptor >> 62, rowBytes = 256 >> mode;
    if (mode == 0)
      throw PtxError("rows without a swizzle: " + instruction.text);
    uint64_t begin = (descriptor & 0x3fff) << 4, along = (descriptor >> 16 & 0x3fff) << 4,
             blocks = (descriptor >> 32 & 0x3fff) << 4;
    unsigned run = (outerRuns ? outer : k) * 2, row = outerRuns ? k : outer;
    if (!outerRuns && run >= rowBytes)
      throw PtxError("k beyond a row: " + instruction.text);
    uint64_t at =
        begin + run / rowBytes * along + row / 8 * blocks + row % 8 * rowBytes + run % rowBytes;
    at ^= (at >> 7 & (rowBytes / 16 - 1)) << 4;
    return toDouble(element, shared(outer, at));
  };
  auto fromWord = [&](unsigned row, unsigned k) {
    unsigned thread = 32 * (row / 16) + 4 * (row % 8) + k / 2 % 4;
    uint64_t word = matrix.left.at(4 * thread + row / 8 % 2 + 2 * (k / 8));
    return toDouble(element, truncated(word >> (16 * (k % 2)), 16));
  };
  std::vector<std::vector<double>> a(64, std::vector<double>(16)), b(16, std::vector<double>(n));
  for (unsigned k = 0; k < 16; ++k) {
    for (unsigned row = 0; row < 64; ++row)
      a[row][k] = fromRegisters ? fromWord(row, k) : fromShared(matrix.a, row, k, columnsA);
    for (unsigned column = 0; column < n; ++column)
      b[k][column] = fromShared(matrix.b, column, k, rowsB);
  }
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned column = 0; column < n; ++column) {
      uint64_t &place = sum(32 * (row / 16) + 4 * (row % 8) + column / 2 % 4,
                            column / 8 * 4 + row / 8 % 2 * 2 + column % 2);
      double total = adds ? toDouble("f32", truncated(place, 32)) : 0;
      for (unsigned k = 0; k < 16; ++k)
        total += a[row][k] * b[k][column];
      place = fromDouble("f32", total);
    }
}
} // namespace teeny::test
