// The named layouts against direct descriptions of them: division and remainder for blocked ones,
// the tables of the instructions' manual for tensor cores, parents for slices.
#include "Tile/IR/Tile.h"

#include "mlir/IR/MLIRContext.h"

#include <catch2/catch.hpp>

#include <map>
#include <set>

using namespace teeny::tile;
using llvm::ArrayRef;
using llvm::SmallVector;
using Shape = SmallVector<int64_t>;

namespace {

mlir::MLIRContext &context() {
  static mlir::MLIRContext *context = [] {
    auto *context = new mlir::MLIRContext(mlir::MLIRContext::Threading::DISABLED);
    context->loadDialect<TileDialect>();
    return context;
  }();
  return *context;
}

struct Blocked {
  Shape registers, lanes, warps, order;
  BlockedLayoutAttr attr() const {
    return BlockedLayoutAttr::get(&context(), registers, lanes, warps, order);
  }
};

// Takes a number apart into coordinates of a box, the dims in `order` from the fastest.
Shape delinearize(int64_t number, const Shape &sizes, const Shape &order) {
  Shape result(sizes.size(), 0);
  for (int64_t dim : order) {
    result[dim] = number % sizes[dim];
    number /= sizes[dim];
  }
  return result;
}

// All elements that a thread holds, by the words of the layout's description: its block of
// neighbours at the place of the lane among the lanes of its warp among the warps, again at each
// multiple of the whole, wrapped where the tensor ends.
std::set<Shape> elementsOf(const Blocked &layout, const Shape &shape, int64_t lane, int64_t warp) {
  size_t rank = shape.size();
  Shape laneAt = delinearize(lane, layout.lanes, layout.order);
  Shape warpAt = delinearize(warp, layout.warps, layout.order);
  Shape whole(rank), repeats(rank);
  int64_t copies = 1, block = 1;
  for (size_t d = 0; d < rank; ++d) {
    whole[d] = layout.registers[d] * layout.lanes[d] * layout.warps[d];
    repeats[d] = std::max<int64_t>(1, shape[d] / whole[d]);
    copies *= repeats[d];
    block *= layout.registers[d];
  }
  std::set<Shape> elements;
  for (int64_t copy = 0; copy < copies; ++copy)
    for (int64_t reg = 0; reg < block; ++reg) {
      Shape at = delinearize(copy, repeats, layout.order);
      Shape inside = delinearize(reg, layout.registers, layout.order);
      for (size_t d = 0; d < rank; ++d)
        at[d] = (at[d] * whole[d] +
                 (warpAt[d] * layout.lanes[d] + laneAt[d]) * layout.registers[d] + inside[d]) %
                shape[d];
      elements.insert(at);
    }
  return elements;
}

Shape elementAt(const LinearLayout &linear, size_t rank, int64_t reg, int64_t lane, int64_t warp) {
  Coordinates out = linear.apply(
      {{Dim::reg, uint64_t(reg)}, {Dim::lane, uint64_t(lane)}, {Dim::warp, uint64_t(warp)}});
  Shape at(rank);
  for (size_t d = 0; d < rank; ++d) {
    REQUIRE(out[rank - 1 - d].dim == tensorDim(d));
    at[d] = out[rank - 1 - d].value;
  }
  return at;
}

void checkBlocked(const Blocked &layout, const Shape &shape) {
  LinearLayout linear = layout.attr().toLinear(shape);
  int64_t lanes = 1, warps = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    lanes *= layout.lanes[d];
    warps *= layout.warps[d];
  }
  REQUIRE(int64_t(linear.inSize(Dim::lane)) == lanes);
  REQUIRE(int64_t(linear.inSize(Dim::warp)) == warps);
  REQUIRE(linear.isSurjective());
  for (int64_t warp = 0; warp < warps; ++warp)
    for (int64_t lane = 0; lane < lanes; ++lane) {
      std::set<Shape> expected = elementsOf(layout, shape, lane, warp), actual;
      for (uint64_t reg = 0; reg < linear.inSize(Dim::reg); ++reg)
        actual.insert(elementAt(linear, shape.size(), reg, lane, warp));
      REQUIRE(actual == expected);
      // No element twice in one thread.
      REQUIRE(actual.size() == linear.inSize(Dim::reg));
    }
}

} // namespace

