// A graph of one node that applies a shipped op: compiled, run on the CPU, and held against the
// op's slow reference.
#pragma once

#include "RunModel.h"

namespace teeny::test {

// Of the graph; `shape` as JSON.
struct OpInput {
  std::string name, dtype, shape;
};

class OpModel {
public:
  // `dims` and `attrs` as JSON. The node is "r". Params are inputs of the graph too, by the
  // declared names.
  OpModel(const std::string &op, const std::vector<OpInput> &inputs,
          const std::vector<std::string> &outputs, const std::string &dims,
          const std::string &attrs = "{}",
          const std::vector<std::pair<std::string, OpInput>> &params = {});

  // Runs both. NaN and infinities must be in the same places; every other element of an output must
  // be within `tolerance` of its largest magnitude. Gives what the compiled code computes.
  NamedTensors compare(const NamedTensors &inputs, double tolerance) const;

private:
  std::vector<std::string> outputs;
  Folder folder;
};

// Reproducible, about normal.
HostTensor randomTensor(std::vector<int64_t> shape, DType dtype = DType::f32);
// Reproducible, any values of an integer type.
HostTensor randomIntegers(std::vector<int64_t> shape, DType dtype);

DType typed(const std::string &name);

// Float types, and the roundings of results that are stored in them, with those of sums in f32.
inline const std::vector<std::pair<std::string, double>> floatTypes = {
    {"f32", 2e-6}, {"f16", 1e-3}, {"bf16", 8e-3}};

} // namespace teeny::test
