#include "Runtime/Devices.h"

#include "Runtime/CPU/CpuDevice.h"
#include "Runtime/CUDA/CudaDevice.h"
#include "Runtime/CUDA/Targets.h"
#include "Runtime/Code.h"

#include <charconv>

namespace teeny::rt {

static bool hasGpuCode(const Manifest &manifest) {
  for (const ManifestKernel &kernel : manifest.kernels)
    for (const CodeObject &code : kernel.code)
      if (cuda::parseGpuTarget(code.target))
        return true;
  return false;
}

// A device that has code for every kernel, or why not.
static Result<std::unique_ptr<Device>> withCode(Result<std::unique_ptr<Device>> device,
                                                const Manifest &manifest,
                                                const std::string &target) {
  if (!device)
    return device.error();
  if (auto chosen = chooseCode(manifest, **device, target); !chosen)
    return chosen.error();
  return std::move(*device);
}

static Result<std::unique_ptr<Device>> makeBest(const Manifest &manifest,
                                                const DeviceOptions &options) {
  auto cpu = [&] { return withCode(makeCpuDevice(options.threads), manifest, options.target); };
  if (!hasGpuCode(manifest))
    return cpu();
  Result<std::unique_ptr<Device>> first =
      withCode(makeCudaDevice({0, options.graphs}), manifest, options.target);
  if (first)
    return first;
  Result<std::unique_ptr<Device>> second = cpu();
  if (second)
    return second;
  return Error{second.error().code, "no device runs this bundle: " + first.error().message + "; " +
                                        second.error().message};
}

Result<std::unique_ptr<Device>> makeDevice(const Manifest &manifest, const DeviceOptions &options) {
  std::string_view name = options.name;
  if (name.empty())
    return makeBest(manifest, options);
  if (name == "cpu")
    return makeCpuDevice(options.threads);
  if (name == "cuda")
    return makeCudaDevice({0, options.graphs});
  int ordinal = 0;
  if (name.starts_with("cuda:")) {
    const char *begin = name.data() + 5, *end = name.data() + name.size();
    auto [rest, failure] = std::from_chars(begin, end, ordinal);
    if (failure == std::errc() && rest == end && ordinal >= 0)
      return makeCudaDevice({ordinal, options.graphs});
  }
  return Error{ErrorCode::invalid,
               "unknown device '" + options.name + "', expected cpu, cuda or cuda:N"};
}

} // namespace teeny::rt
