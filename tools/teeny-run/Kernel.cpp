// One kernel of a bundle, on arguments from the command line.
#include "Data.h"
#include "Numbers.h"
#include "Options.h"
#include "Timings.h"

#include "teeny/runtime.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <numeric>

namespace runner {

namespace rt = teeny::runtime;
using Json = nlohmann::ordered_json;

namespace {

// The number of letters to add, drop or change.
size_t distance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = std::exchange(row[0], i + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t best = std::min({row[j] + 1, row[j + 1] + 1, diagonal + (a[i] != b[j])});
      diagonal = std::exchange(row[j + 1], best);
    }
  }
  return row.back();
}

// "; did you mean 'n'?" or "; it has x, y, n".
std::string suggestion(const std::string &name, const std::vector<std::string> &known) {
  auto near = std::min_element(known.begin(), known.end(), [&](const auto &a, const auto &b) {
    return distance(a, name) < distance(b, name);
  });
  if (near != known.end() && distance(*near, name) <= 1 + name.size() / 4)
    return "; did you mean '" + *near + "'?";
  std::string list;
  for (const std::string &item : known)
    list += (list.empty() ? "" : ", ") + item;
  return list.empty() ? "; it has none" : "; it has " + list;
}

// "NAME+N" of "@NAME+N": the memory of another argument, from its element N on.
struct Reference {
  std::string name;
  size_t offset = 0;
};

class Launch {
public:
  explicit Launch(const Options &options)
      : options(options), bundle(rt::Bundle::open(options.bundle, options.sha256)) {
    description = Json::parse(bundle.describe());
    chooseKernel();
    readArguments();
  }

  void run();

private:
  void chooseKernel();
  void readArguments();
  const Json *parameter(const std::string &name) const;
  rt::Argument scalar(const std::string &name, const std::string &type, const std::string &text);
  Data tensor(const std::string &name, const std::string &type, const std::string &text) const;
  rt::Argument refer(const std::string &name, const Reference &reference) const;
  std::vector<std::string> written() const;
  const Data &dataOf(const std::string &name) const;
  Json finish(const std::map<std::string, Data> &results) const;

  const Options &options;
  rt::Bundle bundle;
  Json description;
  Json kernel;                                 // of the description
  std::map<std::string, Data> tensors;         // by parameter
  std::map<std::string, Reference> references; // likewise
  std::vector<rt::Argument> arguments;
};

} // namespace

void Launch::chooseKernel() {
  std::vector<std::string> names;
  for (const Json &candidate : description["kernels"]) {
    names.push_back(candidate["name"]);
    if (candidate["name"] == options.kernel)
      kernel = candidate;
  }
  if (options.kernel.empty() && names.size() == 1)
    kernel = description["kernels"][0];
  if (!kernel.is_null())
    return;
  if (options.kernel.empty())
    throw UserError("the bundle has " + std::to_string(names.size()) +
                    " kernels: choose one with --kernel" + suggestion("", names));
  throw UserError("the bundle has no kernel '" + options.kernel + "'" +
                  suggestion(options.kernel, names));
}

const Json *Launch::parameter(const std::string &name) const {
  for (const Json &param : kernel["params"])
    if (param["name"] == name)
      return &param;
  return nullptr;
}

static int64_t parseSize(const std::string &text, const std::string &what) {
  char *end = nullptr;
  errno = 0;
  const long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno || value < 0)
    throw UserError(what + ": expected a number of elements, found '" + text + "'");
  return value;
}

static std::vector<int64_t> parseShape(const std::string &text, const std::string &what) {
  std::vector<int64_t> shape;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find('x', begin), text.size());
    shape.push_back(parseSize(text.substr(begin, end - begin), what));
    begin = end + 1;
  }
  return shape;
}

static teeny_dtype parseDType(const std::string &text, const std::string &what) {
  std::vector<std::string> names;
  for (int i = TEENY_F64; i <= TEENY_BOOL; ++i) {
    names.push_back(teeny_dtype_name(static_cast<teeny_dtype>(i)));
    if (names.back() == text)
      return static_cast<teeny_dtype>(i);
  }
  throw UserError(what + ": there is no element type '" + text + "'" + suggestion(text, names));
}

