#include "Bundle/MemoryPlan.h"

#include <catch2/catch.hpp>

#include <random>

using namespace teeny;
using Offsets = std::vector<int64_t>;

namespace {

// Where a buffer really lies and how long its memory is needed, by following aliases one by one.
struct Placed {
  size_t root;
  int64_t offset;
};

Placed follow(const std::vector<PlanBuffer> &buffers, const MemoryPlan &plan, size_t index) {
  int64_t inside = 0;
  while (buffers[index].aliasOf) {
    inside += buffers[index].aliasOffset;
    index = *buffers[index].aliasOf;
  }
  return {index, plan.offsets[index] + inside};
}

// Checks a plan byte by byte and launch by launch, as slowly as it sounds: each byte of the arena
// belongs to one root at most in each launch in which any part of that root lives.
void checkByteByByte(const std::vector<PlanBuffer> &buffers, const MemoryPlan &plan) {
  int64_t launches = 0, total = 0;
  std::vector<int64_t> first(buffers.size(), INT64_MAX), last(buffers.size(), -1);
  for (size_t i = 0; i < buffers.size(); ++i) {
    Placed placed = follow(buffers, plan, i);
    REQUIRE(plan.offsets[i] == placed.offset);
    REQUIRE(plan.offsets[i] % buffers[i].align == 0);
    REQUIRE(plan.arenaAlign % buffers[i].align == 0);
    REQUIRE(plan.offsets[i] >= 0);
    REQUIRE(plan.offsets[i] + buffers[i].bytes <= plan.arenaBytes);
    first[placed.root] = std::min(first[placed.root], buffers[i].first);
    last[placed.root] = std::max(last[placed.root], buffers[i].last);
    launches = std::max(launches, buffers[i].last + 1);
  }
  for (size_t i = 0; i < buffers.size(); ++i)
    if (!buffers[i].aliasOf)
      total += (buffers[i].bytes + plan.arenaAlign - 1) / plan.arenaAlign * plan.arenaAlign;
  int64_t most = 0;
  for (int64_t launch = 0; launch < launches; ++launch) {
    std::vector<int> owner(size_t(plan.arenaBytes), -1);
    int64_t load = 0;
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].aliasOf || launch < first[i] || launch > last[i])
        continue;
      load += buffers[i].bytes;
      for (int64_t k = 0; k < buffers[i].bytes; ++k) {
        int &here = owner[size_t(plan.offsets[i] + k)];
        REQUIRE(here == -1);
        here = int(i);
      }
    }
    most = std::max(most, load);
  }
  CHECK(plan.lowerBound == most);
  CHECK(plan.arenaBytes >= most);
  CHECK(plan.arenaBytes <= total);
}

std::string messageOf(const std::vector<PlanBuffer> &buffers) {
  Result<MemoryPlan> plan = planMemory(buffers);
  return plan ? "" : plan.error().message;
}

} // namespace

TEST_CASE("the example of the header") {
  Result<MemoryPlan> plan = planMemory(std::vector<PlanBuffer>{
      {4, 1, 0, 1, {}, 0}, {6, 1, 1, 2, {}, 0}, {3, 1, 2, 3, {}, 0}, {2, 1, 3, 4, {}, 0}});
  REQUIRE(plan);
  CHECK(plan->offsets == Offsets{6, 0, 6, 0});
  CHECK(plan->arenaBytes == 10);
  CHECK(plan->lowerBound == 10);
}

TEST_CASE("the smallest gap that fits is taken") {
  // Around launch 1: gaps of 5 at 10 and of 3 at 25, made by what lives only in launch 0.
  std::vector<PlanBuffer> buffers = {{10, 1, 0, 1, {}, 0}, // 0..10
                                     {5, 1, 0, 0, {}, 0},
                                     {9, 1, 0, 1, {}, 0},
                                     {3, 1, 1, 1, {}, 0}};
  Result<MemoryPlan> plan = planMemory(buffers);
  REQUIRE(plan);
  CHECK(plan->offsets == Offsets{0, 19, 10, 19});
  CHECK(plan->arenaBytes == 24);
  // Largest first: 20 at 0, 12 at 20 (gone in launch 1), 11 at 32, 10 at 43 (gone too), 9 at 53.
  // Then 8 fits both gaps, of 12 at 20 and of 10 at 43, and takes the smaller.
  buffers = {{20, 1, 0, 1, {}, 0}, {12, 1, 0, 0, {}, 0}, {11, 1, 0, 1, {}, 0},
             {10, 1, 0, 0, {}, 0}, {9, 1, 0, 1, {}, 0},  {8, 1, 1, 1, {}, 0}};
  plan = planMemory(buffers);
  REQUIRE(plan);
  CHECK(plan->offsets == Offsets{0, 20, 32, 43, 53, 43});
}

