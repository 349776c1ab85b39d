// What can be proved about sizes of a graph from the ranges of its dims, and what is left for runs
// to check.
#pragma once

#include "Graph/IR/Graph.h"

namespace teeny::graph {

enum class Truth { no, maybe, yes };

// What each run must check, because it could not be decided when compiling.
struct Requirement {
  mlir::Location location;
  Expr condition;
  std::string message;
};

// Proofs over the dims of one graph.
class SizeProver {
public:
  explicit SizeProver(GraphOp graph) : graph(graph) {}

  SymbolFacts facts(const Expr &expr);
  Truth isTrue(const Expr &condition); // not 0
  Truth areEqual(const Expr &a, const Expr &b);
  Truth isNegative(const Expr &size);
  Truth isMultiple(const Expr &size, const Expr &of);

private:
  GraphOp graph;
};

// "a == b", "a >= b", "a % b == 0" as expressions.
Expr equalTo(const Expr &a, const Expr &b);
Expr atLeast(const Expr &a, const Expr &b);
Expr isMultipleOf(const Expr &a, const Expr &b);

} // namespace teeny::graph
