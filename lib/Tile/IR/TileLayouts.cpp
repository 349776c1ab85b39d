#include "Tile/IR/Tile.h"

using namespace mlir;
using namespace teeny::tile;

LogicalResult BlockedLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                        ArrayRef<int64_t> registers, ArrayRef<int64_t> lanes,
                                        ArrayRef<int64_t> warps, ArrayRef<int64_t> order) {
  return success();
}
int64_t BlockedLayoutAttr::getRank() const { return getRegisters().size(); }
LinearLayout BlockedLayoutAttr::toLinear(ArrayRef<int64_t> shape) const { return {}; }

LogicalResult SliceLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t dim,
                                      LayoutInterface parent) {
  return success();
}
int64_t SliceLayoutAttr::getRank() const { return getParent().getRank() - 1; }
LinearLayout SliceLayoutAttr::toLinear(ArrayRef<int64_t> shape) const { return {}; }
