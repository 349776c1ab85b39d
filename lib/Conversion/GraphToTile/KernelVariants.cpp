#include "Conversion/GraphToTile/KernelVariants.h"

#include "Conversion/GraphToTile/Epilogue.h"
#include "Language/Language.h"
#include "Tile/IR/Tile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace teeny;

namespace {

// What a parameter of a kernel is bound to.
struct Binding {
  const KernelParameter *param;
  NamedValue value;
  ParamSpec spec;
  bool isEpilogue = false; // of the function that is put into the kernel

  bool isRuntime() const { return spec.kind != ParamSpec::constexprValue && !spec.known; }
};

// A function made for one choice of parameters.
struct Specialization {
  func::FuncOp function; // null if it could not be compiled
  SmallVector<PointerUses> uses;
};

ScalarType scalarType(Type type) {
  if (type.isF64())
    return ScalarType::fp64;
  if (type.isF32())
    return ScalarType::fp32;
  if (type.isF16())
    return ScalarType::fp16;
  if (type.isBF16())
    return ScalarType::bf16;
  if (isa<Float8E4M3FNType>(type))
    return ScalarType::fp8e4nv;
  if (isa<Float8E5M2Type>(type))
    return ScalarType::fp8e5;
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 1)
    return ScalarType::int1;
  std::optional<ScalarType> integer = ScalarType::integer(bits, !type.isUnsignedInteger());
  assert(integer && "graphs have no other element types");
  return *integer;
}

ConstValue constValue(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValueAsDouble();
  if (auto text = dyn_cast<StringAttr>(value))
    return text.str();
  if (auto type = dyn_cast<TypeAttr>(value))
    return scalarType(type.getValue());
  if (auto boolean = dyn_cast<BoolAttr>(value))
    return boolean.getValue();
  if (auto integer = dyn_cast<IntegerAttr>(value))
    return integer.getInt();
  assert(isa<UnitAttr>(value) && "attributes have no other values");
  return std::monostate();
}

// What distinguishes one specialisation from another, as text.
std::string keyOf(const ParamSpec &spec) {
  std::string key = spec.name + ":" + std::to_string(spec.kind) + spec.type.name().str() + "/" +
                    std::to_string(spec.divisibility) + (spec.noalias ? "n" : "") +
                    (spec.readOnly ? "r" : "");
  if (spec.range)
    key += "[" + std::to_string(spec.range->first) + "," + std::to_string(spec.range->second) + "]";
  if (spec.known)
    key += "=" + std::to_string(*spec.known);
  if (auto *boolean = std::get_if<bool>(&spec.value))
    key += *boolean ? "=true" : "=false";
  else if (auto *integer = std::get_if<int64_t>(&spec.value))
    key += "=" + std::to_string(*integer);
  else if (auto *number = std::get_if<double>(&spec.value))
    key += "=f" + std::to_string(llvm::bit_cast<uint64_t>(*number));
  else if (auto *text = std::get_if<std::string>(&spec.value))
    key += "='" + std::to_string(text->size()) + "'" + *text;
  else if (auto *type = std::get_if<ScalarType>(&spec.value))
    key += "=" + type->name().str();
  return key + ";";
}

bool fitsInt32(const SymbolFacts &facts) {
  return facts.min >= INT32_MIN && facts.max <= INT32_MAX;
}

constexpr int64_t alignment = 16; // of memory in bytes, and what vector accesses ask of integers

} // namespace

struct KernelVariants::State {
  ModuleOp module;
  Sources &sources;
  Diagnostics &diagnostics;
  std::map<std::string, std::unique_ptr<KernelFile>> files; // null: has errors, already reported
  std::map<std::string, Specialization> made;
  std::map<std::string, std::string> epilogueFiles; // by their texts

