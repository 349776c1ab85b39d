// LinearLayout against tables: maps are compared with their values at every position, and what is
// solved for is applied back.
#include "Tile/IR/LinearLayout.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace teeny::tile;

namespace {

uint64_t inCount(const LinearLayout &layout) { return uint64_t(1) << layout.inBits(); }

// The values of a layout at all positions, by exclusive or of its bases and nothing else.
std::vector<uint64_t> table(const LinearLayout &layout) {
  std::vector<uint64_t> values(inCount(layout), 0);
  for (uint64_t in = 0; in < values.size(); ++in)
    for (unsigned bit = 0; bit < layout.inBits(); ++bit)
      if (in >> bit & 1)
        values[in] ^= layout.bases()[bit];
  return values;
}

struct Random {
  std::mt19937 generator{12345};
  uint64_t below(uint64_t n) { return generator() % n; }
};

// A map with any bases: often neither injective nor surjective.
LinearLayout randomLayout(Random &random, llvm::ArrayRef<Extent> outs) {
  LinearLayout layout({}, outs);
  for (Dim in : {Dim::reg, Dim::lane, Dim::warp})
    for (uint64_t bits = random.below(4); bits > 0; --bits)
      layout.addBasis(in, random.below(uint64_t(1) << layout.outBits()));
  return layout;
}

// A random map that reaches everything: random invertible steps applied to units, then copies.
LinearLayout randomSurjective(Random &random, llvm::ArrayRef<Extent> outs) {
  LinearLayout layout({}, outs);
  std::vector<uint64_t> units;
  for (unsigned bit = 0; bit < layout.outBits(); ++bit)
    units.push_back(uint64_t(1) << bit);
  std::shuffle(units.begin(), units.end(), random.generator);
  for (size_t step = 0; step < 2 * units.size(); ++step) {
    size_t from = random.below(units.size()), to = random.below(units.size());
    if (from != to)
      units[to] ^= units[from];
  }
  units.push_back(0);
  units.push_back(units[0]);
  for (uint64_t unit : units)
    layout.addBasis(random.below(2) ? Dim::reg : random.below(2) ? Dim::lane : Dim::warp, unit);
  return layout;
}

} // namespace

TEST_CASE("packing puts the first dim into the lowest bits") {
  LinearLayout layout({{Dim::reg, 2}, {Dim::lane, 3}}, tensorExtents({4, 8}));
  CHECK(layout.packIn({{Dim::lane, 5}, {Dim::reg, 3}}) == 5 * 4 + 3);
  CHECK(layout.packOut({{tensorDim(0), 3}, {tensorDim(1), 6}}) == 3 * 8 + 6);
  CHECK(layout.unpackOut(30) == Coordinates{{tensorDim(1), 6}, {tensorDim(0), 3}});
  CHECK(layout.unpackIn(23) == Coordinates{{Dim::reg, 3}, {Dim::lane, 5}});
  CHECK(dimName(tensorDim(2)) == "dim2");
}

TEST_CASE("the accumulator of the head comment") {
  LinearLayout layout({}, tensorExtents({16, 8}));
  layout.addBasis(Dim::reg, {{tensorDim(1), 1}});
  layout.addBasis(Dim::reg, {{tensorDim(0), 8}});
  for (uint64_t value : {2, 4})
    layout.addBasis(Dim::lane, {{tensorDim(1), value}});
  for (uint64_t value : {1, 2, 4})
    layout.addBasis(Dim::lane, {{tensorDim(0), value}});
  for (uint64_t lane = 0; lane < 32; ++lane)
    for (uint64_t reg = 0; reg < 4; ++reg)
      CHECK(layout.apply({{Dim::reg, reg}, {Dim::lane, lane}}) ==
            Coordinates{{tensorDim(1), lane % 4 * 2 + reg % 2},
                        {tensorDim(0), lane / 4 + reg / 2 * 8}});
  CHECK(layout.isInvertible());
  CHECK(layout.str() == "register = [(0, 1), (8, 0)], "
                        "lane = [(0, 2), (0, 4), (1, 0), (2, 0), (4, 0)] -> (dim0: 16, dim1: 8)");
}

