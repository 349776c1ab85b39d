#include "Runtime/CUDA/Targets.h"

namespace teeny::rt::cuda {

std::optional<GpuTarget> parseGpuTarget(std::string_view target) {
  GpuTarget result;
  if (target.starts_with("sm_")) {
    target.remove_prefix(3);
  } else if (target.starts_with("compute_")) {
    target.remove_prefix(8);
    result.ptx = true;
  } else {
    return std::nullopt;
  }
  if (target.ends_with('a') || target.ends_with('f')) {
    result.suffix = target.back();
    target.remove_suffix(1);
  }
  if (target.size() < 2 || target.size() > 3)
    return std::nullopt;
  int number = 0;
  for (char digit : target) {
    if (digit < '0' || digit > '9')
      return std::nullopt;
    number = number * 10 + (digit - '0');
  }
  result.major = number / 10;
  result.minor = number % 10;
  return result;
}

int gpuTargetRank(std::string_view text, int major, int minor) {
  std::optional<GpuTarget> target = parseGpuTarget(text);
  if (!target)
    return 0;
  bool sameMajor = target->major == major && target->minor <= minor;
  bool runs;
  if (target->suffix == 'a')
    runs = target->major == major && target->minor == minor;
  else if (target->suffix == 'f' || !target->ptx)
    runs = sameMajor;
  else
    runs = target->major < major || sameMajor;
  if (!runs)
    return 0;
  int specific = target->suffix == 'a' ? 2 : target->suffix == 'f' ? 1 : 0;
  int closeness = (target->major * 10 + target->minor) * 3 + specific + 1;
  return target->ptx ? closeness : closeness + 10000;
}

} // namespace teeny::rt::cuda
