// Where temporaries lie in one arena, so that buffers that are not alive together share memory.
//
// The problem. A buffer is a rectangle: its bytes one way, its lifetime in launches the other. Its
// lifetime is given; its place in memory is to be chosen so that no two rectangles overlap and the
// stack of them is low. This is dynamic storage allocation, and finding the lowest stack is
// NP-hard; but the sizes of a network make a simple order good.
//
// The method is greedy, by size. Buffers are placed from the largest to the smallest (then by first
// launch, then by index, so that the plan depends on nothing else). Each is put into the smallest
// gap that holds it between those already placed that live at the same time, the lowest of equal
// gaps, else above them. Large buffers settle at the bottom, small ones fill the gaps.
//
// An example, sizes in units of the alignment:
//
//     buffer  bytes  launches        placed in the order  b, a, c, d
//     a         4    0..1            b at 0: first
//     b         6    1..2            a at 6: b lives in launch 1 too
//     c         3    2..3            c at 6: b lives in launch 2; a is gone
//     d         2    3..4            d at 0: only c lives in launch 3, and 0..6 is free below it
//
//     byte 9 | a a . . .
//          8 | a a c c .          The arena has 10 units, which is the least possible: a and b are
//          7 | a a c c .          alive together in launch 1 and take 10. Without sharing it would
//          6 | a a c c .          be 15.
//        2-5 | . b b . .
//          1 | . b b d d
//          0 | . b b d d
//     launch   0 1 2 3 4
//
// Bounds. The arena is never smaller than the largest sum of sizes alive in one launch
// (MemoryPlan::lowerBound), and never larger than the sum of all sizes, each rounded up to the
// largest alignment. It can miss the optimum: a buffer may split a gap that a later one would have
// needed whole. A plan takes O(n^2) steps for n buffers, each with a few operations; n is limited
// to maxPlannedBuffers, so that no file can make it take long.
//
// Aliases. A buffer may be a part of another one, at an offset (a slice of a concatenation written
// in place). It takes no memory of its own; the whole lives as long as all its parts.
#pragma once

#include "Base/Result.h"
#include "Bundle/Manifest.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace teeny {

inline constexpr size_t maxPlannedBuffers = 32768;

struct PlanBuffer {
  int64_t bytes = 0;
  int64_t align = 1;           // a power of two
  int64_t first = 0, last = 0; // launches, both included
  std::optional<size_t> aliasOf;
  int64_t aliasOffset = 0; // must keep the alignment
};

struct MemoryPlan {
  std::vector<int64_t> offsets; // of each buffer in the arena
  int64_t arenaBytes = 0;
  int64_t arenaAlign = 1; // that the arena's first byte needs
  int64_t lowerBound = 0; // no plan can be smaller
};

// Errors: outOfRange (negative sizes or lifetimes, sums beyond 2^63, a part that exceeds its
// whole), invalid (an alignment that is no power of two, aliases in a circle, an offset that breaks
// the alignment), unsupported (too many buffers).
Result<MemoryPlan> planMemory(std::span<const PlanBuffer> buffers);

// The buffers of a manifest for given dims.
struct BufferPlace {
  int64_t bytes = 0;
  size_t root = 0;          // the buffer whose memory it is in; itself if it is no alias
  int64_t offset = 0;       // in the root
  int64_t arenaOffset = -1; // where the root is a temporary: in the arena
};

struct BufferPlan {
  std::vector<BufferPlace> places; // one for each buffer
  int64_t arenaBytes = 0, arenaAlign = 1, lowerBound = 0;
};

// Errors name the buffer. `dims` gives each dim its value.
Result<BufferPlan> planBuffers(const Manifest &manifest, const Expr::Lookup &dims);

} // namespace teeny
