// What whoever launches a kernel by other means than the runtime must know of it, as text.
#pragma once

#include "Bundle/Manifest.h"
#include "llvm/Support/raw_ostream.h"

namespace teeny {

// For a kernel with a signature: each parameter with its offset among the parameters of the GPU
// kernel and what its argument must be, what the kernel was compiled for, the grid, and each code
// object with its entry point, block and memory.
void printSignature(const ManifestKernel &kernel, llvm::raw_ostream &os);

} // namespace teeny
