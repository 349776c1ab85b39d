// How a command of the tool ends when it fails.
#pragma once

#include "Driver/Options.h"
#include "Driver/Pipeline.h"
#include "llvm/Support/raw_ostream.h"

namespace teeny {

// Prints an error that has no place in a file; gives the code back.
inline ExitCode toolError(llvm::raw_ostream &err, ExitCode code, const Error &error) {
  err << "teenyc: error: " << error.message << "\n";
  return code;
}

// After diagnostics were rendered.
inline ExitCode failed(const Pipeline &pipeline, llvm::raw_ostream &err) {
  if (pipeline.environment())
    return toolError(err, ExitCode::environment, *pipeline.environment());
  return ExitCode::userError;
}

} // namespace teeny
