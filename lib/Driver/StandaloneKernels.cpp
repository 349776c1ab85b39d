#include "Driver/StandaloneKernels.h"

#include "Driver/BuildManifest.h"
#include "Language/Tuning.h"
#include "Support/Suggest.h"
#include "Tile/IR/Tile.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace teeny;

// The kernel of FILE.py::FUNC.
const KernelInfo *StandaloneKernels::findKernel(const std::string &text, const KernelFile *&file) {
  auto [path, function] = StringRef(text).rsplit("::");
  auto [entry, isNew] = files.try_emplace(path.str());
  if (isNew) {
    std::string reason;
    if (const Source *source = sources.readFile(path, reason))
      entry->second = KernelFile::parse(source, diagnostics, &sources);
    else
      diagnostics.error({}, "cannot read '" + path.str() + "': " + reason)
          .didYouMean(nearestFile(path));
  }
  file = entry->second.get();
  if (!file)
    return nullptr;
  if (const KernelInfo *kernel = file->find(function))
    return kernel;
  SourceLocation whole;
  whole.source = file->source();
  Diagnostic &error = diagnostics.error(
      whole, function.empty() ? "no kernel is named: write FILE.py::FUNC"
                              : "no kernel '" + function.str() + "' in this file");
  file->suggestKernel(error, function);
  return nullptr;
}

void StandaloneKernels::readRanges() {
  for (const std::string &text : options.ranges) {
    std::optional<NamedRange> range = parseRange(sources.add("--range", text), diagnostics);
    if (!range)
      continue;
    std::vector<std::string> names;
    bool used = false;
    for (Kernel &kernel : kernels) {
      for (const KernelParameter &parameter : kernel.info->parameters)
        names.push_back(parameter.name);
      if (!kernel.info->find(range->name))
        continue;
      used = true;
      applyRange(*range, *kernel.info, kernel.specs, diagnostics);
    }
    if (!used)
      diagnostics
          .error(range->place,
                 "'" + kernels.front().info->name + "' has no parameter '" + range->name + "'")
          .didYouMean(nearest(range->name, names))
          .note(kernels.front().info->location, "the kernel");
  }
}

void StandaloneKernels::readGlobals() {
  for (const std::string &text : options.globals)
    if (auto global = parseGlobal(sources.add("--global", text), *kernels.front().file->source(),
                                  diagnostics))
      generation.globals.insert_or_assign(global->first, global->second);
}

bool StandaloneKernels::read() {
  generation.checkAssertions = options.debug;
  if (!options.fp32Dot.empty())
    generation.fp32Dot =
        options.fp32Dot == "ieee" ? lang::DotPrecision::ieee : lang::DotPrecision::tf32;
  for (size_t i = 0; i < options.signatures.size(); ++i) {
    Kernel kernel;
    kernel.info = findKernel(options.kernels[std::min(i, options.kernels.size() - 1)], kernel.file);
    if (!kernel.info)
      continue;
    const Source *text = sources.add("--signature", options.signatures[i]);
    if (auto specs = parseSignature(text, *kernel.info, diagnostics))
      kernel.specs = std::move(*specs);
    kernels.push_back(std::move(kernel));
  }
  if (diagnostics.hasErrors())
    return false;
  readRanges();
  readGlobals();
  return !diagnostics.hasErrors();
}

bool StandaloneKernels::pickConfig(Kernel &kernel, MLIRContext *context) {
  TuningSpace space = tuningSpace(*kernel.file, kernel.info->name, generation, context);
  const std::string &wanted = options.config;
  if (!space.isKnown) {
    if (wanted.empty())
      return true;
    SourceLocation place = space.isTuned ? space.place : kernel.info->location;
    diagnostics
        .error(place, space.isTuned ? "only Python can tell the configs of this autotuner"
                                    : "'" + kernel.info->name + "' has no @triton.autotune")
        .suggest("give the values in the signature");
    return false;
  }
  const TuningConfig *chosen = nullptr;
  size_t number = 0;
  if (!StringRef(wanted).getAsInteger(10, number))
    chosen = number < space.configs.size() ? &space.configs[number] : nullptr;
  else
    for (const TuningConfig &config : space.configs)
      if (!chosen && config.matches(wanted))
        chosen = &config;
  if (!chosen) {
    Diagnostic &error = diagnostics.error(space.place, "no config '" + wanted + "' among the " +
                                                           std::to_string(space.configs.size()) +
                                                           " of this autotuner");
    error.suggest("the first is 0: " + space.configs.front().text());
    return false;
  }
  for (const auto &[name, value] : chosen->values) {
    bool isGiven = llvm::any_of(
        kernel.specs, [&name = name](const ParamSpec &spec) { return spec.name == name; });
    if (isGiven)
      continue;
    if (!kernel.info->find(name)) {
      diagnostics
          .error(space.place, "the config " + chosen->text() + " sets '" + name + "', but '" +
                                  kernel.info->name + "' has no such parameter")
          .note(kernel.info->location, "the kernel");
      return false;
    }
    ParamSpec spec;
    spec.name = name;
    spec.kind = ParamSpec::constexprValue;
    spec.value = value;
    kernel.specs.push_back(std::move(spec));
  }
  if (chosen->numWarps) {
    int64_t warps = *chosen->numWarps;
    if (warps < 1 || warps > 32 || !llvm::isPowerOf2_64(warps)) {
      diagnostics.error(space.place, "num_warps of the config " + chosen->text() +
                                         " is no power of two from 1 to 32");
      return false;
    }
    kernel.numWarps = int(warps);
  }
  if (chosen->numStages)
    kernel.numStages = int(std::clamp<int64_t>(*chosen->numStages, 1, 16));
  return true;
}

