#include "Runtime/Code.h"

namespace teeny::rt {

static std::string targetsOf(const ManifestKernel &kernel) {
  std::string text;
  for (const CodeObject &code : kernel.code)
    text += (text.empty() ? "" : ", ") + code.target;
  return text.empty() ? "none" : text;
}

Result<std::vector<const CodeObject *>> chooseCode(const Manifest &manifest, const Device &device,
                                                   const std::string &target) {
  std::vector<const CodeObject *> chosen;
  for (const ManifestKernel &kernel : manifest.kernels) {
    const CodeObject *best = nullptr;
    int bestRank = 0;
    for (const CodeObject &code : kernel.code) {
      if (!target.empty() && code.target != target)
        continue;
      int rank = device.rank(code.target);
      if (rank > bestRank) {
        best = &code;
        bestRank = rank;
      }
    }
    if (!best)
      return Error{ErrorCode::unsupported,
                   "kernel '" + kernel.name + "' has no code" +
                       (target.empty() ? "" : " of target '" + target + "'") + " for the device " +
                       device.describe() + "; it has code for: " + targetsOf(kernel)};
    chosen.push_back(best);
  }
  return chosen;
}

} // namespace teeny::rt
