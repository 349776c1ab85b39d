// A few values of dims out of all that are allowed, for checks that cannot try every size.
#pragma once

#include "Bundle/Manifest.h"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace teeny {

using DimSample = std::vector<int64_t>; // one value for each dim

// Samples in the dims' ranges, of which `accepts` (what relates dims to each other) holds, in a
// fixed order: all dims at their least value, at the second, at 2, 3, 4 and so on to 256, in the
// middle, at their largest; then each dim by itself at its largest value while the others are at
// their least, and the other way round. Without dims there is one sample, of none.
std::vector<DimSample> sampleDims(std::span<const ManifestDim> dims,
                                  const std::function<bool(const DimSample &)> &accepts);

// Whether a sample meets the manifest's requirements.
bool meetsRequirements(const Manifest &manifest, const DimSample &sample);

// "B = 3, N = 64"; "the only size" where there are no dims.
std::string sampleText(std::span<const ManifestDim> dims, const DimSample &sample);

// All of them: "B = 0, 1, 64", "(B, N) = (0, 1), (64, 2)".
std::string samplesText(std::span<const ManifestDim> dims, std::span<const DimSample> samples);

Expr::Lookup lookupIn(std::span<const ManifestDim> dims, const DimSample &sample);

} // namespace teeny
