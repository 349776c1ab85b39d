// A CUDA driver for tests without a GPU: a libcuda.so.1 with the functions that the runtime uses,
// and one device whose kernels are those of smoke.ptx, written again in C++.
//
// It is as lazy as a real device may be: work waits in its stream until something synchronises with
// it, so a missing wait shows as a wrong number. It is strict: calls without a current context,
// addresses that are not allocated, shared memory or blocks beyond what was allowed are errors, as
// with the real one. It counts its objects, so that tests find leaks.
//
// Environment: FAKE_CUDA_DEVICES=0 makes it find no device.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace {

enum Result {
  success = 0,
  invalidValue = 1,
  noDevice = 100,
  invalidDevice = 101,
  invalidContext = 201,
  invalidPtx = 218,
  invalidHandle = 400,
  notFound = 500,
  notReady = 600,
  captureUnsupported = 900,
  updateFailure = 910,
};

using Args = std::vector<uint64_t>; // one slot a parameter
using Work = std::function<void()>;

struct Grid {
  unsigned x, y, z;
};

struct Kernel {
  const char *name;
  std::vector<size_t> sizes; // of its parameters
  void (*run)(const Args &args, Grid grid);
};

template <typename T> T value(uint64_t slot) {
  T result;
  memcpy(&result, &slot, sizeof result);
  return result;
}
template <typename T> T *pointer(uint64_t slot) { return reinterpret_cast<T *>(slot); }

void saxpy(const Args &args, Grid grid) {
  int n = value<int>(args[3]);
  for (int i = 0; i < n && i < int(grid.x) * 128; ++i)
    pointer<float>(args[2])[i] =
        value<float>(args[4]) * pointer<float>(args[0])[i] + pointer<float>(args[1])[i];
}
void count(const Args &args, Grid grid) { *pointer<uint32_t>(args[0]) += grid.x * grid.y * grid.z; }
void copyWord(const Args &args, Grid) { *pointer<uint32_t>(args[1]) = *pointer<uint32_t>(args[0]); }
void sharedReverse(const Args &args, Grid grid) {
  for (unsigned block = 0; block < grid.x; ++block)
    for (unsigned t = 0; t < 128; ++t)
      pointer<float>(args[1])[block * 128 + t] = pointer<float>(args[0])[block * 128 + 127 - t];
}
void params(const Args &args, Grid) {
  double *out = pointer<double>(args[0]);
  out[0] = value<uint8_t>(args[1]);
  out[1] = value<int8_t>(args[2]);
  out[2] = value<int16_t>(args[3]);
  out[3] = value<int32_t>(args[4]);
  out[4] = double(value<int64_t>(args[5]));
  out[5] = value<float>(args[6]);
  out[6] = value<double>(args[7]);
}
void coordinates(const Args &args, Grid grid) {
  for (int64_t p = 0; p < int64_t(grid.x) * grid.y * grid.z; ++p)
    pointer<int64_t>(args[0])[p] =
        p * 1000003 + p % grid.x + p / grid.x % grid.y * 17 + p / grid.x / grid.y * 289;
}

void halves(const Args &args, Grid) { // the bits
  pointer<double>(args[0])[0] = value<uint16_t>(args[1]);
  pointer<double>(args[0])[1] = value<uint16_t>(args[2]);
}

const Kernel kernels[] = {
    {"saxpy", {8, 8, 8, 4, 4}, saxpy},
    {"saxpy_2", {8, 8, 8, 4, 4}, saxpy}, // compiled for something else
    {"halves", {8, 2, 2}, halves},
    {"count", {8}, count},
    {"copy_word", {8, 8}, copyWord},
    {"shared_reverse", {8, 8}, sharedReverse},
    {"params", {8, 1, 1, 2, 4, 8, 4, 8}, params},
    {"coordinates", {8}, coordinates},
};

// Everything below is used under this lock.
std::recursive_mutex lock;
std::atomic<int> objects{0};

struct Counted {
  Counted() { ++objects; }
  Counted(const Counted &) { ++objects; }
  ~Counted() { --objects; }
};

