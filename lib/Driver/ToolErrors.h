// How a command of the tool ends when it fails, and how it says so.
#pragma once

#include "Driver/Options.h"
#include "Driver/Pipeline.h"
#include "llvm/Support/raw_ostream.h"

namespace teeny {

// Whether text there may have colours: on a terminal that has them, unless $NO_COLOR says no.
bool hasColours(const llvm::raw_ostream &os);

// Prints what was found in files.
void render(const Diagnostics &diagnostics, llvm::raw_ostream &err);

// Prints an error that has no place in a file; gives the code back.
ExitCode toolError(llvm::raw_ostream &err, ExitCode code, const Error &error);

// That a file cannot be read, with the one that may be meant.
Error unreadable(const std::string &path, const std::string &reason);

// After diagnostics were rendered.
ExitCode failed(const Pipeline &pipeline, llvm::raw_ostream &err);

} // namespace teeny
