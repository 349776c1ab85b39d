// Reads a header as a stream of JSON events into tensors, so that the memory it takes is bounded by
// what a tensor needs, and no depth or duplicate goes unseen.
#include "TensorFile/SafeTensors.h"

#include "Base/Checked.h"
#include "TensorFile/DTypeTable.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstring>

namespace teeny {
namespace {

using Json = nlohmann::json;

// A name as it can stand in a message.
std::string shown(const std::string &name) {
  return Json(name.size() > 200 ? name.substr(0, 200) + "..." : name)
      .dump(-1, ' ', true, Json::error_handler_t::replace);
}

struct Entry {
  TensorView tensor;
  uint64_t begin = 0, end = 0;
};

class HeaderReader : public nlohmann::json_sax<Json> {
public:
  std::vector<Entry> entries;
  TensorMetadata metadata;
  std::string message; // of the first error

  bool start_object(size_t) override {
    switch (where) {
    case Where::outside:
      where = Where::root;
      return true;
    case Where::tensorOrMetadata:
      if (name == "__metadata__") {
        if (hasMetadata)
          return fail("\"__metadata__\" appears twice");
        hasMetadata = true;
        where = Where::metadata;
        return true;
      }
      where = Where::tensor;
      entries.emplace_back().tensor.name = name;
      hasDType = hasShape = hasOffsets = false;
      return true;
    default:
      return unexpected("an object");
    }
  }

  bool key(std::string &text) override {
    switch (where) {
    case Where::root:
      name = text;
      where = Where::tensorOrMetadata;
      return true;
    case Where::metadata:
      metadataKey = text;
      if (!metadata.emplace(text, "").second)
        return fail("\"__metadata__\": key " + shown(text) + " appears twice");
      where = Where::metadataValue;
      return true;
    case Where::tensor:
      if (text == "dtype" && !hasDType) {
        hasDType = true;
        where = Where::dtype;
      } else if (text == "shape" && !hasShape) {
        hasShape = true;
        where = Where::beforeShape;
      } else if (text == "data_offsets" && !hasOffsets) {
        hasOffsets = true;
        where = Where::beforeOffsets;
      } else if (text == "dtype" || text == "shape" || text == "data_offsets") {
        return failHere("\"" + text + "\" appears twice");
      } else {
        return failHere("unknown key " + shown(text) +
                        ", expected \"dtype\", \"shape\" and \"data_offsets\"");
      }
      return true;
    default:
      return unexpected("a key");
    }
  }

  bool end_object() override {
    if (where == Where::tensor) {
      if (!hasDType || !hasShape || !hasOffsets)
        return failHere(std::string("no \"") +
                        (!hasDType   ? "dtype"
                         : !hasShape ? "shape"
                                     : "data_offsets") +
                        "\"");
      where = Where::root;
    } else if (where == Where::metadata) {
      where = Where::root;
    } else {
      where = Where::end;
    }
    return true;
  }

  bool start_array(size_t) override {
    if (where == Where::beforeShape)
      where = Where::shape;
    else if (where == Where::beforeOffsets) {
      where = Where::offsets;
      offsetCount = 0;
    } else
      return unexpected("an array");
    return true;
  }

  bool end_array() override {
    if (where == Where::offsets && offsetCount != 2)
      return failHere("\"data_offsets\" has " + std::to_string(offsetCount) +
                      " numbers, expected 2");
    where = Where::tensor;
    return true;
  }

  bool number_unsigned(uint64_t value) override {
    if (where == Where::shape) {
      std::vector<int64_t> &shape = entries.back().tensor.shape;
      if (value > uint64_t(INT64_MAX))
        return failHere("dim " + std::to_string(value) + " does not fit in 63 bits");
      if (shape.size() == maxTensorRank)
        return failHere("more than " + std::to_string(maxTensorRank) + " dims");
      shape.push_back(int64_t(value));
      return true;
    }
    if (where == Where::offsets) {
      if (offsetCount == 2)
        return failHere("\"data_offsets\" has more than 2 numbers");
      (offsetCount == 0 ? entries.back().begin : entries.back().end) = value;
      ++offsetCount;
      return true;
    }
    return unexpected("a number");
  }

  bool number_integer(int64_t value) override {
    if (where == Where::shape || where == Where::offsets)
      return failHere("negative number " + std::to_string(value));
    return unexpected("a number");
  }

  bool number_float(double, const std::string &text) override {
    if (where == Where::shape || where == Where::offsets)
      return failHere(text.substr(0, 40) + " is not an integer");
    return unexpected("a number");
  }

  bool string(std::string &text) override {
    if (where == Where::metadataValue) {
      metadata[metadataKey] = std::move(text);
      where = Where::metadata;
      return true;
    }
    if (where != Where::dtype)
      return unexpected("a string");
    for (const DTypeRow &row : dtypeTable)
      if (row.safetensors == text) {
        entries.back().tensor.dtype = row.type;
        where = Where::tensor;
        return true;
      }
    return failHere("unknown dtype " + shown(text) +
                    ", expected one of F64 F32 F16 BF16 F8_E4M3 F8_E5M2 I64 I32 I16 I8 U64 U32 "
                    "U16 U8 BOOL");
  }

  bool null() override { return unexpected("null"); }
  bool boolean(bool) override { return unexpected("a boolean"); }
  bool binary(Json::binary_t &) override { return unexpected("binary data"); }

