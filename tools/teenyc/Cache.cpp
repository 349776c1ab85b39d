#include "Commands.h"
#include "Help.h"
#include "Input.h"

#include "Driver/Driver.h"

using namespace teeny;

Command teeny::addCache(CLI::App &app) {
  auto options = std::make_shared<CacheOptions>();
  CLI::App *command = app.add_subcommand("cache", "Say what the cache of compiled code holds");
  addCacheFolder(*command, options->dir, "The folder")->required();
  command->add_flag("--clear", options->clear, "Remove it all");
  addExamples(*command,
              {"teenyc cache --cache=build/cache", "teenyc cache --cache=build/cache --clear"});
  return {command, [options] { return cache(*options, llvm::outs(), llvm::errs()); }};
}
