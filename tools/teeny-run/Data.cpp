#include "Data.h"

#include "Numbers.h"
#include "Options.h"

#include "Base/File.h"
#include "TensorFile/Npy.h"

#include <nlohmann/json.hpp>

#include <iostream>

namespace runner {

using Json = nlohmann::ordered_json;

std::string shapeText(const std::vector<int64_t> &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "(" + text + ")";
}

size_t elementsOf(const std::vector<int64_t> &shape) {
  size_t count = 1;
  for (int64_t size : shape)
    count *= static_cast<size_t>(size);
  return count;
}

// npy files have no 8-bit floats: their bits travel as u8.
static bool isFloat8(teeny_dtype dtype) { return dtype == TEENY_F8E4M3 || dtype == TEENY_F8E5M2; }

Data readFile(const std::string &path, teeny_dtype expected) {
  teeny::Result<teeny::MappedFile> file = teeny::MappedFile::open(path);
  if (!file)
    throw UserError(file.error().message);
  teeny::Result<teeny::NpyArray> array = teeny::parseNpy(file->bytes());
  if (!array)
    throw UserError(path + ": " + array.error().message);
  Data data;
  // The enumerations are the same; the runtime checks that.
  data.dtype = static_cast<teeny_dtype>(array->dtype);
  if (data.dtype == TEENY_U8 && isFloat8(expected))
    data.dtype = expected;
  data.shape = array->shape;
  data.bytes = rowMajor(*array);
  return data;
}

void writeFile(const std::string &path, const Data &data) {
  teeny_dtype dtype = isFloat8(data.dtype) ? TEENY_U8 : data.dtype;
  auto bytes = teeny::writeNpy(static_cast<teeny::DType>(dtype), data.shape, data.bytes);
  if (!bytes)
    throw UserError(path + ": " + bytes.error().message);
  if (teeny::Status written = teeny::writeFile(path, *bytes); !written)
    throw UserError(written.error().message);
}

static std::vector<std::string> firstValues(const Data &data) {
  std::vector<std::string> values;
  for (size_t i = 0; i < std::min<size_t>(elementsOf(data.shape), 8); ++i)
    values.push_back(elementText(data.dtype, data.bytes.data(), i));
  return values;
}

void printOutput(const std::string &name, const Data &data) {
  std::cout << name << "  " << teeny_dtype_name(data.dtype) << " " << shapeText(data.shape) << " ";
  for (const std::string &value : firstValues(data))
    std::cout << " " << value;
  std::cout << (elementsOf(data.shape) > 8 ? " ...\n" : "\n");
}

Json outputJson(const std::string &name, const Data &data) {
  return {{"name", name},
          {"dtype", teeny_dtype_name(data.dtype)},
          {"shape", data.shape},
          {"first", firstValues(data)}};
}

} // namespace runner
