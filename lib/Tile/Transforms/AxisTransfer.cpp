#include "Tile/Transforms/AxisTransfer.h"

#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace teeny::tile;

int64_t teeny::tile::powerOfTwoIn(int64_t value) {
  if (value == 0)
    return largestPowerOfTwo;
  return std::min(largestPowerOfTwo, int64_t(1) << llvm::countr_zero(uint64_t(value)));
}

namespace {

using Facts = AxisInfo::Dim;

int64_t product(int64_t a, int64_t b) {
  return a >= largestPowerOfTwo / b ? largestPowerOfTwo : a * b;
}

class Transfer {
public:
  Transfer(Operation *op, OpResult result, ArrayRef<AxisInfo> in,
           function_ref<IntegerValueRange(Value)> range)
      : op(op), in(in), range(range), type(dyn_cast<RankedTensorType>(result.getType())),
        out(AxisInfo::unknown(result.getType())) {}

  AxisInfo run() {
    APInt constant;
    if (matchPattern(op, m_ConstantInt(&constant))) {
      if (constant.getSignificantBits() <= 64)
        everywhere(constant.getSExtValue());
      return out;
    }
    return TypeSwitch<Operation *, AxisInfo>(op)
        .Case([&](ArangeOp op) { return arange(op); })
        .Case([&](SplatOp) { return splat(); })
        .Case([&](ExpandDimsOp op) { return expandDims(op.getAxis()); })
        .Case([&](BroadcastOp) { return broadcast(); })
        .Case([&](TransOp op) { return trans(op.getOrder()); })
        .Case([&](ReshapeOp op) { return reshape(); })
        .Case([&](JoinOp) { return join(); })
        .Case([&](SplitOp) { return split(); })
        .Case<ConvertLayoutOp>([&](auto) { return in[0]; })
        .Case([&](AddPtrOp) { return addPtr(); })
        .Case<PtrCastOp, PtrToIntOp, IntToPtrOp>([&](auto) { return sameAddress(); })
        .Case([&](LoadOp op) { return load(op); })
        .Case<arith::AddIOp>([&](auto) { return add(in[0], in[1]); })
        .Case<arith::SubIOp>([&](auto) { return subtract(); })
        .Case<arith::MulIOp>([&](auto) { return multiply(in[0], in[1]); })
        .Case<arith::ShLIOp>([&](auto) { return shiftLeft(); })
        .Case<arith::DivSIOp, arith::DivUIOp>([&](auto) { return divide(); })
        .Case<arith::ShRSIOp, arith::ShRUIOp>([&](auto) { return shiftRight(); })
        .Case<arith::RemSIOp, arith::RemUIOp>([&](auto) { return remainder(); })
        .Case<arith::AndIOp>([&](auto) { return bitAnd(); })
        .Case([&](arith::CmpIOp op) { return compare(op.getPredicate()); })
        .Case<arith::SelectOp>([&](auto) { return select(); })
        .Case<arith::ExtSIOp>([&](auto) { return extend(in[0], op->getOperand(0), true); })
        .Case<arith::ExtUIOp>([&](auto) { return extend(in[0], op->getOperand(0), false); })
        .Case<arith::IndexCastOp>([&](auto) { return extend(in[0], op->getOperand(0), true); })
        .Case<arith::TruncIOp>([&](auto) { return in[0]; })
        .Default([&](Operation *) { return elementwise(); });
  }

private:
  unsigned rank() const { return out.dims.size(); }
  int64_t size(unsigned dim) const { return type ? type.getDimSize(dim) : 1; }

  // Equal elements, whatever they are: in groups where all operands' are.
  AxisInfo elementwise() {
    if (!op->hasTrait<OpTrait::Elementwise>() || in.empty())
      return out;
    for (unsigned i = 0; i < rank(); ++i) {
      out.dims[i].constancy = std::numeric_limits<int64_t>::max();
      for (const AxisInfo &operand : in)
        out.dims[i].constancy = std::min(out.dims[i].constancy, operand.dims[i].constancy);
    }
    return out;
  }

  void everywhere(int64_t value) {
    out.constant = value;
    for (unsigned i = 0; i < rank(); ++i)
      out.dims[i] = {1, powerOfTwoIn(size(i)), powerOfTwoIn(value)};
  }

