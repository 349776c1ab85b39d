// Shared memory for exchanges between the threads of a kernel.
//
// An exchange is: write, barrier, read. Exchanges use the memory in turn, so before one writes, all
// threads must have finished reading what the one before had written there. Two exchanges in a row
// in one block need no barrier for that when they use different bytes: to get to the writes of the
// third, which may use the bytes of the first again, a thread passes the barrier of the second, and
// to get there all have read the first:
//
//   write A   barrier   read A   write B   barrier   read B   write A ...
//                                                             ^ all are beyond the second barrier
//
// So small exchanges alternate between two places. At the begin of a block (a loop's body, say)
// nothing is known of what came before, and a barrier goes first.
//
// Buffers (tile.alloc_buffer) lie at the begin of the memory for good. Exchanges in loops that use
// them keep clear of them; elsewhere barriers keep the two apart, and exchanges may use the memory.
#pragma once

#include "Conversion/TileToGPU/GpuEmit.h"

namespace teeny::gpu {

class Scratch {
public:
  // `global` names the kernel's shared memory, `limit` is what the target has of it.
  Scratch(std::string global, int64_t limit) : global(std::move(global)), limit(limit) {}

  // Whether an exchange of so many bytes is possible; reports it at `op` if not.
  mlir::LogicalResult verifyFits(mlir::Operation *op, int64_t bytes) const;
  // Memory for a buffer, for as long as the kernel runs. The target must have it.
  mlir::Value reserve(Emit &emit, int64_t bytes);
  // Begins an exchange where `emit` stands: the address of its bytes, aligned to 16.
  mlir::Value begin(Emit &emit, int64_t bytes);

  int64_t bytes() const { return used; }
  const std::string &name() const { return global; }

private:
  std::string global;
  int64_t limit;
  int64_t used = 0, reserved = 0;
  mlir::Block *lastBlock = nullptr;
  int64_t lastBegin = 0, lastEnd = 0;
};

} // namespace teeny::gpu
