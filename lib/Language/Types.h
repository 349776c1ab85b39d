// The types of the kernel language: scalars with signedness, pointers, and tiles of either.
//
// Integers of the IR are signless; whether one is signed is known here alone.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace teeny::lang {

// Compile-time integers are as wide as the language ever needs (any int64, any uint64, and their
// sums and products); what does not fit is an error, never a wrapped value.
using Integer = __int128;

std::string toString(Integer value);

// A scalar type of the language; names and rules are Triton's (`tl.int32`, `tl.float16`, ...).
class ScalarType {
public:
  enum Kind : uint8_t {
    voidType,
    int1,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    fp8e4nv,
    fp8e5,
    fp8e4b8,
    fp8e5b16,
    fp8e4b15,
    fp16,
    bf16,
    fp32,
    fp64,
  };

  ScalarType(Kind kind = voidType) : kind(kind) {}
  operator Kind() const { return kind; }

  llvm::StringRef name() const;         // "int32", "fp16", "bf16"
  llvm::StringRef languageName() const; // "int32", "float16", "bfloat16": what follows `tl.`
  unsigned bits() const;
  unsigned mantissaBits() const; // of a float, without the hidden bit
  bool isBool() const { return kind == int1; }
  bool isFloat() const { return kind >= fp8e4nv; }
  bool isFloat8() const { return kind >= fp8e4nv && kind <= fp8e4b15; }
  bool isStandardFloat() const { return kind >= fp16; }
  bool isInteger() const { return kind >= int1 && kind <= uint64; }
  bool isSigned() const { return kind >= int8 && kind <= int64; }
  bool isUnsigned() const { return isInteger() && !isSigned(); } // int1 is
  Integer minimum() const;                                       // of an integer type
  Integer maximum() const;

  // The integer type of this width.
  static std::optional<ScalarType> integer(unsigned bits, bool isSigned);
  // From any spelling: "int32", "i32", "float32", "fp32", "half", "bool".
  static std::optional<ScalarType> parse(llvm::StringRef text);

private:
  Kind kind;
};

// What one element of a tile is: a scalar, or a pointer (or pointer to pointer, ...) to one.
struct ElementType {
  ScalarType scalar;
  uint8_t pointerDepth = 0;
  bool readOnly = false; // a pointer that must not be stored through

  ElementType() = default;
  ElementType(ScalarType scalar, unsigned depth = 0, bool readOnly = false)
      : scalar(scalar), pointerDepth(uint8_t(depth)), readOnly(readOnly) {}
  ElementType(ScalarType::Kind kind) : scalar(kind) {}

  bool isPointer() const { return pointerDepth != 0; }
  bool isInteger() const { return !isPointer() && scalar.isInteger(); }
  bool isFloat() const { return !isPointer() && scalar.isFloat(); }
  bool isBool() const { return !isPointer() && scalar.isBool(); }
  bool is(ScalarType::Kind kind) const { return !isPointer() && scalar == kind; }
  unsigned bits() const { return isPointer() ? 64 : scalar.bits(); }
  ElementType pointee() const { return {scalar, pointerDepth - 1u}; }
  ElementType pointer() const { return {scalar, pointerDepth + 1u}; }
  bool operator==(const ElementType &other) const {
    return scalar == other.scalar && pointerDepth == other.pointerDepth &&
           readOnly == other.readOnly;
  }
  std::string name() const; // "fp32", "pointer<fp32>"
};

// A scalar (no shape) or a tile of elements.
struct Type {
  ElementType element;
  llvm::SmallVector<int64_t, 4> shape;

  Type() = default;
  Type(ElementType element, llvm::ArrayRef<int64_t> shape = {})
      : element(element), shape(shape.begin(), shape.end()) {}
  Type(ScalarType scalar) : element(scalar) {}
  Type(ScalarType::Kind kind) : element(kind) {}

  bool isTile() const { return !shape.empty(); }
  unsigned rank() const { return unsigned(shape.size()); }
  int64_t elements() const;
  Type withElement(ElementType other) const { return {other, shape}; }
  Type withShape(llvm::ArrayRef<int64_t> other) const { return {element, other}; }
  bool operator==(const Type &other) const {
    return element == other.element && shape == other.shape;
  }
  bool operator!=(const Type &other) const { return !(*this == other); }
  std::string name() const; // "fp32", "fp32[16, 32]", "pointer<fp32>[256]"
};

// "[16, 32]"
std::string shapeText(llvm::ArrayRef<int64_t> shape);

// The largest number of elements of a tile.
inline constexpr int64_t maxTileElements = int64_t(1) << 20;

} // namespace teeny::lang