TEST_CASE("no buffers, and buffers of no bytes") {
  Result<MemoryPlan> plan = planMemory({});
  REQUIRE(plan);
  CHECK(plan->arenaBytes == 0);
  plan = planMemory(std::vector<PlanBuffer>{{0, 256, 0, 5, {}, 0}, {0, 1, 2, 2, {}, 0}});
  REQUIRE(plan);
  CHECK(plan->offsets == Offsets{0, 0});
  CHECK(plan->arenaBytes == 0);
  CHECK(plan->arenaAlign == 256);
}

TEST_CASE("random plans hold byte by byte") {
  std::mt19937 random(1);
  int shared = 0, aliases = 0;
  for (int round = 0; round < 3000; ++round) {
    std::vector<PlanBuffer> buffers(1 + random() % 14);
    for (size_t i = 0; i < buffers.size(); ++i) {
      PlanBuffer &buffer = buffers[i];
      buffer.bytes = random() % 10 == 0 ? 0 : random() % 60;
      buffer.align = int64_t(1) << random() % 5;
      buffer.first = random() % 8;
      buffer.last = buffer.first + random() % 4;
      // A part of one before it that is large enough, at a multiple of its alignment in the root.
      if (i == 0 || random() % 3 != 0)
        continue;
      size_t whole = random() % i;
      int64_t inside = 0;
      for (size_t at = whole; buffers[at].aliasOf; at = *buffers[at].aliasOf)
        inside += buffers[at].aliasOffset;
      buffer.bytes = std::min(buffer.bytes, buffers[whole].bytes);
      int64_t room = buffers[whole].bytes - buffer.bytes;
      int64_t offset = room == 0 ? 0 : int64_t(random() % uint64_t(room + 1));
      if ((inside + offset) % buffer.align != 0)
        continue;
      buffer.aliasOf = whole;
      buffer.aliasOffset = offset;
      ++aliases;
    }
    // Parts may also come before their wholes.
    if (random() % 2) {
      std::reverse(buffers.begin(), buffers.end());
      for (PlanBuffer &buffer : buffers)
        if (buffer.aliasOf)
          buffer.aliasOf = buffers.size() - 1 - *buffer.aliasOf;
    }
    Result<MemoryPlan> plan = planMemory(buffers);
    INFO((plan ? "" : plan.error().message));
    REQUIRE(plan);
    checkByteByByte(buffers, *plan);
    int64_t sum = 0;
    for (const PlanBuffer &buffer : buffers)
      sum += buffer.aliasOf ? 0 : buffer.bytes;
    shared += plan->arenaBytes < sum;
  }
  CHECK(shared > 1000);
  CHECK(aliases > 1000);
}

TEST_CASE("plans are close to the least possible on chains of layers") {
  // Networks without branches: each value lives in two launches. Where sizes only fall, the plan is
  // the best there is; where they jump about, it stays within half as much again.
  std::mt19937 random(2);
  for (int round = 0; round < 100; ++round) {
    std::vector<PlanBuffer> buffers;
    for (int i = 0; i < 40; ++i)
      buffers.push_back({int64_t(1 + random() % 1000) * 256, 256, i, i + 1, {}, 0});
    Result<MemoryPlan> plan = planMemory(buffers);
    REQUIRE(plan);
    CHECK(plan->arenaBytes <= plan->lowerBound * 3 / 2);

    std::vector<int64_t> sizes;
    for (const PlanBuffer &buffer : buffers)
      sizes.push_back(buffer.bytes);
    std::sort(sizes.rbegin(), sizes.rend());
    for (size_t i = 0; i < buffers.size(); ++i)
      buffers[i].bytes = sizes[i];
    plan = planMemory(buffers);
    REQUIRE(plan);
    CHECK(plan->arenaBytes == sizes[0] + sizes[1]);
    CHECK(plan->lowerBound == sizes[0] + sizes[1]);
  }
}

