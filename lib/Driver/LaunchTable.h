// The part of a manifest that says what happens at run time, as text for people and snapshots:
// dims, tensors, buffers with their sizes and lifetimes, kernels with their parameters, and the
// launches with every argument. Nothing in it depends on targets or on compiler versions.
#pragma once

#include "Bundle/Manifest.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace teeny {

// With a kernel's name: only the launches that may use it.
void printLaunchTable(const Manifest &manifest, llvm::StringRef kernel, llvm::raw_ostream &os);
// The same for programs: what the manifest says of it, as it says it (lib/Bundle/README.md).
void printLaunchJson(const Manifest &manifest, llvm::StringRef kernel, llvm::raw_ostream &os);

} // namespace teeny