// "*fp16" -> the runtime's type; pointers of kernels have no others.
static teeny_dtype elementOf(const std::string &type) {
  static const std::map<std::string, teeny_dtype> types = {
      {"*fp64", TEENY_F64},  {"*fp32", TEENY_F32},       {"*fp16", TEENY_F16},
      {"*bf16", TEENY_BF16}, {"*fp8e4nv", TEENY_F8E4M3}, {"*fp8e5", TEENY_F8E5M2},
      {"*i64", TEENY_I64},   {"*i32", TEENY_I32},        {"*i16", TEENY_I16},
      {"*i8", TEENY_I8},     {"*u64", TEENY_U64},        {"*u32", TEENY_U32},
      {"*u16", TEENY_U16},   {"*u8", TEENY_U8},          {"*i1", TEENY_BOOL}};
  return types.at(type);
}

Data Launch::tensor(const std::string &name, const std::string &type,
                    const std::string &text) const {
  const std::string what = "--arg " + name;
  const bool zeros = text.rfind("zeros:", 0) == 0, random = text.rfind("random:", 0) == 0;
  if (!zeros && !random)
    return readFile(text, elementOf(type));
  Data data;
  data.dtype = elementOf(type);
  std::string shape = text.substr(text.find(':') + 1);
  if (size_t colon = shape.find(':'); colon != std::string::npos) {
    data.dtype = parseDType(shape.substr(0, colon), what);
    shape = shape.substr(colon + 1);
  }
  data.shape = parseShape(shape, what);
  size_t count = 1;
  for (int64_t size : data.shape)
    if (__builtin_mul_overflow(count, size_t(size), &count) || count > (size_t(1) << 40))
      throw UserError(what + ": " + shape + " is too large");
  if (random)
    data.bytes = randomElements(data.dtype, count, options.seed.value_or(0), name);
  else
    data.bytes.resize(count * teeny_dtype_size(data.dtype));
  return data;
}

rt::Argument Launch::scalar(const std::string &name, const std::string &type,
                            const std::string &text) {
  const std::string found = "--arg " + name + ": expected ",
                    but = " (" + type + "), found '" + text + "'";
  char *end = nullptr;
  errno = 0;
  if (type.find("fp") != std::string::npos || type == "bf16") {
    const double value = std::strtod(text.c_str(), &end);
    if (*end || text.empty() || (errno == ERANGE && std::abs(value) > 1))
      throw UserError(found + "a number" + but);
    return rt::Argument::real(name, value);
  }
  if (type == "i1" && (text == "True" || text == "False"))
    return rt::Argument::integer(name, text == "True");
  if (type == "u64" && text[0] != '-') {
    const uint64_t value = std::strtoull(text.c_str(), &end, 10);
    if (*end || text.empty() || errno)
      throw UserError(found + "an integer" + but);
    return rt::Argument::unsignedInteger(name, value);
  }
  const int64_t value = std::strtoll(text.c_str(), &end, 10);
  if (*end || text.empty() || errno)
    throw UserError(found + "an integer" + but);
  return rt::Argument::integer(name, value);
}

// The tensor whose memory the argument has, through references.
const Data &Launch::dataOf(const std::string &name) const {
  auto reference = references.find(name);
  return tensors.at(reference == references.end() ? name : reference->second.name);
}

rt::Argument Launch::refer(const std::string &name, const Reference &reference) const {
  auto found = tensors.find(reference.name);
  if (found == tensors.end()) {
    std::vector<std::string> names;
    for (const auto &tensor : tensors)
      names.push_back(tensor.first);
    throw UserError("--arg " + name + ": '" + reference.name +
                    "' is no tensor among the arguments" + suggestion(reference.name, names));
  }
  const Data &data = found->second;
  const size_t count = elementsOf(data.shape);
  if (reference.offset > count)
    throw UserError("--arg " + name + ": element " + std::to_string(reference.offset) +
                    " is outside '" + reference.name + "' of " + std::to_string(count) +
                    " elements");
  return rt::Argument::tensor(name,
                              {data.bytes.data() + reference.offset * teeny_dtype_size(data.dtype),
                               data.dtype,
                               {static_cast<int64_t>(count - reference.offset)}});
}

