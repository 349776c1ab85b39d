// Element types of tensors, wherever tensors are named: files, graphs, the manifest.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace teeny {

enum class DType {
  f64,
  f32,
  f16,
  bf16,
  f8e4m3,
  f8e5m2,
  i64,
  i32,
  i16,
  i8,
  u64,
  u32,
  u16,
  u8,
  boolean // one byte, 0 or 1
};

const char *name(DType type); // "f32", "f8e4m3", "bool", ...
std::optional<DType> dtypeByName(std::string_view name);
std::vector<const char *> dtypeNames(); // in the order of the enumeration
int64_t byteSize(DType type);

} // namespace teeny
