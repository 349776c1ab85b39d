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

// Dims from the last to the first: row-major order.
SmallVector<int64_t> fastestLast(size_t rank) {
  return llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(0, rank)));
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

//===-- linear
//----------------------------------------------------------------------------------===//

LogicalResult LinearMapLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                          ArrayRef<int64_t> shape, ArrayRef<int64_t> registers,
                                          ArrayRef<int64_t> lanes, ArrayRef<int64_t> warps) {
  if (shape.empty())
    return emitError() << "linear layout needs at least one dim";
  for (int64_t size : shape)
    if (!llvm::isPowerOf2_64(size))
      return emitError() << "'shape' has the entry " << size << "; expected a power of two";
  for (auto [name, bases] :
       {std::pair("registers", registers), std::pair("lanes", lanes), std::pair("warps", warps)}) {
    if (bases.size() % shape.size())
      return emitError() << "'" << name << "' has " << bases.size()
                         << " numbers; expected one a dim of " << shape.size() << " in each entry";
    for (auto [i, position] : llvm::enumerate(bases))
      if (position < 0 || position >= shape[i % shape.size()])
        return emitError() << "'" << name << "' has the position " << position << "; expected 0 to "
                           << shape[i % shape.size()] - 1;
  }
  return success();
}

LinearMapLayoutAttr LinearMapLayoutAttr::get(MLIRContext *context, const LinearLayout &linear) {
  SmallVector<int64_t> shape, bases[3];
  for (const Extent &out : llvm::reverse(linear.outs()))
    shape.push_back(int64_t(1) << out.bits);
  constexpr Dim ins[] = {Dim::reg, Dim::lane, Dim::warp};
  for (auto [in, list] : llvm::zip(ins, bases))
    for (unsigned bit = 0; bit < linear.inBits(in); ++bit)
      for (unsigned dim = 0; dim < shape.size(); ++dim)
        list.push_back(linear.basis(in, bit, tensorDim(dim)));
  return get(context, shape, bases[0], bases[1], bases[2]);
}

int64_t LinearMapLayoutAttr::getRank() const { return getShape().size(); }

LinearLayout LinearMapLayoutAttr::toLinear(ArrayRef<int64_t> shape) const {
  LinearLayout pattern({{Dim::reg, 0}, {Dim::lane, 0}, {Dim::warp, 0}, {Dim::block, 0}},
                       tensorExtents(getShape()));
  size_t rank = getRank();
  for (auto [in, bases] : {std::pair(Dim::reg, getRegisters()), std::pair(Dim::lane, getLanes()),
                           std::pair(Dim::warp, getWarps())})
    for (size_t start = 0; start < bases.size(); start += rank) {
      Coordinates image;
      for (size_t dim = 0; dim < rank; ++dim)
        image.push_back({tensorDim(dim), uint64_t(bases[start + dim])});
      pattern.addBasis(in, image);
    }
  return cover(pattern, shape, fastestLast(rank));
}

LogicalResult
LinearMapLayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyLayoutOfTensor(*this, shape, emitError);
}

//===-- mma
//-------------------------------------------------------------------------------------===//

LogicalResult MmaLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t version,
                                    ArrayRef<int64_t> warps, ArrayRef<int64_t> instruction) {
  if (version != 2)
    return emitError() << "version is " << version << "; expected 2";
  if (instruction != ArrayRef<int64_t>{16, 8})
    return emitError() << "instruction is [" << instruction << "]; expected [16, 8]";
  if (warps.size() != 2 && warps.size() != 3)
    return emitError() << "'warps' has " << warps.size()
                       << " entries; expected 2, or 3 with batches";
  for (int64_t size : warps)
    if (!llvm::isPowerOf2_64(size))
      return emitError() << "'warps' has the entry " << size << "; expected a power of two";
  return success();
}

int64_t MmaLayoutAttr::getRank() const { return getWarps().size(); }