TEST_CASE("blocked layouts of one dim") {
  for (int64_t registers : {1, 2, 4, 8})
    for (int64_t warps : {1, 2, 4})
      for (int64_t size = 1; size <= 2048; size *= 2)
        checkBlocked({{registers}, {32}, {warps}, {0}}, {size});
}

TEST_CASE("blocked layouts of two dims") {
  for (Shape order : {Shape{1, 0}, Shape{0, 1}})
    for (Shape registers : {Shape{1, 1}, Shape{1, 4}, Shape{2, 2}, Shape{8, 1}})
      for (Shape lanes : {Shape{4, 8}, Shape{1, 32}, Shape{32, 1}})
        for (Shape warps : {Shape{1, 1}, Shape{2, 2}, Shape{4, 1}})
          for (int64_t rows : {1, 4, 32, 256})
            for (int64_t columns : {1, 2, 16, 64})
              checkBlocked({registers, lanes, warps, order}, {rows, columns});
}

TEST_CASE("blocked layouts of three dims") {
  for (Shape order : {Shape{2, 1, 0}, Shape{0, 1, 2}, Shape{1, 2, 0}})
    for (Shape shape : {Shape{1, 1, 1}, Shape{4, 2, 8}, Shape{1, 64, 2}, Shape{16, 8, 32}})
      checkBlocked({{1, 2, 2}, {2, 4, 4}, {2, 1, 2}, order}, shape);
}

TEST_CASE("registers count along the order, neighbours first") {
  // 4 x 16 by one thread's 2 x 4 blocks: register bits 0 and 1 along dim 1, bit 2 along dim 0, then
  // repeats.
  LinearLayout linear = Blocked{{2, 4}, {1, 1}, {1, 1}, {1, 0}}.attr().toLinear({4, 16});
  for (int64_t reg = 0; reg < 64; ++reg)
    CHECK(elementAt(linear, 2, reg, 0, 0) ==
          Shape{reg / 4 % 2 + reg / 32 * 2, reg % 4 + reg / 8 % 4 * 4});
  CHECK(linear.consecutive(Dim::reg, tensorDim(1)) == 4);
  CHECK(linear.consecutive(Dim::reg, tensorDim(0)) == 1);
}

TEST_CASE("a slice holds what its parent holds, with one coordinate removed") {
  std::vector<std::pair<LayoutInterface, Shape>> parents;
  for (Shape order : {Shape{1, 0}, Shape{0, 1}})
    for (Shape shape : {Shape{64, 32}, Shape{4, 4}, Shape{1, 256}, Shape{128, 2}})
      parents.push_back({Blocked{{1, 4}, {4, 8}, {2, 2}, order}.attr(), shape});
  for (Shape shape : {Shape{8, 4, 16}, Shape{2, 64, 1}})
    parents.push_back({Blocked{{1, 2, 2}, {2, 4, 4}, {2, 1, 2}, {2, 0, 1}}.attr(), shape});
  for (Shape shape : {Shape{64, 32}, Shape{16, 8}})
    parents.push_back({MmaLayoutAttr::get(&context(), 2, {2, 2}, {16, 8}), shape});
  for (auto [parent, shape] : parents)
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      LayoutInterface slice = SliceLayoutAttr::get(&context(), dim, parent);
      Shape rest(shape);
      rest.erase(rest.begin() + dim);
      LinearLayout whole = parent.toLinear(shape), part = slice.toLinear(rest);
      REQUIRE(slice.getRank() == int64_t(rest.size()));
      for (uint64_t warp = 0; warp < whole.inSize(Dim::warp); ++warp)
        for (uint64_t lane = 0; lane < whole.inSize(Dim::lane); ++lane) {
          std::set<Shape> expected, actual;
          for (uint64_t reg = 0; reg < whole.inSize(Dim::reg); ++reg) {
            Shape at = elementAt(whole, shape.size(), reg, lane, warp);
            at.erase(at.begin() + dim);
            expected.insert(at);
          }
          for (uint64_t reg = 0; reg < part.inSize(Dim::reg); ++reg)
            actual.insert(elementAt(part, rest.size(), reg, lane, warp));
          REQUIRE(actual == expected);
          REQUIRE(actual.size() == part.inSize(Dim::reg));
        }
    }
}

