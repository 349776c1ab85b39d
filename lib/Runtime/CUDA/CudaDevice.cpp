#include "Runtime/CUDA/CudaDevice.h"

#include "Runtime/CUDA/Context.h"
#include "Runtime/CUDA/Graphs.h"
#include "Runtime/CUDA/Targets.h"

#include <algorithm>
#include <optional>

namespace teeny::rt {

using namespace cuda;

namespace {

class CudaDevice final : public Device {
public:
  CudaDevice(std::shared_ptr<Context> shared, bool useGraphs)
      : context(std::move(shared)), driver(context->driver), useGraphs(useGraphs), graphs(driver) {}
  ~CudaDevice() override;
  Status open();

  std::string describe() const override;
  int rank(std::string_view target) const override {
    return gpuTargetRank(target, context->major, context->minor);
  }
  bool usesHostMemory() const override { return false; }
  int ordinal() const override { return context->ordinal; }
  Status load(std::span<const ChosenCode> chosen) override;
  Result<uint64_t> allocate(size_t bytes) override;
  void release(uint64_t address) override;
  Status upload(uint64_t to, std::span<const std::byte> data) override;
  Status run(const Program &program, const RunRequest &request) override;
  Status download(void *to, uint64_t from, size_t bytes) override;
  Status wait() override;
  Result<RunTimes> times() override;
  DeviceCounters counters() const override { return graphs->counters(); }

private:
  Status enqueue(const Step &step, const Program &program, CUstream stream);
  Status enqueueAll(const std::vector<Step> &steps, const Program &program, CUstream stream);
  Status enqueueBody(const Program &program, Timing timing, CUstream stream);
  Status follow(CUstream stream);
  Status mark(size_t event, CUstream stream);

  struct Kernel {
    std::string name;
    std::shared_ptr<Module> module;
    CUfunction function;
    unsigned threads, sharedBytes;
  };

  std::shared_ptr<Context> context;
  const Driver &driver;
  const bool useGraphs;
  std::optional<Graphs> graphs;
  std::vector<Kernel> kernels;
  std::vector<void *> parameters; // of the launch being enqueued
  CUstream own = nullptr;         // what runs without a stream of the caller use
  CUevent done = nullptr;         // the end of the last run
  bool ranBefore = false;
  CUstream lastStream = nullptr;

