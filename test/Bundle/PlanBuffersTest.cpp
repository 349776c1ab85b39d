// The plan of a manifest's buffers for given dims.
#include "Bundle/MemoryPlan.h"
#include "Bundle/Sample.h"

#include <catch2/catch.hpp>

using namespace teeny;

namespace {

Expr::Lookup dims(int64_t b, int64_t a) {
  return [=](const std::string &name) -> std::optional<int64_t> {
    return name == "B" ? std::optional(b) : name == "A" ? std::optional(a) : std::nullopt;
  };
}

} // namespace

TEST_CASE("buffers of the sample") {
  Result<BufferPlan> plan = planBuffers(sampleManifest(), dims(2, 16));
  REQUIRE(plan);
  REQUIRE(plan->places.size() == 5);
  auto place = [&](size_t i) {
    const BufferPlace &p = plan->places[i];
    return std::vector<int64_t>{p.bytes, int64_t(p.root), p.offset, p.arenaOffset};
  };
  using Place = std::vector<int64_t>;
  CHECK(place(0) == Place{512, 0, 0, -1}); // 16*2*16, the caller's memory
  CHECK(place(1) == Place{40, 1, 0, -1});
  CHECK(place(2) == Place{384, 2, 0, 0}); // 64*2 + 256
  CHECK(place(3) == Place{128, 2, 256, 256});
  CHECK(place(4) == Place{16, 4, 0, -1});
  CHECK(plan->arenaBytes == 384);
  CHECK(plan->arenaAlign == 256);
}

TEST_CASE("empty batches take no memory but what is constant") {
  Result<BufferPlan> plan = planBuffers(sampleManifest(), dims(0, 4));
  REQUIRE(plan);
  CHECK(plan->places[0].bytes == 0);
  CHECK(plan->places[4].bytes == 0);
  CHECK(plan->arenaBytes == 256);
}

TEST_CASE("a temporary that is a part of an output lies in the output") {
  Manifest manifest = sampleManifest();
  manifest.buffers[3].aliasOf = 4;
  manifest.buffers[3].aliasOffset = 16;
  manifest.buffers[3].bytes = 8;
  Result<BufferPlan> plan = planBuffers(manifest, dims(2, 16 * 16));
  REQUIRE(plan);
  CHECK(plan->places[3].root == 4);
  CHECK(plan->places[3].offset == 16);
  CHECK(plan->places[3].arenaOffset == -1);
  CHECK(plan->arenaBytes == 384); // "all" alone
}

TEST_CASE("temporaries that do not live together share memory") {
  Manifest manifest = sampleManifest();
  manifest.buffers[2].lastLaunch = 0;
  manifest.buffers[3].aliasOf.reset();
  manifest.buffers[3].aliasOffset = 0;
  Result<BufferPlan> plan = planBuffers(manifest, dims(4, 16));
  REQUIRE(plan);
  CHECK(plan->places[2].arenaOffset == 0);
  CHECK(plan->places[3].arenaOffset == 0);
  CHECK(plan->arenaBytes == 64 * 4 + 256);
  CHECK(plan->lowerBound == plan->arenaBytes);
}

TEST_CASE("errors name the buffer") {
  auto messageOf = [](const Manifest &manifest, const Expr::Lookup &lookup) {
    Result<BufferPlan> plan = planBuffers(manifest, lookup);
    return plan ? "" : plan.error().message;
  };
  CHECK(messageOf(sampleManifest(), dims(INT64_MAX, 4)) == "buffer 'x': size: overflow in 'A*B'");
  CHECK(messageOf(sampleManifest(), [](const std::string &) { return std::nullopt; }) ==
        "buffer 'x': size: 'A' has no value");
  Manifest manifest = sampleManifest();
  manifest.buffers[3].aliasOffset = Expr::symbol("A");
  CHECK(messageOf(manifest, dims(2, 400)) ==
        "buffer 'part': 128 bytes at offset 400 exceed the 384 bytes of buffer 'all'");
  CHECK(messageOf(manifest, dims(2, 8)) ==
        "buffer 'part': offset 8 in buffer 'all' breaks its alignment of 16");
  manifest = sampleManifest();
  manifest.buffers[2].bytes = Expr::symbol("A") - 8;
  CHECK(messageOf(manifest, dims(1, 4)) == "buffer 'all': size -4 is negative");
  manifest.buffers[2].bytes = INT64_MAX;
  CHECK(messageOf(manifest, dims(1, 4)) == "buffer 'all': sizes add up to more than 2^63 bytes");
}
