#include "Tile/Transforms/LayoutClasses.h"

#include "Tile/Transforms/LayoutRules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace teeny::tile;

namespace {

bool isTile(Value value) { return isa<RankedTensorType>(value.getType()); }

int64_t bytesOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  int64_t bytes = element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) : 8;
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? bytes * tile.getNumElements() : bytes;
}

// An operation inside loops runs more often; how much more is not known.
int64_t loopWeight(Operation *op) {
  int64_t weight = 1;
  for (op = op->getParentOp(); op; op = op->getParentOp())
    if (isa<scf::ForOp, scf::WhileOp>(op) && weight < 4096)
      weight *= 8;
  return weight;
}

} // namespace

LayoutClasses::LayoutClasses(func::FuncOp function, const AxisInfoMap &facts, int64_t lanes,
                             int64_t mmaVersion)
    : lanes(lanes), warps(numWarps(function)), mmaVersion(mmaVersion),
      context(function.getContext()) {
  findCheap(function);
  function.walk([&](Operation *op) { joinOperation(op); });
  makeClasses(function, facts);
  findBorders(function);
  decide();
}

//===-- Links
//-----------------------------------------------------------------------------------===//

// Numbers every tile that is not cheap, in program order.
void LayoutClasses::findCheap(func::FuncOp function) {
  auto addNode = [&] {
    parents.push_back(parents.size());
    return parents.size() - 1;
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (isTile(argument))
            valueNodes[argument] = addNode();
    if (isTileAccess(op))
      accessNodes[op] = addNode();
    bool cheap = isCheap(op) && llvm::none_of(op->getOperands(), [&](Value operand) {
                   return valueNodes.count(operand);
                 });
    for (Value result : op->getResults())
      if (isTile(result) && !cheap)
        valueNodes[result] = addNode();
  });
}

unsigned LayoutClasses::leaderOf(unsigned node) const {
  while (parents[node] != node)
    node = parents[node];
  return node;
}

void LayoutClasses::join(ValueRange values, Operation *access) {
  std::optional<unsigned> leader;
  auto add = [&](unsigned node) {
    node = leaderOf(node);
    // The first in program order leads, so that the result does not depend on the order of joins.
    unsigned low = std::min(node, leader.value_or(node)),
             high = std::max(node, leader.value_or(node));
    parents[high] = low;
    leader = low;
  };
  if (access)
    add(accessNodes.lookup(access));
  for (Value value : values)
    if (auto it = valueNodes.find(value); it != valueNodes.end())
      add(it->second);
}

// What control flow carries: the values that take one another's place.
void LayoutClasses::joinLoops(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, argument, yield, result] :
         llvm::zip(loop.getInitArgs(), loop.getRegionIterArgs(), loop.getYieldedValues(),
                   loop.getResults()))
      join({init, argument, yield, result});
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : branch->getRegions())
      if (!region.empty())
        for (auto [yield, result] :
             llvm::zip(region.front().getTerminator()->getOperands(), branch.getResults()))
          join({yield, result});
  } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
    for (auto [init, argument, yield] :
         llvm::zip(loop.getInits(), loop.getBeforeArguments(), loop.getYieldOp().getOperands()))
      join({init, argument, yield});
    for (auto [passed, argument, result] :
         llvm::zip(loop.getConditionOp().getArgs(), loop.getAfterArguments(), loop.getResults()))
      join({passed, argument, result});
  }
}

