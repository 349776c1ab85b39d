// Computes cheap values again in the layout that is wanted, rather than move their data between
// threads.
//
//   %1 = tile.arange ... : #a                        %1' = tile.arange ... : #b
//   %2 = arith.addi %0, %1 : #a               ->     %2' = arith.addi %0', %1' : #b
//   %3 = tile.convert_layout %2 : #a -> #b           (uses of %3 take %2')
//
// A plan for (value, layout) lists the values to make again, in order; it fails at a value that is
// not cheap and has another layout. Variables of loops are planned as if the plan had succeeded,
// and then their start and step have to succeed too. Tested by
// test/Tile/remove-layout-conversions.mlir; the manual is Passes.td.
#include "Tile/Transforms/LayoutRules.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace teeny::tile {
#define GEN_PASS_DEF_REMOVELAYOUTCONVERSIONS
#include "Tile/Transforms/Passes.h.inc"
} // namespace teeny::tile

using namespace mlir;
using namespace teeny::tile;

namespace {

// A tile and the layout in which it is wanted.
using Request = std::pair<Value, Attribute>;

// The loop that carries a value from one iteration to the next: as its variable or its result.
scf::ForOp carrierOf(Value value, unsigned &number) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument.getArgNumber() == 0)
      return {};
    number = argument.getArgNumber() - 1;
    return loop;
  }
  number = cast<OpResult>(value).getResultNumber();
  return value.getDefiningOp<scf::ForOp>();
}

// Finds out whether a value can be had in a layout; then `plan` has all that must be made for it,
// operands first but for what loops carry.
class Planner {
public:
  explicit Planner(const DenseMap<Request, Value> &made) : made(made) {}

  bool visit(Value value, LayoutInterface layout) {
    Request request{value, layout};
    if (!isa<RankedTensorType>(value.getType()) || layoutOf(value) == layout ||
        made.count(request) || !visited.insert(request).second)
      return true;
    unsigned number;
    if (scf::ForOp loop = carrierOf(value, number)) {
      Value variable = loop.getRegionIterArg(number);
      if (value != variable) {
        bool possible = visit(variable, layout);
        plan.push_back(request);
        return possible;
      }
      bool possible = visit(loop.getInitArgs()[number], layout);
      plan.push_back(request);
      return possible && visit(loop.getYieldedValues()[number], layout);
    }
    Operation *op = value.getDefiningOp();
    if (!op)
      return false;
    if (auto convert = dyn_cast<ConvertLayoutOp>(op))
      return visit(convert.getSource(), layout);
    if (!isCheap(op))
      return false;
    LayoutInterface source = sourceLayout(op, layout);
    if (!source)
      return false;
    for (Value operand : op->getOperands())
      if (!visit(operand, source))
        return false;
    plan.push_back(request);
    return true;
  }

  SmallVector<Request> plan;

private:
  const DenseMap<Request, Value> &made;
  DenseSet<Request> visited;
};

class Remover {
public:
  explicit Remover(func::FuncOp function) : function(function), rewriter(function.getContext()) {}

  void run() {
    SmallVector<ConvertLayoutOp> conversions;
    function.walk([&](ConvertLayoutOp op) { conversions.push_back(op); });
    for (ConvertLayoutOp op : conversions) {
      LayoutInterface layout = layoutOf(op.getResult());
      Planner planner(made);
      if (!planner.visit(op.getSource(), layout))
        continue;
      plan = std::move(planner.plan);
      variables.clear();
      // By number: replacing a loop renames its results in the rest of the plan.
      for (size_t i = 0; i < plan.size(); ++i)
        make(plan[i]);
      // The next iteration's values, once they are there.
      for (auto [variable, wanted] : variables) {
        unsigned number;
        scf::ForOp loop = carrierOf(variable, number);
        Operation *yield = loop.getBody()->getTerminator();
        Value next = get(yield->getOperand(number), cast<LayoutInterface>(wanted));
        unsigned further = cast<BlockArgument>(made.lookup({variable, wanted})).getArgNumber() - 1;
        yield->setOperand(further, next);
      }
      rewriter.replaceAllUsesWith(op.getResult(), get(op.getSource(), layout));
    }
  }

private:
  // The value in the layout, which has been made or is there.
  Value get(Value value, LayoutInterface layout) {
    if (!isa<RankedTensorType>(value.getType()) || layoutOf(value) == layout)
      return value;
    if (Value again = made.lookup({value, layout}))
      return again;
    return get(value.getDefiningOp<ConvertLayoutOp>().getSource(), layout);
  }

