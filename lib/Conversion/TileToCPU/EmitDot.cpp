// Dots, tiled for registers.
//
// Both operands are packed in scratch memory, in the type that products are summed in. A block of
// the result, `rows` x `lanes * vectors`, then stays in registers while k runs:
//
//   for m in steps of rows, n in steps of lanes * vectors:
//     C[r][v] = acc[m + r][n + v * lanes ...]
//     for k: for r: a = A[m + r][k] in all lanes;  for v: C[r][v] += a * B[k][n + v * lanes ...]
//
// Enough independent sums to hide the latency of a multiply-add: two vectors times four rows with
// 16 registers, eight rows with 32.
#include "Conversion/TileToCPU/Emitter.h"
#include "Conversion/TileToCPU/Planner.h"
#include "Conversion/TileToCPU/ShapeMaps.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::cpu;

// Sums in f16 and bf16 are carried in f32 and rounded once.
static Type sumType(Type accumulator) {
  auto number = dyn_cast<FloatType>(accumulator);
  return number && number.getWidth() < 32 ? Type(Float32Type::get(accumulator.getContext()))
                                          : accumulator;
}

SmallVector<WorkTile> cpu::workTiles(Operation *op) {
  auto dot = dyn_cast<tile::DotOp>(op);
  if (!dot)
    return {};
  auto shape = [](Value tile) { return SmallVector<int64_t>(shapeOf(tile)); };
  Type accumulator = getElementTypeOrSelf(dot.getAcc().getType());
  Type sum = sumType(accumulator);
  SmallVector<WorkTile> tiles = {{shape(dot.getLhs()), sum}, {shape(dot.getRhs()), sum}};
  if (sum != accumulator)
    tiles.push_back({shape(dot.getAcc()), sum});
  return tiles;
}

namespace {

int64_t largestDivisor(int64_t size, int64_t limit) {
  int64_t divisor = 1;
  while (divisor * 2 <= limit && size % (divisor * 2) == 0)
    divisor *= 2;
  return divisor;
}

// Products of one [M, K] x [K, N] in memory, at addresses.
struct Kernel {
  Emit e;
  Type type;
  llvm::function_ref<Value(int64_t)> constant;
  int64_t m = 1, n = 1, k = 1, rows = 1, lanes = 1, vectors = 1;
  Value a = {}, b = {}, c = {};

  unsigned bytes() { return storedBytes(type); }

  Value address(Value base, Value row, int64_t stride, Value column) {
    Value scaled = arith::MulIOp::create(e.b, e.loc, row, constant(stride));
    Value index = arith::AddIOp::create(e.b, e.loc, scaled, column);
    return elementAddress(e, base, type, index);
  }
  Value shifted(Value index, int64_t by) {
    return by ? arith::AddIOp::create(e.b, e.loc, index, constant(by)).getResult() : index;
  }
  Type vectorType() { return VectorType::get(lanes, type); }

  void emit() {
    Value zero = constant(0), one = constant(1);
    auto overM = scf::ForOp::create(e.b, e.loc, zero, constant(m), constant(rows));
    OpBuilder::InsertionGuard guard(e.b);
    e.b.setInsertionPointToStart(overM.getBody());
    auto overN = scf::ForOp::create(e.b, e.loc, zero, constant(n), constant(lanes * vectors));
    e.b.setInsertionPointToStart(overN.getBody());
    Value row = overM.getInductionVar(), column = overN.getInductionVar();
    SmallVector<Value> places, sums;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t v = 0; v < vectors; ++v) {
        places.push_back(address(c, shifted(row, r), n, shifted(column, v * lanes)));
        sums.push_back(loadFrom(e, vectorType(), places.back(), bytes()));
      }
    auto overK = scf::ForOp::create(e.b, e.loc, zero, constant(k), one, sums);
    {
      OpBuilder::InsertionGuard inner(e.b);
      e.b.setInsertionPointToEnd(overK.getBody());
      scf::YieldOp::create(e.b, e.loc,
                           step(row, column, overK.getInductionVar(), overK.getRegionIterArgs()));
    }
    for (auto [place, sum] : llvm::zip(places, overK.getResults()))
      storeTo(e, sum, place, bytes());
  }

  SmallVector<Value> step(Value row, Value column, Value depth, ValueRange sums) {
    SmallVector<Value> right, next;
    for (int64_t v = 0; v < vectors; ++v)
      right.push_back(
          loadFrom(e, vectorType(), address(b, depth, n, shifted(column, v * lanes)), bytes()));
    for (int64_t r = 0; r < rows; ++r) {
      Value left = loadFrom(e, type, address(a, shifted(row, r), k, depth), bytes());
      Value everywhere = splatVector(e, left, lanes);
      for (int64_t v = 0; v < vectors; ++v) {
        Value sum = sums[r * vectors + v];
        if (isa<FloatType>(type)) {
          next.push_back(multiplyAdd(e, everywhere, right[v], sum));
          continue;
        }
        Value product = arith::MulIOp::create(e.b, e.loc, everywhere, right[v]);
        next.push_back(arith::AddIOp::create(e.b, e.loc, sum, product));
      }
    }
    return next;
  }
};

} // namespace

void Emitter::emitDot(Operation *op) {
  auto dot = cast<tile::DotOp>(op);
  Buffer result = bufferOf(dot.getResult());
  Buffer lhs = workBuffer(op, 0), rhs = workBuffer(op, 1);
  bool separate = workTiles(op).size() == 3;
  Buffer sums = separate ? workBuffer(op, 2) : result;
  assignTile(dot.getLhs(), lhs);
  if (!failed)
    assignTile(dot.getRhs(), rhs);
  if (!failed && (separate || plan.placeOf(dot.getAcc()) != plan.placeOf(dot.getResult())))
    assignTile(dot.getAcc(), sums);
  if (failed)
    return;

  unsigned rank = lhs.shape.size();
  auto constant = [&](int64_t value) { return i64(value); };
  Kernel kernel{at(), sums.element, constant};
  kernel.m = lhs.shape[rank - 2];
  kernel.n = rhs.shape[rank - 1];
  kernel.k = lhs.shape[rank - 1];
  kernel.a = lhs.address;
  kernel.b = rhs.address;
  kernel.c = sums.address;
  int64_t perVector = options.vectorBits / sums.element.getIntOrFloatBitWidth();
  kernel.lanes = largestDivisor(kernel.n, perVector);
  kernel.vectors = largestDivisor(kernel.n / kernel.lanes, 2);
  kernel.rows = largestDivisor(kernel.m, options.vectorRegisters >= 32 ? 8 : 4);

  OpBuilder::InsertPoint end = b.saveInsertionPoint();
  if (rank == 3) {
    auto batches = scf::ForOp::create(b, loc, i64(0), i64(lhs.shape[0]), i64(1));
    b.setInsertionPointToStart(batches.getBody());
    auto advance = [&](Value base, int64_t elements) {
      Value index = arith::MulIOp::create(b, loc, batches.getInductionVar(), i64(elements));
      return elementAddress(at(), base, kernel.type, index);
    };
    kernel.a = advance(kernel.a, kernel.m * kernel.k);
    kernel.b = advance(kernel.b, kernel.k * kernel.n);
    kernel.c = advance(kernel.c, kernel.m * kernel.n);
  }
  kernel.emit();
  b.restoreInsertionPoint(end);
  if (separate)
    copyTile(sums, result);
}