TEST_CASE("the accumulator of mma.sync m16n8") {
  LinearLayout linear = MmaLayoutAttr::get(&context(), 2, {1, 1}, {16, 8}).toLinear({16, 8});
  REQUIRE(linear.inSize(Dim::reg) == 4);
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 4; ++i) {
      int64_t group = lane >> 2, inGroup = lane % 4;
      CHECK(elementAt(linear, 2, i, lane, 0) ==
            Shape{i < 2 ? group : group + 8, inGroup * 2 + (i & 1)});
    }
}

TEST_CASE("warps of an mma layout split rows, then columns, then repeat") {
  LinearLayout linear = MmaLayoutAttr::get(&context(), 2, {2, 2}, {16, 8}).toLinear({64, 32});
  REQUIRE(linear.inSize(Dim::reg) == 16);
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t reg = 0; reg < 16; ++reg) {
        int64_t i = reg % 4, repeatColumn = reg / 4 % 2, repeatRow = reg / 8;
        int64_t row = lane / 4 + i / 2 * 8 + warp % 2 * 16 + repeatRow * 32;
        int64_t column = lane % 4 * 2 + i % 2 + warp / 2 * 8 + repeatColumn * 16;
        CHECK(elementAt(linear, 2, reg, lane, warp) == Shape{row, column});
      }
}

TEST_CASE("the operands of mma.sync m16n8k16 and its kin") {
  MmaLayoutAttr mma = MmaLayoutAttr::get(&context(), 2, {1, 1}, {16, 8});
  // Elements of 16 bits: two along k in each register of 32 bits, 8 for a, 4 for b.
  LinearLayout a = DotOperandLayoutAttr::get(&context(), 0, mma, 2).toLinear({16, 16});
  LinearLayout b = DotOperandLayoutAttr::get(&context(), 1, mma, 2).toLinear({16, 8});
  REQUIRE(a.inSize(Dim::reg) == 8);
  REQUIRE(b.inSize(Dim::reg) == 4);
  for (int64_t lane = 0; lane < 32; ++lane) {
    int64_t group = lane >> 2, inGroup = lane % 4;
    for (int64_t i = 0; i < 8; ++i) {
      int64_t row = i < 2 || (i >= 4 && i < 6) ? group : group + 8;
      int64_t k = inGroup * 2 + (i & 1) + (i >= 4 ? 8 : 0);
      CHECK(elementAt(a, 2, i, lane, 0) == Shape{row, k});
    }
    for (int64_t i = 0; i < 4; ++i)
      CHECK(elementAt(b, 2, i, lane, 0) == Shape{inGroup * 2 + (i & 1) + (i >= 2 ? 8 : 0), group});
  }
  // tf32, m16n8k8: one element in a register.
  LinearLayout a32 = DotOperandLayoutAttr::get(&context(), 0, mma, 1).toLinear({16, 8});
  LinearLayout b32 = DotOperandLayoutAttr::get(&context(), 1, mma, 1).toLinear({8, 8});
  for (int64_t lane = 0; lane < 32; ++lane) {
    int64_t group = lane >> 2, inGroup = lane % 4;
    for (int64_t i = 0; i < 4; ++i)
      CHECK(elementAt(a32, 2, i, lane, 0) == Shape{group + i % 2 * 8, inGroup + i / 2 * 4});
    for (int64_t i = 0; i < 2; ++i)
      CHECK(elementAt(b32, 2, i, lane, 0) == Shape{inGroup + i * 4, group});
  }
  // 8 bits, m16n8k32: four in a register.
  LinearLayout a8 = DotOperandLayoutAttr::get(&context(), 0, mma, 4).toLinear({16, 32});
  for (int64_t lane = 0; lane < 32; ++lane)
    for (int64_t i = 0; i < 16; ++i) {
      int64_t group = lane >> 2, inGroup = lane % 4;
      int64_t row = i < 4 || (i >= 8 && i < 12) ? group : group + 8;
      CHECK(elementAt(a8, 2, i, lane, 0) == Shape{row, inGroup * 4 + i % 4 + (i >= 8 ? 16 : 0)});
    }
}

