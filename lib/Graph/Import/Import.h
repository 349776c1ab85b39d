// Reads graph files (format version 1) and the op declarations that they use into a module of the
// graph dialect: one graph.graph, and a graph.op for each declaration that is called.
//
// Everything in the files is checked here but shapes and types, which graph-infer-shapes does:
// names, references, cycles, attribute values, expressions, data files of params, kernel files. All
// mistakes of a file are reported in one run, each with its place.
//
// A graph's "ops" are declarations in place, or paths relative to the graph file or to one of
// `opRoots`. A node's op that none of them declares is looked for as a file under the roots:
// "yolo.detect_decode" is <root>/yolo/detect_decode.json.
#pragma once

#include "Support/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace teeny {

struct ImportOptions {
  std::vector<std::string> opRoots; // folders
};

// Limits on files, which their errors state.
inline constexpr size_t maxGraphBytes = size_t(32) << 20;
inline constexpr size_t maxDeclarationBytes = size_t(1) << 20;

// The module, or null with the reasons in `diagnostics`; there may be warnings in any case. Loads
// the graph dialect into `context`.
mlir::OwningOpRef<mlir::ModuleOp> importGraph(mlir::MLIRContext *context, llvm::StringRef path,
                                              Sources &sources, Diagnostics &diagnostics,
                                              const ImportOptions &options = {});

// The same from a text that has been read; what it names is relative to its name's folder.
mlir::OwningOpRef<mlir::ModuleOp> importGraph(mlir::MLIRContext *context, const Source *source,
                                              Sources &sources, Diagnostics &diagnostics,
                                              const ImportOptions &options = {});

// A module with the declaration in one text, for checking it alone.
mlir::OwningOpRef<mlir::ModuleOp> importDeclaration(mlir::MLIRContext *context,
                                                    const Source *source, Sources &sources,
                                                    Diagnostics &diagnostics);

// A module with every declaration that graphs find by themselves: those in files under the roots,
// of two with one name the one under the earlier root, and those that ship. Files of JSON that have
// no "op" are none. With errors in `diagnostics`, the declarations without.
mlir::OwningOpRef<mlir::ModuleOp> importAllDeclarations(mlir::MLIRContext *context,
                                                        llvm::ArrayRef<std::string> roots,
                                                        Sources &sources, Diagnostics &diagnostics);

} // namespace teeny
