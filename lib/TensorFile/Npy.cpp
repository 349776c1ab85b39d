#include "TensorFile/Npy.h"

#include "Base/Checked.h"
#include "TensorFile/DTypeTable.h"
#include "TensorFile/SafeTensors.h"

#include <algorithm>
#include <cstring>

namespace teeny {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr size_t maxNpyHeader = 65536;

Error invalid(const std::string &message) { return {ErrorCode::invalid, "npy: " + message}; }

// Reads the dictionary, in any order of keys and with any spaces, but no other Python.
class HeaderReader {
public:
  explicit HeaderReader(std::string_view text) : text(text) {}

  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;

  Status read() {
    if (!take("{"))
      return fail("expected '{'");
    bool hasDescr = false, hasOrder = false, hasShape = false;
    while (!take("}")) {
      std::optional<std::string> key = string();
      if (!key || !take(":"))
        return fail("expected a key and ':'");
      if (*key == "descr" && !std::exchange(hasDescr, true)) {
        std::optional<std::string> value = string();
        if (!value)
          return fail("expected 'descr' to be a string; structured types are not supported");
        descr = *value;
      } else if (*key == "fortran_order" && !std::exchange(hasOrder, true)) {
        fortranOrder = take("True");
        if (!fortranOrder && !take("False"))
          return fail("expected True or False");
      } else if (*key == "shape" && !std::exchange(hasShape, true)) {
        if (Status status = tuple(); !status)
          return status;
      } else {
        return fail("expected each of the keys 'descr', 'fortran_order', 'shape' once");
      }
      if (!take(",") && !peek('}'))
        return fail("expected ',' or '}'");
    }
    skip();
    if (position != text.size())
      return fail("expected the end");
    if (!hasDescr || !hasOrder || !hasShape)
      return fail("expected the keys 'descr', 'fortran_order' and 'shape'");
    return {};
  }

private:
  void skip() {
    while (position < text.size() && (text[position] == ' ' || text[position] == '\n'))
      ++position;
  }
  bool peek(char c) {
    skip();
    return position < text.size() && text[position] == c;
  }
  bool take(std::string_view what) {
    skip();
    if (text.substr(position, what.size()) != what)
      return false;
    position += what.size();
    return true;
  }
  Error fail(const std::string &message) {
    return invalid("header, byte " + std::to_string(position) + ": " + message);
  }

