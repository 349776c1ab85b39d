// Inputs, params and outputs of a graph file.
#include "Graph/Import/GraphReader.h"

#include "llvm/ADT/StringSet.h"

using namespace teeny;
using namespace teeny::graph;

// A size over the graph's dims.
std::optional<Expr> GraphReader::readSize(const JsonField &field) {
  std::optional<Expr> size = readExpr(field);
  auto known = [&](llvm::StringRef name) { return findDim(name) != nullptr; };
  if (!size || !checkNames(field, *size, "dim", known, [&] { return dimNames(); }))
    return std::nullopt;
  for (const std::string &name : size->symbols()) {
    Dim &dim = *findDim(name);
    if (!std::exchange(dim.isUsed, true))
      dim.firstUse = field;
  }
  SymbolFacts facts = size->facts([&](const std::string &name) -> SymbolFacts {
    const Dim &dim = *findDim(name);
    return {dim.min, dim.max, dim.multipleOf};
  });
  if (facts.max < 0) {
    error(field, "a size cannot be negative, found " + field->describe());
    return std::nullopt;
  }
  return size;
}

std::optional<std::string> GraphReader::readTensorName(const JsonField &field) {
  std::optional<std::string> name = readLabel(field);
  if (!name || (!llvm::StringRef(*name).starts_with("teeny/") && *name != "__metadata__"))
    return name;
  error(field, "the name '" + *name + "' is reserved: bundles have parts that are called so");
  return std::nullopt;
}

//===-- Inputs
//----------------------------------------------------------------------------------===//

void GraphReader::readInputs(const JsonField &field) {
  for (const JsonField &input : field.array().value_or(std::vector<JsonField>()))
    readInput(input);
}

void GraphReader::readInput(const JsonField &field) {
  JsonObject object(field, "an input");
  if (!object)
    return;
  JsonField nameField = object.required("name");
  std::optional<std::string> name = readTensorName(nameField);
  std::optional<DType> dtype = readDtype(object.required("dtype"));
  JsonField shapeField = object.required("shape");
  std::optional<std::vector<JsonField>> sizes = shapeField.array();
  object.finish();

  if (sizes && !checkRank(shapeField, sizes->size()))
    sizes.reset();
  std::vector<ExprAttr> shape;
  for (const JsonField &field : sizes.value_or(std::vector<JsonField>())) {
    if (field->isNull()) {
      shape.push_back(ExprAttr::unknown(context));
      continue;
    }
    std::optional<Expr> size = readSize(field);
    if (!size)
      continue;
    shape.push_back(ExprAttr::get(context, *size));
    if (size->constant())
      continue;
    if (std::optional<Expr::Linear> linear = size->linear())
      findDim(linear->name)->isSolved = true;
    else
      error(field,
            "a size of an input must be a number, a dim, or a*N + b, found " + field->describe());
  }
  if (!name || !names.add(*name, "an input", nameField->location(), diagnostics))
    return;
  // One with mistakes stays a name, so that its uses are no further mistakes.
  Tensor &tensor = tensors[*name];
  if (dtype && sizes && shape.size() == sizes->size())
    tensor.value =
        InputOp::create(builder, mlirLoc(nameField),
                        GraphTensorType::get(context, shape, typeOf(context, *dtype)), *name);
}

//===-- Params
//----------------------------------------------------------------------------------===//

void GraphReader::readParams(const JsonField &field) {
  for (const JsonField &param : field.array().value_or(std::vector<JsonField>()))
    readParam(param);
}

void GraphReader::readParam(const JsonField &field) {
  JsonObject object(field, "a param");
  if (!object)
    return;
  JsonField nameField = object.required("name");
  std::optional<std::string> name = readTensorName(nameField);
  std::optional<DType> dtype = readDtype(object.required("dtype"));
  JsonField shapeField = object.required("shape"), dataField = object.required("data");
  std::optional<std::vector<JsonField>> sizes = shapeField.array();
  std::optional<ParamData::Place> place = data.readPlace(dataField);
  object.finish();

  if (sizes && !checkRank(shapeField, sizes->size()))
    sizes.reset();
  std::vector<ExprAttr> shape;
  for (const JsonField &field : sizes.value_or(std::vector<JsonField>()))
    if (std::optional<Expr> size = readSize(field))
      shape.push_back(ExprAttr::get(context, *size));
  if (!name || !names.add(*name, "a param", nameField->location(), diagnostics))
    return;
  Tensor &tensor = tensors[*name];
  if (!dtype || !place || !sizes || shape.size() != sizes->size())
    return;
  auto type = GraphTensorType::get(context, shape, typeOf(context, *dtype));
  if (const TensorView *found = data.find(dataField, *place))
    checkParam(dataField, shapeField, type, *found);
  auto param = ParamOp::create(builder, mlirLoc(nameField), type, *name, place->file, place->key);
  tensor.value = param;
  params.emplace_back(nameField, param);
}

