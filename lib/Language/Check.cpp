#include "Language/Check.h"

#include "Language/FunctionText.h"
#include "Language/Generator.h"
#include "Language/Imports.h"
#include "Language/Signature.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

namespace teeny {

using namespace lang;
using namespace lang::ast;

namespace {

// Names that the functions of a file have in common, and what is known of them.
struct FileNames {
  Generator &generator;
  const ParsedFile &file;
  Module &module;
  std::set<std::string> broken;   // functions with syntax errors, which have been reported
  std::set<std::string> reported; // globals that are unknown: once is enough
};

// One function, from its first statement to its last.
class FunctionChecker {
public:
  FunctionChecker(FileNames &names, const FunctionStmt &function, Diagnostics &diagnostics);
  void run() { block(function.body, true); }

  // Functions of the file that certain code calls or hands on.
  std::vector<const FunctionStmt *> used;

private:
  void error(Span at, std::string message, std::string hint = "");

  // Each returns whether what follows is certain.
  bool block(const Block &statements, bool certain);
  bool statement(const Stmt &statement, bool certain);
  bool branch(const IfStmt &statement, bool certain);
  bool loop(const ForStmt &statement, bool certain);

  void expression(const Expr *expr, bool certain = true);
  void call(const CallExpr &call);
  void name(const NameExpr &name);

  // The compile-time meaning of a path such as `tl.math.exp`; invalid where it has none that is
  // known here. Reports members that modules do not have.
  Value resolve(const Expr &expr, bool report = false);
  // Whether the value is certain to be a tile or scalar at run time.
  bool isRuntime(const Expr &expr);
  void collect(const Block &statements);
  void collect(const Expr &target, const Expr *value);

