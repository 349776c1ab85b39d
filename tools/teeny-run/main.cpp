// teeny-run: describes a bundle, or runs it on tensors from npy files or on random ones.
//
// Exit codes: 0 success, 1 a mistake in the user's files or arguments' values, 2 wrong usage, 3 the
// machine (no device, no memory).
#include "Options.h"

#include "teeny/runtime.hpp"

#include <CLI/CLI.hpp>

#include <iostream>

using namespace runner;

namespace {

enum ExitCode { success = 0, userError = 1, usageError = 2, environmentError = 3 };

// Splits "NAME=VALUE".
std::pair<std::string, std::string> split(const std::string &flag, const std::string &text,
                                          const char *value) {
  size_t equal = text.find('=');
  if (equal == std::string::npos || equal == 0 || equal + 1 == text.size())
    throw CLI::ValidationError(flag,
                               "expected NAME=" + std::string(value) + ", found '" + text + "'");
  return {text.substr(0, equal), text.substr(equal + 1)};
}

int64_t integer(const std::string &flag, const std::string &text) {
  size_t used = 0;
  int64_t value = 0;
  try {
    value = std::stoll(text, &used);
  } catch (const std::exception &) {
    used = 0;
  }
  if (used == 0 || used != text.size())
    throw CLI::ValidationError(flag, "expected an integer, found '" + text + "'");
  return value;
}

void addDataFlags(CLI::App &app, Options &options) {
  app.add_option_function<std::vector<std::string>>(
         "--input",
         [&options](const std::vector<std::string> &values) {
           for (const std::string &value : values) {
             auto [name, file] = split("--input", value, "F.npy");
             if (!options.inputs.emplace(name, file).second)
               throw CLI::ValidationError("--input", "'" + name + "' is given twice");
           }
         },
         "Data of an input")
      ->type_name("NAME=F.npy")
      ->allow_extra_args(false);
  app.add_option_function<std::vector<std::string>>(
         "--output",
         [&options](const std::vector<std::string> &values) {
           for (const std::string &value : values)
             options.outputs.push_back(split("--output", value, "F.npy"));
         },
         "Writes an output to a file; without it, its shape and first values are printed")
      ->type_name("NAME=F.npy")
      ->allow_extra_args(false);
  app.add_option_function<std::vector<std::string>>(
         "--dim",
         [&options](const std::vector<std::string> &values) {
           for (const std::string &value : values) {
             auto [name, number] = split("--dim", value, "N");
             for (const auto &other : options.dims)
               if (other.first == name)
                 throw CLI::ValidationError("--dim", "'" + name + "' is given twice");
             options.dims.push_back({name, integer("--dim", number)});
           }
         },
         "Value of a dim, for --random and --describe; checked where inputs determine it")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
  app.add_option("--random", options.seed,
                 "Fills inputs without a file: floats in [-1, 1), integers 0 to 9, booleans; the "
                 "same for the same seed and name")
      ->type_name("SEED");
}

void addKernelFlags(CLI::App &app, Options &options) {
  app.add_option_function<std::string>(
         "--grid",
         [&options](const std::string &text) {
           for (size_t begin = 0; begin <= text.size();) {
             size_t end = std::min(text.find(',', begin), text.size());
             int64_t size = integer("--grid", text.substr(begin, end - begin));
             if (size < 0 || size > INT32_MAX)
               throw CLI::ValidationError("--grid", "expected 0 to " + std::to_string(INT32_MAX) +
                                                        ", found " + std::to_string(size));
             options.grid.push_back(static_cast<int32_t>(size));
             begin = end + 1;
           }
           if (options.grid.size() > 3)
             throw CLI::ValidationError("--grid", "expected X, X,Y or X,Y,Z, found '" + text + "'");
           options.grid.resize(3, 1);
         },
         "Launches one kernel, on a grid of this many programs")
      ->type_name("X,Y,Z");
  app.add_option("--kernel", options.kernel, "Which kernel, where the bundle has several")
      ->type_name("NAME");
  app.add_option_function<std::vector<std::string>>(
         "--arg",
         [&options](const std::vector<std::string> &values) {
           for (const std::string &value : values) {
             auto argument = split("--arg", value, "VALUE");
             for (const auto &other : options.args)
               if (other.first == argument.first)
                 throw CLI::ValidationError("--arg", "'" + other.first + "' is given twice");
             options.args.push_back(argument);
           }
         },
         "An argument of the kernel: a number, or for a pointer F.npy, zeros:SHAPE, random:SHAPE "
         "(SHAPE as 4x100, or f32:4x100), @OTHER or @OTHER+N for the memory of another argument "
         "from its element N on")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
}

void addFlags(CLI::App &app, Options &options) {
  app.set_version_flag("--version", std::string("teeny-run ") + teeny_version());
  app.add_option("BUNDLE", options.bundle, "Bundle to run")->required();
  addDataFlags(app, options);
  addKernelFlags(app, options);
  app.add_option("--device", options.device,
                 "cpu, cuda or cuda:N; without it, the first GPU that has code in the bundle, else "
                 "the CPU")
      ->type_name("NAME");
  app.add_option("--target", options.target,
                 "Only code of this target, such as compute_80 or x86-64; without it, the best")
      ->type_name("TARGET");
  app.add_option("--threads", options.threads, "CPU threads; 0 for as many as the machine runs")
      ->type_name("N")
      ->check(CLI::Range(0, 4096));
  app.add_flag_callback(
      "--no-graph", [&options] { options.graphs = false; },
      "Launches kernels one by one where a CUDA graph would be replayed");
  app.add_option("--repeat", options.repeat, "Runs N times and prints min, median and max times")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  app.add_option("--warmup", options.warmup, "Runs before those that are timed")
      ->type_name("N")
      ->capture_default_str()
      ->check(CLI::Range(0, 1000000));
  app.add_flag("--timings", options.timings, "Prints the time of each launch");
  app.add_flag("--describe", options.describe,
               "Prints inputs, outputs, dims, targets, kernels and sizes; runs nothing");
  app.add_flag("--verify", options.verify,
               "Runs what the bundle has known results of (teenyc compile --golden), and compares");
  app.add_flag("--json", options.json, "Prints JSON");
  app.add_option("--sha256", options.sha256, "Hash that the bundle must have")->type_name("HEX");
}

int exitCodeOf(teeny_status status) {
  switch (status) {
  case TEENY_ENVIRONMENT:
  case TEENY_OUT_OF_MEMORY:
  case TEENY_INTERNAL:
    return environmentError;
  default:
    return userError;
  }
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Runs a bundle that teenyc compiled.", "teeny-run");
  try {
    addFlags(app, options);
    app.parse(argc, argv);
    if (options.verify && (!options.inputs.empty() || !options.outputs.empty() || options.seed ||
                           !options.dims.empty() || !options.grid.empty() || options.describe))
      throw CLI::ValidationError("--verify", "the bundle has the inputs, and what comes of them");
    if (options.grid.empty() && (!options.args.empty() || !options.kernel.empty()))
      throw CLI::RequiredError("--grid");
    if (!options.grid.empty() && (!options.inputs.empty() || !options.dims.empty()))
      throw CLI::ValidationError("--grid", "a kernel takes --arg, not --input and --dim");
  } catch (const CLI::ParseError &error) {
    return app.exit(error) == 0 ? success : usageError;
  }
  try {
    auto action = options.verify         ? verify
                  : options.describe     ? describe
                  : options.grid.empty() ? run
                                         : launch;
    action(options);
    std::cout.flush();
    return std::cout ? success : environmentError;
  } catch (const teeny::runtime::Failure &failure) {
    std::cerr << "teeny-run: " << failure.what() << "\n";
    return exitCodeOf(failure.status());
  } catch (const UserError &error) {
    std::cerr << "teeny-run: " << error.what() << "\n";
    return userError;
  } catch (const std::bad_alloc &) {
    std::cerr << "teeny-run: not enough memory\n";
    return environmentError;
  } catch (const std::exception &error) {
    std::cerr << "teeny-run: " << error.what() << "\n";
    return environmentError;
  }
}
