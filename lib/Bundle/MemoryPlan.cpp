#include "Bundle/MemoryPlan.h"

#include "Base/Checked.h"

#include <algorithm>
#include <functional>

namespace teeny {
namespace {

using NameOf = std::function<std::string(size_t)>;

Error tooLarge(const std::string &where) {
  return {ErrorCode::outOfRange, where + ": sizes add up to more than 2^63 bytes"};
}

// What the greedy method places: a buffer that is no alias, with the demands of all its parts.
struct Whole {
  size_t index = 0;
  int64_t bytes = 0, align = 1, first = 0, last = 0;
  int64_t offset = 0; // the result
};

class Planner {
public:
  Planner(std::span<const PlanBuffer> buffers, NameOf nameOf)
      : buffers(buffers), nameOf(std::move(nameOf)) {}

  // Where each buffer lies: the buffer whose memory it is in, and the offset there.
  std::vector<size_t> root;
  std::vector<int64_t> rootOffset;

  Status check();
  Status resolveAliases();
  // Places the roots that `inArena` accepts; the offsets of others stay 0.
  Result<MemoryPlan> place(const std::function<bool(size_t)> &inArena);

private:
  std::vector<Whole> wholes(const std::function<bool(size_t)> &inArena) const;

  std::span<const PlanBuffer> buffers;
  NameOf nameOf;
};

Status Planner::check() {
  if (buffers.size() > maxPlannedBuffers)
    return Error{ErrorCode::unsupported, std::to_string(buffers.size()) + " buffers, at most " +
                                             std::to_string(maxPlannedBuffers) + " can be planned"};
  for (size_t i = 0; i < buffers.size(); ++i) {
    const PlanBuffer &buffer = buffers[i];
    if (buffer.bytes < 0)
      return Error{ErrorCode::outOfRange,
                   nameOf(i) + ": size " + std::to_string(buffer.bytes) + " is negative"};
    if (!isPowerOfTwo(buffer.align))
      return Error{ErrorCode::invalid, nameOf(i) + ": alignment " + std::to_string(buffer.align) +
                                           " is no power of two"};
    if (buffer.first < 0 || buffer.last < buffer.first)
      return Error{ErrorCode::outOfRange, nameOf(i) + ": lifetime " + std::to_string(buffer.first) +
                                              ".." + std::to_string(buffer.last) + " is no range"};
    if (buffer.aliasOf && *buffer.aliasOf >= buffers.size())
      return Error{ErrorCode::invalid, nameOf(i) + ": an alias of buffer " +
                                           std::to_string(*buffer.aliasOf) + " of " +
                                           std::to_string(buffers.size())};
    if (buffer.aliasOf && buffer.aliasOffset < 0)
      return Error{ErrorCode::outOfRange, nameOf(i) + ": alias offset " +
                                              std::to_string(buffer.aliasOffset) + " is negative"};
  }
  return {};
}

Status Planner::resolveAliases() {
  enum class Visit : uint8_t { no, open, done };
  std::vector<Visit> visit(buffers.size(), Visit::no);
  root.resize(buffers.size());
  rootOffset.assign(buffers.size(), 0);
  std::vector<size_t> chain;
  for (size_t i = 0; i < buffers.size(); ++i) {
    // Up to a root or what is known, then back down.
    size_t at = i;
    chain.clear();
    while (visit[at] == Visit::no && buffers[at].aliasOf) {
      visit[at] = Visit::open;
      chain.push_back(at);
      at = *buffers[at].aliasOf;
    }
    if (visit[at] == Visit::open)
      return Error{ErrorCode::invalid, nameOf(at) + ": an alias of itself"};
    if (visit[at] == Visit::no) {
      visit[at] = Visit::done;
      root[at] = at;
    }
    for (; !chain.empty(); chain.pop_back()) {
      size_t part = chain.back(), whole = *buffers[part].aliasOf;
      visit[part] = Visit::done;
      root[part] = root[whole];
      std::optional<int64_t> end = checkedAdd(buffers[part].aliasOffset, buffers[part].bytes);
      if (!end || *end > buffers[whole].bytes)
        return Error{ErrorCode::outOfRange,
                     nameOf(part) + ": " + std::to_string(buffers[part].bytes) +
                         " bytes at offset " + std::to_string(buffers[part].aliasOffset) +
                         " exceed the " + std::to_string(buffers[whole].bytes) + " bytes of " +
                         nameOf(whole)};
      // Inside the whole, hence no overflow.
      rootOffset[part] = rootOffset[whole] + buffers[part].aliasOffset;
      if (rootOffset[part] % buffers[part].align != 0)
        return Error{ErrorCode::invalid, nameOf(part) + ": offset " +
                                             std::to_string(rootOffset[part]) + " in " +
                                             nameOf(root[part]) + " breaks its alignment of " +
                                             std::to_string(buffers[part].align)};
    }
  }
  return {};
}

std::vector<Whole> Planner::wholes(const std::function<bool(size_t)> &inArena) const {
  std::vector<Whole> result;
  std::vector<size_t> position(buffers.size(), SIZE_MAX);
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (root[i] != i || !inArena(i))
      continue;
    position[i] = result.size();
    result.push_back({i, buffers[i].bytes, buffers[i].align, buffers[i].first, buffers[i].last});
  }
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (position[root[i]] == SIZE_MAX)
      continue;
    Whole &whole = result[position[root[i]]];
    whole.align = std::max(whole.align, buffers[i].align);
    whole.first = std::min(whole.first, buffers[i].first);
    whole.last = std::max(whole.last, buffers[i].last);
  }
  return result;
}

