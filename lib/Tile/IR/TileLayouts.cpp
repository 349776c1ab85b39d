// The named layouts as linear maps. Each builds its map from the facts in its name; nothing here
// knows of operations.
#include "Tile/IR/Tile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace teeny::tile;

namespace {

// A map with the ins of a thread's place and the outs of a tensor, all of size 1: the unit that
// fixes the order of dims.
LinearLayout unitLayout(size_t rank) {
  return LinearLayout({{Dim::reg, 0}, {Dim::lane, 0}, {Dim::warp, 0}, {Dim::block, 0}},
                      tensorExtents(SmallVector<int64_t>(rank, 1)));
}

// `sizes` positions of `in` per dim, the dims in `order` from the fastest running.
LinearLayout box(ArrayRef<int64_t> sizes, ArrayRef<int64_t> order, Dim in) {
  LinearLayout result = unitLayout(sizes.size());
  for (int64_t dim : order)
    result = result * LinearLayout::identity(llvm::Log2_64(sizes[dim]), in, tensorDim(dim));
  return result;
}

// A pattern made to cover exactly a tensor: repeated into further registers where the tensor is
// larger, along dims in `order`; wrapped where it is smaller. No thread holds an element twice.
LinearLayout cover(LinearLayout pattern, ArrayRef<int64_t> shape, ArrayRef<int64_t> order) {
  for (int64_t dim : order) {
    unsigned bits = llvm::Log2_64(shape[dim]), have = pattern.outBits(tensorDim(dim));
    if (bits < have)
      pattern = pattern.resizeOut(tensorDim(dim), bits);
    else
      pattern = pattern * LinearLayout::identity(bits - have, Dim::reg, tensorDim(dim));
  }
  return pattern.withoutZeroBases(Dim::reg);
}

} // namespace

LogicalResult teeny::tile::verifyLayoutOfTensor(LayoutInterface layout, ArrayRef<int64_t> shape,
                                                function_ref<InFlightDiagnostic()> emitError) {
  if (layout.getRank() != int64_t(shape.size()))
    return emitError() << "layout of rank " << layout.getRank() << " on a tensor of rank "
                       << shape.size();
  for (int64_t size : shape)
    if (!llvm::isPowerOf2_64(size))
      return emitError() << "tensor with a layout has a dim of size " << size
                         << "; expected a power of two";
  return success();
}

//===-- blocked
//---------------------------------------------------------------------------------===//

LogicalResult BlockedLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                        ArrayRef<int64_t> registers, ArrayRef<int64_t> lanes,
                                        ArrayRef<int64_t> warps, ArrayRef<int64_t> order) {
  size_t rank = registers.size();
  if (rank == 0)
    return emitError() << "blocked layout needs at least one dim";
  std::pair<StringRef, ArrayRef<int64_t>> lists[] = {
      {"registers", registers}, {"lanes", lanes}, {"warps", warps}, {"order", order}};
  for (auto [name, list] : lists)
    if (list.size() != rank)
      return emitError() << "'" << name << "' has " << list.size()
                         << " entries; expected as many as 'registers': " << rank;
  for (auto [name, list] : ArrayRef(lists).drop_back())
    for (int64_t size : list)
      if (!llvm::isPowerOf2_64(size))
        return emitError() << "'" << name << "' has the entry " << size
                           << "; expected a power of two";
  llvm::SmallBitVector seen(rank);
  for (int64_t dim : order) {
    if (dim < 0 || dim >= int64_t(rank) || seen[dim])
      return emitError() << "'order' is [" << order << "]; expected each dim from 0 to " << rank - 1
                         << " once";
    seen.set(dim);
  }
  return success();
}

int64_t BlockedLayoutAttr::getRank() const { return getRegisters().size(); }

LinearLayout BlockedLayoutAttr::toLinear(ArrayRef<int64_t> shape) const {
  return cover(box(getRegisters(), getOrder(), Dim::reg) * box(getLanes(), getOrder(), Dim::lane) *
                   box(getWarps(), getOrder(), Dim::warp),
               shape, getOrder());
}

LogicalResult
BlockedLayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                  function_ref<InFlightDiagnostic()> emitError) const {
  return verifyLayoutOfTensor(*this, shape, emitError);
}

//===-- slice
//-----------------------------------------------------------------------------------===//

LogicalResult SliceLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t dim,
                                      LayoutInterface parent) {
  int64_t rank = parent.getRank();
  if (rank < 2)
    return emitError() << "slice of a layout of rank " << rank << "; expected at least 2";
  if (dim < 0 || dim >= rank)
    return emitError() << "slice along dim " << dim << " of a layout of rank " << rank;
  return success();
}

int64_t SliceLayoutAttr::getRank() const { return getParent().getRank() - 1; }

LinearLayout SliceLayoutAttr::toLinear(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> parentShape(shape);
  parentShape.insert(parentShape.begin() + getDim(), 1);
  LinearLayout linear = getParent().toLinear(parentShape).withoutOut(tensorDim(getDim()));
  // Dims behind the removed one move down.
  for (int64_t dim = getDim(); dim < getRank(); ++dim)
    linear = linear.renameOut(tensorDim(dim + 1), tensorDim(dim));
  return linear;
}

LogicalResult SliceLayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                              function_ref<InFlightDiagnostic()> emitError) const {
  return verifyLayoutOfTensor(*this, shape, emitError);
}
