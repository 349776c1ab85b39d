#include "Commands.h"
#include "Help.h"

#include "Driver/Driver.h"

using namespace teeny;

Command teeny::addOps(CLI::App &app) {
  auto options = std::make_shared<OpsOptions>();
  CLI::App *command =
      app.add_subcommand("ops", "List the ops that graphs can name, or tell of one");
  command->add_option("NAME", options->name, "Only this op, with all there is to know")
      ->type_name("OP");
  command->add_option("--ops", options->opsDirs, "Folder of more op declarations")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory)
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "Print JSON");
  addExamples(*command, {"teenyc ops", "teenyc ops conv2d", "teenyc ops --ops=kernels --json"});
  return {command, [options] { return listOps(*options, llvm::outs(), llvm::errs()); }};
}
