// What makes each operation well formed, and how the types of memory operations are written.
// Folders are in TileFolds.cpp.
#include "Tile/IR/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace teeny::tile;

//===-- Types in the assembly
//-------------------------------------------------------------------===//

// The types of an access's mask and values follow from the pointer's, so its assembly does not
// repeat them.
static ParseResult parsePointer(OpAsmParser &parser, Type &pointer, Type &mask, Type &value) {
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseType(pointer))
    return failure();
  auto ptr = dyn_cast<PtrType>(getElementTypeOrSelf(pointer));
  if (!ptr)
    return parser.emitError(start)
           << "pointer has type " << pointer << "; expected a pointer or a tensor of pointers";
  mask = withElementType(pointer, IntegerType::get(pointer.getContext(), 1));
  value = withElementType(pointer, ptr.getPointee());
  return success();
}

using OptionalOperand = std::optional<OpAsmParser::UnresolvedOperand>;

static ParseResult parseLoadTypes(OpAsmParser &parser, OptionalOperand mask, OptionalOperand other,
                                  Type &pointer, Type &maskType, Type &otherType) {
  Type maskOf, valueOf;
  if (parsePointer(parser, pointer, maskOf, valueOf))
    return failure();
  if (mask)
    maskType = maskOf;
  if (other)
    otherType = valueOf;
  return success();
}
static void printLoadTypes(OpAsmPrinter &printer, Operation *, Value, Value, Type pointer, Type,
                           Type) {
  printer << pointer;
}

static ParseResult parseStoreTypes(OpAsmParser &parser, OptionalOperand mask, Type &pointer,
                                   Type &valueType, Type &maskType) {
  Type maskOf;
  if (parsePointer(parser, pointer, maskOf, valueType))
    return failure();
  if (mask)
    maskType = maskOf;
  return success();
}
static void printStoreTypes(OpAsmPrinter &printer, Operation *, Value, Type pointer, Type, Type) {
  printer << pointer;
}

#define GET_OP_CLASSES
#include "Tile/IR/TileOps.cpp.inc"

//===-- Helpers
//---------------------------------------------------------------------------------===//

