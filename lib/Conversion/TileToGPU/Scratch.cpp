#include "Conversion/TileToGPU/Scratch.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace teeny::gpu;

// Exchanges up to this size alternate: two larger ones would cost more in occupancy than a barrier.
static constexpr int64_t alternating = 4096;

LogicalResult Scratch::verifyFits(Operation *op, int64_t bytes) const {
  if (bytes <= limit)
    return success();
  return op->emitOpError("needs ") << bytes << " bytes of shared memory to exchange data between "
                                   << "threads; the target has " << limit;
}

Value Scratch::begin(Emit &emit, int64_t bytes) {
  assert(bytes <= limit && "not verified");
  bytes = llvm::alignTo(bytes, 16);
  Block *block = emit.builder.getInsertionBlock();
  bool first =
      !lastBlock && block->isEntryBlock() && isa<FunctionOpInterface>(block->getParentOp());
  int64_t begin = 0;
  bool apart = first;
  if (block == lastBlock) {
    if (lastBegin >= bytes)
      apart = true;
    else if (lastEnd + bytes <= std::max(used, 2 * alternating) && lastEnd + bytes <= limit &&
             bytes <= alternating)
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
