// What a call of a declared op needs and does: conditions, memory, launches of kernels.
#include "Graph/IR/ShippedFiles.h"
#include "Graph/Import/DeclarationReader.h"
#include "Support/Suggest.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Path.h"

using namespace teeny;
using namespace teeny::graph;

static std::vector<JsonField> elements(const JsonField &field) {
  return field.array().value_or(std::vector<JsonField>());
}

void DeclarationReader::readRequirements(const JsonField &field) {
  for (const JsonField &element : elements(field)) {
    JsonObject object(element, "a requirement");
    JsonField conditionField = object.required("condition");
    std::optional<Expr> condition = readKnownExpr(conditionField);
    std::optional<std::string> message = object.required("message").string();
    object.finish();
    if (condition && message)
      RequireOp::create(builder, mlirLoc(conditionField), exprAttr(*condition), *message);
  }
}

void DeclarationReader::readScratch(const JsonField &field) {
  for (const JsonField &element : elements(field)) {
    JsonObject object(element, "a scratch");
    JsonField nameField = object.required("name");
    std::optional<std::string> name = readIdentifier(nameField);
    std::optional<Expr> bytes = readKnownExpr(object.required("bytes"));
    bool zeroed = object.optional("zeroed").boolean().value_or(false);
    object.finish();
    if (name && names.add(*name, "a scratch", nameField->location(), diagnostics) && bytes)
      DeclareScratchOp::create(builder, mlirLoc(nameField), *name, exprAttr(*bytes), zeroed);
  }
}

// {"out": "x"}: output `out` takes over the memory of input `x`.
void DeclarationReader::readAliases(const JsonField &field) {
  for (const JsonField &alias : field.object().value_or(std::vector<JsonField>())) {
    const Tensor *output = findTensor(alias->key());
    if (!output || output->role != TensorRole::Output)
      diagnostics.error(alias->keyLocation(), "no output '" + alias->key().str() + "'")
          .didYouMean(suggestion(alias->key(), tensorNames(TensorRole::Output)));
    std::optional<std::string> name = alias.string();
    if (!name)
      continue;
    const Tensor *input = findTensor(*name);
    if (!input || input->role != TensorRole::Input)
      error(alias, "no input '" + *name + "'")
          .didYouMean(suggestion(*name, tensorNames(TensorRole::Input)));
    else if (output && (input->dtype != output->dtype || !sameShape(*input, *output)))
      error(alias, "output '" + output->name + "' has not the type and shape of '" + *name + "'")
          .note(output->nameField->location(), "the output is declared here");
    AliasOp::create(builder, mlirLoc(alias), alias->key(), *name);
  }
}

bool DeclarationReader::sameShape(const Tensor &a, const Tensor &b) const {
  return a.leading == b.leading &&
         std::equal(a.sizes.begin(), a.sizes.end(), b.sizes.begin(), b.sizes.end(),
                    [](const Size &x, const Size &y) { return x.expr.equal(y.expr); });
}

// Variants in order, then "launches" for where none of their conditions holds.
void DeclarationReader::readImplementations(const JsonField &launches, const JsonField &variants) {
  auto implementation = [&](const JsonField &place, ExprAttr when, const JsonField &list) {
    auto op = ImplementationOp::create(builder, mlirLoc(place), when);
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&op.getBody().emplaceBlock());
    readLaunches(list);
  };
  for (const JsonField &element : elements(variants)) {
    JsonObject object(element, "a variant");
    JsonField whenField = object.required("when"), list = object.required("launches");
    std::optional<Expr> when = readKnownExpr(whenField, /*types=*/true);
    object.finish();
    if (when && list)
      implementation(whenField, exprAttr(*when), list);
  }
  if (launches)
    implementation(launches, {}, launches);
}

void DeclarationReader::readLaunches(const JsonField &field) {
  std::optional<std::vector<JsonField>> list = field.array();
  if (list && list->empty())
    error(field, "'launches' must name at least one kernel");
  for (const JsonField &launch : list.value_or(std::vector<JsonField>()))
    readLaunch(launch);
}

