#include "TensorFile/Bytes.h"
#include "TensorFile/SafeTensors.h"

#include <catch2/catch.hpp>

#include <random>

using namespace teeny;
using Shape = std::vector<int64_t>;

namespace {

std::string messageOf(const std::string &file) {
  std::vector<std::byte> bytes = bytesOf(file);
  Result<SafeTensors> tensors = SafeTensors::parse(bytes);
  return tensors ? "" : tensors.error().message;
}

// The message for this header and `bytes` bytes of data, without what all have in front.
std::string refusal(const std::string &header, size_t bytes = 0) {
  std::string message = messageOf(fileOf(header, std::string(bytes, 'x')));
  const std::string front = "safetensors header: ";
  return message.starts_with(front) ? message.substr(front.size()) : message;
}

} // namespace

TEST_CASE("a safetensors file by hand") {
  std::vector<std::byte> file =
      bytesOf(fileOf(R"({"__metadata__":{"format":"pt","why":"a \"test\""},
    "b":{"dtype":"U8","shape":[3],"data_offsets":[8,11]},
    "a":{"data_offsets":[0,8],"shape":[2,1],"dtype":"F32"},
    "empty":{"dtype":"F64","shape":[0,7],"data_offsets":[11,11]},
    "scalar":{"dtype":"I16","shape":[],"data_offsets":[11,13]}}   )",
                     "12345678abcAB"));
  Result<SafeTensors> parsed = SafeTensors::parse(file);
  REQUIRE(parsed);
  REQUIRE(parsed->tensors().size() == 4);
  const TensorView &a = parsed->tensors()[0];
  CHECK(a.name == "a");
  CHECK(a.dtype == DType::f32);
  CHECK(a.shape == Shape{2, 1});
  CHECK(textOf(a.data) == "12345678");
  CHECK(a.data.data() == file.data() + file.size() - 13); // no copy
  CHECK(textOf(parsed->find("b")->data) == "abc");
  CHECK(parsed->find("empty")->data.empty());
  CHECK(parsed->find("empty")->shape == Shape{0, 7});
  CHECK(parsed->find("scalar")->shape.empty());
  CHECK(textOf(parsed->find("scalar")->data) == "AB");
  CHECK(parsed->find("c") == nullptr);
  CHECK(parsed->metadata() == TensorMetadata{{"format", "pt"}, {"why", "a \"test\""}});
}

TEST_CASE("every dtype of the format") {
  const std::pair<const char *, const char *> types[] = {
      {"F64", "f64"},        {"F32", "f32"},        {"F16", "f16"},  {"BF16", "bf16"},
      {"F8_E4M3", "f8e4m3"}, {"F8_E5M2", "f8e5m2"}, {"I64", "i64"},  {"I32", "i32"},
      {"I16", "i16"},        {"I8", "i8"},          {"U64", "u64"},  {"U32", "u32"},
      {"U16", "u16"},        {"U8", "u8"},          {"BOOL", "bool"}};
  for (const auto &[word, expected] : types) {
    DType type = *dtypeByName(expected);
    std::string bytes(size_t(3 * byteSize(type)), 'x');
    std::vector<std::byte> file = bytesOf(fileOf(R"({"t":{"dtype":")" + std::string(word) +
                                                     R"(","shape":[3],"data_offsets":[0,)" +
                                                     std::to_string(bytes.size()) + "]}}",
                                                 bytes));
    Result<SafeTensors> parsed = SafeTensors::parse(file);
    REQUIRE(parsed);
    CHECK(parsed->tensors()[0].dtype == type);
  }
}

TEST_CASE("a file without tensors") {
  CHECK(messageOf(fileOf("{}", "")) == "");
  CHECK(messageOf(fileOf("{ }      ", "")) == "");
  CHECK(messageOf(fileOf(R"({"__metadata__":{}})", "")) == "");
}

