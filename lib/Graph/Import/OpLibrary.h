// The declarations that a graph can call: those of its "ops", and those found under the roots.
#pragma once

#include "Graph/Import/DeclarationBackward.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

namespace teeny {

class OpLibrary {
public:
  OpLibrary(mlir::ModuleOp module, Sources &sources, Diagnostics &diagnostics,
            llvm::ArrayRef<std::string> roots)
      : module(module), sources(sources), diagnostics(diagnostics), roots(roots) {}

  // Reads "ops": paths, relative to the file that `field` is in or to a root, and declarations.
  void readList(const JsonField &field);
  // Reads one file. False, with errors, if it has none.
  bool readFile(llvm::StringRef path, const SourceLocation &named);
  bool readText(const Source *source);

  // Reads all files of declarations under the roots, and all that ship.
  void readAll();

  struct Found {
    bool exists = false;
    graph::OpOp op; // null if it exists but has mistakes, which have been reported
  };
  // `named` is where a graph calls it.
  // A file of its name is looked for under the roots, and then among the ops that ship.
  Found find(llvm::StringRef name, const SourceLocation &named);
  bool isListed(llvm::StringRef name) const { return entries.contains(name); }
  // Declarations that stay although no call is there yet.
  void keep(llvm::StringRef name) { kept.insert(name); }
  bool isKept(llvm::StringRef name) const { return kept.contains(name); }
  std::vector<std::string> names() const; // of those that have been read
  // Also of those that find() would read.
  std::vector<std::string> findableNames();
  // Checks what declarations say of their gradients, when all that are listed have been read.
  void checkBackwards();

private:
  void readRoot(const std::string &root);
  void reportMissing(const JsonField &element, const std::string &file,
                     llvm::ArrayRef<std::string> folders);
  void readDeclaration(const JsonField &value);
  const Source *findShipped(llvm::StringRef path);
  Found findBackward(const DeclaredBackward &backward);

  mlir::ModuleOp module;
  Sources &sources;
  Diagnostics &diagnostics;
  llvm::ArrayRef<std::string> roots;
  struct Entry {
    graph::OpOp op;
    SourceLocation at;
  };
  llvm::StringMap<Entry> entries;
  llvm::StringSet<> kept;
  std::optional<std::vector<std::string>> namesOfFiles; // once they are asked for
  std::vector<std::pair<graph::OpOp, std::vector<DeclaredBackward>>> withBackwards;
};

} // namespace teeny
