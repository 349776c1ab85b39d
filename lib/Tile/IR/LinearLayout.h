#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace teeny::tile {
class LinearLayout {};
} // namespace teeny::tile