void LayoutClasses::joinOperation(Operation *op) {
  joinLoops(op);
  SmallVector<Value> all(op->getOperands());
  llvm::append_range(all, op->getResults());
  if (isTileAccess(op))
    join(all, op);
  else if (isElementwise(op) || isa<BroadcastOp, ScanOp>(op))
    join(all);
  else if (isa<ReduceOp, JoinOp, SplitOp>(op))
    for (ValueRange side : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
      join(side);
  else if (auto dot = dyn_cast<DotOp>(op))
    join({dot.getAcc(), dot.getResult()});
}

std::optional<unsigned> LayoutClasses::classOf(Value value) const {
  auto it = valueNodes.find(value);
  return it == valueNodes.end() ? std::nullopt : std::optional(leaderOf(it->second));
}

//===-- Classes
//---------------------------------------------------------------------------------===//

void LayoutClasses::makeClasses(func::FuncOp function, const AxisInfoMap &facts) {
  auto addTile = [&](unsigned leader, RankedTensorType type) {
    Class &members = classes[leader];
    int64_t largest = 0;
    if (!members.shape.empty())
      largest = RankedTensorType::get(members.shape, type.getElementType()).getNumElements();
    if (type.getNumElements() > largest)
      members.shape.assign(type.getShape().begin(), type.getShape().end());
    members.rank = type.getRank();
  };
  auto addValues = [&](ValueRange values) {
    for (Value value : values)
      if (std::optional<unsigned> leader = classOf(value))
        addTile(*leader, cast<RankedTensorType>(value.getType()));
  };
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        addValues(block.getArguments());
    addValues(op->getResults());
    if (auto dot = dyn_cast<DotOp>(op)) {
      LayoutInterface wish = mmaLayout(dot);
      if (!wish)
        wish = fmaLayout(dot);
      // Each element of the result costs as much work as k elements of anything else.
      int64_t k = cast<RankedTensorType>(dot.getLhs().getType()).getShape().back();
      classes[*classOf(dot.getResult())].votes[wish] += loopWeight(op) * bytesOf(dot.getType()) * k;
    }
    if (!isTileAccess(op))
      return;
    unsigned leader = leaderOf(accessNodes.lookup(op));
    addTile(leader, cast<RankedTensorType>(op->getOperand(0).getType()));
    AccessWish wish = wishOf(op, facts);
    wish.bytes *= loopWeight(op);
    classes[leader].accesses.push_back({op, std::move(wish)});
  });
}

void LayoutClasses::findBorders(func::FuncOp function) {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<ExpandDimsOp, TransOp, ReshapeOp, JoinOp, SplitOp, ReduceOp>(op))
      return;
    auto source = llvm::find_if(op->getOperands(), [&](Value value) { return classOf(value); });
    auto result = llvm::find_if(op->getResults(), [&](Value value) { return classOf(value); });
    if (source == op->operand_end() || result == op->result_end())
      return;
    int64_t weight = loopWeight(op);
    borders.push_back({op, *classOf(*source), *classOf(*result),
                       weight * bytesOf((*source).getType()),
                       weight * bytesOf((*result).getType())});
  });
}

//===-- Decisions
//-------------------------------------------------------------------------------===//

// The coalesced layout for most of the bytes that the class's accesses move; all of them with the
// greatest width that one of them can use.
LayoutInterface LayoutClasses::memoryLayout(const Class &members, int64_t &bytes) const {
  SmallVector<std::pair<ArrayRef<int64_t>, int64_t>> orders;
  for (auto &[op, wish] : members.accesses) {
    auto it =
        llvm::find_if(orders, [&](auto &order) { return order.first == ArrayRef(wish.order); });
    if (it == orders.end())
      orders.push_back({wish.order, wish.bytes});
    else
      it->second += wish.bytes;
  }
  if (orders.empty())
    return {};
  auto best = llvm::max_element(orders, [](auto &a, auto &b) { return a.second < b.second; });
  int64_t width = 1;
  for (auto &[op, wish] : members.accesses)
    if (ArrayRef(wish.order) == best->first)
      width = std::max(width, wish.width);
  bytes = best->second;
  return blockedLayout(context, members.shape, best->first, width, {lanes, warps});
}

void LayoutClasses::decide() {
  SmallVector<std::pair<unsigned, Class *>> queue;
  for (auto &[leader, members] : classes)
    queue.push_back({leader, &members});
  llvm::stable_sort(queue, [](auto &a, auto &b) { return a.second->rank > b.second->rank; });

  for (auto [leader, members] : queue) {
    int64_t most = 0;
    members->layout = memoryLayout(*members, most);
    for (auto [layout, bytes] : members->votes)
      if (bytes > most) {
        members->layout = cast<LayoutInterface>(layout);
        most = bytes;
      }
    if (!members->layout)
      members->layout = shapeLayout(members->shape);
    for (const Border &border : borders) {
      LayoutInterface wanted;
      if (border.result == leader && border.source != leader)
        wanted = sourceLayout(border.op, members->layout);
      if (wanted)
        classes[border.source].votes[wanted] += border.sourceBytes;
      wanted = {};
      if (border.source == leader && border.result != leader)
        wanted = resultLayout(border.op, members->layout);
      if (wanted)
        classes[border.result].votes[wanted] += border.resultBytes;
    }
  }
}

