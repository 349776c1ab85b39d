#include "Driver/OpDescription.h"

#include "Graph/IR/Graph.h"
#include "Graph/IR/NodeKinds.h"
#include "Support/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <charconv>

using namespace teeny;
using namespace teeny::graph;

using Value = OpDescription::Value;

//===-- Declared ops ------------------------------------------------------------------------===//

static std::string dtypeText(mlir::Attribute type) {
  return teeny::name(*dtypeOf(llvm::cast<mlir::TypeAttr>(type).getValue()));
}

static Value valueOf(mlir::Attribute attr) {
  if (auto flag = llvm::dyn_cast<mlir::BoolAttr>(attr))
    return {flag.getValue() ? "true" : "false"};
  if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(attr))
    return {std::to_string(integer.getInt())};
  if (auto real = llvm::dyn_cast<mlir::FloatAttr>(attr)) {
    char text[32];
    double value = real.getValueAsDouble();
    return {{text, std::to_chars(text, text + sizeof(text), value).ptr}};
  }
  if (llvm::isa<mlir::TypeAttr>(attr))
    return {'"' + dtypeText(attr) + '"'};
  std::string text;
  llvm::raw_string_ostream(text) << llvm::json::Value(
      llvm::json::fixUTF8(llvm::cast<mlir::StringAttr>(attr).getValue()));
  return {text};
}

static std::string shapeOf(DeclareOp tensor) {
  std::vector<std::string> sizes;
  if (std::optional<llvm::StringRef> leading = tensor.getLeading())
    sizes.push_back("*" + leading->str());
  for (auto size : tensor.getShape().getAsRange<ExprAttr>())
    sizes.push_back(size.getExpr().str());
  return "[" + llvm::join(sizes, ", ") + "]";
}

static OpDescription::Attribute describe(AttributeOp attribute) {
  OpDescription::Attribute result;
  result.name = attribute.getName().str();
  result.type = stringifyAttrKind(attribute.getKind()).str();
  if (mlir::Attribute value = attribute.getDefaultValueAttr())
    result.otherwise = valueOf(value);
  else
    result.isRequired = true;
  if (mlir::ArrayAttr tune = attribute.getTuneAttr())
    for (mlir::Attribute value : tune)
      result.tune.push_back(valueOf(value));
  if (mlir::Attribute min = attribute.getMinAttr())
    result.min = valueOf(min).text;
  if (mlir::Attribute max = attribute.getMaxAttr())
    result.max = valueOf(max).text;
  return result;
}

static OpDescription::Implementation describe(ImplementationOp implementation) {
  OpDescription::Implementation result;
  if (ExprAttr when = implementation.getWhenAttr())
    result.when = when.getExpr().str();
  for (auto kernel : implementation.getBody().front().getOps<KernelOp>()) {
    OpDescription::Launch launch{kernel.getFile().str() + "::" + kernel.getFunction().str(),
                                 {},
                                 kernel.getNumWarps(),
                                 kernel.getNumStages()};
    for (auto size : kernel.getGrid().getAsRange<ExprAttr>())
      launch.grid.push_back(size.getExpr().str());
    result.launches.push_back(std::move(launch));
  }
  return result;
}

