// --verify: the golden runs of a bundle, on a device, compared with what the reference computed.
#include "Data.h"
#include "Numbers.h"
#include "Options.h"

#include "Base/File.h"
#include "TensorFile/SafeTensors.h"
#include "teeny/runtime.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <iostream>

namespace runner {

namespace rt = teeny::runtime;
using Json = nlohmann::ordered_json;

namespace {

// How far apart two tensors are.
struct Difference {
  double absolute =
      0; // the largest of an element; infinite where one is no number, or integers differ
  double magnitude = 0; // the largest finite one of the expected elements
  double relative() const { return absolute == 0 ? 0 : absolute / magnitude; }
};

double realOf(teeny_dtype dtype, const std::byte *element) {
  uint64_t bits = 0;
  memcpy(&bits, element, teeny_dtype_size(dtype));
  switch (dtype) {
  case TEENY_F64: {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  case TEENY_F32: {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  case TEENY_F16:
    return decodeFloat(uint32_t(bits), 5, 10, false);
  case TEENY_BF16:
    return decodeFloat(uint32_t(bits), 8, 7, false);
  case TEENY_F8E4M3:
    return decodeFloat(uint32_t(bits), 4, 3, true);
  default:
    return decodeFloat(uint32_t(bits), 5, 2, false);
  }
}

Difference differenceOf(teeny_dtype dtype, const std::byte *found, const std::byte *expected,
                        size_t count) {
  Difference result;
  const size_t size = teeny_dtype_size(dtype);
  const double infinity = HUGE_VAL;
  for (size_t i = 0; i < count; ++i) {
    const std::byte *a = found + i * size, *b = expected + i * size;
    if (dtype > TEENY_F8E5M2) {
      if (memcmp(a, b, size) != 0)
        result.absolute = infinity;
      continue;
    }
    double x = realOf(dtype, a), y = realOf(dtype, b);
    if (std::isfinite(y))
      result.magnitude = std::max(result.magnitude, std::fabs(y));
    if (x == y || (std::isnan(x) && std::isnan(y)))
      continue;
    double error = std::isfinite(x) && std::isfinite(y) ? std::fabs(x - y) : infinity;
    result.absolute = std::max(result.absolute, error);
  }
  return result;
}

std::string numberText(double value) {
  char text[32];
  snprintf(text, sizeof text, "%.3g", value);
  return text;
}

// Golden runs as the bundle has them: names of tensors, and tolerances.
class Golden {
public:
  explicit Golden(const std::string &path) : file(open(path)) {
    auto parsed = teeny::SafeTensors::parse(file.bytes());
    if (!parsed)
      throw UserError(path + ": " + parsed.error().message);
    tensors = std::move(*parsed);
    const teeny::TensorView &text = tensor("teeny/manifest.json");
    Json manifest =
        Json::parse(reinterpret_cast<const char *>(text.data.data()),
                    reinterpret_cast<const char *>(text.data.data()) + text.data.size());
    runs = manifest.value("golden", Json::array());
    if (runs.empty())
      throw UserError("'" + path +
                      "' has no golden runs to compare with: compile it with --golden");
  }

  const teeny::TensorView &tensor(const std::string &name) const {
    const teeny::TensorView *found = tensors.find(name);
    if (!found)
      throw UserError("no tensor has the name '" + name + "'");
    return *found;
  }
  Json runs;

private:
  static teeny::MappedFile open(const std::string &path) {
    auto file = teeny::MappedFile::open(path);
    if (!file)
      throw UserError(file.error().message);
    return std::move(*file);
  }
  teeny::MappedFile file;
  teeny::SafeTensors tensors;
};

// Runs once and compares every output; prints lines unless JSON is asked for.
Json runGolden(const rt::Bundle &bundle, rt::Session &session, const Golden &golden,
               const Json &run, bool print) {
  for (size_t i = 0; i < bundle.inputs(); ++i) {
    const teeny::TensorView &input = golden.tensor(run["inputs"][i]);
    session.bindInput(bundle.input(i).name,
                      {input.data.data(), static_cast<teeny_dtype>(input.dtype), input.shape});
  }
  session.run();
  std::string sizes;
  for (size_t i = 0; i < bundle.dims(); ++i) {
    std::string name = bundle.dim(i).name;
    sizes += (i ? ", " : "") + name + " = " + std::to_string(session.dim(name));
  }
  if (print && !sizes.empty())
    std::cout << "at " << sizes << "\n";

  Json outputs = Json::array();
  for (size_t i = 0; i < bundle.outputs(); ++i) {
    const Json &known = run["outputs"][i];
    const teeny::TensorView &expected = golden.tensor(known["tensor"]);
    const std::string name = bundle.output(i).name;
    teeny_tensor tensor = session.output(name);
    std::vector<int64_t> shape = session.outputShape(name);
    if (shape != expected.shape)
      throw UserError("output '" + name + "' has shape " + shapeText(shape) + ", expected " +
                      shapeText(expected.shape));
    std::vector<std::byte> found(expected.data.size());
    rt::check(teeny_read_output(session.get(), name.c_str(), found.data(), found.size()));
    Difference difference =
        differenceOf(tensor.dtype, found.data(), expected.data.data(), elementsOf(shape));
    const double allowed =
        known["absolute"].get<double>() + known["relative"].get<double>() * difference.magnitude;
    const bool passes = difference.absolute <= allowed;
    outputs.push_back({{"name", name},
                       {"absolute", difference.absolute},
                       {"relative", difference.relative()},
                       {"allowed", allowed},
                       {"pass", passes}});
    if (print)
      std::cout << "  " << name << "  " << teeny_dtype_name(tensor.dtype) << " " << shapeText(shape)
                << "  largest error " << numberText(difference.absolute) << ", relative "
                << numberText(difference.relative()) << ", allowed " << numberText(allowed) << ": "
                << (passes ? "pass" : "FAIL") << "\n";
  }
  return {{"dims", sizes}, {"outputs", outputs}};
}

} // namespace

void verify(const Options &options) {
  rt::Bundle bundle = rt::Bundle::open(options.bundle, options.sha256);
  Golden golden(options.bundle);
  teeny_session_options session_options = TEENY_SESSION_OPTIONS_INIT;
  session_options.device = options.device.empty() ? nullptr : options.device.c_str();
  session_options.target = options.target.empty() ? nullptr : options.target.c_str();
  session_options.threads = options.threads;
  session_options.no_graphs = !options.graphs;
  rt::Session session(bundle, &session_options);

  Json runs = Json::array();
  size_t failures = 0, outputs = 0;
  for (const Json &run : golden.runs) {
    runs.push_back(runGolden(bundle, session, golden, run, !options.json));
    for (const Json &output : runs.back()["outputs"]) {
      ++outputs;
      failures += !output["pass"].get<bool>();
    }
  }
  if (options.json)
    std::cout
        << Json({{"device", session.device()}, {"runs", runs}, {"pass", failures == 0}}).dump(2)
        << "\n";
  else
    std::cout << "on " << session.device() << ": " << outputs - failures << " of " << outputs
              << " outputs agree with the reference\n";
  if (failures != 0)
    throw UserError(std::to_string(failures) + " of " + std::to_string(outputs) +
                    " outputs differ from the reference");
}

} // namespace runner
