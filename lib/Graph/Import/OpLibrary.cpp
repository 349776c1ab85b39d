#include "Graph/Import/OpLibrary.h"

#include "Graph/IR/ShippedFiles.h"
#include "Graph/Import/DeclarationReader.h"
#include "Graph/Import/Import.h"
#include "Support/Suggest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace teeny;

static std::string joined(llvm::StringRef folder, llvm::StringRef file) {
  llvm::SmallString<128> path = folder;
  llvm::sys::path::append(path, file);
  return path.str().str();
}

// The op that a file declares, by where it lies: "yolo/detect_decode".
static std::string opOf(llvm::StringRef path) {
  std::string op = path.str();
  llvm::replace(op, '/', '.');
  return op;
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
      reportMissing(element, file, folders);
    else
      readFile(path, element->location());
  }
}

void OpLibrary::reportMissing(const JsonField &element, const std::string &file,
                              llvm::ArrayRef<std::string> folders) {
  std::string near;
  for (const std::string &folder : folders)
    if (near.empty() && !diagnostics.isFull())
      near = nearestFile(joined(folder, file));
  Diagnostic &report = diagnostics.error(element->location(),
                                         "no declaration file '" + joined(folders[0], file) + "'");
  if (!near.empty())
    report.didYouMean(near);
  else
    report.suggest(roots.empty() ? "paths are relative to the graph file"
                                 : "looked for beside the graph file and under the op folders");
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

// Files in order of their paths, whatever the file system says; what hinders goes to `problem`.
static std::vector<std::string> declarationFiles(const std::string &root, std::string &problem) {
  constexpr size_t most = 10000; // a folder of declarations, not of everything
  std::vector<std::string> paths;
  std::error_code error;
  llvm::sys::fs::recursive_directory_iterator entry(root, error, /*follow_symlinks=*/false), end;
  for (size_t count = 0; !error && entry != end && ++count <= most; entry.increment(error))
    if (llvm::sys::path::extension(entry->path()) == ".json")
      paths.push_back(entry->path());
  if (error)
    problem = "cannot read the folder '" + root + "': " + error.message();
  else if (entry != end)
    problem = "the folder '" + root + "' has more than " + std::to_string(most) +
              " files; give one with nothing but declarations";
  llvm::sort(paths);
  return paths;
}

void OpLibrary::readRoot(const std::string &root) {
  llvm::StringSet<> earlier;
  for (const std::string &name : names())
    earlier.insert(name);
  std::string problem;
  std::vector<std::string> paths = declarationFiles(root, problem);
  if (!problem.empty())
    diagnostics.error({}, problem);
  for (const std::string &path : paths) {
    std::string reason;
    const Source *source = sources.readFile(path, reason, maxDeclarationBytes);
    if (!source) {
      diagnostics.error({}, "cannot read '" + path + "': " + reason);
      continue;
    }
    std::unique_ptr<JsonDocument> document = parseJson(source, diagnostics);
    const JsonValue *name = document ? document->root().member("op") : nullptr;
    if (name && !(name->isString() && earlier.contains(name->rawString())))
      readDeclaration({&document->root(), diagnostics});
  }
}

void OpLibrary::readAll() {
  for (const std::string &root : roots)
    readRoot(root);
  for (const graph::ShippedFile &file : graph::shippedFiles()) {
    llvm::StringRef name = file.name;
    if (!name.consume_back(".json"))
      continue;
    if (!isListed(opOf(name)))
      readText(findShipped(file.name));
  }
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

std::vector<std::string> OpLibrary::findableNames() {
  if (!namesOfFiles) {
    namesOfFiles.emplace();
    std::string problem; // one that find() does not meet
    for (const std::string &root : roots)
      for (const std::string &path : declarationFiles(root, problem)) {
        llvm::StringRef name = path;
        name.consume_front(root);
        name.consume_back(".json");
        namesOfFiles->push_back(opOf(name.ltrim('/')));
      }
    for (const graph::ShippedFile &file : graph::shippedFiles())
      if (llvm::StringRef name = file.name; name.consume_back(".json"))
        namesOfFiles->push_back(opOf(name));
  }
  std::vector<std::string> list = names();
  list.insert(list.end(), namesOfFiles->begin(), namesOfFiles->end());
  return list;
}
