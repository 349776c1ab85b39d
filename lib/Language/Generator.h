// The walk over a kernel's syntax that yields its tile IR.
//
// Compile-time values are computed as they are met, functions are inlined where they are called,
// and a branch whose condition is known is not visited if it is not taken. Generator*.cpp divide
// the walk by kinds of syntax; what operations mean is in Semantics*.cpp, what functions do in
// Builtins*.cpp.
//
// Control flow. Statements still to do are a stack of Work. A branch on a run-time condition is
// generated into two detached regions, each with its own copy of the scope, and joined: variables
// that differ become results of an `scf.if`. A `return` under such a branch makes control leave
// early, which structured IR cannot say; what follows is put under the branch that goes on. For
// example
//
//     if i >= n:             %done = cmpi sge, %i, %n
//         return             scf.if %done { }
//     tl.store(p, x)         else { tile.store %p, %x }
//
// Where both branches may go on and one of them may have returned, a flag tells, and what follows
// is under `if not flag`; see Flow.
#pragma once

#include "Language/Call.h"
#include "Language/Language.h"
#include "Language/Module.h"
#include "Language/Tuning.h"

#include <map>

namespace teeny::lang {

// Levels of calls, calls in all, and the number of statements that unrolled loops may become.
inline constexpr unsigned maxCallDepth = 100;
inline constexpr unsigned maxCalls = 100000;
inline constexpr unsigned maxUnrolled = 100000;

using Scope = std::map<std::string, Value>;

// Whether the function has returned at the point that generation has reached.
struct Flow {
  enum State : uint8_t { running, returned, maybe } state = running;
  Value result; // once returned; None for a bare return
  Tensor flag;  // int1, of `maybe`
};

// A call in progress.
struct Frame {
  const ast::FunctionStmt *function = nullptr;
  Module *module = nullptr;
  Frame *caller = nullptr;
  Span callSpan;                // in the caller's file
  mlir::LocationAttr callPlace; // null in the kernel itself
  Scope scope;
  Flow flow;
  unsigned loops = 0;                     // run-time loops around
  std::map<std::string, Span> assignedAt; // where each name was last given a value
  bool isHost = false;                    // module level: only compile-time values
  bool isConstexpr = false;               // a @triton.constexpr_function: likewise
};

class Generator : public ErrorSink {
public:
  Generator(mlir::MLIRContext *context, const GenerateOptions &options, Diagnostics &diagnostics);

  mlir::func::FuncOp kernel(const KernelFile &file, llvm::StringRef name,
                            llvm::ArrayRef<ParamSpec> specs, mlir::ModuleOp into);

  // What decorators say of a kernel's compile-time parameters (GeneratorTuning.cpp, Tuning.h).
  TuningSpace tuningSpace(const KernelFile &file, llvm::StringRef name);
  bool applyHeuristics(const KernelFile &file, llvm::StringRef name, std::vector<ParamSpec> &specs);

  // ErrorSink: at the place being generated, with the calls that lead there.
  void fail(std::string message, std::string hint = "") override;
  void warn(std::string message) override;

  // Expressions (GeneratorExpressions.cpp); invalid after an error.
  Value expression(const ast::Expr &expr);
  Value binary(ast::BinaryOp op, const Value &lhs, const Value &rhs);
  Value compare(ast::CompareOp op, const Value &lhs, const Value &rhs);
  // A constant as an assignment to a variable makes it: numbers become run-time scalars.
  Value materialize(const Value &value);
  std::optional<bool> constantTruth(const Value &value); // none for run-time values

  // Attributes and subscripts (GeneratorAttributes.cpp).
  Value attribute(const Value &base, const std::string &name);
  Value attributeIfAny(const Value &base, const std::string &name); // invalid if there is none
  Value typeAttribute(const Type &type, const std::string &name);
  Value descriptorAttribute(const Value &base, const BlockPointer &descriptor,
                            const std::string &name);
  Value subscript(const Value &base, const Value &index);

  // Calls (GeneratorCalls.cpp).
  Value call(const Value &callee, Arguments arguments);
  Value inlineCall(FunctionRef function, Arguments arguments);
  bool fits(const ast::Parameter &parameter, const Value &value, const std::string &function);
  Value lambdaCall(LambdaRef lambda, Arguments arguments);
  Value callBuiltin(const Builtin &builtin, Arguments arguments);
  Value libraryFunction(llvm::StringRef name); // invalid if there is none
  // The body of a region that combines scalars: reduce and scan.
  std::optional<DetachedRegion> combiner(const Value &function, llvm::ArrayRef<Type> elements,
                                         llvm::SmallVectorImpl<mlir::Value> &yields);

  // tl.device_assert, and the statement: nothing without debugging, as in Triton.
  bool assertion(const Value &condition, const std::string &message, const Value *mask);

  // Names (GeneratorModules.cpp): what a file's module level binds, and members of known modules.
  Module &moduleOf(const ParsedFile &file);
  Value member(llvm::StringRef module, llvm::StringRef name); // invalid if there is none

