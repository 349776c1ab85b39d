// Opens bundles for the runtime: from a file or from memory, with the hash that they must have.
#pragma once

#include "Bundle/BundleFile.h"

#include <memory>

namespace teeny::rt {

// `sha256`: 64 hexadecimal digits that the hash of all bytes must have; null: any.
Result<std::shared_ptr<const BundleFile>> openBundle(const std::string &path, const char *sha256);
// Of a copy of the bytes, aligned as a file is.
Result<std::shared_ptr<const BundleFile>> openBundleCopy(std::span<const std::byte> bytes,
                                                         const char *sha256);

} // namespace teeny::rt