struct Function {
  const Kernel *kernel;
  int dynamicShared = 49152; // allowed
};
struct Module : Counted {
  std::string text;
  std::map<std::string, Function> functions;
};
struct Node {
  const void *what; // two graphs are alike if these agree
  Work work;
};
struct Graph : Counted {
  std::vector<Node> nodes;
};
struct Stream : Counted {
  bool blocking = true; // ordered with the legacy stream
  std::deque<Work> queue;
  uint64_t enqueued = 0, finished = 0;
  std::unique_ptr<Graph> capture;
};
struct Event : Counted {
  Stream *stream = nullptr;
  uint64_t position = 0; // in the stream; what it waits for
  bool reached = false;
  std::chrono::steady_clock::time_point time;
};

std::map<uint64_t, size_t> allocations;
std::vector<Stream *> streams;
int contextUsers = 0;
thread_local std::vector<void *> contextStack;
int theContext;

void drain(Stream *stream, uint64_t upTo) {
  while (stream->finished < upTo && !stream->queue.empty()) {
    Work work = std::move(stream->queue.front());
    stream->queue.pop_front();
    ++stream->finished; // before, so that a wait within does not begin it again
    work();
  }
}

void drainBlocking() {
  for (Stream *stream : streams)
    if (stream->blocking)
      drain(stream, stream->enqueued);
}

bool allocated(uint64_t address, size_t bytes) {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin())
    return false;
  auto [begin, size] = *std::prev(after);
  return address + bytes <= begin + size;
}

// Work on a stream; null: the legacy stream, which waits for all others that do not opt out.
Result enqueue(Stream *stream, const void *what, Work work) {
  if (contextStack.empty())
    return invalidContext;
  if (!stream) {
    drainBlocking();
    work();
  } else if (stream->capture) {
    stream->capture->nodes.push_back({what, std::move(work)});
  } else {
    stream->queue.push_back(std::move(work));
    ++stream->enqueued;
  }
  return success;
}

#define API extern "C" __attribute__((visibility("default"))) int
#define GUARD                                                                                      \
  std::lock_guard<std::recursive_mutex> guard(lock);                                               \
  if (contextStack.empty())                                                                        \
  return invalidContext

} // namespace

static const char *lastKernel = "";
extern "C" __attribute__((visibility("default"))) const char *fakeCudaLastKernel() {
  return lastKernel;
}
API fakeCudaObjects() { return objects + int(allocations.size()) + contextUsers; }

API cuInit(unsigned) {
  const char *devices = getenv("FAKE_CUDA_DEVICES");
  return devices && *devices == '0' ? noDevice : success;
}
API cuGetErrorName(int code, const char **name) {
  *name = code == invalidPtx ? "CUDA_ERROR_INVALID_PTX" : "CUDA_ERROR_FAKE";
  return success;
}
API cuGetErrorString(int code, const char **text) {
  static thread_local std::string message;
  message = "fake error " + std::to_string(code);
  *text = message.c_str();
  return success;
}
API cuDriverGetVersion(int *version) {
  *version = 12040;
  return success;
}
API cuDeviceGetCount(int *count) {
  *count = 1;
  return success;
}
API cuDeviceGet(int *device, int ordinal) {
  *device = 0;
  return ordinal == 0 ? success : invalidDevice;
}
API cuCtxGetDevice(int *device) {
  GUARD;
  *device = 0;
  return success;
}
API cuDeviceGetName(char *name, int size, int) {
  strncpy(name, "Fake GPU", size);
  return success;
}
API cuDeviceGetAttribute(int *value, int attribute, int) {
  switch (attribute) {
  case 75: // compute capability 8.6
    *value = 8;
    return success;
  case 76:
    *value = 6;
    return success;
  case 97:
    *value = 101376;
    return success;
  default:
    return invalidValue;
  }
}
API cuDevicePrimaryCtxRetain(void **context, int) {
  std::lock_guard guard(lock);
  ++contextUsers;
  *context = &theContext;
  return success;
}
API cuDevicePrimaryCtxRelease_v2(int) {
  std::lock_guard guard(lock);
  return contextUsers-- > 0 ? success : invalidContext;
}
API cuCtxPushCurrent_v2(void *context) {
  if (context != &theContext || contextUsers == 0)
    return invalidContext;
  contextStack.push_back(context);
  return success;
}
API cuCtxPopCurrent_v2(void **context) {
  if (contextStack.empty())
    return invalidContext;
  *context = contextStack.back();
  contextStack.pop_back();
  return success;
}

