#include "Target/PTX/PTX.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace teeny;
using namespace teeny::ptx;
using llvm::StringRef;

static constexpr StringRef install =
    "install NVIDIA's CUDA toolkit (Debian: nvidia-cuda-toolkit), or name the program";

static Result<std::string> findTool(StringRef name, StringRef variable, const std::string &option,
                                    StringRef otherwise) {
  auto explicitPath = [&](StringRef path, StringRef from) -> Result<std::string> {
    if (llvm::sys::fs::can_execute(path))
      return path.str();
    return Error{ErrorCode::environment,
                 ("no program at '" + path + "', which " + from + " names for " + name).str()};
  };
  if (!option.empty())
    return explicitPath(option, "an option");
  if (const char *path = variable.empty() ? nullptr : std::getenv(variable.str().c_str());
      path && *path)
    return explicitPath(path, variable);
  if (const char *home = std::getenv("CUDA_HOME"); home && *home)
    if (std::string path = (StringRef(home) + "/bin/" + name).str();
        llvm::sys::fs::can_execute(path))
      return path;
  if (auto path = llvm::sys::findProgramByName(name))
    return *path;
  if (std::string path = ("/usr/local/cuda/bin/" + name).str(); llvm::sys::fs::can_execute(path))
    return path;
  return Error{ErrorCode::environment, (name + " not found (in $" + variable +
                                        ", $CUDA_HOME/bin, $PATH, /usr/local/cuda/bin): " +
                                        install + " with $" + variable + otherwise)
                                           .str()};
}

namespace {
struct Output {
  int status = 0; // exit status, or 128 + the signal that ended it
  std::string text;
  bool late = false; // it was stopped at the time limit
};

// A new folder that is removed with its files.
struct TemporaryFolder {
  llvm::SmallString<128> path;
  std::error_code made = llvm::sys::fs::createUniqueDirectory("teeny", path);
  ~TemporaryFolder() {
    if (!made)
      (void)llvm::sys::fs::remove_directories(path); // nothing depends on it any more
  }
  std::string file(StringRef name) const { return (path + "/" + name).str(); }
};
} // namespace

static Error ioError(StringRef what, std::error_code code) {
  return {ErrorCode::io, (what + ": " + code.message()).str()};
}

static Result<std::string> readFile(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return ioError("cannot read what a tool wrote", buffer.getError());
  return (*buffer)->getBuffer().str();
}

static Status writeFile(const std::string &path, StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (!code) {
    os << text;
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (code)
    return ioError("cannot write a temporary file", code);
  return {};
}

// Seconds that a tool may take.
static Result<int> timeLimit() {
  const char *text = std::getenv("TEENY_PTXAS_SECONDS");
  if (!text || !*text)
    return 600;
  int seconds = 0;
  if (StringRef(text).getAsInteger(10, seconds) || seconds < 1)
    return Error{ErrorCode::environment, "$TEENY_PTXAS_SECONDS is '" + std::string(text) +
                                             "'; expected a number of seconds from 1"};
  return seconds;
}

// Waits for a child, which is ended at the time limit; true if it was.
static Result<bool> await(pid_t child, int seconds, int &status) {
  using std::chrono::steady_clock, std::chrono::milliseconds;
  auto end = steady_clock::now() + std::chrono::seconds(seconds);
  bool late = false;
  // Most runs take some 50 ms: looked at often at first.
  for (milliseconds pause(1);; pause = std::min(2 * pause, milliseconds(32))) {
    pid_t found = waitpid(child, &status, late ? 0 : WNOHANG);
    if (found == child)
      return late;
    if (found < 0 && errno != EINTR)
      return ioError("cannot wait for a tool", std::error_code(errno, std::generic_category()));
    if (found == 0 && steady_clock::now() >= end) {
      late = true;
      kill(child, SIGKILL);
    } else if (found == 0) {
      std::this_thread::sleep_for(pause);
    }
  }
}

// Runs a program in `folder`; its output and errors together go through a file there.
static Result<Output> runIn(const TemporaryFolder &folder, std::vector<std::string> arguments) {
  Result<int> limit = timeLimit();
  if (!limit)
    return limit.error();
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  std::string log = folder.file("log");

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  llvm::scope_exit destroy([&] { posix_spawn_file_actions_destroy(&actions); });
  posix_spawn_file_actions_addchdir_np(&actions, folder.path.str().str().c_str());
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "log", O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child;
  if (int code = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ))
    return Error{ErrorCode::environment,
                 "cannot run '" + arguments[0] + "': " + std::generic_category().message(code)};
  int status;
  Result<bool> late = await(child, *limit, status);
  if (!late)
    return late.error();
  Result<std::string> text = readFile(log);
  if (!text)
    return text.error();
  return Output{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), *text, *late};
}

