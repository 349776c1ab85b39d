// Nodes that become views and movements of data.
#include "Graph/Transforms/NodeExpansion.h"

#include "Support/Diagnostics.h"

#include "llvm/ADT/SmallSet.h"

using namespace mlir;
using namespace teeny;
using namespace teeny::graph;

// Flatten, squeeze, unsqueeze and transpose.
Value NodeExpansion::expandView() {
  Named x = get("x");
  Shape from = shapeOf(x.value), to;
  int64_t rank = from.size();
  StringRef kind = node.getKind();
  if (kind == "flatten") {
    if (rank == 0)
      return reshape(x.value, {Expr(1)}, "view");
    std::optional<int64_t> start = axis(integer("start", 0), rank, "start"),
                           end = axis(integer("end", -1), rank, "end");
    if (!start || !end)
      return {};
    if (*start > *end) {
      error(node.getLoc()) << "'start' is dim " << *start << ", after 'end', dim " << *end;
      return {};
    }
    ArrayRef<Expr> sizes = from;
    to.append(sizes.begin(), sizes.begin() + *start);
    to.push_back(product(sizes.slice(*start, *end - *start + 1)));
    to.append(sizes.begin() + *end + 1, sizes.end());
    return reshape(x.value, to, "view");
  }

  bool isTranspose = kind == "transpose";
  StringRef attribute = isTranspose ? "permutation" : "axes";
  ArrayRef<int64_t> given = *list(attribute);
  int64_t among = kind == "unsqueeze" ? rank + int64_t(given.size()) : rank;
  SmallVector<int64_t> axes;
  for (int64_t value : given) {
    std::optional<int64_t> dim = axis(value, among, attribute);
    if (!dim)
      return {};
    if (llvm::is_contained(axes, *dim)) {
      error(attributeLoc(node, attribute)) << "'" << attribute << "' has dim " << *dim << " twice";
      return {};
    }
    axes.push_back(*dim);
  }
  if (isTranspose) {
    if (int64_t(axes.size()) == rank)
      return permute(x.value, axes, "view");
    error(attributeLoc(node, attribute))
        << "'permutation' has " << counted(axes.size(), "dim") << ", 'x' has " << rank;
    return {};
  }
  if (kind == "unsqueeze") {
    size_t next = 0;
    for (int64_t dim = 0; dim < among; ++dim)
      to.push_back(llvm::is_contained(axes, dim) ? Expr(1) : from[next++]);
    return reshape(x.value, to, "view");
  }
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!llvm::is_contained(axes, dim))
      to.push_back(from[dim]);
    else if (!unify(size(x, dim),
                    {Expr(1), "a dim without which it can be", attributeLoc(node, "axes")}))
      return {};
  }
  return reshape(x.value, to, "view");
}

static SmallVector<Expr> sizesOf(Attribute attr) {
  SmallVector<Expr> sizes;
  for (auto size : cast<ArrayAttr>(attr).getAsRange<ExprAttr>())
    sizes.push_back(size.getExpr());
  return sizes;
}

Value NodeExpansion::expandReshape() {
  Named x = get("x");
  Location place = attributeLoc(node, "shape");
  Shape to = sizesOf(node.getAttrs().get("shape"));
  std::optional<size_t> open;
  Expr known = 1;
  for (auto [dim, size] : llvm::enumerate(to)) {
    if (size.constant() == -1) {
      if (open) {
        error(place) << "sizes " << *open << " and " << dim
                     << " of 'shape' are -1; only one can be found";
        return {};
      }
      open = dim;
      continue;
    }
    if (!requireThat(atLeast(size, 0), place,
                     "size " + std::to_string(dim) + " of 'shape' is negative: " + size.str()))
      return {};
    known = known * size;
  }
  Expr all = product(shapeOf(x.value));
  if (!open) {
    Size elements{all, "the number of elements of 'x'", x.place},
        wanted{known, "that of 'shape'", place};
    return unify(elements, wanted) ? reshape(x.value, to, "view") : Value();
  }
  std::string text =
      "'x' has " + all.str() + " elements, which " + known.str() + " does not divide";
  Truth divides = known.constant() == 0 ? Truth::no : prover.isMultiple(all, known);
  Expr rest = floorDiv(all, known);
  // B * 4 elements as [B, -1]: what cancels needs no division, and B may be 0.
  if (!(rest * known).equal(all)) {
    if (divides == Truth::no) {
      error(place) << text;
      return {};
    }
    if (!known.constant() &&
        !requireThat(atLeast(known, 1), place, "the other sizes of 'shape' are 0"))
      return {};
    if (divides == Truth::maybe)
      required.push_back(
          {place, isMultipleOf(all, known), "node '" + node.getName().str() + "': " + text});
  }
  to[*open] = rest;
  return reshape(x.value, to, "view");
}

Value NodeExpansion::expandExpand() {
  Named x = get("x");
  Location place = attributeLoc(node, "shape");
  Shape from = shapeOf(x.value), to = sizesOf(node.getAttrs().get("shape"));
  if (to.size() < from.size()) {
    error(place) << "'shape' has " << counted(to.size(), "dim") << ", 'x' " << from.size();
    return {};
  }
  size_t added = to.size() - from.size();
  for (size_t dim = 0; dim < to.size(); ++dim) {
    bool isOwn = dim >= added;
    if (to[dim].constant() == -1 && isOwn)
      to[dim] = from[dim - added];
    std::string text = "size " + std::to_string(dim) + " of 'shape'";
    if (!requireThat(atLeast(to[dim], 0), place, text + " is negative: " + to[dim].str()))
      return {};
    if (isOwn && from[dim - added].constant() != 1 &&
        !unify(size(x, dim - added), {to[dim], text, place}))
      return {};
  }
  return ExpandOp::create(builder, node.getLoc(), type(to, dtypeOf(x.value)), fresh("view"),
                          x.value);
}

