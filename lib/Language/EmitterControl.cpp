// Functions, memory, reductions and control flow.
#include "Language/EmitterState.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"

namespace teeny::lang {

//===-- Regions -------------------------------------------------------------------------------===//

DetachedRegion::DetachedRegion(llvm::ArrayRef<mlir::Type> arguments, mlir::Location location)
    : region(std::make_unique<mlir::Region>()) {
  auto *block = new mlir::Block();
  region->push_back(block);
  for (mlir::Type type : arguments)
    block->addArgument(type, location);
}
DetachedRegion::DetachedRegion(DetachedRegion &&) = default;
DetachedRegion::~DetachedRegion() = default;

mlir::Value DetachedRegion::argument(unsigned index) const { return region->getArgument(index); }

void DetachedRegion::replaceArgument(unsigned index, mlir::Value value) {
  region->getArgument(index).replaceAllUsesWith(value);
  region->front().eraseArgument(index);
}

DetachedRegion Emitter::enterRegion(llvm::ArrayRef<mlir::Type> arguments) {
  DetachedRegion region(arguments, state->location);
  reenterRegion(region);
  return region;
}

void Emitter::reenterRegion(DetachedRegion &region) {
  state->outer.push_back(state->builder.saveInsertionPoint());
  state->builder.setInsertionPointToEnd(&region.region->front());
}

void Emitter::leaveRegion() {
  state->builder.restoreInsertionPoint(state->outer.back());
  state->outer.pop_back();
}

static llvm::SmallVector<mlir::Value> results(mlir::Operation *op) {
  return llvm::SmallVector<mlir::Value>(op->getResults());
}

// Gives `into` the body of `from`, ended by the terminator that `terminate` creates.
template <typename Terminate>
static void adopt(mlir::OpBuilder &builder, mlir::Region &into, mlir::Region &from,
                  Terminate terminate) {
  into.takeBody(from);
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&into.front());
  terminate();
}

llvm::SmallVector<mlir::Value> Emitter::branch(mlir::Value condition, DetachedRegion yes,
                                               llvm::ArrayRef<mlir::Value> yesYields,
                                               DetachedRegion no,
                                               llvm::ArrayRef<mlir::Value> noYields) {
  bool withElse = !no.region->front().empty() || !noYields.empty();
  auto op = state->create<mlir::scf::IfOp>(mlir::TypeRange(mlir::ValueRange(yesYields)), condition,
                                           /*addThenBlock=*/false, /*addElseBlock=*/false);
  adopt(state->builder, op.getThenRegion(), *yes.region,
        [&] { state->create<mlir::scf::YieldOp>(yesYields); });
  if (withElse)
    adopt(state->builder, op.getElseRegion(), *no.region,
          [&] { state->create<mlir::scf::YieldOp>(noYields); });
  return results(op);
}

llvm::SmallVector<mlir::Value> Emitter::loop(mlir::Value lower, mlir::Value upper, mlir::Value step,
                                             bool isUnsigned, llvm::ArrayRef<mlir::Value> inits,
                                             DetachedRegion body,
                                             llvm::ArrayRef<mlir::Value> yields,
                                             const LoopHints &hints) {
  auto op = state->create<mlir::scf::ForOp>(lower, upper, step, inits);
  adopt(state->builder, op.getRegion(), *body.region,
        [&] { state->create<mlir::scf::YieldOp>(yields); });
  op.setUnsignedCmp(isUnsigned);
  auto number = [&](llvm::StringRef name, std::optional<int64_t> value) {
    if (value)
      op->setAttr(name, state->builder.getI32IntegerAttr(int32_t(*value)));
  };
  auto flag = [&](llvm::StringRef name, bool value) {
    if (value)
      op->setAttr(name, state->builder.getUnitAttr());
  };
  number("tile.num_stages", hints.numStages);
  number("tile.unroll", hints.unroll);
  flag("tile.disallow_acc_multi_buffer", hints.disallowAccMultiBuffer);
  flag("tile.flatten", hints.flatten);
  flag("tile.warp_specialize", hints.warpSpecialize);
  flag("tile.disable_licm", hints.disableLicm);
  return results(op);
}

