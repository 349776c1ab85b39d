#include "Conversion/GraphToTile/GridLimits.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace teeny;

static constexpr std::array<int64_t, 3> limits = {INT32_MAX, 65535, 65535};

// "'B' may be 0 to 64 and 'N' 1 to 100": the dims that an expression depends on.
static std::string rangesText(graph::GraphOp graph, const Expr &expr) {
  std::vector<std::string> ranges;
  for (const std::string &name : expr.symbols()) {
    SymbolFacts facts = graph.factsOf(name);
    ranges.push_back("'" + name + "' may be " + std::to_string(facts.min) + " to " +
                     std::to_string(facts.max));
  }
  return listed(ranges, /*quoted=*/false);
}

bool teeny::checkGrid(graph::CallOp call, graph::KernelOp kernel, const Sources &sources,
                      Diagnostics &diagnostics, CheckedGrid &grid) {
  auto graph = call->getParentOfType<graph::GraphOp>();
  auto factsOf = [&](const std::string &name) { return graph.factsOf(name); };
  auto largest = [&](const std::string &name) -> std::optional<int64_t> {
    return graph.factsOf(name).max;
  };
  auto tooLarge = [&] {
    diagnostics.error(fromMLIR(kernel.getLoc(), sources), "an expression of the grid is too large")
        .note(fromMLIR(call.getLoc(), sources), "in this call");
    return false;
  };
  // What each run must satisfy; false if that is no expression any more.
  auto require = [&](const std::string &condition, const std::string &message) {
    Result<Expr> expr = Expr::parse(condition);
    if (expr)
      grid.requirements.emplace_back(*expr, message);
    return bool(expr);
  };
  const std::string node = call.getName().str();
  bool ok = true;
  for (auto [axis, declared] : llvm::enumerate(kernel.getGrid().getAsRange<graph::ExprAttr>())) {
    Expr size = call.resolve(declared.getExpr());
    if (size.tooLarge())
      return tooLarge();
    if (size.symbols().empty() && !size.constant()) {
      diagnostics
          .error(fromMLIR(kernel.getLoc(), sources),
                 std::string("axis ") + "xyz"[axis] +
                     " of the grid has no value: " + size.evaluate(largest).error().message)
          .note(fromMLIR(call.getLoc(), sources), "in this call");
      return false;
    }
    SymbolFacts facts = size.facts(factsOf);
    grid.sizes[axis] = size;
    grid.max[axis] = std::clamp<int64_t>(facts.max, 1, limits[axis]);

    const std::string axisText = std::string("axis ") + "xyz"[axis] + " of the grid";
    const std::string limit = std::to_string(limits[axis]);
    if (facts.max > limits[axis]) {
      // The bound may be wider than the truth; a size at the dims' upper ends is not.
      Result<int64_t> sample = size.evaluate(largest);
      bool exceeds = facts.min > limits[axis] || !sample || *sample > limits[axis];
      if (exceeds) {
        std::string found = sample ? std::to_string(*sample) : "over 2^63";
        Diagnostic &error = diagnostics.error(fromMLIR(kernel.getLoc(), sources),
                                              axisText + " may need " + found +
                                                  " programs, but devices launch at most " + limit);
        if (!size.constant())
          error.note(fromMLIR(call.getLoc(), sources), "in this call the size is " + size.str() +
                                                           ", where " + rangesText(graph, size));
        else
          error.note(fromMLIR(call.getLoc(), sources), "in this call");
        ok = false;
        continue;
      }
      if (!require("(" + size.str() + ") <= " + limit,
                   axisText + " of node '" + node + "' has at most " + limit + " programs"))
        return tooLarge();
    }
    if (facts.min < 0) {
      if (facts.max < 0) {
        diagnostics.error(fromMLIR(kernel.getLoc(), sources), axisText + " is negative")
            .note(fromMLIR(call.getLoc(), sources), "in this call the size is " + size.str());
        ok = false;
        continue;
      }
      if (!require("(" + size.str() + ") >= 0",
                   axisText + " of node '" + node + "' is not negative"))
        return tooLarge();
    }
  }
  return ok;
}
