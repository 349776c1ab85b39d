// The primary context of one CUDA device, and the modules loaded into it; shared by all sessions of
// the process on that device, and safe to use from many threads.
#pragma once

#include "Runtime/CUDA/Driver.h"

#include <map>
#include <memory>
#include <mutex>
#include <span>

namespace teeny::rt::cuda {

class Context;

// Code loaded into a context; unloaded with the last session that uses it.
class Module {
public:
  ~Module();

private:
  friend class Context;
  std::shared_ptr<Context> context; // outlives its modules
  CUmodule handle = nullptr;
  std::mutex lock;
  std::map<std::string, int64_t> sharedBytes; // the most dynamic shared memory asked for, by symbol
};

class Context : public std::enable_shared_from_this<Context> {
public:
  // The context of device `ordinal`, as CUDA numbers the visible devices.
  static Result<std::shared_ptr<Context>> get(int ordinal);
  ~Context();

  const Driver &driver;
  const int ordinal;
  std::string name; // "NVIDIA H200"
  int major = 0, minor = 0;
  int maxSharedBytes = 0; // of a block, when asked for

  // Machine code or PTX, from now or from an earlier call with the same hash. `what` names it in
  // messages; `ptxVersion` ("8.0") is for the message when the driver is too old.
  struct Image {
    std::span<const std::byte> bytes;
    std::string sha256, what, ptxVersion;
    bool ptx = false;
  };
  Result<std::shared_ptr<Module>> load(const Image &image);

  // An entry of a module, ready to be launched with this block and dynamic shared memory.
  Result<CUfunction> function(Module &module, const std::string &symbol, int64_t threads,
                              int64_t sharedBytes);

private:
  Context(const Driver &driver, int ordinal) : driver(driver), ordinal(ordinal) {}
  Status open();
  Result<CUmodule> loadImage(const Image &image);

  friend class Current;
  CUdevice device = 0;
  CUcontext handle = nullptr; // null until retained
  std::mutex lock;
  std::map<std::string, std::weak_ptr<Module>> modules; // by hash
};

// Makes a context current for this thread while in scope.
class Current {
public:
  explicit Current(const Context &context) : driver(context.driver) {
    pushed = driver.ctxPushCurrent(context.handle) == success;
  }
  ~Current() {
    CUcontext popped;
    if (pushed)
      driver.ctxPopCurrent(&popped);
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;

private:
  const Driver &driver;
  bool pushed;
};

} // namespace teeny::rt::cuda
