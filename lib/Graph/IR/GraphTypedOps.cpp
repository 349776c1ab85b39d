// What must hold of typed operations by themselves. Sizes are compared where both are numbers; what
// shape inference has proved or required of others is not proved again.
#include "Graph/IR/Graph.h"

#include "Graph/IR/NodeKinds.h"
#include "Graph/IR/Pointwise.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

//===-- Names of values in text
//-----------------------------------------------------------------===//

void NodeOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void MapOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void ReshapeOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void PermuteOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void ExpandOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void SliceOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void PadOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void ConcatOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void ReduceOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void MatmulOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void ConvOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void PoolOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }

//===-- What verifiers share
//--------------------------------------------------------------------===//

static bool mayBeEqual(ExprAttr a, ExprAttr b) {
  std::optional<int64_t> x = a.getConstant(), y = b.getConstant();
  return !x || !y || *x == *y;
}

static LogicalResult sameDtype(Operation *op, Value a, Value b) {
  if (tensorType(a).getDtype() == tensorType(b).getDtype())
    return success();
  return op->emitOpError() << "has element types " << tensorType(a).getDtype() << " and "
                           << tensorType(b).getDtype();
}

static LogicalResult hasRank(Operation *op, Value value, int64_t rank) {
  if (tensorType(value).getRank() == rank)
    return success();
  return op->emitOpError() << "takes tensors of " << rank << " dims, found " << value.getType();
}

static LogicalResult hasCount(Operation *op, StringRef what, size_t found, size_t wanted) {
  if (found == wanted)
    return success();
  return op->emitOpError() << "has " << found << ' ' << what << ", not " << wanted;
}

static LogicalResult isBroadcast(Operation *op, Value from, Value to) {
  ArrayRef<ExprAttr> small = tensorType(from).getShape(), large = tensorType(to).getShape();
  bool fits = small.size() <= large.size();
  for (size_t i = 0; fits && i < small.size(); ++i)
    fits = small[small.size() - 1 - i].getConstant() == 1 ||
           mayBeEqual(small[small.size() - 1 - i], large[large.size() - 1 - i]);
  if (fits)
    return success();
  return op->emitOpError() << "cannot broadcast " << from.getType() << " to " << to.getType();
}

//===-- Nodes and maps
//--------------------------------------------------------------------------===//

LogicalResult NodeOp::verify() {
  if (!findNodeKind(getKind()))
    return emitOpError() << "is of kind '" << getKind() << "', which does not exist";
  return hasCount(*this, "roles", getRoles().size(), getNumOperands());
}

LogicalResult MapOp::verifyRegions() {
  Block &block = getBlock();
  if (failed(hasCount(*this, "region arguments", block.getNumArguments(), getNumOperands())))
    return failure();
  for (auto [operand, argument] : llvm::zip_equal(getOperands(), block.getArguments())) {
    if (tensorType(operand).getDtype() != argument.getType())
      return emitOpError() << "takes an element of type " << argument.getType() << " from "
                           << operand.getType();
    if (failed(isBroadcast(*this, operand, getResult())))
      return failure();
  }
  for (Operation &op : block)
    if (!isa<ApplyOp, LiteralOp, YieldOp>(op))
      return op.emitOpError() << "cannot be in a map";
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValue().getType() != tensorType(getResult()).getDtype())
    return emitOpError() << "must end with the yield of a " << tensorType(getResult()).getDtype();
  return success();
}

