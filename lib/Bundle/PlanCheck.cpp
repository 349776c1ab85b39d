#include "Bundle/PlanCheck.h"

#include <algorithm>
#include <map>

namespace teeny {
namespace {

class PlanChecker {
public:
  PlanChecker(const Manifest &manifest, const BufferPlan &plan, const Expr::Lookup &dims)
      : manifest(manifest), plan(plan), dims(dims) {}

  Status run() {
    if (plan.places.size() != manifest.buffers.size())
      return wrong("the plan has " + std::to_string(plan.places.size()) +
                   " buffers, the manifest " + std::to_string(manifest.buffers.size()));
    for (size_t i = 0; i < plan.places.size(); ++i)
      if (Status status = place(i); !status)
        return status.error().in(named(i));
    return overlaps();
  }

private:
  static Error wrong(const std::string &message) { return {ErrorCode::invalid, message}; }
  std::string named(size_t buffer) const {
    return "buffer '" + manifest.buffers[buffer].name + "'";
  }
  std::string bytesOf(size_t buffer) const {
    int64_t begin = plan.places[buffer].arenaOffset;
    return "bytes " + std::to_string(begin) + " to " +
           std::to_string(begin + plan.places[buffer].bytes);
  }
  bool inArena(size_t root) const {
    return manifest.buffers[root].kind == ManifestBuffer::Kind::temporary;
  }

  Status place(size_t index) const;
  Status overlaps() const;

  const Manifest &manifest;
  const BufferPlan &plan;
  const Expr::Lookup &dims;
};

Status PlanChecker::place(size_t index) const {
  const ManifestBuffer &buffer = manifest.buffers[index];
  const BufferPlace &place = plan.places[index];
  Result<int64_t> bytes = buffer.bytes.evaluate(dims);
  if (!bytes)
    return bytes.error();
  if (place.bytes != *bytes)
    return wrong("planned with " + std::to_string(place.bytes) + " bytes, it has " +
                 std::to_string(*bytes));
  if (buffer.aliasOf) {
    const BufferPlace &whole = plan.places[*buffer.aliasOf];
    Result<int64_t> offset = buffer.aliasOffset.evaluate(dims);
    if (!offset)
      return offset.error();
    if (place.root != whole.root || place.offset - whole.offset != *offset)
      return wrong("not at byte " + std::to_string(*offset) + " of " + named(*buffer.aliasOf));
    if (*offset < 0 || *offset > whole.bytes || place.bytes > whole.bytes - *offset)
      return wrong("not inside of " + named(*buffer.aliasOf));
  } else if (place.root != index || place.offset != 0) {
    return wrong("planned as a part of another");
  }

  if (!inArena(place.root)) {
    if (place.arenaOffset != -1)
      return wrong("in the arena, where only temporaries are");
    return place.offset % buffer.align == 0 ? Status() : wrong("not aligned");
  }
  const BufferPlace &root = plan.places[place.root];
  if (place.arenaOffset < 0 || place.arenaOffset > plan.arenaBytes ||
      place.bytes > plan.arenaBytes - place.arenaOffset)
    return wrong(bytesOf(index) + " are outside of the arena of " +
                 std::to_string(plan.arenaBytes));
  if (place.arenaOffset - root.arenaOffset != place.offset)
    return wrong("not where its whole is");
  if (place.bytes != 0 &&
      (place.arenaOffset % buffer.align != 0 || plan.arenaAlign % buffer.align != 0))
    return wrong("at byte " + std::to_string(place.arenaOffset) + " of an arena aligned to " +
                 std::to_string(plan.arenaAlign) + ", not aligned to " +
                 std::to_string(buffer.align));
  return {};
}

Status PlanChecker::overlaps() const {
  struct Life {
    int64_t first = INT64_MAX, last = -1;
  };
  std::vector<Life> lives(plan.places.size());
  auto isAlive = [&](size_t buffer, int64_t first, int64_t last) {
    Life &life = lives[plan.places[buffer].root];
    life = {std::min(life.first, first), std::max(life.last, last)};
  };
  const int64_t launches = int64_t(manifest.launches.size());
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    const ManifestBuffer &buffer = manifest.buffers[i];
    if (buffer.kind == ManifestBuffer::Kind::temporary)
      isAlive(i, buffer.firstLaunch, buffer.lastLaunch);
  }
  for (int64_t launch = 0; launch < launches; ++launch)
    for (const LaunchVariant &variant : manifest.launches[launch].variants)
      for (const LaunchArg &arg : variant.args)
        if (arg.kind == LaunchArg::Kind::buffer)
          isAlive(arg.buffer, launch, launch);

  std::vector<std::vector<size_t>> begin(launches), end(launches);
  for (size_t i = 0; i < lives.size(); ++i)
    if (plan.places[i].root == i && inArena(i) && plan.places[i].bytes != 0 && launches != 0) {
      begin[lives[i].first].push_back(i);
      end[lives[i].last].push_back(i);
    }
  std::map<int64_t, size_t> alive; // by place in the arena; none overlap
  for (int64_t launch = 0; launch < launches; ++launch) {
    for (size_t buffer : begin[launch]) {
      const BufferPlace &place = plan.places[buffer];
      auto above = alive.lower_bound(place.arenaOffset);
      std::optional<size_t> other;
      if (above != alive.end() && above->first < place.arenaOffset + place.bytes)
        other = above->second;
      else if (above != alive.begin() &&
               std::prev(above)->first + plan.places[std::prev(above)->second].bytes >
                   place.arenaOffset)
        other = std::prev(above)->second;
      if (other)
        return wrong(named(*other) + " (" + bytesOf(*other) + " of the arena) and " +
                     named(buffer) + " (" + bytesOf(buffer) + ") are both alive in launch " +
                     std::to_string(launch));
      alive.emplace(place.arenaOffset, buffer);
    }
    for (size_t buffer : end[launch])
      alive.erase(plan.places[buffer].arenaOffset);
  }
  return {};
}

} // namespace

Status checkPlan(const Manifest &manifest, const BufferPlan &plan, const Expr::Lookup &dims) {
  return PlanChecker(manifest, plan, dims).run();
}

} // namespace teeny
