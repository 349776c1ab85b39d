#include "Graph/Transforms/CallShapes.h"

#include "Support/Diagnostics.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

CallShapes::Outcome CallShapes::infer() {
  operands = declaration.operandTensors();
  for (unsigned i = 0; i < operands.size(); ++i)
    failed |= !matchType(i) | !matchRank(i);
  if (failed)
    return Outcome::failed;

  // Matches that need names which others bind are tried again until nothing changes.
  std::vector<Match> open;
  std::vector<unsigned> openLeading;
  for (unsigned i = 0; i < operands.size(); ++i) {
    int64_t skipped = typeOfOperand(i).getRank() - int64_t(operands[i].getShape().size());
    if (operands[i].getLeading())
      openLeading.push_back(i);
    for (auto [index, size] : llvm::enumerate(operands[i].getShape().getAsRange<ExprAttr>()))
      open.push_back({i, unsigned(skipped + index), size.getExpr()});
  }
  for (size_t before = SIZE_MAX; open.size() + openLeading.size() < before;) {
    before = open.size() + openLeading.size();
    llvm::erase_if(openLeading, [&](unsigned operand) { return matchLeading(operand); });
    llvm::erase_if(open, [&](const Match &match) { return matchSize(match); });
  }
  if (failed)
    return Outcome::failed;
  if (!open.empty() || !openLeading.empty())
    return Outcome::waiting;
  return nameSizes() && checkConditions() && setResults() ? Outcome::done : Outcome::failed;
}

//===-- Words for messages
//----------------------------------------------------------------------===//

GraphTensorType CallShapes::typeOfOperand(unsigned operand) {
  return cast<GraphTensorType>(call.getOperand(operand).getType());
}

CallShapes::Origin CallShapes::originOf(unsigned operand, std::optional<unsigned> dim) {
  DeclareOp tensor = operands[operand];
  std::string place =
      stringifyTensorRole(tensor.getRole()).str() + " '" + tensor.getName().str() + "'";
  if (dim)
    place = "size " + std::to_string(*dim) + " of " + place;
  return {operandLoc(call, operand), place};
}

static std::string patternText(DeclareOp tensor) {
  std::string text = tensor.getDtype().str() + "[";
  bool first = true;
  if (std::optional<StringRef> leading = tensor.getLeading()) {
    text += "*" + leading->str();
    first = false;
  }
  for (auto size : tensor.getShape().getAsRange<ExprAttr>()) {
    text += (first ? "" : ", ") + size.getText().str();
    first = false;
  }
  return text + "]";
}

InFlightDiagnostic CallShapes::error(Location location) {
  failed = true;
  InFlightDiagnostic report = emitError(location);
  report << "node '" << call.getName() << "': ";
  return report;
}

void CallShapes::require(Location location, const Expr &condition, std::string message) {
  required.push_back(
      {location, condition, "node '" + call.getName().str() + "': " + std::move(message)});
}

//===-- Types and ranks
//-------------------------------------------------------------------------===//

bool CallShapes::matchType(unsigned operand) {
  Type found = typeOfOperand(operand).getDtype();
  std::string declared = operands[operand].getDtype().str();
  Origin origin = originOf(operand);
  auto choices = declaration.getDtypes().getAs<ArrayAttr>(declared);
  if (!choices) {
    if (found == call.resolveDtype(declared))
      return true;
    error(origin.location) << origin.place << " of " << opName() << " is of type " << declared
                           << ", found " << dtypeName(found);
    return false;
  }
  auto [known, isNew] = types.try_emplace(declared, BoundType{found, origin});
  if (!isNew) {
    if (known->second.type == found)
      return true;
    InFlightDiagnostic report = error(origin.location);
    report << origin.place << " is of type " << dtypeName(found) << ", but '" << declared << "' is "
           << dtypeName(known->second.type);
    report.attachNote(known->second.origin.location) << "by " << known->second.origin.place;
    return false;
  }
  std::vector<std::string> names;
  for (auto choice : choices.getAsRange<TypeAttr>()) {
    if (choice.getValue() == found)
      return true;
    names.push_back(dtypeName(choice.getValue()));
  }
  InFlightDiagnostic report = error(origin.location);
  report << origin.place << " is of type " << dtypeName(found) << "; " << opName() << " takes "
         << listed(names, false);
  report.attachNote(operands[operand].getLoc())
      << "declared here as " << patternText(operands[operand]);
  return false;
}

