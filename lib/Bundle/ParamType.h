// Types of kernel parameters as signatures spell them: "*fp16", "i32", "u64".
#pragma once

#include "Bundle/Manifest.h"

namespace teeny {

struct ParamType {
  KernelParam::Kind kind = KernelParam::Kind::buffer;
  // Buffers: the element.
  DType element = DType::u8;
  // Integers: what the type holds. Slots have 64 bits, so the upper half of u64 is its lower half
  // again: `max` is that of int64 there.
  int64_t min = 0, max = 0;
  bool isUnsigned = false;

  bool isInteger() const { return max != 0; }
  bool isFloat() const { return kind != KernelParam::Kind::buffer && !isInteger(); }
};

// None for a text that is no type.
std::optional<ParamType> parseParamType(std::string_view text);
// Bytes that a parameter takes among those of a GPU kernel; its offset there is a multiple of them.
int64_t paramBytes(KernelParam::Kind kind);

} // namespace teeny