TEST_CASE("a thread's operands are those that its results need") {
  struct Case {
    LayoutInterface result;
    int64_t kWidth;
  };
  std::vector<Case> cases = {{MmaLayoutAttr::get(&context(), 2, {2, 2}, {16, 8}), 2},
                             {MmaLayoutAttr::get(&context(), 2, {4, 1}, {16, 8}), 1},
                             {Blocked{{1, 4}, {4, 8}, {2, 2}, {1, 0}}.attr(), 0}};
  int64_t m = 64, n = 32, k = 32;
  for (auto [result, kWidth] : cases) {
    LinearLayout c = result.toLinear({m, n});
    LinearLayout a = DotOperandLayoutAttr::get(&context(), 0, result, kWidth).toLinear({m, k});
    LinearLayout b = DotOperandLayoutAttr::get(&context(), 1, result, kWidth).toLinear({k, n});
    // Warps hold whole rows and columns of what they need; with blocked layouts each thread does.
    bool blocked = kWidth == 0;
    for (uint64_t warp = 0; warp < c.inSize(Dim::warp); ++warp)
      for (uint64_t first = 0; first < 32; first += blocked ? 1 : 32) {
        std::set<int64_t> rows, columns;
        std::set<Shape> left, right, neededLeft, neededRight;
        for (uint64_t lane = first; lane < first + (blocked ? 1 : 32); ++lane) {
          for (uint64_t reg = 0; reg < c.inSize(Dim::reg); ++reg) {
            Shape at = elementAt(c, 2, reg, lane, warp);
            rows.insert(at[0]);
            columns.insert(at[1]);
          }
          for (uint64_t reg = 0; reg < a.inSize(Dim::reg); ++reg)
            left.insert(elementAt(a, 2, reg, lane, warp));
          for (uint64_t reg = 0; reg < b.inSize(Dim::reg); ++reg)
            right.insert(elementAt(b, 2, reg, lane, warp));
        }
        for (int64_t i = 0; i < k; ++i) {
          for (int64_t row : rows)
            neededLeft.insert({row, i});
          for (int64_t column : columns)
            neededRight.insert({i, column});
        }
        REQUIRE(left == neededLeft);
        REQUIRE(right == neededRight);
      }
    REQUIRE(a.isSurjective());
    REQUIRE(b.isSurjective());
  }
}

TEST_CASE("a linear layout is the map that it was made from") {
  std::vector<std::pair<LayoutInterface, Shape>> layouts = {
      {Blocked{{1, 4}, {4, 8}, {2, 2}, {1, 0}}.attr(), {64, 64}},
      {Blocked{{4}, {32}, {4}, {0}}.attr(), {64}},
      {MmaLayoutAttr::get(&context(), 2, {2, 2}, {16, 8}), {64, 32}}};
  for (auto [layout, shape] : layouts) {
    LinearLayout linear = layout.toLinear(shape);
    LinearMapLayoutAttr map = LinearMapLayoutAttr::get(&context(), linear);
    CHECK(map.toLinear(shape) == linear);
    // Along a dim that is removed it does as the layout does.
    if (shape.size() == 2)
      for (int64_t dim : {0, 1}) {
        LayoutInterface a = SliceLayoutAttr::get(&context(), dim, map);
        LayoutInterface b = SliceLayoutAttr::get(&context(), dim, layout);
        CHECK(a.toLinear({shape[1 - dim]}) == b.toLinear({shape[1 - dim]}));
      }
  }
}
