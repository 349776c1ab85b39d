#include "Commands.h"
#include "Help.h"

#include "llvm/Support/raw_ostream.h"

using namespace teeny;

Command teeny::addCompletion(CLI::App &app) {
  auto shell = std::make_shared<std::string>();
  CLI::App *command =
      app.add_subcommand("completion", "Print a script that completes command lines in a shell");
  command->add_option("SHELL", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  addExamples(*command, {"source <(teenyc completion bash)", "source <(teenyc completion zsh)"});
  return {command, [shell, &app] {
            llvm::outs() << (*shell == "bash" ? bashCompletion(app) : zshCompletion(app));
            return ExitCode::success;
          }};
}