  bool parse_error(size_t position, const std::string &,
                   const nlohmann::detail::exception &) override {
    return fail("malformed JSON at byte " + std::to_string(position));
  }

private:
  enum class Where {
    outside,
    root,
    tensorOrMetadata,
    metadata,
    metadataValue,
    tensor,
    dtype,
    beforeShape,
    shape,
    beforeOffsets,
    offsets,
    end
  };

  bool fail(std::string text) {
    message = std::move(text);
    return false;
  }
  bool failHere(const std::string &text) { return fail(shown(name) + ": " + text); }

  bool unexpected(const std::string &found) {
    switch (where) {
    case Where::outside:
      return fail("expected an object, found " + found);
    case Where::tensorOrMetadata:
      return failHere("expected an object, found " + found);
    case Where::metadataValue:
      return fail("\"__metadata__\": " + shown(metadataKey) + ": expected a string, found " +
                  found);
    case Where::dtype:
      return failHere("\"dtype\": expected a string, found " + found);
    case Where::beforeShape:
    case Where::beforeOffsets:
      return failHere("expected an array of integers, found " + found);
    default:
      return failHere("expected an integer, found " + found);
    }
  }

  Where where = Where::outside;
  std::string name, metadataKey;
  bool hasMetadata = false, hasDType = false, hasShape = false, hasOffsets = false;
  int offsetCount = 0;
};

Error invalid(const std::string &message) {
  return {ErrorCode::invalid, "safetensors header: " + message};
}

// Checks that the tensors, ordered by offset, cover `bytes` bytes, and that each has the size of
// its shape.
Status checkLayout(const std::vector<Entry> &entries, uint64_t bytes) {
  uint64_t at = 0;
  for (const Entry &entry : entries) {
    const TensorView &tensor = entry.tensor;
    std::string here = shown(tensor.name) + ": ";
    std::string range = "[" + std::to_string(entry.begin) + ", " + std::to_string(entry.end) + "]";
    if (entry.begin > entry.end || entry.end > bytes)
      return invalid(here + "data_offsets " + range + " are not a range within the " +
                     std::to_string(bytes) + " bytes of data");
    if (entry.begin != at)
      return invalid(here + "data_offsets " + range +
                     (entry.begin < at ? " overlap what comes before, expected "
                                       : " leave a hole, expected ") +
                     std::to_string(at) + " as the first");
    std::optional<int64_t> size = tensorBytes(tensor.dtype, tensor.shape);
    if (!size || uint64_t(*size) != entry.end - entry.begin)
      return invalid(here + "data_offsets " + range + " hold " +
                     std::to_string(entry.end - entry.begin) + " bytes, the shape takes " +
                     (size ? std::to_string(*size) : "more than 2^63"));
    at = entry.end;
  }
  if (at != bytes)
    return invalid("the tensors take " + std::to_string(at) + " of " + std::to_string(bytes) +
                   " bytes of data");
  return {};
}

} // namespace

std::optional<int64_t> tensorBytes(DType dtype, std::span<const int64_t> shape) {
  std::optional<int64_t> elements = checkedProduct(shape);
  return elements ? checkedMul(*elements, byteSize(dtype)) : std::nullopt;
}

Result<SafeTensors> SafeTensors::parse(std::span<const std::byte> file) {
  if (file.size() < 8)
    return Error{ErrorCode::invalid, "not a safetensors file: " + std::to_string(file.size()) +
                                         " bytes, at least 8 are needed"};
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | uint64_t(file[size_t(i)]);
  if (length > file.size() - 8)
    return Error{ErrorCode::invalid,
                 "not a safetensors file, or cut short: its first bytes announce a header of " +
                     std::to_string(length) + " bytes, and " + std::to_string(file.size() - 8) +
                     " follow"};
  if (length > maxHeaderBytes)
    return invalid("length " + std::to_string(length) + ", at most " +
                   std::to_string(maxHeaderBytes) + " bytes are read");
  std::string_view header(reinterpret_cast<const char *>(file.data()) + 8, length);
  if (header.empty() || header[0] != '{')
    return invalid("does not start with '{'");

  HeaderReader reader;
  if (!Json::sax_parse(header.begin(), header.end(), &reader))
    return invalid(reader.message);

  std::vector<Entry> &entries = reader.entries;
  std::stable_sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::span<const std::byte> data = file.subspan(8 + length);
  if (Status status = checkLayout(entries, data.size()); !status)
    return status.error();

  SafeTensors result;
  result.texts = std::move(reader.metadata);
  for (Entry &entry : entries) {
    entry.tensor.data = data.subspan(entry.begin, entry.end - entry.begin);
    result.byName.push_back(result.list.size());
    result.list.push_back(std::move(entry.tensor));
  }
  auto nameOf = [&](size_t index) -> const std::string & { return result.list[index].name; };
  std::sort(result.byName.begin(), result.byName.end(),
            [&](size_t a, size_t b) { return nameOf(a) < nameOf(b); });
  auto twice = std::adjacent_find(result.byName.begin(), result.byName.end(),
                                  [&](size_t a, size_t b) { return nameOf(a) == nameOf(b); });
  if (twice != result.byName.end())
    return invalid(shown(nameOf(*twice)) + " appears twice");
  return result;
}

const TensorView *SafeTensors::find(std::string_view name) const {
  auto at = std::lower_bound(
      byName.begin(), byName.end(), name,
      [&](size_t index, std::string_view wanted) { return list[index].name < wanted; });
  return at != byName.end() && list[*at].name == name ? &list[*at] : nullptr;
}

} // namespace teeny
