#include "Graph/Import/DeclarationReader.h"

#include "Graph/IR/LinearIn.h"

#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace teeny;
using namespace teeny::graph;

OpOp DeclarationReader::read(const JsonField &value) {
  unsigned errorsBefore = diagnostics.errorCount();
  JsonObject object(value, "a declaration");
  if (!object)
    return {};
  object.optional("$schema").string(); // for editors
  JsonField opField = object.required("op");
  std::string name = readOpName(opField);
  std::optional<std::string> doc = object.optional("doc").string();
  mlir::DictionaryAttr dtypes = readDtypes(object.optional("dtypes"));

  auto op =
      OpOp::create(builder, opField ? mlirLoc(opField) : mlirLoc(value), name, dtypes,
                   doc ? builder.getStringAttr(*doc) : mlir::StringAttr(), mlir::StringAttr());
  mlir::OwningOpRef<OpOp> owner(op);
  builder.setInsertionPointToEnd(&op.getBody().emplaceBlock());

  // Names first: everything else is about them.
  readTensors(object.optional("inputs"), TensorRole::Input, "an input");
  readTensors(object.optional("params"), TensorRole::Param, "a param");
  readTensors(object.required("outputs"), TensorRole::Output, "an output");
  readAttributes(object.optional("attrs"));
  bindNames();
  solveSizes();
  readSizes(object.optional("sizes"));
  checkOutputs();
  builder.setInsertionPointToStart(&op.getBlock());
  buildTensors();
  builder.setInsertionPointToEnd(&op.getBlock());

  readRequirements(object.optional("requires"));
  readScratch(object.optional("scratch"));
  readAliases(object.optional("aliases"));
  readImplementations(object.required("launches"), object.optional("variants"));
  backwards = readBackward(object.optional("backward"), diagnostics);
  refuse(object, {"align", "order", "repeat", "fusible"});
  object.finish();
  if (diagnostics.errorCount() != errorsBefore)
    return {};
  module.push_back(owner.release());
  return op;
}

void DeclarationReader::refuse(JsonObject &object, llvm::ArrayRef<llvm::StringLiteral> keys) {
  for (llvm::StringLiteral key : keys)
    if (JsonField field = object.optional(key))
      diagnostics.error(field->keyLocation(), "'" + key.str() + "' is not supported");
}