TEST_CASE("sizes at the end of int64") {
  const int64_t half = int64_t(1) << 62;
  // Together they do not fit, apart they do.
  CHECK(messageOf({{INT64_MAX, 1, 0, 0, {}, 0}}) == "");
  CHECK(messageOf({{half, 1, 0, 0, {}, 0}, {half - 1, 1, 0, 0, {}, 0}}) == "");
  CHECK(messageOf({{half, 1, 0, 0, {}, 0}, {half, 1, 0, 0, {}, 0}}) ==
        "buffer 1: sizes add up to more than 2^63 bytes");
  CHECK(messageOf({{INT64_MAX, 2, 0, 0, {}, 0}}) ==
        "buffer 0: sizes add up to more than 2^63 bytes");
  CHECK(messageOf({{1, half, 0, 0, {}, 0}, {1, half, 0, 0, {}, 0}}) ==
        "buffer 1: sizes add up to more than 2^63 bytes");
  CHECK(messageOf({{100, 1, 0, INT64_MAX, {}, 0}, {100, 1, INT64_MAX, INT64_MAX, {}, 0}}) == "");
  CHECK(messageOf({{100, 1, 0, 0, {}, 0}, {INT64_MAX, 1, 0, 0, 0, INT64_MAX}}) ==
        "buffer 1: 9223372036854775807 bytes at offset 9223372036854775807 exceed the 100 bytes of "
        "buffer 0");
}

TEST_CASE("buffers that make no sense") {
  CHECK(messageOf({{-1, 1, 0, 0, {}, 0}}) == "buffer 0: size -1 is negative");
  CHECK(messageOf({{INT64_MIN, 1, 0, 0, {}, 0}}) ==
        "buffer 0: size -9223372036854775808 is negative");
  for (int64_t align : {int64_t(0), int64_t(-1), int64_t(3), INT64_MIN})
    CHECK(messageOf({{1, align, 0, 0, {}, 0}}) ==
          "buffer 0: alignment " + std::to_string(align) + " is no power of two");
  CHECK(messageOf({{1, 1, 3, 2, {}, 0}}) == "buffer 0: lifetime 3..2 is no range");
  CHECK(messageOf({{1, 1, -1, 2, {}, 0}}) == "buffer 0: lifetime -1..2 is no range");
  CHECK(messageOf({{1, 1, 0, 0, 0, 0}}) == "buffer 0: an alias of itself");
  CHECK(messageOf({{1, 1, 0, 0, 1, 0}, {1, 1, 0, 0, 2, 0}, {1, 1, 0, 0, 1, 0}}) ==
        "buffer 1: an alias of itself");
  CHECK(messageOf({{1, 1, 0, 0, 7, 0}}) == "buffer 0: an alias of buffer 7 of 1");
  CHECK(messageOf({{8, 1, 0, 0, {}, 0}, {4, 1, 0, 0, 0, -4}}) ==
        "buffer 1: alias offset -4 is negative");
  CHECK(messageOf({{8, 1, 0, 0, {}, 0}, {4, 1, 0, 0, 0, 5}}) ==
        "buffer 1: 4 bytes at offset 5 exceed the 8 bytes of buffer 0");
  CHECK(messageOf({{8, 1, 0, 0, {}, 0}, {4, 4, 0, 0, 0, 2}}) ==
        "buffer 1: offset 2 in buffer 0 breaks its alignment of 4");
  CHECK(messageOf(std::vector<PlanBuffer>(maxPlannedBuffers + 1)) ==
        "32769 buffers, at most 32768 can be planned");
}

TEST_CASE("long chains of aliases") {
  std::vector<PlanBuffer> buffers(maxPlannedBuffers, {16, 1, 0, 0, {}, 0});
  for (size_t i = 0; i + 1 < buffers.size(); ++i)
    buffers[i].aliasOf = i + 1;
  Result<MemoryPlan> plan = planMemory(buffers);
  REQUIRE(plan);
  CHECK(plan->arenaBytes == 16);
  buffers.back().aliasOf = 0;
  CHECK_FALSE(planMemory(buffers));
}
