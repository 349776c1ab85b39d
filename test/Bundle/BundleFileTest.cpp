#include "Bundle/BundleFile.h"
#include "Bundle/Sample.h"

#include "Base/Sha256.h"

#include <catch2/catch.hpp>

#include <filesystem>

#include <unistd.h>

using namespace teeny;

namespace {

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

// What writing the sample says after `change`.
template <typename Change> std::string writeError(Change change) {
  SampleParts parts;
  BundleWriter writer;
  Manifest manifest = sampleManifest();
  parts.addTo(writer, manifest);
  change(writer, manifest);
  Result<std::vector<std::byte>> bytes = writer.bytes(manifest);
  return bytes ? "" : bytes.error().message;
}

} // namespace

TEST_CASE("a bundle is opened with what was put in") {
  SampleParts parts;
  std::vector<std::byte> bytes = sampleBundle();
  Result<BundleFile> bundle = BundleFile::openMemory(bytes);
  INFO((bundle ? "" : bundle.error().message));
  REQUIRE(bundle);
  const Manifest &manifest = bundle->manifest();
  CHECK(manifest.name == "sample");
  CHECK(text(bundle->weight(manifest.buffers[1]).data) == text(parts.weight));
  CHECK(bundle->weight(manifest.buffers[1]).shape == std::vector<int64_t>{2, 5});
  CHECK(text(bundle->code(manifest.kernels[0].code[0])) == text(parts.cubin));
  CHECK(text(bundle->code(manifest.kernels[0].code[1])) == text(parts.ptx));
  CHECK(text(bundle->code(manifest.kernels[0].code[2])) == text(parts.library));
  CHECK(text(bundle->tensors().find("teeny/source/k.py")->data) == text(parts.source));
  CHECK(bundle->bytes().data() == bytes.data());
  CHECK(bundle->verify());
}

TEST_CASE("a bundle file is opened, moved and outlives its path") {
  std::string path =
      std::filesystem::temp_directory_path() / ("teeny-" + std::to_string(getpid()) + ".bundle");
  SampleParts parts;
  BundleWriter writer;
  Manifest manifest = sampleManifest();
  parts.addTo(writer, manifest);
  REQUIRE(writer.write(manifest, path));
  Result<BundleFile> opened = BundleFile::open(path);
  std::filesystem::remove(path);
  REQUIRE(opened);
  BundleFile bundle = std::move(*opened);
  CHECK(text(bundle.bytes()) == text(sampleBundle()));
  CHECK(bundle.verify());

  Result<BundleFile> gone = BundleFile::open(path);
  REQUIRE_FALSE(gone);
  CHECK(gone.error().code == ErrorCode::notFound);
}

TEST_CASE("the same parts in any order give the same bytes") {
  SampleParts parts;
  std::string first;
  for (unsigned order = 0; order < 12; ++order) {
    BundleWriter writer;
    Manifest manifest = sampleManifest();
    parts.addTo(writer, manifest, order);
    Result<std::vector<std::byte>> bytes = writer.bytes(manifest);
    REQUIRE(bytes);
    first = first.empty() ? text(*bytes) : first;
    CHECK(text(*bytes) == first);
  }
}

TEST_CASE("verify finds code that was changed") {
  std::vector<std::byte> bytes = sampleBundle();
  Result<BundleFile> bundle = BundleFile::openMemory(bytes);
  REQUIRE(bundle);
  for (const CodeObject &object : bundle->manifest().kernels[0].code) {
    std::span<const std::byte> code = bundle->code(object);
    size_t offset = size_t(code.data() - bytes.data());
    for (size_t at : {size_t(0), code.size() - 1}) {
      std::vector<std::byte> damaged = bytes;
      damaged[offset + at] ^= std::byte{1};
      Result<BundleFile> other = BundleFile::openMemory(damaged);
      REQUIRE(other);
      Status status = other->verify();
      REQUIRE_FALSE(status);
      CHECK(status.error().message ==
            "kernel 'k.fast', target " + object.target + ": '" + object.tensor + "' has SHA-256 " +
                sha256Hex(other->code(object)) + ", expected " + object.sha256);
    }
  }
}

TEST_CASE("verify finds weights and sources that were changed") {
  std::vector<std::byte> bytes = sampleBundle();
  Result<BundleFile> bundle = BundleFile::openMemory(bytes);
  REQUIRE(bundle);
  REQUIRE(bundle->manifest().hashes.size() == 3);
  for (const char *name : {"a.odd", "model.w", "teeny/source/k.py"}) {
    const TensorView *tensor = bundle->tensors().find(name);
    std::vector<std::byte> damaged = bytes;
    damaged[size_t(tensor->data.data() - bytes.data())] ^= std::byte{128};
    Result<BundleFile> other = BundleFile::openMemory(damaged);
    REQUIRE(other);
    REQUIRE(other->damages().size() == 1);
    CHECK(other->damages()[0].message == "'" + std::string(name) + "' has SHA-256 " +
                                             sha256Hex(other->tensors().find(name)->data) +
                                             ", expected " + sha256Hex(tensor->data));
    CHECK_FALSE(other->verify());
  }
}

