// Opens what the command line names as a bundle.
#pragma once

#include "Bundle/BundleFile.h"

namespace teeny {

// As BundleFile::open; a graph or kernel in its place gets an error that says what to do with it.
inline Result<BundleFile> openBundle(const std::string &path) {
  Result<BundleFile> bundle = BundleFile::open(path);
  const bool isSource = path.ends_with(".json") || path.ends_with(".py");
  if (bundle || !isSource || bundle.error().code == ErrorCode::notFound)
    return bundle;
  return Error{ErrorCode::invalid,
               "'" + path + "' is no bundle; 'teenyc compile' makes one of a graph or kernel"};
}

} // namespace teeny
