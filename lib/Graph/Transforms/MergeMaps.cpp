// Chains of maps become one map. Passes.td says when; tested by test/Graph/merge-maps.mlir.
#include "Graph/IR/Graph.h"
#include "Graph/Transforms/Passes.h"

#include "mlir/IR/IRMapping.h"

namespace teeny::graph {
#define GEN_PASS_DEF_GRAPHMERGEMAPS
#include "Graph/Transforms/Passes.h.inc"
} // namespace teeny::graph

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

namespace {

// No kernel needs to do more at a point, and each merge copies what both do; parameters of a kernel
// have limits of their own.
constexpr int64_t maxOperations = 256, maxOperands = 64;

int64_t operationsOf(MapOp map) { return llvm::range_size(map.getBlock().getOperations()); }

// The map that makes the operand, if nothing else reads it and it has the same points as its
// reader.
MapOp mergeable(MapOp reader, Value operand) {
  auto maker = operand.getDefiningOp<MapOp>();
  bool isRead =
      maker && llvm::all_of(operand.getUsers(), [&](Operation *user) { return user == reader; });
  if (!isRead || tensorType(operand).getShape() != tensorType(reader.getResult()).getShape())
    return {};
  bool isSmall = operationsOf(maker) + operationsOf(reader) <= maxOperations &&
                 int64_t(maker.getNumOperands() + reader.getNumOperands()) <= maxOperands;
  return isSmall ? maker : MapOp();
}

// Both as one map, in place of the reader.
MapOp merge(MapOp maker, MapOp reader) {
  SmallVector<Value> operands;
  Region region;
  Block &block = region.emplaceBlock();
  IRMapping mapping;
  // Equal operands are one.
  auto bind = [&](MapOp map) {
    for (auto [operand, argument] :
         llvm::zip_equal(map.getOperands(), map.getBlock().getArguments())) {
      if (operand == maker.getResult())
        continue; // bound to what the maker yields
      auto known = llvm::find(operands, operand);
      size_t index = known - operands.begin();
      if (known == operands.end()) {
        operands.push_back(operand);
        block.addArgument(argument.getType(), argument.getLoc());
      }
      mapping.map(argument, block.getArgument(index));
    }
  };
  OpBuilder inner(reader.getContext());
  inner.setInsertionPointToEnd(&block);
  bind(maker);
  bind(reader);
  for (Operation &op : maker.getBlock().without_terminator())
    inner.clone(op, mapping);
  Value made = mapping.lookup(cast<YieldOp>(maker.getBlock().getTerminator()).getValue());
  for (auto [operand, argument] :
       llvm::zip_equal(reader.getOperands(), reader.getBlock().getArguments()))
    if (operand == maker.getResult())
      mapping.map(argument, made);
  for (Operation &op : reader.getBlock())
    inner.clone(op, mapping);

  OpBuilder outer(reader);
  auto merged = MapOp::create(outer, reader.getLoc(), reader.getType(), reader.getName(), operands);
  merged.getBody().takeBody(region);
  reader.replaceAllUsesWith(merged.getResult());
  reader.erase();
  maker.erase();
  return merged;
}

struct MergeMaps final : graph::impl::GraphMergeMapsBase<MergeMaps> {
  void runOnOperation() override {
    getOperation().walk([](GraphOp graph) {
      // Makers come before readers, so each has swallowed its own makers already.
      for (Operation &op : llvm::make_early_inc_range(graph.getBlock())) {
        auto reader = dyn_cast<MapOp>(op);
        for (size_t i = 0; reader && i < reader.getOperands().size();) {
          MapOp maker = mergeable(reader, reader.getOperands()[i]);
          if (!maker) {
            ++i;
            continue;
          }
          reader = merge(maker, reader);
          i = 0;
        }
      }
    });
  }
};

} // namespace
