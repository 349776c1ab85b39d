#include "Data.h"
#include "Numbers.h"
#include "Options.h"
#include "Timings.h"

#include "teeny/runtime.hpp"

#include <nlohmann/json.hpp>

#include <iostream>

namespace runner {

namespace rt = teeny::runtime;
using Json = nlohmann::ordered_json;

namespace {

Data makeRandom(const rt::Bundle &bundle, size_t index, const Options &options) {
  teeny_tensor_info input = bundle.input(index);
  Data data;
  data.dtype = input.dtype;
  try {
    data.shape = bundle.inputShape(index, options.dims);
  } catch (const rt::Failure &failure) {
    throw UserError("the shape of input '" + std::string(input.name) +
                    "' needs its dims: " + failure.what() + "; give --dim NAME=N");
  }
  data.bytes = randomElements(data.dtype, elementsOf(data.shape), *options.seed, input.name);
  return data;
}

// The data of every input, in the bundle's order.
std::vector<Data> readInputs(const rt::Bundle &bundle, const Options &options) {
  std::vector<Data> inputs;
  std::map<std::string, std::string> files = options.inputs;
  for (size_t i = 0; i < bundle.inputs(); ++i) {
    teeny_tensor_info input = bundle.input(i);
    auto file = files.find(input.name);
    if (file != files.end()) {
      inputs.push_back(readFile(file->second, input.dtype));
      files.erase(file);
    } else if (options.seed) {
      inputs.push_back(makeRandom(bundle, i, options));
    } else {
      throw UserError("input '" + std::string(input.name) + "' has no data: give --input " +
                      input.name + "=F.npy, or --random SEED");
    }
  }
  if (!files.empty())
    throw UserError("the bundle has no input '" + files.begin()->first + "'");
  return inputs;
}

void checkDims(const rt::Session &session, const Options &options) {
  for (const auto &[name, value] : options.dims)
    if (int64_t found = session.dim(name); found != value)
      throw UserError("--dim says " + name + " = " + std::to_string(value) +
                      ", the inputs make it " + std::to_string(found));
}

Data readOutput(rt::Session &session, const std::string &name) {
  teeny_tensor tensor = session.output(name);
  Data data;
  data.dtype = tensor.dtype;
  data.shape = session.outputShape(name);
  data.bytes.resize(elementsOf(data.shape) * teeny_dtype_size(tensor.dtype));
  rt::check(teeny_read_output(session.get(), name.c_str(), data.bytes.data(), data.bytes.size()));
  return data;
}

// Writes the outputs that go to files, and prints the others.
Json finishOutputs(const rt::Bundle &bundle, rt::Session &session, const Options &options) {
  for (const auto &[name, path] : options.outputs)
    writeFile(path, readOutput(session, name));
  Json list = Json::array();
  for (size_t i = 0; i < bundle.outputs(); ++i) {
    const std::string name = bundle.output(i).name;
    bool written = false;
    for (const auto &output : options.outputs)
      written |= output.first == name;
    if (written && !options.json)
      continue;
    Data data = readOutput(session, name);
    if (options.json)
      list.push_back(outputJson(name, data));
    else
      printOutput(name, data);
  }
  return list;
}

void requireOutputs(const rt::Bundle &bundle, const Options &options) {
  for (const auto &output : options.outputs) {
    bool known = false;
    for (size_t i = 0; i < bundle.outputs(); ++i)
      known |= bundle.output(i).name == output.first;
    if (!known)
      throw UserError("the bundle has no output '" + output.first + "'");
  }
}

} // namespace

void run(const Options &options) {
  rt::Bundle bundle = rt::Bundle::open(options.bundle, options.sha256);
  if (Json description = Json::parse(bundle.describe());
      description["launches"].empty() && !description["kernels"].empty())
    throw UserError("the bundle has kernels and no model: give --grid and an --arg for each "
                    "parameter (--describe lists them)");
  requireOutputs(bundle, options);
  std::vector<Data> inputs = readInputs(bundle, options);

  teeny_session_options session_options = TEENY_SESSION_OPTIONS_INIT;
  session_options.device = options.device.empty() ? nullptr : options.device.c_str();
  session_options.target = options.target.empty() ? nullptr : options.target.c_str();
  session_options.threads = options.threads;
  session_options.no_graphs = !options.graphs;
  rt::Session session(bundle, &session_options);
  for (size_t i = 0; i < inputs.size(); ++i)
    session.bindInput(bundle.input(i).name,
                      {inputs[i].bytes.data(), inputs[i].dtype, inputs[i].shape});
  session.prepare();
  checkDims(session, options);

  Timings timings;
  if (options.repeat > 0 || options.timings)
    timings = measure(session, options, [&] { session.run(); });
  else
    session.run();

  Json outputs = finishOutputs(bundle, session, options);
  if (options.json) {
    Json json = {{"device", session.device()}, {"outputs", outputs}};
    if (!timings.rows.empty())
      json["timings"] = toJson(timings);
    std::cout << json.dump(2) << "\n";
    return;
  }
  if (!timings.rows.empty()) {
    std::cout << "\non " << session.device() << ", " << timings.runs
              << (timings.runs == 1 ? " run" : " runs") << "\n";
    print(timings);
  }
}

} // namespace runner