// The bounds are Python's: negative ones count from the end, and those beyond an end are that end.
Value NodeExpansion::expandSlice() {
  Named x = get("x");
  int64_t rank = tensorType(x.value).getRank();
  std::optional<int64_t> dim = axis(integer("axis", 0), rank, "axis");
  if (!dim)
    return {};
  int64_t step = integer("step", 1);
  if (step == 0 || step == INT64_MIN) {
    error(attributeLoc(node, "step")) << "'step' must not be " << step;
    return {};
  }
  Expr count = shapeOf(x.value)[*dim];
  auto clamped = [&](Expr value, const Expr &low, const Expr &high) {
    if (prover.isTrue(atLeast(value, low)) != Truth::yes)
      value = max(value, low);
    return prover.isTrue(atLeast(high, value)) == Truth::yes ? value : min(value, high);
  };
  // Where the first and the end may lie: going backwards, the end may be before the first element.
  Expr low = step > 0 ? Expr(0) : Expr(-1), high = step > 0 ? count : count - 1;
  auto bound = [&](StringRef name, const Expr &otherwise) {
    Attribute given = node.getAttrs().get(name);
    if (!given)
      return otherwise;
    Expr value = sizesOf(given).front();
    if (std::optional<int64_t> constant = value.constant(); constant && *constant < 0)
      value = value + count;
    return clamped(value, low, high);
  };
  for (StringRef name : {"start", "end"})
    if (auto given = node.getAttrs().getAs<ArrayAttr>(name); given && given.size() != 1) {
      error(attributeLoc(node, name)) << "'" << name << "' is one size, found " << given.size();
      return {};
    }
  Expr start = bound("start", step > 0 ? low : high), end = bound("end", step > 0 ? high : low);
  Expr distance = step > 0 ? end - start : start - end;
  if (prover.isNegative(distance) != Truth::no)
    distance = max(distance, 0);
  Shape to = shapeOf(x.value);
  to[*dim] = cdiv(distance, std::abs(step));
  SmallVector<Attribute> starts(rank, ExprAttr::get(node.getContext(), Expr(0)));
  starts[*dim] = ExprAttr::get(node.getContext(), start);
  SmallVector<int64_t> steps(rank, 1);
  steps[*dim] = step;
  return SliceOp::create(builder, node.getLoc(), type(to, dtypeOf(x.value)), fresh("view"), x.value,
                         builder.getArrayAttr(starts), builder.getDenseI64ArrayAttr(steps));
}

Value NodeExpansion::expandPad() {
  Named x = get("x");
  Shape to = shapeOf(x.value);
  auto low = repeated("low", to.size(), 0, 0), high = repeated("high", to.size(), 0, 0);
  if (!low || !high)
    return {};
  auto word = node.getAttrs().getAs<StringAttr>("mode");
  PadMode mode = word ? *symbolizePadMode(word.getValue()) : PadMode::Constant;
  SmallVector<Attribute> lows;
  for (size_t dim = 0; dim < to.size(); ++dim) {
    int64_t most = std::max((*low)[dim], (*high)[dim]);
    // A border of elements must find them.
    int64_t needed = most == 0 || mode == PadMode::Constant ? 0
                     : mode == PadMode::Reflect             ? most + 1
                     : mode == PadMode::Circular            ? most
                                                            : 1;
    if (needed && !requireThat(atLeast(to[dim], needed), x.place,
                               "size " + std::to_string(dim) + " of 'x' is " + to[dim].str() +
                                   "; a border of " + std::to_string(most) + " elements, " +
                                   stringifyPadMode(mode).str() + ", needs at least " +
                                   std::to_string(needed)))
      return {};
    to[dim] = to[dim] + (*low)[dim] + (*high)[dim];
    lows.push_back(ExprAttr::get(node.getContext(), Expr((*low)[dim])));
  }
  Type dtype = dtypeOf(x.value);
  TypedAttr value;
  if (isa<FloatType>(dtype))
    value = builder.getFloatAttr(dtype, real("value", 0));
  else
    value = builder.getIntegerAttr(dtype, int64_t(real("value", 0)));
  return PadOp::create(builder, node.getLoc(), type(to, dtype), fresh("padded"), x.value, mode,
                       builder.getArrayAttr(lows), value);
}

Value NodeExpansion::expandConcat() {
  SmallVector<Named> tensors;
  for (size_t i = 0; i < node.getNumOperands(); ++i)
    tensors.push_back(get("x" + std::to_string(i)));
  const Named &first = tensors.front();
  int64_t rank = tensorType(first.value).getRank();
  std::optional<int64_t> dim = axis(integer("axis", 0), rank, "axis");
  if (!dim)
    return {};
  Shape to = shapeOf(first.value);
  for (const Named &tensor : llvm::drop_begin(tensors)) {
    if (!hasRank(tensor, rank) || !sameDtype(first, tensor))
      return {};
    for (int64_t other = 0; other < rank; ++other)
      if (other != *dim && !unify(size(first, other), size(tensor, other)))
        return {};
    to[*dim] = to[*dim] + shapeOf(tensor.value)[*dim];
  }
  return ConcatOp::create(builder, node.getLoc(), type(to, dtypeOf(first.value)), fresh("joined"),
                          node.getOperands(), *dim);
}
