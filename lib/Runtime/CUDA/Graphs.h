// CUDA graphs of a session, one for each set of dims.
//
// The first run with some dims launches its kernels one by one: a model that meets new dims every
// time would never earn back the cost of a graph, and kernels that the driver loads on first use
// are loaded then. The second run captures a graph. Later runs replay it; where only arguments have
// changed (other addresses), the steps are captured again, which costs about as much as launching
// them, and the graph is updated in place. The graphs of the dims used last are kept.
#pragma once

#include "Runtime/CUDA/Driver.h"
#include "Runtime/Device.h"

#include <functional>
#include <list>

namespace teeny::rt::cuda {

class Graphs {
public:
  // Enqueues the body of a program on a stream.
  using Enqueue = std::function<Status(CUstream)>;

  explicit Graphs(const Driver &driver) : driver(driver) {}
  ~Graphs(); // the context must be current
  Graphs(const Graphs &) = delete;
  Graphs &operator=(const Graphs &) = delete;

  // A graph that does what the body of `program` does, or null if it should be launched directly.
  // The context must be current. The graph stays valid until the next call.
  Result<CUgraphExec> graph(const Program &program, const Enqueue &enqueue);

  const DeviceCounters &counters() const { return count; }

private:
  struct Entry {
    std::vector<int64_t> dims;
    CUgraphExec executable = nullptr; // null before the second run
    std::vector<Step> steps;          // what it was captured from
    std::vector<uint64_t> args;
  };
  Result<CUgraph> capture(const Enqueue &enqueue);
  Status build(Entry &entry, const Enqueue &enqueue);

  static constexpr size_t capacity = 16;
  const Driver &driver;
  CUstream captureStream = nullptr; // does nothing but capture
  std::list<Entry> entries;         // used last first
  DeviceCounters count;
};

} // namespace teeny::rt::cuda
