#include "Language/Imports.h"

#include "Support/Diagnostics.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace teeny::lang {

// The path of a module as imports of `file` name it, "" if it names none.
static std::string pathOf(const ParsedFile &file, llvm::StringRef module) {
  namespace path = llvm::sys::path;
  llvm::SmallString<128> result = path::parent_path(file.source->name);
  bool relative = module.consume_front(".");
  while (relative && module.consume_front("."))
    path::append(result, "..");
  if (module.empty())
    return "";
  for (llvm::StringRef part : llvm::split(module, '.'))
    path::append(result, part);
  path::remove_dots(result, /*remove_dot_dot=*/false);
  return (result + ".py").str();
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
    if (imported.size() == maxImportedFiles || !llvm::sys::fs::is_regular_file(path))
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