  void make(Request request) {
    Value value = request.first;
    auto layout = cast<LayoutInterface>(request.second);
    if (made.count(request))
      return;
    unsigned number;
    if (scf::ForOp loop = carrierOf(value, number))
      return carry(loop, number, layout);
    Operation *op = value.getDefiningOp();
    LayoutInterface source = sourceLayout(op, layout);
    rewriter.setInsertionPointAfter(op);
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, get(operand, source));
    Operation *again = rewriter.clone(*op, mapping);
    for (auto [from, to] : llvm::zip(op->getResults(), again->getResults())) {
      to.setType(withLayout(to.getType(), layout));
      made[{from, layout}] = to;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(again)) {
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      auto type = cast<ShapedType>(constant.getType());
      constant.setValueAttr(elements.isSplat() ? elements.resizeSplat(type)
                                               : elements.reshape(type));
    }
  }

  // Gives the loop one more variable, which for now keeps its start.
  void carry(scf::ForOp loop, unsigned number, LayoutInterface layout) {
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> inits(loop.getInitArgs());
    inits.push_back(get(inits[number], layout));
    auto wider =
        scf::ForOp::create(rewriter, loop.getLoc(), loop.getLowerBound(), loop.getUpperBound(),
                           loop.getStep(), inits, nullptr, loop.getUnsignedCmp());
    wider->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
    wider.getRegion().takeBody(loop.getRegion());
    Block *body = wider.getBody();
    BlockArgument variable = body->addArgument(inits.back().getType(), loop.getLoc());
    body->getTerminator()->insertOperands(inits.size() - 1, variable);

    for (auto [from, to] : llvm::zip(loop.getResults(), wider.getResults()))
      rename(from, to);
    rewriter.replaceOp(loop, wider.getResults().drop_back());
    Request first{wider.getRegionIterArg(number), layout};
    made[first] = variable;
    made[{wider.getResult(number), layout}] = wider.getResults().back();
    variables.push_back(first);
  }

  // In everything that is remembered.
  void rename(Value from, Value to) {
    for (Request &request : plan)
      if (request.first == from)
        request.first = to;
    SmallVector<std::pair<Attribute, Value>> moved;
    for (auto &[request, value] : made) {
      if (value == from)
        value = to;
      if (request.first == from)
        moved.push_back({request.second, value});
    }
    for (auto [layout, value] : moved) {
      made.erase({from, layout});
      made[{to, layout}] = value;
    }
  }

  func::FuncOp function;
  IRRewriter rewriter;
  SmallVector<Request> plan, variables;
  DenseMap<Request, Value> made;
};

// Whether nothing is done with what a loop carries but to carry it on, here or in other loops.
// `variables` gets those of the loops that it goes through.
bool isOnlyCarried(BlockArgument variable, SmallVectorImpl<BlockArgument> &variables) {
  llvm::SmallSetVector<Value, 16> values;
  auto addCarried = [&](scf::ForOp loop, unsigned number) {
    values.insert(loop.getResult(number));
    if (values.insert(loop.getRegionIterArg(number)))
      variables.push_back(loop.getRegionIterArg(number));
  };
  addCarried(cast<scf::ForOp>(variable.getOwner()->getParentOp()), variable.getArgNumber() - 1);
  for (size_t i = 0; i < values.size(); ++i)
    for (OpOperand &use : values[i].getUses()) {
      Operation *user = use.getOwner();
      auto loop = dyn_cast<scf::ForOp>(isa<scf::YieldOp>(user) ? user->getParentOp() : user);
      if (loop && user != loop)
        addCarried(loop, use.getOperandNumber());
      else if (BlockArgument started = loop ? loop.getTiedLoopRegionIterArg(&use) : BlockArgument())
        addCarried(loop, started.getArgNumber() - 1);
      else if (user->getNumRegions() == 0 && isMemoryEffectFree(user) &&
               !user->hasTrait<OpTrait::IsTerminator>())
        values.insert(user->result_begin(), user->result_end());
      else
        return false;
    }
  return true;
}

// Makes such variables keep their start, which canonicalisation then puts in their place.
void dropCarried(func::FuncOp function) {
  function.walk([](scf::ForOp loop) {
    for (BlockArgument variable : loop.getRegionIterArgs()) {
      SmallVector<BlockArgument> variables;
      if (!isa<RankedTensorType>(variable.getType()) || !isOnlyCarried(variable, variables))
        continue;
      for (BlockArgument dead : variables)
        dead.getOwner()->getTerminator()->setOperand(dead.getArgNumber() - 1, dead);
    }
  });
}

// Fewer bytes are moved before a cast to a wider type than behind it.
struct ConvertBeforeWidening final : OpRewritePattern<ConvertLayoutOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ConvertLayoutOp op, PatternRewriter &rewriter) const override {
    Operation *cast = op.getSource().getDefiningOp();
    if (!cast || cast->getNumOperands() != 1 || cast->getNumResults() != 1 ||
        !isElementwise(cast) || !isMemoryEffectFree(cast))
      return rewriter.notifyMatchFailure(op, "expected an elementwise operation of one operand");
    Value narrow = cast->getOperand(0);
    Type from = getElementTypeOrSelf(narrow.getType()), to = getElementTypeOrSelf(op.getType());
    if (!isa<RankedTensorType>(narrow.getType()) || !from.isIntOrFloat() || !to.isIntOrFloat() ||
        from.getIntOrFloatBitWidth() >= to.getIntOrFloatBitWidth())
      return rewriter.notifyMatchFailure(op, "expected a cast to a wider type");
    LayoutInterface layout = layoutOf(op.getResult());
    rewriter.setInsertionPointAfter(cast);
    Value converted = ConvertLayoutOp::create(rewriter, op.getLoc(),
                                              withLayout(narrow.getType(), layout), narrow);
    IRMapping mapping;
    mapping.map(narrow, converted);
    Operation *again = rewriter.clone(*cast, mapping);
    again->getResult(0).setType(op.getType());
    rewriter.replaceOp(op, again->getResults());
    return success();
  }
};

struct RemoveLayoutConversions final
    : teeny::tile::impl::RemoveLayoutConversionsBase<RemoveLayoutConversions> {
  using RemoveLayoutConversionsBase::RemoveLayoutConversionsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    MLIRContext *context = &getContext();
    Remover(function).run();
    dropCarried(function);
    RewritePatternSet patterns(context);
    patterns.add<ConvertBeforeWidening>(context);
    ConvertLayoutOp::getCanonicalizationPatterns(patterns, context);
    // A variable that nothing but itself uses any more.
    scf::ForOp::getCanonicalizationPatterns(patterns, context);
    if (failed(applyPatternsGreedily(function, std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