namespace {

RankedTensorType tileType(Value value) { return cast<RankedTensorType>(value.getType()); }

LogicalResult expectType(Operation *op, StringRef what, Type actual, Type expected) {
  if (actual == expected)
    return success();
  return op->emitOpError() << what << " has type " << actual << "; expected " << expected;
}

// Both are scalars, or tensors of one shape and layout.
LogicalResult expectSameShape(Operation *op, StringRef what, Type actual, StringRef asWhat,
                              Type reference) {
  if (withElementType(actual, getElementTypeOrSelf(reference)) == reference)
    return success();
  return op->emitOpError() << what << " has type " << actual
                           << "; expected the shape and layout of the " << asWhat << ", "
                           << reference;
}

LogicalResult expectSameElement(Operation *op, Type source, Type result) {
  Type from = getElementTypeOrSelf(source), to = getElementTypeOrSelf(result);
  if (from == to)
    return success();
  return op->emitOpError() << "result has elements of type " << to << "; expected the source's, "
                           << from;
}

LogicalResult expectShape(Operation *op, StringRef what, ArrayRef<int64_t> actual,
                          ArrayRef<int64_t> expected) {
  if (actual == expected)
    return success();
  return op->emitOpError() << what << " has shape [" << actual << "]; expected [" << expected
                           << "]";
}

LogicalResult expectLayout(Operation *op, StringRef what, Attribute actual, Attribute expected) {
  if (actual == expected)
    return success();
  InFlightDiagnostic error = op->emitOpError() << what << " has ";
  for (auto [prefix, layout] : {std::pair("", actual), std::pair("; expected ", expected)}) {
    error << prefix;
    if (layout)
      error << "layout " << layout;
    else
      error << "no layout";
  }
  return error;
}

// Tensors of one operation have layouts together or not at all.
LogicalResult expectBothOrNoLayout(Operation *op, RankedTensorType source,
                                   RankedTensorType result) {
  if (!source.getEncoding() == !result.getEncoding())
    return success();
  return op->emitOpError() << (source.getEncoding() ? "source" : "result")
                           << " has a layout and the "
                           << (source.getEncoding() ? "result" : "source") << " has none";
}

LogicalResult expectAxis(Operation *op, int64_t axis, int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError() << "axis is " << axis << "; expected one from 0 to " << rank - 1;
}

// A layout's tensor after a rearrangement that moves no data, where both have layouts.
LogicalResult expectLinear(Operation *op, const LinearLayout &moved, RankedTensorType result) {
  auto layout = cast<LayoutInterface>(result.getEncoding());
  LinearLayout actual = layout.toLinear(result.getShape());
  if (actual == moved)
    return success();
  return op->emitOpError() << "result has layout " << layout << ", which is " << actual.str()
                           << "; expected what keeps elements in place, " << moved.str();
}

LinearLayout linearOf(RankedTensorType type) {
  return cast<LayoutInterface>(type.getEncoding()).toLinear(type.getShape());
}

// The shape and layout of a tensor without one dim; the element type where no dim is left.
Type withoutAxis(RankedTensorType type, int64_t axis) {
  if (type.getRank() == 1)
    return type.getElementType();
  SmallVector<int64_t> shape(type.getShape());
  shape.erase(shape.begin() + axis);
  Attribute layout = type.getEncoding();
  if (layout)
    layout = SliceLayoutAttr::get(type.getContext(), axis, cast<LayoutInterface>(layout));
  return RankedTensorType::get(shape, type.getElementType(), layout);
}

// What reduce and scan share: sources of one shape and layout, and an axis of theirs.
LogicalResult verifySources(Operation *op, OperandRange sources, int64_t axis) {
  if (sources.empty())
    return op->emitOpError() << "has no sources; expected at least one";
  for (Value source : sources.drop_front())
    if (failed(
            expectSameShape(op, "source", source.getType(), "first source", sources[0].getType())))
      return failure();
  if (op->getNumResults() != sources.size())
    return op->emitOpError() << "has " << op->getNumResults()
                             << " results; expected as many as sources: " << sources.size();
  return expectAxis(op, axis, tileType(sources[0]).getRank());
}

LogicalResult verifyCombine(Operation *op, Region &combine, OperandRange sources) {
  SmallVector<Type> elements;
  for (Value source : sources)
    elements.push_back(getElementTypeOrSelf(source.getType()));
  SmallVector<Type> arguments(elements);
  llvm::append_range(arguments, elements);
  if (!llvm::equal(combine.getArgumentTypes(), arguments))
    return op->emitOpError() << "region takes (" << combine.getArgumentTypes() << "); expected ("
                             << arguments << "), one left and one right element a source";
  auto yield = dyn_cast<YieldOp>(combine.front().getTerminator());
  if (!yield)
    return op->emitOpError() << "region ends with '" << combine.front().getTerminator()->getName()
                             << "'; expected 'tile.yield'";
  if (!llvm::equal(yield.getValues().getTypes(), elements))
    return op->emitOpError() << "region yields (" << yield.getValues().getTypes() << "); expected ("
                             << elements << ")";
  return success();
}

// The element type that a pointer, or a tile of pointers, points to.
Type pointeeOf(Value pointer) {
  return cast<PtrType>(getElementTypeOrSelf(pointer.getType())).getPointee();
}

// The types of an access: `values` as the pointers point to, the mask's shape theirs.
LogicalResult verifyAccess(Operation *op, Value pointer, Value mask,
                           ArrayRef<std::pair<StringRef, Value>> values) {
  for (auto [what, value] : values)
    if (value && failed(expectType(op, what, value.getType(),
                                   withElementType(pointer.getType(), pointeeOf(pointer)))))
      return failure();
  if (!mask)
    return success();
  return expectType(op, "mask", mask.getType(),
                    withElementType(pointer.getType(), IntegerType::get(op->getContext(), 1)));
}

} // namespace