TEST_CASE("addBasis puts a bit on top of its dim, wherever that is") {
  LinearLayout layout({{Dim::reg, 0}, {Dim::lane, 0}}, tensorExtents({64}));
  layout.addBasis(Dim::lane, 4);
  layout.addBasis(Dim::reg, 1);
  layout.addBasis(Dim::lane, 8);
  layout.addBasis(Dim::reg, 2);
  CHECK(layout.bases() == llvm::ArrayRef<uint64_t>{1, 2, 4, 8});
  CHECK(layout.basis(Dim::lane, 1) == 8);
}

TEST_CASE("apply, composition, rank and free bits agree with tables") {
  Random random;
  for (int round = 0; round < 500; ++round) {
    Extents middle = tensorExtents({4, 8}), outs = tensorExtents({8, 2, 8});
    LinearLayout first = randomLayout(random, middle);
    LinearLayout next(llvm::ArrayRef<Extent>{}, outs);
    for (const Extent &extent : middle)
      for (unsigned bit = 0; bit < extent.bits; ++bit)
        next.addBasis(extent.dim, random.below(128));
    std::vector<uint64_t> a = table(first), b = table(next), both = table(first.then(next));
    std::map<uint64_t, int> hits;
    for (uint64_t in = 0; in < a.size(); ++in) {
      REQUIRE(first.apply(in) == a[in]);
      REQUIRE(both[in] == b[a[in]]);
      ++hits[a[in]];
    }
    REQUIRE(hits.size() == size_t(1) << first.rank());
    REQUIRE(first.isInjective() == (hits.size() == a.size()));
    REQUIRE(first.isSurjective() == (hits.size() == 32));
    // The positions with free bits 0 reach each value exactly once.
    std::multiset<uint64_t> owned;
    for (uint64_t in = 0; in < a.size(); ++in) {
      bool owner = true;
      for (const Coordinate &at : first.unpackIn(in))
        owner &= (at.value & first.freeBits(at.dim)) == 0;
      if (owner)
        owned.insert(a[in]);
    }
    REQUIRE(owned.size() == hits.size());
    for (auto [value, count] : hits)
      REQUIRE(owned.count(value) == 1);
  }
}

TEST_CASE("inverse gives a position that holds the element") {
  Random random;
  for (int round = 0; round < 300; ++round) {
    LinearLayout layout = randomSurjective(random, tensorExtents({8, 4}));
    LinearLayout inverse = layout.inverse();
    REQUIRE(inverse.inBits() == 5);
    REQUIRE(inverse.outBits() == layout.inBits());
    for (uint64_t element = 0; element < 32; ++element) {
      uint64_t at = inverse.apply(element);
      REQUIRE(layout.apply(at) == element);
      for (const Coordinate &coordinate : layout.unpackIn(at))
        REQUIRE((coordinate.value & layout.freeBits(coordinate.dim)) == 0);
    }
  }
}

TEST_CASE("invertAndCompose finds each element in the other layout, or says that it is missing") {
  Random random;
  int found = 0, missing = 0;
  for (int round = 0; round < 500; ++round) {
    LinearLayout from = randomLayout(random, tensorExtents({4, 8}));
    LinearLayout to = random.below(2) ? randomSurjective(random, tensorExtents({4, 8}))
                                      : randomLayout(random, tensorExtents({4, 8}));
    std::vector<uint64_t> a = table(from), b = table(to);
    std::set<uint64_t> reached(b.begin(), b.end());
    bool all = std::all_of(a.begin(), a.end(), [&](uint64_t x) { return reached.count(x); });
    auto map = from.invertAndCompose(to);
    REQUIRE(map.has_value() == all);
    ++(all ? found : missing);
    if (map)
      for (uint64_t in = 0; in < a.size(); ++in)
        REQUIRE(b[map->apply(in)] == a[in]);
  }
  CHECK(found > 100);
  CHECK(missing > 100);
}

