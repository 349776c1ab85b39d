#include "Commands.h"
#include "Help.h"

#include "Driver/Driver.h"

using namespace teeny;

Command teeny::addKernels(CLI::App &app) {
  auto options = std::make_shared<ListOptions>();
  CLI::App *command = app.add_subcommand("kernels", "List the functions of a kernel file");
  command->add_option("FILE", options->file, "Kernels (FILE.py)")->required();
  command->add_flag("--json", options->json, "Print JSON");
  addExamples(*command, {"teenyc kernels kernels/nn/softmax.py",
                         "teenyc kernels --json kernels/nn/softmax.py"});
  return {command, [options] { return listKernels(*options, llvm::outs(), llvm::errs()); }};
}