llvm::SmallVector<mlir::Value> Emitter::whileLoop(llvm::ArrayRef<mlir::Value> inits,
                                                  DetachedRegion before, mlir::Value condition,
                                                  llvm::ArrayRef<mlir::Value> beforeYields,
                                                  DetachedRegion after,
                                                  llvm::ArrayRef<mlir::Value> yields) {
  auto op = state->create<mlir::scf::WhileOp>(mlir::TypeRange(mlir::ValueRange(inits)), inits);
  adopt(state->builder, op.getBefore(), *before.region,
        [&] { state->create<mlir::scf::ConditionOp>(condition, beforeYields); });
  adopt(state->builder, op.getAfter(), *after.region,
        [&] { state->create<mlir::scf::YieldOp>(yields); });
  return results(op);
}

//===-- Functions -----------------------------------------------------------------------------===//

mlir::func::FuncOp Emitter::beginKernel(mlir::ModuleOp module, llvm::StringRef symbol,
                                        llvm::ArrayRef<Type> arguments, int numWarps) {
  llvm::SmallVector<mlir::Type> types;
  for (const Type &type : arguments)
    types.push_back(ir(type));
  auto type = mlir::FunctionType::get(context(), types, {});
  state->builder.setInsertionPointToEnd(module.getBody());
  auto kernel = state->create<mlir::func::FuncOp>(symbol, type);
  kernel->setAttr(tile::kernelAttr, state->builder.getUnitAttr());
  kernel->setAttr(tile::numWarpsAttr, state->builder.getI32IntegerAttr(numWarps));
  state->builder.setInsertionPointToStart(kernel.addEntryBlock());
  return kernel;
}

void Emitter::argumentFacts(mlir::func::FuncOp kernel, unsigned index, llvm::StringRef name,
                            int64_t divisibility, std::optional<std::pair<int64_t, int64_t>> range,
                            bool noalias) {
  mlir::Builder &builder = state->builder;
  kernel.setArgAttr(index, tile::nameAttr, builder.getStringAttr(name));
  if (divisibility > 1)
    kernel.setArgAttr(index, tile::divisibilityAttr, builder.getI64IntegerAttr(divisibility));
  if (range)
    kernel.setArgAttr(index, tile::rangeAttr,
                      builder.getDenseI64ArrayAttr({range->first, range->second}));
  if (noalias)
    kernel.setArgAttr(index, tile::noaliasAttr, builder.getUnitAttr());
}

mlir::Value Emitter::argument(mlir::func::FuncOp kernel, unsigned index) {
  return kernel.getArgument(index);
}

void Emitter::endKernel(mlir::func::FuncOp kernel, bool keep) {
  if (keep)
    state->create<mlir::func::ReturnOp>();
  else
    kernel.erase();
}

//===-- Memory --------------------------------------------------------------------------------===//

mlir::Value Emitter::addPointer(mlir::Value pointer, mlir::Value offset) {
  return state->create<tile::AddPtrOp>(pointer, offset);
}
static void setHints(mlir::Operation *op, const AccessHints &access) {
  mlir::MLIRContext *context = op->getContext();
  if (!access.cache.empty())
    op->setAttr(tile::cacheAttr, mlir::StringAttr::get(context, access.cache));
  if (!access.eviction.empty())
    op->setAttr(tile::evictionAttr, mlir::StringAttr::get(context, access.eviction));
  if (access.isVolatile)
    op->setAttr(tile::volatileAttr, mlir::UnitAttr::get(context));
}
mlir::Value Emitter::load(mlir::Value pointer, mlir::Value mask, mlir::Value other) {
  auto op = state->create<tile::LoadOp>(pointer, mask, other);
  setHints(op, access);
  return op;
}
void Emitter::store(mlir::Value pointer, mlir::Value value, mlir::Value mask) {
  setHints(state->create<tile::StoreOp>(pointer, value, mask), access);
}

