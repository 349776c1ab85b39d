// Where things lie: weights, the arena, the staging area, and what is used in place.
#include "Runtime/Session.h"

#include "Base/Checked.h"

#include <algorithm>

namespace teeny::rt {

// What the kernel ABI promises of an address.
static constexpr uint64_t addressAlign = 16;
// What Device::allocate does.
static constexpr int64_t deviceAlign = 256;

namespace {
// Parts one after another.
struct Layout {
  int64_t total = 0, align = 1;

  // The offset of a part; none if the sum does not fit.
  std::optional<int64_t> add(int64_t bytes, int64_t partAlign) {
    partAlign = std::max<int64_t>(partAlign, deviceAlign);
    std::optional<int64_t> begin = checkedAlign(total, partAlign);
    std::optional<int64_t> end = begin ? checkedAdd(*begin, bytes) : std::nullopt;
    if (!end)
      return std::nullopt;
    align = std::max(align, partAlign);
    total = *end;
    return begin;
  }
};
} // namespace

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
  Layout layout;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].kind != ManifestBuffer::Kind::param)
      continue;
    const std::span<const std::byte> data = bundle->weight(buffers[i]).data;
    uint64_t address = reinterpret_cast<uint64_t>(data.data());
    if (executor->usesHostMemory() && address % addressAlign == 0) {
      paramPlaces[i] = {address, true};
      continue;
    }
    std::optional<int64_t> offset = layout.add(data.size(), buffers[i].align);
    if (!offset)
      return Error{ErrorCode::outOfRange, "the params have too many bytes"};
    paramPlaces[i].address = *offset; // until the region has an address
    paramPlaces[i].host = executor->usesHostMemory();
    copies.push_back({i, data});
  }
  if (copies.empty())
    return {};
  if (Status status = grow(params, std::max<int64_t>(layout.total, 1), layout.align, "the params");
      !status)
    return status;
  for (auto &[buffer, data] : copies) {
    paramPlaces[buffer].address += params.address;
    if (Status status = executor->upload(paramPlaces[buffer].address, data); !status)
      return status.error().in("param '" + buffers[buffer].name + "'");
  }
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
    const Extent extent = extentOf(*outputs[i], current->bytesOf(declared));
    for (size_t j = 0; j < i; ++j)
      if (outputs[j] &&
          extent.overlaps(extentOf(*outputs[j], current->bytesOf(manifest().outputs[j]))))
        return Error{ErrorCode::invalid, "the outputs '" + manifest().outputs[j].name + "' and '" +
                                             declared.name + "' overlap in memory"};
  }
  return {};
}

// Whether kernels can use the caller's memory itself.
bool Session::usableInPlace(const Binding &binding) const {
  return binding.data.host == executor->usesHostMemory() &&
         binding.data.address % addressAlign == 0;
}

// Puts what can be used in place where the caller has it. Outputs first: an input that overlaps one
// must be staged.
void Session::placeBound(std::vector<bool> &placed) {
  const Manifest &model = manifest();
  outputInPlace.assign(outputs.size(), false);
  for (size_t i = 0; i < outputs.size(); ++i) {
    size_t buffer = model.outputs[i].buffer;
    if (!outputs[i] || placed[buffer] || !usableInPlace(*outputs[i]))
      continue;
    roots[buffer] = outputs[i]->data;
    placed[buffer] = outputInPlace[i] = true;
  }
  inputInPlace.assign(inputs.size(), false);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const size_t buffer = model.inputs[i].buffer;
    const Extent extent = extentOf(*inputs[i], current->bytesOf(model.inputs[i]));
    bool usable = usableInPlace(*inputs[i]);
    for (size_t j = 0; j < outputs.size(); ++j)
      if (outputInPlace[j] &&
          extent.overlaps(extentOf(*outputs[j], current->bytesOf(model.outputs[j]))))
        usable = false;
    if (!usable)
      continue;
    roots[buffer] = inputs[i]->data;
    placed[buffer] = inputInPlace[i] = true;
  }
}

// Gives every root an address. May enlarge the arena and the staging area.
Status Session::assignAddresses() {
  const Manifest &model = manifest();
  const bool host = executor->usesHostMemory();
  std::vector<bool> placed(model.buffers.size(), false);
  roots = paramPlaces;
  placeBound(placed);

  // The other inputs and outputs one after another in the staging area.
  std::vector<std::pair<size_t, int64_t>> staged;
  Layout layout;
  for (size_t i = 0; i < model.buffers.size(); ++i) {
    const ManifestBuffer &buffer = model.buffers[i];
    if (placed[i] || buffer.kind == ManifestBuffer::Kind::param ||
        buffer.kind == ManifestBuffer::Kind::temporary)
      continue;
    std::optional<int64_t> offset = layout.add(current->buffers[i].bytes, buffer.align);
    if (!offset)
      return Error{ErrorCode::outOfRange, "inputs and outputs have too many bytes"};
    staged.push_back({i, *offset});
  }
  if (Status status = grow(arena, current->arenaBytes, current->arenaAlign, "the temporary memory");
      !status)
    return status;
  if (Status status =
          grow(staging, layout.total, layout.align, "the memory for inputs and outputs");
      !status)
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

void Session::buildProgram() {
  program = {};
  program.dims = current->dims;
  lastRun.copiedIn = lastRun.copiedOut = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int64_t bytes = current->bytesOf(manifest().inputs[i]);
    if (inputInPlace[i] || bytes == 0)
      continue;
    program.before.push_back(
        copyStep(placeOf(manifest().inputs[i].buffer), inputs[i]->data, bytes));
    lastRun.copiedIn += bytes;
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
    const int64_t bytes = current->bytesOf(manifest().outputs[i]);
    if (!outputs[i] || outputInPlace[i] || bytes == 0)
      continue;
    program.after.push_back(copyStep(outputs[i]->data, computed, bytes));
    lastRun.copiedOut += bytes;
  }
}

} // namespace teeny::rt
