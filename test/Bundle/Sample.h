// A small model that uses every part of the manifest.
#pragma once

#include "Bundle/BundleFile.h"

#include <string>
#include <vector>

// Dims B and A; input x, param w, two temporaries of which one is a part of the other, output y;
// one kernel with code for three targets; two launches.
teeny::Manifest sampleManifest();

// The contents that belong to it.
struct SampleParts {
  std::vector<std::byte> weight, odd, cubin, ptx, library, source;
  SampleParts();

  // Adds all of them in an order that `order` picks, and enters the digests into the manifest.
  void addTo(teeny::BundleWriter &writer, teeny::Manifest &manifest, unsigned order = 0) const;
};

std::vector<std::byte> sampleBundle();

// `text` with the first `from` replaced; it must be there.
std::string replaced(std::string text, const std::string &from, const std::string &to);
