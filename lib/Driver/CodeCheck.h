// Whether the bytes of a code object are what the manifest says of them. Nothing is run.
//
//   PTX      has the entry, with parameters of the sizes that the kernel ABI gives them, for blocks
//            of as many threads
//   cubin    likewise, as its .nv.info section tells the driver
//   library  exports the entry, and imports at most memcpy, memmove and memset; how many parameters
//            it takes does not show
#pragma once

#include "Bundle/Manifest.h"

#include <cstddef>
#include <span>

namespace teeny {

// Survives any bytes.
Status checkCode(const ManifestKernel &kernel, const CodeObject &code,
                 std::span<const std::byte> bytes);

} // namespace teeny
