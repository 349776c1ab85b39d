// teenyc: flags to options, one library call.
#include "Driver/Driver.h"

#include <CLI/CLI.hpp>

using namespace teeny;

namespace {

using What = DumpOptions::What;

// What the words of the command line mean depends on the kind of file.
struct Input {
  std::vector<std::string> files; // one, or kernels: FILE.py::FUNC
  GraphOptions &graph;
  KernelOptions &kernels;
  const CLI::App *command = nullptr;

  void refuse(std::initializer_list<const char *> flags, const char *isFor) {
    for (const char *flag : flags)
      if (command->count(flag) != 0)
        throw CLI::ValidationError(flag, isFor);
  }
  // Throws what CLI11 reports as a mistake of usage.
  void divide() {
    auto isKernel = [](const std::string &file) {
      return file.find("::") != std::string::npos || file.ends_with(".py");
    };
    if (!isKernel(files.front())) {
      if (files.size() > 1)
        throw CLI::ArgumentMismatch("one FILE is expected, found " + std::to_string(files.size()));
      refuse({"--signature", "--range", "--global", "--num-warps", "--num-stages", "--fp32-dot"},
             "this is for a kernel, FILE.py::FUNC");
      graph.file = files.front();
      return;
    }
    for (const std::string &file : files)
      if (!isKernel(file))
        throw CLI::ValidationError("'" + file + "' is no kernel: write FILE.py::FUNC");
    refuse({"--ops"}, "this is for a graph, FILE.json");
    kernels.kernels = files;
    if (kernels.signatures.empty())
      kernels.signatures.resize(files.size());
    if (files.size() != 1 && files.size() != kernels.signatures.size())
      throw CLI::ValidationError("--signature", std::to_string(files.size()) + " kernels and " +
                                                    std::to_string(kernels.signatures.size()) +
                                                    " signatures; each kernel has one, or one "
                                                    "kernel has all");
  }
};

void addKernelFlags(CLI::App &command, KernelOptions &kernels) {
  auto *group = command.add_option_group("Kernels", "Of a kernel without a graph");
  auto list = [&](const char *flag, std::vector<std::string> &values, const char *help,
                  const char *type) {
    group->add_option(flag, values, help)->type_name(type)->allow_extra_args(false);
  };
  list("--signature", kernels.signatures,
       "Types and values of its parameters: '*fp16:16, *fp16, i32, fp32, 1024'", "S");
  list("--range", kernels.ranges, "Between which values an integer parameter is", "NAME=LOW:HIGH");
  list("--global", kernels.globals, "Value of a global of the file", "NAME=VALUE");
  group->add_option("--num-warps", kernels.numWarps, "Warps of a program")
      ->check(CLI::IsMember({1, 2, 4, 8, 16, 32}))
      ->capture_default_str()
      ->type_name("N");
  group->add_option("--num-stages", kernels.numStages, "Stages of pipelined loops")
      ->check(CLI::Range(1, 16))
      ->capture_default_str()
      ->type_name("N");
  group
      ->add_option("--fp32-dot", kernels.fp32Dot,
                   "Precision of dots of fp32, whatever the source says")
      ->check(CLI::IsMember({"ieee", "tf32"}))
      ->type_name("P");
}

void addInputFlags(CLI::App &command, Input &input, const std::string &help) {
  GraphOptions &graph = input.graph;
  input.command = &command;
  command.add_option("FILE", input.files, help)->required();
  command
      .add_option("--ops", graph.opsDirs,
                  "Folder searched for op declarations, after that of the graph")
      ->type_name("DIR")
      ->allow_extra_args(false);
  addKernelFlags(command, input.kernels);
}

void addStopAfter(CLI::App &command, std::optional<Phase> &phase, const std::string &help) {
  command
      .add_option_function<std::string>(
          "--stop-after",
          [&phase](const std::string &name) {
            phase = phaseByName(name);
            if (!phase)
              throw CLI::ValidationError("--stop-after",
                                         "no phase '" + name + "'; phases are " + phaseNames());
          },
          help)
      ->type_name("PHASE");
}

void addCompile(CLI::App &command, CompileOptions &options, Input &input) {
  addInputFlags(command, input, "Graph (FILE.json), or kernels (FILE.py::FUNC)");
  command.add_option("-o,--output", options.output, "Bundle to write")->type_name("F.bundle");
  command
      .add_option("--target", options.targets,
                  "Comma-separated: sm_NN[a] (cubin), compute_NN (PTX), x86-64, x86-64-v3, "
                  "x86-64-v4, aarch64, cpu (the three x86-64 levels)")
      ->delimiter(',')
      ->capture_default_str()
      ->type_name("T,...");
  addStopAfter(command, options.stopAfter, "Stop after a phase and print what it made");
  command.add_option("--emit-ir", options.emitIRDir, "Write what each phase made to a folder")
      ->type_name("DIR");
  command.add_flag("--time", options.time, "Say how long each phase took");
  std::string footer = "Phases:\n";
  for (const PhaseInfo &phase : phases()) {
    std::string name = phase.name.str();
    footer += "  " + name + std::string(name.size() < 15 ? 15 - name.size() : 1, ' ') +
              phase.description.str() + "\n";
  }
  command.footer(footer);
}

void addDump(CLI::App &command, DumpOptions &options, Input &input) {
  addInputFlags(command, input, "Graph, bundle or kernels (FILE.json, F.bundle, FILE.py::FUNC)");
  CLI::Option_group *what = command.add_option_group("what", "What to print, one of");
  const std::tuple<const char *, What, const char *> flags[] = {
      {"--graph", What::graph, "Graph IR, by default after infer-shapes"},
      {"--tile", What::tile, "Tile IR of the kernels"},
      {"--gpu", What::gpu, "Tile IR with layouts, as compiled for a GPU"},
      {"--llvm", What::llvm, "LLVM IR"},
      {"--ptx", What::ptx, "PTX"},
      {"--sass", What::sass, "Disassembled cubins (needs nvdisasm)"},
      {"--cubin", What::cubin, "Bytes of a cubin, to a file (-o)"},
      {"--object", What::object, "Bytes of the shared library for a CPU, to a file (-o)"},
      {"--launches", What::launches, "Table of buffers and launches, or how to launch a kernel"},
      {"--source", What::source, "Sources of the kernels"},
      {"--manifest", What::manifest, "Manifest of the bundle"},
  };
  for (const auto &[flag, value, help] : flags)
    what->add_flag_callback(
        flag, [&options, value = value] { options.what = value; }, help);
  what->require_option(1);
  command.add_option("--kernel", options.kernel, "Only this kernel")->type_name("NAME");
  command.add_option("--target", options.target, "Only this target")->type_name("T");
  addStopAfter(command, options.stopAfter, "With --graph: the IR after this phase");
  command.add_option("-o,--output", options.output, "Write to a file")->type_name("F");
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Compiles model graphs with custom kernels, ahead of time, into one bundle file.",
               "teenyc");
  app.require_subcommand(1);
  app.set_version_flag("--version", versionText);