  SourceLocation place(Operation *op) { return fromMLIR(op->getLoc(), sources); }
  SourceLocation placeOfArg(graph::KernelOp kernel, StringRef name);
  const KernelInfo *findKernel(Context &context, const KernelFile *&file);
  std::optional<std::vector<Binding>> bindParameters(Context &context, const KernelInfo &kernel);
  bool bindParameter(Context &context, const KernelInfo &kernel, Binding &binding);
  bool bindInteger(Context &context, Binding &binding);
  void bindTensor(Context &context, Binding &binding);
  const KernelFile *epilogueFile(graph::CallOp call);
  void bindEpilogue(Context &context, std::vector<Binding> &bindings);
  bool putEpilogue(Context &context, func::FuncOp function, const std::vector<Binding> &bindings,
                   Diagnostics &found);
  void markAliases(Context &context, std::vector<Binding> &bindings);
  const Specialization &specialize(Context &context, const KernelFile &file,
                                   const KernelInfo &kernel, const std::vector<Binding> &bindings,
                                   const std::string &suffix);
  std::string uniqueSymbol(std::string name);
};

KernelVariants::KernelVariants(ModuleOp module, Sources &sources, Diagnostics &diagnostics)
    : state(new State{module, sources, diagnostics, {}, {}, {}}) {}
KernelVariants::~KernelVariants() = default;

// Where the declaration's `args` has an entry of that name; the kernel's place if it has none.
SourceLocation KernelVariants::State::placeOfArg(graph::KernelOp kernel, StringRef name) {
  if (auto places = dyn_cast<FusedLoc>(kernel.getLoc()))
    for (Location part : places.getLocations()) {
      SourceLocation found = fromMLIR(part, sources);
      if (StringRef(found.jsonPath).ends_with((".args." + name).str()))
        return found;
    }
  return place(kernel);
}

const KernelInfo *KernelVariants::State::findKernel(Context &context, const KernelFile *&file) {
  graph::KernelOp op = context.kernel;
  std::string path = graph::pathOf(op, op.getFile());
  std::optional<StringRef> text = op->getParentOfType<graph::OpOp>().getSource();
  if (text)
    path = op.getFile().str();
  auto [entry, isNew] = files.try_emplace(path);
  if (isNew) {
    std::string reason;
    const Source *source = text ? sources.add(path, text->str()) : sources.find(path);
    if (!source)
      source = sources.readFile(path, reason);
    if (source)
      entry->second = KernelFile::parse(source, diagnostics, &sources);
    else
      diagnostics.error(place(op),
                        "cannot read kernel file '" + op.getFile().str() + "': " + reason);
  }
  file = entry->second.get();
  if (!file)
    return nullptr;
  const KernelInfo *kernel = file->find(op.getFunction());
  if (!kernel) {
    Diagnostic &error = diagnostics.error(place(op), "no kernel '" + op.getFunction().str() +
                                                         "' in '" + op.getFile().str() + "'");
    file->suggestKernel(error, op.getFunction());
  }
  return kernel;
}

void KernelVariants::State::bindTensor(Context &context, Binding &binding) {
  graph::CallOp call = context.call;
  graph::OpOp declaration = call.declaration();
  ParamSpec &spec = binding.spec;
  spec.kind = ParamSpec::pointer;
  spec.divisibility = alignment;
  spec.type = ScalarType::uint8; // scratch memory is bytes; kernels cast pointers to it
  for (auto tensor : declaration.getBlock().getOps<graph::DeclareOp>())
    if (tensor.getName() == binding.value.tensor) {
      spec.type = scalarType(call.resolveDtype(tensor.getDtype()));
      spec.readOnly = tensor.getRole() != graph::TensorRole::Output;
    }
  for (auto [index, extra] : llvm::enumerate(call.getExtras()))
    if (extraName(index) == binding.value.tensor) {
      spec.type = scalarType(graph::tensorType(extra).getDtype());
      spec.readOnly = true;
    }
}

