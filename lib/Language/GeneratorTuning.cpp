// Autotuners and heuristics: their decorators carried out as host code.
#include "Language/Generator.h"
#include "Language/Signature.h"
#include "Language/Tuning.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace teeny::lang {

using namespace ast;

static std::optional<ConstValue> constOf(const Value &value) {
  if (value.isNone())
    return ConstValue();
  if (auto *boolean = value.constantOf<bool>())
    return ConstValue(*boolean);
  if (std::optional<Integer> integer = value.asInteger())
    return *integer >= INT64_MIN && *integer <= INT64_MAX
               ? std::optional<ConstValue>(int64_t(*integer))
               : std::nullopt;
  if (auto *number = value.constantOf<double>())
    return ConstValue(*number);
  if (const std::string *text = value.asString())
    return ConstValue(*text);
  if (const Type *type = value.asType(); type && !type->isTile() && !type->element.isPointer())
    return ConstValue(type->element.scalar);
  return std::nullopt;
}

const FunctionStmt *Generator::kernelNamed(const KernelFile &file, llvm::StringRef name) {
  for (const FunctionStmt *function : file.parsed().functions())
    if (function->name == name)
      return function;
  return nullptr;
}

// The argument KEYWORD=..., or the first, of a decorator of this name; null if it is another.
static const Expr *decoratorArgument(const Expr &decorator, llvm::StringRef name,
                                     llvm::StringRef keyword) {
  auto *call = llvm::dyn_cast<CallExpr>(&decorator);
  if (!call || lastName(call->callee.get()) != name)
    return nullptr;
  for (const Keyword &given : call->keywords)
    if (given.name == keyword)
      return given.value.get();
  return call->arguments.empty() ? nullptr : call->arguments.front().get();
}

static std::optional<TuningConfig> configOf(const Value &value) {
  const TupleValue *pair = value.tuple();
  if (!pair || pair->items.size() != 2 || !pair->items[0].dict() || !pair->items[1].dict())
    return std::nullopt;
  TuningConfig config;
  for (const auto &[name, item] : pair->items[0].dict()->items) {
    std::optional<ConstValue> known = constOf(item);
    if (!known)
      return std::nullopt;
    config.values.emplace_back(name, std::move(*known));
  }
  for (const auto &[name, item] : pair->items[1].dict()->items) {
    std::optional<Integer> number = item.asInteger();
    if (!number || *number < 0 || *number > 1024)
      return std::nullopt;
    (name == "num_warps" ? config.numWarps : config.numStages) = int64_t(*number);
  }
  return config;
}

TuningSpace Generator::tuningSpace(const KernelFile &file, llvm::StringRef name) {
  TuningSpace space;
  const FunctionStmt *function = kernelNamed(file, name);
  for (const ExprPtr &decorator : function->decorators) {
    const Expr *configs = decoratorArgument(*decorator, "autotune", "configs");
    if (!configs || space.isTuned)
      continue;
    Module &module = moduleOf(file.parsed());
    space.isTuned = true;
    space.place = locate(module, decorator->span);
    Value list = hostValue(module, *configs);
    if (!list.tuple() || list.tuple()->items.empty())
      continue;
    space.isKnown = true;
    for (const Value &item : list.tuple()->items) {
      std::optional<TuningConfig> config = configOf(item);
      space.isKnown &= config.has_value();
      if (config)
        space.configs.push_back(std::move(*config));
    }
    if (!space.isKnown)
      space.configs.clear();
  }
  return space;
}

bool Generator::applyHeuristics(const KernelFile &file, llvm::StringRef name,
                                std::vector<ParamSpec> &specs) {
  const FunctionStmt *function = kernelNamed(file, name);
  const KernelInfo &info = *file.find(name);
  Module &module = moduleOf(file.parsed());
  auto specOf = [&](llvm::StringRef parameter) {
    return llvm::find_if(specs, [&](const ParamSpec &spec) { return spec.name == parameter; });
  };
  for (const ExprPtr &decorator : function->decorators) {
    const Expr *values = decoratorArgument(*decorator, "heuristics", "values");
    if (!values)
      continue;
    Value dict = hostValue(module, *values);
    if (!dict.dict()) {
      diagnostics
          .error(locate(module, decorator->span), "these heuristics are not known at compile time")
          .suggest("give what they compute in the signature, and leave them out");
      return false;
    }
    for (const auto &[parameter, rule] : dict.dict()->items) {
      if (!info.find(parameter) || specOf(parameter) != specs.end())
        continue;
      auto arguments = std::make_shared<DictValue>();
      for (const KernelParameter &other : info.parameters) {
        auto spec = specOf(other.name);
        Value known = Constant(Unknown{"'" + other.name + "' is known only at run time", true});
        if (spec == specs.end())
          known = Constant(Unknown{"'" + other.name + "' has no value yet"});
        else if (spec->kind == ParamSpec::constexprValue)
          known = fromConst(spec->value);
        else if (spec->known)
          known = Value::integer(*spec->known);
        arguments->items.emplace_back(other.name, std::move(known));
      }
      Frame host;
      host.module = &module;
      host.isHost = true;
      frame = &host;
      ++quiet;
      Arguments passed;
      passed.positional.push_back(Value(std::shared_ptr<const DictValue>(std::move(arguments))));
      Value result = call(rule, std::move(passed));
      --quiet;
      frame = nullptr;
      std::optional<ConstValue> value = result ? constOf(result) : std::nullopt;
      if (!value) {
        diagnostics
            .error(locate(module, decorator->span),
                   "the heuristic for '" + parameter + "' of '" + info.name +
                       "' asks for what is known only at run time, or is Python")
            .note(info.find(parameter)->location, "the parameter")
            .suggest("give the parameter a value in the signature: '" + parameter + "=...'");
        return false;
      }
      ParamSpec spec;
      spec.name = parameter;
      spec.kind = ParamSpec::constexprValue;
      spec.value = std::move(*value);
      specs.push_back(std::move(spec));
    }
  }
  return true;
}

} // namespace teeny::lang

namespace teeny {

std::string TuningConfig::text() const {
  std::vector<std::string> parts;
  for (const auto &[name, value] : values)
    parts.push_back(name + "=" + constText(value));
  if (numWarps)
    parts.push_back("num_warps=" + std::to_string(*numWarps));
  if (numStages)
    parts.push_back("num_stages=" + std::to_string(*numStages));
  return llvm::join(parts, ", ");
}

bool TuningConfig::matches(llvm::StringRef wanted) const {
  std::string all = text();
  llvm::SmallVector<llvm::StringRef> parts, mine;
  wanted.split(parts, ',', -1, /*KeepEmpty=*/false);
  llvm::StringRef(all).split(mine, ", ");
  return llvm::all_of(parts,
                      [&](llvm::StringRef part) { return llvm::is_contained(mine, part.trim()); });
}

TuningSpace tuningSpace(const KernelFile &file, llvm::StringRef function,
                        const GenerateOptions &options, mlir::MLIRContext *context) {
  Diagnostics ignored;
  return lang::Generator(context, options, ignored).tuningSpace(file, function);
}

bool applyHeuristics(const KernelFile &file, llvm::StringRef function,
                     const GenerateOptions &options, mlir::MLIRContext *context,
                     std::vector<ParamSpec> &specs, Diagnostics &diagnostics) {
  return lang::Generator(context, options, diagnostics).applyHeuristics(file, function, specs);
}

} // namespace teeny
