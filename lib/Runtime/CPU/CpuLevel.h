// Which CPU targets this machine runs.
#pragma once

#include <string_view>

namespace teeny::rt {

// 0 if this machine cannot run code for `target`; else larger for a target that uses more of it:
// "x86-64" 1, "x86-64-v2" 2, "x86-64-v3" 3, "x86-64-v4" 4; "aarch64" 1.
int cpuTargetRank(std::string_view target);

// The best target that this machine runs: "x86-64-v3".
std::string_view bestCpuTarget();

} // namespace teeny::rt
