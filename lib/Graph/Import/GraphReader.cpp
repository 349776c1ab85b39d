#include "Graph/Import/GraphReader.h"

#include "Graph/Import/Import.h"
#include "Support/Suggest.h"

#include "llvm/ADT/StringSet.h"

using namespace teeny;
using namespace teeny::graph;

static constexpr int64_t formatVersion = 1;

void GraphReader::read(const JsonField &root) {
  JsonObject object(root, "the graph");
  if (!object)
    return;
  JsonField versionField = object.optional("teeny");
  if (!versionField) {
    Diagnostic &noGraph =
        error(root, "this is no graph file: it has no \"teeny\": " + std::to_string(formatVersion));
    if (object.optional("op"))
      noGraph.suggest("it declares an op; a graph that calls the op names this file in \"ops\"");
    return;
  }
  std::optional<int64_t> version = versionField.integer();
  if (version && version != formatVersion)
    error(versionField, "format version " + std::to_string(*version) + " is not supported")
        .suggest("this compiler reads version " + std::to_string(formatVersion));
  if (version != formatVersion)
    return;

  object.optional("$schema").string(); // for editors
  std::optional<std::string> name = readLabel(object.required("name"));
  std::optional<std::string> doc = object.optional("doc").string();
  auto graph = GraphOp::create(builder, mlirLoc(root), name.value_or(""), builder.getArrayAttr({}));
  module.push_back(graph);
  builder.setInsertionPointToEnd(&graph.getBody().emplaceBlock());

  unsigned errorsBefore = diagnostics.errorCount();
  readDims(object.optional("dims"));
  readInputs(object.optional("inputs"));
  readParams(object.optional("params"));
  graph.setDimsAttr(finishDims());
  library.readList(object.optional("ops"));
  readNodes(object.optional("nodes"));
  library.checkBackwards();
  buildCalls();
  readOutputs(object.required("outputs"));
  for (const char *key : {"gradients", "precision"})
    if (JsonField field = object.optional(key))
      diagnostics.error(field->keyLocation(), "'" + std::string(key) + "' is not supported");
  object.finish();
  if (diagnostics.errorCount() == errorsBefore)
    warnOfUnused();

  // Declarations that nothing calls were checked; the module does without them.
  llvm::StringSet<> called;
  for (auto call : graph.getBlock().getOps<CallOp>())
    called.insert(call.getCallee());
  for (OpOp op : llvm::make_early_inc_range(module.getOps<OpOp>()))
    if (!called.contains(op.getSymName()) && !library.isKept(op.getSymName()))
      op.erase();
}

// What takes part in no output may be a reference forgotten elsewhere.
void GraphReader::warnOfUnused() {
  auto isUnused = [](mlir::Operation *op) { return op->getNumResults() > 0 && op->use_empty(); };
  for (auto [nameField, param] : params)
    if (isUnused(param))
      diagnostics.warning(nameField->location(), "no node reads param '" + param.getName().str() +
                                                     "': the bundle is made without it");
  for (const Node &node : nodes)
    if (isUnused(node.made))
      diagnostics.warning(node.nameField->location(),
                          "neither a node nor the graph's outputs take what '" + node.name +
                              "' computes: it is left out");
}

//===-- Dims
//------------------------------------------------------------------------------------===//

void GraphReader::readDims(const JsonField &field) {
  for (const JsonField &dim : field.object().value_or(std::vector<JsonField>()))
    readDim(dim);
}

void GraphReader::readDim(const JsonField &field) {
  std::string name = field->key().str();
  JsonObject object(field, "a dim");
  if (!object)
    return;
  if (!Expr::isName(name)) {
    diagnostics.error(field->keyLocation(), "'" + name + "' is not a name for a dim")
        .suggest("letters, digits and '_', not beginning with a digit, and no word of the "
                 "expression language");
    return;
  }
  JsonField minField = object.optional("min"), maxField = object.optional("max");
  JsonField multipleField = object.optional("multiple_of");
  // What a dim may be where the graph does not say: anything that 32 bits hold.
  int64_t min = minField.integer(0, INT64_MAX).value_or(0);
  int64_t max = maxField.integer(0, INT64_MAX).value_or(std::max<int64_t>(min, INT32_MAX));
  int64_t multiple = multipleField.integer(1, INT64_MAX).value_or(1);
  object.finish();
  if (max < min)
    error(maxField, "'max' is less than 'min', " + std::to_string(min));
  else if (max / multiple * multiple < min)
    error(multipleField, "no value from " + std::to_string(min) + " to " + std::to_string(max) +
                             " is a multiple of " + std::to_string(multiple));
  dimIndices[name] = dims.size();
  dims.push_back({name, field, min, std::max(min, max), multiple});
}