API cuModuleLoadDataEx(Module **module, const void *image, unsigned count, int *options,
                       void **values) {
  GUARD;
  auto loaded = std::make_unique<Module>();
  loaded->text = static_cast<const char *>(image); // PTX, with its final zero
  if (loaded->text.find(".entry") == std::string::npos ||
      loaded->text.find("mul.xx") != std::string::npos) {
    char *log = nullptr;
    size_t room = 0;
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == 5)
        log = static_cast<char *>(values[i]);
      if (options[i] == 6)
        room = reinterpret_cast<size_t>(values[i]);
    }
    if (log && room > 0)
      strncpy(log, "ptxas application ptx input, line 30; error : fake\n", room - 1);
    return invalidPtx;
  }
  *module = loaded.release();
  return success;
}
API cuModuleUnload(Module *module) {
  GUARD;
  delete module;
  return success;
}
API cuModuleGetFunction(Function **function, Module *module, const char *name) {
  GUARD;
  if (module->text.find(".entry " + std::string(name) + "(") == std::string::npos)
    return notFound;
  for (const Kernel &kernel : kernels)
    if (kernel.name == std::string(name)) {
      *function = &module->functions.try_emplace(name, Function{&kernel}).first->second;
      return success;
    }
  return notFound;
}
API cuFuncGetAttribute(int *value, int attribute, Function *) {
  GUARD;
  *value = attribute == 0 ? 128 : 0; // threads of a block, static shared memory
  return attribute <= 1 ? success : invalidValue;
}
API cuFuncSetAttribute(Function *function, int attribute, int value) {
  GUARD;
  if (attribute != 8 || value > 101376)
    return invalidValue;
  function->dynamicShared = value;
  return success;
}

API cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  GUARD;
  if (bytes == 0)
    return invalidValue;
  void *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
  memset(memory, 0xa5, bytes); // a real device does not clear memory either
  *address = reinterpret_cast<uint64_t>(memory);
  allocations[*address] = bytes;
  return success;
}
API cuMemFree_v2(uint64_t address) {
  GUARD;
  if (allocations.erase(address) == 0)
    return invalidValue;
  free(pointer<void>(address));
  return success;
}
API cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, Stream *stream) {
  GUARD;
  if (!allocated(to, bytes) || (stream && stream->capture))
    return invalidValue;
  auto begin = static_cast<const char *>(from);
  // The source may change as soon as this returns.
  return enqueue(stream, "HtoD", [to, staged = std::vector<char>(begin, begin + bytes)] {
    memcpy(pointer<void>(to), staged.data(), staged.size());
  });
}
API cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, Stream *stream) {
  GUARD;
  if (!allocated(from, bytes) || (stream && stream->capture))
    return invalidValue;
  if (stream)
    drain(stream, stream->enqueued);
  return enqueue(nullptr, "DtoH", [=] { memcpy(to, pointer<void>(from), bytes); });
}
API cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, Stream *stream) {
  GUARD;
  if (!allocated(to, bytes) || !allocated(from, bytes))
    return invalidValue;
  return enqueue(stream, "DtoD", [=] { memmove(pointer<void>(to), pointer<void>(from), bytes); });
}
API cuMemsetD8Async(uint64_t to, unsigned char value, size_t bytes, Stream *stream) {
  GUARD;
  if (!allocated(to, bytes))
    return invalidValue;
  return enqueue(stream, "memset", [=] { memset(pointer<void>(to), value, bytes); });
}