// "yolo.detect_decode": identifiers joined by dots.
std::string DeclarationReader::readOpName(const JsonField &field) {
  std::optional<std::string> name = readLabel(field);
  if (!name)
    return "";
  auto isWord = [](llvm::StringRef word) {
    return !word.empty() && !llvm::isDigit(word[0]) &&
           llvm::all_of(word, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  };
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(*name).split(words, '.');
  if (!llvm::all_of(words, isWord))
    error(field, "'" + *name + "' is not a name for an op")
        .suggest("words of letters, digits and '_', joined by dots: \"yolo.detect_decode\"");
  return *name;
}

//===-- Tensors
//---------------------------------------------------------------------------------===//

void DeclarationReader::readTensors(const JsonField &field, TensorRole role, const char *what) {
  std::optional<std::vector<JsonField>> list = field.array();
  if (list && list->empty() && role == TensorRole::Output)
    error(field, "an op has at least one output");
  for (const JsonField &element : list.value_or(std::vector<JsonField>())) {
    JsonObject object(element, what);
    if (!object)
      continue;
    JsonField nameField = object.required("name");
    JsonField dtypeField = object.required("dtype");
    Tensor tensor{role, nameField, dtypeField, "", "", "", {}};
    std::optional<std::string> name = readIdentifier(nameField);
    std::optional<std::string> dtype = dtypeField.string();
    readShape(object.required("shape"), tensor);
    refuse(object, {"align", "order", "repeat"});
    object.finish();
    if (!name || !names.add(*name, what, nameField->location(), diagnostics) || !dtype)
      continue;
    tensor.name = *name;
    tensor.dtype = *dtype;
    tensors.push_back(std::move(tensor));
    // An output's type may be an attribute, which is not read yet.
    if (role != TensorRole::Output)
      checkDtype(dtypeField, *dtype, dtypeVariables);
  }
}

void DeclarationReader::readShape(const JsonField &field, Tensor &tensor) {
  std::vector<JsonField> sizes = field.array().value_or(std::vector<JsonField>());
  if (!checkRank(field, sizes.size()))
    return;
  for (const JsonField &size : sizes) {
    llvm::StringRef text = size->isString() ? size->rawString() : llvm::StringRef();
    if (text.consume_front("*")) {
      if (&size != &sizes.front())
        error(size, "'*" + text.str() + "' stands for leading dims and can only come first");
      else if (!Expr::isName(text))
        error(size, "'" + text.str() + "' is not a name for leading dims");
      else
        tensor.leading = text.str();
      continue;
    }
    std::optional<Expr> expr = readExpr(size);
    if (!expr)
      continue;
    if (expr->constant().value_or(0) < 0)
      error(size, "a size cannot be negative, found " + size->describe());
    tensor.sizes.push_back({size, *expr, Expr::isName(text)});
  }
}

void DeclarationReader::bindName(const JsonField &field, const std::string &name) {
  if (names.what(name) == dimWhat)
    return;
  if (names.what(name) == attributeWhat) {
    error(field, "'" + name + "' is an attribute, so it cannot also name a size")
        .suggest("write '(" + name + ")' for a size that must equal the attribute");
    return;
  }
  names.add(name, dimWhat, field->location(), diagnostics);
}

// Names that the shapes of inputs and params bind.
void DeclarationReader::bindNames() {
  for (const Tensor &tensor : tensors) {
    if (tensor.role == TensorRole::Output)
      continue;
    if (!tensor.leading.empty())
      bindName(tensor.nameField, tensor.leading);
    for (const Size &size : tensor.sizes)
      if (size.isBinding)
        bindName(size.field, *size.expr.symbolName());
  }
}

// Expressions among the patterns bind the one name that is left unknown in them, in any order.
void DeclarationReader::solveSizes() {
  std::vector<const Size *> open;
  for (const Tensor &tensor : tensors)
    for (const Size &size : tensor.sizes)
      if (tensor.role != TensorRole::Output && !size.isBinding)
        open.push_back(&size);
  auto unknownNames = [&](const Size *size) {
    std::vector<std::string> unknown;
    for (const std::string &name : size->expr.symbols())
      if (names.what(name).empty())
        unknown.push_back(name);
    return unknown;
  };
  auto solve = [&](const Size *size) {
    std::vector<std::string> unknown = unknownNames(size);
    if (unknown.empty())
      return checkIntegers(size->field, size->expr), true;
    return unknown.size() == 1 && linearIn(size->expr, unknown[0]) &&
           names.add(unknown[0], dimWhat, size->field->location(), diagnostics);
  };
  for (size_t before = open.size() + 1; open.size() < before;) {
    before = open.size();
    llvm::erase_if(open, solve);
  }
  for (const Size *size : open)
    error(size->field, "cannot find " + listed(unknownNames(size)) + " from this size")
        .suggest("a size gives a name as N or a*N + b; all other names must come from other sizes "
                 "or attributes");
}

// {"OH": "(H - KH) // STRIDE + 1"}: names for expressions over the names before them.
void DeclarationReader::readSizes(const JsonField &field) {
  for (const JsonField &size : field.object().value_or(std::vector<JsonField>())) {
    std::string name = size->key().str();
    std::optional<Expr> expr = readKnownExpr(size);
    if (!Expr::isName(name) || dtypeByName(name))
      diagnostics.error(size->keyLocation(), "'" + name + "' is not a name for a size");
    else if (names.add(name, sizeWhat, size->keyLocation(), diagnostics) && expr)
      SizeOp::create(builder, size->keyLocation().toMLIR(context), name, exprAttr(*expr));
  }
}

void DeclarationReader::checkOutputs() {
  std::vector<std::string> types = dtypeVariables;
  for (const auto &[name, kind] : attrKinds)
    if (kind == AttrKind::DType)
      types.push_back(name.str());
  llvm::sort(types);
  llvm::StringSet<> leadings, boundTypes;
  for (const Tensor &tensor : tensors) {
    if (tensor.role != TensorRole::Output) {
      leadings.insert(tensor.leading);
      boundTypes.insert(tensor.dtype);
      continue;
    }
    for (const Size &size : tensor.sizes)
      checkIntegers(size.field, size.expr);
    if (!tensor.leading.empty() && !leadings.contains(tensor.leading))
      error(tensor.nameField, "no input or param has the leading dims '*" + tensor.leading + "'");
    bool known = checkDtype(tensor.dtypeField, tensor.dtype, types);
    // A type of an input that is misspelt is one mistake, not also a missing type.
    for (const auto &bound : boundTypes)
      known &=
          dtypeByName(std::string_view(bound.first())) || llvm::is_contained(types, bound.first());
    if (known && llvm::is_contained(dtypeVariables, tensor.dtype) &&
        !boundTypes.contains(tensor.dtype))
      error(tensor.dtypeField, "the type of output '" + tensor.name + "' is '" + tensor.dtype +
                                   "', which no input or param has");
  }
}

void DeclarationReader::buildTensors() {
  for (const Tensor &tensor : tensors) {
    std::vector<mlir::Attribute> shape;
    for (const Size &size : tensor.sizes)
      shape.push_back(exprAttr(size.expr));
    DeclareOp::create(builder, mlirLoc(tensor.nameField), tensor.role,
                      builder.getStringAttr(tensor.name), builder.getStringAttr(tensor.dtype),
                      tensor.leading.empty() ? mlir::StringAttr()
                                             : builder.getStringAttr(tensor.leading),
                      builder.getArrayAttr(shape));
  }
}

//===-- Names in expressions
//--------------------------------------------------------------------===//

const DeclarationReader::Tensor *DeclarationReader::findTensor(llvm::StringRef name) const {
  for (const Tensor &tensor : tensors)
    if (tensor.name == name)
      return &tensor;
  return nullptr;
}

std::vector<std::string> DeclarationReader::tensorNames(TensorRole role) const {
  std::vector<std::string> list;
  for (const Tensor &tensor : tensors)
    if (tensor.role == role)
      list.push_back(tensor.name);
  return list;
}

bool DeclarationReader::isInteger(llvm::StringRef name, bool types) const {
  llvm::StringRef what = names.what(name);
  if (what == attributeWhat) {
    AttrKind kind = attrKinds.lookup(name);
    return kind == AttrKind::Int || kind == AttrKind::Bool || (types && kind == AttrKind::DType);
  }
  return what == dimWhat || what == sizeWhat ||
         (types && (what == variableWhat || dtypeByName(std::string_view(name))));
}

bool DeclarationReader::checkIntegers(const JsonField &field, const Expr &expr, bool types) {
  auto candidates = [&] {
    std::vector<std::string> list;
    for (const std::string &name : names.names())
      if (isInteger(name, types))
        list.push_back(name);
    return list;
  };
  bool good = true;
  auto known = [&](llvm::StringRef name) {
    if (names.what(name).empty() || isInteger(name, types))
      return isInteger(name, types);
    good = false;
    std::string kind =
        names.what(name) == attributeWhat
            ? "an attribute of type " + stringifyAttrKind(attrKinds.lookup(name)).str()
            : names.what(name).str();
    error(field,
          "'" + name.str() + "' is " + kind + "; expressions are of dims and integer attributes");
    return true;
  };
  return checkNames(field, expr, "name", known, candidates) && good;
}

std::optional<Expr> DeclarationReader::readKnownExpr(const JsonField &field, bool types) {
  std::optional<Expr> expr = readExpr(field);
  return expr && checkIntegers(field, *expr, types) ? expr : std::nullopt;
}
