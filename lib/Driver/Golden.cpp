#include "Driver/Golden.h"

#include "Graph/IR/Graph.h"
#include "Tile/IR/Tile.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace teeny;

// Runs whose tensors have more bytes than this together are too slow for a second one.
static constexpr int64_t maxSecondBytes = int64_t(256) << 20;

//===-- Inputs ------------------------------------------------------------------------------===//

// The generator that tools/teeny-run/Numbers.h describes.
static HostTensor randomTensor(DType dtype, std::vector<int64_t> shape, uint64_t seed,
                               StringRef name) {
  uint64_t state = 0xcbf29ce484222325;
  for (unsigned char c : name)
    state = (state ^ c) * 0x100000001b3;
  state += seed;
  HostTensor tensor(dtype, std::move(shape));
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    uint64_t z = (state += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    z ^= z >> 31;
    if (isFloat(dtype))
      tensor.setReal(i, std::ldexp(double(z >> 40), -23) - 1);
    else
      tensor.setInteger(i, int64_t(dtype == DType::boolean ? z & 1 : z % 10));
  }
  return tensor;
}

// The shape at a sample; none where a size is negative or has no value.
static std::optional<std::vector<int64_t>> shapeAt(graph::GraphTensorType type,
                                                   const Expr::Lookup &lookup) {
  std::vector<int64_t> shape;
  for (graph::ExprAttr size : type.getShape()) {
    Result<int64_t> extent = size.getExpr().evaluate(lookup);
    if (!extent || *extent < 0)
      return std::nullopt;
    shape.push_back(*extent);
  }
  return shape;
}

// Of all values of the graph together; none where they do not fit.
static std::optional<int64_t> bytesAt(graph::GraphOp graph, const Expr::Lookup &lookup) {
  int64_t sum = 0;
  for (Operation &op : graph.getBlock())
    for (Value value : op.getResults()) {
      auto type = cast<graph::GraphTensorType>(value.getType());
      auto shape = shapeAt(type, lookup);
      auto bytes = shape ? tensorBytes(*graph::dtypeOf(type.getDtype()), *shape) : std::nullopt;
      if (!bytes || __builtin_add_overflow(sum, *bytes, &sum))
        return std::nullopt;
    }
  return sum;
}

//===-- Runs --------------------------------------------------------------------------------===//

static bool requireReferences(graph::GraphOp graph, const Sources &sources,
                              Diagnostics &diagnostics) {
  bool complete = true;
  for (auto call : graph.getBlock().getOps<graph::CallOp>())
    if (!findReference(std::string_view(call.getCallee()))) {
      complete = false;
      diagnostics
          .error(fromMLIR(call.getLoc(), sources),
                 "op '" + call.getCallee().str() +
                     "' has no reference, which golden runs need for every op")
          .suggest("compile without --golden; only ops that are shipped have references");
    }
  return complete;
}

bool GoldenRuns::compute(ModuleOp module, const Sources &sources, Diagnostics &diagnostics) {
  graph::GraphOp graph = *module.getOps<graph::GraphOp>().begin();
  if (!requireReferences(graph, sources, diagnostics))
    return false;
  std::vector<ManifestDim> dims;
  for (auto dim : graph.getDims().getAsRange<graph::DimAttr>())
    dims.push_back({dim.getName().str(), dim.getMin(), dim.getMax(), dim.getMultipleOf()});
  std::vector<DimSample> samples = sampleDims(dims, [&](const DimSample &sample) {
    // Nothing can be seen of empty tensors, where there are others.
    for (const auto &[dim, value] : llvm::zip_equal(dims, sample))
      if (value == 0 && dim.max >= dim.multipleOf)
        return false;
    Expr::Lookup lookup = lookupIn(dims, sample);
    return bytesAt(graph, lookup) &&
           llvm::all_of(graph.getBlock().getOps<graph::RequireOp>(), [&](graph::RequireOp op) {
             Result<int64_t> holds = op.getCondition().getExpr().evaluate(lookup);
             return holds && *holds != 0;
           });
  });
  auto fail = [&](const std::string &message) {
    diagnostics.error(fromMLIR(graph.getLoc(), sources), "no golden run: " + message);
    return false;
  };
  if (samples.empty())
    return fail("none of the sizes that were tried meets the requirements");

  std::vector<DimSample> chosen = {samples[0]};
  if (samples.size() > 2 && *bytesAt(graph, lookupIn(dims, samples[2])) <= maxSecondBytes)
    chosen.push_back(samples[2]);
  for (const DimSample &sample : chosen) {
    Run run;
    for (const auto &[dim, value] : llvm::zip_equal(dims, sample))
      run.dims[dim.name] = value;
    for (auto input : graph.getBlock().getOps<graph::InputOp>()) {
      auto type = cast<graph::GraphTensorType>(input.getResult().getType());
      run.inputs.emplace(input.getName().str(), randomTensor(*graph::dtypeOf(type.getDtype()),
                                                             *shapeAt(type, lookupIn(dims, sample)),
                                                             runs.size() + 1, input.getName()));
    }
    Result<NamedTensors> outputs = evaluateGraph(module, run.inputs);
    if (!outputs)
      return fail("at " + sampleText(dims, sample) + ": " + outputs.error().message);
    run.outputs = std::move(*outputs);
    runs.push_back(std::move(run));
  }
  for (Operation &op : graph.getBlock())
    for (Value value : op.getResults()) {
      DType dtype = *graph::dtypeOf(graph::tensorType(value).getDtype());
      if (isFloat(dtype)) // the enumeration goes from the most exact to the least
        coarsest = std::max(coarsest, dtype);
    }
  return true;
}

//===-- Bundles -----------------------------------------------------------------------------===//

// How far a result may be from the reference, as a part of the largest magnitude: some hundred
// roundings of the type, as sums of many terms have them. tf32 has 11 bits of f32's 24.
static double toleranceOf(DType coarsest, bool usesTf32) {
  switch (coarsest) {
  case DType::f64:
    return usesTf32 ? 1e-2 : 1e-12;
  case DType::f32:
    return usesTf32 ? 1e-2 : 1e-5;
  case DType::f16:
    return 1e-2;
  case DType::bf16:
    return 5e-2;
  default:
    return 0.25; // floats of 8 bits
  }
}

bool GoldenRuns::addTo(BundleWriter &writer, Manifest &manifest, ModuleOp module) const {
  bool usesTf32 = false;
  module.walk([&](tile::DotOp dot) { usesTf32 |= dot.getPrecision() == tile::DotPrecision::tf32; });
  const double relative = toleranceOf(coarsest, usesTf32);
  for (const Run &run : runs) {
    DimSample sample;
    for (const ManifestDim &dim : manifest.dims)
      sample.push_back(run.dims.at(dim.name));
    if (!meetsRequirements(manifest, sample))
      continue;
    const std::string folder = std::to_string(manifest.golden.size()) + "/";
    auto add = [&](const char *role, const std::string &name, const HostTensor &tensor) {
      return writer.addGolden(folder + role + "/" + name, tensor.dtype(), tensor.shape(),
                              tensor.bytes());
    };
    ManifestGolden golden;
    for (const ManifestTensor &input : manifest.inputs)
      golden.inputs.push_back(add("inputs", input.name, run.inputs.at(input.name)));
    for (const ManifestTensor &output : manifest.outputs)
      golden.outputs.push_back(
          {add("outputs", output.name, run.outputs.at(output.name)), 1e-30, relative});
    manifest.golden.push_back(std::move(golden));
  }
  return !manifest.golden.empty();
}
