#include "Runtime/Session.h"

#include "Base/Checked.h"
#include "Base/Sha256.h"
#include "Runtime/Code.h"

#include <algorithm>
#include <cstring>

namespace teeny {

// What the kernel ABI promises of an address.
static constexpr uint64_t addressAlign = 16;
// What Device::allocate does.
static constexpr int64_t deviceAlign = 256;
static constexpr size_t plansKept = 16;

Result<std::unique_ptr<Session>> Session::create(std::shared_ptr<const BundleFile> bundle,
                                                 std::unique_ptr<Device> device,
                                                 const std::string &target) {
  std::unique_ptr<Session> session(new Session(std::move(bundle), std::move(device)));
  session->inputs.resize(session->manifest().inputs.size());
  session->outputs.resize(session->manifest().outputs.size());
  session->findWrittenRoots();
  if (Status status = session->loadCode(target); !status)
    return status.error();
  if (Status status = session->placeParams(); !status)
    return status.error();
  return session;
}

Session::~Session() {
  waitQuietly(); // before anything bound is given back
  for (Region *region : {&params, &arena, &staging})
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

static size_t rootOf(const Manifest &manifest, size_t buffer) {
  while (manifest.buffers[buffer].aliasOf)
    buffer = *manifest.buffers[buffer].aliasOf;
  return buffer;
}

void Session::findWrittenRoots() {
  writtenRoot.assign(manifest().buffers.size(), false);
  for (const ManifestLaunch &launch : manifest().launches)
    for (const LaunchVariant &variant : launch.variants)
      for (size_t i = 0; i < variant.args.size(); ++i)
        if (variant.args[i].kind == LaunchArg::Kind::buffer &&
            manifest().kernels[variant.kernel].params[i].written)
          writtenRoot[rootOf(manifest(), variant.args[i].buffer)] = true;
}

Status Session::grow(Region &region, int64_t bytes, int64_t align, const char *what) {
  const uint64_t mask = align - 1;
  if (static_cast<size_t>(bytes) <= region.bytes && (region.address & mask) == 0)
    return {};
  if (region.bytes != 0)
    executor->release(region.allocation);
  region = {};
  int64_t slack = align > deviceAlign ? align : 0;
  std::optional<int64_t> needed = checkedAdd(bytes, slack);
  if (!needed)
    return Error{ErrorCode::outOfRange, std::string(what) + " has too many bytes"};
  Result<uint64_t> allocation = executor->allocate(*needed);
  if (!allocation)
    return allocation.error().in(what);
  region = {*allocation, (*allocation + mask) & ~mask, static_cast<size_t>(bytes)};
  return {};
}

// Weights stay in the bundle's memory where the device can read it there, else they are copied,
// once.
Status Session::placeParams() {
  const std::vector<ManifestBuffer> &buffers = manifest().buffers;
  paramPlaces.assign(buffers.size(), {});
  std::vector<std::pair<size_t, std::span<const std::byte>>> copies;
  int64_t total = 0, align = 1;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].kind != ManifestBuffer::Kind::param || buffers[i].aliasOf)
      continue;
    const std::span<const std::byte> data = bundle->weight(buffers[i]).data;
    if (writtenRoot[i])
      return Error{ErrorCode::invalid, "a launch writes to the param '" + buffers[i].name + "'"};
    uint64_t address = reinterpret_cast<uint64_t>(data.data());
    if (executor->usesHostMemory() && address % addressAlign == 0) {
      paramPlaces[i] = {address, true};
      continue;
    }
    std::optional<int64_t> begin = checkedAlign(total, std::max<int64_t>(buffers[i].align, 256));
    std::optional<int64_t> end;
    if (begin)
      end = checkedAdd(*begin, static_cast<int64_t>(data.size()));
    if (!end)
      return Error{ErrorCode::outOfRange, "the params have too many bytes"};
    paramPlaces[i].address = *begin; // until the region has an address
    paramPlaces[i].host = executor->usesHostMemory();
    copies.push_back({i, data});
    align = std::max(align, buffers[i].align);
    total = *end;
  }
  if (copies.empty())
    return {};
  if (Status status = grow(params, std::max<int64_t>(total, 1), align, "the params"); !status)
    return status;
  for (auto &[buffer, data] : copies) {
    paramPlaces[buffer].address += params.address;
    if (Status status = executor->upload(paramPlaces[buffer].address, data); !status)
      return status.error().in("param '" + buffers[buffer].name + "'");
  }
  return {};
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