Result<std::string> teeny::ptx::findAssembler(const std::string &option) {
  return findTool("ptxas", "TEENY_PTXAS", option,
                  "; or compile for compute_NN, which carries PTX for the driver to assemble");
}

Result<std::string> teeny::ptx::findDisassembler(const std::string &option) {
  return findTool("nvdisasm", "TEENY_NVDISASM", option, "");
}

Result<std::string> teeny::ptx::findProgram(const std::string &name) {
  return findTool(name, "", "", "");
}

Result<std::string> teeny::ptx::assemblerVersion(const std::string &assembler) {
  TemporaryFolder folder;
  if (folder.made)
    return ioError("cannot make a temporary folder", folder.made);
  Result<Output> output = runIn(folder, {assembler, "--version"});
  if (!output)
    return output.error();
  llvm::SmallVector<StringRef> lines;
  StringRef(output->text).split(lines, '\n');
  for (StringRef line : lines)
    if (line.contains("release"))
      return line.trim().str();
  return Error{ErrorCode::environment, "'" + assembler + " --version' names no release"};
}

Result<Assembled> teeny::ptx::assemble(const std::string &assembler, const std::string &ptx,
                                       const Target &target) {
  TemporaryFolder folder;
  if (folder.made)
    return ioError("cannot make a temporary folder", folder.made);
  if (Status status = writeFile(folder.file("kernel.ptx"), ptx); !status)
    return status.error();
  Result<Output> output = runIn(folder, {assembler, "-O3", "-v", "-arch=" + target.processor(),
                                         "-o", "kernel.cubin", "kernel.ptx"});
  if (!output)
    return output.error();
  if (output->late)
    return Error{ErrorCode::unsupported,
                 "ptxas has not finished the code for " + target.processor() + " after " +
                     std::to_string(*timeLimit()) +
                     " seconds and was stopped: smaller blocks or fewer unrolled iterations make "
                     "less of it, $TEENY_PTXAS_SECONDS gives more time"};
  if (output->status != 0) {
    // Its own messages name the line of the PTX; the rest of the report only hides them.
    std::string errors;
    llvm::SmallVector<StringRef> lines;
    StringRef(output->text).split(lines, '\n');
    for (StringRef line : lines)
      if (line.contains("error") || line.contains("fatal"))
        errors += (errors.empty() ? ": " : "; ") + line.trim().str();
    return Error{ErrorCode::invalid,
                 "ptxas refuses the code for " + target.processor() +
                     (errors.empty() ? " with status " + std::to_string(output->status) : errors)};
  }
  Result<std::string> cubin = readFile(folder.file("kernel.cubin"));
  if (!cubin)
    return cubin.error();
  return Assembled{*cubin, parseAssemblerOutput(output->text)};
}

Result<std::string> teeny::ptx::disassemble(const std::string &cubin, const std::string &option) {
  Result<std::string> tool = findDisassembler(option);
  if (!tool)
    return tool;
  TemporaryFolder folder;
  if (folder.made)
    return ioError("cannot make a temporary folder", folder.made);
  if (Status status = writeFile(folder.file("kernel.cubin"), cubin); !status)
    return status.error();
  Result<Output> output = runIn(folder, {*tool, "-c", "kernel.cubin"});
  if (!output)
    return output.error();
  if (output->status != 0)
    return Error{ErrorCode::invalid,
                 "nvdisasm refuses the code: " + StringRef(output->text).trim().str()};
  return output->text;
}