API cuStreamCreate(Stream **stream, unsigned flags) {
  GUARD;
  *stream = new Stream;
  (*stream)->blocking = flags == 0;
  streams.push_back(*stream);
  return success;
}
API cuStreamDestroy_v2(Stream *stream) {
  GUARD;
  drain(stream, stream->enqueued);
  streams.erase(std::find(streams.begin(), streams.end(), stream));
  delete stream;
  return success;
}
API cuStreamSynchronize(Stream *stream) {
  GUARD;
  if (stream && stream->capture)
    return captureUnsupported;
  if (stream)
    drain(stream, stream->enqueued);
  else
    drainBlocking();
  return success;
}
API cuStreamBeginCapture_v2(Stream *stream, int mode) {
  GUARD;
  if (!stream || stream->capture || mode != 2)
    return captureUnsupported;
  stream->capture = std::make_unique<Graph>();
  return success;
}
API cuStreamEndCapture(Stream *stream, Graph **graph) {
  GUARD;
  if (!stream->capture)
    return captureUnsupported;
  *graph = stream->capture.release();
  return success;
}
API cuLaunchKernel(Function *function, unsigned gridX, unsigned gridY, unsigned gridZ,
                   unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared,
                   Stream *stream, void **parameters, void **extra) {
  GUARD;
  if (!gridX || !gridY || !gridZ || gridY > 65535 || gridZ > 65535 || blockX != 128 ||
      blockY != 1 || blockZ != 1 || int(shared) > function->dynamicShared || extra)
    return invalidValue;
  Args args;
  for (size_t i = 0; i < function->kernel->sizes.size(); ++i) {
    uint64_t slot = 0xa5a5a5a5a5a5a5a5; // what lies beyond the parameter is not looked at
    memcpy(&slot, parameters[i], function->kernel->sizes[i]);
    args.push_back(slot);
  }
  const Kernel *kernel = function->kernel;
  lastKernel = kernel->name;
  return enqueue(stream, kernel, [=] { kernel->run(args, {gridX, gridY, gridZ}); });
}

API cuGraphDestroy(Graph *graph) {
  GUARD;
  delete graph;
  return success;
}
API cuGraphInstantiateWithFlags(Graph **executable, Graph *graph, unsigned long long flags) {
  GUARD;
  *executable = new Graph(*graph);
  return flags == 0 ? success : invalidValue;
}
API cuGraphExecUpdate(Graph *executable, Graph *graph, void **, int *result) {
  GUARD;
  auto alike = [](const Node &a, const Node &b) { return a.what == b.what; };
  *result = !std::equal(executable->nodes.begin(), executable->nodes.end(), graph->nodes.begin(),
                        graph->nodes.end(), alike);
  if (*result != 0)
    return updateFailure;
  executable->nodes = graph->nodes;
  return success;
}
API cuGraphLaunch(Graph *executable, Stream *stream) {
  GUARD;
  // The work as it is now: a later update is for later launches.
  return enqueue(stream, "graph", [nodes = executable->nodes] {
    for (const Node &node : nodes)
      node.work();
  });
}
API cuGraphExecDestroy(Graph *executable) {
  GUARD;
  delete executable;
  return success;
}

API cuEventCreate(Event **event, unsigned) {
  GUARD;
  *event = new Event;
  return success;
}
API cuEventDestroy_v2(Event *event) {
  GUARD;
  if (event->stream)
    drain(event->stream, event->position); // its work refers to it
  delete event;
  return success;
}
API cuEventRecord(Event *event, Stream *stream) {
  GUARD;
  if (stream && stream->capture)
    return captureUnsupported;
  event->reached = false;
  event->stream = stream;
  Result result = enqueue(stream, "event", [event] {
    event->reached = true;
    event->time = std::chrono::steady_clock::now();
  });
  event->position = stream ? stream->enqueued : 0;
  return result;
}
API cuStreamWaitEvent(Stream *stream, Event *event, unsigned) {
  GUARD;
  Stream *other = event->stream;
  uint64_t position = event->position;
  return enqueue(stream, "wait", [=] {
    if (other)
      drain(other, position);
  });
}
API cuEventSynchronize(Event *event) {
  GUARD;
  if (event->stream)
    drain(event->stream, event->position);
  return success;
}
API cuEventElapsedTime(float *milliseconds, Event *begin, Event *end) {
  GUARD;
  if (!begin->reached || !end->reached)
    return notReady;
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - begin->time).count();
  return success;
}
