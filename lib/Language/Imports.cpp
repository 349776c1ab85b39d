#include "Language/Imports.h"

#include "Support/Diagnostics.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace teeny::lang {

// A module's file in a folder: a/b.py, or a/b/__init__.py of a package; "" if there is none.
static std::string moduleIn(llvm::StringRef folder, llvm::StringRef module) {
  namespace path = llvm::sys::path;
  llvm::SmallString<128> result = folder;
  if (!module.empty())
    for (llvm::StringRef part : llvm::split(module, '.'))
      path::append(result, part);
  path::remove_dots(result, /*remove_dot_dot=*/false);
  std::string file = (result + ".py").str();
  if (!module.empty() && llvm::sys::fs::is_regular_file(file))
    return file;
  path::append(result, "__init__.py");
  return llvm::sys::fs::is_regular_file(result) ? result.str().str() : "";
}

// The path of a module as imports of `file` name it, "" if there is none.
static std::string pathOf(const ParsedFile &file, llvm::StringRef module) {
  namespace path = llvm::sys::path;
  llvm::SmallString<128> folder = path::parent_path(file.source->name);
  if (module.consume_front(".")) {
    while (module.consume_front("."))
      path::append(folder, "..");
    return moduleIn(folder, module);
  }
  if (!importModule(module.split('.').first).constantOf<Unknown>())
    return ""; // one that the compiler knows
  if (std::string beside = moduleIn(folder, module); !beside.empty())
    return beside;
  // A package that the file is part of: a folder above it has the package's name.
  llvm::StringRef package = module.split('.').first;
  llvm::SmallString<128> above = folder;
  if (llvm::sys::fs::make_absolute(above))
    return "";
  path::remove_dots(above, /*remove_dot_dot=*/true);
  for (std::string up; !path::filename(above).empty() && above != "/"; up += "../") {
    if (path::filename(above) == package) {
      llvm::SmallString<128> root = folder;
      path::append(root, up + "..");
      return moduleIn(root, module);
    }
    above.truncate(path::parent_path(above).size());
  }
  return "";
}

namespace {
class Importer {
public:
  Importer(Sources &sources, ImportedFiles &imported, Diagnostics &diagnostics)
      : sources(sources), imported(imported), diagnostics(diagnostics) {}

  void run(ParsedFile &file) { visit(file, file.statements); }

private:
  void visit(ParsedFile &file, const ast::Block &block) {
    for (const ast::StmtPtr &statement : block) {
      if (auto *node = llvm::dyn_cast<ast::ImportStmt>(statement.get())) {
        if (node->isFrom)
          import(file, node->module);
        // `from . import utils` names a file as well.
        for (const ast::ImportStmt::Name &name : node->names)
          if (name.name != "*")
            import(file, node->isFrom ? memberModule(node->module, name.name) : name.name);
        for (const std::string &inner : node->inner)
          import(file, inner);
      } else if (auto *node = llvm::dyn_cast<ast::IfStmt>(statement.get())) {
        visit(file, node->body);
        visit(file, node->orelse);
      } else if (auto *node = llvm::dyn_cast<ast::TryStmt>(statement.get())) {
        visit(file, node->body);
        visit(file, node->handlers);
        visit(file, node->orelse);
      }
    }
  }

  void import(ParsedFile &file, const std::string &module) {
    std::string path = pathOf(file, module);
    if (path.empty() || file.imports.count(module))
      return;
    auto known = imported.find(path);
    if (known != imported.end()) {
      file.imports[module] = known->second.get();
      return;
    }
    std::string error;
    if (imported.size() == maxImportedFiles)
      return;
    const Source *source = sources.readFile(path, error);
    if (!source)
      return;
    ParsedFile &other = *(imported[path] = std::make_unique<ParsedFile>());
    other.source = source;
    other.statements = parseFile(*source, diagnostics);
    file.imports[module] = &other;
    run(other);
  }

  Sources &sources;
  ImportedFiles &imported;
  Diagnostics &diagnostics;
};
} // namespace

std::string memberModule(llvm::StringRef module, llvm::StringRef name) {
  return (module + (module.ends_with(".") ? "" : ".") + name).str();
}

void importFiles(ParsedFile &file, Sources &sources, ImportedFiles &imported,
                 Diagnostics &diagnostics) {
  Importer(sources, imported, diagnostics).run(file);
}

} // namespace teeny::lang
