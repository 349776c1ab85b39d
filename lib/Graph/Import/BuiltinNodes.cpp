// Nodes of built-in kinds: tensors by position and by name, attributes by the table of the kind.
#include "Graph/Import/AttrValue.h"
#include "Graph/Import/GraphReader.h"

using namespace teeny;
using namespace teeny::graph;

// The declarations that carry the kind out come with the graph, since later phases read no files.
bool GraphReader::findUsedOps(const Node &node) {
  for (const std::string &name : node.kind->uses) {
    OpLibrary::Found found = library.find(name, node.opField->location());
    if (!found.exists)
      error(node.opField, "op '" + node.kind->name + "' needs the declaration of '" + name +
                              "', which is not there");
    if (!found.op)
      return false;
    library.keep(name);
  }
  return true;
}

void GraphReader::readKind(Node &node, const JsonField &inputs, const JsonField &params,
                           const JsonField &attrs) {
  mlir::NamedAttrList values;
  bool good = findUsedOps(node);
  good &= readKindInputs(node, inputs, values);
  good &= readKindParams(node, params);
  good &= readKindAttrs(node, attrs, values);
  node.attrs = values.getDictionary(context);
  if (!good)
    node.markInvalid();
}

bool GraphReader::readKindInputs(Node &node, const JsonField &field, mlir::NamedAttrList &attrs) {
  const NodeKind &kind = *node.kind;
  std::vector<JsonField> given = field.array().value_or(std::vector<JsonField>());
  if (field && !field->isArray())
    return false;
  size_t wanted = kind.inputs.size();
  bool isVariadic = kind.isVariadic();
  if (isVariadic ? given.size() < wanted : given.size() != wanted) {
    error(field ? field : node.nameField,
          "'" + kind.name + "' takes " + (isVariadic ? "at least " : "") +
              counted(wanted, "input") + " (" + listed(kind.inputs, false) + "), found " +
              std::to_string(given.size()));
    return false;
  }
  if (given.size() > maxOperands) {
    error(field, "a node takes at most " + std::to_string(maxOperands) + " inputs, found " +
                     std::to_string(given.size()));
    return false;
  }
  bool hasTensor = false;
  for (auto [index, input] : llvm::enumerate(given)) {
    std::string role = isVariadic ? "x" + std::to_string(index) : kind.inputs[index];
    if (kind.takesNumbers && (input->isInteger() || input->kind() == JsonValue::Kind::number)) {
      attrs.set(role, readKindAttr(input, {role, NodeAttribute::value}));
      continue;
    }
    hasTensor = true;
    node.operands.push_back(input);
    node.roles.push_back(role);
  }
  if (!hasTensor)
    error(field, "one input of '" + kind.name + "' must be a tensor");
  return hasTensor;
}

bool GraphReader::readKindParams(Node &node, const JsonField &field) {
  const NodeKind &kind = *node.kind;
  bool good = !field || field->isObject();
  std::vector<std::string> names, required;
  for (llvm::StringRef param : kind.params) {
    bool isOptional = param.consume_back("?");
    names.push_back(param.str());
    if (!isOptional)
      required.push_back(param.str());
  }
  std::vector<std::string> misspelt;
  for (const JsonField &param : field.object().value_or(std::vector<JsonField>())) {
    if (llvm::is_contained(names, param->key())) {
      node.operands.push_back(param);
      node.roles.push_back(param->key().str());
      continue;
    }
    misspelt.push_back(suggestion(param->key(), names));
    diagnostics
        .error(param->keyLocation(),
               "'" + kind.name + "' has no param '" + param->key().str() + "'")
        .didYouMean(misspelt.back());
    good = false;
  }
  for (const std::string &name : required) {
    if (llvm::is_contained(node.roles, name) || llvm::is_contained(misspelt, name))
      continue;
    error(field ? field : node.nameField,
          "node '" + node.name + "' does not give param '" + name + "' of '" + kind.name + "'");
    good = false;
  }
  return good;
}

bool GraphReader::readKindAttrs(Node &node, const JsonField &field, mlir::NamedAttrList &attrs) {
  const NodeKind &kind = *node.kind;
  bool good = !field || field->isObject();
  std::vector<std::string> names;
  for (const NodeAttribute &attribute : kind.attributes)
    names.push_back(attribute.name);
  for (const JsonField &given : field.object().value_or(std::vector<JsonField>())) {
    auto attribute = llvm::find(names, given->key());
    if (attribute == names.end()) {
      diagnostics
          .error(given->keyLocation(),
                 "'" + kind.name + "' has no attribute '" + given->key().str() + "'")
          .didYouMean(suggestion(given->key(), names));
      good = false;
      continue;
    }
    mlir::Attribute value = readKindAttr(given, kind.attributes[attribute - names.begin()]);
    if (value)
      attrs.set(given->key(), value);
    good &= bool(value);
    node.attrPlaces.emplace_back(given->key().str(), mlirLoc(given));
  }
  for (const NodeAttribute &attribute : kind.attributes) {
    if (!attribute.isRequired || (field && field->member(attribute.name)))
      continue;
    error(field ? field : node.nameField, "node '" + node.name + "' does not give attribute '" +
                                              attribute.name + "' of '" + kind.name + "'");
    good = false;
  }
  return good;
}

mlir::Attribute GraphReader::readKindAttr(const JsonField &field, const NodeAttribute &attribute) {
  switch (attribute.kind) {
  case NodeAttribute::integer:
    return readAttrValue(field, AttrKind::Int, context);
  case NodeAttribute::real:
    return readAttrValue(field, AttrKind::Float, context);
  case NodeAttribute::boolean:
    return readAttrValue(field, AttrKind::Bool, context);
  case NodeAttribute::dtype:
    return readAttrValue(field, AttrKind::DType, context);
  case NodeAttribute::value:
    if (field->isInteger())
      return builder.getI64IntegerAttr(field->rawInteger());
    return readAttrValue(field, AttrKind::Float, context);
  case NodeAttribute::text: {
    std::optional<std::string> word = field.string();
    if (word && llvm::is_contained(attribute.words, *word))
      return builder.getStringAttr(*word);
    if (word)
      error(field, field->called() + " must be one of " + listed(attribute.words) + ", found " +
                       field->describe())
          .didYouMean(suggestion(*word, attribute.words));
    return {};
  }
  case NodeAttribute::list: {
    std::vector<int64_t> values;
    if (field->isInteger())
      return builder.getDenseI64ArrayAttr({field->rawInteger()});
    std::optional<std::vector<JsonField>> items = field.array();
    for (const JsonField &item : items.value_or(std::vector<JsonField>()))
      if (std::optional<int64_t> value = item.integer())
        values.push_back(*value);
    if (!items || values.size() != items->size())
      return {};
    return builder.getDenseI64ArrayAttr(values);
  }
  case NodeAttribute::sizes: {
    // A single size stands alone.
    std::vector<JsonField> items = {field};
    if (field->isArray())
      items = *field.array();
    std::vector<mlir::Attribute> values;
    for (const JsonField &item : items) {
      std::optional<Expr> size = readExpr(item);
      auto known = [&](llvm::StringRef name) { return findDim(name) != nullptr; };
      if (size && checkNames(item, *size, "dim", known, [&] { return dimNames(); }))
        values.push_back(ExprAttr::get(context, *size));
    }
    if (values.size() != items.size())
      return {};
    return builder.getArrayAttr(values);
  }
  }
  llvm_unreachable("all kinds are listed");
}
