// Checks that layouts are complete: the end of the phase that assigns them. Tested by
// test/Tile/verify-layouts.mlir.
#include "Tile/Transforms/LayoutRules.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

namespace teeny::tile {
#define GEN_PASS_DEF_VERIFYLAYOUTS
#include "Tile/Transforms/Passes.h.inc"
} // namespace teeny::tile

using namespace mlir;
using namespace teeny::tile;

namespace {

struct VerifyLayouts final : teeny::tile::impl::VerifyLayoutsBase<VerifyLayouts> {
  using VerifyLayoutsBase::VerifyLayoutsBase;

  LogicalResult check(Value value, Operation *op) {
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    if (!tile)
      return success();
    LayoutInterface layout = layoutOf(value);
    if (!layout)
      return op->emitError() << "tile of type " << tile << " has no layout";
    LinearLayout linear = layout.toLinear(tile.getShape());
    int64_t warps = numWarps(op);
    if (int64_t(linear.inSize(Dim::lane)) != threadsPerWarp)
      return op->emitError() << "layout " << layout << " has " << linear.inSize(Dim::lane)
                             << " lanes; expected " << threadsPerWarp.getValue();
    if (int64_t(linear.inSize(Dim::warp)) != warps)
      return op->emitError() << "layout " << layout << " has " << linear.inSize(Dim::warp)
                             << " warps; expected " << warps;
    return success();
  }

  void runOnOperation() override {
    WalkResult walked = getOperation().walk([&](Operation *op) {
      LogicalResult result = success();
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            if (succeeded(result))
              result = check(argument, op);
      for (Value value : op->getResults())
        if (succeeded(result))
          result = check(value, op);
      return failed(result) ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (walked.wasInterrupted())
      signalPassFailure();
  }
};

} // namespace
