#include "Graph/IR/ExprSyntax.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

//===-- Custom syntax
//---------------------------------------------------------------------------===//

static ParseResult parseExpr(OpAsmParser &parser, ExprAttr &expr) {
  return parseExprText(parser, expr);
}
static void printExpr(OpAsmPrinter &printer, Operation *, ExprAttr expr) {
  printExprText(printer, expr);
}

static ArrayAttr toArray(MLIRContext *context, ArrayRef<ExprAttr> exprs) {
  return ArrayAttr::get(context, SmallVector<Attribute>(exprs.begin(), exprs.end()));
}
static SmallVector<ExprAttr> fromArray(ArrayAttr exprs) {
  return llvm::to_vector(exprs.getAsRange<ExprAttr>());
}

static ParseResult parseExprs(OpAsmParser &parser, ArrayAttr &exprs) {
  SmallVector<ExprAttr> list;
  if (parseExprList(parser, list))
    return failure();
  exprs = toArray(parser.getContext(), list);
  return success();
}
static void printExprs(OpAsmPrinter &printer, Operation *, ArrayAttr exprs) {
  printExprList(printer, fromArray(exprs));
}

// [*L, N, "2*M"]
static ParseResult parsePattern(OpAsmParser &parser, StringAttr &leading, ArrayAttr &shape) {
  SmallVector<ExprAttr> dims;
  bool first = true;
  auto element = [&]() -> ParseResult {
    if (std::exchange(first, false) && succeeded(parser.parseOptionalStar())) {
      StringRef name;
      if (parser.parseKeyword(&name))
        return failure();
      leading = parser.getBuilder().getStringAttr(name);
      return success();
    }
    return parseExprText(parser, dims.emplace_back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, element))
    return failure();
  shape = toArray(parser.getContext(), dims);
  return success();
}
static void printPattern(OpAsmPrinter &printer, Operation *, StringAttr leading, ArrayAttr shape) {
  printer << '[';
  if (leading)
    printer << '*' << leading.getValue() << (shape.empty() ? "" : ", ");
  llvm::interleaveComma(fromArray(shape), printer,
                        [&](ExprAttr dim) { printExprText(printer, dim); });
  printer << ']';
}

#define GET_OP_CLASSES
#include "Graph/IR/GraphOps.cpp.inc"

//===-- Names of values in text
//-----------------------------------------------------------------===//

void InputOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void ParamOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void ScratchOp::getAsmResultNames(OpAsmSetValueNameFn setName) { setName(getResult(), getName()); }
void CallOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getNumResults())
    setName(getResult(0), getName());
}
void LaunchOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (getNumResults())
    setName(getResult(0), getName());
}

//===-- GraphOp
//---------------------------------------------------------------------------------===//

DimAttr GraphOp::findDim(StringRef name) {
  for (auto dim : getDims().getAsRange<DimAttr>())
    if (dim.getName() == name)
      return dim;
  return {};
}

SymbolFacts GraphOp::factsOf(StringRef name) {
  DimAttr dim = findDim(name);
  if (!dim)
    return {};
  return {dim.getMin(), dim.getMax(), dim.getMultipleOf()};
}

LogicalResult GraphOp::verify() {
  llvm::StringSet<> dims;
  for (auto dim : getDims().getAsRange<DimAttr>())
    if (!dims.insert(dim.getName()).second)
      return emitOpError() << "has two dims '" << dim.getName() << "'";

  llvm::StringSet<> names;
  for (Operation &op : getBlock()) {
    auto name = op.getAttrOfType<StringAttr>("name");
    if (name && !names.insert(name.getValue()).second)
      return op.emitOpError() << "has the name '" << name.getValue() << "' of another";
    for (Value value : op.getResults()) {
      auto type = dyn_cast<GraphTensorType>(value.getType());
      if (!type)
        continue;
      for (ExprAttr size : type.getShape()) {
        if (size.isUnknown())
          continue;
        for (const std::string &symbol : size.getExpr().symbols())
          if (!dims.contains(symbol))
            return op.emitOpError() << "has a size with '" << symbol << "', which is no dim";
      }
    }
  }
  if (getBlock().empty() || !isa<OutputOp>(getBlock().back()))
    return emitOpError() << "must end with graph.output";
  return success();
}

LogicalResult OutputOp::verify() {
  if (getNames().size() != getNumOperands())
    return emitOpError() << "has " << getNumOperands() << " tensors and " << getNames().size()
                         << " names";
  return success();
}

//===-- OpOp
//------------------------------------------------------------------------------------===//

SmallVector<DeclareOp> OpOp::tensors(TensorRole role) {
  SmallVector<DeclareOp> found;
  for (auto tensor : getBlock().getOps<DeclareOp>())
    if (tensor.getRole() == role)
      found.push_back(tensor);
  return found;
}

SmallVector<DeclareOp> OpOp::operandTensors() {
  SmallVector<DeclareOp> all = tensors(TensorRole::Input);
  llvm::append_range(all, tensors(TensorRole::Param));
  return all;
}

AttributeOp OpOp::findAttribute(StringRef name) {
  for (auto attribute : getBlock().getOps<AttributeOp>())
    if (attribute.getName() == name)
      return attribute;
  return {};
}