void DeclarationReader::readLaunch(const JsonField &field) {
  JsonObject object(field, "a launch");
  if (!object)
    return;
  JsonField kernelField = object.required("kernel"), gridField = object.required("grid");
  auto kernel = readKernelName(kernelField);
  std::vector<mlir::Attribute> grid;
  std::optional<std::vector<JsonField>> sizes = gridField.array();
  if (sizes && (sizes->empty() || sizes->size() > 3))
    error(gridField, "a grid has 1 to 3 sizes, found " + std::to_string(sizes->size()));
  for (const JsonField &size : sizes.value_or(std::vector<JsonField>()))
    if (std::optional<Expr> expr = readKnownExpr(size))
      grid.push_back(exprAttr(*expr));
  JsonField argsField = object.optional("args");
  mlir::DictionaryAttr args = readArgs(argsField);
  // As in the kernel language where a launch says nothing.
  JsonField warpsField = object.optional("num_warps"), stagesField = object.optional("num_stages");
  std::optional<int64_t> numWarps = warpsField ? readNumWarps(warpsField) : 4;
  std::optional<int64_t> numStages = stagesField ? stagesField.integer(1, 16) : 3;
  object.finish();
  if (!kernel || !numWarps || !numStages)
    return;
  // The place of the kernel's name, and those of its arguments behind it.
  llvm::SmallVector<mlir::Location> places = {mlirLoc(kernelField)};
  if (argsField && argsField->isObject())
    for (const JsonValue *arg : argsField->children())
      places.push_back(mlirLoc({arg, diagnostics}));
  KernelOp::create(builder, mlir::FusedLoc::get(context, places), kernel->second, kernel->first,
                   builder.getArrayAttr(grid), args, int32_t(*numWarps), int32_t(*numStages));
}

std::optional<int64_t> DeclarationReader::readNumWarps(const JsonField &field) {
  std::optional<int64_t> warps = field.integer(1, 32);
  if (!warps)
    return std::nullopt;
  if (!llvm::isPowerOf2_64(*warps)) {
    error(field, "'num_warps' must be a power of two, found " + field->describe());
    return std::nullopt;
  }
  return warps;
}

// "file.py::function" as file and function; the file must exist.
std::optional<std::pair<std::string, std::string>>
DeclarationReader::readKernelName(const JsonField &field) {
  std::optional<std::string> text = field.string();
  if (!text)
    return std::nullopt;
  auto [file, function] = llvm::StringRef(*text).split("::");
  llvm::StringRef extension = llvm::sys::path::extension(file);
  llvm::SmallString<128> full = llvm::sys::path::parent_path(field->location().source->name);
  llvm::sys::path::append(full, file);
  if (file.empty() || !Expr::isName(function))
    error(field, "a kernel is \"file.py::function\", found " + field->describe());
  else if (extension == ".cu" || extension == ".ptx")
    error(field, "kernels in '" + extension.str() + "' files are not supported")
        .suggest("write the kernel in the kernel language, in a '.py' file");
  else if (extension != ".py")
    error(field, "a kernel's file ends with '.py', found '" + file.str() + "'");
  else if (llvm::sys::path::is_absolute(file))
    error(field,
          "a kernel's file is given relative to the declaration, found '" + file.str() + "'");
  else if (findShippedFile(full))
    return std::pair(file.str(), function.str());
  else if (!llvm::sys::fs::exists(full))
    error(field, "no kernel file '" + full.str().str() + "'")
        .didYouMean(diagnostics.isFull() ? "" : nearestFile(full));
  else if (llvm::sys::fs::is_directory(full))
    error(field, "the kernel file '" + full.str().str() + "' is a folder");
  else
    return std::pair(file.str(), function.str());
  return std::nullopt;
}

mlir::DictionaryAttr DeclarationReader::readArgs(const JsonField &field) {
  mlir::NamedAttrList args;
  for (const JsonField &arg : field.object().value_or(std::vector<JsonField>())) {
    if (!Expr::isName(std::string_view(arg->key())))
      diagnostics.error(arg->keyLocation(),
                        "'" + arg->key().str() + "' is not a name for a kernel parameter");
    else if (mlir::Attribute value = readArg(arg))
      args.set(arg->key(), value);
  }
  return args.getDictionary(context);
}

// Names of what is no integer stay names; all else that is text is an expression.
mlir::Attribute DeclarationReader::readArg(const JsonField &field) {
  switch (field->kind()) {
  case JsonValue::Kind::boolean:
    return builder.getBoolAttr(field->rawBoolean());
  case JsonValue::Kind::number:
    return builder.getF64FloatAttr(field->rawNumber());
  case JsonValue::Kind::integer:
    return exprAttr(field->rawInteger());
  case JsonValue::Kind::string: {
    llvm::StringRef text = field->rawString();
    if (names.contains(text) && !isInteger(text))
      return builder.getStringAttr(text);
    if (std::optional<Expr> expr = readKnownExpr(field))
      return exprAttr(*expr);
    return {};
  }
  default:
    error(field, field->called() + " must be a name, an expression or a number, found " +
                     field->describe());
    return {};
  }
}