  FileNames &names;
  const FunctionStmt &function;
  Diagnostics &diagnostics;
  std::set<std::string> parameters;
  // What names of the function are given: null for what only compilation would tell.
  std::map<std::string, std::vector<const Expr *>> assigned;
  std::set<std::string> visiting; // by isRuntime
};

} // namespace

FunctionChecker::FunctionChecker(FileNames &names, const FunctionStmt &function,
                                 Diagnostics &diagnostics)
    : names(names), function(function), diagnostics(diagnostics) {
  for (const Parameter &parameter : function.parameters)
    parameters.insert(parameter.name);
  collect(function.body);
}

void FunctionChecker::error(Span at, std::string message, std::string hint) {
  SourceLocation location;
  location.source = names.file.source;
  location.line = at.line;
  location.column = at.column;
  location.length = at.length;
  Diagnostic &diagnostic = diagnostics.error(location, std::move(message));
  if (!hint.empty())
    diagnostic.suggest(std::move(hint));
}

//===-- What names are given ------------------------------------------------------------------===//

void FunctionChecker::collect(const Expr &target, const Expr *value) {
  if (auto *name = llvm::dyn_cast<NameExpr>(&target))
    assigned[name->name].push_back(value);
  else if (auto *tuple = llvm::dyn_cast<TupleExpr>(&target))
    for (const ExprPtr &item : tuple->items)
      collect(*item, nullptr);
}

void FunctionChecker::collect(const Block &statements) {
  for (const StmtPtr &statement : statements) {
    if (auto *node = llvm::dyn_cast<AssignStmt>(statement.get())) {
      for (const ExprPtr &target : node->targets)
        collect(*target, node->value.get());
    } else if (auto *node = llvm::dyn_cast<AugmentedAssignStmt>(statement.get())) {
      // What was a run-time value stays one.
      if (auto *name = llvm::dyn_cast<NameExpr>(node->target.get()))
        assigned[name->name];
    } else if (auto *node = llvm::dyn_cast<AnnotatedAssignStmt>(statement.get())) {
      collect(*node->target, nullptr);
    } else if (auto *node = llvm::dyn_cast<IfStmt>(statement.get())) {
      collect(node->body);
      collect(node->orelse);
    } else if (auto *node = llvm::dyn_cast<ForStmt>(statement.get())) {
      collect(*node->target, nullptr);
      collect(node->body);
      collect(node->orelse);
    } else if (auto *node = llvm::dyn_cast<WhileStmt>(statement.get())) {
      collect(node->body);
      collect(node->orelse);
    } else if (auto *node = llvm::dyn_cast<WithStmt>(statement.get())) {
      collect(node->body);
    } else if (auto *node = llvm::dyn_cast<ImportStmt>(statement.get())) {
      for (const ImportStmt::Name &name : node->names)
        assigned[name.alias].push_back(nullptr);
    } else if (auto *node = llvm::dyn_cast<OpaqueStmt>(statement.get())) {
      for (const std::string &name : node->names)
        assigned[name].push_back(nullptr);
    }
  }
}

bool FunctionChecker::isRuntime(const Expr &expr) {
  if (auto *node = llvm::dyn_cast<NameExpr>(&expr)) {
    auto values = assigned.find(node->name);
    if (parameters.count(node->name) || values == assigned.end() || values->second.empty())
      return false;
    // A value made from the variable itself is what the others make it.
    if (!visiting.insert(node->name).second)
      return true;
    bool all =
        llvm::all_of(values->second, [&](const Expr *value) { return value && isRuntime(*value); });
    visiting.erase(node->name);
    return all;
  }
  if (auto *node = llvm::dyn_cast<UnaryExpr>(&expr))
    return isRuntime(*node->operand);
  if (auto *node = llvm::dyn_cast<BinaryExpr>(&expr))
    return isRuntime(*node->lhs) || isRuntime(*node->rhs);
  if (auto *node = llvm::dyn_cast<BooleanExpr>(&expr))
    return isRuntime(*node->values.front());
  if (auto *node = llvm::dyn_cast<CompareExpr>(&expr)) {
    bool ordinary = llvm::none_of(node->ops, [](CompareOp op) {
      return op == CompareOp::is || op == CompareOp::isNot || op == CompareOp::in ||
             op == CompareOp::notIn;
    });
    return ordinary && (isRuntime(*node->operands[0]) || isRuntime(*node->operands[1]));
  }
  auto *call = llvm::dyn_cast<CallExpr>(&expr);
  if (!call)
    return false;
  Value callee = resolve(*call->callee);
  if (auto *builtin = callee.constantOf<BuiltinRef>()) {
    static const std::set<std::string> runtime = {
        "program_id", "num_programs", "load",       "atomic_add", "atomic_max", "atomic_min",
        "atomic_cas", "atomic_xchg",  "atomic_and", "atomic_or",  "atomic_xor"};
    return (builtin->builtin->where & Builtin::language) && runtime.count(builtin->builtin->name);
  }
  auto *method = llvm::dyn_cast<AttributeExpr>(call->callee.get());
  return method && method->name == "to" && isRuntime(*method->base);
}

//===-- Statements ----------------------------------------------------------------------------===//

static bool mayReturn(const Block &statements) {
  return llvm::any_of(statements, [](const StmtPtr &statement) {
    if (auto *node = llvm::dyn_cast<IfStmt>(statement.get()))
      return mayReturn(node->body) || mayReturn(node->orelse);
    if (auto *node = llvm::dyn_cast<ForStmt>(statement.get()))
      return mayReturn(node->body);
    if (auto *node = llvm::dyn_cast<WhileStmt>(statement.get()))
      return mayReturn(node->body);
    if (auto *node = llvm::dyn_cast<WithStmt>(statement.get()))
      return mayReturn(node->body);
    return statement->kind == Stmt::Return;
  });
}

bool FunctionChecker::block(const Block &statements, bool certain) {
  for (const StmtPtr &statement : statements) {
    if (!certain)
      return false;
    certain = this->statement(*statement, certain);
  }
  return certain;
}

bool FunctionChecker::branch(const IfStmt &statement, bool certain) {
  expression(statement.test.get());
  bool both = isRuntime(*statement.test);
  bool first = block(statement.body, both), second = block(statement.orelse, both);
  if (both)
    return certain && (first || second);
  return certain && !mayReturn(statement.body) && !mayReturn(statement.orelse);
}

bool FunctionChecker::loop(const ForStmt &statement, bool certain) {
  if (!statement.orelse.empty())
    error(statement.span, "'else' of a loop is not in the language");
  expression(statement.iterable.get());
  // The body of a loop at run time is compiled once; an unrolled one may have no iterations.
  auto *iterable = llvm::dyn_cast<CallExpr>(statement.iterable.get());
  Value callee = iterable ? resolve(*iterable->callee) : Value();
  auto *builtin = callee.constantOf<BuiltinRef>();
  bool once = builtin && llvm::StringRef(builtin->builtin->name) == "range";
  block(statement.body, once);
  return certain && (once || !mayReturn(statement.body));
}

bool FunctionChecker::statement(const Stmt &statement, bool certain) {
  switch (statement.kind) {
  case Stmt::Expression:
    expression(llvm::cast<ExpressionStmt>(statement).value.get());
    return certain;
  case Stmt::Assign:
    expression(llvm::cast<AssignStmt>(statement).value.get());
    return certain;
  case Stmt::AugmentedAssign: {
    auto &node = llvm::cast<AugmentedAssignStmt>(statement);
    expression(node.target.get());
    expression(node.value.get());
    return certain;
  }
  case Stmt::AnnotatedAssign:
    expression(llvm::cast<AnnotatedAssignStmt>(statement).value.get());
    return certain;
  case Stmt::If:
    return branch(llvm::cast<IfStmt>(statement), certain);
  case Stmt::For:
    return loop(llvm::cast<ForStmt>(statement), certain);
  case Stmt::While: {
    auto &node = llvm::cast<WhileStmt>(statement);
    expression(node.test.get());
    bool atRunTime = isRuntime(*node.test);
    block(node.body, atRunTime);
    return certain && (atRunTime || !mayReturn(node.body));
  }
  case Stmt::Return:
    expression(llvm::cast<ReturnStmt>(statement).value.get());
    return false;
  case Stmt::Assert:
    expression(llvm::cast<AssertStmt>(statement).test.get());
    return certain;
  case Stmt::With:
    error(statement.span, "'with' is not in the language");
    return false;
  case Stmt::Import:
    error(statement.span, "'import' inside a kernel is not in the language",
          "import at the top of the file");
    return certain;
  case Stmt::Unsupported:
    error(statement.span, llvm::cast<UnsupportedStmt>(statement).what + " is not in the language");
    return false;
  case Stmt::Pass:
  case Stmt::Try:
  case Stmt::Function:
  case Stmt::Opaque:
    return certain;
  }
  return certain;
}

//===-- Expressions ---------------------------------------------------------------------------===//

void FunctionChecker::name(const NameExpr &node) {
  if (parameters.count(node.name) || assigned.count(node.name) || names.broken.count(node.name) ||
      findBuiltin(node.name, Builtin::python))
    return;
  auto global = names.module.names.find(node.name);
  if (global != names.module.names.end()) {
    auto *unknown = global->second.constantOf<Unknown>();
    if (unknown && names.reported.insert(node.name).second)
      error(node.span, unknown->why);
    auto *other = global->second.constantOf<FunctionRef>();
    if (other && other->function->role == FunctionStmt::host &&
        names.reported.insert(node.name).second)
      error(node.span, "the global '" + node.name +
                           "' is a host function, which is not known at compile time; set it "
                           "with --global " +
                           node.name + "=VALUE if it is a constant");
    if (other && other->module == &names.module && other->function->role == FunctionStmt::kernel)
      used.push_back(other->function);
    return;
  }
  std::vector<std::string> known = builtinNames(Builtin::python);
  for (const auto &[other, values] : assigned)
    known.push_back(other);
  known.insert(known.end(), parameters.begin(), parameters.end());
  for (const auto &[other, value] : names.module.names)
    known.push_back(other);
  std::string near = nearest(node.name, known);
  error(node.span, "'" + node.name + "' is not defined",
        near.empty() ? "" : "did you mean '" + near + "'?");
}

Value FunctionChecker::resolve(const Expr &expr, bool report) {
  if (auto *node = llvm::dyn_cast<NameExpr>(&expr)) {
    if (parameters.count(node->name) || assigned.count(node->name))
      return {};
    auto global = names.module.names.find(node->name);
    if (global != names.module.names.end())
      return global->second;
    if (const Builtin *builtin = findBuiltin(node->name, Builtin::python))
      return Constant(BuiltinRef{builtin});
    return {};
  }
  auto *node = llvm::dyn_cast<AttributeExpr>(&expr);
  if (!node)
    return {};
  Value base = resolve(*node->base, report);
  auto *module = base.constantOf<ModuleRef>();
  if (!module)
    return {};
  Value found = names.generator.member(module->path, node->name);
  if (!found && report) {
    std::string shown = module->path == "triton.language" ? "tl" : module->path;
    std::string near = nearest(node->name, moduleMembers(module->path));
    if (std::string extension = extensionOf(module->path + "." + node->name);
        !extension.empty() || isPythonModule(module->path))
      return {}; // said where it is compiled
    error(node->nameSpan.line == node->span.line ? node->nameSpan : node->span,
          "'" + shown + "' has no '" + node->name + "'",
          near.empty() ? "" : "did you mean '" + shown + "." + near + "'?");
  }
  return found;
}

void FunctionChecker::call(const CallExpr &node) {
  expression(node.callee.get());
  std::vector<std::string> keywords;
  bool isPlain = true; // no `*` and `**`, which hide how many there are
  for (const ExprPtr &argument : node.arguments) {
    auto *starred = llvm::dyn_cast<StarredExpr>(argument.get());
    expression(starred ? starred->value.get() : argument.get());
    isPlain &= !starred;
  }
  for (const Keyword &keyword : node.keywords) {
    expression(keyword.value.get());
    isPlain &= !keyword.name.empty();
    keywords.push_back(keyword.name);
  }
  Value callee = resolve(*node.callee);
  if (!callee || !isPlain)
    return;
  std::optional<Misfit> wrong;
  if (auto *builtin = callee.constantOf<BuiltinRef>())
    wrong = misfit(*builtin->builtin, node.arguments.size(), keywords);
  else if (auto *other = callee.constantOf<FunctionRef>())
    wrong = misfit(*other, node.arguments.size(), keywords);
  if (wrong)
    error(node.span, wrong->message, wrong->hint);
}

// `certain`: whether it is evaluated whenever the statement is.
void FunctionChecker::expression(const Expr *expr, bool certain) {
  if (!expr || !certain)
    return;
  switch (expr->kind) {
  case Expr::Name:
    return name(llvm::cast<NameExpr>(*expr));
  case Expr::FormattedString:
    for (const FormattedStringExpr::Part &part : llvm::cast<FormattedStringExpr>(expr)->parts)
      expression(part.value.get());
    return;
  case Expr::Tuple:
    for (const ExprPtr &item : llvm::cast<TupleExpr>(expr)->items) {
      auto *starred = llvm::dyn_cast<StarredExpr>(item.get());
      expression(starred ? starred->value.get() : item.get());
    }
    return;
  case Expr::ListComp: {
    auto *node = llvm::cast<ListCompExpr>(expr);
    if (!node->isSimple())
      error(expr->span, std::string(node->isList ? "a nested or filtered comprehension"
                                                 : "a generator expression") +
                            " is not in the language");
    return expression(node->clauses.front().iterable.get());
  }
  case Expr::Dict:
    return error(expr->span, "a dict or set is not in the language");
  case Expr::Lambda:
    return error(expr->span, "'lambda' is not in the language");
  case Expr::Unary:
    return expression(llvm::cast<UnaryExpr>(expr)->operand.get());
  case Expr::Binary:
    expression(llvm::cast<BinaryExpr>(expr)->lhs.get());
    return expression(llvm::cast<BinaryExpr>(expr)->rhs.get());
  case Expr::Boolean: {
    // Operands after one that is known at compile time may be passed over.
    auto *node = llvm::cast<BooleanExpr>(expr);
    bool all = isRuntime(*node->values.front());
    for (const ExprPtr &value : node->values)
      expression(value.get(), all || value == node->values.front());
    return;
  }
  case Expr::Compare: {
    auto *node = llvm::cast<CompareExpr>(expr);
    if (node->ops.size() > 1)
      error(expr->span, "comparisons cannot be chained", "write 'a < b and b < c'");
    for (const ExprPtr &operand : node->operands)
      expression(operand.get());
    return;
  }
  case Expr::Conditional: {
    auto *node = llvm::cast<ConditionalExpr>(expr);
    expression(node->test.get());
    bool both = isRuntime(*node->test);
    expression(node->body.get(), both);
    return expression(node->orelse.get(), both);
  }
  case Expr::Call:
    return call(llvm::cast<CallExpr>(*expr));
  case Expr::Attribute:
    expression(llvm::cast<AttributeExpr>(expr)->base.get());
    if (!resolve(*llvm::cast<AttributeExpr>(expr)->base))
      return;
    resolve(*expr, /*report=*/true);
    return;
  case Expr::Subscript:
    expression(llvm::cast<SubscriptExpr>(expr)->base.get());
    return expression(llvm::cast<SubscriptExpr>(expr)->index.get());
  case Expr::Slice:
    expression(llvm::cast<SliceExpr>(expr)->start.get());
    expression(llvm::cast<SliceExpr>(expr)->stop.get());
    return expression(llvm::cast<SliceExpr>(expr)->step.get());
  case Expr::Starred:
    return error(expr->span, "'*' can stand only before an argument or an item of a tuple");
  case Expr::Unsupported:
    return error(expr->span, llvm::cast<UnsupportedExpr>(expr)->what + " is not in the language");
  case Expr::Integer:
  case Expr::Floating:
  case Expr::String:
  case Expr::Constant:
    return;
  }
}

//===-- The file ------------------------------------------------------------------------------===//

static void findBroken(const Block &statements, std::set<std::string> &names) {
  for (const StmtPtr &statement : statements) {
    if (auto *node = llvm::dyn_cast<OpaqueStmt>(statement.get()))
      if (node->what == functionWithErrors)
        names.insert(node->names.begin(), node->names.end());
    if (auto *node = llvm::dyn_cast<IfStmt>(statement.get())) {
      findBroken(node->body, names);
      findBroken(node->orelse, names);
    }
    if (auto *node = llvm::dyn_cast<TryStmt>(statement.get())) {
      findBroken(node->body, names);
      findBroken(node->handlers, names);
      findBroken(node->orelse, names);
    }
  }
}

bool checkKernelFile(const Source *source, llvm::ArrayRef<const Source *> globals,
                     mlir::MLIRContext *context, Sources &sources, Diagnostics &diagnostics) {
  unsigned before = diagnostics.errorCount();
  ParsedFile file;
  file.source = source;
  file.statements = parseFile(*source, diagnostics);
  ImportedFiles imported;
  importFiles(file, sources, imported, diagnostics);
  std::vector<const FunctionStmt *> functions = file.functions();
  std::set<std::string> broken;
  findBroken(file.statements, broken);
  if (functions.empty() && broken.empty()) {
    if (diagnostics.errorCount() == before) {
      SourceLocation whole;
      whole.source = source;
      diagnostics.error(whole, "the file has no function decorated with @triton.jit");
    }
    return false;
  }
  GenerateOptions options;
  for (const Source *text : globals)
    if (auto global = parseGlobal(text, *source, diagnostics))
      options.globals.insert_or_assign(global->first, global->second);
  Generator generator(context, options, diagnostics);
  Module &module = generator.moduleOf(file);
  FileNames names{generator, file, module, std::move(broken), {}};

  // Functions that their own name leads to: not those redefined or under a false condition.
  const std::vector<Token> tokens = tokenize(source->text);
  std::set<const FunctionStmt *> mentioned, reached;
  std::vector<const FunctionStmt *> open;
  for (const FunctionStmt *function : functions)
    for (const std::string &other : namesIn(tokens, *function))
      if (other != function->name)
        if (auto found = module.names.find(other); found != module.names.end())
          if (auto *ref = found->second.constantOf<FunctionRef>())
            mentioned.insert(ref->function);
  for (const FunctionStmt *function : functions) {
    auto *ref = module.names[function->name].constantOf<FunctionRef>();
    if (ref && ref->function == function && !mentioned.count(function))
      open.push_back(function);
  }
  for (size_t i = 0; i < open.size(); ++i) {
    if (!reached.insert(open[i]).second)
      continue;
    FunctionChecker checker(names, *open[i], diagnostics);
    checker.run();
    llvm::append_range(open, checker.used);
  }
  return diagnostics.errorCount() == before;
}

} // namespace teeny
