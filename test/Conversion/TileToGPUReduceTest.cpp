// Reductions whose combination tells its operands apart.
#include "TileToGPUSupport.h"

#include <catch2/catch.hpp>

using namespace teeny::test;

TEST_CASE("the first of the largest along an axis, whichever threads hold it") {
  for (const std::string &layout : layouts2D)
    for (int axis : {0, 1}) {
      const int m = 32, n = 64, kept = axis == 0 ? n : m;
      std::string slice =
          "#tile.slice<dim = " + std::to_string(axis) + ", parent = " + layout + ">";
      std::string type = tileType(m, n, "i32", layout), result = tileType(kept, 0, "i32", slice);
      KernelText kernel(4);
      std::string x = kernel.argument("x", "!tile.ptr<i32>"),
                  y = kernel.argument("y", "!tile.ptr<i32>");
      std::string value = kernel.load(x, "i32", m, n, layout);
      std::string place = kernel.add(
          "$ = tile.arange 0 to " + std::to_string(axis == 0 ? m : n) + " : " +
          tileType(axis == 0 ? m : n, 0, "i32",
                   "#tile.slice<dim = " + std::to_string(1 - axis) + ", parent = " + layout + ">"));
      std::string line = axis == 0 ? tileType(m, 1, "i32", layout) : tileType(1, n, "i32", layout);
      std::string wide = kernel.add(
          "$ = tile.expand_dims " + place + " at " + std::to_string(1 - axis) + " : " +
          tileType(axis == 0 ? m : n, 0, "i32",
                   "#tile.slice<dim = " + std::to_string(1 - axis) + ", parent = " + layout + ">") +
          " -> " + line);
      std::string index = kernel.add("$ = tile.broadcast " + wide + " : " + line + " -> " + type);
      // Of two equal elements the lower index counts, told apart by the index alone.
      kernel.add("%best:2 = tile.reduce (" + value + ", " + index + ") axis " +
                 std::to_string(axis) +
                 " { ^bb0(%a: i32, %i: i32, %b: i32, %j: i32): "
                 "%more = arith.cmpi sgt, %a, %b : i32 %same = arith.cmpi eq, %a, %b : i32 "
                 "%less = arith.cmpi slt, %i, %j : i32 "
                 "%tie = arith.andi %same, %less : i1 %left = arith.ori %more, %tie : i1 "
                 "%c = arith.select %left, %a, %b : i32 %k = arith.select %left, %i, %j : i32 "
                 "tile.yield %c, %k : i32, i32 } : (" +
                 type + ", " + type + ") -> (" + result + ", " + result + ")");
      kernel.store(y, "%best#1", "i32", kept, 0, slice);

      std::vector<int32_t> in = scrambled(m * n), expected;
      for (int32_t &element : in)
        element /= 100; // many are equal
      for (int i = 0; i < kept; ++i) {
        int first = 0;
        auto at = [&](int j) { return axis == 0 ? in[j * n + i] : in[i * n + j]; };
        for (int j = 1; j < (axis == 0 ? m : n); ++j)
          if (at(j) > at(first))
            first = j;
        expected.push_back(first);
      }
      CHECK(run<int32_t, int32_t>(kernel, in, kept) == expected);
    }
}
