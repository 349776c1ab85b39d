// The seam between the session and what runs its kernels.
//
// A session works out everything that is arithmetic (dims, memory plan, grids, arguments,
// addresses) and hands the device a Program: a flat list of copies, fills and launches with nothing
// left to decide. So a device is small, and tests put a fake one in its place to see what a session
// asks for.
//
// A device belongs to one session and is used by one thread at a time. What devices share (loaded
// modules, the driver) is their own business.
#pragma once

#include "Base/Result.h"
#include "Bundle/Manifest.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace teeny::rt {

// A place in memory: a host pointer, or an address of the device. On the CPU every place is a host
// pointer.
struct Place {
  uint64_t address = 0;
  bool host = false;
};

// The code that was chosen for a kernel.
struct ChosenCode {
  const ManifestKernel *kernel = nullptr;
  const CodeObject *code = nullptr;
  std::span<const std::byte> bytes; // whose hash has been checked
};

struct Step {
  enum class Kind { copy, zero, launch };
  Kind kind = Kind::launch;

  // copy: `bytes` from `from` to `to`; zero: `bytes` at `to`. Never 0 bytes.
  Place to, from;
  size_t bytes = 0;

  // launch: indices into the manifest. The grid has no 0. The arguments are `argCount` slots of
  // Program::args in ABI order: an address, an integer extended by its sign, or the bits of a float
  // in the low bytes.
  size_t launch = 0, kernel = 0;
  std::array<int32_t, 3> grid = {1, 1, 1};
  size_t firstArg = 0, argCount = 0;
};

inline Step copyStep(Place to, Place from, size_t bytes) {
  Step step;
  step.kind = Step::Kind::copy;
  step.to = to;
  step.from = from;
  step.bytes = bytes;
  return step;
}

struct Program {
  std::vector<int64_t> dims; // values in manifest order: programs of equal dims differ in addresses
  std::vector<Step> before;  // copies of inputs
  std::vector<Step> body;    // launches, and the fills and copies between them, in order
  std::vector<Step> after;   // copies of outputs
  std::vector<uint64_t> args;
  bool repeats = true; // runs with the same dims are likely to follow
};

enum class Timing { none, run, launches };

struct RunRequest {
  Timing timing = Timing::none;
  bool onStream = false;  // enqueue on `stream` and return; otherwise run and wait
  void *stream = nullptr; // of the caller
};

// What the last run took, in microseconds.
struct RunTimes {
  double total = 0;             // 0 if not timed
  std::vector<double> launches; // one a launch step of the body; empty if not timed
  bool usedGraph = false;
};

struct DeviceCounters {
  size_t graphsMade = 0, graphUpdates = 0;
};

class Device {
public:
  virtual ~Device() = default; // waits for work under way

  virtual std::string describe() const = 0; // "cpu (x86-64-v4, 8 threads)"
  // How well the device runs code for a target: the larger, the better; 0 if not at all.
  virtual int rank(std::string_view target) const = 0;
  // Whether kernels use host pointers.
  virtual bool usesHostMemory() const = 0;
  // The number in a DLPack device of this device's memory.
  virtual int ordinal() const { return 0; }

  // Makes every kernel of the manifest ready to launch; entry i is the code of kernel i. The memory
  // behind it lives as long as the device. This is what runs code of the bundle first.
  virtual Status load(std::span<const ChosenCode> kernels) = 0;

  // Device memory, aligned to 256 bytes.
  virtual Result<uint64_t> allocate(size_t bytes) = 0;
  virtual void release(uint64_t address) = 0; // waits for work that may use it
  virtual Status upload(uint64_t to, std::span<const std::byte> data) = 0; // and waits

  virtual Status run(const Program &program, const RunRequest &request) = 0;
  virtual Status download(void *to, uint64_t from, size_t bytes) = 0; // after the last run
  virtual Status wait() = 0;
  virtual Result<RunTimes> times() = 0; // waits
  virtual DeviceCounters counters() const { return {}; }
};

} // namespace teeny::rt
