// The compiler as one library call per command of the tool.
//
// Errors in the user's files are rendered to `err`, several in one run, each with its place; what
// was asked for goes to `out` or to a file. On any failure nothing is left at the output's path but
// what was there before.
#pragma once

#include "Driver/Options.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace teeny {

ExitCode compile(const CompileOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);
ExitCode dump(const DumpOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);
// Reports every error that shows before code generation; of whole kernel files, of which no types
// are known, every one that is certain.
ExitCode check(const CheckOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);
// Prints what a cache holds, or removes it.
ExitCode cache(const CacheOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);
// Prints the functions of a kernel file.
ExitCode listKernels(const ListOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);
// Prints the ops that graphs can name.
ExitCode listOps(const OpsOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);

// Checks a bundle: its structure, hashes and code, and its launches and memory at several sizes.
// Prints a line for each subject, and one for each thing that is wrong.
ExitCode verify(const VerifyOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);

// Prints what differs between two bundles, by what they hold rather than by their bytes; userError
// where something does.
ExitCode diff(const DiffOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);

// Writes a page that shows what a bundle holds: launches, kernels, memory at one size, sizes.
ExitCode report(const ReportOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);

// Names of the built-in ops and of those that ship.
std::vector<std::string> opNames();

std::string teenyVersion(); // "0.1.0"
// Versions of this compiler and of what it works with, a line each; what it costs that one is not
// there.
std::string versionText();

} // namespace teeny
