#include "Runtime/Launches.h"

#include "Base/Checked.h"
#include "Runtime/KernelLaunch.h"

namespace teeny::rt {

namespace {

class LaunchPlanner {
public:
  LaunchPlanner(const Manifest &manifest, const DimValues &dims, Plan &plan)
      : manifest(manifest), lookup(dims.lookup()), plan(plan) {}

  Status add(size_t index);

private:
  Result<const LaunchVariant *> choose(const ManifestLaunch &launch) const;
  Status addGrid(const LaunchVariant &variant, PlannedStep &step, bool &empty) const;
  Result<PlannedArg> argument(const LaunchArg &arg, const KernelParam &param) const;
  Result<PlannedArg> address(const LaunchArg &arg) const;
  void addFills(size_t index);

  const Manifest &manifest;
  const Expr::Lookup lookup;
  Plan &plan;
};

} // namespace

Result<const LaunchVariant *> LaunchPlanner::choose(const ManifestLaunch &launch) const {
  for (const LaunchVariant &variant : launch.variants) {
    Result<int64_t> holds = variant.guard.evaluate(lookup);
    if (!holds)
      return holds.error().in("guard '" + variant.guard.str() + "'");
    if (*holds != 0)
      return &variant;
  }
  return Error{ErrorCode::invalid, "no variant is for these dims"};
}

Status LaunchPlanner::addGrid(const LaunchVariant &variant, PlannedStep &step, bool &empty) const {
  std::array<int64_t, 3> grid;
  empty = false;
  for (int axis = 0; axis < 3; ++axis) {
    const std::string where = "grid[" + std::to_string(axis) + "]";
    Result<int64_t> size = variant.grid[axis].evaluate(lookup);
    if (!size)
      return size.error().in(where);
    if (*size < 0 || *size > INT32_MAX)
      return Error{ErrorCode::outOfRange, where + " is " + variant.grid[axis].str() + " = " +
                                              std::to_string(*size) + ", outside 0 to " +
                                              std::to_string(INT32_MAX)};
    grid[axis] = *size;
    empty |= *size == 0;
    step.grid[axis] = static_cast<int32_t>(*size);
  }
  if (!checkedProduct(grid))
    return Error{ErrorCode::outOfRange, "the grid has too many programs"};
  return {};
}

Result<PlannedArg> LaunchPlanner::address(const LaunchArg &arg) const {
  Result<int64_t> offset = arg.value.evaluate(lookup);
  if (!offset)
    return offset.error();
  const BufferPlace &buffer = plan.buffers[arg.buffer];
  if (*offset < 0 || *offset > buffer.bytes)
    return Error{ErrorCode::outOfRange, "the offset " + arg.value.str() + " = " +
                                            std::to_string(*offset) + " is outside the buffer '" +
                                            manifest.buffers[arg.buffer].name + "' of " +
                                            std::to_string(buffer.bytes) + " bytes"};
  return PlannedArg{buffer.root, static_cast<uint64_t>(buffer.offset + *offset)};
}

// The range of an integer parameter.
static std::pair<int64_t, int64_t> rangeOf(KernelParam::Kind kind) {
  switch (kind) {
  case KernelParam::Kind::i1:
    return {0, 1};
  case KernelParam::Kind::i8:
    return {INT8_MIN, INT8_MAX};
  case KernelParam::Kind::i16:
    return {INT16_MIN, INT16_MAX};
  case KernelParam::Kind::i32:
    return {INT32_MIN, INT32_MAX};
  default:
    return {INT64_MIN, INT64_MAX};
  }
}

Result<PlannedArg> LaunchPlanner::argument(const LaunchArg &arg, const KernelParam &param) const {
  switch (arg.kind) {
  case LaunchArg::Kind::buffer:
    return address(arg);
  case LaunchArg::Kind::real:
    return PlannedArg{{}, floatSlot(arg.real, param.kind)};
  case LaunchArg::Kind::integer:
    break;
  }
  Result<int64_t> value = arg.value.evaluate(lookup);
  if (!value)
    return value.error();
  auto [least, most] = rangeOf(param.kind);
  if (*value < least || *value > most)
    return Error{ErrorCode::outOfRange, arg.value.str() + " = " + std::to_string(*value) +
                                            " is outside " + std::to_string(least) + " to " +
                                            std::to_string(most)};
  return PlannedArg{{}, static_cast<uint64_t>(*value)};
}

// The buffers that must be zero before this launch.
void LaunchPlanner::addFills(size_t index) {
  for (size_t i = 0; i < manifest.buffers.size(); ++i) {
    const ManifestBuffer &buffer = manifest.buffers[i];
    if (!buffer.zeroed || buffer.firstLaunch != static_cast<int64_t>(index) ||
        plan.buffers[i].bytes == 0)
      continue;
    PlannedStep fill;
    fill.zero = true;
    fill.root = plan.buffers[i].root;
    fill.offset = plan.buffers[i].offset;
    fill.bytes = plan.buffers[i].bytes;
    plan.steps.push_back(fill);
  }
}

Status LaunchPlanner::add(size_t index) {
  const ManifestLaunch &launch = manifest.launches[index];
  addFills(index);
  Result<const LaunchVariant *> variant = choose(launch);
  if (!variant)
    return variant.error();
  PlannedStep step;
  bool empty;
  if (Status status = addGrid(**variant, step, empty); !status)
    return status;
  if (empty)
    return {};
  step.launch = index;
  step.kernel = (*variant)->kernel;
  step.firstArg = plan.args.size();
  step.argCount = (*variant)->args.size();
  const ManifestKernel &kernel = manifest.kernels[step.kernel];
  for (size_t i = 0; i < step.argCount; ++i) {
    Result<PlannedArg> arg = argument((*variant)->args[i], kernel.params[i]);
    if (!arg)
      return arg.error().in("argument '" + kernel.params[i].name + "'");
    plan.args.push_back(*arg);
  }
  plan.steps.push_back(step);
  ++plan.launches;
  return {};
}

Status planLaunches(const Manifest &manifest, const DimValues &dims, Plan &plan) {
  LaunchPlanner planner(manifest, dims, plan);
  for (size_t i = 0; i < manifest.launches.size(); ++i)
    if (Status status = planner.add(i); !status)
      return status.error().in("launch '" + manifest.launches[i].name + "'");
  return {};
}

} // namespace teeny::rt