//===-- Making and shaping tiles
//----------------------------------------------------------------===//

LogicalResult ArangeOp::verify() {
  int64_t start = int32_t(getStart()), end = int32_t(getEnd()), size = end - start;
  if (size <= 0)
    return emitOpError() << "goes from " << start << " to " << end
                         << "; expected an end above the start";
  return expectShape(*this, "result", getType().getShape(), size);
}

LogicalResult SplatOp::verify() {
  return expectSameElement(*this, getSource().getType(), getType());
}

LogicalResult ExpandDimsOp::verify() {
  RankedTensorType source = tileType(getSource()), result = tileType(getResult());
  if (failed(expectSameElement(*this, source, result)) ||
      failed(expectAxis(*this, getAxis(), source.getRank() + 1)))
    return failure();
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + getAxis(), 1);
  if (failed(expectShape(*this, "result", result.getShape(), shape)) ||
      failed(expectBothOrNoLayout(*this, source, result)))
    return failure();
  return expectLayout(*this, "source", source.getEncoding(),
                      cast<RankedTensorType>(withoutAxis(result, getAxis())).getEncoding());
}

LogicalResult BroadcastOp::verify() {
  RankedTensorType source = tileType(getSource()), result = tileType(getResult());
  if (failed(expectSameElement(*this, source, result)))
    return failure();
  bool fits = source.getRank() == result.getRank();
  for (int64_t dim = 0; fits && dim < source.getRank(); ++dim)
    fits = source.getDimSize(dim) == 1 || source.getDimSize(dim) == result.getDimSize(dim);
  if (!fits)
    return emitOpError() << "cannot broadcast shape [" << source.getShape() << "] to ["
                         << result.getShape() << "]; expected equal dims, or 1 in the source";
  return expectLayout(*this, "source", source.getEncoding(), result.getEncoding());
}

LogicalResult ReshapeOp::verify() {
  RankedTensorType source = tileType(getSource()), result = tileType(getResult());
  if (failed(expectSameElement(*this, source, result)))
    return failure();
  if (source.getNumElements() != result.getNumElements())
    return emitOpError() << "result has " << result.getNumElements() << " elements; expected "
                         << source.getNumElements();
  if (failed(expectBothOrNoLayout(*this, source, result)))
    return failure();
  return source.getEncoding()
             ? expectLinear(*this, linearOf(source).reshape(result.getShape()), result)
             : success();
}

LogicalResult TransOp::verify() {
  RankedTensorType source = tileType(getSource()), result = tileType(getResult());
  if (failed(expectSameElement(*this, source, result)))
    return failure();
  llvm::SmallBitVector seen(source.getRank());
  bool permutes = int64_t(getOrder().size()) == source.getRank();
  SmallVector<int64_t> shape;
  for (int32_t dim : getOrder()) {
    permutes = permutes && dim >= 0 && dim < source.getRank() && !seen[dim];
    if (!permutes)
      return emitOpError() << "order is [" << getOrder() << "]; expected each dim from 0 to "
                           << source.getRank() - 1 << " once";
    seen.set(dim);
    shape.push_back(source.getDimSize(dim));
  }
  if (!permutes)
    return emitOpError() << "order is [" << getOrder() << "]; expected each dim from 0 to "
                         << source.getRank() - 1 << " once";
  if (failed(expectShape(*this, "result", result.getShape(), shape)) ||
      failed(expectBothOrNoLayout(*this, source, result)))
    return failure();
  return source.getEncoding() ? expectLinear(*this, linearOf(source).transpose(getOrder()), result)
                              : success();
}