namespace {
struct Extent {
  uint64_t begin = 0, end = 0;
  bool overlaps(const Extent &other) const { return begin < other.end && other.begin < end; }
};
} // namespace

static Extent extentOf(const Binding &binding, int64_t bytes) {
  return {binding.data.address, binding.data.address + static_cast<uint64_t>(bytes)};
}

Status Session::checkOutputs() const {
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i])
      continue;
    const ManifestTensor &declared = manifest().outputs[i];
    const std::vector<int64_t> &expected = current->outputShapes[i];
    for (size_t axis = 0; axis < expected.size(); ++axis)
      if (outputs[i]->shape[axis] != expected[axis])
        return Error{ErrorCode::invalid, "output '" + declared.name + "' axis " +
                                             std::to_string(axis) + ": the size is " +
                                             std::to_string(outputs[i]->shape[axis]) +
                                             ", expected " + declared.shape[axis].str() + " = " +
                                             std::to_string(expected[axis])};
    for (size_t j = 0; j < i; ++j)
      if (outputs[j] && extentOf(*outputs[i], current->outputBytes[i])
                            .overlaps(extentOf(*outputs[j], current->outputBytes[j])))
        return Error{ErrorCode::invalid, "the outputs '" + manifest().outputs[j].name + "' and '" +
                                             declared.name + "' overlap in memory"};
  }
  return {};
}

// Whether a root buffer can be the caller's memory: the device reads it, it is aligned, and it is
// as large as the buffer.
bool Session::usableInPlace(const Binding &binding, size_t buffer, int64_t tensorBytes) const {
  return binding.data.host == executor->usesHostMemory() &&
         binding.data.address % addressAlign == 0 && !manifest().buffers[buffer].aliasOf &&
         current->buffers[buffer].bytes <= tensorBytes;
}

// Gives every root an address. Called with a plan; may enlarge the arena and the staging area.
Status Session::assignAddresses() {
  const Manifest &model = manifest();
  const bool host = executor->usesHostMemory();
  std::vector<bool> placed(model.buffers.size(), false);
  roots = paramPlaces;

  outputInPlace.assign(outputs.size(), false);
  for (size_t i = 0; i < outputs.size(); ++i) {
    size_t buffer = model.outputs[i].buffer;
    if (!outputs[i] || placed[buffer] ||
        model.buffers[buffer].kind != ManifestBuffer::Kind::output ||
        !usableInPlace(*outputs[i], buffer, current->outputBytes[i]))
      continue;
    roots[buffer] = outputs[i]->data;
    placed[buffer] = outputInPlace[i] = true;
  }

  inputInPlace.assign(inputs.size(), false);
  for (size_t i = 0; i < inputs.size(); ++i) {
    size_t buffer = model.inputs[i].buffer;
    if (placed[buffer] || model.buffers[buffer].kind != ManifestBuffer::Kind::input ||
        writtenRoot[buffer] || !usableInPlace(*inputs[i], buffer, current->inputBytes[i]))
      continue;
    bool overlaps = false;
    for (size_t j = 0; j < outputs.size(); ++j)
      overlaps |= outputInPlace[j] && extentOf(*inputs[i], current->inputBytes[i])
                                          .overlaps(extentOf(*outputs[j], current->outputBytes[j]));
    if (overlaps)
      continue;
    roots[buffer] = inputs[i]->data;
    placed[buffer] = inputInPlace[i] = true;
  }

  // The other inputs and outputs one after another in the staging area.
  std::vector<std::pair<size_t, int64_t>> staged;
  int64_t total = 0, align = 1;
  for (size_t i = 0; i < model.buffers.size(); ++i) {
    const ManifestBuffer &buffer = model.buffers[i];
    if (buffer.aliasOf || placed[i] ||
        (buffer.kind != ManifestBuffer::Kind::input && buffer.kind != ManifestBuffer::Kind::output))
      continue;
    std::optional<int64_t> begin = checkedAlign(total, std::max<int64_t>(buffer.align, 256));
    std::optional<int64_t> end;
    if (begin)
      end = checkedAdd(*begin, current->buffers[i].bytes);
    if (!end)
      return Error{ErrorCode::outOfRange, "inputs and outputs have too many bytes"};
    staged.push_back({i, *begin});
    align = std::max(align, buffer.align);
    total = *end;
  }
  if (Status status = grow(arena, current->arenaBytes, current->arenaAlign, "the temporary memory");
      !status)
    return status;
  if (Status status = grow(staging, total, align, "the memory for inputs and outputs"); !status)
    return status;
  for (auto [buffer, offset] : staged)
    roots[buffer] = {staging.address + offset, host};
  for (size_t i = 0; i < model.buffers.size(); ++i)
    if (model.buffers[i].kind == ManifestBuffer::Kind::temporary && !model.buffers[i].aliasOf)
      roots[i] = {arena.address + current->buffers[i].arenaOffset, host};
  return {};
}