TEST_CASE("golden runs") {
  SampleParts parts;
  std::vector<std::byte> x(4 * 4 * 4), y(2); // B = 1, A = 4
  auto write = [&](DType type, std::vector<int64_t> shape) {
    BundleWriter writer;
    Manifest manifest = sampleManifest();
    parts.addTo(writer, manifest);
    ManifestGolden golden;
    golden.inputs = {writer.addGolden("0/x", type, std::move(shape), x)};
    golden.outputs = {{writer.addGolden("0/y", DType::f16, {1, 1}, y), 0.5, 0.25}};
    manifest.golden = {golden};
    return writer.bytes(manifest);
  };
  Result<std::vector<std::byte>> bytes = write(DType::f32, {1, 4, 4});
  REQUIRE(bytes);
  Result<BundleFile> bundle = BundleFile::openMemory(*bytes);
  REQUIRE(bundle);
  const ManifestGolden &golden = bundle->manifest().golden.at(0);
  CHECK(golden.inputs == std::vector<std::string>{"teeny/golden/0/x"});
  CHECK(golden.outputs[0].tensor == "teeny/golden/0/y");
  CHECK(golden.outputs[0].absolute == 0.5);
  CHECK(golden.outputs[0].relative == 0.25);
  CHECK(bundle->tensors().find("teeny/golden/0/x")->shape == std::vector<int64_t>{1, 4, 4});
  CHECK(bundle->verify());

  Result<std::vector<std::byte>> misfit = write(DType::i32, {1, 16});
  REQUIRE_FALSE(misfit);
  CHECK(misfit.error().message == "manifest: golden[0].inputs[0]: 'teeny/golden/0/x' is "
                                  "2-dimensional of type i32, expected 3 and f32");
}

TEST_CASE("parts that the manifest does not agree with") {
  CHECK(writeError([](BundleWriter &, Manifest &) {}) == "");
  CHECK(writeError([](BundleWriter &, Manifest &m) { m.buffers[1].tensor = "other"; }) ==
        "manifest: buffers[1].tensor: no tensor has the name 'other'");
  CHECK(writeError([](BundleWriter &, Manifest &m) { m.buffers[1].bytes = 44; }) ==
        "manifest: buffers[1].tensor: 'model.w' has 40 bytes, the buffer 44");
  CHECK(writeError([](BundleWriter &, Manifest &m) {
          m.kernels[0].code[1].tensor = "teeny/code/x";
        }) == "manifest: kernels[0].code[1].tensor: no tensor has the name 'teeny/code/x'");
  CHECK(writeError([](BundleWriter &, Manifest &m) { m.launches[0].variants[0].kernel = 7; }) ==
        "manifest: launches[0].variants[0].kernel: no such kernel");
  CHECK(writeError([](BundleWriter &w, Manifest &) { w.addWeight("a.odd", DType::u8, {0}, {}); }) ==
        "tensor name \"a.odd\" twice");
  for (const char *name : {"teeny/manifest.json", "teeny/pad/0", "teeny/x"})
    CHECK(writeError([&](BundleWriter &w, Manifest &) { w.addWeight(name, DType::u8, {0}, {}); }) ==
          "weight '" + std::string(name) + "' has a reserved name");
  CHECK(writeError([](BundleWriter &w, Manifest &) { w.addWeight("v", DType::f32, {3}, {}); }) ==
        "tensor \"v\" has 0 bytes of data, its shape takes 12");
}

TEST_CASE("safetensors files that are no bundles") {
  auto messageOf = [](const std::vector<TensorView> &tensors, const TensorMetadata &metadata) {
    Result<std::vector<std::byte>> file = writeSafeTensors(tensors, metadata);
    REQUIRE(file);
    Result<BundleFile> bundle = BundleFile::openMemory(*file);
    return bundle ? "" : bundle.error().message;
  };
  const TensorMetadata metadata = {{"format", "teeny"}, {"version", "1"}};
  const std::string noBundle =
      "not a bundle: the metadata must be {\"format\": \"teeny\", \"version\": \"1\"}";
  CHECK(messageOf({}, {}) == noBundle);
  CHECK(messageOf({}, {{"format", "teeny"}, {"version", "2"}}) == noBundle);
  CHECK(messageOf({}, {{"format", "pt"}}) == noBundle);
  CHECK(messageOf({}, metadata) ==
        "not a bundle: no tensor of bytes has the name 'teeny/manifest.json'");
  std::string json = "{}";
  std::span<const std::byte> bytes = std::as_bytes(std::span(json));
  CHECK(messageOf({{"teeny/manifest.json", DType::i8, {2}, bytes}}, metadata) ==
        "not a bundle: no tensor of bytes has the name 'teeny/manifest.json'");
  CHECK(messageOf({{"teeny/manifest.json", DType::u8, {2}, bytes}}, metadata) ==
        "manifest: no \"teeny\"");
  std::string graph = "{\n\t\"teeny\": 1";
  CHECK(BundleFile::openMemory(std::as_bytes(std::span(graph))).error().message ==
        "this is text and no bundle; 'teenyc compile' makes one of a graph or kernel");

  // Code must be bytes.
  SampleParts parts;
  Manifest manifest = sampleManifest();
  json = writeManifest(manifest);
  bytes = std::as_bytes(std::span(json));
  std::vector<TensorView> tensors = {
      {"teeny/manifest.json", DType::u8, {int64_t(json.size())}, bytes},
      {"model.w", DType::f32, {10}, parts.weight},
      {"teeny/code/k.sm_90a.cubin", DType::i8, {333}, parts.cubin}};
  CHECK(messageOf(tensors, metadata) ==
        "manifest: kernels[0].code[0].tensor: 'teeny/code/k.sm_90a.cubin' has elements of type i8, "
        "expected u8");
}