LogicalResult ApplyOp::verify() {
  const PointwiseFunction *function = findPointwise(getFunction());
  if (!function)
    return emitOpError() << "applies '" << getFunction() << "', which does not exist";
  if (failed(hasCount(*this, "operands", getNumOperands(), function->operands)))
    return failure();
  for (NamedAttribute attr : getAttrs().value_or(DictionaryAttr::get(getContext())))
    if (!isa<FloatAttr>(attr.getValue()) ||
        llvm::none_of(function->parameters,
                      [&](const auto &parameter) { return parameter.name == attr.getName(); }))
      return emitOpError() << "has no parameter " << attr.getName();
  bool isWhere = getFunction() == "where";
  Type operand = getOperand(isWhere ? 1 : 0).getType();
  for (Type type : llvm::drop_begin(getOperandTypes(), isWhere ? 1 : 0))
    if (type != operand)
      return emitOpError() << "has operands of types " << operand << " and " << type;
  if (isWhere && !getOperand(0).getType().isInteger(1))
    return emitOpError() << "chooses by a bool, found " << getOperand(0).getType();
  Type result = function->isPredicate ? IntegerType::get(getContext(), 1) : operand;
  if (getFunction() != "cast" && getType() != result)
    return emitOpError() << "gives " << result << ", not " << getType();
  return success();
}

//===-- Views and data movement
//-----------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  if (failed(sameDtype(*this, getOperand(), getResult())))
    return failure();
  GraphTensorType from = tensorType(getOperand()), to = tensorType(getResult());
  if (!from.isKnown() || !to.isKnown())
    return success();
  std::optional<int64_t> before = from.elements().constant(), after = to.elements().constant();
  if (before && after && *before != *after)
    return emitOpError() << "makes " << *after << " elements of " << *before;
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getOperand().getType() == getType())
    return getOperand();
  auto before = getOperand().getDefiningOp<ReshapeOp>();
  if (!before)
    return {};
  getOperandMutable().assign(before.getOperand());
  return getResult();
}

OpFoldResult PermuteOp::fold(FoldAdaptor) {
  if (llvm::equal(getPermutation(), llvm::seq<int64_t>(0, getPermutation().size())))
    return getOperand();
  auto before = getOperand().getDefiningOp<PermuteOp>();
  if (!before)
    return {};
  SmallVector<int64_t> both;
  for (int64_t dim : getPermutation())
    both.push_back(before.getPermutation()[dim]);
  setPermutation(both);
  getOperandMutable().assign(before.getOperand());
  return getResult();
}

OpFoldResult ExpandOp::fold(FoldAdaptor) {
  return getOperand().getType() == getType() ? Value(getOperand()) : Value();
}

LogicalResult PermuteOp::verify() {
  ArrayRef<int64_t> order = getPermutation();
  GraphTensorType from = tensorType(getOperand()), to = tensorType(getResult());
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  bool valid = int64_t(order.size()) == from.getRank() && order.size() == to.getShape().size() &&
               llvm::equal(sorted, llvm::seq<int64_t>(0, order.size()));
  for (size_t i = 0; valid && i < order.size(); ++i)
    valid = to.getShape()[i] == from.getShape()[order[i]];
  if (!valid)
    return emitOpError() << "does not make " << to << " of " << from;
  return sameDtype(*this, getOperand(), getResult());
}

LogicalResult ExpandOp::verify() {
  return failure(failed(sameDtype(*this, getOperand(), getResult())) ||
                 failed(isBroadcast(*this, getOperand(), getResult())));
}

LogicalResult SliceOp::verify() {
  int64_t rank = tensorType(getOperand()).getRank();
  if (failed(hasRank(*this, getResult(), rank)) ||
      failed(hasCount(*this, "starts", getStarts().size(), rank)) ||
      failed(hasCount(*this, "steps", getSteps().size(), rank)))
    return failure();
  if (llvm::is_contained(getSteps(), 0))
    return emitOpError() << "has a step of 0";
  return sameDtype(*this, getOperand(), getResult());
}

LogicalResult PadOp::verify() {
  int64_t rank = tensorType(getOperand()).getRank();
  if (failed(hasRank(*this, getResult(), rank)) ||
      failed(hasCount(*this, "pads", getLow().size(), rank)))
    return failure();
  if (getValue().getType() != tensorType(getResult()).getDtype())
    return emitOpError() << "pads with a " << getValue().getType();
  return sameDtype(*this, getOperand(), getResult());
}

