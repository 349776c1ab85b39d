// What each format calls an element type. Internal to lib/TensorFile.
#pragma once

#include "TensorFile/DType.h"

#include <array>

namespace teeny {

struct DTypeRow {
  DType type;
  int64_t bytes;
  const char *name;
  const char *safetensors;
  const char *npy; // the description that is written; null where NumPy has no such type
};

// In the order of the enumeration.
inline constexpr std::array<DTypeRow, 15> dtypeTable = {{
    {DType::f64, 8, "f64", "F64", "<f8"},
    {DType::f32, 4, "f32", "F32", "<f4"},
    {DType::f16, 2, "f16", "F16", "<f2"},
    {DType::bf16, 2, "bf16", "BF16", "<V2"},
    {DType::f8e4m3, 1, "f8e4m3", "F8_E4M3", nullptr},
    {DType::f8e5m2, 1, "f8e5m2", "F8_E5M2", nullptr},
    {DType::i64, 8, "i64", "I64", "<i8"},
    {DType::i32, 4, "i32", "I32", "<i4"},
    {DType::i16, 2, "i16", "I16", "<i2"},
    {DType::i8, 1, "i8", "I8", "|i1"},
    {DType::u64, 8, "u64", "U64", "<u8"},
    {DType::u32, 4, "u32", "U32", "<u4"},
    {DType::u16, 2, "u16", "U16", "<u2"},
    {DType::u8, 1, "u8", "U8", "|u1"},
    {DType::boolean, 1, "bool", "BOOL", "|b1"},
}};

inline const DTypeRow &rowOf(DType type) { return dtypeTable[size_t(type)]; }

} // namespace teeny