GraphReader::Dim *GraphReader::findDim(llvm::StringRef name) {
  auto found = dimIndices.find(name);
  return found == dimIndices.end() ? nullptr : &dims[found->second];
}

std::vector<std::string> GraphReader::dimNames() const {
  std::vector<std::string> list;
  for (const Dim &dim : dims)
    list.push_back(dim.name);
  return list;
}

mlir::ArrayAttr GraphReader::finishDims() {
  std::vector<mlir::Attribute> list;
  for (const Dim &dim : dims) {
    if (!dim.isUsed) {
      diagnostics.warning(dim.field->keyLocation(),
                          "no input or param has a size with dim '" + dim.name + "'");
      continue;
    }
    if (!dim.isSolved && dim.min != dim.max)
      error(dim.firstUse, "dim '" + dim.name + "' does not follow from the inputs")
          .note(dim.field->keyLocation(), "it is declared here")
          .suggest("one size of an input must be " + dim.name + " or a*" + dim.name + " + b");
    list.push_back(DimAttr::get(context, dim.name, dim.min, dim.max, dim.multipleOf));
  }
  return builder.getArrayAttr(list);
}

//===-- Entry points
//----------------------------------------------------------------------------===//

mlir::OwningOpRef<mlir::ModuleOp> teeny::importGraph(mlir::MLIRContext *context,
                                                     llvm::StringRef path, Sources &sources,
                                                     Diagnostics &diagnostics,
                                                     const ImportOptions &options) {
  std::string reason;
  const Source *source = sources.readFile(path, reason, maxGraphBytes);
  if (source)
    return importGraph(context, source, sources, diagnostics, options);
  diagnostics.error({}, "cannot read graph '" + path.str() + "': " + reason)
      .didYouMean(nearestFile(path));
  return {};
}

mlir::OwningOpRef<mlir::ModuleOp> teeny::importGraph(mlir::MLIRContext *context,
                                                     const Source *source, Sources &sources,
                                                     Diagnostics &diagnostics,
                                                     const ImportOptions &options) {
  context->loadDialect<GraphDialect>();
  std::unique_ptr<JsonDocument> document = parseJson(source, diagnostics);
  if (!document)
    return {};
  unsigned errorsBefore = diagnostics.errorCount();
  JsonField root(&document->root(), diagnostics);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(root->location().toMLIR(context));
  GraphReader(*module, sources, diagnostics, options.opRoots).read(root);
  if (diagnostics.errorCount() != errorsBefore)
    return {};
  return module;
}

mlir::OwningOpRef<mlir::ModuleOp> teeny::importDeclaration(mlir::MLIRContext *context,
                                                           const Source *source, Sources &sources,
                                                           Diagnostics &diagnostics) {
  context->loadDialect<GraphDialect>();
  unsigned errorsBefore = diagnostics.errorCount();
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(mlir::FileLineColLoc::get(context, source->name, 1, 1));
  OpLibrary library(*module, sources, diagnostics, {});
  library.readText(source);
  library.checkBackwards();
  if (diagnostics.errorCount() != errorsBefore)
    return {};
  return module;
}

mlir::OwningOpRef<mlir::ModuleOp> teeny::importAllDeclarations(mlir::MLIRContext *context,
                                                               llvm::ArrayRef<std::string> roots,
                                                               Sources &sources,
                                                               Diagnostics &diagnostics) {
  context->loadDialect<GraphDialect>();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(mlir::UnknownLoc::get(context));
  OpLibrary library(*module, sources, diagnostics, roots);
  library.readAll();
  library.checkBackwards();
  return module;
}