Place Session::placeOf(size_t buffer) const {
  const BufferPlace &planned = current->buffers[buffer];
  return {roots[planned.root].address + planned.offset, roots[planned.root].host};
}

static Step copyStep(Place to, Place from, int64_t bytes) {
  Step step;
  step.kind = Step::Kind::copy;
  step.to = to;
  step.from = from;
  step.bytes = bytes;
  return step;
}

void Session::buildProgram() {
  program = {};
  program.dims = current->dims;
  lastRun.copiedIn = lastRun.copiedOut = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputInPlace[i] || current->inputBytes[i] == 0)
      continue;
    program.before.push_back(
        copyStep(placeOf(manifest().inputs[i].buffer), inputs[i]->data, current->inputBytes[i]));
    lastRun.copiedIn += current->inputBytes[i];
  }
  for (const PlannedArg &arg : current->args)
    program.args.push_back(arg.root ? roots[*arg.root].address + arg.value : arg.value);
  for (const PlannedStep &planned : current->steps) {
    Step step;
    if (planned.zero) {
      step.kind = Step::Kind::zero;
      step.to = {roots[planned.root].address + planned.offset, roots[planned.root].host};
      step.bytes = planned.bytes;
    } else {
      step.launch = planned.launch;
      step.kernel = planned.kernel;
      step.grid = planned.grid;
      step.firstArg = planned.firstArg;
      step.argCount = planned.argCount;
    }
    program.body.push_back(step);
  }
  outputPlaces.assign(outputs.size(), {});
  for (size_t i = 0; i < outputs.size(); ++i) {
    Place computed = placeOf(manifest().outputs[i].buffer);
    outputPlaces[i] = outputs[i] ? outputs[i]->data : computed;
    if (!outputs[i] || outputInPlace[i] || current->outputBytes[i] == 0)
      continue;
    program.after.push_back(copyStep(outputs[i]->data, computed, current->outputBytes[i]));
    lastRun.copiedOut += current->outputBytes[i];
  }
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
  if (Status status = prepare(); !status)
    return status;
  if (Status status = executor->run(program, request); !status)
    return status;
  lastRun.valid = true;
  return {};
}

Status Session::readOutput(size_t index, void *data) {
  const size_t bytes = current->outputBytes[index];
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

Session::LaunchRecord Session::launchRecord(size_t index) const {
  for (const PlannedStep &step : current->steps)
    if (!step.zero && index-- == 0)
      return {step.launch, step.kernel, code[step.kernel], step.grid};
  assert(false && "no such launch");
  return {};
}

} // namespace teeny
