// The words for enumerations of the manifest: in its JSON, and wherever else one is shown.
#pragma once

#include "Bundle/Manifest.h"

#include <array>

namespace teeny {

inline constexpr std::array bufferKindNames = {"input", "output", "param", "temporary"};
inline constexpr std::array paramKindNames = {"buffer", "i1",  "i8",  "i16", "i32",
                                              "i64",    "f32", "f64", "f16", "bf16"};

inline const char *name(ManifestBuffer::Kind kind) { return bufferKindNames[size_t(kind)]; }
inline const char *name(KernelParam::Kind kind) { return paramKindNames[size_t(kind)]; }

} // namespace teeny