  // 'text' or "text", without escapes.
  std::optional<std::string> string() {
    skip();
    char quote = position < text.size() ? text[position] : 0;
    if (quote != '\'' && quote != '"')
      return std::nullopt;
    size_t end = text.find(quote, position + 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string value(text.substr(position + 1, end - position - 1));
    position = end + 1;
    return value;
  }

  Status tuple() {
    if (!take("("))
      return fail("expected '('");
    while (!take(")")) {
      skip();
      int64_t dim = 0;
      size_t start = position;
      for (; position < text.size() && text[position] >= '0' && text[position] <= '9'; ++position)
        if (__builtin_mul_overflow(dim, int64_t(10), &dim) ||
            __builtin_add_overflow(dim, int64_t(text[position] - '0'), &dim))
          return fail("dim does not fit in 63 bits");
      if (position == start)
        return fail("expected a dim");
      take("L"); // of Python 2
      if (shape.size() == maxTensorRank)
        return fail("more than " + std::to_string(maxTensorRank) + " dims");
      shape.push_back(dim);
      if (!take(",") && !peek(')'))
        return fail("expected ',' or ')'");
    }
    return {};
  }

  std::string_view text;
  size_t position = 0;
};

Result<DType> dtypeOf(const std::string &descr) {
  char order = descr.empty() ? 0 : descr[0];
  bool hasOrder = order == '<' || order == '>' || order == '|' || order == '=';
  std::string kind = hasOrder ? descr.substr(1) : descr;
  for (const DTypeRow &row : dtypeTable) {
    if (!row.npy || kind != row.npy + 1)
      continue;
    if (order == '>' && row.bytes > 1)
      return Error{ErrorCode::unsupported,
                   "npy: big-endian elements ('" + descr + "'), expected little-endian"};
    return row.type;
  }
  std::string shown;
  for (char c : descr.substr(0, 40))
    shown += c >= ' ' && c <= '~' ? c : '?';
  return Error{ErrorCode::unsupported, "npy: element type '" + shown +
                                           "', expected one of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 "
                                           "b1 V2"};
}

} // namespace

Result<NpyArray> parseNpy(std::span<const std::byte> file) {
  std::string_view text(reinterpret_cast<const char *>(file.data()), file.size());
  if (text.substr(0, magic.size()) != magic || text.size() < 10)
    return invalid("not a npy file");
  auto byte = [&](size_t i) { return size_t(uint8_t(text[i])); };
  size_t major = byte(6);
  if (major < 1 || major > 3 || byte(7) != 0)
    return Error{ErrorCode::unsupported, "npy: version " + std::to_string(major) + "." +
                                             std::to_string(byte(7)) + ", expected 1.0 to 3.0"};
  size_t start = major == 1 ? 10 : 12;
  if (text.size() < start)
    return invalid("ends within the header");
  size_t length = byte(8) | byte(9) << 8;
  if (major > 1)
    length |= byte(10) << 16 | byte(11) << 24;
  if (length > text.size() - start)
    return invalid("header of " + std::to_string(length) + " bytes, " +
                   std::to_string(text.size() - start) + " follow");
  if (length > maxNpyHeader)
    return Error{ErrorCode::unsupported, "npy: header of " + std::to_string(length) +
                                             " bytes, at most " + std::to_string(maxNpyHeader) +
                                             " are read"};

  HeaderReader header(text.substr(start, length));
  if (Status status = header.read(); !status)
    return status.error();
  Result<DType> dtype = dtypeOf(header.descr);
  if (!dtype)
    return dtype.error();

  NpyArray array;
  array.dtype = *dtype;
  array.shape = std::move(header.shape);
  array.fortranOrder = header.fortranOrder;
  array.data = file.subspan(start + length);
  std::optional<int64_t> size = tensorBytes(array.dtype, array.shape);
  if (!size || uint64_t(*size) != array.data.size())
    return invalid(std::to_string(array.data.size()) + " bytes of data, the shape takes " +
                   (size ? std::to_string(*size) : "more than 2^63"));
  return array;
}

std::vector<std::byte> rowMajor(const NpyArray &array) {
  std::vector<std::byte> result(array.data.begin(), array.data.end());
  if (!array.fortranOrder || array.shape.size() < 2 || array.data.empty())
    return result;
  // Walks the result in its order and keeps the index of each dim; strides are those of the source.
  size_t rank = array.shape.size(), bytes = size_t(byteSize(array.dtype));
  std::vector<size_t> stride(rank), index(rank, 0);
  for (size_t d = 0, step = bytes; d < rank; step *= size_t(array.shape[d]), ++d)
    stride[d] = step;
  size_t source = 0;
  for (size_t target = 0; target < result.size(); target += bytes) {
    std::memcpy(result.data() + target, array.data.data() + source, bytes);
    for (size_t d = rank; d-- > 0;) {
      source += stride[d];
      if (++index[d] < size_t(array.shape[d]))
        break;
      source -= stride[d] * index[d];
      index[d] = 0;
    }
  }
  return result;
}

Result<std::vector<std::byte>> writeNpy(DType dtype, std::span<const int64_t> shape,
                                        std::span<const std::byte> data) {
  const char *descr = rowOf(dtype).npy;
  if (!descr)
    return Error{ErrorCode::unsupported,
                 std::string("npy: ") + name(dtype) + " has no representation in NumPy"};
  std::optional<int64_t> size = tensorBytes(dtype, shape);
  if (!size || uint64_t(*size) != data.size())
    return invalid(std::to_string(data.size()) + " bytes of data, the shape takes " +
                   (size ? std::to_string(*size) : "more than 2^63"));
  std::string header = "{'descr': '" + std::string(descr) + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i)
    header += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
  header += shape.size() == 1 ? ",), }" : "), }";

  // Data starts at a multiple of 64; the header ends with a line feed.
  size_t length = *checkedAlign(int64_t(10 + header.size() + 1), 64) - 10;
  if (shape.size() > maxTensorRank || length > 0xffff)
    return Error{ErrorCode::unsupported, "npy: too many dims"};
  header.append(length - header.size() - 1, ' ');
  header += '\n';
  std::string whole = std::string(magic) + '\1' + '\0' + char(length & 0xff) + char(length >> 8);
  whole += header;
  auto bytes = std::as_bytes(std::span(whole));
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

} // namespace teeny