bool KernelVariants::State::bindInteger(Context &context, Binding &binding) {
  graph::CallOp call = context.call;
  auto graph = call->getParentOfType<graph::GraphOp>();
  const Expr &value = binding.value.integer;
  ParamSpec &spec = binding.spec;
  const KernelParameter &param = *binding.param;

  if (param.isConstexpr) {
    std::optional<int64_t> constant = value.constant();
    if (!constant) {
      std::set<std::string> dims = value.symbols();
      diagnostics
          .error(placeOfArg(context.kernel, param.name),
                 "constexpr parameter '" + param.name +
                     "' must be known when compiling, but it is " + value.str() +
                     ", which depends on " +
                     listed(std::vector<std::string>(dims.begin(), dims.end())))
          .note(param.location, "the parameter")
          .note(place(call), "in this call");
      return false;
    }
    spec.kind = ParamSpec::constexprValue;
    spec.value = *constant;
    return true;
  }

  SymbolFacts facts = value.facts([&](const std::string &name) { return graph.factsOf(name); });
  spec.kind = ParamSpec::scalar;
  spec.type = fitsInt32(facts) ? ScalarType::int32 : ScalarType::int64;
  spec.known = value.constant();
  spec.range = {facts.min, facts.max};
  spec.divisibility = facts.multipleOf;
  if (param.annotation && param.annotation->isInteger()) {
    spec.type = *param.annotation;
    if (facts.min < spec.type.minimum() || facts.max > spec.type.maximum()) {
      diagnostics
          .error(placeOfArg(context.kernel, param.name),
                 "parameter '" + param.name + "' is declared as " + spec.type.name().str() +
                     ", but " + value.str() + " may be " + std::to_string(facts.min) + " to " +
                     std::to_string(facts.max))
          .note(param.location, "the parameter")
          .note(place(call), "in this call");
      return false;
    }
  }
  return true;
}

bool KernelVariants::State::bindParameter(Context &context, const KernelInfo &kernel,
                                          Binding &binding) {
  const KernelParameter &param = *binding.param;
  binding.spec.name = param.name;
  if (Attribute arg = context.kernel.getArgs().get(param.name)) {
    Result<NamedValue> value = context.names.read(arg);
    if (!value) {
      diagnostics.error(placeOfArg(context.kernel, param.name), value.error().message)
          .suggest("the declaration has " + listed(context.names.all()))
          .note(param.location, "the parameter");
      return false;
    }
    binding.value = *value;
  } else if (std::optional<NamedValue> value = context.names.find(param.name)) {
    binding.value = *value;
  } else {
    std::string near = nearest(param.name, context.names.all());
    diagnostics
        .error(place(context.kernel), "parameter '" + param.name + "' of kernel '" + kernel.name +
                                          "' is not bound: the declaration has no tensor, dim or "
                                          "attribute of that name, and 'args' does not mention it")
        .suggest(near.empty()
                     ? "bind it with \"args\": {\"" + param.name + "\": ...}"
                     : "did you mean '" + near + "'? rename it, or bind it with \"args\": {\"" +
                           param.name + "\": \"" + near + "\"}")
        .note(param.location, "the parameter");
    return false;
  }

  switch (binding.value.kind) {
  case NamedValue::Kind::tensor:
    if (param.isConstexpr) {
      diagnostics
          .error(placeOfArg(context.kernel, param.name), "constexpr parameter '" + param.name +
                                                             "' cannot be tensor '" +
                                                             binding.value.tensor + "'")
          .note(param.location, "the parameter");
      return false;
    }
    bindTensor(context, binding);
    return true;
  case NamedValue::Kind::integer:
    return bindInteger(context, binding);
  case NamedValue::Kind::constant:
    binding.spec.kind = ParamSpec::constexprValue;
    binding.spec.value = constValue(binding.value.constant);
    return true;
  }
  return false;
}

std::optional<std::vector<Binding>>
KernelVariants::State::bindParameters(Context &context, const KernelInfo &kernel) {
  bool ok = true;
  for (NamedAttribute arg : context.kernel.getArgs()) {
    if (kernel.find(arg.getName()))
      continue;
    std::vector<std::string> names;
    for (const KernelParameter &param : kernel.parameters)
      names.push_back(param.name);
    diagnostics
        .error(placeOfArg(context.kernel, arg.getName()),
               "kernel '" + kernel.name + "' has no parameter '" + arg.getName().str() + "'")
        .didYouMean(nearest(arg.getName(), names))
        .note(kernel.location, "the kernel");
    ok = false;
  }
  std::vector<Binding> bindings;
  for (const KernelParameter &param : kernel.parameters) {
    bool mentioned =
        context.kernel.getArgs().contains(param.name) || context.names.find(param.name);
    if (!mentioned && param.hasDefault)
      continue;
    Binding binding{&param, {}, {}, false};
    ok &= bindParameter(context, kernel, binding);
    bindings.push_back(std::move(binding));
  }
  if (!ok)
    return std::nullopt;
  return bindings;
}

