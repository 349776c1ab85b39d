// The safetensors format: named tensors in one file, for weights and bundles.
//
//   8 bytes        length N of the header, little-endian
//   N bytes        a JSON object, from '{', padded with spaces at the end:
//                    {"__metadata__": {"key": "text", ...},
//                     "name": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
//   the rest       the data; offsets count from here, and the tensors cover it without holes or
//                  overlaps. Elements are little-endian, row-major.
//
// The reader accepts nothing else and survives any bytes: it takes memory in proportion to the
// header, which is at most maxHeaderBytes as in other readers of the format.
#pragma once

#include "Base/Result.h"
#include "TensorFile/DType.h"

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace teeny {

inline constexpr size_t maxHeaderBytes = 100'000'000;
inline constexpr size_t maxTensorRank = 64;

// A tensor in memory that someone else owns. The data of a file is aligned as the file has it.
struct TensorView {
  std::string name;
  DType dtype = DType::f32;
  std::vector<int64_t> shape;
  std::span<const std::byte> data;
};

using TensorMetadata = std::map<std::string, std::string>;

// The bytes that a tensor of this type and shape takes; none if a dim is negative or they do not
// fit in int64.
std::optional<int64_t> tensorBytes(DType dtype, std::span<const int64_t> shape);

class SafeTensors {
public:
  // Views into `file`, which must outlive the result.
  static Result<SafeTensors> parse(std::span<const std::byte> file);

  // In the order of their data.
  const std::vector<TensorView> &tensors() const { return list; }
  const TensorView *find(std::string_view name) const;
  const TensorMetadata &metadata() const { return texts; }

private:
  std::vector<TensorView> list;
  std::vector<size_t> byName;
  TensorMetadata texts;
};

// The bytes before the data of a file with these tensors in this order. They are padded so that the
// data starts at a multiple of `multiple`. Errors: a name twice, names that are not UTF-8, data
// that does not have the size of the shape, a header beyond the limit.
Result<std::string> safeTensorsHeader(std::span<const TensorView> tensors,
                                      const TensorMetadata &metadata, size_t multiple = 8);

// A whole file.
Result<std::vector<std::byte>> writeSafeTensors(std::span<const TensorView> tensors,
                                                const TensorMetadata &metadata,
                                                size_t multiple = 8);

} // namespace teeny
