// Versions of this compiler and of what its output depends on.
#pragma once

#include "Base/Result.h"

#include <string>
#include <utility>
#include <vector>

namespace teeny {

using Provenance = std::vector<std::pair<std::string, std::string>>;

// "teenyc", "llvm" and, with the path of an assembler, "ptxas".
Result<Provenance> provenance(const std::string &assembler);

} // namespace teeny
