// Devices by the names that users give them.
#pragma once

#include "Runtime/Device.h"

#include <memory>

namespace teeny::rt {

struct DeviceOptions {
  std::string name;   // "cpu", "cuda", "cuda:N"; "": the best that runs the bundle
  std::string target; // only code of this target; "": any
  int threads = 0;    // CPU; 0: as many as the machine runs
  bool graphs = true; // CUDA
};

// The best device is the first GPU if the driver shows one and every kernel has code for it, else
// the CPU. Errors: invalid for a name that is none, environment where there is no such device.
Result<std::unique_ptr<Device>> makeDevice(const Manifest &manifest, const DeviceOptions &options);

} // namespace teeny::rt