static OpDescription describe(OpOp op, const Sources &sources) {
  OpDescription result;
  result.name = op.getSymName().str();
  result.doc = op.getDoc().value_or("").str();
  SourceLocation place = fromMLIR(op.getLoc(), sources);
  result.file = place.source ? place.source->name : "";
  result.line = place.line;
  for (mlir::NamedAttribute variable : op.getDtypes()) {
    auto &types = result.dtypes.emplace_back(variable.getName().str(), std::vector<std::string>());
    for (mlir::Attribute type : llvm::cast<mlir::ArrayAttr>(variable.getValue()))
      types.second.push_back(dtypeText(type));
  }
  auto tensors = [&](TensorRole role) {
    std::vector<OpDescription::Tensor> list;
    for (DeclareOp tensor : op.tensors(role))
      list.push_back({tensor.getName().str(), tensor.getDtype().str(), shapeOf(tensor)});
    return list;
  };
  result.inputs = tensors(TensorRole::Input);
  result.params = tensors(TensorRole::Param);
  result.outputs = tensors(TensorRole::Output);
  for (mlir::Operation &part : op.getBlock()) {
    if (auto attribute = llvm::dyn_cast<AttributeOp>(part))
      result.attributes.push_back(describe(attribute));
    if (auto size = llvm::dyn_cast<SizeOp>(part))
      result.sizes.emplace_back(size.getName().str(), size.getValue().getExpr().str());
    if (auto require = llvm::dyn_cast<RequireOp>(part))
      result.requirements.emplace_back(require.getCondition().getExpr().str(),
                                       require.getMessage().str());
    if (auto scratch = llvm::dyn_cast<DeclareScratchOp>(part))
      result.scratch.emplace_back(scratch.getName().str(), scratch.getBytes().getExpr().str());
    if (auto alias = llvm::dyn_cast<AliasOp>(part))
      result.aliases.emplace_back(alias.getOutput().str(), alias.getInput().str());
    if (auto implementation = llvm::dyn_cast<ImplementationOp>(part))
      result.implementations.push_back(describe(implementation));
  }
  return result;
}

//===-- Typed ops ---------------------------------------------------------------------------===//

static const char *typeText(NodeAttribute::Kind kind) {
  switch (kind) {
  case NodeAttribute::integer:
    return "int";
  case NodeAttribute::real:
    return "float";
  case NodeAttribute::boolean:
    return "bool";
  case NodeAttribute::text:
    return "string";
  case NodeAttribute::dtype:
    return "dtype";
  case NodeAttribute::list:
    return "int or [int]";
  case NodeAttribute::sizes:
    return "size or [size]";
  case NodeAttribute::value:
    return "number";
  }
  llvm_unreachable("all kinds are listed");
}

static bool isJson(const std::string &text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (value)
    return true;
  llvm::consumeError(value.takeError());
  return false;
}

static OpDescription describe(const NodeKind &kind) {
  static constexpr const char *domains[] = {"floats", "numbers", "integers and bool", "bool",
                                            "any type"};
  OpDescription result;
  result.name = kind.name;
  result.doc = kind.doc;
  result.isTyped = true;
  result.domain = domains[kind.domain];
  result.shapes = kind.shapes;
  result.uses = kind.uses;
  for (llvm::StringRef name : kind.inputs) {
    bool isVariadic = name.consume_back("...");
    result.inputs.push_back({name.str(), "", "", false, isVariadic});
  }
  for (llvm::StringRef name : kind.params) {
    bool isOptional = name.consume_back("?");
    result.params.push_back({name.str(), "", "", isOptional, false});
  }
  for (const NodeAttribute &given : kind.attributes) {
    OpDescription::Attribute attribute;
    attribute.name = given.name;
    attribute.type = typeText(given.kind);
    attribute.isRequired = given.isRequired;
    attribute.otherwise = {given.otherwise, isJson(given.otherwise)};
    for (const std::string &word : given.words)
      attribute.choices.push_back({'"' + word + '"'});
    result.attributes.push_back(std::move(attribute));
  }
  return result;
}

std::vector<OpDescription> teeny::describeOps(mlir::ModuleOp module, const Sources &sources) {
  std::vector<OpDescription> ops;
  for (const NodeKind &kind : nodeKinds())
    ops.push_back(describe(kind));
  size_t typed = ops.size();
  for (auto op : module.getOps<OpOp>())
    ops.push_back(describe(op, sources));
  std::sort(ops.begin() + typed, ops.end(),
            [](const OpDescription &a, const OpDescription &b) { return a.name < b.name; });
  return ops;
}
