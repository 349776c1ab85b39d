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
// Reports every error that shows before code generation.
ExitCode check(const CheckOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);
// The same for whole kernel files, of which no types are known.
ExitCode checkFiles(const KernelOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);
// Prints the functions of a kernel file.
ExitCode listKernels(const ListOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);

// Checks a bundle: its structure, hashes and code, and its launches and memory at several sizes.
// Prints a line for each subject, and one for each thing that is wrong.
ExitCode verify(const VerifyOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);

// Prints what differs between two bundles, by what they hold rather than by their bytes; userError
// where something does.
ExitCode diff(const DiffOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);

// Writes a page that shows what a bundle holds: launches, kernels, memory at one size, sizes.
ExitCode report(const ReportOptions &options, llvm::raw_ostream &out, llvm::raw_ostream &err);

// Versions of this compiler and of what it works with: teenyc, LLVM, ptxas.
std::string versionText();

} // namespace teeny
