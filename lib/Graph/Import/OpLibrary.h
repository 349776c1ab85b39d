// The declarations that a graph can call: those of its "ops", and those found under the roots.
#pragma once

#include "Graph/Import/FormatReader.h"

#include "mlir/IR/BuiltinOps.h"

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

  struct Found {
    bool exists = false;
    graph::OpOp op; // null if it exists but has mistakes, which have been reported
  };
  // `named` is where a graph calls it.
  Found find(llvm::StringRef name, const SourceLocation &named);
  std::vector<std::string> names() const;

private:
  void readDeclaration(const JsonField &value);

  mlir::ModuleOp module;
  Sources &sources;
  Diagnostics &diagnostics;
  llvm::ArrayRef<std::string> roots;
  struct Entry {
    graph::OpOp op;
    SourceLocation at;
  };
  llvm::StringMap<Entry> entries;
};

} // namespace teeny