  //===-- Making and shaping tiles
  //--------------------------------------------------------------===//

  AxisInfo arange(ArangeOp op) {
    int64_t run = powerOfTwoIn(size(0)), start = int32_t(op.getStart());
    // One run begins at the start; several are a multiple of their length further each.
    int64_t divisor = run == size(0) ? powerOfTwoIn(start) : std::min(run, powerOfTwoIn(start));
    out.dims[0] = {run, 1, divisor};
    return out;
  }

  AxisInfo splat() {
    for (unsigned i = 0; i < rank(); ++i)
      out.dims[i] = {1, powerOfTwoIn(size(i)), in[0].dims[0].divisibility};
    out.constant = in[0].constant;
    return out;
  }

  AxisInfo expandDims(unsigned axis) {
    Facts added{1, 1, in[0].divisibilityOfAll()};
    out = in[0];
    out.dims.insert(out.dims.begin() + axis, added);
    return out;
  }

  AxisInfo broadcast() {
    auto source = cast<RankedTensorType>(op->getOperand(0).getType());
    out = in[0];
    for (unsigned i = 0; i < rank(); ++i)
      if (source.getDimSize(i) == 1)
        out.dims[i] = {1, powerOfTwoIn(size(i)), in[0].divisibilityAt(i, 1)};
    return out;
  }

  AxisInfo trans(ArrayRef<int32_t> order) {
    out = in[0];
    for (auto [i, dim] : llvm::enumerate(order))
      out.dims[i] = in[0].dims[dim];
    return out;
  }

  // Neighbours along the last dim stay neighbours, as far as both last dims go in step.
  AxisInfo reshape() {
    auto source = cast<RankedTensorType>(op->getOperand(0).getType());
    for (Facts &dim : out.dims)
      dim.divisibility = in[0].divisibilityOfAll();
    unsigned from = source.getRank() - 1, to = rank() - 1;
    int64_t common =
        std::min(powerOfTwoIn(source.getDimSize(from)), powerOfTwoIn(type.getDimSize(to)));
    Facts &last = out.dims[to];
    last.contiguity = std::min(in[0].dims[from].contiguity, common);
    last.constancy = std::min(in[0].dims[from].constancy, common);
    last.divisibility = in[0].divisibilityAt(from, last.contiguity);
    out.constant = in[0].constant;
    return out;
  }

  AxisInfo join() {
    AxisInfo both = AxisInfo::join(in[0], in[1]);
    out.constant = both.constant;
    llvm::copy(both.dims, out.dims.begin());
    out.dims.back() = {1, 1, both.divisibilityOfAll()};
    return out;
  }

  AxisInfo split() {
    out = in[0];
    out.dims.pop_back();
    return out;
  }

  //===-- Pointers
  //------------------------------------------------------------------------------===//

  AxisInfo addPtr() {
    AxisInfo offset = extend(in[1], op->getOperand(1), true);
    for (unsigned i = 0; i < rank(); ++i) {
      const Facts &pointer = in[0].dims[i], &index = offset.dims[i];
      Facts &sum = out.dims[i];
      sum.contiguity = std::max(std::min(pointer.contiguity, index.constancy),
                                std::min(pointer.constancy, index.contiguity));
      sum.constancy = std::min(pointer.constancy, index.constancy);
      sum.divisibility =
          std::min(in[0].divisibilityAt(i, sum.contiguity),
                   product(offset.divisibilityAt(i, sum.contiguity), powerOfTwoIn(out.unit)));
    }
    return out;
  }

  AxisInfo sameAddress() {
    if (out.unit == in[0].unit)
      return in[0];
    for (unsigned i = 0; i < rank(); ++i)
      out.dims[i] = {1, in[0].dims[i].constancy, in[0].divisibilityAt(i, 1)};
    return out;
  }

  AxisInfo load(LoadOp load) {
    for (unsigned i = 0; i < rank(); ++i) {
      int64_t constancy = std::numeric_limits<int64_t>::max();
      for (const AxisInfo &operand : in)
        constancy = std::min(constancy, operand.dims[i].constancy);
      out.dims[i].constancy = constancy;
    }
    return out;
  }

  //===-- Arithmetic
  //----------------------------------------------------------------------------===//

