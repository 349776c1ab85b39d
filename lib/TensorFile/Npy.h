// The npy format of NumPy: one tensor in a file, for the inputs and outputs of runs.
//
//   "\x93NUMPY", major, minor, length of the header (2 bytes in version 1.0, 4 after), and a Python
//   dictionary {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }, then the data.
//
// Read are versions 1.0 to 3.0 and the types f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1, little-endian.
// NumPy has no bfloat16: it is read from and written as raw elements of two bytes ('V2'), which is
// how NumPy stores the type that machine-learning packages add to it. There is nothing of the kind
// for the 8-bit floats; they are not written.
#pragma once

#include "Base/Result.h"
#include "TensorFile/DType.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace teeny {

struct NpyArray {
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  bool fortranOrder = false;       // the first dim varies fastest
  std::span<const std::byte> data; // exactly the elements; into the file that was read
};

Result<NpyArray> parseNpy(std::span<const std::byte> file);

// The elements in row-major order.
std::vector<std::byte> rowMajor(const NpyArray &array);

// A file of version 1.0 with row-major data. Errors: a type without a name in NumPy, data that does
// not have the size of the shape, more dims than version 1.0 has room for.
Result<std::vector<std::byte>> writeNpy(DType dtype, std::span<const int64_t> shape,
                                        std::span<const std::byte> data);

} // namespace teeny