static std::string tensorText(const TensorView &tensor) {
  std::string text = name(tensor.dtype) + std::string("[");
  for (size_t i = 0; i < tensor.shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(tensor.shape[i]);
  return text + "]";
}

void GraphReader::checkParam(const JsonField &dataField, const JsonField &shapeField,
                             GraphTensorType type, const TensorView &tensor) {
  bool fits = typeOf(context, tensor.dtype) == type.getDtype() &&
              int64_t(tensor.shape.size()) == type.getRank();
  for (size_t i = 0; fits && i < tensor.shape.size(); ++i) {
    Expr size = type.getShape()[i].getExpr();
    if (std::optional<int64_t> constant = size.constant())
      fits = *constant == tensor.shape[i];
    else if (!fixDim(dataField, size, tensor.shape[i]))
      return;
  }
  if (!fits)
    error(dataField, "the data is " + tensorText(tensor) + ", the param " + typeText(type))
        .note(shapeField->location(), "the shape is given here");
}

// The data of a param has `value` elements along a size that is no number: so the dim in it has one
// value in every run. False if that was reported as impossible.
bool GraphReader::fixDim(const JsonField &dataField, const Expr &size, int64_t value) {
  std::string found =
      "the data has " + std::to_string(value) + " elements along '" + size.str() + "'";
  std::optional<Expr::Linear> linear = size.linear();
  if (!linear) {
    error(dataField, found + "; a size of a param must be a number, a dim, or a*N + b");
    return false;
  }
  Dim &dim = *findDim(linear->name);
  Result<int64_t> solved = linear->solve(value);
  bool inRange =
      solved && *solved >= dim.min && *solved <= dim.max && *solved % dim.multipleOf == 0;
  if (!inRange) {
    Diagnostic &report = error(dataField, found + ", which no '" + dim.name + "' gives");
    if (dim.fixedBy)
      report.note(dim.fixedBy->location(),
                  "'" + dim.name + "' is " + std::to_string(dim.min) + " by this data");
    else
      report.note(
          dim.field->location(),
          "'" + dim.name + "' is from " + std::to_string(dim.min) + " to " +
              std::to_string(dim.max) +
              (dim.multipleOf == 1 ? "" : " and a multiple of " + std::to_string(dim.multipleOf)));
    return false;
  }
  if (!dim.fixedBy)
    dim.fixedBy = dataField.get();
  dim.min = dim.max = *solved;
  return true;
}

//===-- Outputs
//---------------------------------------------------------------------------------===//

void GraphReader::readOutputs(const JsonField &field) {
  std::optional<std::vector<JsonField>> list = field.array();
  if (list && list->empty())
    error(field, "a graph has at least one output");
  llvm::StringMap<const JsonValue *> seen;
  std::vector<mlir::Value> values;
  std::vector<llvm::StringRef> outputNames;
  for (const JsonField &output : list.value_or(std::vector<JsonField>())) {
    std::optional<Tensor> tensor = resolve(output);
    if (!tensor)
      continue;
    llvm::StringRef name = output->rawString();
    auto [first, isNew] = seen.try_emplace(name, output.get());
    if (!isNew)
      error(output, "output '" + name.str() + "' is listed twice")
          .note(first->second->location(), "the first is here");
    if (!tensor->node)
      error(output,
            "'" + name.str() + "' is " + names.what(name).str() + "; outputs come from nodes");
    if (mlir::Value value = valueOf(*tensor)) {
      values.push_back(value);
      outputNames.push_back(name);
    }
  }
  OutputOp::create(builder, field ? mlirLoc(field) : builder.getUnknownLoc(), values,
                   builder.getStrArrayAttr(outputNames));
}
