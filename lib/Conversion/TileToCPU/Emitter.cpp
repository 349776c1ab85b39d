#include "Conversion/TileToCPU/Emitter.h"

#include "Conversion/TileToCPU/Planner.h"
#include "Conversion/TileToCPU/ShapeMaps.h"
#include "Conversion/TileToCPU/TileToCPU.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

Emitter::Emitter(Operation *kernel, const Plan &plan, EmitOptions options)
    : kernel(kernel), plan(plan), options(options), b(kernel), loc(kernel->getLoc()) {}

Value Emitter::fail(Operation *op, const Twine &what) {
  if (!failed)
    op->emitError() << what;
  failed = true;
  return {};
}

Type Emitter::convertType(Type type) {
  if (isa<tile::PtrType>(type))
    return pointerType(type.getContext());
  if (auto number = dyn_cast<FloatType>(type); number && number.getWidth() == 8)
    return b.getI8Type();
  return type;
}

Value Emitter::i64(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder start = OpBuilder::atBlockBegin(entry);
    known = arith::ConstantOp::create(start, loc, start.getI64IntegerAttr(value));
  }
  return known;
}

Value Emitter::scalar(Value source) {
  Value emitted = scalars.lookup(source);
  assert((emitted || failed) && "scalar used before it was emitted");
  return emitted;
}

Buffer Emitter::bufferAt(int64_t offset, Type element, ArrayRef<int64_t> shape) {
  Value &address = scratchAddresses[offset];
  if (!address) {
    OpBuilder start = OpBuilder::atBlockBegin(entry);
    address = byteAddress({start, loc}, scratch, offset);
  }
  return {address, element, SmallVector<int64_t>(shape)};
}

static Type elementOf(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getElementType();
}

Buffer Emitter::bufferOf(Value tile) {
  return bufferAt(plan.offsets.at(plan.placeOf(tile)), elementOf(tile), shapeOf(tile));
}

Buffer Emitter::secondBufferOf(Value tile) {
  return bufferAt(plan.secondOffsets.at(plan.placeOf(tile)), elementOf(tile), shapeOf(tile));
}

Buffer Emitter::workBuffer(Operation *op, unsigned number) {
  WorkTile tile = workTiles(op)[number];
  return bufferAt(plan.workOffsets.at({op, number}), tile.element, tile.shape);
}

LogicalResult Emitter::run() {
  auto source = cast<func::FuncOp>(kernel);
  Type i32 = b.getI32Type(), pointer = pointerType(b.getContext());
  SmallVector<Type> types;
  for (Type type : source.getArgumentTypes()) {
    if (isTensor(type))
      return source.emitError() << "argument of type " << type << "; expected scalars and pointers";
    types.push_back(convertType(type));
  }
  types.append(6, i32);
  types.push_back(pointer);

  std::string symbol = source.getSymName().str();
  auto body = func::FuncOp::create(b, loc, symbol + ".program", b.getFunctionType(types, {}));
  body.setPrivate();
  body->setAttr("tile.internal", b.getUnitAttr());
  for (unsigned i = 0; i < source.getNumArguments(); ++i)
    if (source.getArgAttr(i, tile::noaliasAttr))
      body.setArgAttr(i, "llvm.noalias", b.getUnitAttr());
  body.setArgAttr(types.size() - 1, "llvm.noalias", b.getUnitAttr());

  entry = body.addEntryBlock();
  b.setInsertionPointToEnd(entry);
  unsigned count = source.getNumArguments();
  for (unsigned i = 0; i < count; ++i)
    scalars[source.getArgument(i)] = entry->getArgument(i);
  for (unsigned i = 0; i < 3; ++i) {
    programIds[i] = entry->getArgument(count + i);
    gridSizes[i] = entry->getArgument(count + 3 + i);
  }
  scratch = entry->getArgument(count + 6);
  emitBlock(source.getBody().front());
  if (failed) {
    body.erase();
    return failure();
  }
  func::ReturnOp::create(b, loc);

  b.setInsertionPoint(source);
  source.setSymName(symbol + ".tiles"); // makes room for the wrapper
  emitWrapper(symbol, body);
  source.erase();
  return success();
}

