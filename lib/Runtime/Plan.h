// Everything about a run that follows from the dims alone: shapes, memory, launches and their
// arguments. Pure arithmetic on a checked manifest; no code of the bundle runs.
//
// Memory. A buffer that is no part of another is a root; every buffer is `offset` bytes into its
// root. What a root's address is depends on its kind, and is decided by the session:
//
//   temporary    the arena + arenaOffset
//   param        the session's copy of the weights, or the bundle's memory
//   input        the caller's memory where that will do, else a staging area
//   output       likewise
//
// So one plan serves every set of addresses, and arguments that are addresses are kept as root and
// offset.
#pragma once

#include "Bundle/MemoryPlan.h"
#include "Runtime/Dims.h"

#include <array>
#include <vector>

namespace teeny::rt {

struct PlannedArg {
  std::optional<size_t> root; // of an address; then `value` is the byte offset in it
  uint64_t value = 0;         // otherwise the bits of the slot
};

struct PlannedStep {
  bool zero = false;
  // zero: fills `bytes` bytes at `offset` in `root`.
  size_t root = 0;
  int64_t offset = 0, bytes = 0;
  // launch
  size_t launch = 0, kernel = 0;
  std::array<int32_t, 3> grid = {1, 1, 1};
  size_t firstArg = 0, argCount = 0;
};

struct Plan {
  std::vector<int64_t> dims;
  std::vector<std::vector<int64_t>> inputShapes, outputShapes;
  std::vector<BufferPlace> buffers; // in manifest order
  int64_t arenaBytes = 0, arenaAlign = 1;
  std::vector<PlannedStep> steps; // launches with an empty grid are left out
  std::vector<PlannedArg> args;
  size_t launches = 0;

  int64_t bytesOf(const ManifestTensor &tensor) const { return buffers[tensor.buffer].bytes; }
};

// `dims` must have passed check(). Errors name the buffer, or the launch and argument.
Result<Plan> makePlan(const Manifest &manifest, const DimValues &dims);

} // namespace teeny::rt