  AxisInfo add(const AxisInfo &lhs, const AxisInfo &rhs) {
    for (unsigned i = 0; i < rank(); ++i) {
      const Facts &a = lhs.dims[i], &b = rhs.dims[i];
      Facts &sum = out.dims[i];
      sum.contiguity =
          std::max(std::min(a.contiguity, b.constancy), std::min(a.constancy, b.contiguity));
      sum.constancy = std::min(a.constancy, b.constancy);
      sum.divisibility =
          std::min(lhs.divisibilityAt(i, sum.contiguity), rhs.divisibilityAt(i, sum.contiguity));
    }
    return out;
  }

  AxisInfo subtract() {
    for (unsigned i = 0; i < rank(); ++i) {
      const Facts &a = in[0].dims[i], &b = in[1].dims[i];
      Facts &difference = out.dims[i];
      difference.contiguity = std::min(a.contiguity, b.constancy);
      difference.constancy = std::min(a.constancy, b.constancy);
      difference.divisibility = std::min(in[0].divisibilityAt(i, difference.contiguity),
                                         in[1].divisibilityAt(i, difference.contiguity));
    }
    return out;
  }

  AxisInfo multiply(const AxisInfo &lhs, const AxisInfo &rhs) {
    if (rhs.constant == 1)
      return lhs;
    if (lhs.constant == 1)
      return rhs;
    for (unsigned i = 0; i < rank(); ++i)
      out.dims[i] = {1, std::min(lhs.dims[i].constancy, rhs.dims[i].constancy),
                     product(lhs.divisibilityAt(i, 1), rhs.divisibilityAt(i, 1))};
    return out;
  }

  // The facts of a power of two.
  AxisInfo power(int64_t value) {
    AxisInfo info = AxisInfo::unknown(op->getResult(0).getType());
    info.constant = value;
    for (unsigned i = 0; i < rank(); ++i)
      info.dims[i] = {1, powerOfTwoIn(size(i)), value};
    return info;
  }

  // The power of two that a shift by the second operand multiplies or divides by.
  std::optional<AxisInfo> shifted() {
    std::optional<int64_t> bits = in[1].constant;
    return bits && *bits >= 0 && (int64_t(1) << std::min<int64_t>(*bits, 62)) <= largestPowerOfTwo
               ? std::optional(power(int64_t(1) << *bits))
               : std::nullopt;
  }

  AxisInfo shiftLeft() {
    std::optional<AxisInfo> factor = shifted();
    return factor ? multiply(in[0], *factor) : elementwise();
  }

  bool notNegative(Value value) {
    IntegerValueRange known = range(value);
    return !known.isUninitialized() && known.getValue().smin().isNonNegative();
  }

  // The largest aligned groups of neighbours in x that no multiple of a constant y splits.
  int64_t groupWithin(unsigned dim, const AxisInfo &x, const AxisInfo &y) {
    int64_t group = std::min(x.dims[dim].contiguity, y.dims[dim].constancy);
    return std::min({group, x.divisibilityAt(dim, group), y.divisibilityAt(dim, 1)});
  }

  // Division that rounds down, which the signed one does not below 0.
  AxisInfo divideDown(const AxisInfo &x, const AxisInfo &divisor) {
    if (divisor.constant == 1)
      return x;
    for (unsigned i = 0; i < rank(); ++i) {
      int64_t constancy = std::min(x.dims[i].constancy, divisor.dims[i].constancy);
      int64_t all = x.divisibilityAt(i, 1), quotient = 1;
      if (divisor.constant && llvm::isPowerOf2_64(*divisor.constant))
        quotient = std::max<int64_t>(1, all / *divisor.constant);
      out.dims[i] = {1, std::max(constancy, groupWithin(i, x, divisor)), quotient};
    }
    return out;
  }

  AxisInfo divide() {
    bool down = isa<arith::DivUIOp>(op) || in[1].constant == 1 || notNegative(op->getOperand(0));
    return down ? divideDown(in[0], in[1]) : elementwise();
  }

  AxisInfo shiftRight() {
    std::optional<AxisInfo> divisor = shifted();
    return divisor ? divideDown(in[0], *divisor) : elementwise();
  }

  AxisInfo modulo(const AxisInfo &x, const AxisInfo &divisor) {
    for (unsigned i = 0; i < rank(); ++i) {
      int64_t group = groupWithin(i, x, divisor);
      out.dims[i] = {group, std::min(x.dims[i].constancy, divisor.dims[i].constancy),
                     std::min(x.divisibilityAt(i, group), divisor.divisibilityAt(i, 1))};
    }
    return out;
  }

