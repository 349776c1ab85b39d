// Syntax and checks of the attributes and of the tensor type.
#include "Graph/IR/ExprSyntax.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

// Of an expression that has no value because it is beyond the limits.
static constexpr StringLiteral tooLargeText = "<too large>";

void graph::printExprText(AsmPrinter &printer, ExprAttr expr) {
  StringRef text = expr.getText();
  bool bare = expr.isUnknown();
  if (!bare) {
    Expr value = expr.getExpr();
    bare = value.constant() || value.symbolName();
  }
  if (bare)
    printer << text;
  else
    printer << '"' << text << '"'; // no expression has characters to escape
}

ParseResult graph::parseExprText(AsmParser &parser, ExprAttr &expr) {
  SMLoc start = parser.getCurrentLocation();
  MLIRContext *context = parser.getContext();
  if (succeeded(parser.parseOptionalQuestion())) {
    expr = ExprAttr::unknown(context);
    return success();
  }
  StringRef word;
  std::string text;
  int64_t number;
  OptionalParseResult isNumber = parser.parseOptionalInteger(number);
  if (isNumber.has_value()) {
    if (failed(*isNumber))
      return failure();
    expr = ExprAttr::get(context, Expr(number));
    return success();
  }
  if (succeeded(parser.parseOptionalKeyword(&word)))
    text = word.str();
  else if (failed(parser.parseOptionalString(&text)))
    return parser.emitError(start, "expected an expression: an integer, a name, a string or ?");
  if (text == tooLargeText) {
    expr = ExprAttr::get(context, Expr(INT64_MAX) + 1);
    return success();
  }
  Result<Expr> value = Expr::parse(text);
  if (!value)
    return parser.emitError(start, "in expression '" + text + "': " + value.error().message);
  expr = ExprAttr::get(context, *value);
  return success();
}

void graph::printExprList(AsmPrinter &printer, ArrayRef<ExprAttr> exprs) {
  printer << '[';
  llvm::interleaveComma(exprs, printer, [&](ExprAttr expr) { printExprText(printer, expr); });
  printer << ']';
}

ParseResult graph::parseExprList(AsmParser &parser, SmallVectorImpl<ExprAttr> &exprs) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&] { return parseExprText(parser, exprs.emplace_back()); });
}

//===-- ExprAttr
//--------------------------------------------------------------------------------===//

std::string ExprAttr::textOf(const Expr &value) {
  std::string text = value.str();
  // Within its limits an expression may still have more text than can be read again.
  return value.tooLarge() || text.size() > Expr::maxText ? tooLargeText.str() : text;
}

ExprAttr ExprAttr::unknown(MLIRContext *context) { return get(context, StringRef("?")); }

Expr ExprAttr::getExpr() const {
  if (getText() == tooLargeText)
    return Expr(INT64_MAX) + 1;
  Result<Expr> value = Expr::parse(getText());
  assert(value && "an unknown size has no expression");
  return *value;
}

std::optional<int64_t> ExprAttr::getConstant() const {
  return isUnknown() ? std::nullopt : getExpr().constant();
}

LogicalResult ExprAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef text) {
  if (text == "?" || text == tooLargeText)
    return success();
  Result<Expr> value = Expr::parse(text);
  if (!value)
    return emitError() << "in expression '" << text << "': " << value.error().message;
  if (value->str() != text)
    return emitError() << "expression '" << text << "' is not in its canonical form '"
                       << value->str() << "'";
  return success();
}

Attribute ExprAttr::parse(AsmParser &parser, Type) {
  ExprAttr expr;
  if (parser.parseLess() || parseExprText(parser, expr) || parser.parseGreater())
    return {};
  return expr;
}

void ExprAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printExprText(printer, *this);
  printer << '>';
}

//===-- DimAttr
//---------------------------------------------------------------------------------===//

LogicalResult DimAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                              int64_t min, int64_t max, int64_t multipleOf) {
  Result<Expr> parsed = Expr::parse(name);
  if (!parsed || parsed->symbolName() != name.str())
    return emitError() << "'" << name << "' is not a name for a dim";
  if (min < 0 || max < min)
    return emitError() << "dim '" << name << "' has no values from " << min << " to " << max;
  if (multipleOf < 1)
    return emitError() << "dim '" << name << "' cannot be a multiple of " << multipleOf;
  return success();
}

//===-- GraphTensorType
//------------------------------------------------------------------------------===//

bool GraphTensorType::isKnown() const {
  return llvm::none_of(getShape(), [](ExprAttr size) { return size.isUnknown(); });
}

Expr GraphTensorType::elements() const {
  Expr product = 1;
  for (ExprAttr dim : getShape())
    product = product * dim.getExpr();
  return product;
}

LogicalResult GraphTensorType::verify(function_ref<InFlightDiagnostic()> emitError,
                                      ArrayRef<ExprAttr>, Type dtype) {
  if (dtypeOf(dtype))
    return success();
  return emitError() << dtype << " is not an element type of graphs";
}

Type GraphTensorType::parse(AsmParser &parser) {
  SMLoc start = parser.getCurrentLocation();
  SmallVector<ExprAttr> shape;
  Type dtype;
  if (parser.parseLess() || parseExprList(parser, shape) || parser.parseComma() ||
      parser.parseType(dtype) || parser.parseGreater())
    return {};
  return parser.getChecked<GraphTensorType>(start, parser.getContext(), ArrayRef(shape), dtype);
}

void GraphTensorType::print(AsmPrinter &printer) const {
  printer << '<';
  printExprList(printer, getShape());
  printer << ", " << getDtype() << '>';
}