TEST_CASE("a conversion stays in place where it can") {
  // Both hold 64 elements, twice in 4 lanes; the other swaps the register with a lane bit.
  LinearLayout from({}, tensorExtents({8}));
  from.addBasis(Dim::reg, 1);
  from.addBasis(Dim::lane, 2);
  from.addBasis(Dim::lane, 4);
  from.addBasis(Dim::lane, uint64_t(0)); // copies
  LinearLayout to({}, tensorExtents({8}));
  to.addBasis(Dim::reg, 1);
  to.addBasis(Dim::lane, 2);
  to.addBasis(Dim::lane, 4);
  to.addBasis(Dim::lane, 1); // copies of what is in the registers
  auto map = to.invertAndCompose(from);
  REQUIRE(map);
  CHECK(map->isZero({Dim::reg}, {Dim::lane}));
  for (unsigned bit = 0; bit < 3; ++bit)
    CHECK(map->basis(Dim::lane, bit, Dim::lane) == uint64_t(1) << bit);
  // Lane bit 2 of `to` moves to the neighbour, which the same thread of `from` has in a register.
  CHECK(map->basis(Dim::lane, 2, Dim::reg) == 1);

  // From itself to itself nothing moves, copies or not.
  auto same = from.invertAndCompose(from);
  REQUIRE(same);
  for (uint64_t in = 0; in < 16; ++in)
    CHECK(same->apply(in) == in);
}

TEST_CASE("an element out of range of the other layout is missing") {
  LinearLayout from = LinearLayout::rowMajor({16}), to = LinearLayout::rowMajor({8});
  CHECK_FALSE(from.invertAndCompose(to));
  CHECK(to.invertAndCompose(from));
}

TEST_CASE("a product stacks tiles, and divide takes them apart") {
  Random random;
  for (int round = 0; round < 300; ++round) {
    LinearLayout low = randomLayout(random, tensorExtents({4, 2}));
    LinearLayout high = randomLayout(random, tensorExtents({2, 8}));
    LinearLayout product = low * high;
    REQUIRE(product.outBits() == 7);
    for (uint64_t a = 0; a < inCount(low); ++a)
      for (uint64_t b = 0; b < inCount(high); ++b) {
        Coordinates at = low.unpackIn(a), outLow = low.unpackOut(low.apply(a));
        for (const Coordinate &coordinate : high.unpackIn(b)) {
          bool merged = false;
          for (Coordinate &into : at)
            if (into.dim == coordinate.dim) {
              into.value += coordinate.value << low.inBits(into.dim);
              merged = true;
            }
          if (!merged)
            at.push_back(coordinate);
        }
        Coordinates expected = high.unpackOut(high.apply(b));
        for (Coordinate &coordinate : expected)
          for (const Coordinate &inside : outLow)
            if (inside.dim == coordinate.dim)
              coordinate.value = (coordinate.value << low.outBits(inside.dim)) + inside.value;
        REQUIRE(product.apply(at) == expected);
      }
    auto quotient = product.divide(low);
    REQUIRE(quotient);
    REQUIRE(low * *quotient == product);
  }
  // Bits below the tile's size that move with the rest: no copies of the tile.
  LinearLayout bent = LinearLayout::identity(2, Dim::reg, tensorDim(0));
  bent.addBasis(Dim::lane, 3);
  CHECK_FALSE(bent.divide(LinearLayout::identity(1, Dim::reg, tensorDim(0))));
  CHECK_FALSE(bent.divide(LinearLayout::identity(3, Dim::reg, tensorDim(0))));
  CHECK_FALSE(bent.divide(LinearLayout::identity(1, Dim::warp, tensorDim(0))));
}

TEST_CASE("reshape and transpose keep elements") {
  Random random;
  for (int round = 0; round < 100; ++round) {
    LinearLayout layout = randomLayout(random, tensorExtents({4, 2, 8}));
    LinearLayout flat = layout.reshape({64}), square = layout.reshape({8, 8});
    LinearLayout moved = layout.transpose({2, 0, 1});
    for (uint64_t in = 0; in < inCount(layout); ++in) {
      Coordinates at = layout.unpackOut(layout.apply(in)); // dim2, dim1, dim0
      uint64_t i = at[2].value, j = at[1].value, k = at[0].value, index = (i * 2 + j) * 8 + k;
      REQUIRE(flat.apply(in) == index);
      REQUIRE(square.unpackOut(square.apply(in)) ==
              Coordinates{{tensorDim(1), index % 8}, {tensorDim(0), index / 8}});
      REQUIRE(moved.unpackOut(moved.apply(in)) ==
              Coordinates{{tensorDim(2), j}, {tensorDim(1), i}, {tensorDim(0), k}});
    }
  }
}

