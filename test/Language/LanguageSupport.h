// Kernels to text, for the tests of the front end.
#pragma once

#include "Language/Language.h"

#include <string>
#include <vector>

namespace teeny::test {

// NAME=SPEC,NAME=SPEC... SPEC is a type as in a launch signature, "*fp32:16" or "i32", with what is
// known of the argument after it ("i32@0..100" a range, "i32!7" a known value, "*fp32:16:noalias",
// "*kfp32" read only), or else a compile-time value: 128, 1.5, True, None, tl.float16, 'text'.
std::vector<ParamSpec> parseSpecs(llvm::StringRef text);
ConstValue parseConstant(llvm::StringRef text);

struct Compiled {
  enum Outcome { generated, refused, invalid } outcome = refused; // invalid: the IR does not verify
  std::string ir, diagnostics;
};

struct CompileFlags {
  bool locations = false, canonicalize = false;
};

Compiled compile(const std::string &name, const std::string &text, llvm::StringRef function,
                 llvm::ArrayRef<ParamSpec> specs, const GenerateOptions &options = {},
                 CompileFlags flags = {});

// A kernel of a file on disk, which may import others beside it.
Compiled compileFile(const std::string &path, llvm::StringRef function,
                     llvm::ArrayRef<ParamSpec> specs);

} // namespace teeny::test
