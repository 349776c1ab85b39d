// A bundle as JSON, for people and tools.
#pragma once

#include "Bundle/BundleFile.h"

#include <string>

namespace teeny::rt {

// Indented and deterministic. The keys: name, dims, requirements, inputs, outputs, targets,
// kernels, launches, sizes, provenance.
std::string describeJson(const BundleFile &bundle);

// Of all weights.
size_t paramBytes(const BundleFile &bundle);

} // namespace teeny::rt