//===-- CallOp
//----------------------------------------------------------------------------------===//

void CallOp::build(OpBuilder &builder, OperationState &state, TypeRange results, StringRef name,
                   StringRef callee, ValueRange operands, DictionaryAttr attrs,
                   DictionaryAttr bindings) {
  build(builder, state, results, builder.getStringAttr(name),
        FlatSymbolRefAttr::get(builder.getContext(), callee), operands, ValueRange(), attrs,
        bindings, StringAttr(), DictionaryAttr(), StringAttr());
}

LogicalResult CallOp::verifyRegions() {
  if (getEpilogue().empty())
    return getExtras().empty() ? success() : emitOpError() << "has extras and no epilogue";
  auto result = getNumResults() ? dyn_cast<GraphTensorType>(getResult(0).getType()) : nullptr;
  Block &block = getEpilogue().front();
  if (!result || !getEpilogue().hasOneBlock() || block.getNumArguments() != getExtras().size() + 1)
    return emitOpError() << "has an epilogue that does not take its first result and the extras";
  for (auto [extra, argument] : llvm::zip_equal(getExtras(), block.getArguments().drop_front()))
    if (tensorType(extra).getDtype() != argument.getType())
      return emitOpError() << "takes an element of type " << argument.getType() << " from "
                           << extra.getType();
  auto yield = block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValue().getType() != result.getDtype())
    return emitOpError() << "has an epilogue that must end with the yield of a "
                         << result.getDtype();
  return success();
}

OpOp CallOp::declaration() {
  return SymbolTable::lookupNearestSymbolFrom<OpOp>(*this, getCalleeAttr());
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto op = symbols.lookupNearestSymbolFrom<OpOp>(*this, getCalleeAttr());
  if (!op)
    return emitOpError() << "calls " << getCalleeAttr() << ", which is not declared";
  size_t operands = op.operandTensors().size(), results = op.tensors(TensorRole::Output).size();
  if (operands != getTensors().size() || results != getNumResults())
    return emitOpError() << "has " << getTensors().size() << " operands and " << getNumResults()
                         << " results, " << getCalleeAttr() << " declares " << operands << " and "
                         << results;
  for (auto attribute : op.getBlock().getOps<AttributeOp>())
    if (!getAttrs().contains(attribute.getName()))
      return emitOpError() << "has no value for attribute '" << attribute.getName() << "'";
  return success();
}

Type CallOp::resolveDtype(StringRef declared) {
  if (DictionaryAttr bound = getBindingsAttr())
    if (auto type = bound.getAs<TypeAttr>(declared))
      return type.getValue();
  if (auto type = getAttrs().getAs<TypeAttr>(declared))
    return type.getValue();
  std::optional<DType> dtype = dtypeByName(declared);
  return dtype ? typeOf(getContext(), *dtype) : Type();
}

Expr CallOp::resolve(const Expr &declared) {
  return declared.substitute([&](const std::string &name) -> std::optional<Expr> {
    if (DictionaryAttr bound = getBindingsAttr())
      if (auto expr = bound.getAs<ExprAttr>(name))
        return expr.getExpr();
    Attribute value = getAttrs().get(name);
    if (auto flag = dyn_cast_or_null<BoolAttr>(value))
      return Expr(flag.getValue());
    if (auto integer = dyn_cast_or_null<IntegerAttr>(value))
      return Expr(integer.getInt());
    if (Type type = resolveDtype(name))
      if (std::optional<DType> dtype = dtypeOf(type))
        return Expr(int64_t(*dtype));
    return std::nullopt;
  });
}

//===-- LaunchOp
//--------------------------------------------------------------------------------===//

LogicalResult LaunchOp::verify() {
  if (getVariants().empty())
    return emitOpError() << "has no variants";
  for (auto [index, variant] : llvm::enumerate(getVariants().getAsRange<VariantAttr>())) {
    bool isLast = index + 1 == getVariants().size();
    if (isLast && variant.getGuard().getConstant() != 1)
      return emitOpError() << "has a guard on its last variant";
    for (ArgAttr arg : variant.getArgs()) {
      int64_t count = arg.getKind() == ArgKind::Operand  ? getNumOperands()
                      : arg.getKind() == ArgKind::Result ? getNumResults()
                                                         : INT64_MAX;
      if (arg.getIndex() < 0 || arg.getIndex() >= count)
        return emitOpError() << "passes " << stringifyArgKind(arg.getKind()) << ' '
                             << arg.getIndex() << " of " << count;
    }
  }
  if (std::optional<ArrayRef<int64_t>> aliases = getAliases()) {
    if (aliases->size() != getNumResults())
      return emitOpError() << "has " << aliases->size() << " aliases for " << getNumResults()
                           << " results";
    for (int64_t operand : *aliases)
      if (operand < -1 || operand >= int64_t(getNumOperands()))
        return emitOpError() << "has no operand " << operand << " to alias";
  }
  return success();
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  for (auto variant : getVariants().getAsRange<VariantAttr>())
    if (!symbols.lookupNearestSymbolFrom(*this, variant.getKernel()))
      return emitOpError() << "runs " << variant.getKernel() << ", which does not exist";
  return success();
}
