#include "Conversion/GraphToTile/CallNames.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace teeny;

CallNames::CallNames(graph::CallOp call) : call(call) {
  graph::OpOp declaration = call.declaration();
  for (graph::DeclareOp tensor : declaration.operandTensors())
    tensorNames.push_back(tensor.getName().str());
  for (graph::DeclareOp tensor : declaration.tensors(graph::TensorRole::Output))
    tensorNames.push_back(tensor.getName().str());
  for (auto scratch : declaration.getBlock().getOps<graph::DeclareScratchOp>())
    tensorNames.push_back(scratch.getName().str());
  for (size_t index = 0; index < call.getExtras().size(); ++index)
    tensorNames.push_back(extraName(index));
}

std::string teeny::extraName(size_t index) { return "epilogue.x" + std::to_string(index + 1); }

static NamedValue integer(Expr value) {
  NamedValue named;
  named.kind = NamedValue::Kind::integer;
  named.integer = std::move(value);
  return named;
}

static NamedValue constant(Attribute value) {
  NamedValue named;
  named.kind = NamedValue::Kind::constant;
  named.constant = value;
  return named;
}

std::optional<NamedValue> CallNames::find(StringRef name) const {
  if (llvm::is_contained(tensorNames, name)) {
    NamedValue named;
    named.kind = NamedValue::Kind::tensor;
    named.tensor = name.str();
    return named;
  }
  if (Attribute value = call.getAttrs().get(name)) {
    auto number = dyn_cast<IntegerAttr>(value);
    if (number && !number.getType().isInteger(1))
      return integer(number.getInt());
    return constant(value);
  }
  if (DictionaryAttr bindings = call.getBindingsAttr())
    if (Attribute value = bindings.get(name)) {
      if (auto expr = dyn_cast<graph::ExprAttr>(value))
        return integer(expr.getExpr());
      return constant(value);
    }
  return std::nullopt;
}

Result<NamedValue> CallNames::read(Attribute arg) const {
  if (auto name = dyn_cast<StringAttr>(arg)) {
    if (std::optional<NamedValue> named = find(name.getValue()))
      return *named;
    return Error{ErrorCode::notFound, "unknown name '" + name.getValue().str() + "'"};
  }
  if (auto number = dyn_cast<IntegerAttr>(arg))
    if (!number.getType().isInteger(1))
      return integer(number.getInt());
  auto expr = dyn_cast<graph::ExprAttr>(arg);
  if (!expr)
    return constant(arg);
  // Every name must have an integer value.
  for (const std::string &symbol : expr.getExpr().symbols()) {
    std::optional<NamedValue> named = find(symbol);
    if (!named)
      return Error{ErrorCode::notFound, "unknown name '" + symbol + "'"};
    bool isBool = named->kind == NamedValue::Kind::constant && isa<BoolAttr>(named->constant);
    if (named->kind != NamedValue::Kind::integer && !isBool)
      return Error{ErrorCode::invalid,
                   "'" + symbol + "' is no integer, so it cannot be part of an expression"};
  }
  return integer(call.resolve(expr.getExpr()));
}

std::vector<std::string> CallNames::all() const {
  std::vector<std::string> names = tensorNames;
  for (NamedAttribute attr : call.getAttrs())
    names.push_back(attr.getName().str());
  if (DictionaryAttr bindings = call.getBindingsAttr())
    for (NamedAttribute binding : bindings)
      names.push_back(binding.getName().str());
  llvm::sort(names);
  return names;
}

Expr CallNames::condition(const Expr &declared) const {
  // Types are compared by a number each.
  auto numberOf = [&](const std::string &name) -> std::optional<Expr> {
    Type type = call.resolveDtype(name);
    if (!type)
      return std::nullopt;
    return Expr(static_cast<int64_t>(*graph::dtypeOf(type)));
  };
  return call.resolve(declared).substitute(numberOf);
}
