#include "Runtime/CUDA/Graphs.h"

#include <algorithm>

namespace teeny::rt::cuda {

Graphs::~Graphs() {
  for (Entry &entry : entries)
    if (entry.executable)
      driver.graphExecDestroy(entry.executable);
  if (captureStream)
    driver.streamDestroy(captureStream);
}

static bool sameStep(const Step &a, const Step &b) {
  return a.kind == b.kind && a.to.address == b.to.address && a.from.address == b.from.address &&
         a.bytes == b.bytes && a.launch == b.launch && a.kernel == b.kernel && a.grid == b.grid &&
         a.firstArg == b.firstArg && a.argCount == b.argCount;
}

Result<CUgraph> Graphs::capture(const Enqueue &enqueue) {
  if (!captureStream) {
    // A stream of its own, so that neither the caller's stream nor the legacy one is disturbed.
    Status created = driver.check(driver.streamCreate(&captureStream, streamNonBlocking),
                                  "cannot create a stream");
    if (!created)
      return created.error();
  }
  // Relaxed: other threads may allocate, and the driver may load code, during the capture.
  Status begun = driver.check(driver.streamBeginCapture(captureStream, captureModeRelaxed),
                              "cannot capture a graph");
  if (!begun)
    return begun.error();
  Status enqueued = enqueue(captureStream);
  CUgraph graph = nullptr;
  CUresult ended = driver.streamEndCapture(captureStream, &graph);
  if (!enqueued) {
    if (graph)
      driver.graphDestroy(graph);
    return enqueued.error();
  }
  if (Status status = driver.check(ended, "cannot capture a graph"); !status)
    return status.error();
  return graph;
}

Status Graphs::build(Entry &entry, const Enqueue &enqueue) {
  Result<CUgraph> graph = capture(enqueue);
  if (!graph)
    return graph.error();
  Status status;
  bool updated = false;
  if (entry.executable) {
    CUgraphNode node = nullptr;
    int outcome = 0;
    updated = driver.graphExecUpdate(entry.executable, *graph, &node, &outcome) == success &&
              outcome == graphExecUpdateSuccess;
    if (updated) {
      ++count.graphUpdates;
    } else { // the driver may refuse to update some nodes
      driver.graphExecDestroy(entry.executable);
      entry.executable = nullptr;
    }
  }
  if (!updated) {
    status = driver.check(driver.graphInstantiateWithFlags(&entry.executable, *graph, 0),
                          "cannot instantiate a graph");
    if (status)
      ++count.graphsMade;
    else
      entry.executable = nullptr;
  }
  driver.graphDestroy(*graph);
  return status;
}

Result<CUgraphExec> Graphs::graph(const Program &program, const Enqueue &enqueue) {
  auto found = std::find_if(entries.begin(), entries.end(),
                            [&](const Entry &entry) { return entry.dims == program.dims; });
  if (found == entries.end()) {
    if (entries.size() == capacity) {
      if (entries.back().executable)
        driver.graphExecDestroy(entries.back().executable);
      entries.pop_back();
    }
    entries.emplace_front().dims = program.dims;
    return CUgraphExec(nullptr);
  }
  entries.splice(entries.begin(), entries, found);
  Entry &entry = entries.front();
  if (entry.executable && entry.args == program.args &&
      std::equal(entry.steps.begin(), entry.steps.end(), program.body.begin(), program.body.end(),
                 sameStep))
    return entry.executable;

  entry.steps.clear(); // a failure must not leave the old description with another graph
  entry.args.clear();
  if (Status built = build(entry, enqueue); !built)
    return built.error();
  entry.steps = program.body;
  entry.args = program.args;
  return entry.executable;
}

} // namespace teeny::rt::cuda