LogicalResult ConcatOp::verify() {
  int64_t rank = tensorType(getResult()).getRank();
  if (getOperands().empty())
    return emitOpError() << "has no operands";
  if (int64_t(getAxis()) >= rank)
    return emitOpError() << "has no dim " << getAxis();
  for (Value operand : getOperands()) {
    if (failed(hasRank(*this, operand, rank)) || failed(sameDtype(*this, operand, getResult())))
      return failure();
    for (int64_t dim = 0; dim < rank; ++dim)
      if (dim != int64_t(getAxis()) &&
          !mayBeEqual(tensorType(operand).getShape()[dim], tensorType(getResult()).getShape()[dim]))
        return emitOpError() << "puts " << operand.getType() << " into " << getResult().getType();
  }
  return success();
}

LogicalResult ConstantOp::verify() {
  GraphTensorType type = tensorType(getResult());
  ShapedType value = getValue().getShapedType();
  bool fits = value.hasStaticShape() && value.getElementType() == type.getDtype() &&
              value.getRank() == type.getRank();
  for (int64_t dim = 0; fits && dim < type.getRank(); ++dim)
    fits = type.getShape()[dim].getConstant() == value.getDimSize(dim);
  if (!fits)
    return emitOpError() << "of type " << type << " has a value of type " << value;
  return success();
}

//===-- Reductions, products, windows
//-----------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  if (failed(hasRank(*this, getOperand(), 3)) || failed(hasRank(*this, getResult(), 2)))
    return failure();
  if (getKind() != ReduceKind::ArgMax && getKind() != ReduceKind::ArgMin)
    return sameDtype(*this, getOperand(), getResult());
  if (!tensorType(getResult()).getDtype().isInteger(64))
    return emitOpError() << "gives i64 indices, not " << getResult().getType();
  return success();
}

LogicalResult MatmulOp::verify() {
  for (Value value : {getLhs(), getRhs(), getResult()})
    if (failed(hasRank(*this, value, 3)) || failed(sameDtype(*this, getLhs(), value)))
      return failure();
  if (failed(hasCount(*this, "transposed flags", getTransposed().size(), 2)))
    return failure();
  ArrayRef<ExprAttr> a = tensorType(getLhs()).getShape(), b = tensorType(getRhs()).getShape(),
                     c = tensorType(getResult()).getShape();
  bool ta = getTransposed()[0], tb = getTransposed()[1];
  bool fits = mayBeEqual(a[0], c[0]) && mayBeEqual(b[0], c[0]) && mayBeEqual(a[ta ? 2 : 1], c[1]) &&
              mayBeEqual(b[tb ? 1 : 2], c[2]) && mayBeEqual(a[ta ? 1 : 2], b[tb ? 2 : 1]);
  if (!fits)
    return emitOpError() << "does not make " << getResult().getType() << " of "
                         << getLhs().getType() << " and " << getRhs().getType();
  return success();
}

LogicalResult ConvOp::verify() {
  for (Value value : {getInput(), getFilter(), getResult()})
    if (failed(hasRank(*this, value, 4)) || failed(sameDtype(*this, getInput(), value)))
      return failure();
  return failure(failed(hasCount(*this, "strides", getStrides().size(), 2)) ||
                 failed(hasCount(*this, "pads", getPads().size(), 4)) ||
                 failed(hasCount(*this, "dilations", getDilations().size(), 2)));
}

LogicalResult PoolOp::verify() {
  for (Value value : {getInput(), getResult()})
    if (failed(hasRank(*this, value, 4)) || failed(sameDtype(*this, getInput(), value)))
      return failure();
  return failure(failed(hasCount(*this, "window sizes", getWindow().size(), 2)) ||
                 failed(hasCount(*this, "strides", getStrides().size(), 2)) ||
                 failed(hasCount(*this, "pads", getPads().size(), 4)) ||
                 failed(hasCount(*this, "dilations", getDilations().size(), 2)));
}