bool CallShapes::matchRank(unsigned operand) {
  DeclareOp tensor = operands[operand];
  int64_t found = typeOfOperand(operand).getRank(), wanted = tensor.getShape().size();
  if (found == wanted || (tensor.getLeading() && found > wanted))
    return true;
  Origin origin = originOf(operand);
  InFlightDiagnostic report = error(origin.location);
  report << origin.place << " has " << found << (found == 1 ? " dim, " : " dims, ")
         << typeText(typeOfOperand(operand)) << "; " << opName() << " takes "
         << (tensor.getLeading() ? "at least " : "") << wanted;
  report.attachNote(tensor.getLoc()) << "declared here as " << patternText(tensor);
  return false;
}

//===-- Sizes
//-----------------------------------------------------------------------------------===//

std::vector<std::string> CallShapes::openNames(const Expr &declared) {
  std::vector<std::string> open;
  for (const std::string &name : declared.symbols())
    if (!sizes.count(name) && !call.getAttrs().contains(name))
      open.push_back(name);
  return open;
}

Expr CallShapes::resolved(const Expr &declared) {
  return declared.substitute([&](const std::string &name) -> std::optional<Expr> {
    auto bound = sizes.find(name);
    return bound != sizes.end() ? bound->second.size : call.resolve(Expr::symbol(name));
  });
}

ExprAttr CallShapes::sizeOf(unsigned operand, unsigned dim) {
  return typeOfOperand(operand).getShape()[dim];
}

// The size of an input that was left open takes the value that the call needs.
void CallShapes::refine(unsigned operand, unsigned dim, const Expr &size) {
  auto input = call.getOperand(operand).getDefiningOp<InputOp>();
  GraphTensorType type = typeOfOperand(operand);
  SmallVector<ExprAttr> shape(type.getShape());
  shape[dim] = ExprAttr::get(call.getContext(), size);
  input.getResult().setType(GraphTensorType::get(call.getContext(), shape, type.getDtype()));
  hasRefined = true;
}

bool CallShapes::matchSize(const Match &match) {
  ExprAttr found = sizeOf(match.operand, match.dim);
  std::vector<std::string> open = openNames(match.declared);
  if (open.empty()) {
    Expr expected = resolved(match.declared);
    std::optional<std::string> name = match.declared.symbolName();
    auto bound = name ? sizes.find(*name) : sizes.end();
    unify(match.operand, match.dim, expected, match.declared.str(),
          bound == sizes.end() ? nullptr : &bound->second.origin);
    return true;
  }
  if (open.size() > 1 || found.isUnknown())
    return false;
  std::optional<LinearIn> linear = linearIn(match.declared, open[0]);
  if (!linear)
    return false;
  solve(match, open[0], *linear);
  return true;
}

void CallShapes::unify(unsigned operand, unsigned dim, const Expr &expected,
                       const std::string &shown, const Origin *origin) {
  ExprAttr attr = sizeOf(operand, dim);
  if (attr.isUnknown()) {
    if (checkSize(expected, operandLoc(call, operand), originOf(operand, dim).place))
      refine(operand, dim, expected);
    return;
  }
  Expr found = attr.getExpr();
  Truth equal = prover.areEqual(expected, found);
  if (equal == Truth::yes)
    return;
  Origin here = originOf(operand, dim);
  bool isNumber = expected.str() == shown;
  std::string text = here.place + " is " + found.str() + ", but " +
                     (isNumber ? opName() + " takes " : "'" + shown + "' is ") + expected.str();
  if (equal == Truth::maybe)
    return require(here.location, equalTo(found, expected), text);
  InFlightDiagnostic report = error(here.location);
  report << text;
  if (origin)
    report.attachNote(origin->location) << "by " << origin->place;
  report.attachNote(operands[operand].getLoc())
      << "declared here as " << patternText(operands[operand]);
}

