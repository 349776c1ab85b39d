// What can be said of a kernel file before anyone says what its parameters are: syntax errors of
// every function, and names, keyword arguments, counts of arguments and constructs that cannot be
// right.
//
// Without types and compile-time values most branches may be dead, and code that is never visited
// may hold anything: a path for another vendor's devices, a debugging aid. So only what is visited
// for whatever parameters is judged. Code is certain if
//
//   - its function is called by no other kernel function of the file, or by certain code;
//   - it is not in a branch, loop or operand whose condition might be known at compile time; one
//   that
//     depends on tl.program_id, tl.load and the like certainly is not;
//   - no branch before it, of which that is not certain, may have returned.
//
// For example, with `n` a parameter and `pid = tl.program_id(0)`:
//
//     if n is None:          # may be dead
//         tl.nonsense()      # not judged
//     if pid < n:            # both sides are compiled, whatever n is
//         tl.nonsence()      # error: 'tl' has no 'nonsence'
#pragma once

#include "Language/Language.h"

namespace teeny {

// False, with errors reported, for a file that has any, and for one without kernel functions. The
// context is worked in, and left as it was.
// `globals` are texts for parseGlobal; files that it imports from its folder are read through
// `sources`.
bool checkKernelFile(const Source *source, llvm::ArrayRef<const Source *> globals,
                     mlir::MLIRContext *context, Sources &sources, Diagnostics &diagnostics);

} // namespace teeny
