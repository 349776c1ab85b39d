// A launch of one kernel of a bundle by itself: the arguments that a caller gives, checked against
// what the kernel was compiled for.
#pragma once

#include "Runtime/Binding.h"

namespace teeny::rt {

// What a caller gives for a parameter.
struct OfferedArgument {
  enum class Kind { tensor, integer, unsignedInteger, real };
  std::string name; // of the parameter; empty: the argument's place in the list counts
  Kind kind = Kind::integer;
  OfferedTensor tensor;
  int64_t integer = 0;
  uint64_t unsignedInteger = 0;
  double real = 0;
};

// A launch that the kernel allows. On the device's side only addresses are left to decide.
struct KernelLaunch {
  struct Memory {
    size_t arg = 0; // whose address this is
    Place data;
    size_t bytes = 0;
    bool written = false;
  };
  size_t kernel = 0;
  std::array<int32_t, 3> grid = {1, 1, 1};
  bool empty = false;         // the grid has a 0: nothing is launched
  std::vector<uint64_t> args; // slots in ABI order; of memory, once it has its place
  std::vector<Memory> memory;
};

// Errors name the kernel and the parameter. Of the memory, only address and size matter: a kernel
// works with the address of the first element, whatever the shape.
Result<KernelLaunch> makeKernelLaunch(const Manifest &manifest, size_t kernel,
                                      const std::array<int32_t, 3> &grid,
                                      std::span<const OfferedArgument> arguments);

// The slot of a float parameter: the bits of the nearest value of its type, ties to even.
uint64_t floatSlot(double value, KernelParam::Kind kind);

} // namespace teeny::rt
