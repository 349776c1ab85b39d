// A second opinion on memory plans: says what is wrong with one, and shares no code with the
// planner.
//
// It takes the lifetime of a buffer to be what the manifest declares, and whatever launch uses it
// or a part of it. Then it walks over the launches with the set of buffers that are alive, ordered
// by their place in the arena, and looks at the neighbours of each that begins: as long as no two
// overlap, an overlap must be one of neighbours.
#pragma once

#include "Bundle/MemoryPlan.h"

namespace teeny {

// Whether a plan for these dims holds what it must: sizes are those of the manifest, parts lie in
// their wholes, all is aligned and inside the arena, and buffers that are alive in one launch do
// not overlap. The error names the buffers.
Status checkPlan(const Manifest &manifest, const BufferPlan &plan, const Expr::Lookup &dims);

} // namespace teeny