TEST_CASE("sublayout, withoutOut, resizeOut and renaming") {
  Random random;
  for (int round = 0; round < 100; ++round) {
    LinearLayout layout = randomLayout(random, tensorExtents({4, 8}));
    LinearLayout lanes = layout.sublayout({Dim::lane}, {tensorDim(0)});
    LinearLayout rows = layout.withoutOut(tensorDim(1)), half = layout.resizeOut(tensorDim(1), 2);
    LinearLayout renamed =
        layout.renameOut(tensorDim(0), Dim::offset).renameIn(Dim::reg, Dim::block);
    for (uint64_t in = 0; in < inCount(layout); ++in) {
      Coordinates at = layout.unpackIn(in), out = layout.unpackOut(layout.apply(in));
      REQUIRE(rows.apply(in) == out[1].value);
      REQUIRE(half.apply(in) == (out[0].value % 4) + 4 * out[1].value);
      REQUIRE(renamed.apply(in) == layout.apply(in));
    }
    for (uint64_t lane = 0; lane < layout.inSize(Dim::lane); ++lane)
      REQUIRE(lanes.apply(lane) == layout.apply({{Dim::lane, lane}})[1].value);
    REQUIRE(renamed.outBits(Dim::offset) == 2);
    bool still = true;
    for (uint64_t lane = 0; lane < layout.inSize(Dim::lane); ++lane)
      still &= layout.apply({{Dim::lane, lane}})[1].value == 0;
    REQUIRE(layout.isZero({Dim::lane}, {tensorDim(0)}) == still);
  }
}

TEST_CASE("consecutive counts aligned neighbours") {
  Random random;
  std::set<uint64_t> seen;
  for (int round = 0; round < 400; ++round) {
    LinearLayout layout({{Dim::reg, 0}, {Dim::lane, 0}}, tensorExtents({2, 8}));
    for (unsigned bit = 0; bit < 3; ++bit)
      layout.addBasis(Dim::reg, random.below(4) ? uint64_t(1) << bit : random.below(16));
    layout.addBasis(Dim::lane, random.below(4) ? 8 : random.below(16));
    // The definition, position by position.
    uint64_t expected = 1;
    for (uint64_t n = 2; n <= 8; n *= 2) {
      bool good = true;
      for (uint64_t lane = 0; lane < 2; ++lane)
        for (uint64_t reg = 0; reg < 8; ++reg) {
          Coordinates first = layout.apply({{Dim::reg, reg / n * n}, {Dim::lane, lane}});
          Coordinates here = layout.apply({{Dim::reg, reg}, {Dim::lane, lane}});
          good &= first[0].value % n == 0 && here[0].value == first[0].value + reg % n &&
                  here[1].value == first[1].value;
        }
      if (!good)
        break;
      expected = n;
    }
    REQUIRE(layout.consecutive(Dim::reg, tensorDim(1)) == expected);
    seen.insert(expected);
  }
  CHECK(seen == std::set<uint64_t>{1, 2, 4, 8});
}

TEST_CASE("withoutZeroBases drops copies inside a thread") {
  LinearLayout layout({{Dim::reg, 0}, {Dim::lane, 0}}, tensorExtents({8}));
  for (uint64_t image : {0, 1, 0, 4})
    layout.addBasis(Dim::reg, image);
  layout.addBasis(Dim::lane, uint64_t(0));
  LinearLayout without = layout.withoutZeroBases(Dim::reg);
  CHECK(without.bases() == llvm::ArrayRef<uint64_t>{1, 4, 0});
  CHECK(without.inBits(Dim::lane) == 1);
}

TEST_CASE("row major buffers") {
  LinearLayout layout = LinearLayout::rowMajor({4, 2, 8});
  for (uint64_t offset = 0; offset < 64; ++offset)
    CHECK(layout.apply({{Dim::offset, offset}}) == Coordinates{{tensorDim(2), offset % 8},
                                                               {tensorDim(1), offset / 8 % 2},
                                                               {tensorDim(0), offset / 16}});
}
