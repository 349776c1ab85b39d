#include "Bundle/ParamType.h"

#include <algorithm>

namespace teeny {

using Kind = KernelParam::Kind;

namespace {
struct Element {
  const char *name;
  DType dtype;
};
constexpr Element elements[] = {
    {"fp64", DType::f64},  {"fp32", DType::f32},       {"fp16", DType::f16},
    {"bf16", DType::bf16}, {"fp8e4nv", DType::f8e4m3}, {"fp8e5", DType::f8e5m2},
    {"i64", DType::i64},   {"i32", DType::i32},        {"i16", DType::i16},
    {"i8", DType::i8},     {"u64", DType::u64},        {"u32", DType::u32},
    {"u16", DType::u16},   {"u8", DType::u8},          {"i1", DType::boolean},
};
} // namespace

static ParamType scalarType(DType type) {
  ParamType result;
  result.element = type;
  auto integer = [&](Kind kind, int64_t min, int64_t max) {
    result.kind = kind;
    result.min = min;
    result.max = max;
    result.isUnsigned = min == 0;
  };
  switch (type) {
  case DType::boolean:
    integer(Kind::i1, 0, 1);
    break;
  case DType::i8:
    integer(Kind::i8, INT8_MIN, INT8_MAX);
    break;
  case DType::i16:
    integer(Kind::i16, INT16_MIN, INT16_MAX);
    break;
  case DType::i32:
    integer(Kind::i32, INT32_MIN, INT32_MAX);
    break;
  case DType::i64:
    integer(Kind::i64, INT64_MIN, INT64_MAX);
    break;
  case DType::u8:
    integer(Kind::i8, 0, UINT8_MAX);
    break;
  case DType::u16:
    integer(Kind::i16, 0, UINT16_MAX);
    break;
  case DType::u32:
    integer(Kind::i32, 0, UINT32_MAX);
    break;
  case DType::u64:
    integer(Kind::i64, 0, INT64_MAX);
    break;
  case DType::f16:
    result.kind = Kind::f16;
    break;
  case DType::bf16:
    result.kind = Kind::bf16;
    break;
  case DType::f32:
    result.kind = Kind::f32;
    break;
  default:
    result.kind = Kind::f64;
    break;
  }
  return result;
}

std::optional<ParamType> parseParamType(std::string_view text) {
  bool pointer = text.starts_with('*');
  text.remove_prefix(pointer);
  auto found = std::find_if(std::begin(elements), std::end(elements),
                            [&](const Element &element) { return text == element.name; });
  if (found == std::end(elements))
    return std::nullopt;
  if (pointer) {
    ParamType type;
    type.element = found->dtype;
    return type;
  }
  if (found->dtype == DType::f8e4m3 || found->dtype == DType::f8e5m2)
    return std::nullopt;
  return scalarType(found->dtype);
}

int64_t paramBytes(Kind kind) {
  switch (kind) {
  case Kind::i1:
  case Kind::i8:
    return 1;
  case Kind::i16:
  case Kind::f16:
  case Kind::bf16:
    return 2;
  case Kind::i32:
  case Kind::f32:
    return 4;
  default:
    return 8;
  }
}

bool ManifestKernel::hasSignature() const {
  return std::none_of(params.begin(), params.end(),
                      [](const KernelParam &param) { return param.type.empty(); });
}

} // namespace teeny
