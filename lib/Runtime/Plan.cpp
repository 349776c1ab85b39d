#include "Runtime/Plan.h"

#include "Runtime/Launches.h"

namespace teeny {

// Evaluates shapes, and checks that a tensor fits into its buffer: copies rely on it.
static Status planTensors(const std::vector<ManifestTensor> &tensors, const char *what,
                          const DimValues &dims, const Plan &plan,
                          std::vector<std::vector<int64_t>> &shapes, std::vector<int64_t> &bytes) {
  for (const ManifestTensor &tensor : tensors) {
    Result<std::vector<int64_t>> shape = evaluateShape(tensor, dims);
    if (!shape)
      return shape.error().in(what);
    const std::string where = std::string(what) + " '" + tensor.name + "'";
    Result<int64_t> size = bytesOf(tensor.dtype, *shape);
    if (!size)
      return size.error().in(where);
    int64_t room = plan.buffers[tensor.buffer].bytes;
    if (*size > room)
      return Error{ErrorCode::invalid, where + " has " + std::to_string(*size) +
                                           " bytes, but its buffer only " + std::to_string(room)};
    shapes.push_back(std::move(*shape));
    bytes.push_back(*size);
  }
  return {};
}

Result<Plan> makePlan(const Manifest &manifest, const DimValues &dims) {
  Result<BufferPlan> buffers = planBuffers(manifest, dims.lookup());
  if (!buffers)
    return buffers.error();
  Plan plan;
  plan.dims = dims.values();
  plan.buffers = std::move(buffers->places);
  plan.arenaBytes = buffers->arenaBytes;
  plan.arenaAlign = buffers->arenaAlign;
  if (Status status =
          planTensors(manifest.inputs, "input", dims, plan, plan.inputShapes, plan.inputBytes);
      !status)
    return status.error();
  if (Status status =
          planTensors(manifest.outputs, "output", dims, plan, plan.outputShapes, plan.outputBytes);
      !status)
    return status.error();
  if (Status status = planLaunches(manifest, dims, plan); !status)
    return status.error();
  return plan;
}

} // namespace teeny
