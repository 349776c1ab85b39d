// Which memory buffers of a manifest lie in.
#pragma once

#include "Bundle/Manifest.h"

#include <cstdint>
#include <vector>

namespace teeny {

// For each buffer the one that it is a part of, through all wholes; itself if it is none. Reading a
// manifest has refused circles.
inline std::vector<size_t> bufferRoots(const Manifest &manifest) {
  std::vector<size_t> roots(manifest.buffers.size(), SIZE_MAX), chain;
  for (size_t i = 0; i < roots.size(); ++i) {
    size_t at = i;
    for (chain.clear(); roots[at] == SIZE_MAX && manifest.buffers[at].aliasOf;
         at = *manifest.buffers[at].aliasOf)
      chain.push_back(at);
    const size_t root = roots[at] == SIZE_MAX ? at : roots[at];
    roots[at] = root;
    for (size_t part : chain)
      roots[part] = root;
  }
  return roots;
}

} // namespace teeny
