// Runs kernels on this machine's CPU.
#pragma once

#include "Runtime/Device.h"

#include <memory>

namespace teeny::rt {

// `threads` as in teeny_session_options: 0 for as many as the machine runs.
std::unique_ptr<Device> makeCpuDevice(int threads);

} // namespace teeny::rt
