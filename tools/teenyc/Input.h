// Flags that commands share: what to work on, and up to which phase.
#pragma once

#include "Driver/Options.h"

#include <CLI/CLI.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace teeny {

// What the words of the command line mean depends on the kind of file.
class Input {
public:
  Input(GraphOptions &graph, KernelOptions &kernels) : graph(graph), kernels(kernels) {}
  // FILE, --ops and the flags of kernels.
  void addFlags(CLI::App &command, const std::string &help);
  // After parsing. Throws what CLI11 reports as a mistake of usage.
  void divide();

private:
  void addKernelFlags();
  void refuse(std::initializer_list<const char *> flags, const char *isFor);

  std::vector<std::string> files; // one, or kernels: FILE.py::FUNC
  GraphOptions &graph;
  KernelOptions &kernels;
  CLI::App *command = nullptr;
};

// --stop-after=PHASE
void addStopAfter(CLI::App &command, std::optional<Phase> &phase, const std::string &help);

// --cache=DIR, else $TEENY_CACHE
CLI::Option *addCacheFolder(CLI::App &command, std::string &folder, const std::string &help);

} // namespace teeny
