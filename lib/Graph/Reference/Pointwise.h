// What the scalar functions of maps mean: the table of Graph/IR/Pointwise.h, in double.
#pragma once

#include "TensorFile/DType.h"

#include <map>
#include <span>
#include <string>
#include <string_view>

namespace teeny {

// A value of an element type: `real` of a float type, else `whole`.
struct Scalar {
  DType type = DType::f32;
  double real = 0;
  int64_t whole = 0;

  // Rounded to a float type, wrapped to an integer type.
  static Scalar ofReal(DType type, double value);
  static Scalar ofWhole(DType type, int64_t value);
};

// The function of this name, computed exactly or in double and rounded to `result` once. Operands
// are as the table wants them; a name that it lacks is a mistake of the caller.
Scalar applyPointwise(std::string_view function, std::span<const Scalar> operands,
                      const std::map<std::string, double> &parameters, DType result);

} // namespace teeny
