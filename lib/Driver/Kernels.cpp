// What is in kernel files: their functions as text or JSON.
#include "Driver/Driver.h"

#include "Driver/ToolErrors.h"
#include "Language/FunctionText.h"
#include "Language/Signature.h"
#include "Language/Tuning.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace teeny;

static std::string assignments(const TuneConfig::Entries &entries) {
  return llvm::join(llvm::map_range(entries,
                                    [](const auto &entry) {
                                      return entry.first.empty() ? entry.second
                                                                 : entry.first + "=" + entry.second;
                                    }),
                    ", ");
}

static std::string textOf(const TuneConfig &config) {
  if (!config.text.empty())
    return config.text;
  TuneConfig::Entries all = config.values;
  all.insert(all.end(), config.options.begin(), config.options.end());
  return assignments(all);
}

// Configs that are no list, where it takes no Python to tell them.
static void listConfigs(const KernelFile &file, FunctionDescription &function,
                        mlir::MLIRContext *context) {
  if (function.configsText.empty())
    return;
  TuningSpace space = tuningSpace(file, function.name, GenerateOptions(), context);
  if (!space.isKnown)
    return;
  function.configsText.clear();
  for (const TuningConfig &config : space.configs) {
    TuneConfig &entry = function.configs.emplace_back();
    for (const auto &[name, value] : config.values)
      entry.values.emplace_back(name, constText(value));
    if (config.numWarps)
      entry.options.emplace_back("num_warps", std::to_string(*config.numWarps));
    if (config.numStages)
      entry.options.emplace_back("num_stages", std::to_string(*config.numStages));
  }
}

static void printText(const FunctionDescription &function, llvm::raw_ostream &os) {
  os << function.name << ", line " << function.line << ": "
     << (function.isEntry ? "entry" : "helper") << "\n";
  for (const KernelParameter &parameter : function.parameters) {
    os << "  " << parameter.name;
    if (!parameter.annotationText.empty())
      os << ": " << parameter.annotationText;
    if (parameter.hasDefault)
      os << " = " << parameter.defaultText;
    os << "\n";
  }
  if (!function.configs.empty() || !function.configsText.empty())
    os << "  autotuned for each " << llvm::join(function.key, ", ") << "\n";
  for (const TuneConfig &config : function.configs)
    os << "    " << textOf(config) << "\n";
  if (!function.configsText.empty())
    os << "    " << function.configsText << "\n";
  for (const auto &[name, how] : function.heuristics)
    os << "  heuristic " << (name.empty() ? how : name + " = " + how) << "\n";
}

static void printJson(const FunctionDescription &function, llvm::json::OStream &json) {
  auto entries = [&](llvm::StringRef key, const TuneConfig::Entries &list) {
    json.attributeObject(key, [&] {
      for (const auto &[name, value] : list)
        json.attribute(name, value);
    });
  };
  json.object([&] {
    json.attribute("name", function.name);
    json.attribute("line", function.line);
    json.attribute("entry", function.isEntry);
    json.attributeArray("parameters", [&] {
      for (const KernelParameter &parameter : function.parameters)
        json.object([&] {
          json.attribute("name", parameter.name);
          json.attribute("constexpr", parameter.isConstexpr);
          if (!parameter.annotationText.empty())
            json.attribute("annotation", parameter.annotationText);
          if (parameter.hasDefault)
            json.attribute("default", parameter.defaultText);
        });
    });
    if (!function.configs.empty() || !function.configsText.empty())
      json.attributeObject("autotune", [&] {
        json.attributeArray("key", [&] {
          for (const std::string &name : function.key)
            json.value(name);
        });
        if (!function.configsText.empty())
          return json.attribute("configs", function.configsText);
        json.attributeArray("configs", [&] {
          for (const TuneConfig &config : function.configs) {
            if (!config.text.empty()) {
              json.value(config.text);
              continue;
            }
            json.object([&] {
              entries("values", config.values);
              entries("options", config.options);
            });
          }
        });
      });
    if (!function.heuristics.empty())
      entries("heuristics", function.heuristics);
  });
}

ExitCode teeny::listKernels(const ListOptions &options, llvm::raw_ostream &out,
                            llvm::raw_ostream &err) {
  Sources sources;
  Diagnostics diagnostics;
  std::string reason;
  const Source *source = sources.readFile(options.file, reason);
  if (!source)
    return toolError(err, ExitCode::userError, unreadable(options.file, reason));
  std::unique_ptr<KernelFile> file = KernelFile::parse(source, diagnostics, &sources);
  if (file && file->kernels().empty()) {
    SourceLocation whole;
    whole.source = source;
    diagnostics.error(whole, "the file has no function decorated with @triton.jit");
  }
  render(diagnostics, err);
  if (diagnostics.hasErrors())
    return ExitCode::userError;
  std::vector<FunctionDescription> functions = describeFunctions(*file);
  mlir::MLIRContext context;
  for (FunctionDescription &function : functions)
    listConfigs(*file, function, &context);
  if (options.json) {
    llvm::json::OStream json(out, 2);
    json.array([&] {
      for (const FunctionDescription &function : functions)
        printJson(function, json);
    });
    out << "\n";
    return ExitCode::success;
  }
  for (const FunctionDescription &function : functions)
    printText(function, out);
  return ExitCode::success;
}
