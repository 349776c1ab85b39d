#include "Graph/Import/OpLibrary.h"

#include "Graph/IR/ShippedFiles.h"
#include "Graph/Import/DeclarationReader.h"
#include "Graph/Import/Import.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace teeny;

static std::string joined(llvm::StringRef folder, llvm::StringRef file) {
  llvm::SmallString<128> path = folder;
  llvm::sys::path::append(path, file);
  return path.str().str();
}

void OpLibrary::readList(const JsonField &field) {
  for (const JsonField &element : field.array().value_or(std::vector<JsonField>())) {
    if (element->isObject()) {
      readDeclaration(element);
      continue;
    }
    if (!element->isString()) {
      diagnostics.error(element->location(), element->called() +
                                                 " must be a path or a declaration, found " +
                                                 element->describe());
      continue;
    }
    std::string file = element->rawString().str();
    std::vector<std::string> folders = {
        llvm::sys::path::parent_path(element->location().source->name).str()};
    folders.insert(folders.end(), roots.begin(), roots.end());
    bool absolute = llvm::sys::path::is_absolute(file);
    std::string path;
    for (const std::string &folder : folders)
      if (path.empty() && !absolute && llvm::sys::fs::exists(joined(folder, file)))
        path = joined(folder, file);
    if (absolute)
      diagnostics.error(element->location(),
                        "a declaration's path is relative, found '" + file + "'");
    else if (path.empty())
      diagnostics
          .error(element->location(), "no declaration file '" + joined(folders[0], file) + "'")
          .suggest(roots.empty() ? "paths are relative to the graph file"
                                 : "looked for beside the graph file and under the op folders");
    else
      readFile(path, element->location());
  }
}

bool OpLibrary::readFile(llvm::StringRef path, const SourceLocation &named) {
  std::string reason;
  const Source *source = sources.readFile(path, reason, maxDeclarationBytes);
  if (!source) {
    diagnostics.error(named, "cannot read declaration '" + path.str() + "': " + reason);
    return false;
  }
  return readText(source);
}

bool OpLibrary::readText(const Source *source) {
  std::unique_ptr<JsonDocument> document = parseJson(source, diagnostics);
  if (document)
    readDeclaration({&document->root(), diagnostics});
  return document != nullptr;
}

void OpLibrary::readDeclaration(const JsonField &value) {
  const JsonValue *name = value->member("op");
  if (name && name->isString()) {
    auto known = entries.find(name->rawString());
    if (known != entries.end()) {
      diagnostics.error(name->location(), "op '" + name->rawString().str() + "' is declared twice")
          .note(known->second.at, "the first is here");
      return;
    }
  }
  DeclarationReader reader(module, diagnostics);
  graph::OpOp op = reader.read(value);
  if (name && name->isString())
    entries[name->rawString()] = {op, name->location()};
  if (op && !reader.backwards.empty())
    withBackwards.emplace_back(op, std::move(reader.backwards));
}

// As the op of a node is found, or beside the file that names it.
OpLibrary::Found OpLibrary::findBackward(const DeclaredBackward &backward) {
  if (Found found = find(backward.op, backward.at); found.exists)
    return found;
  llvm::StringRef folder = llvm::sys::path::parent_path(backward.at.source->name);
  std::string path =
      joined(folder, llvm::StringRef(backward.op).rsplit('.').second.str() + ".json");
  if (!llvm::sys::fs::exists(path) || !readFile(path, backward.at))
    return {};
  return find(backward.op, backward.at);
}

void OpLibrary::checkBackwards() {
  // What is found may have a backward of its own.
  for (size_t i = 0; i < withBackwards.size(); ++i) {
    auto [forward, list] = withBackwards[i];
    std::vector<std::string> made;
    for (const DeclaredBackward &backward : list) {
      Found found = findBackward(backward);
      if (!found.exists)
        diagnostics.error(backward.at, "the backward of '" + forward.getSymName().str() + "', '" +
                                           backward.op + "', is not declared");
      else if (found.op)
        checkBackward(forward, found.op, backward, made, sources, diagnostics);
    }
  }
}

OpLibrary::Found OpLibrary::find(llvm::StringRef name, const SourceLocation &named) {
  auto known = entries.find(name);
  if (known != entries.end())
    return {true, known->second.op};

  // "yolo.detect_decode" is yolo/detect_decode.json; nothing else is a path.
  llvm::SmallVector<llvm::StringRef> words;
  name.split(words, '.');
  for (llvm::StringRef word : words)
    if (!Expr::isName(std::string_view(word)))
      return {};
  for (const std::string &root : roots) {
    std::string path = joined(root, llvm::join(words, "/") + ".json");
    if (!llvm::sys::fs::exists(path))
      continue;
    if (!readFile(path, named))
      return {true, {}};
    known = entries.find(name);
    if (known != entries.end())
      return {true, known->second.op};
    diagnostics.error(named, "'" + path + "' does not declare op '" + name.str() + "'");
    return {true, {}};
  }
  if (const Source *source = findShipped(llvm::join(words, "/") + ".json")) {
    readText(source);
    return {true, entries.lookup(name).op};
  }
  return {};
}

// A declaration that is part of the compiler, as a source; with the kernels of its folder.
const Source *OpLibrary::findShipped(llvm::StringRef path) {
  const Source *declaration = nullptr;
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  for (const graph::ShippedFile &file : graph::shippedFiles())
    if (file.name == path)
      declaration = sources.add(joined(graph::shippedFolder, file.name), file.text);
  for (const graph::ShippedFile &file : graph::shippedFiles()) {
    std::string name = joined(graph::shippedFolder, file.name);
    if (declaration && llvm::StringRef(file.name).ends_with(".py") &&
        llvm::sys::path::parent_path(file.name) == folder && !sources.find(name))
      sources.add(name, file.text);
  }
  return declaration;
}

std::vector<std::string> OpLibrary::names() const {
  std::vector<std::string> list;
  for (const auto &entry : entries)
    list.push_back(entry.first().str());
  llvm::sort(list);
  return list;
}
