#include "Runtime/CUDA/Context.h"

#include <vector>

namespace teeny::rt::cuda {

Module::~Module() {
  if (!handle)
    return; // loading failed
  Current current(*context);
  context->driver.moduleUnload(handle);
}

Result<std::shared_ptr<Context>> Context::get(int ordinal) {
  Result<const Driver *> driver = Driver::get();
  if (!driver)
    return driver.error();

  static std::mutex lock;
  static auto &contexts = *new std::map<int, std::weak_ptr<Context>>;
  std::lock_guard guard(lock);
  if (auto context = contexts[ordinal].lock())
    return context;
  std::shared_ptr<Context> context(new Context(**driver, ordinal));
  if (Status status = context->open(); !status)
    return status.error();
  contexts[ordinal] = context;
  return context;
}

Status Context::open() {
  const std::string where = "cuda:" + std::to_string(ordinal);
  int count = 0;
  if (Status status = driver.check(driver.deviceGetCount(&count), "cannot count the GPUs"); !status)
    return status;
  if (ordinal < 0 || ordinal >= count)
    return Error{ErrorCode::environment, "there is no device " + where +
                                             ": the CUDA driver shows " + std::to_string(count) +
                                             (count == 1 ? " GPU" : " GPUs")};
  if (Status status = driver.check(driver.deviceGet(&device, ordinal), where); !status)
    return status;

  char text[256] = "";
  driver.deviceGetName(text, sizeof text, device);
  name = text;
  const std::pair<int *, int> attributes[] = {{&major, computeCapabilityMajor},
                                              {&minor, computeCapabilityMinor},
                                              {&maxSharedBytes, maxSharedMemoryPerBlockOptin}};
  for (auto [value, attribute] : attributes)
    if (Status status = driver.check(driver.deviceGetAttribute(value, attribute, device),
                                     where + ": cannot read a property of the device");
        !status)
      return status;
  CUcontext retained;
  if (Status status = driver.check(driver.primaryCtxRetain(&retained, device),
                                   where + ": cannot use the device");
      !status)
    return status;
  handle = retained;
  return {};
}

Context::~Context() {
  if (handle)
    driver.primaryCtxRelease(device);
}

static std::string trimmed(const std::string &log) {
  size_t end = log.find_last_not_of(" \n\r\t");
  return end == std::string::npos ? "" : log.substr(0, end + 1);
}

Result<CUmodule> Context::loadImage(const Image &image) {
  std::string log(8192, '\0');
  int options[] = {jitErrorLogBuffer, jitErrorLogBufferSizeBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size())};
  const void *data = image.bytes.data();
  std::string text;
  if (image.ptx) { // the driver wants a final zero
    text.assign(reinterpret_cast<const char *>(data), image.bytes.size());
    data = text.c_str();
  }
  CUmodule module = nullptr;
  CUresult result = driver.moduleLoadDataEx(&module, data, 2, options, values);
  if (result == success)
    return module;
  if (result == errorUnsupportedPtxVersion)
    return Error{ErrorCode::environment,
                 image.what + " is PTX " + image.ptxVersion + ", which the driver (CUDA " +
                     driver.version() +
                     ") does not know; install a newer driver, or compile for this GPU"};
  Error error =
      driver.error(result, "the driver (CUDA " + driver.version() + ") refuses " + image.what);
  if (std::string report = trimmed(log.c_str()); !report.empty())
    error.message += "\n" + report;
  return error;
}

Result<std::shared_ptr<Module>> Context::load(const Image &image) {
  std::lock_guard guard(lock);
  std::weak_ptr<Module> &entry = modules[image.sha256];
  if (auto module = entry.lock())
    return module;
  Current current(*this);
  // Before the module is loaded, so that nothing can fail between loading it and owning it.
  auto module = std::make_shared<Module>();
  Result<CUmodule> loaded = loadImage(image);
  if (!loaded) {
    modules.erase(image.sha256);
    return loaded.error();
  }
  module->context = shared_from_this();
  module->handle = *loaded;
  entry = module;
  return module;
}

Result<CUfunction> Context::function(Module &module, const std::string &symbol, int64_t threads,
                                     int64_t sharedBytes) {
  Current current(*this);
  CUfunction function = nullptr;
  if (Status status =
          driver.check(driver.moduleGetFunction(&function, module.handle, symbol.c_str()),
                       "no entry '" + symbol + "' in the code");
      !status)
    return Error{ErrorCode::invalid, status.error().message};

  int mostThreads = 0, fixedShared = 0;
  const std::pair<int *, int> attributes[] = {{&mostThreads, functionMaxThreadsPerBlock},
                                              {&fixedShared, functionSharedSizeBytes}};
  for (auto [value, attribute] : attributes)
    if (Status status = driver.check(driver.funcGetAttribute(value, attribute, function),
                                     "cannot read a property of '" + symbol + "'");
        !status)
      return status.error();
  if (threads < 1 || threads > mostThreads)
    return Error{ErrorCode::unsupported, "a block of " + std::to_string(threads) +
                                             " threads is wanted, the code allows 1 to " +
                                             std::to_string(mostThreads) + " on this GPU"};
  if (sharedBytes < 0 || sharedBytes > maxSharedBytes - fixedShared)
    return Error{ErrorCode::unsupported, std::to_string(sharedBytes) + " bytes of dynamic and " +
                                             std::to_string(fixedShared) +
                                             " of static shared memory are wanted, this GPU has " +
                                             std::to_string(maxSharedBytes) + " for a block"};

  // The limit belongs to the function, which sessions share: it only grows.
  std::lock_guard guard(module.lock);
  int64_t &most = module.sharedBytes[symbol];
  if (sharedBytes <= most)
    return function;
  // Up to 48 KB with the static part need no permission; asking for it does no harm.
  if (Status status = driver.check(
          driver.funcSetAttribute(function, functionMaxDynamicSharedSizeBytes, sharedBytes),
          "cannot use " + std::to_string(sharedBytes) + " bytes of shared memory");
      !status)
    return status.error();
  most = sharedBytes;
  return function;
}

} // namespace teeny::rt::cuda
