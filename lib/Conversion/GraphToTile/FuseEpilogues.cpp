// Which maps become epilogues of the calls before them: see GraphToTile.h. Epilogue.h says why it
// is right.
#include "Conversion/GraphToTile/GraphToTile.h"

#include "Conversion/GraphToTile/CallNames.h"
#include "Conversion/GraphToTile/Epilogue.h"
#include "Conversion/GraphToTile/GridLimits.h"
#include "Conversion/GraphToTile/KernelVariants.h"
#include "Graph/IR/Graph.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;
using namespace teeny;

namespace {

class EpilogueFuser {
public:
  EpilogueFuser(ModuleOp module, Sources &sources)
      : sources(sources), scratch(ModuleOp::create(module.getLoc())),
        variants(*scratch, sources, ignored) {}

  void run(graph::GraphOp graph) {
    for (Operation &op : llvm::make_early_inc_range(graph.getBlock()))
      if (auto map = dyn_cast<graph::MapOp>(op))
        fuse(map);
  }

private:
  void fuse(graph::MapOp map);
  std::string whyNot(graph::MapOp map, Value operand, graph::CallOp call);
  std::string whyNotKernel(graph::CallOp call, StringRef output);
  void join(graph::MapOp map, Value operand, graph::CallOp call);

  Sources &sources;
  OwningOpRef<ModuleOp> scratch; // kernels that are only looked at
  Diagnostics ignored;           // their errors come up when they are bound
  KernelVariants variants;
};

} // namespace

// The call whose first output the value is, perhaps under another shape.
static graph::CallOp callBehind(Value value) {
  while (auto reshape = value.getDefiningOp<graph::ReshapeOp>())
    value = reshape.getOperand();
  auto call = value.getDefiningOp<graph::CallOp>();
  return call && value == call.getResult(0) ? call : graph::CallOp();
}

// Of several calls the last: what the others make is there by then.
void EpilogueFuser::fuse(graph::MapOp map) {
  Value best;
  graph::CallOp chosen;
  for (Value operand : map.getOperands()) {
    graph::CallOp call = callBehind(operand);
    if (!call || !call.getEpilogue().empty())
      continue;
    std::string reason = whyNot(map, operand, call);
    if (!reason.empty()) {
      call.setRemark("'" + map.getName().str() + "' is not fused: " + reason);
      continue;
    }
    if (!chosen || chosen->isBeforeInBlock(call)) {
      best = operand;
      chosen = call;
    }
  }
  if (chosen)
    join(map, best, chosen);
}

std::string EpilogueFuser::whyNot(graph::MapOp map, Value operand, graph::CallOp call) {
  for (Value value = operand;; value = value.getDefiningOp<graph::ReshapeOp>().getOperand()) {
    Operation *reader = value == operand ? map.getOperation() : *value.user_begin();
    if (llvm::any_of(value.getUsers(), [&](Operation *user) { return user != reader; }))
      return "other nodes read the output too";
    if (value == call.getResult(0))
      break;
  }
  graph::OpOp declaration = call.declaration();
  graph::DeclareOp output = declaration.tensors(graph::TensorRole::Output).front();
  if (graph::tensorType(operand).getShape() != graph::tensorType(map.getResult()).getShape())
    return "it repeats the output";
  if (graph::tensorType(operand).getDtype() != graph::tensorType(map.getResult()).getDtype())
    return "it makes another type of the output";
  if (!declaration.getBlock().getOps<graph::AliasOp>().empty())
    return "the output lies in the memory of an input";
  for (Value other : call.getResults().drop_front())
    if (!other.use_empty())
      return "the call has other outputs, which are used";
  return whyNotKernel(call, output.getName());
}

std::string EpilogueFuser::whyNotKernel(graph::CallOp call, StringRef output) {
  CallNames names(call);
  for (auto implementation : call.declaration().getBlock().getOps<graph::ImplementationOp>()) {
    // Of several launches, one may write the output; that needs a look at all of them.
    unsigned writers = 0;
    for (auto kernel : implementation.getBody().front().getOps<graph::KernelOp>()) {
      CheckedGrid grid;
      checkGrid(call, kernel, sources, ignored, grid);
      std::vector<KernelVariant> made =
          variants.bind({call, kernel, names, grid.max, [](StringRef) { return Value(); }});
      if (made.empty())
        return "a kernel of the call has errors";
      for (const KernelVariant &variant : made) {
        auto function = scratch->lookupSymbol<func::FuncOp>(variant.symbol);
        unsigned parameters = 0;
        for (auto [index, argument] : llvm::enumerate(variant.arguments)) {
          if (argument.value.kind != NamedValue::Kind::tensor || argument.value.tensor != output)
            continue;
          ++parameters;
          std::string reason = whyNoEpilogue(function, index);
          if (!reason.empty())
            return "kernel '" + kernel.getFunction().str() + "': " + reason;
        }
        if (parameters > 1)
          return "kernel '" + kernel.getFunction().str() + "' has two parameters for the output";
        writers += &variant == &made.front() ? parameters : 0;
      }
    }
    if (writers != 1)
      return "several launches use the output";
  }
  return "";
}

void EpilogueFuser::join(graph::MapOp map, Value operand, graph::CallOp call) {
  Block &block = call.getEpilogue().emplaceBlock();
  IRMapping mapping;
  SmallVector<Value> extras;
  Value value = block.addArgument(graph::tensorType(operand).getDtype(), map.getLoc());
  for (auto [read, argument] : llvm::zip_equal(map.getOperands(), map.getBlock().getArguments())) {
    if (read == operand) {
      mapping.map(argument, value);
      continue;
    }
    extras.push_back(read);
    mapping.map(argument, block.addArgument(argument.getType(), argument.getLoc()));
  }
  OpBuilder builder(call.getContext());
  builder.setInsertionPointToEnd(&block);
  for (Operation &op : map.getBlock())
    builder.clone(op, mapping);
  // Where the extras are there.
  call->moveBefore(map);
  call.getExtrasMutable().assign(extras);
  call.setRemark("'" + map.getName().str() + "' is fused into the stores of '" +
                 call.getName().str() + "'");
  SmallVector<Operation *> reshapes;
  for (Value view = operand; view != call.getResult(0);) {
    auto reshape = view.getDefiningOp<graph::ReshapeOp>();
    reshapes.push_back(reshape);
    view = reshape.getOperand();
  }
  StringAttr name = map.getNameAttr();
  map.replaceAllUsesWith(call.getResult(0));
  call.getResult(0).setType(graph::tensorType(map.getResult()));
  map.erase();
  for (Operation *reshape : reshapes)
    reshape->erase();
  call.setNameAttr(name);
}

void teeny::fuseEpilogues(ModuleOp module, Sources &sources) {
  EpilogueFuser fuser(module, sources);
  for (auto graph : module.getOps<graph::GraphOp>())
    fuser.run(graph);
}
