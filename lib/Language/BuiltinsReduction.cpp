// Reductions and scans by a combining function; the named ones are library source.
#include "Language/Call.h"
#include "Language/Generator.h"

namespace teeny::lang {
namespace {

// The tiles to combine, all of one shape: one, or a tuple of several.
std::optional<llvm::SmallVector<Tensor>> sources(Call &call) {
  std::vector<Value> single{call[0]};
  llvm::SmallVector<Tensor> result;
  for (const Value &value : call[0].tuple() ? call[0].tuple()->items : single) {
    const Tensor *tensor = value.tensor();
    if (!tensor || !tensor->type.isTile()) {
      call.fail(call.builtin.fullName() + " combines the elements of tiles, found " +
                value.describe());
      return std::nullopt;
    }
    if (!result.empty() && result.front().type.shape != tensor->type.shape) {
      call.fail(call.builtin.fullName() + " of tiles of different shapes: " +
                result.front().type.name() + " and " + tensor->type.name());
      return std::nullopt;
    }
    result.push_back(*tensor);
  }
  if (result.empty()) {
    call.fail(call.builtin.fullName() + " of no tiles");
    return std::nullopt;
  }
  return result;
}

Value results(const Value &like, llvm::ArrayRef<Tensor> tensors) {
  if (!like.tuple())
    return tensors.front();
  return Value::tuple(std::vector<Value>(tensors.begin(), tensors.end()));
}

Value reduce(Call &call) {
  std::optional<llvm::SmallVector<Tensor>> tiles = sources(call);
  std::optional<bool> keepDims = tiles ? call.boolean(3, false) : std::nullopt;
  if (!keepDims)
    return {};
  unsigned rank = tiles->front().type.rank(), axis = 0;
  if (call.has(1)) {
    std::optional<unsigned> given = call.axis(call[1], rank);
    if (!given)
      return {};
    axis = *given;
  } else {
    for (Tensor &tile : *tiles)
      tile = call.semantics.reshape(tile, {tile.type.elements()});
  }
  llvm::SmallVector<Type> elements, reduced;
  llvm::SmallVector<mlir::Value> values, yields;
  for (const Tensor &tile : *tiles) {
    elements.push_back(Type(tile.type.element));
    reduced.push_back(tile.type);
    reduced.back().shape.erase(reduced.back().shape.begin() + axis);
    values.push_back(tile.value);
  }
  std::optional<DetachedRegion> combine = call.generator.combiner(call[2], elements, yields);
  if (!combine)
    return {};
  llvm::SmallVector<mlir::Value> raw =
      call.semantics.emit.reduce(values, axis, std::move(*combine), yields, reduced);
  llvm::SmallVector<Tensor> tensors;
  for (size_t i = 0; i != raw.size(); ++i) {
    Tensor result{raw[i], reduced[i]};
    if (*keepDims && call.has(1))
      result = call.semantics.expandDims(result, axis);
    for (unsigned dim = 0; *keepDims && !call.has(1) && dim != rank; ++dim)
      result = call.semantics.expandDims(result, 0);
    tensors.push_back(result);
  }
  return results(call[0], tensors);
}

Value scan(Call &call) {
  std::optional<llvm::SmallVector<Tensor>> tiles = sources(call);
  std::optional<unsigned> axis =
      tiles ? call.axis(call[1], tiles->front().type.rank()) : std::nullopt;
  std::optional<bool> reverse = axis ? call.boolean(3, false) : std::nullopt;
  if (!reverse)
    return {};
  llvm::SmallVector<Type> elements;
  llvm::SmallVector<mlir::Value> values, yields;
  for (const Tensor &tile : *tiles) {
    elements.push_back(Type(tile.type.element));
    values.push_back(tile.value);
  }
  std::optional<DetachedRegion> combine = call.generator.combiner(call[2], elements, yields);
  if (!combine)
    return {};
  llvm::SmallVector<mlir::Value> raw =
      call.semantics.emit.scan(values, *axis, *reverse, std::move(*combine), yields);
  llvm::SmallVector<Tensor> tensors;
  for (size_t i = 0; i != raw.size(); ++i)
    tensors.push_back({raw[i], (*tiles)[i].type});
  return results(call[0], tensors);
}

} // namespace

llvm::ArrayRef<Builtin> reductionBuiltins() {
  using B = Builtin;
  constexpr uint8_t both = B::language | B::member;
  static const Builtin table[] = {
      {"reduce", "input, axis, combine_fn, keep_dims=False", both, false, reduce},
      {"associative_scan", "input, axis, combine_fn, reverse=False", both, false, scan},
  };
  return table;
}

} // namespace teeny::lang
