// The syntax of kernel files: what the parser yields and the generator walks.
//
// Everything Python allows inside a function has a node. What the language leaves out (`lambda`,
// `try`, `class`, ...) becomes an Unsupported node that keeps its name: it is an error only if it
// is visited, and a branch whose compile-time condition is false never is.
#pragma once

#include "Language/Lexer.h"

#include "llvm/Support/Casting.h"

#include <memory>
#include <string>
#include <vector>

namespace teeny::lang::ast {

struct Expr {
  enum Kind : uint8_t {
    Name,
    Integer,
    Floating,
    String,
    FormattedString,
    Constant, // None, True, False, ...
    Tuple,    // and lists
    ListComp,
    Dict,
    Lambda,
    Unary,
    Binary,
    Boolean,
    Compare,
    Conditional,
    Call,
    Attribute,
    Subscript,
    Slice,
    Starred,
    Unsupported,
  };
  const Kind kind;
  Span span;          // what errors about the expression underline
  unsigned depth = 1; // of the tree below, itself included
  Expr(Kind kind, Span span) : kind(kind), span(span) {}
  virtual ~Expr() = default;
};
using ExprPtr = std::unique_ptr<Expr>;

template <Expr::Kind K> struct ExprOf : Expr {
  explicit ExprOf(Span span) : Expr(K, span) {}
  static bool classof(const Expr *expr) { return expr->kind == K; }
};

enum class UnaryOp : uint8_t { minus, plus, invert, logicalNot };
enum class BinaryOp : uint8_t {
  add,
  sub,
  mul,
  div,
  floordiv,
  mod,
  pow,
  shiftLeft,
  shiftRight,
  bitAnd,
  bitOr,
  bitXor,
  matmul,
};
enum class CompareOp : uint8_t { eq, ne, lt, le, gt, ge, is, isNot, in, notIn };
llvm::StringRef spelling(UnaryOp op);
llvm::StringRef spelling(BinaryOp op);
llvm::StringRef spelling(CompareOp op);

struct NameExpr : ExprOf<Expr::Name> {
  using ExprOf::ExprOf;
  std::string name;
};
struct IntegerExpr : ExprOf<Expr::Integer> {
  using ExprOf::ExprOf;
  lang::Integer value = 0;
};
struct FloatingExpr : ExprOf<Expr::Floating> {
  using ExprOf::ExprOf;
  double value = 0;
};
struct StringExpr : ExprOf<Expr::String> {
  using ExprOf::ExprOf;
  std::string value;
};
// f"text{expr!conversion:format}text": `parts` alternate, a part being text or an expression.
struct FormattedStringExpr : ExprOf<Expr::FormattedString> {
  using ExprOf::ExprOf;
  struct Part {
    std::string text;
    ExprPtr value; // null: the part is text
    char conversion = 0;
    std::string format;
  };
  std::vector<Part> parts;
};
struct ConstantExpr : ExprOf<Expr::Constant> {
  using ExprOf::ExprOf;
  enum Which : uint8_t { none, trueValue, falseValue, ellipsis } which = none;
};
struct TupleExpr : ExprOf<Expr::Tuple> {
  using ExprOf::ExprOf;
  std::vector<ExprPtr> items;
  bool isList = false;
};
struct ListCompExpr : ExprOf<Expr::ListComp> {
  using ExprOf::ExprOf;
  struct Clause { // `for target in iterable if condition`
    ExprPtr target, iterable;
    std::vector<ExprPtr> conditions;
  };
  ExprPtr element;
  std::vector<Clause> clauses;
  bool isList = true; // not a generator

