#include "Conversion/TileToGPU/Scratch.h"
#include "Tile/IR/Tile.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace teeny::gpu;

// Exchanges up to this size alternate: two larger ones would cost more in occupancy than a barrier.
static constexpr int64_t alternating = 4096;

// Of buffers.
static constexpr int64_t alignment = 1024;

// Whether buffers may be in use at a place inside of this operation.
static bool isAmongBuffers(Operation *op) {
  for (; op; op = op->getParentOp())
    if (op->hasAttr(teeny::tile::buffersAttr))
      return true;
  return false;
}

LogicalResult Scratch::verifyFits(Operation *op, int64_t bytes) const {
  int64_t left = limit - (isAmongBuffers(op) ? reserved : 0);
  if (bytes <= left)
    return success();
  return op->emitOpError("needs ") << bytes << " bytes of shared memory to exchange data between "
                                   << "threads; the target has " << left;
}

Value Scratch::reserve(Emit &emit, int64_t bytes) {
  int64_t begin = reserved;
  reserved += llvm::alignTo(bytes, alignment);
  used = std::max(used, reserved);
  return emit.bytePointer(emit.addressOf(global, Space::shared), begin);
}

Value Scratch::begin(Emit &emit, int64_t bytes) {
  bytes = llvm::alignTo(bytes, 16);
  Block *block = emit.builder.getInsertionBlock();
  int64_t floor = isAmongBuffers(block->getParentOp()) ? reserved : 0;
  assert(floor + bytes <= limit && "not verified");
  bool first =
      !lastBlock && block->isEntryBlock() && isa<FunctionOpInterface>(block->getParentOp());
  int64_t begin = floor;
  bool apart = first;
  if (block == lastBlock) {
    if (lastBegin - floor >= bytes)
      apart = true;
    else if (lastEnd + bytes <= std::max(used, floor + 2 * alternating) &&
             lastEnd + bytes <= limit && bytes <= alternating)
      begin = lastEnd, apart = true;
  }
  if (!apart)
    emit.barrier();
  lastBlock = block;
  lastBegin = begin;
  lastEnd = begin + bytes;
  used = std::max(used, lastEnd);
  return emit.bytePointer(emit.addressOf(global, Space::shared), begin);
}
