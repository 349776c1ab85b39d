#include "TensorFile/Bytes.h"
#include "TensorFile/SafeTensors.h"

#include <catch2/catch.hpp>

using namespace teeny;
using Shape = std::vector<int64_t>;

TEST_CASE("the bytes of a small file") {
  std::vector<std::byte> a = bytesOf("12345678"), b = bytesOf("abc");
  std::vector<TensorView> tensors = {{"a", DType::f32, {2, 1}, a},
                                     {"b \"quoted\"", DType::u8, {3}, b}};
  Result<std::vector<std::byte>> file = writeSafeTensors(tensors, {{"k", "v"}});
  REQUIRE(file);
  std::string header =
      R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
      R"("b \"quoted\"":{"dtype":"U8","shape":[3],"data_offsets":[8,11]}})";
  header.resize((header.size() + 7) / 8 * 8, ' ');
  CHECK(textOf(*file) == fileOf(header, "12345678abc"));
}

TEST_CASE("the header is padded as asked") {
  std::vector<std::byte> a = bytesOf("x");
  std::vector<TensorView> tensors = {{"a", DType::u8, {1}, a}};
  for (size_t multiple : {1, 8, 64, 4096}) {
    Result<std::string> header = safeTensorsHeader(tensors, {}, multiple);
    REQUIRE(header);
    CHECK(header->size() % multiple == 0);
  }
}

TEST_CASE("what is written is read back") {
  std::vector<std::byte> data = bytesOf(std::string(240, 'x'));
  std::vector<TensorView> tensors;
  for (const char *word : dtypeNames()) {
    DType type = *dtypeByName(word);
    tensors.push_back({std::string("t.") + word,
                       type,
                       {2, 15},
                       std::span(data).first(size_t(30 * byteSize(type)))});
  }
  tensors.push_back({"", DType::f32, {0}, {}});
  tensors.push_back({"\xc3\xa4\n\x01", DType::f32, {}, std::span(data).first(4)});
  TensorMetadata metadata = {{"", ""}, {"a\"b", "\xe2\x82\xac"}};
  Result<std::vector<std::byte>> file = writeSafeTensors(tensors, metadata);
  REQUIRE(file);
  Result<SafeTensors> back = SafeTensors::parse(*file);
  REQUIRE(back);
  CHECK(back->metadata() == metadata);
  REQUIRE(back->tensors().size() == tensors.size());
  for (const TensorView &tensor : tensors) {
    const TensorView *found = back->find(tensor.name);
    REQUIRE(found);
    CHECK(found->dtype == tensor.dtype);
    CHECK(found->shape == tensor.shape);
    CHECK(textOf(found->data) == textOf(tensor.data));
  }
}

TEST_CASE("what cannot be written is refused") {
  std::vector<std::byte> data = bytesOf("12345678");
  auto message = [&](std::vector<TensorView> tensors, TensorMetadata metadata = {}) {
    Result<std::vector<std::byte>> file = writeSafeTensors(tensors, metadata);
    return file ? "" : file.error().message;
  };
  TensorView good = {"t", DType::f32, {2}, data};
  CHECK(message({good}) == "");
  CHECK(message({good, good}) == R"(tensor name "t" twice)");
  TensorView bad = good;
  bad.shape = {3};
  CHECK(message({bad}) == R"(tensor "t" has 8 bytes of data, its shape takes 12)");
  bad.shape = {INT64_MAX};
  CHECK(message({bad}) == R"(tensor "t" has 8 bytes of data, its shape takes more than 2^63)");
  bad.shape = {-2};
  CHECK_FALSE(message({bad}).empty());
  bad = good;
  bad.name = "\xff";
  CHECK(message({bad}) == "tensor name is not UTF-8");
  bad.name = "__metadata__";
  CHECK(message({bad}) == R"(tensor name "__metadata__" twice)");
  CHECK(message({good}, {{"k", "\xff"}}) == "metadata is not UTF-8");
  bad = good;
  bad.shape = Shape(65, 1);
  CHECK_FALSE(message({bad}).empty());
}
