// The words for enumerations in the manifest. Internal to lib/Bundle.
#pragma once

#include "Bundle/Manifest.h"

#include <array>

namespace teeny {

inline constexpr std::array bufferKindNames = {"input", "output", "param", "temporary"};
inline constexpr std::array paramKindNames = {"buffer", "i1",  "i8",  "i16",
                                              "i32",    "i64", "f32", "f64"};

} // namespace teeny
