// The commands of the tool: one function and one file for each.
//
// It adds the command with its flags to the app. What the flags say goes to options that live as
// long as the app; what goes against the usage is thrown, at the end of parsing, as CLI11 throws
// its own errors. The command then runs without arguments.
#pragma once

#include "Driver/Options.h"

#include <CLI/CLI.hpp>

#include <functional>

namespace teeny {

struct Command {
  CLI::App *app;
  std::function<ExitCode()> run;
};

Command addCompile(CLI::App &app);
Command addDump(CLI::App &app);
Command addCheck(CLI::App &app);
Command addKernels(CLI::App &app);
Command addVerify(CLI::App &app);
Command addDiff(CLI::App &app);
Command addReport(CLI::App &app);
Command addOps(CLI::App &app);
Command addCache(CLI::App &app);
Command addMan(CLI::App &app);
Command addCompletion(CLI::App &app);

} // namespace teeny
