// Threads that carry out the programs of one launch after another.
//
// The programs 0 ... count - 1 are handed out in ranges of increasing numbers, from one atomic
// counter, and each thread works through its range in order. So when program p runs, every q < p
// has been finished or is being run by a thread that makes progress: a program may wait for one
// with a smaller number.
//
// Ranges shrink as the work runs out (a fixed share of what is left), which keeps the threads busy
// to the end without taking the counter for every program:
//
//   64 programs, 2 threads, share 1/8:   8  7  6  5  4  4  3  3  3  2  2  2 ... 1
//
// The caller takes part. Nobody waits for a worker that has not begun: when the numbers have run
// out, late ones find nothing to do. Workers spin for some microseconds before they sleep, because
// the next launch usually follows at once; not where there are more threads than the machine can
// run.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace teeny::rt {

class ThreadPool {
public:
  // `threads` >= 1 counts the caller. Workers are started by the first launch that needs them; a
  // machine that refuses to start one runs with fewer.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  // begin <= number < end; thread: 0 (the caller) ... threads - 1.
  using Body = void (*)(void *context, int64_t begin, int64_t end, int thread);

  // Runs 0 ... count - 1 and returns when all have ended. One caller at a time.
  void run(int64_t count, Body body, void *context);

  int threads() const { return limit; }

private:
  void start();
  void work(int thread);
  void takeRanges(int thread);
  uint64_t awaitNext(uint64_t seen);
  template <typename Condition> bool spinUntil(Condition condition) const;

  const int limit;
  const bool maySpin;
  std::vector<std::thread> workers;

  // The launch under way. Written by run() under `lock` while no worker is active.
  Body body = nullptr;
  void *context = nullptr;
  int64_t count = 0;
  alignas(64) std::atomic<int64_t> next{0};

  alignas(64) std::atomic<uint64_t> generation{0}; // increases with every launch
  std::mutex lock;
  std::condition_variable wake, done;
  bool open = false;          // workers may join the launch
  std::atomic<int> active{0}; // workers inside it
  int sleeping = 0;
  bool stopping = false;
};

} // namespace teeny::rt
