#include "Commands.h"
#include "Help.h"

#include "Driver/Driver.h"

#include "llvm/ADT/StringRef.h"

using namespace teeny;

Command teeny::addReport(CLI::App &app) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App *command = app.add_subcommand("report", "Show a bundle as an HTML page");
  command->add_option("F.bundle", options->bundle, "Bundle")->required();
  command->add_option("-o,--output", options->output, "Page to write")
      ->required()
      ->type_name("F.html");
  command
      ->add_option_function<std::vector<std::string>>(
          "--dim",
          [options](const std::vector<std::string> &texts) {
            for (llvm::StringRef text : texts) {
              auto [name, number] = text.split('=');
              int64_t value = 0;
              if (name.empty() || number.getAsInteger(10, value))
                throw CLI::ValidationError("--dim", "expected NAME=N, found '" + text.str() + "'");
              options->dims.emplace_back(name.str(), value);
            }
          },
          "Size at which memory is shown; by default the least that is not 0")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
  addExamples(*command, {"teenyc report boxes.bundle -o boxes.html --dim=B=8"});
  return {command, [options] { return report(*options, llvm::outs(), llvm::errs()); }};
}
