// Runs kernels on a GPU through the CUDA driver.
#pragma once

#include "Runtime/Device.h"

#include <memory>

namespace teeny::rt {

struct CudaOptions {
  int ordinal = 0;
  bool graphs = true; // replay the launches of a run as a CUDA graph
};

// Errors: environment, where there is no driver, no such device, or it fails.
Result<std::unique_ptr<Device>> makeCudaDevice(const CudaOptions &options);

} // namespace teeny::rt
