#include "Input.h"

using namespace teeny;

void Input::addFlags(CLI::App &app, const std::string &help) {
  command = &app;
  app.add_option("FILE", files, help)->required();
  app.add_option("--ops", graph.opsDirs,
                 "Folder searched for op declarations, after that of the graph")
      ->type_name("DIR")
      ->check(CLI::ExistingDirectory)
      ->allow_extra_args(false);
  addKernelFlags();
}

void Input::addKernelFlags() {
  auto *group = command->add_option_group("Kernels", "Of a kernel without a graph");
  auto list = [&](const char *flag, std::vector<std::string> &values, const char *help,
                  const char *type) {
    group->add_option(flag, values, help)->type_name(type)->allow_extra_args(false);
  };
  list("--signature", kernels.signatures,
       "Types and values of its parameters: '*fp16:16, *fp16, i32, fp32, 1024'", "S");
  list("--range", kernels.ranges, "Between which values an integer parameter is", "NAME=LOW:HIGH");
  list("--global", kernels.globals, "Value of a global of the file", "NAME=VALUE");
  group
      ->add_option("--config", kernels.config,
                   "Which of an autotuner's configs, by number from 0 or by values; the first")
      ->type_name("N|NAME=VALUE,...");
  group->add_option("--num-warps", kernels.numWarps, "Warps of a program (of the config, else 4)")
      ->check(CLI::IsMember({1, 2, 4, 8, 16, 32}))
      ->type_name("N");
  group
      ->add_option("--num-stages", kernels.numStages,
                   "Stages of pipelined loops (of the config, else 3)")
      ->check(CLI::Range(1, 16))
      ->type_name("N");
  group->add_flag("--debug", kernels.debug, "Check assertions of the kernel, on GPUs");
  group
      ->add_option("--fp32-dot", kernels.fp32Dot,
                   "Precision of dots of fp32, whatever the source says")
      ->check(CLI::IsMember({"ieee", "tf32"}))
      ->type_name("P");
}

void Input::refuse(std::initializer_list<const char *> flags, const char *isFor) {
  for (const char *flag : flags)
    if (command->count(flag) != 0)
      throw CLI::ValidationError(flag, isFor);
}

void Input::divide() {
  auto isKernel = [](const std::string &file) {
    return file.find("::") != std::string::npos || file.ends_with(".py");
  };
  if (!isKernel(files.front())) {
    if (files.size() > 1)
      throw CLI::ArgumentMismatch("one FILE is expected, found " + std::to_string(files.size()));
    refuse({"--signature", "--range", "--global", "--config", "--num-warps", "--num-stages",
            "--debug", "--fp32-dot"},
           "this is for a kernel, FILE.py::FUNC");
    graph.file = files.front();
    return;
  }
  for (const std::string &file : files)
    if (!isKernel(file))
      throw CLI::ValidationError("'" + file + "' is no kernel: write FILE.py::FUNC");
  refuse({"--ops"}, "this is for a graph, FILE.json");
  kernels.kernels = files;
  if (kernels.signatures.empty())
    kernels.signatures.resize(files.size());
  if (files.size() != 1 && files.size() != kernels.signatures.size())
    throw CLI::ValidationError("--signature", std::to_string(files.size()) + " kernels and " +
                                                  std::to_string(kernels.signatures.size()) +
                                                  " signatures; each kernel has one, or one "
                                                  "kernel has all");
}

void teeny::addStopAfter(CLI::App &command, std::optional<Phase> &phase, const std::string &help) {
  command
      .add_option_function<std::string>(
          "--stop-after",
          [&phase](const std::string &name) {
            phase = phaseByName(name);
            if (!phase)
              throw CLI::ValidationError("--stop-after",
                                         "no phase '" + name + "'; phases are " + phaseNames());
          },
          help)
      ->type_name("PHASE");
}

CLI::Option *teeny::addCacheFolder(CLI::App &command, std::string &folder,
                                   const std::string &help) {
  return command.add_option("--cache", folder, help)->type_name("DIR")->envname("TEENY_CACHE");
}
