#include "TensorFile/SafeTensors.h"

#include "Base/Checked.h"
#include "TensorFile/DTypeTable.h"

#include <nlohmann/json.hpp>

#include <set>

namespace teeny {
namespace {

using Json = nlohmann::json;

// `text` as a JSON string; none if it is not UTF-8.
std::optional<std::string> jsonString(const std::string &text) {
  std::string written = Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
  Json back = Json::parse(written, nullptr, /*allow_exceptions=*/false);
  return back.is_string() && back.get_ref<const std::string &>() == text ? std::optional(written)
                                                                         : std::nullopt;
}

} // namespace

Result<std::string> safeTensorsHeader(std::span<const TensorView> tensors,
                                      const TensorMetadata &metadata, size_t multiple) {
  std::string header = "{";
  auto separate = [&] { header += header.size() > 1 ? "," : ""; };
  if (!metadata.empty()) {
    header += "\"__metadata__\":{";
    bool first = true;
    for (const auto &[key, value] : metadata) {
      std::optional<std::string> keyText = jsonString(key), valueText = jsonString(value);
      if (!keyText || !valueText)
        return Error{ErrorCode::invalid, "metadata is not UTF-8"};
      header += (first ? "" : ",") + *keyText + ":" + *valueText;
      first = false;
    }
    header += "}";
  }

  std::set<std::string_view> names = {"__metadata__"};
  uint64_t offset = 0;
  for (const TensorView &tensor : tensors) {
    std::optional<std::string> nameText = jsonString(tensor.name);
    if (!nameText)
      return Error{ErrorCode::invalid, "tensor name is not UTF-8"};
    if (!names.insert(tensor.name).second)
      return Error{ErrorCode::invalid, "tensor name " + *nameText + " twice"};
    if (tensor.shape.size() > maxTensorRank)
      return Error{ErrorCode::unsupported, "tensor " + *nameText + ": more than " +
                                               std::to_string(maxTensorRank) + " dims"};
    std::optional<int64_t> size = tensorBytes(tensor.dtype, tensor.shape);
    if (!size || uint64_t(*size) != tensor.data.size())
      return Error{ErrorCode::invalid, "tensor " + *nameText + " has " +
                                           std::to_string(tensor.data.size()) +
                                           " bytes of data, its shape takes " +
                                           (size ? std::to_string(*size) : "more than 2^63")};
    separate();
    header += *nameText + ":{\"dtype\":\"" + rowOf(tensor.dtype).safetensors + "\",\"shape\":[";
    for (size_t i = 0; i < tensor.shape.size(); ++i)
      header += (i == 0 ? "" : ",") + std::to_string(tensor.shape[i]);
    header += "],\"data_offsets\":[" + std::to_string(offset) + ",";
    offset += tensor.data.size();
    header += std::to_string(offset) + "]}";
  }
  header += "}";

  size_t rest = (8 + header.size()) % multiple;
  header.append(rest == 0 ? 0 : multiple - rest, ' ');
  if (header.size() > maxHeaderBytes)
    return Error{ErrorCode::unsupported, "a header of " + std::to_string(header.size()) +
                                             " bytes, at most " + std::to_string(maxHeaderBytes) +
                                             " can be read"};
  std::string length;
  for (int i = 0; i < 8; ++i)
    length += char(uint64_t(header.size()) >> (8 * i) & 0xff);
  return length + header;
}

Result<std::vector<std::byte>> writeSafeTensors(std::span<const TensorView> tensors,
                                                const TensorMetadata &metadata, size_t multiple) {
  Result<std::string> header = safeTensorsHeader(tensors, metadata, multiple);
  if (!header)
    return header.error();
  auto bytes = std::as_bytes(std::span(*header));
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  for (const TensorView &tensor : tensors)
    file.insert(file.end(), tensor.data.begin(), tensor.data.end());
  return file;
}

} // namespace teeny
