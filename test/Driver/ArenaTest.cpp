// The memory plans of shipped networks, checked by what launches use: an oracle that reads neither
// the lifetimes in the manifest nor how the planner places buffers.
#include "RunModel.h"

#include "Bundle/BundleFile.h"
#include "Bundle/MemoryPlan.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>

using namespace teeny;
using namespace teeny::test;

namespace {

// The roots in the arena that a launch may use, whichever of its variants runs.
std::vector<size_t> rootsOf(const ManifestLaunch &launch, const Manifest &manifest,
                            const BufferPlan &plan) {
  std::vector<size_t> roots;
  for (const LaunchVariant &variant : launch.variants)
    for (const LaunchArg &arg : variant.args)
      if (arg.kind == LaunchArg::Kind::buffer) {
        size_t root = plan.places[arg.buffer].root;
        if (manifest.buffers[root].kind == ManifestBuffer::Kind::temporary)
          roots.push_back(root);
      }
  std::sort(roots.begin(), roots.end());
  roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
  return roots;
}

// Runs the launches over an arena in which every byte knows whose it is: a root takes its bytes
// when it is first used, and must find all of them its own at each later use.
void checkOwners(const Manifest &manifest, const BufferPlan &plan) {
  constexpr size_t nobody = SIZE_MAX;
  std::vector<size_t> owner(plan.arenaBytes, nobody);
  std::vector<bool> started(manifest.buffers.size(), false);
  for (const ManifestLaunch &launch : manifest.launches) {
    CAPTURE(launch.name);
    std::vector<size_t> roots = rootsOf(launch, manifest, plan);
    // All that the launch uses is in use at once, so those that begin here are put down first.
    for (size_t root : roots) {
      const BufferPlace &place = plan.places[root];
      REQUIRE(place.arenaOffset >= 0);
      REQUIRE(place.arenaOffset + place.bytes <= plan.arenaBytes);
      if (!started[root])
        std::fill_n(owner.begin() + place.arenaOffset, place.bytes, root);
      started[root] = true;
    }
    for (size_t root : roots) {
      CAPTURE(manifest.buffers[root].name);
      auto first = owner.begin() + plan.places[root].arenaOffset;
      REQUIRE(std::all_of(first, first + plan.places[root].bytes,
                          [&](size_t holder) { return holder == root; }));
    }
  }
  for (size_t i = 0; i < plan.places.size(); ++i) { // parts lie inside their roots
    const BufferPlace &place = plan.places[i];
    REQUIRE(place.offset >= 0);
    REQUIRE(place.offset + place.bytes <= plan.places[place.root].bytes);
  }
}

// The most bytes that are in use in one launch: from the first to the last use of each root,
// rounded up to what roots are aligned to.
int64_t largestLiveSet(const Manifest &manifest, const BufferPlan &plan) {
  std::map<size_t, std::pair<size_t, size_t>> uses;
  for (size_t i = 0; i < manifest.launches.size(); ++i)
    for (size_t root : rootsOf(manifest.launches[i], manifest, plan)) {
      auto [use, isFirst] = uses.try_emplace(root, i, i);
      use->second.second = i;
    }
  int64_t largest = 0;
  for (size_t i = 0; i < manifest.launches.size(); ++i) {
    int64_t bytes = 0;
    for (const auto &[root, use] : uses)
      if (use.first <= i && i <= use.second) {
        int64_t align = manifest.buffers[root].align;
        bytes += (plan.places[root].bytes + align - 1) / align * align;
      }
    largest = std::max(largest, bytes);
  }
  return largest;
}

} // namespace

TEST_CASE("arenas of shipped networks hold what is alive, and little more") {
  for (const char *graph : {"digits/digits", "digits/digits_f16", "mlp/mlp", "residual/residual"}) {
    Folder folder;
    compileModel(TEENY_SOURCE_DIR "/graphs/" + std::string(graph) + ".json",
                 folder.path("network.bundle"), {}, {"x86-64"});
    Result<BundleFile> bundle = BundleFile::open(folder.path("network.bundle"));
    REQUIRE(bundle);
    const Manifest &manifest = bundle->manifest();
    REQUIRE(manifest.dims.size() == 1);
    for (int64_t batch : {0, 1, 7, 64, 359}) {
      CAPTURE(graph, batch);
      Result<BufferPlan> plan =
          planBuffers(manifest, [&](const std::string &) { return std::optional(batch); });
      REQUIRE(plan);
      checkOwners(manifest, *plan);
      const int64_t live = largestLiveSet(manifest, *plan);
      CHECK(plan->arenaBytes <= 1.25 * live);
      CHECK((live > 0) == (batch > 0));
    }
  }
}
