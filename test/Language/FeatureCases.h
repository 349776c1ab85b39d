// Kernels of features/*.py with what they are called with: the tables features/*.json.
//
// A table is an array with an entry for each case, of the kernels in the file of the same name:
//
//   {"kernel": "copy", "grid": [4],
//    "args": {"x": "*fp32[1000] normal", "out": "*fp32[1024] out", "n": "i32 1000", "BLOCK": 256}}
//
// Arguments have the kernel's names. A pointer is "*TYPE[ELEMENTS] [out] [CONTENTS]"; without
// contents it holds 0xa5 in every byte, so that what is not written shows; `out` means that its
// contents afterwards are compared. A scalar is "TYPE VALUE", a constexpr any other JSON value or
// "constexpr TEXT". Contents, element by element from a hash of the case, argument and index:
//
//   normal       about normal, of deviation 1.15     bits             any bits
//   unit         in [0, 1)                           ints:LOW..HIGH   integers, both ends included
//   positive     in (0, 4)                           iota             0, 1, 2, ...
//   special      NaN, infinities, zeros of both signs, largest and smallest, subnormal, ties ...
//   edges        the same without subnormal ones
//   permutation:STEP  i * STEP modulo the number of elements
//   value:NUMBER
//
// Further keys: `file`, of the kernel if it is another, from the root; `warps` (4); `relative` and
// `tolerance`, the bound of an element's error as a share of its magnitude and of the largest
// magnitude in the output: without them bits must be equal, except that all NaNs are; `zero_signs`,
// a text that says why +0 and -0 are equal too; `without_triton`, one that says why Triton does not
// compile it, so that the fixture is computed by other means; `capability`, that GPUs must have.
//
// scripts/feature_cases.py reads the same tables and makes the same inputs.
#pragma once

#include "Graph/Reference/HostTensor.h"
#include "Language/Language.h"

#include <array>
#include <string>
#include <vector>

namespace teeny::test {

struct FeatureArgument {
  ParamSpec spec;
  DType dtype = DType::f32; // of a pointer
  HostTensor contents;      // of a pointer before the launch
  bool output = false;
  uint64_t slot = 0; // of a scalar, as the kernel ABI for CPUs has it
};

struct FeatureCase {
  std::string name; // "memory.copy"; the second of a kernel is "memory.copy.2"
  std::string file; // path
  std::string kernel;
  std::vector<FeatureArgument> arguments;
  std::array<int32_t, 3> grid = {1, 1, 1};
  int warps = 4;
  int capability = 0; // of GPUs, 10 * major + minor
  double relative = 0, tolerance = 0;
  bool zeroSigns = true; // whether +0 and -0 differ
};

// All cases, in the order of files and tables; fails the test where a table is wrong.
std::vector<FeatureCase> loadFeatureCases();

} // namespace teeny::test
