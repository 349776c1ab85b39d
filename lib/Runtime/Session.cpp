#include "Runtime/Session.h"

#include "Base/Sha256.h"
#include "Runtime/Code.h"

#include <algorithm>
#include <cstring>

namespace teeny::rt {

static constexpr size_t plansKept = 16;

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const BundleFile> bundle,
                                                 std::unique_ptr<Device> device,
                                                 const std::string &target) {
  std::unique_ptr<Session> session(new Session(std::move(bundle), std::move(device)));
  session->inputs.resize(session->manifest().inputs.size());
  session->outputs.resize(session->manifest().outputs.size());
  if (Status status = session->loadCode(target); !status)
    return status.error();
  if (Status status = session->placeParams(); !status)
    return status.error();
  return session;
}

Session::~Session() {
  waitQuietly(); // before anything bound is given back
  for (Region *region : {&params, &arena, &staging, &kernelStaging})
    if (region->bytes != 0)
      executor->release(region->allocation);
}

Status Session::loadCode(const std::string &target) {
  Result<std::vector<const CodeObject *>> chosen = chooseCode(manifest(), *executor, target);
  if (!chosen)
    return chosen.error();
  code = *chosen;
  std::vector<ChosenCode> kernels;
  for (size_t i = 0; i < code.size(); ++i) {
    const std::span<const std::byte> bytes = bundle->code(*code[i]);
    if (sha256Hex(bytes) != code[i]->sha256)
      return Error{ErrorCode::invalid,
                   "the code '" + code[i]->tensor + "' does not have the hash of the manifest"};
    kernels.push_back({&manifest().kernels[i], code[i], bytes});
  }
  return executor->load(kernels);
}

// For the end of bindings: a failure of the last run does not concern them.
void Session::waitQuietly() { (void)executor->wait(); }

void Session::bindInput(size_t index, Binding binding) {
  if (inputs[index] && inputs[index]->owned)
    waitQuietly();
  inputs[index] = std::move(binding);
  changed = true;
  lastRun.valid = false;
}

void Session::bindOutput(size_t index, std::optional<Binding> binding) {
  if (outputs[index] && outputs[index]->owned)
    waitQuietly();
  outputs[index] = std::move(binding);
  changed = true;
  lastRun.valid = false;
}

Status Session::choosePlan() {
  std::vector<std::vector<int64_t>> shapes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i])
      return Error{ErrorCode::invalid, "input '" + manifest().inputs[i].name + "' is not bound"};
    shapes.push_back(inputs[i]->shape);
  }
  Result<DimValues> dims = solveDims(manifest(), shapes);
  if (!dims)
    return dims.error();
  const std::vector<int64_t> values = dims->values();
  auto found = std::find_if(plans.begin(), plans.end(),
                            [&](const Plan &plan) { return plan.dims == values; });
  if (found != plans.end()) {
    plans.splice(plans.begin(), plans, found);
  } else {
    Result<Plan> made = makePlan(manifest(), *dims);
    if (!made)
      return made.error();
    if (plans.size() == plansKept)
      plans.pop_back();
    plans.push_front(std::move(*made));
  }
  current = &plans.front();
  return {};
}

Status Session::prepare() {
  if (prepared())
    return {};
  current = nullptr;
  Status status = choosePlan();
  if (status)
    status = checkOutputs();
  if (status)
    status = assignAddresses();
  if (!status) {
    current = nullptr;
    return status;
  }
  buildProgram();
  changed = false;
  return {};
}

Status Session::run(const RunRequest &request) {
  lastRun.valid = false;
  lastKernel.reset();
  if (Status status = prepare(); !status)
    return status;
  if (Status status = executor->run(program, request); !status)
    return status;
  lastRun.valid = true;
  return {};
}

Status Session::readOutput(size_t index, void *data) {
  const size_t bytes = current->bytesOf(manifest().outputs[index]);
  if (bytes == 0)
    return {};
  Place place = outputPlaces[index];
  if (!place.host || executor->usesHostMemory())
    return executor->download(data, place.address, bytes);
  if (Status status = executor->wait(); !status)
    return status;
  memcpy(data, reinterpret_cast<const void *>(place.address), bytes);
  return {};
}

size_t Session::launches() const {
  return lastKernel ? (lastKernel->empty ? 0 : 1) : current->launches;
}

Session::LaunchRecord Session::launchRecord(size_t index) const {
  if (lastKernel)
    return {std::nullopt, lastKernel->kernel, code[lastKernel->kernel], lastKernel->grid};
  for (const PlannedStep &step : current->steps)
    if (!step.zero && index-- == 0)
      return {step.launch, step.kernel, code[step.kernel], step.grid};
  assert(false && "no such launch");
  return {};
}

} // namespace teeny::rt