  // One `for`, no `if`: what kernels may have.
  bool isSimple() const { return isList && clauses.size() == 1 && clauses[0].conditions.empty(); }
};
struct DictExpr : ExprOf<Expr::Dict> {
  using ExprOf::ExprOf;
  std::vector<std::pair<ExprPtr, ExprPtr>> items; // without a key: **value
};
struct LambdaExpr : ExprOf<Expr::Lambda> {
  using ExprOf::ExprOf;
  std::vector<std::string> parameters;
  ExprPtr body;
};
struct UnaryExpr : ExprOf<Expr::Unary> {
  using ExprOf::ExprOf;
  UnaryOp op = UnaryOp::minus;
  ExprPtr operand;
};
struct BinaryExpr : ExprOf<Expr::Binary> {
  using ExprOf::ExprOf;
  BinaryOp op = BinaryOp::add;
  ExprPtr lhs, rhs;
};
struct BooleanExpr : ExprOf<Expr::Boolean> {
  using ExprOf::ExprOf;
  bool isAnd = true;
  std::vector<ExprPtr> values;
};
struct CompareExpr : ExprOf<Expr::Compare> {
  using ExprOf::ExprOf;
  std::vector<CompareOp> ops; // one less than operands
  std::vector<ExprPtr> operands;
};
struct ConditionalExpr : ExprOf<Expr::Conditional> {
  using ExprOf::ExprOf;
  ExprPtr test, body, orelse;
};
struct Keyword {
  std::string name; // empty: **value
  Span span;
  ExprPtr value;
};
struct CallExpr : ExprOf<Expr::Call> {
  using ExprOf::ExprOf;
  ExprPtr callee;
  std::vector<ExprPtr> arguments; // StarredExpr for *value
  std::vector<Keyword> keywords;
};
struct AttributeExpr : ExprOf<Expr::Attribute> {
  using ExprOf::ExprOf;
  ExprPtr base;
  std::string name;
  Span nameSpan;
};
// "jit" for `jit` and for `triton.jit`, owned by the expression; empty for other kinds and for
// null.
inline llvm::StringRef lastName(const Expr *expr) {
  if (auto *attribute = llvm::dyn_cast_or_null<AttributeExpr>(expr))
    return attribute->name;
  auto *plain = llvm::dyn_cast_or_null<NameExpr>(expr);
  return plain ? llvm::StringRef(plain->name) : llvm::StringRef();
}
struct SubscriptExpr : ExprOf<Expr::Subscript> {
  using ExprOf::ExprOf;
  ExprPtr base, index;
};
struct SliceExpr : ExprOf<Expr::Slice> {
  using ExprOf::ExprOf;
  ExprPtr start, stop, step; // each may be null
};
struct StarredExpr : ExprOf<Expr::Starred> {
  using ExprOf::ExprOf;
  ExprPtr value;
};
struct UnsupportedExpr : ExprOf<Expr::Unsupported> {
  using ExprOf::ExprOf;
  std::string what; // "lambda", "a dict", ...
};

struct Stmt {
  enum Kind : uint8_t {
    Expression,
    Assign,
    AugmentedAssign,
    AnnotatedAssign,
    If,
    For,
    While,
    With,
    Return,
    Pass,
    Assert,
    Import,
    Try,
    Function,
    Opaque, // host code: names that it binds to what only Python knows
    Unsupported,
  };
  const Kind kind;
  Span span;
  Stmt(Kind kind, Span span) : kind(kind), span(span) {}
  virtual ~Stmt() = default;
};
using StmtPtr = std::unique_ptr<Stmt>;
using Block = std::vector<StmtPtr>;

template <Stmt::Kind K> struct StmtOf : Stmt {
  explicit StmtOf(Span span) : Stmt(K, span) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == K; }
};

struct ExpressionStmt : StmtOf<Stmt::Expression> {
  using StmtOf::StmtOf;
  ExprPtr value;
};
struct AssignStmt : StmtOf<Stmt::Assign> {
  using StmtOf::StmtOf;
  std::vector<ExprPtr> targets; // a = b = value has two
  ExprPtr value;
};
struct AugmentedAssignStmt : StmtOf<Stmt::AugmentedAssign> {
  using StmtOf::StmtOf;
  ExprPtr target, value;
  BinaryOp op = BinaryOp::add;
};
struct AnnotatedAssignStmt : StmtOf<Stmt::AnnotatedAssign> {
  using StmtOf::StmtOf;
  ExprPtr target, annotation, value; // value may be null
};
struct IfStmt : StmtOf<Stmt::If> {
  using StmtOf::StmtOf;
  ExprPtr test;
  Block body, orelse;
};
struct ForStmt : StmtOf<Stmt::For> {
  using StmtOf::StmtOf;
  ExprPtr target, iterable;
  Block body, orelse;
};
struct WhileStmt : StmtOf<Stmt::While> {
  using StmtOf::StmtOf;
  ExprPtr test;
  Block body, orelse;
};
struct WithStmt : StmtOf<Stmt::With> {
  using StmtOf::StmtOf;
  std::vector<ExprPtr> items;
  Block body;
};
struct ReturnStmt : StmtOf<Stmt::Return> {
  using StmtOf::StmtOf;
  ExprPtr value; // may be null
};
struct PassStmt : StmtOf<Stmt::Pass> {
  using StmtOf::StmtOf;
};
struct AssertStmt : StmtOf<Stmt::Assert> {
  using StmtOf::StmtOf;
  ExprPtr test, message; // message may be null
};
// `import a.b as c` (no names) or `from a.b import x as y, ...`.
struct ImportStmt : StmtOf<Stmt::Import> {
  using StmtOf::StmtOf;
  struct Name {
    std::string name, alias; // alias: what is bound
    Span span;
  };
  std::string module; // leading dots kept
  bool isFrom = false;
  std::vector<Name> names;
  std::vector<std::string> inner; // the whole `a.b.c` of those that bind `a`
};
struct TryStmt : StmtOf<Stmt::Try> {
  using StmtOf::StmtOf;
  Block body, handlers, orelse;
};
struct OpaqueStmt : StmtOf<Stmt::Opaque> {
  using StmtOf::StmtOf;
  std::string what; // "a class", "a host function", ...
  std::vector<std::string> names;
};
struct UnsupportedStmt : StmtOf<Stmt::Unsupported> {
  using StmtOf::StmtOf;
  std::string what;
};

struct Parameter {
  enum Kind : uint8_t { positional, variadic, keywordOnly, keywords };
  std::string name;
  Span span;
  Kind kind = positional;
  ExprPtr annotation, defaultValue; // may be null
};

struct FunctionStmt : StmtOf<Stmt::Function> {
  using StmtOf::StmtOf; // the span is that of the name
  enum Role : uint8_t {
    kernel,   // @triton.jit
    constant, // @triton.constexpr_function: computed at compile time
    host,     // no decorator: host code, which module level may call
  };
  Role role = kernel;
  std::string name;
  std::vector<Parameter> parameters;
  std::vector<ExprPtr> decorators;
  Block body;
};

} // namespace teeny::lang::ast
