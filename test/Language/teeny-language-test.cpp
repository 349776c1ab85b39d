// Prints the tile IR of one kernel, or what is wrong with it:
//   teeny-language-test FILE.py::FUNCTION [NAME=SPEC,...]... [--global=NAME=VALUE] [--ieee]
//   [--locations] [--canonicalize]
// Exits with 1 if the kernel is refused, with 3 if its IR does not verify.
#include "LanguageSupport.h"

using namespace teeny;
using namespace teeny::test;

int main(int argc, char **argv) {
  std::string function, path;
  std::vector<ParamSpec> specs;
  GenerateOptions options;
  CompileFlags flags;
  for (int i = 1; i != argc; ++i) {
    llvm::StringRef argument = argv[i];
    if (argument == "--ieee") {
      options.fp32Dot = lang::DotPrecision::ieee;
    } else if (argument == "--locations") {
      flags.locations = true;
    } else if (argument == "--canonicalize") {
      flags.canonicalize = true;
    } else if (argument.consume_front("--global=")) {
      auto [name, value] = argument.split('=');
      options.globals[name.str()] = parseConstant(value);
    } else if (argument.contains("::")) {
      path = argument.rsplit("::").first.str();
      function = argument.rsplit("::").second.str();
    } else {
      std::vector<ParamSpec> more = parseSpecs(argument);
      specs.insert(specs.end(), more.begin(), more.end());
    }
  }
  Sources sources;
  std::string error;
  const Source *source = sources.readFile(path, error);
  if (!source) {
    llvm::errs() << path << ": " << error << "\n";
    return 2;
  }
  // Named without its folder, so that expected texts hold anywhere.
  std::string name = path.substr(path.find_last_of('/') + 1);
  Compiled result = compile(name, source->text, function, specs, options, flags);
  llvm::errs() << result.diagnostics;
  llvm::outs() << result.ir;
  return result.outcome == Compiled::generated ? 0 : result.outcome == Compiled::refused ? 1 : 3;
}
