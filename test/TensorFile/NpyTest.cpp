// Files as NumPy writes them.
#include "TensorFile/Npy.h"
#include "TensorFile/Bytes.h"

#include <catch2/catch.hpp>

#include <random>

using namespace teeny;
using Shape = std::vector<int64_t>;

namespace {

// Version 1.0 with a header of 118 bytes, as NumPy pads it for small shapes.
std::string numpyFile(std::string dictionary, const std::string &data) {
  dictionary.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00v\x00", 10) + dictionary + "\n" + data;
}

std::string messageOf(const std::string &file) {
  std::vector<std::byte> bytes = bytesOf(file);
  Result<NpyArray> array = parseNpy(bytes);
  return array ? "" : array.error().message;
}

} // namespace

TEST_CASE("arrays that NumPy wrote") {
  // np.arange(6, dtype=np.float32).reshape(2, 3)
  std::vector<std::byte> file = bytesOf(numpyFile(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
      std::string("\0\0\0\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40", 24)));
  Result<NpyArray> array = parseNpy(file);
  REQUIRE(array);
  CHECK(array->dtype == DType::f32);
  CHECK(array->shape == Shape{2, 3});
  CHECK_FALSE(array->fortranOrder);
  REQUIRE(array->data.size() == 24);
  CHECK(array->data.data() == file.data() + 128);
  float values[6];
  std::memcpy(values, array->data.data(), 24);
  for (int i = 0; i < 6; ++i)
    CHECK(values[i] == float(i));

  // np.float32(3): no dims.
  file = bytesOf(numpyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (), }",
                           std::string("\0\0@@", 4)));
  array = parseNpy(file);
  REQUIRE(array);
  CHECK(array->shape.empty());

  // np.zeros((0, 3), dtype=bool): no elements.
  file = bytesOf(numpyFile("{'descr': '|b1', 'fortran_order': False, 'shape': (0, 3), }", ""));
  array = parseNpy(file);
  REQUIRE(array);
  CHECK(array->dtype == DType::boolean);
  CHECK(array->data.empty());
}

TEST_CASE("Fortran order is turned into row-major order") {
  // np.asfortranarray(np.arange(6, dtype=np.int16).reshape(2, 3))
  std::vector<std::byte> file =
      bytesOf(numpyFile("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }",
                        std::string("\0\0\3\0\1\0\4\0\2\0\5\0", 12)));
  Result<NpyArray> array = parseNpy(file);
  REQUIRE(array);
  CHECK(array->fortranOrder);
  CHECK(textOf(rowMajor(*array)) == std::string("\0\0\1\0\2\0\3\0\4\0\5\0", 12));

  // Any rank, against the definition: element (i, j, ...) is at i + n0*(j + n1*(...)).
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    Shape shape(random() % 5);
    size_t elements = 1;
    for (int64_t &dim : shape)
      elements *= size_t(dim = 1 + random() % 4);
    std::vector<std::byte> columns(elements);
    for (size_t i = 0; i < elements; ++i)
      columns[i] = std::byte(i);
    std::vector<std::byte> rows = rowMajor({DType::u8, shape, true, columns});
    REQUIRE(rows.size() == elements);
    for (size_t i = 0; i < elements; ++i) {
      // The index of row-major element i, last dim first.
      size_t rest = i, stride = elements, source = 0;
      for (size_t d = shape.size(); d-- > 0;) {
        stride /= size_t(shape[d]);
        source += rest % size_t(shape[d]) * stride;
        rest /= size_t(shape[d]);
      }
      REQUIRE(rows[i] == std::byte(source));
    }
  }
}

TEST_CASE("versions 2.0 and 3.0, other spacing, Python 2") {
  std::string dictionary = "{ \"shape\":(2L,3L) ,\"fortran_order\" : False,'descr':\"u1\"}";
  for (char major : {'\2', '\3'}) {
    std::string header =
        std::string("\x93NUMPY") + major + '\0' + char(dictionary.size()) + std::string(3, '\0');
    std::vector<std::byte> file = bytesOf(header + dictionary + "abcdef");
    Result<NpyArray> array = parseNpy(file);
    REQUIRE(array);
    CHECK(array->dtype == DType::u8);
    CHECK(array->shape == Shape{2, 3});
    CHECK(textOf(array->data) == "abcdef");
  }
}