// found = scale * name + offset
void CallShapes::solve(const Match &match, const std::string &name, const LinearIn &linear) {
  Origin here = originOf(match.operand, match.dim);
  Expr found = sizeOf(match.operand, match.dim).getExpr();
  Expr scale = resolved(linear.scale), rest = found - resolved(linear.offset);
  std::string text =
      here.place + " is " + found.str() + ", declared as '" + match.declared.str() + "'";
  Truth divides = scale.constant() == 0 ? Truth::no : prover.isMultiple(rest, scale);
  if (divides == Truth::no) {
    InFlightDiagnostic report = error(here.location);
    report << text << ": there is no such '" << name << "'";
    report.attachNote(operands[match.operand].getLoc())
        << "declared here as " << patternText(operands[match.operand]);
    return;
  }
  if (!scale.constant() && prover.isTrue(atLeast(scale, 1)) != Truth::yes)
    require(here.location, atLeast(scale, 1), text + ", with " + scale.str() + " = 0");
  if (divides == Truth::maybe)
    require(here.location, isMultipleOf(rest, scale), text + ": there is no such '" + name + "'");
  Expr value = floorDiv(rest, scale);
  if (checkSize(value, here.location, "'" + name + "' by " + here.place))
    sizes.try_emplace(name, BoundSize{value, here});
}

bool CallShapes::matchLeading(unsigned operand) {
  std::string name = operands[operand].getLeading()->str();
  unsigned count = typeOfOperand(operand).getRank() - operands[operand].getShape().size();
  auto bound = leading.find(name);
  if (bound == leading.end()) {
    BoundDims dims{{}, originOf(operand)};
    Expr product = 1;
    for (unsigned dim = 0; dim < count; ++dim) {
      if (sizeOf(operand, dim).isUnknown())
        return false;
      dims.sizes.push_back(sizeOf(operand, dim).getExpr());
      product = product * dims.sizes.back();
    }
    sizes.try_emplace(name, BoundSize{product, dims.origin});
    leading.emplace(name, std::move(dims));
    return true;
  }
  const BoundDims &dims = bound->second;
  if (dims.sizes.size() != count) {
    Origin here = originOf(operand);
    InFlightDiagnostic report = error(here.location);
    report << here.place << " has " << counted(count, "leading dim") << ", but '*" << name
           << "' are " << dims.sizes.size();
    report.attachNote(dims.origin.location) << "by " << dims.origin.place;
    return true;
  }
  for (unsigned dim = 0; dim < count; ++dim)
    unify(operand, dim, dims.sizes[dim], "size " + std::to_string(dim) + " of *" + name,
          &dims.origin);
  return true;
}

//===-- Conditions and results
//------------------------------------------------------------------===//

bool CallShapes::checkSize(const Expr &size, Location location, const std::string &place) {
  if (size.tooLarge()) {
    error(location) << place << " is too large an expression";
    return false;
  }
  if (size.symbols().empty() && !size.constant()) {
    auto nothing = [](const std::string &) { return std::nullopt; };
    error(location) << place << " has no value: " << size.evaluate(nothing).error().message;
    return false;
  }
  Truth negative = prover.isNegative(size);
  if (negative == Truth::yes)
    error(location) << place << " is negative: " << size.str();
  else if (negative == Truth::maybe)
    require(location, atLeast(size, 0), place + " is negative: " + size.str());
  return negative != Truth::yes;
}

bool CallShapes::nameSizes() {
  for (auto size : declaration.getBlock().getOps<SizeOp>()) {
    Expr value = resolved(size.getValue().getExpr());
    if (value.tooLarge()) {
      error(call.getLoc()) << "size '" << size.getName() << "' is too large an expression";
      return false;
    }
    sizes.try_emplace(size.getName().str(), BoundSize{value, {size.getLoc(), "the declaration"}});
  }
  return true;
}

