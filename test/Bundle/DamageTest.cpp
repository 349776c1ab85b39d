// Damaged bundles: they may be read or refused, but nothing may crash, and what is read can be
// used.
#include "Bundle/BundleFile.h"
#include "Bundle/MemoryPlan.h"
#include "Bundle/Sample.h"

#include <catch2/catch.hpp>

#include <random>

using namespace teeny;

namespace {

int opened = 0, refused = 0;

// Opens, verifies, plans, and evaluates all that a session would.
void use(const std::vector<std::byte> &bytes) {
  // A copy of exactly this size, so that a sanitizer sees reads beyond it.
  std::vector<std::byte> copy(bytes.begin(), bytes.end());
  Result<BundleFile> bundle = BundleFile::openMemory(copy);
  if (!bundle) {
    REQUIRE_FALSE(bundle.error().message.empty());
    ++refused;
    return;
  }
  ++opened;
  (void)bool(bundle->verify());
  const Manifest &manifest = bundle->manifest();
  for (int64_t value : {int64_t(0), int64_t(1), int64_t(64), INT64_MAX}) {
    auto dims = [&](const std::string &name) -> std::optional<int64_t> {
      for (const ManifestDim &dim : manifest.dims)
        if (dim.name == name)
          return value;
      return std::nullopt;
    };
    Result<BufferPlan> plan = planBuffers(manifest, dims);
    if (plan)
      REQUIRE(plan->places.size() == manifest.buffers.size());
    for (const ManifestLaunch &launch : manifest.launches)
      for (const LaunchVariant &variant : launch.variants) {
        (void)bool(variant.guard.evaluate(dims));
        REQUIRE(variant.args.size() == manifest.kernels.at(variant.kernel).params.size());
        for (const LaunchArg &arg : variant.args) {
          (void)bool(arg.value.evaluate(dims));
          (void)manifest.buffers.at(arg.buffer);
        }
      }
  }
  for (const ManifestBuffer &buffer : manifest.buffers)
    if (buffer.kind == ManifestBuffer::Kind::param)
      REQUIRE(bundle->weight(buffer).data.size() == size_t(*buffer.bytes.constant()));
  for (const ManifestKernel &kernel : manifest.kernels)
    for (const CodeObject &object : kernel.code)
      (void)bundle->code(object);
  REQUIRE(checkManifest(*readManifest(writeManifest(manifest))));
}

} // namespace

TEST_CASE("a bundle cut anywhere is refused") {
  std::vector<std::byte> bytes = sampleBundle();
  opened = refused = 0;
  for (size_t length = 0; length < bytes.size(); ++length)
    use({bytes.begin(), bytes.begin() + std::ptrdiff_t(length)});
  CHECK(opened == 0);
}

TEST_CASE("every flipped bit of the manifest and of the header") {
  std::vector<std::byte> bytes = sampleBundle();
  Result<BundleFile> bundle = BundleFile::openMemory(bytes);
  REQUIRE(bundle);
  std::span<const std::byte> manifest = bundle->tensors().find(manifestTensor)->data;
  size_t begin = size_t(manifest.data() - bytes.data());
  opened = refused = 0;
  auto flipAll = [&](size_t from, size_t to) {
    for (size_t bit = from * 8; bit < to * 8; ++bit) {
      std::vector<std::byte> damaged = bytes;
      damaged[bit / 8] ^= std::byte(1 << bit % 8);
      use(damaged);
    }
  };
  flipAll(begin, begin + manifest.size());
  CHECK(opened > 1000); // names, digits, spaces
  CHECK(refused > 1000);
  flipAll(0, 1500);
}

TEST_CASE("random edits of the manifest") {
  std::vector<std::byte> bytes = sampleBundle();
  Result<BundleFile> bundle = BundleFile::openMemory(bytes);
  REQUIRE(bundle);
  const std::string good = writeManifest(bundle->manifest());
  const std::string pieces[] = {
      "-1",          "9223372036854775807", "null",    "\"\"",     "[]", "{}",    "\"A\"",
      "\"A*A*A*A\"", "\"A // B\"",          "\"all\"", "\"part\"", "0",  "1e300", "true",
      ",",           "\"x\": 1, "};
  std::mt19937 random(11);
  opened = refused = 0;
  SampleParts parts;
  for (int i = 0; i < 4000; ++i) {
    std::string text = good;
    for (int edits = 1 + random() % 3; edits > 0; --edits) {
      // One JSON value or so, from a boundary to the next.
      size_t at = text.find_first_of(":[,", random() % text.size());
      if (at == std::string::npos)
        continue;
      size_t end = text.find_first_of(",]}", at + 1);
      text.replace(at + 1, random() % 3 ? end - at - 1 : 0, pieces[random() % std::size(pieces)]);
    }
    std::vector<TensorView> tensors;
    for (TensorView tensor : bundle->tensors().tensors()) {
      if (tensor.name == manifestTensor) {
        tensor.data = std::as_bytes(std::span(text));
        tensor.shape = {int64_t(text.size())};
      }
      tensors.push_back(tensor);
    }
    Result<std::vector<std::byte>> file = writeSafeTensors(tensors, bundle->tensors().metadata());
    REQUIRE(file);
    use(*file);
  }
  CHECK(opened > 50);
  CHECK(refused > 1000);
}
