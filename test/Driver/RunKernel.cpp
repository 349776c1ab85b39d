#include "RunKernel.h"

#include "Driver/Driver.h"

#include <catch2/catch.hpp>

namespace teeny::test {

std::string compileKernels(const Folder &folder, std::vector<std::string> kernels,
                           std::vector<std::string> signatures, std::vector<std::string> targets,
                           std::vector<std::string> ranges) {
  CompileOptions options;
  options.kernels.kernels = std::move(kernels);
  options.kernels.signatures = std::move(signatures);
  options.kernels.ranges = std::move(ranges);
  options.targets = std::move(targets);
  options.output = folder.path("kernels.bundle");
  std::string text;
  llvm::raw_string_ostream os(text);
  ExitCode code = compile(options, os, os);
  INFO(text);
  REQUIRE(code == ExitCode::success);
  return options.output;
}

runtime::Session cpuSession(const runtime::Bundle &bundle, const char *target) {
  teeny_session_options options = TEENY_SESSION_OPTIONS_INIT;
  options.device = "cpu";
  options.target = target;
  options.threads = 2;
  return runtime::Session(bundle, &options);
}

} // namespace teeny::test
