// Gives every tile a layout and converts where they do not meet. LayoutClasses.h has the idea; the
// manual is Passes.td. Tested by test/Tile/assign-gpu-layouts.mlir.
#include "Tile/Transforms/LayoutClasses.h"
#include "Tile/Transforms/LayoutRules.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

namespace teeny::tile {
#define GEN_PASS_DEF_ASSIGNGPULAYOUTS
#include "Tile/Transforms/Passes.h.inc"
} // namespace teeny::tile

using namespace mlir;
using namespace teeny::tile;

namespace {

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

// Whether this pass knows what layouts the operation's tiles need.
bool isKnown(Operation *op) {
  return isElementwise(op) || isTileAccess(op) ||
         isa<ArangeOp, SplatOp, ExpandDimsOp, BroadcastOp, TransOp, ReshapeOp, JoinOp, SplitOp,
             ReduceOp, ScanOp, DotOp, PrintOp, AssertOp, arith::ConstantOp, scf::ForOp, scf::IfOp,
             scf::WhileOp, scf::YieldOp, scf::ConditionOp>(op);
}

// Rewrites one function according to its classes.
class Assigner {
public:
  Assigner(func::FuncOp function, const LayoutClasses &classes)
      : function(function), classes(classes), builder(function.getContext()) {}

  void run() {
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    // All decisions before the first change: classes know values by their types of before.
    for (Operation *op : ops) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (Value argument : block.getArguments())
            decide(argument);
      for (Value result : op->getResults())
        decide(result);
      if (isTileAccess(op))
        chosen[op] = classes.accessLayout(op);
      else if (auto dot = dyn_cast<DotOp>(op))
        chosen[op] = classes.dotLayout(dot);
      else if (isa<TransOp, ReshapeOp, JoinOp, ReduceOp>(op))
        chosen[op] = classes.layoutOf(op->getOperand(0));
    }
    for (auto [value, layout] : layouts)
      if (isa<BlockArgument>(value))
        value.setType(withLayout(value.getType(), layout));
    for (Operation *op : ops)
      rewrite(op);
  }

private:
  void decide(Value value) {
    if (isTile(value))
      layouts.insert({value, classes.layoutOf(value)});
  }
  LayoutInterface decided(Value value) const { return layouts.find(value)->second; }

  // What the operation needs its operand to be in.
  LayoutInterface needed(OpOperand &operand) const {
    Operation *op = operand.getOwner();
    unsigned number = operand.getOperandNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return decided(loop.getTiedLoopResult(&operand));
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return decided(loop.getBeforeArguments()[number]);
    if (auto condition = dyn_cast<scf::ConditionOp>(op))
      return decided(cast<scf::WhileOp>(op->getParentOp()).getAfterArguments()[number - 1]);
    if (isa<scf::YieldOp>(op)) {
      if (auto loop = dyn_cast<scf::WhileOp>(op->getParentOp()))
        return decided(loop.getBeforeArguments()[number]);
      return decided(op->getParentOp()->getResult(number));
    }
    if (isa<PrintOp, AssertOp>(op)) // any layout will do
      return decided(operand.get());
    LayoutInterface layout = chosen.lookup(op);
    if (auto dot = dyn_cast<DotOp>(op); dot && number < 2) {
      int64_t width =
          isa<MmaLayoutAttr>(layout) ? kWidthOf(getElementTypeOrSelf(operand.get())) : 0;
      return DotOperandLayoutAttr::get(op->getContext(), number, layout, width);
    }
    return layout ? layout : sourceLayout(op, decided(op->getResult(0)));
  }

  // What the operation yields, given operands as needed.
  LayoutInterface yielded(OpResult result) const {
    LayoutInterface layout = chosen.lookup(result.getOwner());
    return layout ? resultLayout(result.getOwner(), layout) : decided(result);
  }

  Value convert(Value value, LayoutInterface layout) {
    if (layoutOf(value) == layout)
      return value;
    return ConvertLayoutOp::create(builder, value.getLoc(), withLayout(value.getType(), layout),
                                   value);
  }

  void rewrite(Operation *op) {
    builder.setInsertionPoint(op);
    for (OpOperand &operand : op->getOpOperands())
      if (isTile(operand.get()))
        operand.set(convert(operand.get(), needed(operand)));
    builder.setInsertionPointAfter(op);
    for (OpResult result : op->getResults()) {
      if (!isTile(result))
        continue;
      result.setType(withLayout(result.getType(), yielded(result)));
      Value value = convert(result, decided(result));
      if (value != result)
        result.replaceAllUsesExcept(value, value.getDefiningOp());
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue()))
        constant.setValueAttr(elements.isSplat()
                                  ? elements.resizeSplat(cast<ShapedType>(constant.getType()))
                                  : elements.reshape(cast<ShapedType>(constant.getType())));
  }

  func::FuncOp function;
  const LayoutClasses &classes;
  OpBuilder builder;
  llvm::MapVector<Value, LayoutInterface> layouts; // of values, as the classes decided
  // In which an operation takes its tiles: memory operations and dots, and those whose results
  // follow from their sources.
  DenseMap<Operation *, LayoutInterface> chosen;
};

struct AssignGpuLayouts final : teeny::tile::impl::AssignGpuLayoutsBase<AssignGpuLayouts> {
  using AssignGpuLayoutsBase::AssignGpuLayoutsBase;

  // Layouts are made for sizes that are powers of two and for operations whose needs are known.
  LogicalResult check(func::FuncOp function) {
    if (llvm::any_of(function.getArgumentTypes(), llvm::IsaPred<RankedTensorType>) ||
        llvm::any_of(function.getResultTypes(), llvm::IsaPred<RankedTensorType>))
      return function.emitError("function takes or returns tiles; expected it to be inlined before "
                                "layouts are assigned");
    WalkResult walked = function.walk([&](Operation *op) {
      SmallVector<Type> types(op->getOperandTypes());
      llvm::append_range(types, op->getResultTypes());
      for (Type type : types) {
        auto tile = dyn_cast<RankedTensorType>(type);
        if (!tile)
          continue;
        if (!isKnown(op)) {
          op->emitError() << "no layouts are known for '" << op->getName() << "' on tiles";
          return WalkResult::interrupt();
        }
        for (int64_t size : tile.getShape())
          if (!llvm::isPowerOf2_64(size)) {
            op->emitError() << "tile of type " << tile << " has a dim of size " << size
                            << "; expected a power of two";
            return WalkResult::interrupt();
          }
        if (tile.getEncoding()) {
          op->emitError() << "tile of type " << tile << " has a layout already";
          return WalkResult::interrupt();
        }
      }
      return WalkResult::advance();
    });
    return failure(walked.wasInterrupted());
  }

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isExternal())
      return;
    if (failed(check(function)))
      return signalPassFailure();
    AxisInfoMap facts(function);
    LayoutClasses classes(function, facts, threadsPerWarp, mmaVersion);
    Assigner(function, classes).run();
  }
};

} // namespace
