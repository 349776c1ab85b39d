// The modules that the compiler knows, by their dotted names, whatever way they are imported.
#include "Language/Builtins.h"
#include "Language/EmbeddedLibrary.h"
#include "Language/Module.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace teeny::lang {

static llvm::ArrayRef<Builtin> (*const families[])() = {
    pythonBuiltins, memoryBuiltins, shapeBuiltins, mathBuiltins, reductionBuiltins};

const Builtin *findBuiltin(llvm::StringRef name, uint8_t where) {
  for (auto family : families)
    for (const Builtin &builtin : family())
      if ((builtin.where & where) && name == builtin.name)
        return &builtin;
  return nullptr;
}

std::vector<std::string> builtinNames(uint8_t where) {
  std::vector<std::string> names;
  for (auto family : families)
    for (const Builtin &builtin : family())
      if (builtin.where & where)
        names.push_back(builtin.name);
  return names;
}

// One name for each module: the parts of the package in which things are defined are all
// `triton.language`.
static llvm::StringRef canonical(llvm::StringRef path) {
  return llvm::StringSwitch<llvm::StringRef>(path)
      .Cases({"triton.language.core", "triton.language.standard", "triton.language.random",
              "triton.language"},
             "triton.language")
      .Cases({"triton.language.libdevice", "triton.language.extra.cuda.libdevice",
              "triton.language.math.libdevice", "triton.language.extra.libdevice"},
             "triton.language.extra.libdevice")
      .Default(path);
}

static uint8_t tableOf(llvm::StringRef path) {
  return llvm::StringSwitch<uint8_t>(path)
      .Case("triton", Builtin::triton)
      .Case("triton.language", Builtin::language)
      .Case("triton.language.math", Builtin::math)
      .Case("triton.language.extra.libdevice", Builtin::libdevice)
      .Default(0);
}

static bool isKnownModule(llvm::StringRef path) {
  return tableOf(path) || path == "triton.language.extra" || path == "triton.language.extra.cuda";
}

bool hasLibrary(llvm::StringRef path) {
  path = canonical(path);
  return path != "triton" && tableOf(path);
}

Value importModule(llvm::StringRef path) {
  path = canonical(path);
  if (isKnownModule(path))
    return Constant(ModuleRef{path.str()});
  return Constant(Unknown{"'" + path.str() + "' is a module that is not known at compile time"});
}

Value moduleMember(llvm::StringRef path, llvm::StringRef name) {
  path = canonical(path);
  if (!isKnownModule(path))
    return {};
  if (const Builtin *builtin = findBuiltin(name, tableOf(path)))
    return Constant(BuiltinRef{builtin});
  std::string inner = (path + "." + name).str();
  if (isKnownModule(canonical(inner)))
    return importModule(inner);
  if (path == "triton" && name == "__version__")
    return Value::string("3.6.0");
  if (path == "triton.language") {
    if (std::optional<ScalarType> type = ScalarType::parse(name))
      if (name == type->languageName())
        return Value::type(Type(*type));
    if (name == "pi32_t")
      return Value::type(Type(ElementType(ScalarType::int32, 1)));
  }
  // Names of older versions: what tl.math once had is in libdevice, and what is there may be in tl.
  if (path == "triton.language.math")
    return moduleMember("triton.language.extra.libdevice", name);
  return {};
}

std::vector<std::string> moduleMembers(llvm::StringRef path) {
  path = canonical(path);
  std::vector<std::string> names = builtinNames(tableOf(path));
  if (path == "triton.language")
    for (const ParsedFile &file : libraryFiles())
      for (const ast::FunctionStmt *function : file.functions())
        if (!llvm::StringRef(function->name).starts_with("_"))
          names.push_back(function->name);
  return names;
}

//===-- The library ---------------------------------------------------------------------------===//

static ParsedFile parseLibrary(const EmbeddedFile &text) {
  // Owned for the life of the process, like the text itself.
  static Sources sources;
  Diagnostics diagnostics;
  ParsedFile file;
  file.source = sources.add(text.name, text.text);
  file.statements = parseFile(*file.source, diagnostics);
  file.isLibrary = true;
  assert(!diagnostics.hasErrors() && "the library has a syntax error");
  return file;
}

llvm::ArrayRef<ParsedFile> libraryFiles() {
  static const std::vector<ParsedFile> files = [] {
    std::vector<ParsedFile> result;
    for (const EmbeddedFile &text : embeddedLibrary())
      result.push_back(parseLibrary(text));
    return result;
  }();
  return files;
}

} // namespace teeny::lang
