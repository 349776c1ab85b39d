// mma.sync, written from the figures of fragments in the PTX manual, not from the compiler's
// layouts.
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
} // namespace teeny::test
