// Golden runs: inputs made up for a graph, at small sizes, and what the slow references compute of
// them. They go into the bundle, so that whoever gets it can see whether a device computes what is
// meant.
#pragma once

#include "Bundle/BundleFile.h"
#include "Driver/SampleDims.h"
#include "Graph/Reference/Evaluate.h"
#include "Support/Diagnostics.h"

namespace teeny {

class GoldenRuns {
public:
  // Of a module whose shapes are inferred and whose calls are still calls. False with errors
  // reported, where an op has no reference or no size can be computed.
  //
  // Run n has the values of `teeny-run --random n+1`: integers are from 0 to 9, so a graph whose
  // integers must be related to each other (offsets that ascend) gets runs that mean little. Its
  // dims are small: the least that are not 0, and for the second run some larger ones.
  bool compute(mlir::ModuleOp module, const Sources &sources, Diagnostics &diagnostics);

  // Adds the runs to a bundle and its manifest; the writer borrows their data. `module` is that of
  // the kernels, whose dots decide how exact f32 can be. Runs that the manifest's requirements
  // exclude are left out; false if that leaves none.
  bool addTo(BundleWriter &writer, Manifest &manifest, mlir::ModuleOp module) const;

private:
  struct Run {
    std::map<std::string, int64_t> dims;
    NamedTensors inputs, outputs;
  };
  std::vector<Run> runs;
  DType coarsest = DType::f64; // float type that a value of the graph has
};

} // namespace teeny
