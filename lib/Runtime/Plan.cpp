#include "Runtime/Plan.h"

#include "Runtime/Launches.h"

namespace teeny::rt {

static Status planShapes(const std::vector<ManifestTensor> &tensors, const char *what,
                         const DimValues &dims, std::vector<std::vector<int64_t>> &shapes) {
  for (const ManifestTensor &tensor : tensors) {
    Result<std::vector<int64_t>> shape = evaluateShape(tensor, dims);
    if (!shape)
      return shape.error().in(what);
    shapes.push_back(std::move(*shape));
  }
  return {};
}

Result<Plan> makePlan(const Manifest &manifest, const DimValues &dims) {
  Plan plan;
  plan.dims = dims.values();
  Status status = planShapes(manifest.inputs, "input", dims, plan.inputShapes);
  if (status)
    status = planShapes(manifest.outputs, "output", dims, plan.outputShapes);
  if (!status)
    return status.error();
  // The buffers of inputs and outputs have just the bytes of their tensors: the manifest is
  // checked.
  Result<BufferPlan> buffers = planBuffers(manifest, dims.lookup());
  if (!buffers)
    return buffers.error();
  plan.buffers = std::move(buffers->places);
  plan.arenaBytes = buffers->arenaBytes;
  plan.arenaAlign = buffers->arenaAlign;
  if (Status launches = planLaunches(manifest, dims, plan); !launches)
    return launches.error();
  return plan;
}

} // namespace teeny::rt