// A pair of tiles and the tile with a last dim of size 2 that holds both: in two registers of a
// thread.
static LogicalResult verifyPair(Operation *op, RankedTensorType half, RankedTensorType whole) {
  SmallVector<int64_t> shape(half.getShape());
  shape.push_back(2);
  if (failed(expectSameElement(op, half, whole)) ||
      failed(expectShape(op, isa<JoinOp>(op) ? "result" : "source", whole.getShape(), shape)))
    return failure();
  if (!half.getEncoding() != !whole.getEncoding())
    return op->emitOpError() << "has tiles with and without layouts";
  if (!half.getEncoding())
    return success();
  unsigned last = half.getRank();
  LinearLayout pair = LinearLayout::identity(1, Dim::reg, tensorDim(last)) * linearOf(half);
  LinearLayout actual = linearOf(whole);
  if (actual == pair)
    return success();
  return op->emitOpError() << "tile of pairs has layout " << whole.getEncoding() << ", which is "
                           << actual.str() << "; expected both halves in one thread, "
                           << pair.str();
}

LogicalResult JoinOp::verify() {
  if (failed(expectType(*this, "right-hand side", getRhs().getType(), getLhs().getType())))
    return failure();
  return verifyPair(*this, tileType(getLhs()), tileType(getResult()));
}

LogicalResult SplitOp::verify() {
  if (failed(expectType(*this, "right-hand side", getRhs().getType(), getLhs().getType())))
    return failure();
  return verifyPair(*this, tileType(getLhs()), tileType(getSource()));
}

LogicalResult ConvertLayoutOp::verify() {
  RankedTensorType source = tileType(getSource()), result = tileType(getResult());
  if (failed(expectSameElement(*this, source, result)) ||
      failed(expectShape(*this, "result", result.getShape(), source.getShape())))
    return failure();
  for (RankedTensorType type : {source, result})
    if (!type.getEncoding())
      return emitOpError() << (type == source ? "source" : "result") << " has type " << type
                           << "; expected a tensor with a layout";
  return success();
}

//===-- Pointers and memory
//---------------------------------------------------------------------===//

LogicalResult AddPtrOp::verify() {
  return expectSameShape(*this, "offset", getOffset().getType(), "pointer", getPointer().getType());
}

static LogicalResult verifyAddress(Operation *op, StringRef what, Type address, Type pointer) {
  return expectType(op, what, address,
                    withElementType(pointer, IntegerType::get(op->getContext(), 64)));
}
LogicalResult PtrToIntOp::verify() {
  return verifyAddress(*this, "result", getType(), getPointer().getType());
}
LogicalResult IntToPtrOp::verify() {
  return verifyAddress(*this, "source", getSource().getType(), getType());
}
LogicalResult PtrCastOp::verify() {
  return expectSameShape(*this, "result", getType(), "pointer", getPointer().getType());
}

LogicalResult LoadOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                       ValueRange operands, DictionaryAttr, OpaqueProperties,
                                       RegionRange, SmallVectorImpl<Type> &types) {
  auto ptr = dyn_cast<PtrType>(getElementTypeOrSelf(operands[0].getType()));
  if (!ptr)
    return emitOptionalError(location, "'tile.load' op pointer has type ", operands[0].getType(),
                             "; expected a pointer or a tensor of pointers");
  types.push_back(withElementType(operands[0].getType(), ptr.getPointee()));
  return success();
}

void InlineAsmOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult LoadOp::verify() {
  if (getOther() && !getMask())
    return emitOpError() << "has 'other' and no mask; expected a mask that says where it is used";
  return verifyAccess(*this, getPointer(), getMask(),
                      {{"other", getOther()}, {"result", getResult()}});
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getPointer(), getMask(), {{"value", getValue()}});
}

LogicalResult AtomicRMWOp::verify() {
  Type element = pointeeOf(getPointer());
  bool wantsFloat = getKind() == AtomicOperation::fadd;
  bool any = getKind() == AtomicOperation::exchange;
  if (!any && wantsFloat != isa<FloatType>(element))
    return emitOpError() << "'" << stringifyAtomicOperation(getKind()) << "' of elements of type "
                         << element << "; expected " << (wantsFloat ? "floats" : "integers");
  return verifyAccess(*this, getPointer(), getMask(),
                      {{"value", getValue()}, {"result", getResult()}});
}

LogicalResult AtomicCASOp::verify() {
  return verifyAccess(*this, getPointer(), Value(), {{"value", getValue()}});
}

