// Runs a bundle on a device: binds tensors, solves dims, plans, places memory, and tells the device
// what to do. One thread at a time.
//
// A run has three layers, each redone only when what it depends on has changed:
//
//   dims        solved from the shapes of the bound inputs
//   Plan        follows from the dims; the plans of the dims used last are kept
//   Program     plan + addresses: of the arena, of what is bound, of what must be staged
//
// A bound tensor is used in place if the device reads its memory and it is aligned to 16 bytes.
// Otherwise its buffer lies in the staging area, and the program copies it. An input that overlaps
// an output in memory, or that a kernel writes to, is staged too: what the caller gave as input is
// never seen changing.
#pragma once

#include "Bundle/BundleFile.h"
#include "Runtime/Binding.h"
#include "Runtime/KernelLaunch.h"
#include "Runtime/Plan.h"

#include <list>
#include <memory>

namespace teeny::rt {

class Session {
public:
  // Chooses code for every kernel, loads it, and places the weights. `target`, if not empty, allows
  // only code of that target.
  static Result<std::unique_ptr<Session>> create(std::shared_ptr<const BundleFile> bundle,
                                                 std::unique_ptr<Device> device,
                                                 const std::string &target);
  ~Session();
  Session(const Session &) = delete;
  Session &operator=(const Session &) = delete;

  const Manifest &manifest() const { return bundle->manifest(); }
  const Device &device() const { return *executor; }

  // Indices into the manifest's inputs and outputs. Replaces, and so gives back, an earlier
  // binding.
  void bindInput(size_t index, Binding binding);
  void bindOutput(size_t index, std::optional<Binding> binding);

  Status prepare();
  Status run(const RunRequest &request);
  Status wait() { return executor->wait(); }

  // After prepare() or run().
  bool prepared() const { return current != nullptr && !changed; }
  const Plan &plan() const { return *current; }
  Place outputPlace(size_t index) const { return outputPlaces[index]; }
  // Launches one kernel with memory of the caller. Host memory is copied to the device and, where
  // the kernel writes, back; pieces that overlap share their copy. Outputs of the last run stay.
  Status launch(const KernelLaunch &launch, const RunRequest &request);

  // Waits for the last run. `data` has room for the bytes of the output.
  Status readOutput(size_t index, void *data);

  // What the last run did.
  bool ran() const { return lastRun.valid; }
  // Whether the last thing done was a launch by itself; the following then tell of it.
  bool launchedKernel() const { return lastKernel.has_value(); }
  struct LaunchRecord {
    std::optional<size_t> launch; // none: the kernel was launched by itself
    size_t kernel;
    const CodeObject *code;
    std::array<int32_t, 3> grid;
  };
  size_t launches() const;
  LaunchRecord launchRecord(size_t index) const; // index < launches()
  Result<RunTimes> times() { return executor->times(); }
  DeviceCounters counters() const { return executor->counters(); }
  size_t copiedIn() const { return lastKernel ? lastKernel->copiedIn : lastRun.copiedIn; }
  size_t copiedOut() const { return lastKernel ? lastKernel->copiedOut : lastRun.copiedOut; }
  size_t arenaBytes() const { return arena.bytes + staging.bytes + kernelStaging.bytes; }
  size_t paramBytes() const { return params.bytes; }

private:
  Session(std::shared_ptr<const BundleFile> bundle, std::unique_ptr<Device> device)
      : bundle(std::move(bundle)), executor(std::move(device)) {}

  // Memory of the device that only grows.
  struct Region {
    uint64_t allocation = 0, address = 0; // as the device gave it, and aligned
    size_t bytes = 0;                     // from the address on; 0: there is no memory
  };
  Status grow(Region &region, int64_t bytes, int64_t align, const char *what);

  Status loadCode(const std::string &target);
  Status placeParams();
  void waitQuietly();

  Status choosePlan();
  Status checkOutputs() const;
  bool usableInPlace(const Binding &binding) const;
  void placeBound(std::vector<bool> &placed);
  Status assignAddresses();
  void buildProgram();
  Place placeOf(size_t buffer) const;
  Status stageMemory(const KernelLaunch &launch, Program &program);

  std::shared_ptr<const BundleFile> bundle;
  std::unique_ptr<Device> executor;
  std::vector<const CodeObject *> code; // chosen, by kernel

  std::vector<std::optional<Binding>> inputs, outputs;
  bool changed = true; // bindings since the last prepare()
  std::list<Plan> plans;
  const Plan *current = nullptr;

  Region params, arena, staging, kernelStaging;
  std::vector<Place> paramPlaces; // by buffer
  std::vector<Place> roots;       // by buffer: where roots lie
  std::vector<bool> inputInPlace, outputInPlace;
  std::vector<Place> outputPlaces;
  Program program;

  struct {
    bool valid = false;
    size_t copiedIn = 0, copiedOut = 0;
  } lastRun;
  struct LastKernel {
    size_t kernel;
    std::array<int32_t, 3> grid;
    bool empty;
    size_t copiedIn = 0, copiedOut = 0;
  };
  std::optional<LastKernel> lastKernel; // launched by itself after the last run
};

} // namespace teeny::rt
