#include "Runtime/CPU/CpuDevice.h"

#include "Runtime/CPU/CpuLevel.h"
#include "Runtime/CPU/SharedObject.h"
#include "Runtime/CPU/ThreadPool.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>

namespace teeny::rt {

namespace {

// The CPU entry of the kernel ABI (lib/Bundle/README.md).
using KernelFunction = void (*)(const uint64_t *args, const int32_t grid[3], int64_t begin,
                                int64_t end, void *scratch);

struct Free {
  void operator()(void *memory) const { free(memory); }
};
using Memory = std::unique_ptr<void, Free>;

class CpuDevice final : public Device {
public:
  explicit CpuDevice(int threads) : pool(threads) {}

  std::string describe() const override;
  int rank(std::string_view target) const override { return cpuTargetRank(target); }
  bool usesHostMemory() const override { return true; }
  Status load(std::span<const ChosenCode> chosen) override;
  Result<uint64_t> allocate(size_t bytes) override;
  void release(uint64_t address) override { free(reinterpret_cast<void *>(address)); }
  Status upload(uint64_t to, std::span<const std::byte> data) override;
  Status run(const Program &program, const RunRequest &request) override;
  Status download(void *to, uint64_t from, size_t bytes) override;
  Status wait() override { return {}; }
  Result<RunTimes> times() override { return lastTimes; }

private:
  void launch(const Step &step, const uint64_t *args);
  void carryOut(const Step &step, const Program &program);

  struct Kernel {
    std::shared_ptr<SharedObject> object;
    KernelFunction function = nullptr;
  };
  std::vector<Kernel> kernels;
  Memory scratch;
  size_t scratchStride = 0; // bytes from one thread's scratch to the next
  ThreadPool pool;
  RunTimes lastTimes;
};

} // namespace

static void *at(const Place &place) { return reinterpret_cast<void *>(place.address); }

static size_t roundUp(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

// Sessions share loaded code: one copy for each hash.
static Result<std::shared_ptr<SharedObject>> loadShared(const ChosenCode &chosen) {
  static std::mutex lock;
  static auto &loaded = *new std::map<std::string, std::weak_ptr<SharedObject>>;
  std::lock_guard guard(lock);
  auto &entry = loaded[chosen.code->sha256];
  if (auto object = entry.lock())
    return object;
  Result<std::shared_ptr<SharedObject>> object =
      SharedObject::load(chosen.bytes, chosen.code->tensor);
  if (object)
    entry = *object;
  else
    loaded.erase(chosen.code->sha256);
  return object;
}

std::string CpuDevice::describe() const {
  int threads = pool.threads();
  return "cpu (" + std::string(bestCpuTarget()) + ", " + std::to_string(threads) +
         (threads == 1 ? " thread)" : " threads)");
}

Status CpuDevice::load(std::span<const ChosenCode> chosen) {
  size_t bytes = 0;
  for (const ChosenCode &code : chosen) {
    Result<std::shared_ptr<SharedObject>> object = loadShared(code);
    if (!object)
      return object.error().in("kernel '" + code.kernel->name + "'");
    void *symbol = (*object)->symbol(code.code->symbol);
    if (!symbol)
      return Error{ErrorCode::invalid, "kernel '" + code.kernel->name + "': the code '" +
                                           code.code->tensor + "' has no symbol '" +
                                           code.code->symbol + "'"};
    kernels.push_back({*object, reinterpret_cast<KernelFunction>(symbol)});
    bytes = std::max<size_t>(bytes, code.code->scratchBytes);
  }
  if (bytes == 0)
    return {};
  const size_t threads = pool.threads();
  if (bytes > std::numeric_limits<size_t>::max() / 2 / threads)
    return Error{ErrorCode::outOfRange,
                 "kernels need " + std::to_string(bytes) + " bytes of scratch memory per thread"};
  // A line apart, so that threads do not share one.
  scratchStride = roundUp(bytes, 64) + 64;
  scratch.reset(aligned_alloc(64, scratchStride * threads));
  if (!scratch)
    return Error{ErrorCode::outOfMemory, "cannot allocate " +
                                             std::to_string(scratchStride * threads) +
                                             " bytes of scratch memory"};
  return {};
}

Result<uint64_t> CpuDevice::allocate(size_t bytes) {
  const size_t alignment = 4096;
  if (bytes > std::numeric_limits<size_t>::max() - alignment)
    return Error{ErrorCode::outOfRange, std::to_string(bytes) + " bytes are too many"};
  void *memory = aligned_alloc(alignment, roundUp(std::max<size_t>(bytes, 1), alignment));
  if (!memory)
    return Error{ErrorCode::outOfMemory, "cannot allocate " + std::to_string(bytes) + " bytes"};
  return reinterpret_cast<uint64_t>(memory);
}

Status CpuDevice::upload(uint64_t to, std::span<const std::byte> data) {
  if (!data.empty())
    memcpy(reinterpret_cast<void *>(to), data.data(), data.size());
  return {};
}

Status CpuDevice::download(void *to, uint64_t from, size_t bytes) {
  if (bytes != 0)
    memcpy(to, reinterpret_cast<const void *>(from), bytes);
  return {};
}

void CpuDevice::launch(const Step &step, const uint64_t *args) {
  struct Job {
    KernelFunction function;
    const uint64_t *args;
    const int32_t *grid;
    uint8_t *scratch;
    size_t stride;
  } job{kernels[step.kernel].function, args, step.grid.data(),
        static_cast<uint8_t *>(scratch.get()), scratchStride};
  int64_t programs = int64_t(step.grid[0]) * step.grid[1] * step.grid[2];
  auto body = [](void *context, int64_t begin, int64_t end, int thread) {
    const Job &job = *static_cast<Job *>(context);
    job.function(job.args, job.grid, begin, end, job.scratch + job.stride * thread);
  };
  pool.run(programs, body, &job);
}

void CpuDevice::carryOut(const Step &step, const Program &program) {
  switch (step.kind) {
  case Step::Kind::copy:
    memmove(at(step.to), at(step.from), step.bytes);
    break;
  case Step::Kind::zero:
    memset(at(step.to), 0, step.bytes);
    break;
  case Step::Kind::launch:
    launch(step, program.args.data() + step.firstArg);
    break;
  }
}

Status CpuDevice::run(const Program &program, const RunRequest &request) {
  using Clock = std::chrono::steady_clock;
  auto microseconds = [](Clock::time_point from, Clock::time_point to) {
    return std::chrono::duration<double, std::micro>(to - from).count();
  };
  if (request.onStream && request.stream)
    return Error{ErrorCode::unsupported, "a session on the CPU has no streams"};
  lastTimes = {};
  for (const Step &step : program.before)
    carryOut(step, program);

  Clock::time_point begin = Clock::now(), last = begin;
  for (const Step &step : program.body) {
    carryOut(step, program);
    if (request.timing != Timing::launches)
      continue;
    Clock::time_point now = Clock::now();
    if (step.kind == Step::Kind::launch)
      lastTimes.launches.push_back(microseconds(last, now));
    last = now;
  }
  if (request.timing != Timing::none)
    lastTimes.total = microseconds(begin, Clock::now());

  for (const Step &step : program.after)
    carryOut(step, program);
  return {};
}

std::unique_ptr<Device> makeCpuDevice(int threads) {
  if (threads <= 0)
    threads = std::max(1u, std::thread::hardware_concurrency());
  return std::make_unique<CpuDevice>(threads);
}

} // namespace teeny::rt