  AxisInfo remainder() {
    if (isa<arith::RemUIOp>(op) || notNegative(op->getOperand(0)))
      return modulo(in[0], in[1]);
    elementwise();
    for (unsigned i = 0; i < rank(); ++i)
      out.dims[i].divisibility = std::min(in[0].divisibilityAt(i, 1), in[1].divisibilityAt(i, 1));
    return out;
  }

  // With a mask of low bits it is a remainder, with one of high bits a rounding down.
  AxisInfo bitAnd() {
    for (unsigned mask : {1, 0}) {
      const AxisInfo &x = in[1 - mask];
      int64_t bits = in[mask].constant.value_or(0);
      if (bits > 0 && bits < largestPowerOfTwo && llvm::isPowerOf2_64(bits + 1))
        return modulo(x, power(bits + 1));
      if (bits < -1 && bits >= -largestPowerOfTwo && llvm::isPowerOf2_64(-bits)) {
        divideDown(x, power(-bits));
        for (unsigned i = 0; i < rank(); ++i)
          out.dims[i].divisibility = std::max(-bits, x.divisibilityAt(i, 1));
        return out;
      }
    }
    return elementwise();
  }

  //===-- Choice
  //--------------------------------------------------------------------------------===//

  // x < y with x in groups of neighbours and y constant over them: a group whose first element and
  // whose y are multiples of its size is below y as a whole, or not at all. So for x >= y, y > x, y
  // <= x.
  AxisInfo compare(arith::CmpIPredicate predicate) {
    using P = arith::CmpIPredicate;
    elementwise();
    bool leftRuns = llvm::is_contained({P::slt, P::sge, P::ult, P::uge}, predicate);
    bool rightRuns = llvm::is_contained({P::sgt, P::sle, P::ugt, P::ule}, predicate);
    for (unsigned i = 0; i < rank(); ++i)
      if (leftRuns || rightRuns)
        out.dims[i].constancy =
            std::max(out.dims[i].constancy,
                     leftRuns ? groupWithin(i, in[0], in[1]) : groupWithin(i, in[1], in[0]));
    return out;
  }

  AxisInfo select() {
    AxisInfo both = AxisInfo::join(in[1], in[2]);
    for (unsigned i = 0; i < rank(); ++i) {
      int64_t choice = in[0].dims.size() == rank() ? in[0].dims[i].constancy : size(i);
      Facts &dim = both.dims[i];
      dim.contiguity = std::min(dim.contiguity, choice);
      dim.constancy = std::min(dim.constancy, choice);
      dim.divisibility = std::min(in[1].divisibilityAt(i, dim.contiguity),
                                  in[2].divisibilityAt(i, dim.contiguity));
    }
    return both;
  }

  // A wider integer. Groups that could wrap in the narrow one are neighbours no longer.
  AxisInfo extend(AxisInfo info, Value value, bool isSigned) {
    if (isa<IndexType>(getElementTypeOrSelf(value.getType())))
      return info;
    IntegerValueRange known = range(value);
    bool wraps =
        known.isUninitialized() ||
        (isSigned ? known.getValue().smin().isMinSignedValue() &&
                        known.getValue().smax().isMaxSignedValue()
                  : known.getValue().umin().isMinValue() && known.getValue().umax().isMaxValue());
    for (unsigned i = 0; wraps && i < info.dims.size(); ++i) {
      int64_t group = std::min(info.dims[i].contiguity, info.dims[i].divisibility);
      info.dims[i].divisibility = info.divisibilityAt(i, group);
      info.dims[i].contiguity = group;
    }
    if (info.constant && *info.constant < 0 && !isSigned)
      info.constant.reset();
    return info;
  }

  Operation *op;
  ArrayRef<AxisInfo> in;
  function_ref<IntegerValueRange(Value)> range;
  RankedTensorType type;
  AxisInfo out;
};

} // namespace

AxisInfo teeny::tile::transferAxisInfo(Operation *op, OpResult result, ArrayRef<AxisInfo> operands,
                                       function_ref<IntegerValueRange(Value)> range) {
  return Transfer(op, result, operands, range).run();
}
