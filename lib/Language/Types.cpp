#include "Language/Types.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>

namespace teeny::lang {

std::string toString(Integer value) {
  bool negative = value < 0;
  unsigned __int128 rest = negative ? -(unsigned __int128)value : (unsigned __int128)value;
  std::string digits;
  do {
    digits.push_back(char('0' + int(rest % 10)));
    rest /= 10;
  } while (rest);
  if (negative)
    digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits;
}

namespace {

struct ScalarFacts {
  const char *name;
  const char *languageName;
  uint8_t bits;
  uint8_t mantissaBits;
};

// In the order of ScalarType::Kind.
constexpr ScalarFacts scalarFacts[] = {
    {"void", "void", 0, 0},
    {"int1", "int1", 1, 0},
    {"int8", "int8", 8, 0},
    {"int16", "int16", 16, 0},
    {"int32", "int32", 32, 0},
    {"int64", "int64", 64, 0},
    {"uint8", "uint8", 8, 0},
    {"uint16", "uint16", 16, 0},
    {"uint32", "uint32", 32, 0},
    {"uint64", "uint64", 64, 0},
    {"fp8e4nv", "float8e4nv", 8, 3},
    {"fp8e5", "float8e5", 8, 2},
    {"fp8e4b8", "float8e4b8", 8, 3},
    {"fp8e5b16", "float8e5b16", 8, 2},
    {"fp8e4b15", "float8e4b15", 8, 3},
    {"fp16", "float16", 16, 10},
    {"bf16", "bfloat16", 16, 7},
    {"fp32", "float32", 32, 23},
    {"fp64", "float64", 64, 52},
};

} // namespace

llvm::StringRef ScalarType::name() const { return scalarFacts[kind].name; }
llvm::StringRef ScalarType::languageName() const { return scalarFacts[kind].languageName; }
unsigned ScalarType::bits() const { return scalarFacts[kind].bits; }
unsigned ScalarType::mantissaBits() const { return scalarFacts[kind].mantissaBits; }

Integer ScalarType::minimum() const { return isSigned() ? -(Integer(1) << (bits() - 1)) : 0; }
Integer ScalarType::maximum() const {
  return (Integer(1) << (isSigned() ? bits() - 1 : bits())) - 1;
}

std::optional<ScalarType> ScalarType::integer(unsigned bits, bool isSigned) {
  switch (bits) {
  case 1:
    return int1;
  case 8:
    return isSigned ? int8 : uint8;
  case 16:
    return isSigned ? int16 : uint16;
  case 32:
    return isSigned ? int32 : uint32;
  case 64:
    return isSigned ? int64 : uint64;
  default:
    return std::nullopt;
  }
}

std::optional<ScalarType> ScalarType::parse(llvm::StringRef text) {
  for (unsigned kind = 0; kind != std::size(scalarFacts); ++kind)
    if (text == scalarFacts[kind].name || text == scalarFacts[kind].languageName)
      return ScalarType(Kind(kind));
  return llvm::StringSwitch<std::optional<ScalarType>>(text)
      .Cases({"bool", "i1", "u1", "uint1"}, int1)
      .Case("i8", int8)
      .Case("i16", int16)
      .Cases({"i32", "int"}, int32)
      .Case("i64", int64)
      .Case("u8", uint8)
      .Case("u16", uint16)
      .Case("u32", uint32)
      .Case("u64", uint64)
      .Cases({"half", "f16"}, fp16)
      .Case("bfloat", bf16)
      .Cases({"float", "f32"}, fp32)
      .Cases({"double", "f64"}, fp64)
      .Cases({"float8_e4m3fn", "f8e4m3fn"}, fp8e4nv)
      .Cases({"float8_e5m2", "f8e5m2"}, fp8e5)
      .Case("float8_e4m3fnuz", fp8e4b8)
      .Case("float8_e5m2fnuz", fp8e5b16)
      .Default(std::nullopt);
}

std::string ElementType::name() const {
  std::string text = scalar.name().str();
  for (unsigned depth = 0; depth != pointerDepth; ++depth)
    text = (readOnly && depth + 1 == pointerDepth ? "const_pointer<" : "pointer<") + text + ">";
  return text;
}

int64_t Type::elements() const {
  int64_t product = 1;
  for (int64_t dim : shape)
    product *= dim;
  return product;
}

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i != shape.size(); ++i)
    text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

std::string Type::name() const { return element.name() + (isTile() ? shapeText(shape) : ""); }

} // namespace teeny::lang
