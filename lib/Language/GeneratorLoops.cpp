// Loops at run time, and the ranges that they go over.
//
// A loop carries the variables that its body assigns and that have a value before it. All of them
// become arguments of the detached body; those that come out unchanged are dropped again before the
// operation is made.
#include "Language/Generator.h"

#include <set>

namespace teeny::lang {

using namespace ast;

//===-- Ranges --------------------------------------------------------------------------------===//

// The loop's `range(...)`, `tl.range(...)` or `tl.static_range(...)`.
std::optional<Generator::Range> Generator::range(const Expr &iterable) {
  At here(*this, iterable.span);
  auto *call = llvm::dyn_cast<CallExpr>(&iterable);
  Value callee = call ? expression(*call->callee) : Value();
  if (call && !callee)
    return std::nullopt;
  auto *builtin = callee.constantOf<BuiltinRef>();
  std::string name = builtin ? builtin->builtin->fullName() : "";
  if (name != "range" && name != "tl.range" && name != "tl.static_range") {
    fail("a loop goes over range, tl.range or tl.static_range");
    return std::nullopt;
  }
  Arguments arguments;
  for (const ExprPtr &argument : call->arguments) {
    arguments.positional.push_back(expression(*argument));
    if (!arguments.positional.back())
      return std::nullopt;
  }
  for (const Keyword &keyword : call->keywords) {
    arguments.keywords.emplace_back(keyword.name, expression(*keyword.value));
    if (!arguments.keywords.back().second)
      return std::nullopt;
  }
  Semantics meaning = semantics();
  Call bound(*this, meaning, *builtin->builtin);
  if (!bound.bind(std::move(arguments)))
    return std::nullopt;
  Range result;
  result.isStatic = name == "tl.static_range";
  bool two = bound.has(1);
  result.start = two ? bound[0] : Value::integer(0);
  result.stop = two ? bound[1] : bound[0];
  result.step = bound.has(2) ? bound[2] : Value::integer(1);
  if (name != "tl.range")
    return result;
  auto number = [&](unsigned index, std::optional<int64_t> &into) {
    if (!bound.has(index))
      return true;
    std::optional<Integer> value = bound.integer(index);
    if (!value)
      return false;
    if (*value < 0 || *value > 1024) {
      fail(bound.parameter(index) + " is " + toString(*value) + "; it may be 0 to 1024");
      return false;
    }
    into = int64_t(*value);
    return true;
  };
  auto flag = [&](unsigned index, bool &into) {
    std::optional<bool> value = bound.boolean(index, false);
    into = value.value_or(false);
    return value.has_value();
  };
  LoopHints &hints = result.hints;
  if (!number(3, hints.numStages) || !number(4, hints.unroll) ||
      !flag(5, hints.disallowAccMultiBuffer) || !flag(6, hints.flatten) ||
      !flag(7, hints.warpSpecialize) || !flag(8, hints.disableLicm))
    return std::nullopt;
  return result;
}

bool Generator::forStatement(const ForStmt &statement, Todo &todo) {
  if (!statement.orelse.empty()) {
    fail("'else' of a loop is not in the language");
    return false;
  }
  std::optional<Range> over = range(*statement.iterable);
  if (!over)
    return false;
  if (!over->isStatic)
    return forLoop(statement, *over);
  At here(*this, statement.iterable->span);
  Work work;
  work.unroll = &statement;
  const Value *bounds[] = {&over->start, &over->stop, &over->step};
  Integer *into[] = {&work.next, &work.end, &work.step};
  for (unsigned i = 0; i != 3; ++i) {
    std::optional<Integer> value = bounds[i]->asInteger();
    if (!value) {
      fail("the bounds of tl.static_range must be known at compile time, found " +
               bounds[i]->describe(),
           "use range or tl.range for a loop at run time");
      return false;
    }
    *into[i] = *value;
  }
  if (work.step == 0) {
    fail("the step of tl.static_range is 0");
    return false;
  }
  todo.push_back(work);
  return true;
}

//===-- Carried variables ---------------------------------------------------------------------===//

static void assignedNames(const Expr &target, std::set<std::string> &names) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&target))
    names.insert(name->name);
  if (auto *tuple = llvm::dyn_cast<TupleExpr>(&target))
    for (const ExprPtr &item : tuple->items)
      assignedNames(*item, names);
}

// The names that statements may assign.
static void assignedNames(const Block &block, std::set<std::string> &names) {
  for (const StmtPtr &statement : block) {
    if (auto *node = llvm::dyn_cast<AssignStmt>(statement.get()))
      for (const ExprPtr &target : node->targets)
        assignedNames(*target, names);
    if (auto *node = llvm::dyn_cast<AugmentedAssignStmt>(statement.get()))
      assignedNames(*node->target, names);
    if (auto *node = llvm::dyn_cast<AnnotatedAssignStmt>(statement.get()))
      assignedNames(*node->target, names);
    if (auto *node = llvm::dyn_cast<IfStmt>(statement.get())) {
      assignedNames(node->body, names);
      assignedNames(node->orelse, names);
    }
    if (auto *node = llvm::dyn_cast<ForStmt>(statement.get())) {
      assignedNames(*node->target, names);
      assignedNames(node->body, names);
    }
    if (auto *node = llvm::dyn_cast<WhileStmt>(statement.get()))
      assignedNames(node->body, names);
    if (auto *node = llvm::dyn_cast<WithStmt>(statement.get()))
      assignedNames(node->body, names);
  }
}

