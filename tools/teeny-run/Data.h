// Tensors with their data: from files, to files, and as text.
#pragma once

#include "teeny/runtime.h"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace runner {

// A tensor with its data.
struct Data {
  teeny_dtype dtype = TEENY_F32;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;
};

std::string shapeText(const std::vector<int64_t> &shape); // "(4, 100)"
size_t elementsOf(const std::vector<int64_t> &shape);

// An npy file. Where an 8-bit float is expected, bytes are taken for one.
Data readFile(const std::string &path, teeny_dtype expected);
void writeFile(const std::string &path, const Data &data);

// Shape and first values: a line of text, or JSON.
void printOutput(const std::string &name, const Data &data);
nlohmann::ordered_json outputJson(const std::string &name, const Data &data);

} // namespace runner