//===-- Epilogues
//-------------------------------------------------------------------------------===//

const KernelFile *KernelVariants::State::epilogueFile(graph::CallOp call) {
  std::string text = call.getEpilogueSource()->str();
  auto [name, isNew] = epilogueFiles.try_emplace(text);
  if (isNew) {
    size_t number = epilogueFiles.size();
    name->second =
        "<generated>/epilogue" + (number == 1 ? "" : "_" + std::to_string(number)) + ".py";
    files[name->second] = KernelFile::parse(sources.add(name->second, text), diagnostics);
  }
  const KernelFile *file = files[name->second].get();
  assert(file && file->find("epilogue") && "the compiler wrote it");
  return file;
}

// The parameters of an epilogue's function that become arguments of the kernel.
void KernelVariants::State::bindEpilogue(Context &context, std::vector<Binding> &bindings) {
  size_t extra = 0;
  for (const KernelParameter &param : epilogueFile(context.call)->find("epilogue")->parameters) {
    if (llvm::is_contained({"value", "i", "inside", "out"}, param.name))
      continue;
    Binding binding{&param, {}, {}, true};
    binding.spec.name = param.name;
    if (auto value = context.call.getEpilogueArgs()->getAs<graph::ExprAttr>(param.name)) {
      binding.value.integer = value.getExpr();
      bool isBound = bindInteger(context, binding);
      assert(isBound && "no parameter of generated text is constexpr or annotated");
      (void)isBound;
    } else {
      binding.value.kind = NamedValue::Kind::tensor;
      binding.value.tensor = extraName(extra++);
      bindTensor(context, binding);
    }
    bindings.push_back(std::move(binding));
  }
}

// Puts the function before the stores of the output, which the fusion has looked at.
bool KernelVariants::State::putEpilogue(Context &context, func::FuncOp function,
                                        const std::vector<Binding> &bindings, Diagnostics &found) {
  if (!context.call.getEpilogueSource())
    return true;
  graph::DeclareOp output = context.call.declaration().tensors(graph::TensorRole::Output).front();
  std::optional<unsigned> index;
  std::vector<EpilogueParam> params;
  unsigned next = 0;
  for (const Binding &binding : bindings) {
    if (binding.isEpilogue) {
      params.push_back({binding.spec, binding.isRuntime()});
      continue;
    }
    if (binding.value.kind == NamedValue::Kind::tensor &&
        binding.value.tensor == output.getName()) {
      index = next;
      params.push_back({binding.spec, false});
      params.back().spec.name = "out";
    }
    next += binding.isRuntime();
  }
  return !index || addEpilogue(function, *index, *epilogueFile(context.call), params, found);
}

// Memory that is reached through one parameter only is said to be.
void KernelVariants::State::markAliases(Context &context, std::vector<Binding> &bindings) {
  auto sameMemory = [&](const Binding &a, const Binding &b) {
    if (a.value.tensor == b.value.tensor)
      return true;
    Value memory = context.memoryOf(a.value.tensor);
    return memory && memory == context.memoryOf(b.value.tensor);
  };
  for (Binding &binding : bindings)
    if (binding.spec.kind == ParamSpec::pointer)
      binding.spec.noalias = llvm::none_of(bindings, [&](const Binding &other) {
        return &other != &binding && other.spec.kind == ParamSpec::pointer &&
               sameMemory(binding, other);
      });
}

std::string KernelVariants::State::uniqueSymbol(std::string name) {
  std::string candidate = name;
  for (unsigned i = 2; module.lookupSymbol(candidate); ++i)
    candidate = name + "_" + std::to_string(i);
  return candidate;
}