Generator::Carried Generator::carriedBy(const Block &body) {
  Carried carried;
  carried.before = frame->scope;
  std::set<std::string> assigned;
  assignedNames(body, assigned);
  for (const std::string &name : assigned) {
    auto found = frame->scope.find(name);
    if (found == frame->scope.end())
      continue;
    size_t parts = carried.inits.size();
    flatten(found->second, carried.inits);
    if (carried.inits.size() == parts)
      continue;
    carried.names.push_back(name);
    carried.initial.push_back(found->second);
  }
  return carried;
}

// Gives the carried variables the values that an iteration begins with.
void Generator::bindCarried(const Carried &carried, const DetachedRegion &region,
                            unsigned firstArgument) {
  llvm::SmallVector<mlir::Value> arguments;
  for (unsigned i = 0; i != carried.inits.size(); ++i)
    arguments.push_back(region.argument(firstArgument + i));
  llvm::ArrayRef<mlir::Value> parts = arguments;
  for (size_t i = 0; i != carried.names.size(); ++i)
    frame->scope[carried.names[i]] = rebuild(carried.initial[i], parts);
}

// Collects what an iteration ends with; types must be those it began with.
bool Generator::endOfBody(Carried &carried, const Block &body) {
  for (size_t i = 0; i != carried.names.size(); ++i) {
    const Value &initial = carried.initial[i], &final = frame->scope[carried.names[i]];
    if (!interchangeable(initial, final)) {
      fail("'" + carried.names[i] + "' is " + initial.describe() + " before the loop and " +
               final.describe() + " after an iteration",
           initial.tensor() && final.tensor()
               ? "make its type the same throughout, with .to(...) or by the dtype it starts with"
               : "");
      noteAssignment(carried.names[i]);
      return false;
    }
    flatten(final, carried.yields);
  }
  // A compile-time value cannot change from one iteration to the next.
  std::set<std::string> assigned;
  assignedNames(body, assigned);
  for (const std::string &name : assigned) {
    auto initial = carried.before.find(name);
    if (initial == carried.before.end() || initial->second.constantOf<Unknown>())
      continue;
    llvm::SmallVector<mlir::Value> parts;
    flatten(initial->second, parts);
    if (parts.empty() && !identical(initial->second, frame->scope[name])) {
      fail("'" + name + "' is " + initial->second.describe() +
               ", known at compile time, before the loop and is assigned in it",
           "give it a run-time value before the loop: '" + name + " = ...'");
      noteAssignment(name);
      return false;
    }
  }
  return true;
}

// Drops the parts that every iteration leaves as they are from the regions' arguments. `condition`
// is the first region of a while loop, which takes the same arguments.
void Generator::dropUnchanged(Carried &carried, DetachedRegion &body, unsigned firstArgument,
                              DetachedRegion *condition) {
  unsigned index = firstArgument;
  for (size_t i = 0; i != carried.inits.size(); ++i) {
    mlir::Value argument = body.argument(index), init = carried.inits[i];
    carried.kept.push_back(carried.yields[i] != argument);
    if (carried.kept.back()) {
      ++index;
      continue;
    }
    std::replace(carried.yields.begin(), carried.yields.end(), argument, init);
    body.replaceArgument(index, init);
    if (condition)
      condition->replaceArgument(index, init);
  }
}

llvm::SmallVector<mlir::Value> Generator::Carried::keptOf(llvm::ArrayRef<mlir::Value> parts) const {
  llvm::SmallVector<mlir::Value> result;
  for (size_t i = 0; i != parts.size(); ++i)
    if (kept[i])
      result.push_back(parts[i]);
  return result;
}

// The scope behind a loop: as before it, but for the variables that the loop carries. What only the
// body assigns has no value there, because the body may never have run.
void Generator::afterLoop(const Carried &carried, llvm::ArrayRef<mlir::Value> results, Span place) {
  llvm::SmallVector<mlir::Value> values;
  for (size_t i = 0; i != carried.inits.size(); ++i) {
    values.push_back(carried.kept[i] ? results.front() : carried.inits[i]);
    if (carried.kept[i])
      results = results.drop_front();
  }
  Scope after = carried.before;
  llvm::ArrayRef<mlir::Value> parts = values;
  for (size_t i = 0; i != carried.names.size(); ++i)
    after[carried.names[i]] = rebuild(carried.initial[i], parts);
  for (const auto &[name, value] : frame->scope)
    if (!after.count(name))
      after[name] = Constant(Unknown{"'" + name + "' is set only inside the loop at line " +
                                     std::to_string(place.line) + ", which may run no iteration"});
  frame->scope = std::move(after);
}

//===-- Loops ---------------------------------------------------------------------------------===//

