// What graph files and declaration files have in common: names, expressions, element types.
#pragma once

#include "Graph/IR/Graph.h"
#include "Support/Json.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

namespace teeny {

// One namespace: names with what they are ("an attribute") and where they were given.
class NameTable {
public:
  // False, with an error that points at both, if the name is taken.
  bool add(const std::string &name, const std::string &what, const SourceLocation &at,
           Diagnostics &diagnostics);
  bool contains(llvm::StringRef name) const { return entries.contains(name); }
  // What a name is; "" if there is none.
  llvm::StringRef what(llvm::StringRef name) const;
  const std::vector<std::string> &names() const { return order; }

private:
  struct Entry {
    std::string what;
    SourceLocation at;
  };
  llvm::StringMap<Entry> entries;
  std::vector<std::string> order;
};

// Names of all element types.
std::vector<std::string> typeNames();

class FormatReader {
public:
  FormatReader(mlir::MLIRContext *context, Diagnostics &diagnostics)
      : context(context), builder(context), diagnostics(diagnostics) {}

protected:
  // A name for people: not empty, at most 200 bytes, no control characters.
  std::optional<std::string> readLabel(const JsonField &field);
  // A name that expressions can use.
  std::optional<std::string> readIdentifier(const JsonField &field);

  // An integer or the text of an expression, as written.
  std::optional<Expr> readExpr(const JsonField &field);
  // Reports each name of `expr` that is not `known`; `kind` is what names are called: "dim".
  // `candidates` gives the known ones.
  bool checkNames(const JsonField &field, const Expr &expr, const char *kind,
                  llvm::function_ref<bool(llvm::StringRef)> known,
                  llvm::function_ref<std::vector<std::string>()> candidates);
  // nearest(), unless the report it is for is not kept anyway.
  std::string suggestion(llvm::StringRef name, llvm::ArrayRef<std::string> candidates) {
    return diagnostics.isFull() ? std::string() : nearest(name, candidates);
  }

  // Reports more sizes than a tensor can have.
  bool checkRank(const JsonField &shape, size_t rank);

  // The name of an element type.
  std::optional<DType> readDtype(const JsonField &field);
  // Reports a name that is neither an element type nor among `variables`.
  bool checkDtype(const JsonField &field, llvm::StringRef name,
                  llvm::ArrayRef<std::string> variables);

  mlir::Location mlirLoc(const JsonField &field);
  // The place of part of a string value: `offset` bytes into its text.
  static SourceLocation inside(const JsonField &field, size_t offset, size_t length);
  Diagnostic &error(const JsonField &at, std::string message);

  mlir::MLIRContext *context;
  mlir::OpBuilder builder;
  Diagnostics &diagnostics;
};

} // namespace teeny
