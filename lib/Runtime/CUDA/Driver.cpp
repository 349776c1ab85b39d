#include "Runtime/CUDA/Driver.h"

#include <dlfcn.h>
#include <memory>
#include <mutex>

namespace teeny::rt::cuda {

static constexpr const char *libraryName = "libcuda.so.1";

namespace {
struct Symbol {
  const char *name;
  void **function;
};
} // namespace

static Result<std::unique_ptr<Driver>> load() {
  void *library = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *why = dlerror();
    return Error{ErrorCode::environment,
                 std::string("no CUDA driver: ") + libraryName +
                     " not found; install the NVIDIA driver, or use the device 'cpu' (" +
                     (why ? why : "unknown error") + ")"};
  }
  auto driver = std::make_unique<Driver>();
  const Symbol symbols[] = {
#define TEENY_CUDA_SYMBOL(member, symbol, parameters)                                              \
  {symbol, reinterpret_cast<void **>(&driver->member)},
#include "Runtime/CUDA/DriverSymbols.def"
  };
  for (const Symbol &symbol : symbols) {
    *symbol.function = dlsym(library, symbol.name);
    if (!*symbol.function)
      return Error{ErrorCode::environment, std::string(libraryName) + " has no function '" +
                                               symbol.name +
                                               "'; a driver of CUDA 11.4 or later is needed"};
  }

  CUresult result = driver->init(0);
  if (result == errorNoDevice)
    return Error{ErrorCode::environment, "the CUDA driver finds no GPU"};
  if (Status status = driver->check(result, "cannot start the CUDA driver"); !status)
    return status.error();
  return driver;
}

Result<const Driver *> Driver::get() {
  static std::mutex lock;
  // Lives until the process ends: so does what sessions do in static destructors.
  static const Driver *driver = nullptr;
  std::lock_guard guard(lock);
  if (!driver) {
    Result<std::unique_ptr<Driver>> loaded = load();
    if (!loaded)
      return loaded.error();
    driver = loaded->release();
  }
  return driver;
}

std::string Driver::version() const {
  int number = 0;
  if (driverGetVersion(&number) != success)
    return "of unknown version";
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

Error Driver::error(CUresult result, const std::string &what) const {
  const char *name = nullptr, *text = nullptr;
  if (getErrorName(result, &name) != success || !name)
    name = "unknown";
  if (getErrorString(result, &text) != success || !text)
    text = "error of the CUDA driver";
  ErrorCode code = result == errorOutOfMemory ? ErrorCode::outOfMemory : ErrorCode::environment;
  return {code, what + ": " + text + " (" + name + ")"};
}

Status Driver::check(CUresult result, const std::string &what) const {
  if (result == success)
    return {};
  return error(result, what);
}

} // namespace teeny::rt::cuda