static llvm::SmallVector<mlir::Type> typesOf(llvm::ArrayRef<mlir::Value> values) {
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value value : values)
    types.push_back(value.getType());
  return types;
}

bool Generator::forLoop(const ForStmt &statement, const Range &range) {
  auto *target = llvm::dyn_cast<NameExpr>(statement.target.get());
  if (!target) {
    fail("the variable of a loop must be a name");
    return false;
  }
  Semantics meaning = semantics();
  Tensor lower, upper, step;
  bool down = false;
  {
    At here(*this, statement.iterable->span);
    // A constant negative step counts up to the same number of iterations, and each takes its index
    // from the end.
    Value stepValue = range.step;
    if (std::optional<Integer> known = stepValue.asInteger()) {
      down = *known < 0;
      if (down)
        stepValue = Value::integer(-*known);
      if (*known == 0) {
        fail("the step of the loop is 0");
        return false;
      }
    }
    const Value *bounds[] = {down ? &range.stop : &range.start, down ? &range.start : &range.stop,
                             &stepValue};
    Tensor *into[] = {&lower, &upper, &step};
    for (unsigned i = 0; i != 3; ++i) {
      *into[i] = meaning.toTensor(*bounds[i]);
      if (!*into[i])
        return false;
      *into[i] = meaning.toScalar(*into[i]);
      if (!*into[i])
        return false;
      if (!into[i]->type.element.isInteger()) {
        fail("the bounds and step of a loop must be integers, found " + into[i]->type.name());
        return false;
      }
    }
  }
  ScalarType type =
      promoteIntegers(promoteIntegers(lower.type.element.scalar, upper.type.element.scalar),
                      step.type.element.scalar);
  lower = meaning.cast(lower, type);
  upper = meaning.cast(upper, type);
  step = meaning.cast(step, type);

  Carried carried = carriedBy(statement.body);
  // The loop's own variable is set by every iteration.
  for (size_t i = 0; i != carried.names.size(); ++i)
    if (carried.names[i] == target->name) {
      fail("'" + target->name + "' is the variable of the loop and is assigned in it");
      return false;
    }
  llvm::SmallVector<mlir::Type> arguments = typesOf(carried.inits);
  arguments.insert(arguments.begin(), lower.value.getType());
  DetachedRegion body = emit.enterRegion(arguments);
  bindCarried(carried, body, 1);
  Tensor index{body.argument(0), Type(type)};
  if (down) {
    index.value = emit.arith(Arith::subi, upper.value, index.value);
    index.value = emit.arith(Arith::addi, index.value, lower.value);
  }
  frame->scope[target->name] = index;
  ++frame->loops;
  bool valid = run(statement.body, /*tail=*/false) && endOfBody(carried, statement.body);
  --frame->loops;
  emit.leaveRegion();
  if (!valid)
    return false;
  dropUnchanged(carried, body, 1, nullptr);
  llvm::SmallVector<mlir::Value> results = emit.loop(
      lower.value, upper.value, step.value, type.isUnsigned(), carried.keptOf(carried.inits),
      std::move(body), carried.keptOf(carried.yields), range.hints);
  carried.before.erase(target->name);
  afterLoop(carried, results, statement.span);
  return true;
}

bool Generator::whileLoop(const WhileStmt &statement) {
  if (!statement.orelse.empty()) {
    fail("'else' of a loop is not in the language");
    return false;
  }
  Carried carried = carriedBy(statement.body);
  llvm::SmallVector<mlir::Type> types = typesOf(carried.inits);
  DetachedRegion before = emit.enterRegion(types);
  bindCarried(carried, before, 0);
  Tensor condition;
  {
    At here(*this, statement.test->span);
    Semantics meaning = semantics();
    Value test = expression(*statement.test);
    if (std::optional<bool> known = test ? constantTruth(test) : std::nullopt)
      condition = {emit.constant(ScalarType::int1, Integer(*known)), Type(ScalarType::int1)};
    else if (test.tensor())
      condition = meaning.toBool(meaning.toScalar(*test.tensor()));
    else if (test)
      fail("a condition must be a scalar or known at compile time, found " + test.describe());
  }
  emit.leaveRegion();
  if (!condition)
    return false;
  DetachedRegion after = emit.enterRegion(types);
  bindCarried(carried, after, 0);
  ++frame->loops;
  bool valid = run(statement.body, /*tail=*/false) && endOfBody(carried, statement.body);
  --frame->loops;
  emit.leaveRegion();
  if (!valid)
    return false;
  dropUnchanged(carried, after, 0, &before);
  llvm::SmallVector<mlir::Value> forwarded;
  llvm::SmallVector<mlir::Value> inits = carried.keptOf(carried.inits);
  for (unsigned i = 0; i != inits.size(); ++i)
    forwarded.push_back(before.argument(i));
  llvm::SmallVector<mlir::Value> results =
      emit.whileLoop(inits, std::move(before), condition.value, forwarded, std::move(after),
                     carried.keptOf(carried.yields));
  afterLoop(carried, results, statement.span);
  return true;
}

} // namespace teeny::lang
