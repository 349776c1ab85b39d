#include "Commands.h"
#include "Help.h"
#include "Input.h"

#include "Driver/Driver.h"

using namespace teeny;
using What = DumpOptions::What;

static void addFlags(CLI::App &command, DumpOptions &options) {
  CLI::Option_group *what = command.add_option_group("what", "What to print, one of");
  const std::tuple<const char *, What, const char *> flags[] = {
      {"--graph", What::graph, "Graph IR, by default after infer-shapes"},
      {"--dot", What::dot, "Graph for Graphviz, by default after fuse; what is fused is a cluster"},
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
  command.add_flag("--json", options.json, "With --launches: print JSON");
  command.add_option("--kernel", options.kernel, "Only this kernel")->type_name("NAME");
  command.add_option("--target", options.target, "Only this target")->type_name("T");
  addStopAfter(command, options.stopAfter, "With --graph and --dot: the graph after this phase");
  command.add_option("-o,--output", options.output, "Write to a file")->type_name("F");
  addExamples(command,
              {"teenyc dump --launches graphs/detect_decode/detect_decode.json",
               "teenyc dump --graph graphs/mlp/mlp.json --stop-after=fuse",
               "teenyc dump --ptx graphs/detect_decode/detect_decode.json --target=compute_90",
               "teenyc dump --tile kernels/basic/add.py::add_forward "
               "--signature='*fp32, *fp32, *fp32, i32, 256'"});
}

Command teeny::addDump(CLI::App &app) {
  struct State {
    DumpOptions options;
    Input input{options.graph, options.kernels};
  };
  auto state = std::make_shared<State>();
  CLI::App *command = app.add_subcommand("dump", "Print what a graph becomes or a bundle holds");
  state->input.addFlags(*command, "Graph, bundle or kernels (FILE.json, F.bundle, FILE.py::FUNC)");
  addFlags(*command, state->options);
  command->callback([state] {
    const DumpOptions &options = state->options;
    state->input.divide();
    if (options.stopAfter && options.what != What::graph && options.what != What::dot)
      throw CLI::ValidationError("--stop-after", "goes with --graph and --dot");
    if (options.what == What::dot && !options.kernels.kernels.empty())
      throw CLI::ValidationError("--dot", "this is for a graph, FILE.json");
    if (options.json && options.what != What::launches)
      throw CLI::ValidationError("--json", "goes with --launches");
    if (options.output.empty() && (options.what == What::cubin || options.what == What::object))
      throw CLI::RequiredError("--output");
  });
  return {command, [state] { return dump(state->options, llvm::outs(), llvm::errs()); }};
}
