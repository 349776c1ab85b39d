// JSON from untrusted text into values, with limits and without exceptions.
#pragma once

#include "Base/Result.h"

#include <nlohmann/json.hpp>

#include <string_view>

namespace teeny {

inline constexpr size_t maxJsonBytes = size_t(32) << 20;
inline constexpr size_t maxJsonValues = size_t(2) << 20;
inline constexpr size_t maxJsonDepth = 64;

// Refuses malformed text, a key twice in an object, and what exceeds the limits.
Result<nlohmann::json> parseJson(std::string_view text);

} // namespace teeny
