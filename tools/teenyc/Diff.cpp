#include "Commands.h"
#include "Help.h"

#include "Driver/Driver.h"

using namespace teeny;

Command teeny::addDiff(CLI::App &app) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App *command = app.add_subcommand(
      "diff",
      "Print what differs between two bundles; the exit code is 0 if nothing does, 1 if they "
      "differ, 2 if one cannot be read");
  command->add_option("A.bundle", options->before, "Bundle")->required();
  command->add_option("B.bundle", options->after, "Bundle to compare it with")->required();
  addExamples(*command, {"teenyc diff boxes.bundle softmax.bundle"});
  return {command, [options] { return diff(*options, llvm::outs(), llvm::errs()); }};
}
