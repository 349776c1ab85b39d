#include "Runtime/CPU/ThreadPool.h"

#include <catch2/catch.hpp>

#include <set>

using namespace teeny::rt;

namespace {
// Records every range, in the order in which they were begun.
struct Recorder {
  std::mutex lock;
  std::vector<std::pair<int64_t, int64_t>> ranges;
  std::set<int> threads;
  static void body(void *self, int64_t begin, int64_t end, int thread) {
    auto &recorder = *static_cast<Recorder *>(self);
    std::lock_guard guard(recorder.lock);
    recorder.ranges.push_back({begin, end});
    recorder.threads.insert(thread);
  }
};
} // namespace

TEST_CASE("every number is handed out once, in ranges that shrink") {
  for (int threads : {1, 2, 3, 8})
    for (int64_t count : {0, 1, 2, 7, 64, 1000}) {
      CAPTURE(threads, count);
      ThreadPool pool(threads);
      Recorder recorder;
      pool.run(count, Recorder::body, &recorder);
      std::sort(recorder.ranges.begin(), recorder.ranges.end());
      int64_t next = 0, length = count;
      for (auto [begin, end] : recorder.ranges) {
        REQUIRE(begin == next);
        REQUIRE(end > begin);
        REQUIRE(end - begin <= length);
        next = end;
        length = end - begin;
      }
      REQUIRE(next == count);
      for (int thread : recorder.threads)
        REQUIRE((thread >= 0 && thread < threads));
    }
}

TEST_CASE("one program runs in the calling thread") {
  ThreadPool pool(4);
  auto caller = std::this_thread::get_id();
  struct Check {
    std::thread::id caller;
    bool same = false;
  } check{caller};
  for (int i = 0; i < 100; ++i) {
    check.same = false;
    pool.run(
        1,
        [](void *context, int64_t, int64_t, int) {
          auto &check = *static_cast<Check *>(context);
          check.same = std::this_thread::get_id() == check.caller;
        },
        &check);
    REQUIRE(check.same);
  }
}

TEST_CASE("a program may wait for one with a smaller number") {
  ThreadPool pool(4);
  constexpr int64_t count = 2000;
  std::vector<std::atomic<bool>> finished(count);
  for (int repeat = 0; repeat < 20; ++repeat) {
    for (auto &flag : finished)
      flag = false;
    pool.run(
        count,
        [](void *context, int64_t begin, int64_t end, int) {
          auto &finished = *static_cast<std::vector<std::atomic<bool>> *>(context);
          for (int64_t p = begin; p < end; ++p) {
            while (p > 0 && !finished[p - 1])
              std::this_thread::yield();
            finished[p] = true;
          }
        },
        &finished);
    for (auto &flag : finished)
      REQUIRE(flag);
  }
}

TEST_CASE("launch follows launch without losing any") {
  ThreadPool pool(3);
  std::atomic<int64_t> sum{0};
  for (int64_t i = 0; i < 5000; ++i)
    pool.run(
        4,
        [](void *context, int64_t begin, int64_t end, int) {
          *static_cast<std::atomic<int64_t> *>(context) += end - begin;
        },
        &sum);
  REQUIRE(sum == 4 * 5000);
}
