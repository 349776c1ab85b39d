#include "Commands.h"
#include "Help.h"

#include "Driver/Driver.h"

using namespace teeny;

Command teeny::addVerify(CLI::App &app) {
  auto options = std::make_shared<VerifyOptions>();
  CLI::App *command =
      app.add_subcommand("verify", "Check that a bundle is whole and can be run at its sizes");
  command->add_option("F.bundle", options->bundle, "Bundle")->required();
  addExamples(*command, {"teenyc verify boxes.bundle"});
  return {command, [options] { return verify(*options, llvm::outs(), llvm::errs()); }};
}