void Launch::readArguments() {
  std::vector<std::string> names;
  for (const Json &param : kernel["params"])
    names.push_back(param["name"]);
  for (const auto &[name, text] : options.args) {
    const Json *param = parameter(name);
    if (!param) {
      if (kernel["constants"].contains(name))
        throw UserError("--arg " + name + ": the kernel was compiled for " + name + " = " +
                        kernel["constants"][name].get<std::string>());
      throw UserError("kernel '" + kernel["name"].get<std::string>() + "' has no parameter '" +
                      name + "'" + suggestion(name, names));
    }
    if (!param->contains("type"))
      continue; // the runtime says why the kernel cannot be launched
    const std::string type = (*param)["type"];
    if (type[0] != '*') {
      arguments.push_back(scalar(name, type, text));
    } else if (text[0] == '@') {
      const size_t plus = text.rfind('+');
      Reference reference{text.substr(1, plus == std::string::npos ? plus : plus - 1)};
      if (plus != std::string::npos)
        reference.offset = parseSize(text.substr(plus + 1), "--arg " + name);
      references[name] = reference;
    } else {
      tensors[name] = tensor(name, type, text);
    }
  }
  for (auto &[name, data] : tensors)
    arguments.push_back(rt::Argument::tensor(name, {data.bytes.data(), data.dtype, data.shape}));
  for (const auto &[name, reference] : references)
    arguments.push_back(refer(name, reference));
}

// Pointer parameters through which the kernel writes.
std::vector<std::string> Launch::written() const {
  std::vector<std::string> names;
  for (const Json &param : kernel["params"])
    if (param.contains("written"))
      names.push_back(param["name"]);
  return names;
}

Json Launch::finish(const std::map<std::string, Data> &results) const {
  for (const auto &[name, path] : options.outputs)
    writeFile(path, results.at(name));
  Json list = Json::array();
  for (const auto &[name, data] : results) {
    bool toFile = std::any_of(options.outputs.begin(), options.outputs.end(),
                              [&](const auto &output) { return output.first == name; });
    if (options.json)
      list.push_back(outputJson(name, data));
    else if (!toFile)
      printOutput(name, data);
  }
  return list;
}

void Launch::run() {
  const std::vector<std::string> outputs = written();
  for (const auto &output : options.outputs)
    if (std::find(outputs.begin(), outputs.end(), output.first) == outputs.end())
      throw UserError("--output " + output.first + ": " +
                      (parameter(output.first) ? "the kernel does not write to it"
                                               : "the kernel has no such parameter") +
                      suggestion(output.first, outputs));

  teeny_session_options session_options = TEENY_SESSION_OPTIONS_INIT;
  session_options.device = options.device.empty() ? nullptr : options.device.c_str();
  session_options.target = options.target.empty() ? nullptr : options.target.c_str();
  session_options.threads = options.threads;
  rt::Session session(bundle, &session_options);
  const std::string name = kernel["name"];
  auto launch = [&] {
    session.launch(name, {options.grid[0], options.grid[1], options.grid[2]}, arguments);
  };
  // Outputs are those of one launch, whatever repetitions do to the memory.
  launch();
  std::map<std::string, Data> results;
  for (const std::string &output : outputs)
    results[output] = dataOf(output);
  Timings timings;
  if (options.repeat > 0 || options.timings)
    timings = measure(session, options, launch);

  Json list = finish(results);
  if (options.json) {
    Json json = {{"device", session.device()}, {"outputs", list}};
    if (!timings.rows.empty())
      json["timings"] = toJson(timings);
    std::cout << json.dump(2) << "\n";
  } else if (!timings.rows.empty()) {
    std::cout << "\non " << session.device() << ", " << timings.runs
              << (timings.runs == 1 ? " run" : " runs") << "\n";
    print(timings);
  }
}

void launch(const Options &options) { Launch(options).run(); }

} // namespace runner