// The smallest gap among `placed`, ordered by offset, that holds `whole`; else the first place
// above what lives at the same time. The sum of all sizes is known to fit.
int64_t bestOffset(const Whole &whole, const std::vector<Whole> &placed) {
  int64_t top = 0, best = -1, bestGap = INT64_MAX;
  for (const Whole &other : placed) {
    if (other.last < whole.first || whole.last < other.first)
      continue;
    int64_t start = *checkedAlign(top, whole.align);
    int64_t gap = other.offset - top;
    if (start + whole.bytes <= other.offset && gap < bestGap) {
      best = start;
      bestGap = gap;
    }
    top = std::max(top, other.offset + other.bytes);
  }
  return best >= 0 ? best : *checkedAlign(top, whole.align);
}

// The largest sum of bytes that live in one launch.
int64_t largestLoad(const std::vector<Whole> &wholes) {
  std::vector<std::pair<int64_t, int64_t>> changes; // launch, bytes more or less from there on
  for (const Whole &whole : wholes) {
    changes.emplace_back(whole.first, whole.bytes);
    if (whole.last < INT64_MAX)
      changes.emplace_back(whole.last + 1, -whole.bytes);
  }
  std::sort(changes.begin(), changes.end()); // at one launch, what ends comes before what begins
  int64_t load = 0, most = 0;
  for (const auto &[launch, bytes] : changes)
    most = std::max(most, load += bytes);
  return most;
}

Result<MemoryPlan> Planner::place(const std::function<bool(size_t)> &inArena) {
  std::vector<Whole> list = wholes(inArena);
  MemoryPlan plan;
  for (const Whole &whole : list)
    plan.arenaAlign = std::max(plan.arenaAlign, whole.align);
  // With every size rounded up like this, no offset below can overflow.
  int64_t total = 0;
  for (const Whole &whole : list) {
    std::optional<int64_t> rounded = checkedAlign(whole.bytes, plan.arenaAlign);
    std::optional<int64_t> sum = rounded ? checkedAdd(total, *rounded) : std::nullopt;
    if (!sum)
      return tooLarge(nameOf(whole.index));
    total = *sum;
  }

  std::sort(list.begin(), list.end(), [](const Whole &a, const Whole &b) {
    return std::tuple(-a.bytes, a.first, a.index) < std::tuple(-b.bytes, b.first, b.index);
  });
  std::vector<int64_t> offsetOf(buffers.size(), 0);
  std::vector<Whole> placed; // ordered by offset
  for (Whole &whole : list) {
    if (whole.bytes == 0)
      continue;
    whole.offset = bestOffset(whole, placed);
    offsetOf[whole.index] = whole.offset;
    plan.arenaBytes = std::max(plan.arenaBytes, whole.offset + whole.bytes);
    auto at = std::upper_bound(placed.begin(), placed.end(), whole,
                               [](const Whole &a, const Whole &b) { return a.offset < b.offset; });
    placed.insert(at, whole);
  }
  plan.lowerBound = largestLoad(list);
  for (size_t i = 0; i < buffers.size(); ++i)
    plan.offsets.push_back(offsetOf[root[i]] + rootOffset[i]);
  return plan;
}

} // namespace

Result<MemoryPlan> planMemory(std::span<const PlanBuffer> buffers) {
  Planner planner(buffers, [](size_t index) { return "buffer " + std::to_string(index); });
  if (Status status = planner.check(); !status)
    return status.error();
  if (Status status = planner.resolveAliases(); !status)
    return status.error();
  return planner.place([](size_t) { return true; });
}

Result<BufferPlan> planBuffers(const Manifest &manifest, const Expr::Lookup &dims) {
  auto nameOf = [&](size_t index) { return "buffer '" + manifest.buffers[index].name + "'"; };
  auto temporary = [&](size_t index) {
    return manifest.buffers[index].kind == ManifestBuffer::Kind::temporary;
  };
  std::vector<PlanBuffer> buffers;
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    const ManifestBuffer &buffer = manifest.buffers[i];
    Result<int64_t> bytes = buffer.bytes.evaluate(dims);
    if (!bytes)
      return bytes.error().in(nameOf(i) + ": size");
    Result<int64_t> aliasOffset = buffer.aliasOffset.evaluate(dims);
    if (!aliasOffset)
      return aliasOffset.error().in(nameOf(i) + ": alias offset");
    int64_t launches = int64_t(manifest.launches.size());
    bool whole = !temporary(i);
    buffers.push_back({*bytes, buffer.align, whole ? 0 : buffer.firstLaunch,
                       whole ? std::max<int64_t>(0, launches - 1) : buffer.lastLaunch,
                       buffer.aliasOf, *aliasOffset});
  }

  Planner planner(buffers, nameOf);
  if (Status status = planner.check(); !status)
    return status.error();
  if (Status status = planner.resolveAliases(); !status)
    return status.error();
  Result<MemoryPlan> plan = planner.place(temporary);
  if (!plan)
    return plan.error();

  BufferPlan result;
  result.arenaBytes = plan->arenaBytes;
  result.arenaAlign = plan->arenaAlign;
  result.lowerBound = plan->lowerBound;
  for (size_t i = 0; i < buffers.size(); ++i) {
    size_t root = planner.root[i];
    result.places.push_back(
        {buffers[i].bytes, root, planner.rootOffset[i], temporary(root) ? plan->offsets[i] : -1});
  }
  return result;
}

} // namespace teeny
