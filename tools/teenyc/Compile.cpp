#include "Commands.h"
#include "Help.h"
#include "Input.h"

#include "Driver/Driver.h"

using namespace teeny;

static void addFlags(CLI::App &command, CompileOptions &options) {
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
  command.add_flag("--golden", options.golden,
                   "Put runs with known results into the bundle, for teeny-run --verify");
  command
      .add_option("--emit-c", options.emitCDir,
                  "Write C source to a folder that holds the kernels' GPU code and launches them")
      ->excludes("--stop-after")
      ->type_name("DIR");
  addCacheFolder(command, options.cacheDir,
                 "Folder in which compiled kernels are kept and looked for; it is trusted");
  command.add_option("--cache-limit", options.cacheMebibytes, "MiB that it may take")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 30))
      ->capture_default_str()
      ->type_name("N");
  command.add_flag("--time", options.time, "Say how long each phase took");
  std::string footer = "Phases:\n";
  for (const PhaseInfo &phase : phases()) {
    std::string name = phase.name.str();
    footer += "  " + name + std::string(name.size() < 15 ? 15 - name.size() : 1, ' ') +
              phase.description.str() + "\n";
  }
  command.footer(footer);
  addExamples(
      command,
      {"teenyc compile graphs/detect_decode/detect_decode.json -o boxes.bundle",
       "teenyc compile graphs/detect_decode/detect_decode.json -o boxes.bundle "
       "--target=x86-64-v3,compute_90",
       "teenyc compile graphs/detect_decode/detect_decode.json -o boxes.bundle --cache=build/cache",
       "teenyc compile graphs/mlp/mlp.json --stop-after=fuse",
       "teenyc compile kernels/nn/softmax.py::softmax_forward -o softmax.bundle "
       "--signature='*fp32:16, *fp32, i32, 1024' --range=N=1:1024"});
}

Command teeny::addCompile(CLI::App &app) {
  struct State {
    CompileOptions options;
    Input input{options.graph, options.kernels};
  };
  auto state = std::make_shared<State>();
  CLI::App *command = app.add_subcommand("compile", "Compile a graph or kernels into a bundle");
  state->input.addFlags(*command, "Graph (FILE.json), or kernels (FILE.py::FUNC)");
  addFlags(*command, state->options);
  command->callback([state] {
    state->input.divide();
    if (state->options.golden && !state->options.kernels.kernels.empty())
      throw CLI::ValidationError("--golden", "this is for a graph, FILE.json");
    if (!state->options.emitCDir.empty() && state->options.kernels.kernels.empty())
      throw CLI::ValidationError("--emit-c", "this is for a kernel, FILE.py::FUNC");
    if (state->options.output.empty() && !state->options.stopAfter &&
        state->options.emitCDir.empty())
      throw CLI::RequiredError("--output");
  });
  return {command, [state] { return compile(state->options, llvm::outs(), llvm::errs()); }};
}
