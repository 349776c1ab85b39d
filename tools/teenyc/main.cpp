// teenyc: flags to options, one library call.
#include "Commands.h"
#include "Help.h"

#include "Driver/Driver.h"

#include "llvm/ADT/STLExtras.h"

using namespace teeny;

int main(int argc, char **argv) {
  CLI::App app("Compiles model graphs with custom kernels, ahead of time, into one bundle file.",
               "teenyc");
  app.require_subcommand(1);
  app.set_version_flag("--version", versionText);
  app.failure_message(failureText);
  const Command commands[] = {addCompile(app), addDump(app), addCheck(app),     addKernels(app),
                              addVerify(app),  addDiff(app), addReport(app),    addOps(app),
                              addCache(app),   addMan(app),  addCompletion(app)};
  app.footer("Each command has examples: teenyc compile --help");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    // CLI11 has a code of its own for each kind of mistake; to our callers they are all of usage.
    return static_cast<int>(app.exit(error) == 0 ? ExitCode::success : ExitCode::usage);
  }
  const Command *chosen =
      llvm::find_if(commands, [](const Command &command) { return command.app->parsed(); });
  return static_cast<int>(chosen->run());
}
