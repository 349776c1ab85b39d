// Making tiles, and their shapes.
#include "Language/Call.h"

#include <set>

namespace teeny::lang {
namespace {

Value arange(Call &call) {
  std::optional<Integer> start = call.integer(0), end = start ? call.integer(1) : std::nullopt;
  if (!start || !end)
    return {};
  std::string range = "tl.arange(" + toString(*start) + ", " + toString(*end) + ")";
  if (*start < INT32_MIN || *end > INT32_MAX)
    return call.fail(range + " does not fit in int32");
  if (*end <= *start)
    return call.fail(range + " is empty");
  Integer size = *end - *start;
  if ((size & (size - 1)) != 0)
    return call.fail(range + " has " + toString(size) + " elements, which is no power of two",
                     "round up, and mask what is too much");
  if (size > maxTileElements)
    return call.fail(range + " has more than " + std::to_string(maxTileElements) + " elements");
  return Tensor{call.semantics.emit.arange(int64_t(*start), int64_t(*end)),
                Type(ScalarType::int32).withShape({int64_t(size)})};
}

Value full(Call &call) {
  std::optional<llvm::SmallVector<int64_t>> shape = call.integers(0);
  std::optional<ElementType> element = shape ? call.elementType(2) : std::nullopt;
  if (!element || !call.semantics.checkShape(*shape))
    return {};
  if (!call[1].isNumber() && !call[1].tensor())
    return call.fail(call.parameter(1) + " must be a number or scalar, found " +
                     call[1].describe());
  Tensor scalar;
  if (call[1].tensor()) {
    scalar = call.semantics.cast(call.semantics.toScalar(*call[1].tensor()), *element);
  } else if (element->isPointer() || (element->isInteger() && !call[1].asInteger())) {
    scalar = call.semantics.cast(call.semantics.toTensor(call[1]), *element);
  } else {
    scalar = call.semantics.number(call[1], *element);
  }
  return call.semantics.splat(scalar, *shape);
}

Value broadcast(Call &call) {
  Tensor lhs = call.tensor(0), rhs = lhs ? call.tensor(1) : Tensor();
  if (!rhs || !call.semantics.broadcastPair(lhs, rhs, "tl.broadcast"))
    return {};
  return Value::tuple({lhs, rhs});
}

Value broadcastTo(Call &call) {
  Tensor value = call.tensor(0);
  std::optional<llvm::SmallVector<int64_t>> shape = value ? call.restIntegers() : std::nullopt;
  if (!shape || !call.semantics.checkShape(*shape))
    return {};
  return call.semantics.broadcastTo(value, *shape);
}

Value reshape(Call &call) {
  Tensor value = call.tensor(0);
  std::optional<llvm::SmallVector<int64_t>> shape = value ? call.restIntegers() : std::nullopt;
  return shape ? call.semantics.reshape(value, *shape) : Tensor();
}

Value item(Call &call) {
  Tensor value = call.tensor(0);
  return value ? call.semantics.toScalar(value) : Tensor();
}

Value expandDims(Call &call) {
  Tensor value = call.tensor(0);
  if (!value)
    return {};
  std::vector<Value> axes{call[1]};
  if (call[1].tuple())
    axes = call[1].tuple()->items;
  std::set<unsigned> sorted;
  for (const Value &axis : axes) {
    std::optional<unsigned> at = call.axis(axis, value.type.rank() + unsigned(axes.size()));
    if (!at)
      return {};
    if (!sorted.insert(*at).second)
      return call.fail("axis " + std::to_string(*at) + " is twice in the axes of tl.expand_dims");
  }
  for (unsigned axis : sorted)
    value = call.semantics.expandDims(value, axis);
  return value;
}

// Without dims, the last two are exchanged.
Value transpose(Call &call) {
  Tensor value = call.tensor(0);
  if (!value)
    return {};
  if (!call.rest().empty()) {
    std::optional<llvm::SmallVector<int64_t>> order = call.restIntegers();
    return order ? call.semantics.permute(value, *order) : Tensor();
  }
  if (value.type.rank() < 2)
    return call.fail(call.builtin.fullName() + " of " + value.type.name() +
                     ", which has less than two dims");
  llvm::SmallVector<int64_t> order;
  for (unsigned dim = 0; dim != value.type.rank(); ++dim)
    order.push_back(dim);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return call.semantics.permute(value, order);
}

Value permute(Call &call) {
  Tensor value = call.tensor(0);
  std::optional<llvm::SmallVector<int64_t>> order = value ? call.restIntegers() : std::nullopt;
  return order ? call.semantics.permute(value, *order) : Tensor();
}

Value join(Call &call) {
  Tensor lhs = call.tensor(0), rhs = lhs ? call.tensor(1) : Tensor();
  return rhs ? call.semantics.join(lhs, rhs) : Tensor();
}

Value split(Call &call) {
  Tensor value = call.tensor(0);
  auto [lhs, rhs] = call.semantics.split(value);
  return lhs && rhs ? Value::tuple({lhs, rhs}) : Value();
}

Value cast(Call &call) {
  static const llvm::StringRef roundings[] = {"rtne", "rtz"};
  Tensor value = call.tensor(0);
  std::optional<ElementType> element = value ? call.elementType(1) : std::nullopt;
  if (!element)
    return {};
  std::optional<unsigned> rounding = call.word(2, roundings, 2);
  std::optional<bool> bitcast = call.boolean(3, false);
  if (!rounding || !bitcast)
    return {};
  if (*bitcast)
    return call.semantics.bitcast(value, *element);
  static const Rounding modes[] = {Rounding::nearestEven, Rounding::towardZero,
                                   Rounding::unspecified};
  return call.semantics.cast(value, *element, modes[*rounding]);
}

Value toTensor(Call &call) { return call.tensor(0); }

} // namespace

llvm::ArrayRef<Builtin> shapeBuiltins() {
  using B = Builtin;
  constexpr uint8_t both = B::language | B::member;
  static const Builtin table[] = {
      {"arange", "start, end", B::language, false, arange},
      {"full", "shape, value, dtype", B::language, false, full},
      {"broadcast", "input, other", B::language, false, broadcast},
      {"broadcast_to", "input, *shape", both, false, broadcastTo},
      {"reshape", "input, *shape, can_reorder=False", both, false, reshape},
      {"view", "input, *shape", both, false, reshape},
      {"item", "input", both, false, item},
      {"expand_dims", "input, axis", both, false, expandDims},
      {"trans", "input, *dims", both, false, transpose},
      {"permute", "input, *dims", both, false, permute},
      {"join", "a, b", B::language, false, join},
      {"split", "a", both, false, split},
      {"cast", "input, dtype, fp_downcast_rounding=None, bitcast=False", both, false, cast},
      {"to", "input, dtype, fp_downcast_rounding=None, bitcast=False", B::member, false, cast},
      {"to_tensor", "x", B::language, false, toTensor},
  };
  return table;
}

} // namespace teeny::lang