  CompileOptions compileOptions;
  Input compileInput{{}, compileOptions.graph, compileOptions.kernels, nullptr};
  CLI::App *compileCommand =
      app.add_subcommand("compile", "Compile a graph or kernels into a bundle");
  addCompile(*compileCommand, compileOptions, compileInput);

  DumpOptions dumpOptions;
  Input dumpInput{{}, dumpOptions.graph, dumpOptions.kernels, nullptr};
  CLI::App *dumpCommand =
      app.add_subcommand("dump", "Print what a graph becomes or a bundle holds");
  addDump(*dumpCommand, dumpOptions, dumpInput);

  CheckOptions checkOptions;
  Input checkInput{{}, checkOptions.graph, checkOptions.kernels, nullptr};
  CLI::App *checkCommand =
      app.add_subcommand("check", "Report every error without generating code");
  addInputFlags(*checkCommand, checkInput, "Graph (FILE.json), or kernels (FILE.py::FUNC)");

  ListOptions listOptions;
  CLI::App *listCommand = app.add_subcommand("kernels", "List the functions of a kernel file");
  listCommand->add_option("FILE", listOptions.file, "Kernels (FILE.py)")->required();
  listCommand->add_flag("--json", listOptions.json, "Print JSON");

  try {
    app.parse(argc, argv);
    if (!*listCommand)
      (*compileCommand ? compileInput : *dumpCommand ? dumpInput : checkInput).divide();
    if (*dumpCommand && dumpOptions.stopAfter && dumpOptions.what != What::graph)
      throw CLI::ValidationError("--stop-after", "goes with --graph");
    if (*dumpCommand && dumpOptions.output.empty() &&
        (dumpOptions.what == What::cubin || dumpOptions.what == What::object))
      throw CLI::RequiredError("--output");
    if (*compileCommand && compileOptions.output.empty() && !compileOptions.stopAfter)
      throw CLI::RequiredError("--output");
  } catch (const CLI::ParseError &error) {
    // CLI11 has a code of its own for each kind of mistake; to our callers they are all of usage.
    return static_cast<int>(app.exit(error) == 0 ? ExitCode::success : ExitCode::usage);
  }

  ExitCode code = ExitCode::usage;
  if (*compileCommand)
    code = compile(compileOptions, llvm::outs(), llvm::errs());
  else if (*dumpCommand)
    code = dump(dumpOptions, llvm::outs(), llvm::errs());
  else if (*listCommand)
    code = listKernels(listOptions, llvm::outs(), llvm::errs());
  else
    code = check(checkOptions, llvm::outs(), llvm::errs());
  return static_cast<int>(code);
}
