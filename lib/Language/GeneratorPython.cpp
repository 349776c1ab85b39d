// Functions that are computed at compile time: @triton.constexpr_function, and host functions that
// module level calls. What they compute with are constants, so that assignments, branches and loops
// are carried out as Python would, one after the other.
#include "Language/Generator.h"

namespace teeny::lang {

using namespace ast;

Generator::Ended Generator::python(const Block &block) {
  for (const StmtPtr &statement : block) {
    At here(*this, statement->span);
    if (++unrolled > maxUnrolled) {
      fail("more than " + std::to_string(maxUnrolled) + " statements are carried out");
      return Ended::failed;
    }
    Ended ended = python(*statement);
    if (ended != Ended::normal)
      return ended;
  }
  return Ended::normal;
}

Generator::Ended Generator::python(const Stmt &statement) {
  auto endedIf = [](bool valid) { return valid ? Ended::normal : Ended::failed; };
  auto truthOf = [&](const Expr &test) {
    Value value = expression(test);
    std::optional<bool> known = value ? constantTruth(value) : std::nullopt;
    if (value && !known)
      fail("a condition must be known at compile time here, found " + value.describe());
    return known;
  };
  switch (statement.kind) {
  case Stmt::Expression: {
    auto &node = llvm::cast<ExpressionStmt>(statement);
    bool isAppend = false;
    if (auto *call = llvm::dyn_cast<CallExpr>(node.value.get()))
      if (!append(*call, isAppend))
        return Ended::failed;
    return endedIf(isAppend || expression(*node.value));
  }
  case Stmt::Assign: {
    auto &node = llvm::cast<AssignStmt>(statement);
    Value value = expression(*node.value);
    if (!value)
      return Ended::failed;
    for (const ExprPtr &target : node.targets)
      if (!assign(*target, value))
        return Ended::failed;
    return Ended::normal;
  }
  case Stmt::AugmentedAssign: {
    auto &node = llvm::cast<AugmentedAssignStmt>(statement);
    Value old = expression(*node.target);
    Value operand = old ? expression(*node.value) : Value();
    Value value = operand ? binary(node.op, old, operand) : Value();
    return endedIf(value && assign(*node.target, value));
  }
  case Stmt::AnnotatedAssign: {
    auto &node = llvm::cast<AnnotatedAssignStmt>(statement);
    if (!node.value)
      return Ended::normal;
    Value value = expression(*node.value);
    return endedIf(value && assign(*node.target, value));
  }
  case Stmt::If: {
    auto &node = llvm::cast<IfStmt>(statement);
    std::optional<bool> known = truthOf(*node.test);
    return known ? python(*known ? node.body : node.orelse) : Ended::failed;
  }
  case Stmt::For:
    return pythonLoop(llvm::cast<ForStmt>(statement));
  case Stmt::While: {
    auto &node = llvm::cast<WhileStmt>(statement);
    while (true) {
      std::optional<bool> known = truthOf(*node.test);
      if (!known)
        return Ended::failed;
      Ended ended = *known ? python(node.body) : Ended::brokeOut;
      if (ended == Ended::brokeOut)
        return *known ? Ended::normal : python(node.orelse);
      if (ended == Ended::returned || ended == Ended::failed)
        return ended;
      if (++unrolled > maxUnrolled) { // a body may be empty of statements that count
        fail("more than " + std::to_string(maxUnrolled) + " statements are carried out");
        return Ended::failed;
      }
    }
  }
  case Stmt::Return: {
    auto &node = llvm::cast<ReturnStmt>(statement);
    frame->flow.result = node.value ? expression(*node.value) : Value::none();
    frame->flow.state = Flow::returned;
    return frame->flow.result ? Ended::returned : Ended::failed;
  }
  case Stmt::Assert: {
    auto &node = llvm::cast<AssertStmt>(statement);
    std::optional<bool> known = truthOf(*node.test);
    if (known && !*known)
      fail("the assertion is false");
    return endedIf(known.value_or(false));
  }
  case Stmt::Pass:
    return Ended::normal;
  case Stmt::Unsupported: {
    const std::string &what = llvm::cast<UnsupportedStmt>(statement).what;
    if (what == "'break'")
      return Ended::brokeOut;
    if (what == "'continue'")
      return Ended::continues;
    fail(what == "'raise'" ? "the function raises an exception"
                           : what + " is not computed at compile time");
    return Ended::failed;
  }
  case Stmt::With:
  case Stmt::Import:
  case Stmt::Try:
  case Stmt::Function:
  case Stmt::Opaque:
    fail("this is not computed at compile time");
    return Ended::failed;
  }
  llvm_unreachable("statement kind");
}

Generator::Ended Generator::pythonLoop(const ForStmt &statement) {
  Value iterable = expression(*statement.iterable);
  if (iterable && !iterable.tuple())
    fail("a loop at compile time goes over a tuple, found " + iterable.describe());
  if (!iterable.tuple())
    return Ended::failed;
  for (const Value &item : iterable.tuple()->items) {
    if (!assign(*statement.target, item))
      return Ended::failed;
    Ended ended = python(statement.body);
    if (ended == Ended::brokeOut)
      return Ended::normal;
    if (ended == Ended::returned || ended == Ended::failed)
      return ended;
  }
  return python(statement.orelse);
}

// LIST.append(VALUE): the one change of a value in place, allowed where no other variable has the
// same list.
bool Generator::append(const CallExpr &call, bool &isAppend) {
  auto *attribute = llvm::dyn_cast<AttributeExpr>(call.callee.get());
  auto *name = attribute ? llvm::dyn_cast<NameExpr>(attribute->base.get()) : nullptr;
  if (!name || attribute->name != "append" || call.arguments.size() != 1 || !call.keywords.empty())
    return true;
  auto found = frame->scope.find(name->name);
  const TupleValue *list = found == frame->scope.end() ? nullptr : found->second.tuple();
  if (!list || !list->isList)
    return true;
  for (const auto &[other, value] : frame->scope)
    if (other != name->name && value.tuple() == list) {
      fail("'" + other + "' and '" + name->name + "' are one list, which is changed");
      return false;
    }
  isAppend = true;
  Value item = expression(*call.arguments.front());
  if (!item)
    return false;
  std::vector<Value> items = list->items;
  items.push_back(std::move(item));
  frame->scope[name->name] = Value::tuple(std::move(items), /*isList=*/true);
  return true;
}

} // namespace teeny::lang