  bool inLibrary() const { return frame->module->file.isLibrary; }
  bool isHostCode() const { return frame->isHost; }
  // Whether all is computed as Python would: host code, and functions made for compile time.
  bool isCompileTime() const { return frame->isHost || frame->isConstexpr; }
  Semantics semantics() { return Semantics(emit, *this); }
  const GenerateOptions &options;
  Emitter emit;

private:
  // A statement to do, a loop variable to set, or a loop to go on unrolling.
  struct Work {
    const ast::Stmt *statement = nullptr;
    const ast::ForStmt *unroll = nullptr;
    Integer next = 0, end = 0, step = 1;
  };
  using Todo = std::vector<Work>; // the last is done first

  // One side of a branch.
  struct Side {
    DetachedRegion region;
    Scope scope;
    Flow flow;
  };

  // Statements (GeneratorStatements.cpp).
  static void push(Todo &todo, const ast::Block &block);
  bool run(const ast::Block &block, bool tail);
  bool run(Todo todo, bool tail);
  bool statement(const ast::Stmt &statement);
  bool assign(const ast::Expr &target, const Value &value);
  bool annotatedAssign(const ast::AnnotatedAssignStmt &statement);
  bool returnStatement(const ast::ReturnStmt &statement);
  bool assertStatement(const ast::AssertStmt &statement);

  // Statements that only Python's values take part in (GeneratorPython.cpp).
  enum class Ended : uint8_t { normal, returned, brokeOut, continues, failed };
  Ended python(const ast::Block &block);
  Ended python(const ast::Stmt &statement);
  Ended pythonLoop(const ast::ForStmt &statement);
  bool append(const ast::CallExpr &call, bool &isAppend);

  // Branches (GeneratorBranches.cpp).
  bool branch(const ast::IfStmt &statement, Tensor condition, Todo &todo, bool tail);
  bool guard(Todo todo, bool tail);
  std::optional<Side> side(Todo todo, bool tail);
  bool goOn(Side &side, Todo todo, bool tail);
  bool join(Tensor condition, Side yes, Side no, const Scope &before, bool tail, Span place);
  Value conditional(const ast::ConditionalExpr &expr);
  bool comprehension(const ast::ListCompExpr &list, size_t clause, std::vector<Value> &items);

  // Loops (GeneratorLoops.cpp).
  struct Range {
    Value start, stop, step;
    bool isStatic = false;
    LoopHints hints;
  };
  std::optional<Range> range(const ast::Expr &iterable);
  bool forStatement(const ast::ForStmt &statement, Todo &todo);
  bool forLoop(const ast::ForStmt &statement, const Range &range);
  bool whileLoop(const ast::WhileStmt &statement);
  // The variables that a loop carries from one iteration to the next.
  struct Carried {
    std::vector<std::string> names;
    std::vector<Value> initial;                   // per name
    llvm::SmallVector<mlir::Value> inits, yields; // all their parts
    llvm::SmallVector<bool> kept;                 // per part: whether it changes
    Scope before;
    llvm::SmallVector<mlir::Value> keptOf(llvm::ArrayRef<mlir::Value> parts) const;
  };
  Carried carriedBy(const ast::Block &body);
  void bindCarried(const Carried &carried, const DetachedRegion &region, unsigned firstArgument);
  bool endOfBody(Carried &carried, const ast::Block &body);
  void dropUnchanged(Carried &carried, DetachedRegion &body, unsigned firstArgument,
                     DetachedRegion *condition);
  void afterLoop(const Carried &carried, llvm::ArrayRef<mlir::Value> results, Span place);

  // Names (GeneratorModules.cpp).
  Value lookup(const std::string &name);
  void execute(Module &module, const ast::Block &block);
  const ast::FunctionStmt *kernelNamed(const KernelFile &file, llvm::StringRef name);
  Value hostValue(Module &module, const ast::Expr &expr);
  std::optional<bool> hostTruth(Module &module, const ast::Expr &expr);
  Value choice(const std::string &name, Value first, Value second, const ast::IfStmt &statement);
  void import(Module &module, const ast::ImportStmt &statement);
  Value globalOf(const ParsedFile &file, const std::string &name);
  Value packageMember(const ModuleRef &package, const std::string &name);
  Value fileMember(const ParsedFile &file, const std::string &name);

  // The kernel's parameters (Generator.cpp).
  bool bindParameters(const KernelInfo &info, const ast::FunctionStmt &function,
                      llvm::ArrayRef<ParamSpec> specs, mlir::ModuleOp into);
  Value fromConst(const ConstValue &value);
  SourceLocation locate(const Module &module, Span span) const;

  // Adds where a name was last assigned to the error just reported.
  void noteAssignment(const std::string &name);

  // The place being generated, for errors and for operations.
  struct At {
    Generator &generator;
    Span saved;
    At(Generator &generator, Span span) : generator(generator), saved(generator.where) {
      generator.moveTo(span);
    }
    ~At() { generator.moveTo(saved); }
  };
  void moveTo(Span span);

  Diagnostics &diagnostics;
  Frame *frame = nullptr;
  Span where;
  unsigned depth = 0;     // of calls
  unsigned calls = 0;     // inlined so far
  unsigned unrolled = 0;  // iterations of unrolled loops so far
  unsigned hostSteps = 0; // statements of host code carried out so far
  unsigned quiet = 0;     // host code is evaluated: what fails is unknown, no error
  std::map<const ParsedFile *, std::unique_ptr<Module>> modules;
  mlir::func::FuncOp function;
  bool failed = false;
  bool checksAssertions = false, saidUnchecked = false;
  Diagnostic *lastError = nullptr; // until the next report
};

} // namespace teeny::lang
