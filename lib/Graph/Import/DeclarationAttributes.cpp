// Type variables and attributes of declarations.
#include "Graph/Import/DeclarationReader.h"

#include "Graph/Import/AttrValue.h"

using namespace teeny;
using namespace teeny::graph;

mlir::DictionaryAttr DeclarationReader::readDtypes(const JsonField &field) {
  mlir::NamedAttrList variables;
  for (const JsonField &variable : field.object().value_or(std::vector<JsonField>())) {
    std::string name = variable->key().str();
    if (!Expr::isName(name) || dtypeByName(name)) {
      diagnostics.error(variable->keyLocation(),
                        "'" + name + "' is not a name for a type variable");
      continue;
    }
    if (!names.add(name, variableWhat, variable->keyLocation(), diagnostics))
      continue;
    dtypeVariables.push_back(name);
    std::vector<mlir::Attribute> types;
    std::optional<std::vector<JsonField>> choices = variable.array();
    for (const JsonField &choice : choices.value_or(std::vector<JsonField>())) {
      std::optional<DType> dtype = readDtype(choice);
      if (!dtype)
        continue;
      mlir::Attribute type = mlir::TypeAttr::get(typeOf(context, *dtype));
      if (llvm::is_contained(types, type))
        error(choice, "type '" + choice->rawString().str() + "' is listed twice");
      types.push_back(type);
    }
    if (choices && choices->empty())
      error(variable, "type variable '" + name + "' has no types");
    variables.set(name, builder.getArrayAttr(types));
  }
  return variables.getDictionary(context);
}

//===-- Attributes
//------------------------------------------------------------------------------===//

void DeclarationReader::readAttributes(const JsonField &field) {
  for (const JsonField &attribute : field.object().value_or(std::vector<JsonField>()))
    readAttribute(attribute);
}

void DeclarationReader::readAttribute(const JsonField &field) {
  std::string name = field->key().str();
  JsonObject object(field, "an attribute");
  if (!object)
    return;
  if (!Expr::isName(name) || dtypeByName(name)) {
    diagnostics.error(field->keyLocation(), "'" + name + "' is not a name for an attribute");
    return;
  }
  if (!names.add(name, attributeWhat, field->keyLocation(), diagnostics))
    return;

  static const std::vector<std::string> kinds = {"int", "float", "bool", "string", "dtype"};
  JsonField typeField = object.required("type");
  JsonField defaultField = object.optional("default"), tuneField = object.optional("tune");
  JsonField minField = object.optional("min"), maxField = object.optional("max");
  std::optional<std::string> type = typeField.string();
  std::optional<AttrKind> kind = type ? symbolizeAttrKind(*type) : std::nullopt;
  if (type && !kind)
    error(typeField,
          "an attribute's type is one of " + listed(kinds, false) + "; found '" + *type + "'")
        .didYouMean(nearest(*type, kinds));
  object.finish();
  // An unknown type must not make its uses errors as well.
  attrKinds[name] = kind.value_or(AttrKind::Int);
  if (!kind)
    return;

  auto bound = [&](const JsonField &bound) -> mlir::Attribute {
    if (!bound)
      return {};
    if (*kind == AttrKind::Int || *kind == AttrKind::Float)
      return readAttrValue(bound, *kind, context);
    diagnostics.error(bound->keyLocation(),
                      "only numbers have a range; '" + name + "' is of type " + *type);
    return {};
  };
  mlir::Attribute min = bound(minField), max = bound(maxField);
  if (min && !checkAttrRange(minField, min, {}, max))
    return;
  auto value = [&](const JsonField &field) -> mlir::Attribute {
    mlir::Attribute found = readAttrValue(field, *kind, context);
    return found && checkAttrRange(field, found, min, max) ? found : mlir::Attribute();
  };
  mlir::Attribute defaultValue = defaultField ? value(defaultField) : mlir::Attribute();
  std::vector<mlir::Attribute> tune;
  for (const JsonField &choice : tuneField.array().value_or(std::vector<JsonField>()))
    if (mlir::Attribute found = value(choice))
      tune.push_back(found);
  AttributeOp::create(builder, field->keyLocation().toMLIR(context), name, *kind, defaultValue,
                      tuneField ? builder.getArrayAttr(tune) : mlir::ArrayAttr(), min, max);
}
