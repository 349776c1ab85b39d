#include "Options.h"

#include "teeny/runtime.hpp"

#include <nlohmann/json.hpp>

#include <iomanip>
#include <iostream>

namespace runner {

using Json = nlohmann::ordered_json;

static std::string shapeText(const Json &shape) {
  std::string text;
  for (const Json &size : shape)
    text += (text.empty() ? "" : ", ") + size.get<std::string>();
  return "(" + text + ")";
}

static void printTensors(const char *title, const Json &tensors) {
  std::cout << title << ":\n";
  for (const Json &tensor : tensors)
    std::cout << "  " << tensor["name"].get<std::string>() << "  "
              << tensor["dtype"].get<std::string>() << " " << shapeText(tensor["shape"]) << "\n";
}

static void printDims(const Json &json) {
  if (!json["dims"].empty())
    std::cout << "dims:\n";
  for (const Json &dim : json["dims"]) {
    std::cout << "  " << dim["name"].get<std::string>() << "  " << dim["min"] << " to "
              << dim["max"];
    if (dim["multiple_of"] != 1)
      std::cout << ", a multiple of " << dim["multiple_of"];
    std::cout << "\n";
  }
  for (const Json &requirement : json["requirements"])
    std::cout << "  requires " << requirement["condition"].get<std::string>() << "  ("
              << requirement["message"].get<std::string>() << ")\n";
}

static void printKernels(const Json &kernels) {
  std::cout << "kernels:\n";
  for (const Json &kernel : kernels) {
    std::cout << "  " << kernel["name"].get<std::string>() << "  ("
              << kernel["function"].get<std::string>() << ", "
              << kernel["source"].get<std::string>() << ")\n";
    for (const Json &param : kernel["params"])
      if (param.contains("type"))
        std::cout << "    " << param["name"].get<std::string>() << ": "
                  << param["type"].get<std::string>()
                  << (param.contains("written") ? ", written" : "") << "\n";
    for (const auto &[name, value] : kernel["constants"].items())
      std::cout << "    " << name << " = " << value.get<std::string>() << "\n";
    for (const Json &code : kernel["code"]) {
      auto target = code["target"].get<std::string>();
      std::cout << "    " << std::left << std::setw(12) << target << std::right << std::setw(9)
                << code["bytes"].get<int64_t>() << " bytes";
      if (code.contains("threads"))
        std::cout << ", " << code["threads"] << " threads, " << code["shared_bytes"]
                  << " bytes shared";
      else
        std::cout << ", " << code["scratch_bytes"] << " bytes of scratch";
      if (target.starts_with("sm_")) // for PTX the driver chooses registers
        std::cout << ", " << code["registers"] << " registers, " << code["spill_bytes"]
                  << " bytes spilled";
      std::cout << "\n";
    }
  }
}

static void printPlan(const teeny::runtime::Bundle &bundle, const Options &options) {
  teeny_plan_info plan = bundle.plan(options.dims);
  std::cout << "at these dims: " << plan.launches
            << (plan.launches == 1 ? " launch, " : " launches, ") << plan.arena_bytes
            << " bytes of temporary memory\n";
}

void describe(const Options &options) {
  teeny::runtime::Bundle bundle = teeny::runtime::Bundle::open(options.bundle, options.sha256);
  Json json = Json::parse(bundle.describe());
  if (options.json) {
    if (!options.dims.empty()) {
      teeny_plan_info plan = bundle.plan(options.dims);
      json["plan"] = {{"launches", plan.launches}, {"arena_bytes", plan.arena_bytes}};
    }
    std::cout << json.dump(2) << "\n";
    return;
  }
  std::cout << "bundle " << json["name"].get<std::string>() << "\n";
  printDims(json);
  printTensors("inputs", json["inputs"]);
  printTensors("outputs", json["outputs"]);
  std::cout << "targets:";
  for (const Json &target : json["targets"])
    std::cout << " " << target.get<std::string>();
  std::cout << "\n";
  printKernels(json["kernels"]);
  std::cout << "launches: " << json["launches"].size() << "\n";
  std::cout << "sizes: " << json["sizes"]["file_bytes"] << " bytes in the file, "
            << json["sizes"]["code_bytes"] << " of code, " << json["sizes"]["param_bytes"]
            << " of weights\n";
  if (!options.dims.empty())
    printPlan(bundle, options);
  if (!json["provenance"].empty()) {
    std::cout << "made by:";
    for (const auto &[what, version] : json["provenance"].items())
      std::cout << " " << what << " " << version.get<std::string>();
    std::cout << "\n";
  }
}

} // namespace runner
