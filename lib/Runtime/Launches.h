// The launches of a plan: which variant, what grid, which arguments.
#pragma once

#include "Runtime/Plan.h"

namespace teeny::rt {

// Adds the steps of every launch to a plan whose buffers are known.
Status planLaunches(const Manifest &manifest, const DimValues &dims, Plan &plan);

} // namespace teeny::rt
