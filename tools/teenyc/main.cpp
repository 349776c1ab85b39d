// teenyc: flags to options, one library call.
#include "Driver/Driver.h"

#include <CLI/CLI.hpp>

using namespace teeny;

namespace {

using What = DumpOptions::What;

void addGraphFlags(CLI::App &command, GraphOptions &graph, const std::string &help) {
  command.add_option("FILE", graph.file, help)->required();
  command
      .add_option("--ops", graph.opsDirs,
                  "Folder searched for op declarations, after that of the graph")
      ->type_name("DIR");
}

void addCompile(CLI::App &command, CompileOptions &options) {
  addGraphFlags(command, options.graph, "Graph (FILE.json)");
  command.add_option("-o,--output", options.output, "Bundle to write")->type_name("F.bundle");
  command
      .add_option("--target", options.targets,
                  "Comma-separated: sm_NN[a] (cubin), compute_NN (PTX), x86-64, x86-64-v3, "
                  "x86-64-v4, aarch64, cpu (the three x86-64 levels)")
      ->delimiter(',')
      ->capture_default_str()
      ->type_name("T,...");
  command
      .add_option_function<std::string>(
          "--stop-after",
          [&options](const std::string &name) {
            options.stopAfter = phaseByName(name);
            if (!options.stopAfter)
              throw CLI::ValidationError("--stop-after",
                                         "no phase '" + name + "'; phases are " + phaseNames());
          },
          "Stop after a phase and print what it made")
      ->type_name("PHASE");
  command.add_option("--emit-ir", options.emitIRDir, "Write what each phase made to a folder")
      ->type_name("DIR");
  std::string footer = "Phases:\n";
  for (const PhaseInfo &phase : phases()) {
    std::string name = phase.name.str();
    footer += "  " + name + std::string(name.size() < 15 ? 15 - name.size() : 1, ' ') +
              phase.description.str() + "\n";
  }
  command.footer(footer);
}

void addDump(CLI::App &command, DumpOptions &options) {
  addGraphFlags(command, options.graph, "Graph or bundle (FILE.json or F.bundle)");
  CLI::Option_group *what = command.add_option_group("what", "What to print, one of");
  const std::tuple<const char *, What, const char *> flags[] = {
      {"--graph", What::graph, "Graph IR, shapes inferred"},
      {"--tile", What::tile, "Tile IR of the kernels"},
      {"--gpu", What::gpu, "Tile IR with layouts, as compiled for a GPU"},
      {"--llvm", What::llvm, "LLVM IR"},
      {"--ptx", What::ptx, "PTX"},
      {"--sass", What::sass, "Disassembled cubins (needs nvdisasm)"},
      {"--launches", What::launches, "Table of buffers and launches"},
      {"--source", What::source, "Sources of the kernels"},
      {"--manifest", What::manifest, "Manifest of the bundle"},
  };
  for (const auto &[flag, value, help] : flags)
    what->add_flag_callback(
        flag, [&options, value = value] { options.what = value; }, help);
  what->require_option(1);
  command.add_option("--kernel", options.kernel, "Only this kernel")->type_name("NAME");
  command.add_option("--target", options.target, "Only this target")->type_name("T");
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app("Compiles model graphs with custom kernels, ahead of time, into one bundle file.",
               "teenyc");
  app.require_subcommand(1);
  app.set_version_flag("--version", versionText);

  CompileOptions compileOptions;
  CLI::App *compileCommand = app.add_subcommand("compile", "Compile a graph into a bundle");
  addCompile(*compileCommand, compileOptions);

  DumpOptions dumpOptions;
  CLI::App *dumpCommand =
      app.add_subcommand("dump", "Print what a graph becomes or a bundle holds");
  addDump(*dumpCommand, dumpOptions);

  CheckOptions checkOptions;
  CLI::App *checkCommand =
      app.add_subcommand("check", "Report every error without generating code");
  addGraphFlags(*checkCommand, checkOptions.graph, "Graph (FILE.json)");

  try {
    app.parse(argc, argv);
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
  else
    code = check(checkOptions, llvm::outs(), llvm::errs());
  return static_cast<int>(code);
}
