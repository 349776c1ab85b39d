#include "Commands.h"
#include "Help.h"

#include "llvm/Support/raw_ostream.h"

using namespace teeny;

Command teeny::addMan(CLI::App &app) {
  CLI::App *command = app.add_subcommand("man", "Print the manual, for man");
  addExamples(*command, {"teenyc man > teenyc.1"});
  return {command, [&app] {
            llvm::outs() << manPage(app);
            return ExitCode::success;
          }};
}
