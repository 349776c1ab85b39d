// Kernels as C source: their GPU code as arrays of bytes, and a function with typed parameters that
// launches each, for programs that have a CUDA driver and no runtime of ours.
//
// Kernels of one function that take arguments of the same types, and differ only in what they
// require of them (multiples, ranges), share a launch function: it takes the first whose
// requirements the arguments meet. So for
//
//     --signature '*fp32:16, *fp32:16, i32:16' --signature '*fp32, *fp32, i32'
//
// there is one launch function, with the faster code where all is aligned and the general code
// elsewhere. A kernel after one that requires nothing would never be taken: it gets a function of
// its own.
#pragma once

#include "Bundle/Manifest.h"
#include "Driver/CodeGeneration.h"

#include <string>

namespace teeny {

struct CSource {
  std::string name; // of the files, without ".h" and ".c": the first kernel's
  std::string header, source;
};

// All kernels of the manifest have signatures, and code for the same GPU targets, at least one.
// Code for CPUs is left out.
CSource emitC(const Manifest &manifest, llvm::ArrayRef<GeneratedCode> codes);

// Writes NAME.h and NAME.c to a folder, which is made if there is none.
Status writeC(const CSource &source, const std::string &folder);

} // namespace teeny