TEST_CASE("sizes that disagree are refused") {
  CHECK(messageOf("1234567") == "not a safetensors file: 7 bytes, at least 8 are needed");
  CHECK(messageOf(std::string(8, '\xff') + "{}") ==
        "not a safetensors file, or cut short: its first bytes announce a header of "
        "18446744073709551615 bytes, and 2 follow");
  CHECK(refusal("") == "does not start with '{'");
  CHECK(refusal(" {}") == "does not start with '{'");
  CHECK(refusal("\xef\xbb\xbf{}") == "does not start with '{'");
  CHECK(refusal("{}", 3) == "the tensors take 0 of 3 bytes of data");

  auto one = [](const std::string &shape, const std::string &offsets) {
    return R"({"t":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}}";
  };
  CHECK(refusal(one("[2]", "[0,8]"), 8) == "");
  CHECK(refusal(one("[2]", "[0,8]"), 9) == "the tensors take 8 of 9 bytes of data");
  CHECK(refusal(one("[2]", "[0,8]"), 7) ==
        R"("t": data_offsets [0, 8] are not a range within the 7 bytes of data)");
  CHECK(refusal(one("[2]", "[8,0]"), 8) ==
        R"("t": data_offsets [8, 0] are not a range within the 8 bytes of data)");
  CHECK(refusal(one("[2]", "[1,9]"), 9) ==
        R"("t": data_offsets [1, 9] leave a hole, expected 0 as the first)");
  CHECK(refusal(one("[3]", "[0,8]"), 8) ==
        R"("t": data_offsets [0, 8] hold 8 bytes, the shape takes 12)");
  CHECK(refusal(one("[4611686018427387904,4]", "[0,8]"), 8) ==
        R"("t": data_offsets [0, 8] hold 8 bytes, the shape takes more than 2^63)");
  CHECK(refusal(one("[9223372036854775807]", "[0,8]"), 8) ==
        R"("t": data_offsets [0, 8] hold 8 bytes, the shape takes more than 2^63)");
  CHECK(refusal(one("[4611686018427387904,4,0]", "[0,0]")) == ""); // a dim of 0: no elements
  CHECK(refusal(one("[18446744073709551615]", "[0,8]"), 8) ==
        R"("t": dim 18446744073709551615 does not fit in 63 bits)");
  CHECK(refusal(one("[-1]", "[0,8]"), 8) == R"("t": negative number -1)");
  CHECK(refusal(one("[2.0]", "[0,8]"), 8) == R"("t": 2.0 is not an integer)");
  CHECK(refusal(one("[1e999]", "[0,8]"), 8).find("malformed JSON") == 0);
  CHECK(refusal(one("[2]", "[0]"), 8) == R"("t": "data_offsets" has 1 numbers, expected 2)");
  CHECK(refusal(one("[2]", "[0,4,8]"), 8) == R"("t": "data_offsets" has more than 2 numbers)");
  std::string dims = "[1";
  for (int i = 0; i < 64; ++i)
    dims += ",1";
  CHECK(refusal(one(dims + "]", "[0,4]"), 4) == R"("t": more than 64 dims)");
}

TEST_CASE("tensors that overlap or leave holes are refused") {
  auto two = [](const std::string &a, const std::string &b) {
    return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + a +
           R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + b + "}}";
  };
  CHECK(refusal(two("[0,4]", "[4,8]"), 8) == "");
  CHECK(refusal(two("[4,8]", "[0,4]"), 8) == "");
  CHECK(refusal(two("[0,4]", "[3,7]"), 8) ==
        R"("b": data_offsets [3, 7] overlap what comes before, expected 4 as the first)");
  CHECK(refusal(two("[0,4]", "[0,4]"), 4) ==
        R"("b": data_offsets [0, 4] overlap what comes before, expected 4 as the first)");
  CHECK(refusal(two("[0,4]", "[5,9]"), 9) ==
        R"("b": data_offsets [5, 9] leave a hole, expected 4 as the first)");
}

