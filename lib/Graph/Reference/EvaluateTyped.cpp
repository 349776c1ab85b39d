#include "Graph/Reference/EvaluateTyped.h"

#include "Base/File.h"
#include "Graph/IR/CoreForm.h"
#include "Graph/Reference/Pointwise.h"
#include "Graph/Reference/TypedOps.h"
#include "TensorFile/SafeTensors.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

bool teeny::isTyped(Operation *op) {
  return isa<MapOp, ReshapeOp, PermuteOp, ExpandOp, SliceOp, PadOp, ConcatOp, ConstantOp, ReduceOp,
             MatmulOp, ConvOp, PoolOp>(op);
}

static Scalar read(const HostTensor &tensor, int64_t index) {
  if (isFloat(tensor.dtype()))
    return {tensor.dtype(), tensor.real(index), 0};
  return {tensor.dtype(), 0, tensor.integer(index)};
}

static void write(HostTensor &tensor, int64_t index, const Scalar &value) {
  if (isFloat(tensor.dtype()))
    tensor.setReal(index, value.real);
  else
    tensor.setInteger(index, value.whole);
}

HostTensor teeny::literalTensor(TypedAttr value) {
  HostTensor tensor(*dtypeOf(value.getType()), {});
  if (auto number = dyn_cast<FloatAttr>(value))
    tensor.setReal(0, number.getValueAsDouble());
  else
    tensor.setInteger(0, int64_t(cast<IntegerAttr>(value).getValue().getZExtValue()));
  return tensor;
}

Result<HostTensor> teeny::readParamData(ParamOp param) {
  std::string path = pathOf(param, param.getFile());
  Result<MappedFile> file = MappedFile::open(path);
  if (!file)
    return file.error();
  Result<SafeTensors> tensors = SafeTensors::parse(file->bytes());
  if (!tensors)
    return tensors.error().in(path);
  const TensorView *data = tensors->find(std::string_view(param.getKey()));
  GraphTensorType type = tensorType(param.getResult());
  if (!data || data->dtype != dtypeOf(type.getDtype()) ||
      int64_t(data->shape.size()) != type.getRank())
    return Error{ErrorCode::invalid, path + ": no tensor '" + param.getKey().str() + "' of type " +
                                         typeText(type)};
  return HostTensor(data->dtype, data->shape, data->data);
}

//===-- Maps
//------------------------------------------------------------------------------------===//

static void evaluate(MapOp map, std::span<const HostTensor *const> operands, HostTensor &out) {
  SmallVector<HostTensor> whole; // operands at every point
  for (const HostTensor *operand : operands) {
    whole.emplace_back(operand->dtype(), out.shape());
    reference::expand(*operand, whole.back());
  }
  llvm::DenseMap<Value, Scalar> values;
  for (Operation &op : map.getBlock())
    if (auto literal = dyn_cast<LiteralOp>(op))
      values[literal] = read(literalTensor(literal.getValue()), 0);
  // What does not change with the point.
  SmallVector<std::map<std::string, double>> parameters;
  for (auto apply : map.getBlock().getOps<ApplyOp>())
    for (NamedAttribute attr : (parameters.emplace_back(),
                                apply.getAttrs().value_or(DictionaryAttr::get(map.getContext()))))
      parameters.back()[attr.getName().str()] = cast<FloatAttr>(attr.getValue()).getValueAsDouble();
  for (int64_t i = 0; i < out.elements(); ++i) {
    for (auto [argument, operand] : llvm::zip_equal(map.getBlock().getArguments(), whole))
      values[argument] = read(operand, i);
    size_t next = 0;
    for (auto apply : map.getBlock().getOps<ApplyOp>()) {
      SmallVector<Scalar> arguments;
      for (Value operand : apply.getOperands())
        arguments.push_back(values[operand]);
      values[apply] = applyPointwise(std::string_view(apply.getFunction()), arguments,
                                     parameters[next++], *dtypeOf(apply.getType()));
    }
    write(out, i, values[cast<YieldOp>(map.getBlock().getTerminator()).getValue()]);
  }
}

//===-- All
//-------------------------------------------------------------------------------------===//

static void copyBytes(std::span<const std::byte> from, HostTensor &out) {
  assert(from.size() == out.bytes().size() && "the same elements");
  std::copy(from.begin(), from.end(), out.bytes().begin());
}

static void evaluate(ConstantOp constant, HostTensor &out) {
  auto dense = cast<DenseElementsAttr>(constant.getValue());
  for (int64_t i = 0; i < out.elements(); ++i) {
    Attribute element = dense.getValues<Attribute>()[i];
    write(out, i, read(literalTensor(cast<TypedAttr>(element)), 0));
  }
}

static Result<SmallVector<int64_t>> evaluateAll(ArrayAttr exprs, const Expr::Lookup &lookup) {
  SmallVector<int64_t> values;
  for (auto expr : exprs.getAsRange<ExprAttr>()) {
    Result<int64_t> value = expr.getExpr().evaluate(lookup);
    if (!value)
      return value.error();
    values.push_back(*value);
  }
  return values;
}

// By the reference of the declaration that carries the operation out.
static void evaluate(const CoreForm &form, std::span<const HostTensor *const> operands,
                     HostTensor &out) {
  ReferenceCall call;
  for (auto [name, operand] : llvm::zip_equal(form.operands, operands))
    call.operands[name.str()] = operand;
  for (NamedAttribute attr : form.attrs)
    call.attrs[attr.getName().str()] = referenceAttr(attr.getValue());
  call.results["out"] = std::move(out);
  findReference(std::string_view(form.declaration))(call);
  out = std::move(call.results["out"]);
}

ReferenceAttr teeny::referenceAttr(Attribute value) {
  if (auto flag = dyn_cast<BoolAttr>(value))
    return flag.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getInt();
  if (auto real = dyn_cast<FloatAttr>(value))
    return real.getValueAsDouble();
  if (auto type = dyn_cast<TypeAttr>(value))
    return *dtypeOf(type.getValue());
  return cast<StringAttr>(value).getValue().str();
}

Status teeny::evaluateTyped(Operation *op, std::span<const HostTensor *const> operands,
                            const Expr::Lookup &lookup, HostTensor &out) {
  if (auto map = dyn_cast<MapOp>(op)) {
    evaluate(map, operands, out);
  } else if (auto constant = dyn_cast<ConstantOp>(op)) {
    evaluate(constant, out);
  } else if (isa<ReshapeOp>(op)) {
    copyBytes(operands[0]->bytes(), out);
  } else if (auto permute = dyn_cast<PermuteOp>(op)) {
    reference::permute(*operands[0], permute.getPermutation(), out);
  } else if (isa<ExpandOp>(op)) {
    reference::expand(*operands[0], out);
  } else if (auto slice = dyn_cast<SliceOp>(op)) {
    Result<SmallVector<int64_t>> starts = evaluateAll(slice.getStarts(), lookup);
    if (!starts)
      return starts.error();
    reference::slice(*operands[0], *starts, slice.getSteps(), out);
  } else if (auto pad = dyn_cast<PadOp>(op)) {
    Result<SmallVector<int64_t>> low = evaluateAll(pad.getLow(), lookup);
    if (!low)
      return low.error();
    reference::pad(*operands[0], std::string_view(stringifyPadMode(pad.getMode())), *low,
                   literalTensor(pad.getValue()), out);
  } else if (auto concat = dyn_cast<ConcatOp>(op)) {
    reference::concat(operands, concat.getAxis(), out);
  } else {
    evaluate(*coreForm(op), operands, out);
  }
  return {};
}
