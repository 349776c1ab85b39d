#include "Commands.h"
#include "Help.h"
#include "Input.h"

#include "Driver/Driver.h"

using namespace teeny;

Command teeny::addCheck(CLI::App &app) {
  struct State {
    CheckOptions options;
    Input input{options.graph, options.kernels};
  };
  auto state = std::make_shared<State>();
  CLI::App *command = app.add_subcommand("check", "Report every error without generating code");
  state->input.addFlags(*command, "Graph (FILE.json), or kernels (FILE.py::FUNC)");
  command->add_flag("--json", state->options.json,
                    "Print JSON: errors with their places, and the nodes");
  addExamples(*command, {"teenyc check graphs/mlp/mlp.json", "teenyc check kernels/nn/softmax.py",
                         "teenyc check --json graphs/mlp/mlp.json"});
  command->callback([state] { state->input.divide(); });
  return {command, [state] { return check(state->options, llvm::outs(), llvm::errs()); }};
}
