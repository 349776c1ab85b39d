// Finds the types of all tensors of a graph. Passes.td says what the result is; CallShapes.h does
// one call, NodeExpansion.h one node of a built-in kind. Calls come after what they use, so one
// round over them is enough, but for sizes of inputs that were left open: those may be found by a
// later call, and then earlier ones are tried again. Tested by test/Graph/infer-shapes.mlir and
// test/Graph/files.
#include "Graph/Transforms/CallShapes.h"
#include "Graph/Transforms/NodeExpansion.h"
#include "Graph/Transforms/Passes.h"
#include "TensorFile/SafeTensors.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace teeny::graph {
#define GEN_PASS_DEF_GRAPHINFERSHAPES
#include "Graph/Transforms/Passes.h.inc"
} // namespace teeny::graph

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

namespace {

class GraphShapes {
public:
  explicit GraphShapes(GraphOp graph) : graph(graph) {}

  LogicalResult infer() {
    SmallVector<Operation *> waiting;
    for (Operation &op : graph.getBlock()) {
      if (isa<CallOp, NodeOp>(op))
        waiting.push_back(&op);
      if (auto name = op.getAttrOfType<StringAttr>("name"))
        names.insert(name.getValue());
    }
    for (bool refined = true; refined && !waiting.empty();) {
      refined = false;
      llvm::erase_if(waiting, [&](Operation *op) {
        if (auto node = dyn_cast<NodeOp>(op))
          return visit(node);
        return visit(cast<CallOp>(op), refined);
      });
    }
    if (!failed)
      checkInputs();
    if (!failed)
      checkTypes();
    return failure(failed);
  }

private:
  // Whether there is nothing more to do for the call.
  bool visit(CallOp call, bool &refined) {
    if (!llvm::all_of(call.getOperandTypes(), llvm::IsaPred<GraphTensorType>))
      return false; // after one that waits or failed
    CallShapes shapes(graph, call);
    CallShapes::Outcome outcome = shapes.infer();
    refined |= shapes.refined();
    if (outcome == CallShapes::Outcome::failed)
      failed = true;
    if (outcome == CallShapes::Outcome::done)
      addRequirements(call, shapes.requirements());
    return outcome != CallShapes::Outcome::waiting;
  }

  // Nodes wait for sizes that calls find.
  bool visit(NodeOp node) {
    for (Type type : node.getOperandTypes())
      if (auto tensor = dyn_cast<GraphTensorType>(type); !tensor || !tensor.isKnown())
        return false;
    NodeExpansion expansion(graph, node, names);
    Value result = expansion.expand();
    addRequirements(node, expansion.requirements());
    if (!result) {
      failed = true;
      return true;
    }
    node.getResult().replaceAllUsesWith(result);
    node.erase();
    return true;
  }

  void addRequirements(Operation *op, ArrayRef<Requirement> requirements) {
    OpBuilder builder(op);
    for (const Requirement &requirement : requirements) {
      auto condition = ExprAttr::get(graph.getContext(), requirement.condition);
      if (conditions.insert(condition).second)
        RequireOp::create(builder, requirement.location, condition, requirement.message);
    }
  }

  // Every tensor is one that a bundle can have. Only the first of a chain is reported.
  void checkTypes() {
    llvm::SmallPtrSet<Operation *, 4> wrong;
    for (Operation &op : graph.getBlock()) {
      auto isWrong = [&](Value operand) { return wrong.contains(operand.getDefiningOp()); };
      if (llvm::any_of(op.getOperands(), isWrong)) {
        wrong.insert(&op);
        continue;
      }
      for (Type type : op.getResultTypes()) {
        auto tensor = dyn_cast<GraphTensorType>(type);
        if (!tensor || !tensor.isKnown())
          continue;
        auto isTooLarge = [](ExprAttr size) { return size.getExpr().tooLarge(); };
        // About nothing, and no number: it divides by 0, or overflows.
        auto hasNoValue = [](ExprAttr size) {
          Expr expr = size.getExpr();
          return expr.symbols().empty() && !expr.constant();
        };
        Expr bytes = tensor.elements() * byteSize(*dtypeOf(tensor.getDtype()));
        std::string what;
        if (tensor.getRank() > int64_t(maxTensorRank))
          what = std::to_string(tensor.getRank()) + " dims; at most " +
                 std::to_string(maxTensorRank) + " are possible";
        else if (llvm::any_of(tensor.getShape(), isTooLarge))
          what = "a size that is too large an expression";
        else if (llvm::any_of(tensor.getShape(), hasNoValue))
          what = "a size without a value: " + typeText(tensor);
        else if (bytes.tooLarge())
          what = "more than 2^63 bytes: " + typeText(tensor);
        if (what.empty())
          continue;
        failed = true;
        wrong.insert(&op);
        auto name = op.getAttrOfType<StringAttr>("name");
        emitError(op.getLoc()) << (name ? "'" + name.getValue() + "'" : llvm::Twine("a tensor"))
                               << " has " << what;
      }
    }
  }

  // A run must be able to find the dims from the sizes of inputs.
  void checkInputs() {
    for (auto input : graph.getBlock().getOps<InputOp>()) {
      auto type = cast<GraphTensorType>(input.getResult().getType());
      for (auto [index, size] : llvm::enumerate(type.getShape())) {
        std::string place =
            "size " + std::to_string(index) + " of input '" + input.getName().str() + "'";
        if (size.isUnknown()) {
          failed = true;
          emitError(input.getLoc())
              << place << " is not given and does not follow from where it is used";
        } else if (Expr expr = size.getExpr(); !expr.constant() && !expr.linear()) {
          failed = true;
          emitError(input.getLoc()) << place << " follows as '" << expr.str()
                                    << "'; a size of an input must be a number, a dim, or a*N + b";
        }
      }
    }
  }

  GraphOp graph;
  llvm::SmallPtrSet<Attribute, 16> conditions;
  llvm::StringSet<> names;
  bool failed = false;
};

struct InferShapes final : graph::impl::GraphInferShapesBase<InferShapes> {
  void runOnOperation() override {
    for (auto graph : getOperation().getOps<GraphOp>())
      if (failed(GraphShapes(graph).infer()))
        signalPassFailure();
  }
};

} // namespace
