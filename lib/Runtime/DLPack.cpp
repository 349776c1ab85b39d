#include "Runtime/DLPack.h"

namespace teeny::rt::dlpack {

std::optional<DType> dtypeOf(DataType type) {
  if (type.lanes != 1)
    return std::nullopt;
  auto byBits = [&](std::optional<DType> b8, std::optional<DType> b16, std::optional<DType> b32,
                    std::optional<DType> b64) -> std::optional<DType> {
    switch (type.bits) {
    case 8:
      return b8;
    case 16:
      return b16;
    case 32:
      return b32;
    case 64:
      return b64;
    default:
      return std::nullopt;
    }
  };
  const std::optional<DType> none;
  switch (type.code) {
  case signedInt:
    return byBits(DType::i8, DType::i16, DType::i32, DType::i64);
  case unsignedInt:
    return byBits(DType::u8, DType::u16, DType::u32, DType::u64);
  case ieeeFloat:
    return byBits(none, DType::f16, DType::f32, DType::f64);
  case bfloat:
    return byBits(none, DType::bf16, none, none);
  case boolean:
    return byBits(DType::boolean, none, none, none);
  case float8e4m3fn:
    return byBits(DType::f8e4m3, none, none, none);
  case float8e5m2:
    return byBits(DType::f8e5m2, none, none, none);
  default:
    return std::nullopt;
  }
}

} // namespace teeny::rt::dlpack
