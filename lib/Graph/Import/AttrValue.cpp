#include "Graph/Import/AttrValue.h"

#include "Graph/Import/FormatReader.h"

#include "llvm/ADT/SmallString.h"

using namespace teeny;
using namespace teeny::graph;

mlir::Attribute teeny::readAttrValue(const JsonField &field, AttrKind kind,
                                     mlir::MLIRContext *context) {
  mlir::Builder builder(context);
  switch (kind) {
  case AttrKind::Int:
    if (std::optional<int64_t> value = field.integer())
      return builder.getI64IntegerAttr(*value);
    return {};
  case AttrKind::Float:
    if (std::optional<double> value = field.number())
      return builder.getF64FloatAttr(*value);
    return {};
  case AttrKind::Bool:
    if (std::optional<bool> value = field.boolean())
      return builder.getBoolAttr(*value);
    return {};
  case AttrKind::String:
    if (std::optional<std::string> value = field.string())
      return builder.getStringAttr(*value);
    return {};
  case AttrKind::DType:
    if (std::optional<std::string> value = field.string()) {
      if (std::optional<DType> dtype = dtypeByName(*value))
        return mlir::TypeAttr::get(typeOf(context, *dtype));
      field.reporter()
          .error(field->location(), "unknown type '" + *value + "'")
          .didYouMean(nearest(*value, typeNames()));
    }
    return {};
  }
  llvm_unreachable("all kinds are listed");
}

// Integers and floats compare as such; nothing else has a range.
static bool isLess(mlir::Attribute a, mlir::Attribute b) {
  if (auto x = llvm::dyn_cast<mlir::IntegerAttr>(a))
    return x.getInt() < llvm::cast<mlir::IntegerAttr>(b).getInt();
  return llvm::cast<mlir::FloatAttr>(a).getValueAsDouble() <
         llvm::cast<mlir::FloatAttr>(b).getValueAsDouble();
}

static std::string numberText(mlir::Attribute value) {
  if (auto integer = llvm::dyn_cast<mlir::IntegerAttr>(value))
    return std::to_string(integer.getInt());
  llvm::SmallString<32> text;
  llvm::cast<mlir::FloatAttr>(value).getValue().toString(text);
  return text.str().str();
}

bool teeny::checkAttrRange(const JsonField &field, mlir::Attribute value, mlir::Attribute min,
                           mlir::Attribute max) {
  std::string wrong;
  if (min && isLess(value, min))
    wrong = "at least " + numberText(min);
  else if (max && isLess(max, value))
    wrong = "at most " + numberText(max);
  if (wrong.empty())
    return true;
  field.reporter().error(field->location(),
                         field->called() + " must be " + wrong + ", found " + field->describe());
  return false;
}