LinearLayout MmaLayoutAttr::toLinear(ArrayRef<int64_t> shape) const {
  size_t rank = getRank();
  Dim row = tensorDim(rank - 2), column = tensorDim(rank - 1);
  LinearLayout tile = unitLayout(rank) * LinearLayout::identity(1, Dim::reg, column) *
                      LinearLayout::identity(2, Dim::lane, column) *
                      LinearLayout::identity(3, Dim::lane, row) *
                      LinearLayout::identity(1, Dim::reg, row);
  // Rows of warps run fastest.
  SmallVector<int64_t> order = fastestLast(rank);
  std::swap(order[0], order[1]);
  return cover(tile * box(getWarps(), order, Dim::warp), shape, fastestLast(rank));
}

LogicalResult MmaLayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                            function_ref<InFlightDiagnostic()> emitError) const {
  return verifyLayoutOfTensor(*this, shape, emitError);
}

//===-- dot_operand
//-----------------------------------------------------------------------------===//

LogicalResult DotOperandLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                           int64_t index, LayoutInterface parent, int64_t kWidth) {
  if (index != 0 && index != 1)
    return emitError() << "index is " << index << "; expected 0 or 1";
  if (isa<BlockedLayoutAttr>(parent)) {
    if (kWidth != 0)
      return emitError() << "k_width is " << kWidth << "; expected 0 with a blocked parent";
    if (parent.getRank() < 2)
      return emitError() << "parent has rank " << parent.getRank() << "; expected at least 2";
    return success();
  }
  if (!isa<MmaLayoutAttr>(parent))
    return emitError() << "parent is " << parent << "; expected an mma or blocked layout";
  if (kWidth < 1 || kWidth > 16 || !llvm::isPowerOf2_64(kWidth))
    return emitError() << "k_width is " << kWidth << "; expected 1, 2, 4, 8 or 16";
  return success();
}

int64_t DotOperandLayoutAttr::getRank() const { return getParent().getRank(); }

LinearLayout DotOperandLayoutAttr::toLinear(ArrayRef<int64_t> shape) const {
  size_t rank = getRank();
  // `outer` is the dim that the result shares with this operand; the other, whose place k takes, is
  // the last but one for the right operand.
  Dim outer = tensorDim(rank - 2 + getIndex()), inner = tensorDim(rank - 1 - getIndex());
  unsigned kBits = llvm::Log2_64(shape[rank - 1 - getIndex()]);
  SmallVector<int64_t> order = fastestLast(rank);

  if (auto blocked = dyn_cast<BlockedLayoutAttr>(getParent())) {
    SmallVector<int64_t> resultShape(shape);
    resultShape[rank - 1 - getIndex()] = 1;
    return unitLayout(rank) * LinearLayout::identity(kBits, Dim::reg, inner) *
           blocked.toLinear(resultShape);
  }

  auto mma = cast<MmaLayoutAttr>(getParent());
  LinearLayout tile =
      unitLayout(rank) * LinearLayout::identity(llvm::Log2_64(getKWidth()), Dim::reg, inner) *
      LinearLayout::identity(2, Dim::lane, inner) * LinearLayout::identity(3, Dim::lane, outer);
  // Rows of the left operand come in two halves of 8, before the halves of k; columns of the right
  // one in 8.
  if (getIndex() == 0)
    tile = tile * LinearLayout::identity(1, Dim::reg, outer);
  tile = tile * LinearLayout::identity(1, Dim::reg, inner);
  // Warps that differ along the result's other dim hold the same.
  SmallVector<int64_t> warpOrder = order;
  std::swap(warpOrder[0], warpOrder[1]);
  LinearLayout warps = unitLayout(rank);
  for (int64_t dim : warpOrder) {
    LinearLayout step =
        LinearLayout::identity(llvm::Log2_64(mma.getWarps()[dim]), Dim::warp, tensorDim(dim));
    warps = warps * (tensorDim(dim) == inner ? step.resizeOut(inner, 0) : step);
  }
  // Along k first, so that the operands of one accumulator are side by side.
  SmallVector<int64_t> coverOrder = {int64_t(rank) - 1 - getIndex(),
                                     int64_t(rank) - 2 + getIndex()};
  for (int64_t dim : order)
    if (!llvm::is_contained(coverOrder, dim))
      coverOrder.push_back(dim);
  return cover(tile * warps, shape, coverOrder);
}

LogicalResult
DotOperandLayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                     function_ref<InFlightDiagnostic()> emitError) const {
  return verifyLayoutOfTensor(*this, shape, emitError);
}
