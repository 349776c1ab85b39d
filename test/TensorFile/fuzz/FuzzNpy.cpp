// Any bytes as an npy file: refused, or a tensor within the file that has its elements in row-major
// order, and that is the same after writing and reading.
#include "Fuzz.h"
#include "TensorFile/Bytes.h"
#include "TensorFile/Npy.h"
#include "TensorFile/SafeTensors.h"

#include <algorithm>

using namespace teeny;

// The element at a row-major index, taken from the file by its definition.
static std::span<const std::byte> elementAt(const NpyArray &array, size_t index) {
  size_t bytes = size_t(byteSize(array.dtype)), place = 0;
  if (array.fortranOrder) {
    size_t step = array.data.size() / bytes; // the last dim varies fastest in `index`, slowest here
    for (size_t d = array.shape.size(); d-- > 0;) {
      step /= size_t(array.shape[d]);
      place += step * (index % size_t(array.shape[d]));
      index /= size_t(array.shape[d]);
    }
  } else {
    place = index;
  }
  return array.data.subspan(place * bytes, bytes);
}

void fuzz::npy(std::string_view input) {
  std::vector<std::byte> file = bytesOf(std::string(input));
  Result<NpyArray> array = parseNpy(file);
  if (!array) {
    expect(!array.error().message.empty(), "an error has a message");
    return;
  }
  expect(tensorBytes(array->dtype, array->shape) == int64_t(array->data.size()),
         "the data has the size of the shape");
  expect(array->data.empty() ||
             (array->data.data() >= file.data() && array->data.size() <= file.size()),
         "the data lies in the file");
  std::vector<std::byte> rows = rowMajor(*array);
  expect(rows.size() == array->data.size(), "all elements are there");
  size_t bytes = size_t(byteSize(array->dtype)), count = rows.size() / bytes;
  for (size_t i = 0; i < std::min<size_t>(count, 1000); ++i)
    expect(std::ranges::equal(elementAt(*array, i), std::span(rows).subspan(i * bytes, bytes)),
           "elements are in row-major order");

  Result<std::vector<std::byte>> written = writeNpy(array->dtype, array->shape, rows);
  expect(bool(written), "what was read can be written");
  Result<NpyArray> back = parseNpy(*written);
  expect(back && back->dtype == array->dtype && back->shape == array->shape &&
             std::ranges::equal(back->data, rows),
         "what was written is read again");
}
