// Which GPU targets a device runs: plain text and numbers, no driver.
#pragma once

#include <optional>
#include <string_view>

namespace teeny::rt::cuda {

// "sm_90a", "compute_80".
struct GpuTarget {
  bool ptx = false; // compute_: PTX, compiled by the driver; otherwise machine code
  int major = 0, minor = 0;
  char suffix = 0; // 'a': this architecture only; 'f': its family; 0: also later ones
};
std::optional<GpuTarget> parseGpuTarget(std::string_view target);

// 0 if a device of this compute capability cannot run code for `target`, else larger for better
// code. Machine code runs on devices of the same major version and at least the minor; PTX on all
// later ones. With 'a', both need exactly the device; with 'f', the same major version and at least
// the minor. Machine code beats PTX, then the closer architecture wins, then the more specific
// suffix.
int gpuTargetRank(std::string_view target, int major, int minor);

} // namespace teeny::rt::cuda
