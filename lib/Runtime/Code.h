// Which code object a device runs for each kernel.
#pragma once

#include "Runtime/Device.h"

namespace teeny::rt {

// For each kernel of the manifest, the code object that the device ranks highest; only those of
// `target` if that is not empty. Errors name the kernel, the device and what the bundle has.
Result<std::vector<const CodeObject *>> chooseCode(const Manifest &manifest, const Device &device,
                                                   const std::string &target);

} // namespace teeny::rt
