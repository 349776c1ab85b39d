// Grids against what devices can launch: 2^31 - 1 programs along x, 65535 along y and z, none
// negative.
#pragma once

#include "Graph/IR/Graph.h"
#include "Support/Diagnostics.h"

#include <array>

namespace teeny {

struct CheckedGrid {
  std::array<Expr, 3> sizes = {Expr(1), Expr(1), Expr(1)};
  std::array<int64_t, 3> max = {1, 1, 1}; // by the declared ranges, at most the device's limit
  // What must hold in a run, with messages: what the ranges do not decide.
  std::vector<std::pair<Expr, std::string>> requirements;
};

// The grid of `kernel` in this call. False, with an error, where some sizes that the graph declares
// to be possible cannot be launched.
bool checkGrid(graph::CallOp call, graph::KernelOp kernel, const Sources &sources,
               Diagnostics &diagnostics, CheckedGrid &grid);

} // namespace teeny