TEST_CASE("every type is read back as it was written") {
  for (const char *word : dtypeNames()) {
    DType type = *dtypeByName(word);
    for (const Shape &shape : {Shape{}, Shape{3}, Shape{2, 3}, Shape{0, 5}, Shape(60, 1)}) {
      size_t elements = 1;
      for (int64_t dim : shape)
        elements *= size_t(dim);
      std::vector<std::byte> data(elements * size_t(byteSize(type)));
      for (size_t i = 0; i < data.size(); ++i)
        data[i] = std::byte(i * 37);
      Result<std::vector<std::byte>> file = writeNpy(type, shape, data);
      if (type == DType::f8e4m3 || type == DType::f8e5m2) {
        REQUIRE_FALSE(file);
        CHECK(file.error().message ==
              std::string("npy: ") + word + " has no representation in NumPy");
        continue;
      }
      REQUIRE(file);
      CHECK((file->size() - data.size()) % 64 == 0);
      Result<NpyArray> array = parseNpy(*file);
      REQUIRE(array);
      CHECK(array->dtype == type);
      CHECK(array->shape == shape);
      CHECK(textOf(array->data) == textOf(data));
    }
  }
}

TEST_CASE("the writer writes what NumPy writes") {
  std::string data("\0\0\0\0\0\0\x80\x3f\0\0\0\x40", 12);
  Result<std::vector<std::byte>> file = writeNpy(DType::f32, Shape{3}, bytesOf(data));
  REQUIRE(file);
  std::string expected = "\x93NUMPY";
  expected +=
      std::string("\1\0v\0", 4) + "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  expected.resize(127, ' ');
  CHECK(textOf(*file) == expected + "\n" + data);
}

TEST_CASE("npy files that are refused") {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
  CHECK(messageOf(numpyFile(good, "abcd")) == "");
  CHECK(messageOf("") == "npy: not a npy file");
  CHECK(messageOf("PK\3\4 something else") == "npy: not a npy file");
  CHECK(messageOf(std::string("\x93NUMPY\4\0v\0", 10)) == "npy: version 4.0, expected 1.0 to 3.0");
  CHECK(messageOf(std::string("\x93NUMPY\1\0v\0", 10)) == "npy: header of 118 bytes, 0 follow");
  CHECK(messageOf(numpyFile(good, "abc")) == "npy: 3 bytes of data, the shape takes 4");
  CHECK(messageOf(numpyFile(good, "abcde")) == "npy: 5 bytes of data, the shape takes 4");
  CHECK(messageOf(numpyFile("{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }", "abcd")) ==
        "npy: big-endian elements ('>i4'), expected little-endian");
  CHECK(messageOf(
            numpyFile("{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }", "abcdefgh")) ==
        "npy: element type '<c8', expected one of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1 V2");
  CHECK(messageOf(numpyFile("{'descr': '<V1', 'fortran_order': False, 'shape': (1,), }", "a")) ==
        "npy: element type '<V1', expected one of f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1 V2");
  CHECK(
      messageOf(numpyFile("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
                          "abcd")) ==
      "npy: header, byte 10: expected 'descr' to be a string; structured types are not supported");
  CHECK(messageOf(numpyFile("{'descr': '<f4', 'descr': '<f4', 'shape': (1,), }", "abcd")) ==
        "npy: header, byte 25: expected each of the keys 'descr', 'fortran_order', 'shape' once");
  CHECK(messageOf(numpyFile("{'descr': '<f4', 'shape': (1,), }", "abcd")) ==
        "npy: header, byte 118: expected the keys 'descr', 'fortran_order' and 'shape'");
  CHECK(messageOf(numpyFile("{'descr': '<f4', 'fortran_order': 1, 'shape': (1,), }", "abcd")) ==
        "npy: header, byte 34: expected True or False");
  CHECK(messageOf(numpyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
                            "abcd")) == "npy: header, byte 51: expected a dim");
  CHECK(messageOf(numpyFile(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", "")) ==
        "npy: header, byte 69: dim does not fit in 63 bits");
  CHECK(messageOf(numpyFile(
            "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", "")) ==
        "npy: 0 bytes of data, the shape takes more than 2^63");
  CHECK(messageOf(numpyFile(good + " x", "abcd")) == "npy: header, byte 58: expected the end");
  std::string large = std::string("\x93NUMPY\2\0\0\0\2\0", 12) + std::string(1 << 17, ' ');
  CHECK(messageOf(large) == "npy: header of 131072 bytes, at most 65536 are read");
}

TEST_CASE("a damaged npy file is read or refused") {
  std::string whole =
      numpyFile("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }", std::string(12, 'x'));
  for (size_t length = 0; length < whole.size(); ++length)
    REQUIRE_FALSE(messageOf(whole.substr(0, length)).empty());
  int read = 0;
  for (size_t i = 0; i < whole.size() * 8; ++i) {
    std::string damaged = whole;
    damaged[i / 8] ^= char(1 << i % 8);
    std::vector<std::byte> bytes = bytesOf(damaged);
    Result<NpyArray> array = parseNpy(bytes);
    if (!array)
      continue;
    ++read;
    REQUIRE(rowMajor(*array).size() == 12);
  }
  CHECK(read > 96); // all flips in the data
}