  // Timing events: at the begin of the body, and after it or after each of its steps.
  std::vector<CUevent> events;
  std::vector<Step::Kind> timedSteps; // of the last run, if each was timed
  Timing lastTiming = Timing::none;
  bool lastUsedGraph = false;
};

} // namespace

Result<std::unique_ptr<Device>> makeCudaDevice(const CudaOptions &options) {
  Result<std::shared_ptr<Context>> context = Context::get(options.ordinal);
  if (!context)
    return context.error();
  auto device = std::make_unique<CudaDevice>(*context, options.graphs);
  if (Status status = device->open(); !status)
    return status.error();
  return std::unique_ptr<Device>(std::move(device));
}

Status CudaDevice::open() {
  Current current(*context);
  // Ordered with the legacy default stream, where callers who name no stream have put their work.
  if (Status status =
          driver.check(driver.streamCreate(&own, streamDefault), "cannot create a stream");
      !status)
    return status;
  return driver.check(driver.eventCreate(&done, eventDisableTiming), "cannot create an event");
}

CudaDevice::~CudaDevice() {
  Current current(*context);
  if (ranBefore)
    driver.eventSynchronize(done);
  graphs.reset();
  for (CUevent event : events)
    driver.eventDestroy(event);
  if (done)
    driver.eventDestroy(done);
  if (own)
    driver.streamDestroy(own);
}

std::string CudaDevice::describe() const {
  return "cuda:" + std::to_string(context->ordinal) + " (" + context->name +
         ", compute capability " + std::to_string(context->major) + "." +
         std::to_string(context->minor) + ")";
}

Status CudaDevice::load(std::span<const ChosenCode> chosen) {
  for (const ChosenCode &code : chosen) {
    const std::string where = "kernel '" + code.kernel->name + "'";
    Context::Image image{code.bytes, code.code->sha256, "the code '" + code.code->tensor + "'",
                         code.code->ptxVersion, parseGpuTarget(code.code->target)->ptx};
    Result<std::shared_ptr<Module>> module = context->load(image);
    if (!module)
      return module.error().in(where);
    Result<CUfunction> function =
        context->function(**module, code.code->symbol, code.code->threads, code.code->sharedBytes);
    if (!function)
      return function.error().in(where);
    kernels.push_back({code.kernel->name, *module, *function,
                       static_cast<unsigned>(code.code->threads),
                       static_cast<unsigned>(code.code->sharedBytes)});
  }
  return {};
}

Result<uint64_t> CudaDevice::allocate(size_t bytes) {
  Current current(*context);
  CUdeviceptr address = 0;
  Status status = driver.check(driver.memAlloc(&address, std::max<size_t>(bytes, 1)),
                               "cannot allocate " + std::to_string(bytes) +
                                   " bytes on cuda:" + std::to_string(context->ordinal));
  if (!status)
    return status.error();
  return address;
}

void CudaDevice::release(uint64_t address) {
  Current current(*context);
  if (ranBefore)
    driver.eventSynchronize(done);
  driver.memFree(address);
}

Status CudaDevice::upload(uint64_t to, std::span<const std::byte> data) {
  if (data.empty())
    return {};
  Current current(*context);
  CUresult result = driver.memcpyHtoDAsync(to, data.data(), data.size(), own);
  if (result == success)
    result = driver.streamSynchronize(own);
  return driver.check(result, "cannot copy " + std::to_string(data.size()) + " bytes to the GPU");
}

Status CudaDevice::download(void *to, uint64_t from, size_t bytes) {
  if (bytes == 0)
    return {};
  Current current(*context);
  if (Status status = follow(own); !status)
    return status;
  CUresult result = driver.memcpyDtoHAsync(to, from, bytes, own);
  if (result == success)
    result = driver.streamSynchronize(own);
  return driver.check(result, "cannot copy " + std::to_string(bytes) + " bytes from the GPU");
}

Status CudaDevice::wait() {
  if (!ranBefore)
    return {};
  Current current(*context);
  return driver.check(driver.eventSynchronize(done), "the run failed");
}

// Makes work on `stream` wait for the last run, whose memory it may use.
Status CudaDevice::follow(CUstream stream) {
  if (!ranBefore || stream == lastStream)
    return {};
  return driver.check(driver.streamWaitEvent(stream, done, 0), "cannot wait for the last run");
}

Status CudaDevice::mark(size_t event, CUstream stream) {
  while (events.size() <= event) {
    CUevent created = nullptr;
    Status status =
        driver.check(driver.eventCreate(&created, eventDefault), "cannot create an event");
    if (!status)
      return status;
    events.push_back(created);
  }
  return driver.check(driver.eventRecord(events[event], stream), "cannot record an event");
}

Status CudaDevice::enqueue(const Step &step, const Program &program, CUstream stream) {
  switch (step.kind) {
  case Step::Kind::zero:
    return driver.check(driver.memsetD8Async(step.to.address, 0, step.bytes, stream),
                        "cannot fill " + std::to_string(step.bytes) + " bytes");
  case Step::Kind::copy: {
    CUresult result;
    if (step.from.host)
      result = driver.memcpyHtoDAsync(step.to.address, reinterpret_cast<void *>(step.from.address),
                                      step.bytes, stream);
    else if (step.to.host)
      result = driver.memcpyDtoHAsync(reinterpret_cast<void *>(step.to.address), step.from.address,
                                      step.bytes, stream);
    else
      result = driver.memcpyDtoDAsync(step.to.address, step.from.address, step.bytes, stream);
    return driver.check(result, "cannot copy " + std::to_string(step.bytes) + " bytes");
  }
  case Step::Kind::launch:
    break;
  }
  const Kernel &kernel = kernels[step.kernel];
  // The driver takes 2^31 - 1 programs along x, which every int32 is, and 65535 along y and z.
  if (step.grid[1] > 65535 || step.grid[2] > 65535)
    return Error{ErrorCode::unsupported,
                 "kernel '" + kernel.name + "': the grid is " + std::to_string(step.grid[0]) +
                     " x " + std::to_string(step.grid[1]) + " x " + std::to_string(step.grid[2]) +
                     ", a GPU takes at most 65535 along y and z"};
  // A parameter is read from the low bytes of its slot, whatever its size.
  parameters.clear();
  for (size_t i = 0; i < step.argCount; ++i)
    parameters.push_back(const_cast<uint64_t *>(&program.args[step.firstArg + i]));
  return driver.check(driver.launchKernel(kernel.function, step.grid[0], step.grid[1], step.grid[2],
                                          kernel.threads, 1, 1, kernel.sharedBytes, stream,
                                          parameters.data(), nullptr),
                      "cannot launch kernel '" + kernel.name + "'");
}

Status CudaDevice::enqueueAll(const std::vector<Step> &steps, const Program &program,
                              CUstream stream) {
  for (const Step &step : steps)
    if (Status status = enqueue(step, program, stream); !status)
      return status;
  return {};
}

Status CudaDevice::enqueueBody(const Program &program, Timing timing, CUstream stream) {
  size_t event = 0;
  if (timing != Timing::none)
    if (Status status = mark(event++, stream); !status)
      return status;

  CUgraphExec graph = nullptr;
  if (useGraphs && program.repeats && timing != Timing::launches && !program.body.empty()) {
    auto enqueueInto = [&](CUstream into) { return enqueueAll(program.body, program, into); };
    Result<CUgraphExec> made = graphs->graph(program, enqueueInto);
    if (!made)
      return made.error();
    graph = *made;
  }
  lastUsedGraph = graph != nullptr;
  if (graph) {
    Status status = driver.check(driver.graphLaunch(graph, stream), "cannot launch a graph");
    if (!status)
      return status;
  } else {
    for (const Step &step : program.body) {
      if (Status status = enqueue(step, program, stream); !status)
        return status;
      if (timing == Timing::launches)
        if (Status status = mark(event++, stream); !status)
          return status;
    }
  }
  return timing == Timing::run ? mark(event, stream) : Status();
}

Status CudaDevice::run(const Program &program, const RunRequest &request) {
  Current current(*context);
  CUstream stream = request.onStream ? static_cast<CUstream>(request.stream) : own;
  if (Status status = follow(stream); !status)
    return status;
  lastTiming = Timing::none;

  Status status = enqueueAll(program.before, program, stream);
  if (status)
    status = enqueueBody(program, request.timing, stream);
  if (status)
    status = enqueueAll(program.after, program, stream);
  // Even after a failure: what has been enqueued uses the session's memory.
  Status marked = driver.check(driver.eventRecord(done, stream), "cannot record an event");
  ranBefore = true;
  lastStream = stream;
  if (!status)
    return status;
  if (!marked)
    return marked;

  lastTiming = request.timing;
  timedSteps.clear();
  if (request.timing == Timing::launches)
    for (const Step &step : program.body)
      timedSteps.push_back(step.kind);
  if (request.onStream)
    return {};
  return driver.check(driver.streamSynchronize(stream), "the run failed");
}

Result<RunTimes> CudaDevice::times() {
  if (Status status = wait(); !status)
    return status.error();
  Current current(*context);
  RunTimes times;
  times.usedGraph = lastUsedGraph;
  if (lastTiming == Timing::none)
    return times;
  auto between = [&](size_t from, size_t to, double &microseconds) {
    float milliseconds = 0;
    Status status = driver.check(driver.eventElapsedTime(&milliseconds, events[from], events[to]),
                                 "cannot read the timings");
    microseconds = milliseconds * 1000.0;
    return status;
  };
  size_t last = lastTiming == Timing::run ? 1 : timedSteps.size();
  if (Status status = between(0, last, times.total); !status)
    return status.error();
  for (size_t i = 0; i < timedSteps.size(); ++i) {
    double microseconds = 0;
    if (Status status = between(i, i + 1, microseconds); !status)
      return status.error();
    if (timedSteps[i] == Step::Kind::launch)
      times.launches.push_back(microseconds);
  }
  return times;
}

} // namespace teeny::rt
