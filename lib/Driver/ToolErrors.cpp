#include "Driver/ToolErrors.h"

#include "Support/Suggest.h"

#include <cstdlib>

using namespace teeny;

// https://no-color.org: set and not empty.
bool teeny::hasColours(const llvm::raw_ostream &os) {
  const char *none = std::getenv("NO_COLOR");
  const char *terminal = std::getenv("TERM");
  return os.is_displayed() && !(none && *none) && terminal && *terminal &&
         llvm::StringRef(terminal) != "dumb";
}

void teeny::render(const Diagnostics &diagnostics, llvm::raw_ostream &err) {
  diagnostics.render(err, hasColours(err));
}

ExitCode teeny::toolError(llvm::raw_ostream &err, ExitCode code, const Error &error) {
  const bool colours = hasColours(err);
  err << "teenyc: " << (colours ? "\x1b[1;31merror:\x1b[0m " : "error: ") << error.message << "\n";
  return code;
}

Error teeny::unreadable(const std::string &path, const std::string &reason) {
  std::string near = nearestFile(path);
  std::string meant = near.empty() ? "" : "; did you mean '" + near + "'?";
  return {ErrorCode::io, "cannot read '" + path + "': " + reason + meant};
}

ExitCode teeny::failed(const Pipeline &pipeline, llvm::raw_ostream &err) {
  if (pipeline.environment())
    return toolError(err, ExitCode::environment, *pipeline.environment());
  return ExitCode::userError;
}