bool CallShapes::checkConditions() {
  for (auto scratch : declaration.getBlock().getOps<DeclareScratchOp>())
    checkSize(resolved(scratch.getBytes().getExpr()), scratch.getLoc(),
              "the size of '" + scratch.getName().str() + "'");
  for (auto condition : declaration.getBlock().getOps<RequireOp>()) {
    Expr declared = condition.getCondition().getExpr();
    Expr inGraph = resolved(declared);
    if (inGraph.tooLarge()) {
      error(condition.getLoc()) << "the condition is too large an expression";
      continue;
    }
    Truth truth = prover.isTrue(inGraph);
    if (truth == Truth::maybe)
      require(call.getLoc(), inGraph, condition.getMessage().str());
    if (truth != Truth::no)
      continue;
    InFlightDiagnostic report = error(call.getLoc());
    report << condition.getMessage();
    report.attachNote(condition.getLoc()) << opName() << " requires " << declared.str();
    for (const std::string &name : declared.symbols()) {
      auto bound = sizes.find(name);
      if (bound == sizes.end())
        continue;
      const Expr &size = bound->second.size;
      SymbolFacts range = prover.facts(size);
      mlir::Diagnostic &note = report.attachNote(bound->second.origin.location);
      note << "'" << name << "' is " << size.str();
      if (!size.constant())
        note << ", from " << range.min << " to " << range.max << ",";
      note << " by " << bound->second.origin.place;
    }
  }
  return !failed;
}

bool CallShapes::setResults() {
  MLIRContext *context = call.getContext();
  NamedAttrList bindings;
  for (const auto &[name, bound] : sizes)
    bindings.set(name, ExprAttr::get(context, bound.size));
  for (const auto &[name, bound] : types)
    bindings.set(name, TypeAttr::get(bound.type));

  SmallVector<Type> results;
  for (DeclareOp output : declaration.tensors(TensorRole::Output)) {
    std::string place = "of output '" + output.getName().str() + "'";
    SmallVector<Expr> shape;
    if (std::optional<StringRef> name = output.getLeading())
      shape = leading.at(name->str()).sizes;
    for (auto size : output.getShape().getAsRange<ExprAttr>())
      shape.push_back(resolved(size.getExpr()));
    SmallVector<ExprAttr> attrs;
    for (auto [index, size] : llvm::enumerate(shape)) {
      if (!checkSize(size, call.getLoc(), "size " + std::to_string(index) + " " + place))
        return false;
      attrs.push_back(ExprAttr::get(context, size));
    }
    auto bound = types.find(output.getDtype().str());
    Type dtype = bound != types.end() ? bound->second.type : call.resolveDtype(output.getDtype());
    results.push_back(GraphTensorType::get(context, attrs, dtype));
  }
  for (auto [result, type] : llvm::zip_equal(call.getResults(), results))
    result.setType(type);
  call.setBindingsAttr(bindings.getDictionary(context));
  return true;
}

CallOp graph::createCall(OpBuilder &builder, GraphOp graph, Location place, StringRef name,
                         StringRef op, ValueRange operands, ArrayRef<NamedAttribute> attrs,
                         std::vector<Requirement> &required) {
  auto declaration = SymbolTable::lookupNearestSymbolFrom<OpOp>(graph, builder.getStringAttr(op));
  assert(declaration && "the importer brings the declarations of a kind");
  NamedAttrList values;
  for (auto attribute : declaration.getBlock().getOps<AttributeOp>())
    if (Attribute value = attribute.getDefaultValueAttr())
      values.set(attribute.getName(), value);
  for (NamedAttribute attr : attrs)
    values.set(attr.getName(), attr.getValue());
  SmallVector<Type> results(declaration.tensors(TensorRole::Output).size(),
                            UnknownType::get(builder.getContext()));
  auto call = CallOp::create(builder, place, results, name, op, operands,
                             values.getDictionary(builder.getContext()), DictionaryAttr());
  CallShapes shapes(graph, call);
  if (shapes.infer() != CallShapes::Outcome::done)
    return {};
  llvm::append_range(required, shapes.requirements());
  return call;
}