bool StandaloneKernels::tune(Kernel &kernel, MLIRContext *context) {
  const KernelInfo &info = *kernel.info;
  if (!pickConfig(kernel, context) ||
      !applyHeuristics(*kernel.file, info.name, generation, context, kernel.specs, diagnostics))
    return false;
  kernel.numWarps = options.numWarps.value_or(kernel.numWarps);
  kernel.numStages = options.numStages.value_or(kernel.numStages);
  for (const KernelParameter &parameter : info.parameters) {
    bool isGiven = llvm::any_of(kernel.specs,
                                [&](const ParamSpec &spec) { return spec.name == parameter.name; });
    if (isGiven || parameter.hasDefault)
      continue;
    diagnostics
        .error(parameter.location, "neither the signature nor a decorator of '" + info.name +
                                       "' gives '" + parameter.name + "' a value")
        .suggest("give it in the signature: '" + parameter.name + "=...'");
    return false;
  }
  return true;
}

bool StandaloneKernels::generate(ModuleOp module) {
  for (Kernel &kernel : kernels) {
    kernel.symbol = kernel.info->name;
    for (unsigned i = 2; module.lookupSymbol(kernel.symbol); ++i)
      kernel.symbol = kernel.info->name + "_" + std::to_string(i);
    if (!tune(kernel, module.getContext()))
      continue;
    generation.symbolName = kernel.symbol;
    generation.numWarps = kernel.numWarps;
    func::FuncOp function = generateKernel(*kernel.file, kernel.info->name, kernel.specs,
                                           generation, module, diagnostics);
    assert((function || diagnostics.hasErrors()) && "a kernel fails with an error");
    if (!function)
      continue;
    if (kernel.symbol != kernel.info->name)
      function->setAttr(tile::functionAttr,
                        StringAttr::get(module.getContext(), kernel.info->name));
    if (kernel.numStages != tile::numStages(module))
      function->setAttr(tile::numStagesAttr,
                        Builder(module.getContext()).getI32IntegerAttr(kernel.numStages));
    FailureOr<SmallVector<PointerUses>> uses = findPointerUses(function);
    assert(succeeded(uses) && "the analysis accepts what the front end makes");
    kernel.uses = std::move(*uses);
  }
  return !diagnostics.hasErrors();
}

// A default as the source has it, which may be any bytes.
static std::string printable(std::string text) {
  for (char &c : text)
    if (uint8_t(c) < ' ' || c == '\x7f')
      c = ' ';
  constexpr size_t most = 200;
  return text.size() <= most ? text : text.substr(0, most) + "...";
}

Manifest StandaloneKernels::describe(ModuleOp module) const {
  Manifest manifest;
  manifest.name = kernels.front().info->name;
  for (const Kernel &kernel : kernels) {
    ManifestKernel entry =
        describeKernel(module.lookupSymbol<func::FuncOp>(kernel.symbol), sources);
    size_t next = 0; // among the run-time parameters
    for (const KernelParameter &parameter : kernel.info->parameters) {
      auto spec = llvm::find_if(kernel.specs, [&](const ParamSpec &candidate) {
        return candidate.name == parameter.name;
      });
      if (spec == kernel.specs.end()) {
        entry.constants.push_back({parameter.name, printable(parameter.defaultText)});
        continue;
      }
      if (spec->kind == ParamSpec::constexprValue) {
        entry.constants.push_back({parameter.name, constText(spec->value)});
        continue;
      }
      KernelParam &param = entry.params[next];
      param.type = signatureType(*spec);
      param.multipleOf = spec->divisibility;
      param.range = spec->range;
      param.written = kernel.uses[next].written;
      ++next;
    }
    assert(next == entry.params.size() && "parameters are in source order");
    manifest.kernels.push_back(std::move(entry));
  }
  return manifest;
}