const Specialization &KernelVariants::State::specialize(Context &context, const KernelFile &file,
                                                        const KernelInfo &kernel,
                                                        const std::vector<Binding> &bindings,
                                                        const std::string &suffix) {
  graph::KernelOp op = context.kernel;
  std::vector<ParamSpec> specs;
  std::string key = file.source()->name + "::" + kernel.name + ";" +
                    std::to_string(op.getNumWarps()) + ";" + std::to_string(op.getNumStages()) +
                    ";";
  for (int64_t max : context.gridMax)
    key += std::to_string(max) + ";";
  if (std::optional<StringRef> epilogue = context.call.getEpilogueSource())
    key += epilogueFiles.at(epilogue->str()) + ";";
  for (const Binding &binding : bindings) {
    if (!binding.isEpilogue)
      specs.push_back(binding.spec);
    key += keyOf(binding.spec);
  }
  auto [entry, isNew] = made.try_emplace(key);
  Specialization &result = entry->second;
  if (!isNew)
    return result;

  GenerateOptions options;
  options.symbolName = uniqueSymbol(kernel.name + suffix);
  options.numWarps = op.getNumWarps();
  Diagnostics found;
  result.function = generateKernel(file, kernel.name, specs, options, module, found);
  if (result.function && !putEpilogue(context, result.function, bindings, found)) {
    result.function.erase();
    result.function = {};
  }
  assert((result.function || found.hasErrors()) && "a kernel fails with an error");
  const Note note{place(context.call), "in a kernel of this call"};
  diagnostics.append(std::move(found), &note);
  if (!result.function)
    return result;
  OpBuilder builder(module.getContext());
  result.function->setAttr(tile::gridMaxAttr, builder.getDenseI64ArrayAttr(context.gridMax));
  if (int32_t(op.getNumStages()) != tile::numStages(module))
    result.function->setAttr(tile::numStagesAttr, builder.getI32IntegerAttr(op.getNumStages()));
  if (options.symbolName != kernel.name)
    result.function->setAttr(tile::functionAttr, builder.getStringAttr(kernel.name));
  FailureOr<SmallVector<PointerUses>> uses = findPointerUses(result.function);
  assert(succeeded(uses) && "the analysis accepts what the front end makes");
  result.uses = std::move(*uses);
  return result;
}

std::vector<KernelVariant> KernelVariants::bind(Context context) {
  const KernelFile *file = nullptr;
  const KernelInfo *kernel = state->findKernel(context, file);
  if (!kernel)
    return {};
  std::optional<std::vector<Binding>> bindings = state->bindParameters(context, *kernel);
  if (!bindings)
    return {};
  if (context.call.getEpilogueSource())
    state->bindEpilogue(context, *bindings);
  state->markAliases(context, *bindings);

  auto makeVariant = [&](const Specialization &made, const std::vector<Binding> &from) {
    KernelVariant variant;
    func::FuncOp function = made.function;
    variant.symbol = function.getSymNameAttr();
    for (const Binding &binding : from) {
      if (!binding.isRuntime())
        continue;
      unsigned index = variant.arguments.size();
      assert((binding.isEpilogue || function.getArgAttrOfType<StringAttr>(index, tile::nameAttr) ==
                                        binding.param->name) &&
             "parameters are in source order");
      variant.arguments.push_back({binding.param->name, binding.value, made.uses[index]});
    }
    return variant;
  };
  const Specialization &general = state->specialize(context, *file, *kernel, *bindings, "");
  if (!general.function)
    return {};
  std::vector<KernelVariant> variants = {makeVariant(general, *bindings)};

  // The integers that are used, and may be multiples of 16 although that is not certain.
  std::vector<Binding> aligned = *bindings;
  std::string condition;
  unsigned index = 0;
  func::FuncOp function = general.function;
  for (Binding &binding : aligned) {
    if (!binding.isRuntime())
      continue;
    Value argument = function.getArgument(index++);
    if (binding.spec.kind != ParamSpec::scalar || argument.use_empty() ||
        !binding.param->alignmentMatters || binding.spec.divisibility % alignment == 0)
      continue;
    std::string term =
        "(" + binding.value.integer.str() + ") % " + std::to_string(alignment) + " == 0";
    if (condition.find(term) == std::string::npos)
      condition += (condition.empty() ? "" : " and ") + term;
    // Both are powers of two times something; what is known is kept.
    binding.spec.divisibility = std::lcm(binding.spec.divisibility, alignment);
  }
  if (condition.empty())
    return variants;
  Result<Expr> guard = Expr::parse(condition);
  if (!guard)
    return variants; // too large a condition to be worth it; the general function serves all
  const Specialization &special = state->specialize(context, *file, *kernel, aligned, "_aligned");
  if (!special.function)
    return {};
  variants.insert(variants.begin(), makeVariant(special, aligned));
  variants.front().guard = *guard;
  return variants;
}
