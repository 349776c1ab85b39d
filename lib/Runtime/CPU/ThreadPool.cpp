#include "Runtime/CPU/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <system_error>

namespace teeny::rt {

static void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits for a condition that is likely to hold soon; false if it took too long.
template <typename Condition> bool ThreadPool::spinUntil(Condition condition) const {
  if (!maySpin)
    return condition();
  auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(40);
  do {
    for (int i = 0; i < 32; ++i) {
      if (condition())
        return true;
      pause();
    }
  } while (std::chrono::steady_clock::now() < until);
  return false;
}

ThreadPool::ThreadPool(int threads)
    : limit(std::max(threads, 1)),
      maySpin(limit <= static_cast<int>(std::thread::hardware_concurrency())) {}

ThreadPool::~ThreadPool() {
  {
    std::lock_guard guard(lock);
    stopping = true;
    generation.fetch_add(1);
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::start() {
  workers.reserve(limit - 1);
  while (static_cast<int>(workers.size()) < limit - 1) {
    int thread = static_cast<int>(workers.size()) + 1;
    try {
      workers.emplace_back([this, thread] { work(thread); });
    } catch (const std::system_error &) {
      return; // the caller and those that did start carry out the work
    }
  }
}

void ThreadPool::takeRanges(int thread) {
  const int64_t share = int64_t(4) * limit;
  int64_t begin = next.load(std::memory_order_relaxed);
  while (begin < count) {
    int64_t end = begin + std::max<int64_t>(1, (count - begin) / share);
    if (!next.compare_exchange_weak(begin, end, std::memory_order_acq_rel))
      continue; // `begin` has been reread
    body(context, begin, end, thread);
    begin = next.load(std::memory_order_relaxed);
  }
}

void ThreadPool::run(int64_t programs, Body function, void *with) {
  if (programs <= 0)
    return;
  if (programs == 1 || limit == 1) {
    function(with, 0, programs, 0);
    return;
  }
  if (workers.empty())
    start();
  int toWake;
  {
    std::lock_guard guard(lock);
    body = function;
    context = with;
    count = programs;
    next.store(0);
    open = true;
    generation.fetch_add(1);
    toWake = static_cast<int>(std::min<int64_t>(programs - 1, sleeping));
  }
  for (int i = 0; i < toWake; ++i)
    wake.notify_one();

  takeRanges(0);

  {
    std::lock_guard guard(lock);
    open = false;
  }
  if (spinUntil([this] { return active.load(std::memory_order_acquire) == 0; }))
    return;
  std::unique_lock guard(lock);
  done.wait(guard, [this] { return active.load() == 0; });
}

// Waits for a launch that this worker has not seen, and returns its number.
uint64_t ThreadPool::awaitNext(uint64_t seen) {
  if (spinUntil([&] { return generation.load(std::memory_order_acquire) != seen; }))
    return generation.load();
  std::unique_lock guard(lock);
  ++sleeping;
  wake.wait(guard, [&] { return generation.load() != seen; });
  --sleeping;
  return generation.load();
}

void ThreadPool::work(int thread) {
  uint64_t seen = 0;
  while (true) {
    seen = awaitNext(seen);
    {
      std::lock_guard guard(lock);
      if (stopping)
        return;
      if (!open)
        continue;
      ++active;
    }
    takeRanges(thread);
    std::lock_guard guard(lock);
    if (active.fetch_sub(1, std::memory_order_acq_rel) == 1)
      done.notify_one();
  }
}

} // namespace teeny::rt
