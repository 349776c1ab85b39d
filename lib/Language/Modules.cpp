// The modules that the compiler knows, by their dotted names, whatever way they are imported.
#include "Language/Builtins.h"
#include "Language/EmbeddedLibrary.h"
#include "Language/Module.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

#include <deque>
#include <mutex>

namespace teeny::lang {

static llvm::ArrayRef<Builtin> (*const families[])() = {
    pythonBuiltins, hostBuiltins, memoryBuiltins, descriptorBuiltins, assemblyBuiltins,
    shapeBuiltins,  mathBuiltins, floatBuiltins,  reductionBuiltins};

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

// What the kernels that PyTorch's inductor writes import: its functions are the library's, with
// `helper_` before their names.
static constexpr llvm::StringLiteral helpersModule = "torch._inductor.runtime.triton_helpers";

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
      .Case("torch._inductor.triton_helpers", helpersModule)
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

// Modules of which host code needs constants and functions; what else is in them is not known.
static bool isHostModule(llvm::StringRef path) {
  return llvm::StringSwitch<bool>(path)
      .Cases({"torch._inductor", "torch._inductor.runtime"}, true)
      .Cases({"math", "os", "os.environ", "packaging", "packaging.version", "operator", "torch"},
             true)
      .Default(false);
}

static bool isKnownModule(llvm::StringRef path) {
  return tableOf(path) || isHostModule(path) || path == helpersModule ||
         path == "triton.language.target_info" || path.starts_with("torch.finfo.") ||
         path.starts_with("torch.iinfo.") || path == "triton.language.extra" ||
         path == "triton.language.extra.cuda" || path == "triton.language.PropagateNan";
}

bool isPythonModule(llvm::StringRef path) {
  return isHostModule(path) || (path.starts_with("torch.") && path != helpersModule);
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
  if (path == helpersModule && name == "math")
    return importModule("triton.language.math");
  if (path == helpersModule && name == "libdevice")
    return importModule("triton.language.extra.libdevice");
  if (const Builtin *builtin = findBuiltin(name, tableOf(path)))
    return Constant(BuiltinRef{builtin});
  std::string inner = (path + "." + name).str();
  if (const Builtin *builtin = findBuiltin(inner, Builtin::host))
    return Constant(BuiltinRef{builtin});
  if (Value value = hostConstant(path, name))
    return value;
  if (isKnownModule(canonical(inner)))
    return importModule(inner);
  // An enumeration, whose members are known by their values.
  if (path == "triton.language.PropagateNan" && (name == "ALL" || name == "NONE"))
    return Value::integer(name == "ALL" ? 0xFFFF : 0);
  if (path == "triton" && name == "__version__")
    return Value::string("3.6.0");
  if (path == "triton.language") {
    if (std::optional<ScalarType> type = ScalarType::parse(name))
      if (name == type->languageName())
        return Value::type(Type(*type));
    if (name == "TRITON_MAX_TENSOR_NUMEL")
      return Value::integer(1 << 20);
    if (name == "pi32_t")
      return Value::type(Type(ElementType(ScalarType::int32, 1)));
  }
  // Names of older versions: what tl.math once had is in libdevice, and what is there may be in tl.
  if (path == "triton.language.math")
    return moduleMember("triton.language.extra.libdevice", name);
  return {};
}

//===-- The library ---------------------------------------------------------------------------===//

namespace {
// The library's files, each parsed when a function of it is first asked for: most kernels need few.
struct Library {
  llvm::StringMap<unsigned> files; // where a function is defined
  std::deque<ParsedFile> parsed;   // without a source until it is parsed
  std::mutex mutex;
  Sources sources; // owned for the life of the process, like the text itself

  Library();
  static Library &get() {
    static Library library;
    return library;
  }
};

Library::Library() : parsed(embeddedLibrary().size()) {
  for (auto [number, file] : llvm::enumerate(embeddedLibrary())) {
    llvm::StringRef text = file.text, start = "\ndef ";
    for (size_t at = 0; (at = text.find(start, at)) != llvm::StringRef::npos;) {
      at += start.size();
      [[maybe_unused]] bool isNew =
          files.try_emplace(text.slice(at, text.find('(', at)), number).second;
      assert(isNew && "a name is defined twice in the library");
    }
  }
}
} // namespace

const ParsedFile *libraryFileOf(llvm::StringRef function) {
  Library &library = Library::get();
  auto found = library.files.find(function);
  if (found == library.files.end())
    return nullptr;
  ParsedFile &file = library.parsed[found->second];
  std::lock_guard<std::mutex> lock(library.mutex);
  if (!file.source) {
    const EmbeddedFile &text = embeddedLibrary()[found->second];
    Diagnostics diagnostics;
    file.source = library.sources.add(text.name, text.text);
    file.statements = parseFile(*file.source, diagnostics);
    file.isLibrary = true;
    assert(!diagnostics.hasErrors() && "the library has a syntax error");
  }
  return &file;
}

std::string libraryName(llvm::StringRef path, llvm::StringRef name) {
  return (canonical(path) == helpersModule ? "helper_" : "") + name.str();
}

// math*.py are behind functions of the compiler, libdevice*.py are libdevice's, others tl's.
bool isLibraryMember(llvm::StringRef path, llvm::StringRef function) {
  path = canonical(path);
  Library &library = Library::get();
  auto found = library.files.find(function);
  if (found == library.files.end() || function.starts_with("_"))
    return false;
  llvm::StringRef file = embeddedLibrary()[found->second].name;
  if (file == "lang/inductor.py")
    return path == helpersModule;
  if (path == "triton.language")
    return !file.starts_with("lang/math") && !file.starts_with("lang/libdevice");
  return (tableOf(path) & (Builtin::math | Builtin::libdevice)) &&
         file.starts_with("lang/libdevice");
}

std::vector<std::string> moduleMembers(llvm::StringRef path) {
  path = canonical(path);
  std::vector<std::string> names = builtinNames(tableOf(path));
  for (const auto &entry : Library::get().files)
    if (isLibraryMember(path, entry.first()))
      names.push_back(entry.first().drop_front(path == helpersModule ? 7 : 0).str());
  return names;
}

} // namespace teeny::lang
