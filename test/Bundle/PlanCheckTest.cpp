// The check of memory plans: it accepts what the planner makes, and finds every way to spoil that.
#include "Bundle/PlanCheck.h"
#include "Bundle/Sample.h"

#include <catch2/catch.hpp>

#include <functional>

using namespace teeny;

namespace {

std::optional<int64_t> dims(const std::string &name) { return name == "B" ? 2 : 16; }

// The sample with a third temporary, which lives with neither of the others' launches: of two
// launches, "all" takes both, "late" the second.
Manifest manifestWithLate() {
  Manifest manifest = sampleManifest();
  ManifestBuffer late;
  late.name = "late";
  late.bytes = 512;
  late.firstLaunch = late.lastLaunch = 1;
  manifest.buffers.push_back(late);
  return manifest;
}

std::string spoilt(const std::function<void(BufferPlan &)> &spoil,
                   const std::function<void(Manifest &)> &change = {}) {
  Manifest manifest = manifestWithLate();
  Result<BufferPlan> plan = planBuffers(manifest, dims);
  REQUIRE(plan);
  if (change)
    change(manifest);
  spoil(*plan);
  Status status = checkPlan(manifest, *plan, dims);
  return status ? "" : status.error().message;
}

} // namespace

TEST_CASE("what the planner makes is accepted") {
  CHECK(spoilt([](BufferPlan &) {}) == "");
  for (int64_t b : {0, 1, 64}) {
    Expr::Lookup at = [=](const std::string &name) { return name == "B" ? b : int64_t(4); };
    Result<BufferPlan> plan = planBuffers(sampleManifest(), at);
    REQUIRE(plan);
    CHECK(checkPlan(sampleManifest(), *plan, at));
  }
}

// At B = 2, A = 16: "late" has bytes 0 to 512, "all" 512 to 896, "part" 768 to 896.
TEST_CASE("plans that are wrong") {
  auto place = [](size_t buffer, auto change) {
    return [=](BufferPlan &plan) { change(plan.places[buffer]); };
  };
  CHECK(spoilt(place(2, [](BufferPlace &p) { p.bytes = 1; })) ==
        "buffer 'all': planned with 1 bytes, it has 384");
  CHECK(spoilt(place(3, [](BufferPlace &p) { p.offset = 128; })) ==
        "buffer 'part': not at byte 256 of buffer 'all'");
  CHECK(spoilt(place(3, [](BufferPlace &p) { p.root = 5; })) ==
        "buffer 'part': not at byte 256 of buffer 'all'");
  CHECK(spoilt(place(3, [](BufferPlace &p) { p.arenaOffset = 0; })) ==
        "buffer 'part': not where its whole is");
  CHECK(spoilt(place(5, [](BufferPlace &p) { p.root = 2; })) ==
        "buffer 'late': planned as a part of another");
  CHECK(spoilt(place(4, [](BufferPlace &p) { p.arenaOffset = 0; })) ==
        "buffer 'y': in the arena, where only temporaries are");
  CHECK(spoilt(place(5, [](BufferPlace &p) { p.arenaOffset = -1; })) ==
        "buffer 'late': bytes -1 to 511 are outside of the arena of 896");
  CHECK(spoilt([](BufferPlan &p) { p.arenaBytes = 895; }) ==
        "buffer 'all': bytes 512 to 896 are outside of the arena of 895");
  CHECK(spoilt([](BufferPlan &p) { p.arenaAlign = 64; }) ==
        "buffer 'all': at byte 512 of an arena aligned to 64, not aligned to 256");
  CHECK(spoilt([](BufferPlan &p) { p.places.pop_back(); }) ==
        "the plan has 5 buffers, the manifest 6");
  // Overlaps from below, from above, and of the same bytes.
  CHECK(
      spoilt(place(5, [](BufferPlace &p) { p.arenaOffset = 256; })) ==
      "buffer 'all' (bytes 512 to 896 of the arena) and buffer 'late' (bytes 256 to 768) are both "
      "alive in launch 1");
  auto moveAll = [](int64_t to) {
    return [=](BufferPlan &p) {
      p.places[2].arenaOffset = to;
      p.places[3].arenaOffset = to + 256;
    };
  };
  CHECK(spoilt(moveAll(256)) ==
        "buffer 'all' (bytes 256 to 640 of the arena) and buffer 'late' (bytes 0 to 512) are both "
        "alive in launch 1");
  CHECK(spoilt(moveAll(0)) ==
        "buffer 'all' (bytes 0 to 384 of the arena) and buffer 'late' (bytes 0 to 512) are both "
        "alive in launch 1");
}

TEST_CASE("a buffer is alive where it is used, whatever its lifetime says") {
  auto together = [](BufferPlan &plan) {
    plan.places[2].arenaOffset = 0;
    plan.places[3].arenaOffset = 256;
  };
  auto apart = [](Manifest &manifest) {
    manifest.buffers[2].lastLaunch = 0; // but "part" of it is an argument of launch 1
    manifest.buffers[3].firstLaunch = manifest.buffers[3].lastLaunch = 0;
  };
  CHECK(spoilt(together, apart) ==
        "buffer 'all' (bytes 0 to 384 of the arena) and buffer 'late' (bytes 0 to 512) are both "
        "alive in launch 1");
  CHECK(spoilt(together, [&](Manifest &manifest) {
          apart(manifest);
          manifest.launches[1].variants[0].args[0].buffer = 0;
        }) == "");
}
