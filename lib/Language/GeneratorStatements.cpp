// Statements, but for control flow.
#include "Language/Constants.h"
#include "Language/Generator.h"

#include "llvm/Support/Path.h"

#include <utility>

namespace teeny::lang {

using namespace ast;

void Generator::push(Todo &todo, const Block &block) {
  for (size_t i = block.size(); i-- != 0;) {
    Work work;
    work.statement = block[i].get();
    todo.push_back(work);
  }
}

bool Generator::run(const Block &block, bool tail) {
  Todo todo;
  push(todo, block);
  return run(std::move(todo), tail);
}

// `tail`: nothing follows in the function, so that falling off the end is a return.
bool Generator::run(Todo todo, bool tail) {
  while (!todo.empty() && frame->flow.state != Flow::returned) {
    if (frame->flow.state == Flow::maybe)
      return guard(std::move(todo), tail);
    Work work = todo.back();
    todo.pop_back();
    if (work.unroll) {
      if (work.step > 0 ? work.next >= work.end : work.next <= work.end)
        continue;
      At here(*this, work.unroll->span);
      if (++unrolled > maxUnrolled) {
        fail("more than " + std::to_string(maxUnrolled) + " iterations of loops are unrolled",
             "use range or tl.range for a loop at run time");
        return false;
      }
      if (!assign(*work.unroll->target, Value::integer(work.next)))
        return false;
      work.next += work.step;
      todo.push_back(work);
      push(todo, work.unroll->body);
      continue;
    }
    const Stmt &statement = *work.statement;
    At here(*this, statement.span);
    if (auto *loop = llvm::dyn_cast<ForStmt>(&statement)) {
      if (!forStatement(*loop, todo))
        return false;
      continue;
    }
    auto *conditional = llvm::dyn_cast<IfStmt>(&statement);
    if (!conditional) {
      if (!this->statement(statement))
        return false;
      continue;
    }
    Value test = expression(*conditional->test);
    if (!test)
      return false;
    At condition(*this, conditional->test->span);
    if (std::optional<bool> known = constantTruth(test)) {
      push(todo, *known ? conditional->body : conditional->orelse);
      continue;
    }
    if (!test.tensor()) {
      fail("a condition must be a scalar or known at compile time, found " + test.describe());
      return false;
    }
    if (test.tensor()->type.elements() != 1) {
      fail("the condition of 'if' is " + test.tensor()->type.name() + ", not a scalar",
           "reduce it, or choose element by element with tl.where");
      return false;
    }
    Semantics meaning = semantics();
    Tensor scalar = meaning.toBool(meaning.toScalar(*test.tensor()));
    if (!scalar || !branch(*conditional, scalar, todo, tail))
      return false;
  }
  return true;
}

// A name or an attribute of one: it can be evaluated twice.
static bool isPath(const Expr &expr) {
  auto *attribute = llvm::dyn_cast<AttributeExpr>(&expr);
  return attribute ? isPath(*attribute->base) : expr.kind == Expr::Name;
}

bool Generator::statement(const Stmt &statement) {
  switch (statement.kind) {
  case Stmt::Expression: {
    auto &node = llvm::cast<ExpressionStmt>(statement);
    if (node.value->kind == Expr::String)
      return true; // a docstring
    auto *call = llvm::dyn_cast<CallExpr>(node.value.get());
    if (call && isPath(*call->callee)) {
      Value callee = expression(*call->callee);
      if (!callee)
        return false;
      const Value &function = callee.method() ? callee.method()->function : callee;
      auto *builtin = function.constantOf<BuiltinRef>();
      if (builtin && builtin->builtin->mustUse) {
        At here(*this, call->span);
        fail("the result of " + builtin->builtin->fullName() + " is not used",
             builtin->builtin->mustUse);
        return false;
      }
    }
    return bool(expression(*node.value));
  }
  case Stmt::Assign: {
    auto &node = llvm::cast<AssignStmt>(statement);
    Value value = expression(*node.value);
    At here(*this, node.value->span);
    value = value ? materialize(value) : Value();
    if (!value)
      return false;
    for (const ExprPtr &target : node.targets)
      if (!assign(*target, value))
        return false;
    return true;
  }
  case Stmt::AugmentedAssign: {
    auto &node = llvm::cast<AugmentedAssignStmt>(statement);
    Value old = expression(*node.target);
    Value operand = old ? expression(*node.value) : Value();
    Value value = operand ? binary(node.op, old, operand) : Value();
    value = value ? materialize(value) : Value();
    return value && assign(*node.target, value);
  }
  case Stmt::AnnotatedAssign:
    return annotatedAssign(llvm::cast<AnnotatedAssignStmt>(statement));
  case Stmt::While:
    return whileLoop(llvm::cast<WhileStmt>(statement));
  case Stmt::Return:
    return returnStatement(llvm::cast<ReturnStmt>(statement));
  case Stmt::Assert:
    return assertStatement(llvm::cast<AssertStmt>(statement));
  case Stmt::Pass:
    return true;
  case Stmt::With:
    fail("'with' is not in the language");
    return false;
  case Stmt::Import:
    fail("'import' inside a kernel is not in the language", "import at the top of the file");
    return false;
  case Stmt::Unsupported:
    fail(llvm::cast<UnsupportedStmt>(statement).what + " is not in the language");
    return false;
  case Stmt::If:
  case Stmt::For:
  case Stmt::Try:
  case Stmt::Function:
  case Stmt::Opaque:
    break; // run() handles the first two; the others are found at module level only
  }
  llvm_unreachable("statement kind");
}

bool Generator::assign(const Expr &target, const Value &value) {
  At here(*this, target.span);
  if (auto *name = llvm::dyn_cast<NameExpr>(&target)) {
    frame->scope[name->name] = value;
    frame->assignedAt[name->name] = target.span;
    return true;
  }
  if (auto *targets = llvm::dyn_cast<TupleExpr>(&target)) {
    const TupleValue *tuple = value.tuple();
    if (!tuple) {
      fail("cannot unpack " + value.describe() + " into " + std::to_string(targets->items.size()) +
           " names");
      return false;
    }
    if (tuple->items.size() != targets->items.size()) {
      fail("cannot unpack " + std::to_string(tuple->items.size()) + " values into " +
           std::to_string(targets->items.size()) + " names");
      return false;
    }
    for (size_t i = 0; i != tuple->items.size(); ++i)
      if (!assign(*targets->items[i], tuple->items[i]))
        return false;
    return true;
  }
  if (target.kind == Expr::Subscript)
    fail("elements of a tile cannot be assigned",
         "use tl.where to choose, or tl.store to write to memory");
  else
    fail("cannot assign to this expression");
  return false;
}

bool Generator::annotatedAssign(const AnnotatedAssignStmt &statement) {
  if (!statement.value) // a mere declaration
    return true;
  Value value = expression(*statement.value);
  if (!value)
    return false;
  if (!isConstexprAnnotation(statement.annotation.get())) {
    value = materialize(value);
    return value && assign(*statement.target, value);
  }
  auto *name = llvm::dyn_cast<NameExpr>(statement.target.get());
  if (!name) {
    fail("only a name can be declared constexpr");
    return false;
  }
  // What is known only at run time stays so: the annotation does not change a value.
  frame->scope[name->name] = value;
  return true;
}

bool Generator::returnStatement(const ReturnStmt &statement) {
  if (frame->loops) {
    fail("'return' inside a loop at run time is not in the language",
         "keep the result in a variable and return it after the loop");
    return false;
  }
  Value value = statement.value ? expression(*statement.value) : Value::none();
  value = value ? materialize(value) : Value();
  if (!value)
    return false;
  if (!frame->caller && !value.isNone()) {
    fail("a kernel returns no value, found " + value.describe(), "write results with tl.store");
    return false;
  }
  frame->flow.state = Flow::returned;
  frame->flow.result = value;
  return true;
}

bool Generator::assertStatement(const AssertStmt &statement) {
  Value test = expression(*statement.test);
  Value text = test && statement.message ? expression(*statement.message) : Value::string("");
  if (!test || !text)
    return false;
  return assertion(test, text.constant() ? display(*text.constant()) : text.describe(), nullptr);
}

bool Generator::assertion(const Value &condition, const std::string &message, const Value *mask) {
  std::optional<bool> known = constantTruth(condition);
  if (known && *known)
    return true;
  if (known)
    warn("the assertion is false" + (message.empty() ? "" : ": " + message));
  const Tensor *tensor = condition.tensor();
  if (!known && (!tensor || tensor->type.element.isPointer())) {
    fail("an assertion takes a condition, found " + condition.describe());
    return false;
  }
  if (!checksAssertions) {
    if (!known && !std::exchange(saidUnchecked, true))
      warn("assertions are not checked; compile with --debug to have GPUs check them");
    return true;
  }
  Semantics meaning = semantics();
  Tensor holds = meaning.toTensor(condition);
  holds = holds ? meaning.toBool(holds) : Tensor();
  if (holds && mask) {
    Tensor masked = meaning.toTensor(*mask);
    masked = masked ? meaning.unary(UnaryOp::logicalNot, masked) : Tensor();
    holds = masked ? meaning.logical(/*isAnd=*/false, holds, masked) : Tensor();
  }
  if (!holds)
    return false;
  // The place is that in the user's code.
  const Frame *at = frame;
  Span span = where;
  for (; at->caller && at->module->file.isLibrary; at = at->caller)
    span = at->callSpan;
  // Without the folder: code does not depend on where it is compiled.
  llvm::StringRef file = llvm::sys::path::filename(at->module->file.source->name);
  emit.assertion(holds.value, message, file, span.line, at->function->name);
  return true;
}

} // namespace teeny::lang
