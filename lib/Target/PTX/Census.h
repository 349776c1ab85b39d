// Counts of the instructions in PTX by kind: a line per kernel that a test or a person can compare.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace teeny::ptx {

struct Census {
  std::string kernel;
  // Number of instructions by opcode, kept with the modifiers that say what it costs: state space
  // and vector width of memory accesses ("ld.global.v4"), shape of matrix instructions
  // ("mma.m16n8k16"); only the first word of all others ("fma", "bar").
  std::map<std::string, int> counts;
  int total = 0;

  // "softmax: 120 instructions; bar 2, fma 16, ld.global.v4 4, ..." in order of name.
  std::string toString() const;
};

// One census per entry of the text, in its order.
std::vector<Census> takeCensus(const std::string &ptx);

} // namespace teeny::ptx