// The ABI of lib/Bundle: arguments from their slots, then the programs begin .. end with x fastest.
void Emitter::emitWrapper(StringRef symbol, Operation *bodyOp) {
  auto body = cast<func::FuncOp>(bodyOp);
  loc = kernel->getLoc();
  Type i64Type = b.getI64Type(), i32 = b.getI32Type(), pointer = pointerType(b.getContext());
  auto wrapper = func::FuncOp::create(
      b, loc, symbol, b.getFunctionType({pointer, pointer, i64Type, i64Type, pointer}, {}));
  wrapper->setAttr(scratchBytesAttr, b.getI64IntegerAttr(plan.scratchBytes));
  Block *block = wrapper.addEntryBlock();
  b.setInsertionPointToEnd(block);
  Value slots = block->getArgument(0), grid = block->getArgument(1);

  SmallVector<Value> arguments;
  unsigned count = body.getNumArguments() - 7;
  for (unsigned i = 0; i < count; ++i)
    arguments.push_back(loadValue(body.getArgumentTypes()[i], byteAddress(at(), slots, 8 * i)));
  Value sizes[3], wideSizes[2];
  for (unsigned i = 0; i < 3; ++i) {
    sizes[i] = loadFrom(at(), i32, byteAddress(at(), grid, 4 * i), 4);
    if (i < 2)
      wideSizes[i] = arith::ExtSIOp::create(b, loc, i64Type, sizes[i]);
  }

  auto constant = [&](int64_t value, Type type) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  Value begin = block->getArgument(2), end = block->getArgument(3);
  Value one64 = constant(1, i64Type), one = constant(1, i32), zero = constant(0, i32);
  Value some = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, begin, end);
  auto guard = scf::IfOp::create(b, loc, some, /*withElseRegion=*/false); // no division by 0 sizes
  b.setInsertionPointToStart(guard.thenBlock());
  auto narrow = [&](Value value) -> Value { return arith::TruncIOp::create(b, loc, i32, value); };
  Value row = arith::DivUIOp::create(b, loc, begin, wideSizes[0]);
  Value firstX = narrow(arith::RemUIOp::create(b, loc, begin, wideSizes[0]));
  Value firstY = narrow(arith::RemUIOp::create(b, loc, row, wideSizes[1]));
  Value firstZ = narrow(arith::DivUIOp::create(b, loc, row, wideSizes[1]));
  auto loop = scf::ForOp::create(b, loc, begin, end, one64, ValueRange{firstX, firstY, firstZ});
  b.setInsertionPointToStart(loop.getBody());
  Value x = loop.getRegionIterArg(0), y = loop.getRegionIterArg(1), z = loop.getRegionIterArg(2);
  arguments.append({x, y, z, sizes[0], sizes[1], sizes[2], block->getArgument(4)});
  func::CallOp::create(b, loc, body, arguments);

  auto equal = [&](Value lhs, Value rhs) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lhs, rhs);
  };
  auto choose = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  };
  Value nextX = arith::AddIOp::create(b, loc, x, one);
  Value endOfRow = equal(nextX, sizes[0]);
  Value nextY = arith::AddIOp::create(b, loc, y, one);
  Value endOfPlane = arith::AndIOp::create(b, loc, endOfRow, equal(nextY, sizes[1]));
  Value nextZ = arith::AddIOp::create(b, loc, z, one);
  scf::YieldOp::create(b, loc,
                       ValueRange{choose(endOfRow, zero, nextX),
                                  choose(endOfPlane, zero, choose(endOfRow, nextY, y)),
                                  choose(endOfPlane, nextZ, z)});
  b.setInsertionPointToEnd(block);
  func::ReturnOp::create(b, loc);
}

void Emitter::emitBlock(Block &block) {
  for (const Step &step : plan.steps.at(&block)) {
    if (failed)
      return;
    if (step.op) {
      loc = step.op->getLoc();
      emitOperation(step.op);
    } else {
      loc = step.group.members.front().op->getLoc();
      emitGroup(step.group);
    }
  }
}

void Emitter::emitOperation(Operation *op) {
  if (auto id = dyn_cast<tile::ProgramIdOp>(op)) {
    scalars[id.getResult()] = programIds[id.getAxis()];
    return;
  }
  if (auto number = dyn_cast<tile::NumProgramsOp>(op)) {
    scalars[number.getResult()] = gridSizes[number.getAxis()];
    return;
  }
  if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op))
    return emitAtomic(op);
  if (isa<tile::LoadOp, tile::StoreOp>(op))
    return emitScalarAccess(op);
  if (isa<tile::ScanOp>(op))
    return emitScan(op);
  if (isa<tile::DotOp>(op))
    return emitDot(op);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return emitFor(loop);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return emitWhile(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return emitIf(branch);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    if (isTensor(operand)) {
      fail(op, "'" + op->getName().getStringRef() + "' is not supported on CPUs");
      return;
    }
    operands.push_back(scalar(operand));
  }
  for (Value result : op->getResults()) {
    if (failed || isTensor(result)) {
      fail(op, "'" + op->getName().getStringRef() + "' is not supported on CPUs");
      return;
    }
    scalars[result] = scalarResult(result, operands);
  }
}
