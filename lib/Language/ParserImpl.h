// The parser's state and its grammar, one function a rule; split over Parser*.cpp by statements,
// expressions and what stands around functions.
#pragma once

#include "Language/Parser.h"

#include <map>
#include <set>

namespace teeny::lang {

class Parser {
public:
  Parser(const Source &source, std::vector<Token> tokens, Diagnostics &diagnostics)
      : source(source), tokens(std::move(tokens)), diagnostics(diagnostics) {}

  // Module level (Parser.cpp).
  ast::Block file();
  ast::StmtPtr moduleStatement();
  ast::Block moduleSuite();
  ast::StmtPtr moduleIf();
  ast::StmtPtr moduleTry();
  ast::StmtPtr moduleSimple();
  ast::StmtPtr skipCompound(llvm::StringRef what);
  void skipLine();
  void skipSuite();

  // Kernel functions (ParserDecorators.cpp).
  void findMakers();
  bool makesKernel(const ast::Expr *decorator) const;
  bool isTritons(const ast::Expr &decorator) const;
  ast::StmtPtr decorated();
  ast::StmtPtr hostFunction();
  // Where the expression of a decorator stands: after an '@', or as the callee of `DECORATOR(f)`,
  // which begins at `position`.
  struct DecoratorPlace {
    size_t position = 0;
    bool isCall = false;
  };
  ast::ExprPtr decoratorAt(DecoratorPlace place);
  ast::StmtPtr madeByCall(ast::StmtPtr statement);
  void noteSkipped(const ast::Expr &decorator);
  void reportSkipped();
  size_t tokenAt(Span span) const;

  // Functions and statements (ParserStatements.cpp).
  std::unique_ptr<ast::FunctionStmt> function();
  bool parameters(ast::FunctionStmt &function);
  bool suite(ast::Block &block);
  bool statement(ast::Block &block);
  bool simpleStatements(ast::Block &block);
  ast::StmtPtr simpleStatement();
  ast::StmtPtr assignmentOrExpression();
  ast::StmtPtr ifStatement();
  ast::StmtPtr forStatement();
  ast::StmtPtr whileStatement();
  ast::StmtPtr withStatement();
  ast::StmtPtr importStatement();
  ast::StmtPtr unsupportedCompound(llvm::StringRef what);
  bool elseSuite(ast::Block &block);

  // Expressions (ParserExpressions.cpp); null after an error.
  ast::ExprPtr expressionList(); // a tuple if there are commas
  ast::ExprPtr expression();     // with `x if c else y`
  ast::ExprPtr disjunction();
  ast::ExprPtr conjunction();
  ast::ExprPtr inversion();
  ast::ExprPtr comparison();
  ast::ExprPtr binary(unsigned level);
  ast::ExprPtr factor();
  ast::ExprPtr power();
  ast::ExprPtr primary();
  ast::ExprPtr atom();
  ast::ExprPtr strings();
  bool formattedParts(ast::FormattedStringExpr &result, llvm::StringRef body, bool raw, Span at);
  ast::ExprPtr dict();
  ast::ExprPtr lambda();
  ast::ExprPtr bracketed(llvm::StringRef close, bool isList);
  ast::ExprPtr comprehension(ast::ExprPtr element, llvm::StringRef close, Span span, bool isList);
  ast::ExprPtr subscriptItem();
  ast::ExprPtr starredOrExpression();
  bool callArguments(ast::CallExpr &call);
  ast::ExprPtr unsupported(Span span, llvm::StringRef what);
  // Passes over brackets that are open at the cursor, to after the matching close.
  bool skipBrackets();

  // The cursor.
  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(position + ahead, tokens.size() - 1)];
  }
  bool at(llvm::StringRef text) const { return peek().is(text); }
  bool at(Token::Kind kind) const { return peek().kind == kind; }
  const Token &next() { return tokens[position < tokens.size() - 1 ? position++ : position]; }
  bool accept(llvm::StringRef text) {
    if (!at(text))
      return false;
    next();
    return true;
  }
  bool expect(llvm::StringRef text, llvm::StringRef where);
  bool expectLineEnd();
  bool identifier(std::string &name, llvm::StringRef what);

  // Reports at a span or, without one, at the next token. Always false.
  bool fail(Span span, const std::string &message, const std::string &hint = "");
  bool unexpected(llvm::StringRef expected);

  // From the start of one span to the end of the token before the cursor, on one line.
  Span upTo(Span start) const;
  // Finishes an expression: false, with an error, if the tree has become too deep.
  bool setDepth(ast::Expr &expr, std::initializer_list<const ast::Expr *> children);

  struct Nesting {
    Parser &parser;
    explicit Nesting(Parser &parser) : parser(parser) { ++parser.nesting; }
    ~Nesting() { --parser.nesting; }
  };
  bool tooDeep();

  // What makes kernels of functions, by the names that the file has for it: `triton` and `jit`; and
  // the functions that a call of it makes kernels, as in `f = triton.jit(f)`.
  std::set<std::string, std::less<>> tritonNames{"triton"}, makers{"jit"}, made;
  // Functions so far, by name: the `def`, and what stands around it; and the names of autotuners
  // and heuristics, as in `tuner = triton.autotune(...)`, with where their values begin.
  struct Definition {
    size_t def = 0;
    std::vector<DecoratorPlace> decorators;
    ast::FunctionStmt *function = nullptr;
  };
  std::map<std::string, Definition> definitions;
  std::map<std::string, size_t, std::less<>> tuners;
  size_t copiedTokens = 0;
  // Decorators that are not Triton's: the first of each name, and how many functions have it.
  struct Skipped {
    std::string name;
    Span span;
    unsigned count = 0;
  };
  std::vector<Skipped> skipped;
  std::map<std::string, size_t> skippedNames; // where they are in it

  const Source &source;
  std::vector<Token> tokens;
  Diagnostics &diagnostics;
  size_t position = 0;
  unsigned nesting = 0;
  bool quiet = false; // host code: what does not parse is no error
};

bool isKeyword(llvm::StringRef name);

} // namespace teeny::lang