static tile::MemoryOrder order(MemoryOrder order) {
  static const tile::MemoryOrder orders[] = {tile::MemoryOrder::relaxed, tile::MemoryOrder::acquire,
                                             tile::MemoryOrder::release,
                                             tile::MemoryOrder::acq_rel};
  return orders[unsigned(order)];
}
static tile::MemoryScope scope(MemoryScope scope) {
  static const tile::MemoryScope scopes[] = {tile::MemoryScope::block, tile::MemoryScope::gpu,
                                             tile::MemoryScope::system};
  return scopes[unsigned(scope)];
}

mlir::Value Emitter::atomic(AtomicKind kind, MemoryOrder memoryOrder, MemoryScope memoryScope,
                            mlir::Value pointer, mlir::Value value, mlir::Value mask) {
  using K = tile::AtomicOperation;
  static const K kinds[] = {K::exchange, K::add,  K::fadd, K::smax, K::smin,
                            K::umax,     K::umin, K::andi, K::ori,  K::xori};
  return state->create<tile::AtomicRMWOp>(value.getType(), kinds[unsigned(kind)], pointer, value,
                                          mask, order(memoryOrder), scope(memoryScope));
}
mlir::Value Emitter::compareAndSwap(MemoryOrder memoryOrder, MemoryScope memoryScope,
                                    mlir::Value pointer, mlir::Value compare, mlir::Value value) {
  return state->create<tile::AtomicCASOp>(value.getType(), pointer, compare, value,
                                          order(memoryOrder), scope(memoryScope));
}
void Emitter::barrier() { state->create<tile::BarrierOp>(); }

void Emitter::print(llvm::StringRef prefix, bool hex, llvm::ArrayRef<bool> isSigned,
                    llvm::ArrayRef<mlir::Value> sources) {
  state->create<tile::PrintOp>(prefix, hex, isSigned, mlir::ValueRange(sources));
}

void Emitter::assertion(mlir::Value condition, llvm::StringRef message, llvm::StringRef file,
                        unsigned line, llvm::StringRef function) {
  state->create<tile::AssertOp>(condition, message, file, line, function);
}

//===-- Across elements -----------------------------------------------------------------------===//

mlir::Value Emitter::dot(mlir::Value lhs, mlir::Value rhs, mlir::Value acc,
                         DotPrecision precision) {
  static const tile::DotPrecision precisions[] = {
      tile::DotPrecision::ieee, tile::DotPrecision::tf32, tile::DotPrecision::tf32x3};
  return state->create<tile::DotOp>(acc.getType(), lhs, rhs, acc, precisions[unsigned(precision)]);
}

llvm::SmallVector<mlir::Value> Emitter::reduce(llvm::ArrayRef<mlir::Value> sources, unsigned axis,
                                               DetachedRegion combine,
                                               llvm::ArrayRef<mlir::Value> yields,
                                               llvm::ArrayRef<Type> types) {
  llvm::SmallVector<mlir::Type> resultTypes;
  for (const Type &type : types)
    resultTypes.push_back(ir(type));
  auto op = state->create<tile::ReduceOp>(resultTypes, sources, axis);
  adopt(state->builder, op.getCombine(), *combine.region,
        [&] { state->create<tile::YieldOp>(yields); });
  return results(op);
}

llvm::SmallVector<mlir::Value> Emitter::scan(llvm::ArrayRef<mlir::Value> sources, unsigned axis,
                                             bool reverse, DetachedRegion combine,
                                             llvm::ArrayRef<mlir::Value> yields) {
  llvm::SmallVector<mlir::Type> resultTypes;
  for (mlir::Value source : sources)
    resultTypes.push_back(source.getType());
  auto op = state->create<tile::ScanOp>(resultTypes, sources, axis, reverse);
  adopt(state->builder, op.getCombine(), *combine.region,
        [&] { state->create<tile::YieldOp>(yields); });
  return results(op);
}

} // namespace teeny::lang
