// Syntax and checks of the attributes of launches.
#include "Graph/IR/ExprSyntax.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

//===-- ArgAttr
//---------------------------------------------------------------------------------===//

static ArgAttr makeArg(MLIRContext *context, ArgKind kind, int64_t index, const Expr &expr,
                       double real) {
  return ArgAttr::get(context, kind, index, ExprAttr::get(context, expr),
                      FloatAttr::get(Float64Type::get(context), real));
}

ArgAttr ArgAttr::operand(MLIRContext *context, int64_t index, const Expr &offset) {
  return makeArg(context, ArgKind::Operand, index, offset, 0);
}
ArgAttr ArgAttr::result(MLIRContext *context, int64_t index, const Expr &offset) {
  return makeArg(context, ArgKind::Result, index, offset, 0);
}
ArgAttr ArgAttr::integer(MLIRContext *context, const Expr &value) {
  return makeArg(context, ArgKind::Integer, 0, value, 0);
}
ArgAttr ArgAttr::real(MLIRContext *context, double value) {
  return makeArg(context, ArgKind::Real, 0, 0, value);
}

static ParseResult parseArg(AsmParser &parser, ArgAttr &arg) {
  MLIRContext *context = parser.getContext();
  StringRef word;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  std::optional<ArgKind> kind = symbolizeArgKind(word);
  if (!kind)
    return parser.emitError(start, "expected operand, result, int or real");
  int64_t index = 0;
  ExprAttr expr = ExprAttr::get(context, Expr(0));
  double real = 0;
  switch (*kind) {
  case ArgKind::Operand:
  case ArgKind::Result:
    if (parser.parseInteger(index))
      return failure();
    if (succeeded(parser.parseOptionalPlus()) && parseExprText(parser, expr))
      return failure();
    break;
  case ArgKind::Integer:
    if (parseExprText(parser, expr))
      return failure();
    break;
  case ArgKind::Real:
    if (parser.parseFloat(real))
      return failure();
    break;
  }
  if (expr.isUnknown())
    return parser.emitError(start, "an argument needs a known expression");
  arg = ArgAttr::get(context, *kind, index, expr, FloatAttr::get(Float64Type::get(context), real));
  return success();
}

static void printArg(AsmPrinter &printer, ArgAttr arg) {
  printer << stringifyArgKind(arg.getKind()) << ' ';
  switch (arg.getKind()) {
  case ArgKind::Operand:
  case ArgKind::Result:
    printer << arg.getIndex();
    if (arg.getExpr().getConstant() != 0) {
      printer << " + ";
      printExprText(printer, arg.getExpr());
    }
    break;
  case ArgKind::Integer:
    printExprText(printer, arg.getExpr());
    break;
  case ArgKind::Real:
    printer.printFloat(arg.getReal().getValue());
    break;
  }
}

Attribute ArgAttr::parse(AsmParser &parser, Type) {
  ArgAttr arg;
  if (parser.parseLess() || parseArg(parser, arg) || parser.parseGreater())
    return {};
  return arg;
}

void ArgAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printArg(printer, *this);
  printer << '>';
}

//===-- VariantAttr
//-----------------------------------------------------------------------------===//

LogicalResult VariantAttr::verify(function_ref<InFlightDiagnostic()> emitError, ExprAttr guard,
                                  FlatSymbolRefAttr, ArrayRef<ExprAttr> grid, ArrayRef<ArgAttr>) {
  if (grid.size() != 3)
    return emitError() << "a grid has 3 sizes, found " << grid.size();
  if (guard.isUnknown() || llvm::any_of(grid, [](ExprAttr size) { return size.isUnknown(); }))
    return emitError() << "a variant needs known expressions";
  return success();
}

Attribute VariantAttr::parse(AsmParser &parser, Type) {
  MLIRContext *context = parser.getContext();
  SMLoc start = parser.getCurrentLocation();
  ExprAttr guard = ExprAttr::get(context, Expr(1));
  FlatSymbolRefAttr kernel;
  StringAttr symbol;
  SmallVector<ExprAttr> grid;
  SmallVector<ArgAttr> args;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("when")) && parseExprText(parser, guard))
    return {};
  if (parser.parseKeyword("run") || parser.parseSymbolName(symbol) || parser.parseKeyword("grid") ||
      parseExprList(parser, grid) || parser.parseKeyword("args") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&] { return parseArg(parser, args.emplace_back()); }) ||
      parser.parseGreater())
    return {};
  kernel = FlatSymbolRefAttr::get(symbol);
  return parser.getChecked<VariantAttr>(start, context, guard, kernel, ArrayRef(grid),
                                        ArrayRef(args));
}

void VariantAttr::print(AsmPrinter &printer) const {
  printer << '<';
  if (getGuard().getConstant() != 1) {
    printer << "when ";
    printExprText(printer, getGuard());
    printer << ' ';
  }
  printer << "run " << getKernel() << " grid ";
  printExprList(printer, getGrid());
  printer << " args [";
  llvm::interleaveComma(getArgs(), printer, [&](ArgAttr arg) { printArg(printer, arg); });
  printer << "]>";
}