TEST_CASE("JSON that is no header is refused") {
  const std::string t = R"("dtype":"U8","shape":[0],"data_offsets":[0,0])";
  CHECK(refusal("{" + std::string(100000, '[')).find("malformed JSON") == 0);
  CHECK(refusal(R"({"t":[]})") == R"("t": expected an object, found an array)");
  CHECK(refusal(R"({"t":5})") == R"("t": expected an object, found a number)");
  CHECK(refusal(R"({"t":{}})") == R"("t": no "dtype")");
  CHECK(refusal(R"({"t":{"dtype":"U8","shape":[0]}})") == R"("t": no "data_offsets")");
  CHECK(refusal(R"({"t":{"dtype":"U8","data_offsets":[0,0]}})") == R"("t": no "shape")");
  CHECK(refusal("{\"t\":{" + t + R"(,"extra":1}})") ==
        R"("t": unknown key "extra", expected "dtype", "shape" and "data_offsets")");
  CHECK(refusal("{\"t\":{" + t + R"(,"dtype":"U8"}})") == R"("t": "dtype" appears twice)");
  CHECK(refusal("{\"t\":{" + t + "},\"t\":{" + t + "}}") == R"("t" appears twice)");
  CHECK(
      refusal(R"({"t":{"dtype":"F4","shape":[0],"data_offsets":[0,0]}})") ==
      R"("t": unknown dtype "F4", expected one of F64 F32 F16 BF16 F8_E4M3 F8_E5M2 I64 I32 I16 I8 U64 U32 U16 U8 BOOL)");
  CHECK(refusal(R"({"t":{"dtype":null,"shape":[0],"data_offsets":[0,0]}})") ==
        R"("t": "dtype": expected a string, found null)");
  CHECK(refusal(R"({"t":{"dtype":"U8","shape":[[0]],"data_offsets":[0,0]}})") ==
        R"("t": expected an integer, found an array)");
  CHECK(refusal(R"({"t":{"dtype":"U8","shape":{},"data_offsets":[0,0]}})") ==
        R"("t": expected an array of integers, found an object)");
  CHECK(refusal(R"({"t":{"dtype":"U8","shape":["0"],"data_offsets":[0,0]}})") ==
        R"("t": expected an integer, found a string)");
  CHECK(refusal(R"({"__metadata__":{"a":1}})") ==
        R"("__metadata__": "a": expected a string, found a number)");
  CHECK(refusal(R"({"__metadata__":{"a":"1","a":"2"}})") ==
        R"("__metadata__": key "a" appears twice)");
  CHECK(refusal(R"({"__metadata__":{},"__metadata__":{}})") == R"("__metadata__" appears twice)");
  CHECK(refusal(R"({"__metadata__":"a"})") ==
        R"("__metadata__": expected an object, found a string)");
  CHECK(refusal("{} {}").find("malformed JSON") == 0);
  CHECK(refusal("{}x").find("malformed JSON") == 0);
  CHECK(refusal("{\"\xff\":{}}").find("malformed JSON") == 0);
}

TEST_CASE("a damaged safetensors file is read or refused") {
  std::string whole =
      fileOf(R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
             R"("b":{"dtype":"U8","shape":[1,3],"data_offsets":[8,11]}} )",
             "12345678abc");
  REQUIRE(messageOf(whole) == "");
  for (size_t length = 0; length < whole.size(); ++length)
    REQUIRE(messageOf(whole.substr(0, length)) != "");

  std::mt19937 random(3);
  int read = 0, refused = 0;
  auto tryOne = [&](const std::string &text) {
    std::vector<std::byte> bytes = bytesOf(text);
    Result<SafeTensors> tensors = SafeTensors::parse(bytes);
    ++(tensors ? read : refused);
    if (!tensors)
      return;
    // What is read lies within the file.
    for (const TensorView &tensor : tensors->tensors()) {
      REQUIRE(tensor.data.data() >= bytes.data());
      REQUIRE(tensor.data.data() + tensor.data.size() <= bytes.data() + bytes.size());
      REQUIRE(tensors->find(tensor.name) == &tensor);
    }
  };
  for (size_t i = 0; i < whole.size() * 8; ++i) {
    std::string damaged = whole;
    damaged[i / 8] ^= char(1 << i % 8);
    tryOne(damaged);
  }
  const std::string letters = "{}[]\",:0123456789-eabU8F32 \\";
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = whole;
    for (int edits = 1 + random() % 4; edits > 0; --edits) {
      size_t at = 8 + random() % (damaged.size() - 8);
      if (random() % 3 == 0)
        damaged.erase(at, random() % 5);
      else if (random() % 2)
        damaged.insert(at, 1, letters[random() % letters.size()]);
      else
        damaged[at] = letters[random() % letters.size()];
    }
    tryOne(damaged);
  }
  CHECK(read > 100);
  CHECK(refused > 1000);
}