// Null where the matrix instructions do not fit the dot.
MmaLayoutAttr LayoutClasses::mmaLayout(DotOp dot) const {
  auto lhs = cast<RankedTensorType>(dot.getLhs().getType());
  auto result = cast<RankedTensorType>(dot.getType());
  Type element = lhs.getElementType(), sum = result.getElementType();
  bool types = ((element.isF16() || element.isBF16()) && sum.isF32()) ||
               (element.isF16() && sum.isF16()) ||
               (element.isF32() && sum.isF32() && dot.getPrecision() != DotPrecision::ieee) ||
               (element.isInteger(8) && sum.isInteger(32));
  if (mmaVersion < 2 || !types || element != getElementTypeOrSelf(dot.getRhs().getType()))
    return {};
  unsigned rank = result.getRank();
  int64_t m = result.getDimSize(rank - 2), n = result.getDimSize(rank - 1);
  int64_t k = lhs.getDimSize(rank - 1);
  if (m < 16 || n < 8 || k < 8 * kWidthOf(element))
    return {};
  // Four warps multiply 64 rows together, 16 each.
  if (mmaVersion == 3 && rank == 2 && element.getIntOrFloatBitWidth() == 16 && sum.isF32() &&
      warps % 4 == 0 && m >= 16 * warps && n >= 16)
    return MmaLayoutAttr::get(context, 2, {warps, 1}, {16, 8});
  // Each warp a part about as high as wide, which shares most of its operands.
  SmallVector<int64_t> split(rank, 1);
  for (int64_t left = warps; left > 1; left /= 2) {
    int64_t height = m / (16 * split[rank - 2]), width = n / (8 * split[rank - 1]);
    (height * 2 >= width ? split[rank - 2] : split[rank - 1]) *= 2;
  }
  return MmaLayoutAttr::get(context, 2, split, {16, 8});
}

// Threads with blocks about as high as wide, so that each operand that they hold is used often.
BlockedLayoutAttr LayoutClasses::fmaLayout(DotOp dot) const {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(dot.getType()).getShape();
  size_t rank = shape.size(), row = rank - 2, column = rank - 1;
  SmallVector<int64_t> registers(rank, 1), laneSplit(rank, 1), warpSplit(rank, 1);
  int64_t each = std::max<int64_t>(1, ShapedType::getNumElements(shape) / (lanes * warps));
  registers[row] = std::min<int64_t>(4, shape[row]);
  registers[column] = std::min<int64_t>(4, shape[column]);
  while (registers[row] * registers[column] > each)
    (registers[row] >= registers[column] ? registers[row] : registers[column]) /= 2;
  laneSplit[column] = std::min<int64_t>({8, lanes, shape[column] / registers[column]});
  laneSplit[row] = lanes / laneSplit[column];
  warpSplit[row] = std::clamp<int64_t>(shape[row] / (registers[row] * laneSplit[row]), 1, warps);
  warpSplit[column] = warps / warpSplit[row];
  SmallVector<int64_t> order(llvm::reverse(llvm::seq<int64_t>(0, rank)));
  return BlockedLayoutAttr::get(context, registers, laneSplit, warpSplit, order);
}

LayoutInterface LayoutClasses::dotLayout(DotOp dot) const {
  LayoutInterface layout = layoutOf(dot.getResult());
  return isa<MmaLayoutAttr, BlockedLayoutAttr>(layout) ? layout
                                                       : shapeLayout(dot.getType().getShape());
}

LayoutInterface LayoutClasses::shapeLayout(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> order(llvm::reverse(llvm::seq<int64_t>(0, shape.size())));
  return blockedLayout(context, shape, order, 1, {lanes, warps});
}

LayoutInterface LayoutClasses::layoutOf(Value value) const {
  if (std::optional<unsigned> leader = classOf(value))
    return classes.find(*leader)->second.layout;
  return shapeLayout(cast<RankedTensorType>(value.getType()).getShape());
}

LayoutInterface LayoutClasses::accessLayout(Operation *access) const {
  const Class &members = classes.find(leaderOf(accessNodes.lookup(access)))->second;
  auto &wish =
      llvm::find_if(members.accesses, [&](auto &entry) { return entry.first == access; })->second;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(access->getOperand(0).getType()).getShape();
  BlockedLayoutAttr own = blockedLayout(context, shape, wish.order, wish.width, {lanes, warps});
  if (ShapedType::getNumElements(shape) <= lanes * warps)
    return members.layout; // too little to be worth a trip through shared memory
  // Memory is moved in sectors of 32 bytes: runs of that length lose little.
  Dim fastest = tensorDim(wish.order[0]);
  auto pointer = cast<PtrType>(getElementTypeOrSelf(access->getOperand(0).getType()));
  int64_t elementBytes = bytesOf(pointer.getPointee());
  int64_t run = runOfWarp(members.layout.toLinear(shape), fastest) * elementBytes;
  int64_t wished = runOfWarp(own.toLinear(shape), fastest) * elementBytes;
  return run >= std::min<int64_t>(32, wished) ? members.layout : LayoutInterface(own);
}
