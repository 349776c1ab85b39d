// The drawings of a report, as SVG in the text of a page.
#pragma once

#include "Bundle/Manifest.h"
#include "Runtime/Plan.h"

#include <string>

namespace teeny {

// Launches with what flows between them: a box for each launch, an ellipse for each input and
// output. Boxes link to the elements "launch-N" of the page. Empty where there are more than anyone
// could follow.
std::string drawLaunches(const Manifest &manifest);

// Temporary buffers as rectangles: along x the launches in which they are alive, along y their
// bytes in the arena. Empty where the arena is.
std::string drawMemory(const Manifest &manifest, const rt::Plan &plan);

} // namespace teeny