//===-- Across elements
//-------------------------------------------------------------------------===//

LogicalResult CopyAsyncOp::verify() {
  BufferType buffer = getBuffer().getType();
  auto pointers = cast<RankedTensorType>(getPointer().getType());
  Type element = buffer.getTile().getElementType();
  if (pointers.getShape() != buffer.getTile().getShape() || pointeeOf(getPointer()) != element ||
      pointers.getEncoding() != buffer.getWriter())
    return emitOpError() << "copies through " << pointers << " into " << buffer;
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() * getWidth() : 0;
  if (bits != 32 && bits != 64 && bits != 128)
    return emitOpError() << "copies " << getWidth() << " elements of " << element
                         << " at once; expected 4, 8 or 16 bytes";
  return verifyAccess(*this, getPointer(), getMask(), {});
}

LogicalResult WriteBufferOp::verify() {
  BufferType buffer = getBuffer().getType();
  RankedTensorType tile = tileType(getTile()), slot = buffer.getTile();
  if (tile.getShape() != slot.getShape() || tile.getElementType() != slot.getElementType() ||
      tile.getEncoding() != buffer.getWriter())
    return emitOpError() << "writes " << tile << " into " << buffer;
  return success();
}

LogicalResult ReadBufferOp::verify() {
  RankedTensorType tile = getBuffer().getType().getTile(), result = getType();
  bool fits = tile.getEncoding() ? result == tile
                                 : result.getEncoding() && result.getShape() == tile.getShape() &&
                                       result.getElementType() == tile.getElementType();
  if (!fits)
    return emitOpError() << "yields " << getType() << " from " << getBuffer().getType();
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifySources(*this, getSources(), getAxis())))
    return failure();
  for (auto [source, result] : llvm::zip(getSources(), getResults()))
    if (failed(expectType(*this, "result", result.getType(),
                          withoutAxis(tileType(source), getAxis()))))
      return failure();
  return success();
}
LogicalResult ReduceOp::verifyRegions() { return verifyCombine(*this, getCombine(), getSources()); }

LogicalResult ScanOp::verify() {
  if (failed(verifySources(*this, getSources(), getAxis())))
    return failure();
  for (auto [source, result] : llvm::zip(getSources(), getResults()))
    if (failed(expectType(*this, "result", result.getType(), source.getType())))
      return failure();
  return success();
}
LogicalResult ScanOp::verifyRegions() { return verifyCombine(*this, getCombine(), getSources()); }

LogicalResult DotOp::verify() {
  RankedTensorType lhs = tileType(getLhs()), rhs = tileType(getRhs()), acc = tileType(getAcc());
  int64_t rank = lhs.getRank();
  if (rank < 2 || rank > 3)
    return emitOpError() << "left-hand side has rank " << rank << "; expected 2, or 3 with batches";
  if (rhs.getRank() != rank || acc.getRank() != rank)
    return emitOpError() << "has operands of ranks " << rank << ", " << rhs.getRank() << " and "
                         << acc.getRank() << "; expected one rank";
  int64_t inner = lhs.getDimSize(rank - 1);
  SmallVector<int64_t> rhsShape(rhs.getShape()), accShape(lhs.getShape());
  rhsShape[rank - 2] = inner;
  accShape[rank - 1] = rhs.getDimSize(rank - 1);
  if (rank == 3)
    rhsShape[0] = lhs.getDimSize(0);
  if (failed(expectShape(*this, "right-hand side", rhs.getShape(), rhsShape)) ||
      failed(expectShape(*this, "accumulator", acc.getShape(), accShape)))
    return failure();
  bool floats = isa<FloatType>(acc.getElementType());
  for (auto [what, type] : {std::pair("left-hand side", lhs), std::pair("right-hand side", rhs)})
    if (isa<FloatType>(type.getElementType()) != floats)
      return emitOpError() << what << " has elements of type " << type.getElementType()
                           << " and the accumulator of type " << acc.getElementType()
                           << "; expected both floats or both integers";
  return success();
}
