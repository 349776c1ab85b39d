// Names: local, global, imported, and Python's own.
#include "Language/Generator.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <utility>

namespace teeny::lang {

using namespace ast;

static Value unknownGlobal(const std::string &name, const std::string &why) {
  return Constant(Unknown{"the global '" + name + "' is " + why +
                          ", which is not known at compile time; set it with --global " + name +
                          "=VALUE if it is a constant"});
}

Value Generator::lookup(const std::string &name) {
  auto read = [&](const Value &value) -> Value {
    auto *unknown = value.constantOf<Unknown>();
    if (unknown && !quiet) {
      fail(unknown->why);
      return {};
    }
    auto *function = value.constantOf<FunctionRef>();
    if (function && function->function->role == FunctionStmt::host && !isCompileTime()) {
      fail(unknownGlobal(name, "a host function").constantOf<Unknown>()->why);
      return {};
    }
    return value;
  };
  auto local = frame->scope.find(name);
  if (local != frame->scope.end())
    return read(local->second);
  auto global = frame->module->names.find(name);
  if (global != frame->module->names.end())
    return read(global->second);
  if (const Builtin *builtin = findBuiltin(name, Builtin::python))
    return Constant(BuiltinRef{builtin});
  if (frame->module->file.isLibrary)
    if (Value function = libraryFunction(name))
      return function;
  if (!frame->module->file.isLibrary && frame->isHost)
    return Constant(Unknown{"'" + name + "' is not known at compile time"});
  std::vector<std::string> names = builtinNames(Builtin::python);
  for (const auto &[other, value] : frame->scope)
    names.push_back(other);
  for (const auto &[other, value] : frame->module->names)
    names.push_back(other);
  std::string near = nearest(name, names);
  fail("'" + name + "' is not defined", near.empty() ? "" : "did you mean '" + near + "'?");
  return {};
}

Module &Generator::moduleOf(const ParsedFile &file) {
  std::unique_ptr<Module> &module = modules[&file];
  if (module)
    return *module;
  module = std::make_unique<Module>(file);
  // What the caller sets counts for the conditions of the module, too.
  if (!file.isLibrary)
    for (const auto &[name, value] : options.globals)
      module->names[name] = fromConst(value);
  Module &result = *module;
  execute(result, file.statements);
  return result;
}

// The value of an expression at module level; Unknown if it takes Python to tell.
Value Generator::hostValue(Module &module, const Expr &expr) {
  Frame host;
  host.module = &module;
  host.isHost = true;
  Frame *saved = frame;
  Span savedPlace = where;
  bool savedFailed = failed;
  unsigned savedUnrolled = std::exchange(unrolled, hostSteps), savedCalls = calls;
  frame = &host;
  ++quiet;
  Value value = expression(expr);
  --quiet;
  hostSteps = std::exchange(unrolled, savedUnrolled);
  calls = savedCalls;
  frame = saved;
  where = savedPlace;
  failed = savedFailed;
  return value ? value : Value(Constant(Unknown{}));
}

// What the questions of host code to the machine come to: kernels are for GPUs with CUDA.
static std::optional<bool> platform(const Expr &expr) {
  if (auto *call = llvm::dyn_cast<CallExpr>(&expr))
    return platform(*call->callee);
  std::string name;
  if (auto *plain = llvm::dyn_cast<NameExpr>(&expr))
    name = llvm::StringRef(plain->name).lower();
  if (auto *attribute = llvm::dyn_cast<AttributeExpr>(&expr))
    name = llvm::StringRef(attribute->name).lower();
  llvm::StringRef word = llvm::StringRef(name).ltrim('_');
  for (llvm::StringRef verb : {"is_", "has_", "use_", "on_"})
    if (word.consume_front(verb))
      return llvm::StringSwitch<std::optional<bool>>(word)
          .Cases({"hip", "rocm", "amd", "xpu", "intel", "npu", "mps", "cpu", "musa"}, false)
          .Cases({"cuda", "nvidia", "cuda_alike", "triton"}, true)
          .Default(std::nullopt);
  return std::nullopt;
}

// The truth of a condition of host code, as far as it goes.
std::optional<bool> Generator::hostTruth(Module &module, const Expr &expr) {
  if (std::optional<bool> known = constantTruth(hostValue(module, expr)))
    return known;
  if (auto *node = llvm::dyn_cast<UnaryExpr>(&expr); node && node->op == UnaryOp::logicalNot) {
    std::optional<bool> inner = hostTruth(module, *node->operand);
    return inner ? std::optional<bool>(!*inner) : std::nullopt;
  }
  if (auto *node = llvm::dyn_cast<BooleanExpr>(&expr)) {
    bool all = true;
    for (const ExprPtr &value : node->values) {
      std::optional<bool> known = hostTruth(module, *value);
      if (known && *known != node->isAnd)
        return known;
      all &= known.has_value();
    }
    return all ? std::optional<bool>(node->isAnd) : std::nullopt;
  }
  return platform(expr);
}

// A name that both branches of a condition set which only Python can tell.
Value Generator::choice(const std::string &name, Value first, Value second,
                        const IfStmt &statement) {
  if (identical(first, second) || second.constantOf<Unknown>())
    return first;
  if (first.constantOf<Unknown>())
    return second;
  return unknownGlobal(name, "set under a condition of the host at line " +
                                 std::to_string(statement.span.line));
}

// Under these names packages hand on Triton's own modules: `from vllm.triton_utils import tl`.
static Value handedOn(const std::string &name) {
  return importModule(llvm::StringSwitch<llvm::StringRef>(name)
                          .Case("triton", "triton")
                          .Case("tl", "triton.language")
                          .Cases({"libdevice", "tldevice"}, "triton.language.extra.libdevice")
                          .Default(name));
}

// Names from known modules, and from files beside this one.
void Generator::import(Module &module, const ImportStmt &statement) {
  auto fileNamed = [&](const std::string &name) -> const ParsedFile * {
    auto found = module.file.imports.find(name);
    return found == module.file.imports.end() ? nullptr : found->second;
  };
  auto asValue = [](const std::string &name, const ParsedFile *file) {
    return Value(Constant(ModuleRef{name, file}));
  };
  auto isGiven = [&](const std::string &name) {
    return !module.file.isLibrary && options.globals.count(name);
  };
  const ParsedFile *from = statement.isFrom ? fileNamed(statement.module) : nullptr;
  for (const ImportStmt::Name &name : statement.names) {
    Value value;
    if (!statement.isFrom) {
      const ParsedFile *file = fileNamed(name.name);
      bool isPackage = llvm::any_of(statement.inner, [&](const std::string &inner) {
        return llvm::StringRef(inner).starts_with(name.name + ".") && fileNamed(inner);
      });
      value = file || isPackage ? Value(Constant(ModuleRef{name.name, file, &module.file}))
                                : importModule(name.name);
    } else if (name.name == "*") {
      if (from)
        for (const auto &[other, item] : moduleOf(*from).names)
          if (!llvm::StringRef(other).starts_with("_"))
            module.names[other] = item;
      continue;
    } else {
      std::string inner = memberModule(statement.module, name.name);
      if (from)
        value = globalOf(*from, name.name);
      if (const ParsedFile *file = value ? nullptr : fileNamed(inner))
        value = asValue(inner, file);
      if (!value)
        value = member(statement.module, name.name);
      if (!value)
        value = importModule(inner);
      if (value.constantOf<Unknown>()) // what packages hand on
        value = handedOn(name.name);
    }
    if (isGiven(name.alias))
      continue;
    std::string origin = statement.isFrom ? statement.module : name.name;
    std::string whole = statement.isFrom          ? memberModule(origin, name.name)
                        : statement.inner.empty() ? name.name
                                                  : statement.inner.front();
    if (std::string extension = extensionOf(whole); !extension.empty())
      value = Constant(Unknown{"'" + name.alias + "' is of " + extension +
                               ", which the language does not have"});
    else if (!value || value.constantOf<Unknown>())
      value = unknownGlobal(name.alias, "imported from '" + origin + "'");
    module.names[name.alias] = std::move(value);
  }
}

// A name at the top of a file; invalid if there is none. Where files import each other, one of them
// is not through yet: its functions are known nevertheless.
Value Generator::globalOf(const ParsedFile &file, const std::string &name) {
  Module &module = moduleOf(file);
  auto found = module.names.find(name);
  if (found != module.names.end())
    return found->second;
  for (const FunctionStmt *function : file.functions())
    if (function->name == name)
      return Constant(FunctionRef{function, &module});
  return {};
}

// `a.b` after `import a.b.c`: a file of a package or, on the way to one, a folder; else invalid.
Value Generator::packageMember(const ModuleRef &package, const std::string &name) {
  std::string path = memberModule(package.path, name);
  const std::map<std::string, const ParsedFile *> &files = package.importer->imports;
  auto at = files.lower_bound(path);
  if (at == files.end() || !llvm::StringRef(at->first).starts_with(path))
    return {};
  if (at->first == path)
    return Constant(ModuleRef{path, at->second, package.importer});
  bool isFolder = at->first[path.size()] == '.';
  return isFolder ? Value(Constant(ModuleRef{path, nullptr, package.importer})) : Value();
}

// MODULE.NAME of a file; reports what is not there.
Value Generator::fileMember(const ParsedFile &file, const std::string &name) {
  Value value = globalOf(file, name);
  auto *function = value.constantOf<FunctionRef>();
  if (function && function->function->role == FunctionStmt::host && !isCompileTime())
    value = unknownGlobal(name, "a host function");
  auto *unknown = value.constantOf<Unknown>();
  if (value && !unknown)
    return value;
  std::vector<std::string> names;
  for (const auto &[other, item] : moduleOf(file).names)
    names.push_back(other);
  std::string near = nearest(name, names);
  fail(unknown ? unknown->why : "'" + file.source->name + "' has no '" + name + "'",
       unknown || near.empty() ? "" : "did you mean '" + near + "'?");
  return {};
}

// `triton.jit(f)`, `triton.autotune(...)(f)`: f, which is a kernel of the file; else null.
static const Expr *wrappedFunction(const Expr &expr) {
  auto *call = llvm::dyn_cast<CallExpr>(&expr);
  if (!call || call->arguments.size() != 1)
    return nullptr;
  auto isMaker = [](const Expr &callee) {
    const Expr *maker = &callee;
    if (auto *inner = llvm::dyn_cast<CallExpr>(maker))
      maker = inner->callee.get();
    llvm::StringRef name = lastName(maker);
    return name == "jit" || name == "autotune" || name == "heuristics";
  };
  const Expr *argument = call->arguments.front().get();
  if (!isMaker(*call->callee))
    return nullptr;
  if (const Expr *inner = wrappedFunction(*argument))
    return inner;
  return argument->kind == Expr::Name || argument->kind == Expr::Attribute ? argument : nullptr;
}

// Runs the statements of a module as far as they matter to kernels.
void Generator::execute(Module &module, const Block &block) {
  auto isGiven = [&](const std::string &name) {
    return !module.file.isLibrary && options.globals.count(name);
  };
  auto bind = [&](const Expr &target, const Value &value) {
    auto *name = llvm::dyn_cast<NameExpr>(&target);
    auto *targets = llvm::dyn_cast<TupleExpr>(&target);
    const TupleValue *tuple = value.tuple();
    if (name && !isGiven(name->name))
      module.names[name->name] = value.constantOf<Unknown>()
                                     ? unknownGlobal(name->name, "set by an expression of the host")
                                     : value;
    for (size_t i = 0; targets && i != targets->items.size(); ++i)
      if (auto *item = llvm::dyn_cast<NameExpr>(targets->items[i].get()))
        module.names[item->name] =
            tuple && i < tuple->items.size()
                ? tuple->items[i]
                : unknownGlobal(item->name, "set by an expression of the host");
  };
  for (const StmtPtr &statement : block) {
    if (auto *node = llvm::dyn_cast<ImportStmt>(statement.get())) {
      import(module, *node);
    } else if (auto *node = llvm::dyn_cast<AssignStmt>(statement.get())) {
      const Expr *wrapped = wrappedFunction(*node->value);
      Value value = hostValue(module, wrapped ? *wrapped : *node->value);
      for (const ExprPtr &target : node->targets)
        bind(*target, value);
    } else if (auto *node = llvm::dyn_cast<AnnotatedAssignStmt>(statement.get())) {
      if (node->value)
        bind(*node->target, hostValue(module, *node->value));
    } else if (auto *node = llvm::dyn_cast<AugmentedAssignStmt>(statement.get())) {
      bind(*node->target, Constant(Unknown{}));
    } else if (auto *node = llvm::dyn_cast<FunctionStmt>(statement.get())) {
      module.names[node->name] = Constant(FunctionRef{node, &module});
    } else if (auto *node = llvm::dyn_cast<OpaqueStmt>(statement.get())) {
      for (const std::string &name : node->names)
        if (!isGiven(name))
          module.names[name] = unknownGlobal(name, node->what);
    } else if (auto *node = llvm::dyn_cast<IfStmt>(statement.get())) {
      if (std::optional<bool> known = hostTruth(module, *node->test)) {
        execute(module, *known ? node->body : node->orelse);
        continue;
      }
      // What differs between the two branches is unknown.
      auto before = module.names;
      execute(module, node->orelse);
      auto otherwise = module.names;
      module.names = std::move(before);
      execute(module, node->body);
      for (auto &[name, value] : module.names) {
        auto other = otherwise.find(name);
        if (other != otherwise.end())
          value = choice(name, value, other->second, *node);
      }
      for (auto &[name, value] : otherwise)
        module.names.emplace(name, value);
    } else if (auto *node = llvm::dyn_cast<TryStmt>(statement.get())) {
      // Imports succeed where the compiler knows the module; where it does not, the handler's may.
      execute(module, node->body);
      auto known = module.names;
      execute(module, node->handlers);
      for (auto &[name, value] : known)
        if (!value.constantOf<Unknown>())
          module.names[name] = value;
      execute(module, node->orelse);
    }
  }
}

// The member of a known module, or an invalid value.
Value Generator::member(llvm::StringRef module, llvm::StringRef name) {
  Value value = moduleMember(module, name);
  std::string function = libraryName(module, name);
  return value || !isLibraryMember(module, function) ? value : libraryFunction(function);
}

Value Generator::libraryFunction(llvm::StringRef name) {
  const ParsedFile *file = libraryFileOf(name);
  if (!file)
    return {};
  const std::map<std::string, Value> &names = moduleOf(*file).names;
  auto found = names.find(name.str());
  assert(found != names.end() && "a function of the library is not at the top of its file");
  return found->second;
}

} // namespace teeny::lang
