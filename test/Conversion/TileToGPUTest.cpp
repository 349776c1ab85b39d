// Kernels over tiles compiled to PTX and run, against loops. Integers where sums must be exact.
#include "TileToGPUSupport.h"

#include <catch2/catch.hpp>
#include <numeric>

using namespace teeny::test;

TEST_CASE("a masked element-wise kernel writes what its mask lets it, and nothing else") {
  for (const std::string &layout : layouts1D)
    for (int block : {32, 512}) {
      std::string range = tileType(block, 0, "i32", layout),
                  truth = tileType(block, 0, "i1", layout),
                  value = tileType(block, 0, "f32", layout),
                  pointer = tileType(block, 0, "!tile.ptr<f32>", layout);
      KernelText kernel(4);
      std::string x = kernel.argument("x", "!tile.ptr<f32>"),
                  y = kernel.argument("y", "!tile.ptr<f32>"), n = kernel.argument("n", "i32");
      std::string pid = kernel.add("$ = tile.program_id 0 : i32");
      std::string size = kernel.add("$ = arith.constant " + std::to_string(block) + " : i32");
      std::string start = kernel.add("$ = arith.muli " + pid + ", " + size + " : i32");
      std::string starts = kernel.add("$ = tile.splat " + start + " : i32 -> " + range);
      std::string offsets =
          kernel.add("$ = tile.arange 0 to " + std::to_string(block) + " : " + range);
      std::string at = kernel.add("$ = arith.addi " + starts + ", " + offsets + " : " + range);
      std::string limits = kernel.add("$ = tile.splat " + n + " : i32 -> " + range);
      std::string mask = kernel.add("$ = arith.cmpi slt, " + at + ", " + limits + " : " + range);
      std::string xs = kernel.add("$ = tile.splat " + x + " : !tile.ptr<f32> -> " + pointer);
      std::string xp =
          kernel.add("$ = tile.addptr " + xs + ", " + at + " : " + pointer + ", " + range);
      std::string ys = kernel.add("$ = tile.splat " + y + " : !tile.ptr<f32> -> " + pointer);
      std::string yp =
          kernel.add("$ = tile.addptr " + ys + ", " + at + " : " + pointer + ", " + range);
      std::string other = kernel.add("$ = arith.constant dense<3.0> : " + value);
      std::string loaded =
          kernel.add("$ = tile.load " + xp + " mask " + mask + " other " + other + " : " + pointer);
      std::string twice = kernel.add("$ = arith.addf " + loaded + ", " + loaded + " : " + value);
      kernel.add("tile.store " + yp + ", " + twice + " mask " + mask + " : " + pointer);

      PtxMachine machine(compileToPtx(kernel.str()));
      int count = 3 * block - 5;
      std::vector<float> in(count), out(count + 8, -1);
      std::iota(in.begin(), in.end(), 0.5f);
      machine.run("kernel", {4, 1, 1}, {machine.buffer(in), machine.buffer(out), uint64_t(count)});
      for (int i = 0; i < count + 8; ++i)
        CHECK(out[i] == (i < count ? 2 * in[i] : -1));
    }
}

TEST_CASE("masked lanes of a load have `other`, or zero") {
  KernelText kernel(4);
  const std::string &layout = layouts1D[1];
  std::string x = kernel.argument("x", "!tile.ptr<i16>"),
              y = kernel.argument("y", "!tile.ptr<i16>");
  std::string from = kernel.pointers(x, "i16", 512, 0, layout),
              type = tileType(512, 0, "i16", layout);
  std::string no =
      kernel.add("$ = arith.constant dense<false> : " + tileType(512, 0, "i1", layout));
  std::string other = kernel.add("$ = arith.constant dense<-2> : " + type);
  std::string with = kernel.add("$ = tile.load " + from + " mask " + no + " other " + other +
                                " : " + tileType(512, 0, "!tile.ptr<i16>", layout));
  std::string without = kernel.add("$ = tile.load " + from + " mask " + no + " : " +
                                   tileType(512, 0, "!tile.ptr<i16>", layout));
  std::string sum = kernel.add("$ = arith.addi " + with + ", " + without + " : " + type);
  kernel.store(y, sum, "i16", 512, 0, layout);
  CHECK(run<int16_t, int16_t>(kernel, {1}, 512) == std::vector<int16_t>(512, -2));
}

TEST_CASE("layouts are converted into each other") {
  for (auto [m, n] : {std::pair(32, 64), std::pair(128, 16), std::pair(4, 8)})
    for (const std::string &from : layouts2D)
      for (const std::string &to : layouts2D) {
        auto convert = [&](const std::string &element) {
          KernelText kernel(4);
          std::string x = kernel.argument("x", "!tile.ptr<" + element + ">"),
                      y = kernel.argument("y", "!tile.ptr<" + element + ">");
          std::string value = kernel.load(x, element, m, n, from);
          std::string moved =
              kernel.add("$ = tile.convert_layout " + value + " : " +
                         tileType(m, n, element, from) + " -> " + tileType(m, n, element, to));
          // Twice, so that the second exchange meets the first.
          std::string back =
              kernel.add("$ = tile.convert_layout " + moved + " : " + tileType(m, n, element, to) +
                         " -> " + tileType(m, n, element, from));
          std::string sum = kernel.add("$ = arith.addi " + value + ", " + back + " : " +
                                       tileType(m, n, element, from));
          std::string again =
              kernel.add("$ = tile.convert_layout " + sum + " : " + tileType(m, n, element, from) +
                         " -> " + tileType(m, n, element, to));
          kernel.store(y, again, element, m, n, to);
          return kernel;
        };
        std::vector<int32_t> in = scrambled(m * n), expected = in;
        for (int32_t &value : expected)
          value *= 2;
        CHECK(run<int32_t, int32_t>(convert("i32"), in, in.size()) == expected);
        if (m != 32)
          continue;
        std::vector<int8_t> bytes(in.begin(), in.end()), twice;
        for (int8_t value : bytes)
          twice.push_back(int8_t(2 * value));
        CHECK(run<int8_t, int8_t>(convert("i8"), bytes, bytes.size()) == twice);
      }
}

TEST_CASE("reductions along both axes") {
  for (auto [m, n] : {std::pair(32, 64), std::pair(8, 8), std::pair(256, 2)})
    for (const std::string &layout : layouts2D)
      for (int axis : {0, 1}) {
        int kept = axis == 0 ? n : m;
        std::string slice =
            "#tile.slice<dim = " + std::to_string(axis) + ", parent = " + layout + ">";
        KernelText kernel(4);
        std::string x = kernel.argument("x", "!tile.ptr<i32>"),
                    y = kernel.argument("y", "!tile.ptr<i32>");
        std::string value = kernel.load(x, "i32", m, n, layout),
                    type = tileType(m, n, "i32", layout), result = tileType(kept, 0, "i32", slice);
        std::string sum = kernel.add(
            "$ = tile.reduce (" + value + ") axis " + std::to_string(axis) +
            " { ^bb0(%a: i32, %b: i32): %c = arith.addi %a, %b : i32 tile.yield %c : i32 } : (" +
            type + ") -> " + result);
        std::string most = kernel.add(
            "$ = tile.reduce (" + value + ") axis " + std::to_string(axis) +
            " { ^bb0(%a: i32, %b: i32): %c = arith.maxsi %a, %b : i32 tile.yield %c : i32 } : (" +
            type + ") -> " + result);
        std::string both = kernel.add("$ = arith.muli " + sum + ", " + most + " : " + result);
        kernel.store(y, both, "i32", kept, 0, slice);
        std::vector<int32_t> in = scrambled(m * n), expected;
        for (int i = 0; i < kept; ++i) {
          int32_t total = 0, largest = INT32_MIN;
          for (int j = 0; j < (axis == 0 ? m : n); ++j) {
            int32_t element = axis == 0 ? in[j * n + i] : in[i * n + j];
            total += element;
            largest = std::max(largest, element);
          }
          expected.push_back(total * largest);
        }
        CHECK(run<int32_t, int32_t>(kernel, in, kept) == expected);
      }
}

TEST_CASE("a reduction of two sources finds where the maximum is") {
  for (const std::string &layout : layouts1D) {
    KernelText kernel(4);
    std::string x = kernel.argument("x", "!tile.ptr<i32>"),
                y = kernel.argument("y", "!tile.ptr<i64>");
    std::string value = kernel.load(x, "i32", 1024, 0, layout),
                type = tileType(1024, 0, "i32", layout), wide = tileType(1024, 0, "i64", layout);
    std::string index = kernel.add("$ = tile.arange 0 to 1024 : " + type);
    std::string wideIndex = kernel.add("$ = arith.extsi " + index + " : " + type + " to " + wide);
    std::string best = "%best";
    kernel.add("%best:2 = tile.reduce (" + value + ", " + wideIndex +
               ") axis 0 { ^bb0(%a: i32, %i: i64, %b: i32, %j: i64): "
               "%more = arith.cmpi sgt, %a, %b : i32 %same = arith.cmpi eq, %a, %b : i32 %less = "
               "arith.cmpi slt, %i, %j : i64 "
               "%tie = arith.andi %same, %less : i1 %left = arith.ori %more, %tie : i1 "
               "%c = arith.select %left, %a, %b : i32 %k = arith.select %left, %i, %j : i64 "
               "tile.yield %c, %k : i32, i64 } : (" +
               type + ", " + wide + ") -> (i32, i64)");
    kernel.add("tile.store " + y + ", %best#1 : !tile.ptr<i64>");
    std::vector<int32_t> in = scrambled(1024);
    in[700] = in[200] = 5000;
    CHECK(run<int32_t, int64_t>(kernel, in, 1) == std::vector<int64_t>{200});
  }
}

TEST_CASE("scans along both axes, in both directions, in order") {
  // Functions x -> a x + b composed: not commutative, so the order shows.
  for (auto [m, n] : {std::pair(32, 64), std::pair(8, 8), std::pair(512, 2)})
    for (const std::string &layout : layouts2D)
      for (int axis : {0, 1})
        for (bool reverse : {false, true}) {
          KernelText kernel(4);
          std::string x = kernel.argument("x", "!tile.ptr<i32>"),
                      y = kernel.argument("y", "!tile.ptr<i32>");
          std::string type = tileType(m, n, "i32", layout);
          std::string b = kernel.load(x, "i32", m, n, layout);
          std::string one = kernel.add("$ = arith.constant dense<1> : " + type);
          std::string a = kernel.add("$ = arith.ori " + b + ", " + one + " : " + type);
          kernel.add(
              "%scan:2 = tile.scan (" + a + ", " + b + ") axis " + std::to_string(axis) +
              (reverse ? " reverse" : "") +
              " { ^bb0(%a0: i32, %b0: i32, %a1: i32, %b1: i32): %a2 = arith.muli %a0, %a1 : i32 "
              "%c = arith.muli %b0, %a1 : i32 %b2 = arith.addi %c, %b1 : i32 tile.yield %a2, %b2 : "
              "i32, i32 } : (" +
              type + ", " + type + ") -> (" + type + ", " + type + ")");
          kernel.store(y, "%scan#1", "i32", m, n, layout);
          std::vector<int32_t> in = scrambled(m * n), expected(m * n);
          int length = axis == 0 ? m : n;
          for (int i = 0; i < (axis == 0 ? n : m); ++i) {
            uint32_t sum = 0;
            for (int step = 0; step < length; ++step) {
              int j = reverse ? length - 1 - step : step;
              int at = axis == 0 ? j * n + i : i * n + j;
              sum = step == 0 ? uint32_t(in[at]) : sum * uint32_t(in[at] | 1) + uint32_t(in[at]);
              expected[at] = int32_t(sum);
            }
          }
          CHECK(run<int32_t, int32_t>(kernel, in, in.size()) == expected);
        }
}

TEST_CASE("scans of one dim") {
  for (const std::string &layout : layouts1D)
    for (int size : {16, 256, 2048})
      for (bool reverse : {false, true}) {
        KernelText kernel(4);
        std::string x = kernel.argument("x", "!tile.ptr<i32>"),
                    y = kernel.argument("y", "!tile.ptr<i32>");
        std::string type = tileType(size, 0, "i32", layout);
        std::string value = kernel.load(x, "i32", size, 0, layout);
        std::string sums = kernel.add(
            "$ = tile.scan (" + value + ") axis 0" + (reverse ? " reverse" : "") +
            " { ^bb0(%a: i32, %b: i32): %c = arith.addi %a, %b : i32 tile.yield %c : i32 } : (" +
            type + ") -> " + type);
        kernel.store(y, sums, "i32", size, 0, layout);
        std::vector<int32_t> in = scrambled(size), expected(size);
        if (reverse)
          std::partial_sum(in.rbegin(), in.rend(), expected.rbegin());
        else
          std::partial_sum(in.begin(), in.end(), expected.begin());
        CHECK(run<int32_t, int32_t>(kernel, in, size) == expected);
      }
}

TEST_CASE("tiles are joined, split, reshaped and transposed in place") {
  std::string flat = layouts1D[1];
  std::string pairs =
      "#tile.blocked<registers = [4, 2], lanes = [32, 1], warps = [4, 1], order = [1, 0]>";
  std::string turned =
      "#tile.blocked<registers = [2, 4], lanes = [1, 32], warps = [1, 4], order = [0, 1]>";
  KernelText kernel(4);
  std::string x = kernel.argument("x", "!tile.ptr<i32>"),
              y = kernel.argument("y", "!tile.ptr<i32>");
  std::string line = tileType(512, 0, "i32", flat), block = tileType(512, 2, "i32", pairs),
              trans = tileType(2, 512, "i32", turned);
  std::string value = kernel.load(x, "i32", 512, 0, flat);
  std::string seven = kernel.add("$ = arith.constant dense<7> : " + line);
  std::string product = kernel.add("$ = arith.muli " + value + ", " + seven + " : " + line);
  std::string joined = kernel.add("$ = tile.join " + value + ", " + product + " : " + line + ", " +
                                  line + " -> " + block);
  std::string other =
      kernel.add("$ = tile.trans " + joined + " by [1, 0] : " + block + " -> " + trans);
  std::string again =
      kernel.add("$ = tile.trans " + other + " by [1, 0] : " + trans + " -> " + block);
  kernel.add("%l, %r = tile.split " + again + " : " + block + " -> " + line + ", " + line);
  std::string difference = kernel.add("$ = arith.subi %r, %l : " + line);
  kernel.store(y, difference, "i32", 512, 0, flat);
  std::vector<int32_t> in = scrambled(512), expected;
  for (int32_t element : in)
    expected.push_back(6 * element);
  CHECK(run<int32_t, int32_t>(kernel, in, 512) == expected);

  KernelText stored(4);
  x = stored.argument("x", "!tile.ptr<i32>"), y = stored.argument("y", "!tile.ptr<i32>");
  value = stored.load(x, "i32", 512, 2, pairs);
  other = stored.add("$ = tile.trans " + value + " by [1, 0] : " + block + " -> " + trans);
  stored.store(y, other, "i32", 2, 512, turned);
  in = scrambled(1024);
  std::vector<int32_t> out = run<int32_t, int32_t>(stored, in, 1024);
  for (int i = 0; i < 512; ++i) {
    CHECK(out[i] == in[2 * i]);
    CHECK(out[512 + i] == in[2 * i + 1]);
  }
}

TEST_CASE("tiles go through loops and branches") {
  KernelText kernel(4);
  const std::string &layout = layouts2D[0];
  std::string x = kernel.argument("x", "!tile.ptr<i32>"),
              y = kernel.argument("y", "!tile.ptr<i32>");
  std::string type = tileType(16, 32, "i32", layout),
              slice = "#tile.slice<dim = 0, parent = " + layout + ">";
  std::string value = kernel.load(x, "i32", 16, 32, layout);
  std::string zero = kernel.add("$ = arith.constant 0 : i32"),
              five = kernel.add("$ = arith.constant 5 : i32"),
              one = kernel.add("$ = arith.constant 1 : i32"),
              two = kernel.add("$ = arith.constant 2 : i32");
  // Adds the column sums of the sum so far, in every other round twice.
  std::string line = tileType(32, 0, "i32", slice), wide = tileType(1, 32, "i32", layout);
  std::string sum = kernel.add("$ = scf.for %i = " + zero + " to " + five + " step " + one +
                               " iter_args(%t = " + value + ") -> (" + type +
                               ") : i32 {\n"
                               "%s = tile.reduce (%t) axis 0 { ^bb0(%a: i32, %b: i32): %c = "
                               "arith.addi %a, %b : i32 tile.yield %c : i32 } : (" +
                               type + ") -> " + line +
                               "\n"
                               "%e = tile.expand_dims %s at 0 : " +
                               line + " -> " + wide +
                               "\n"
                               "%w = tile.broadcast %e : " +
                               wide + " -> " + type +
                               "\n"
                               "%m = arith.remsi %i, " +
                               two +
                               " : i32\n"
                               "%odd = arith.cmpi eq, %m, " +
                               one +
                               " : i32\n"
                               "%u = scf.if %odd -> (" +
                               type + ") {\n %d = arith.addi %w, %w : " + type +
                               "\n scf.yield %d : " + type + "\n} else {\n scf.yield %w : " + type +
                               "\n}\n"
                               "%n = arith.addi %t, %u : " +
                               type + "\n scf.yield %n : " + type + "\n}");
  kernel.store(y, sum, "i32", 16, 32, layout);
  std::vector<int32_t> in = scrambled(512);
  std::vector<uint32_t> expected(in.begin(), in.end());
  for (int round = 0; round < 5; ++round)
    for (int j = 0; j < 32; ++j) {
      uint32_t column = 0;
      for (int i = 0; i < 16; ++i)
        column += expected[i * 32 + j];
      for (int i = 0; i < 16; ++i)
        expected[i * 32 + j] += column * (round % 2 ? 2 : 1);
    }
  CHECK(run<int32_t, uint32_t>(kernel, in, 512) == expected);
}

TEST_CASE("every element is updated once, and its old value goes to all who hold it") {
  for (const std::string &layout : layouts1D)
    for (int size : {16, 512}) {
      KernelText kernel(4);
      std::string x = kernel.argument("x", "!tile.ptr<i32>"),
                  y = kernel.argument("y", "!tile.ptr<i32>");
      std::string type = tileType(size, 0, "i32", layout);
      std::string to = kernel.pointers(x, "i32", size, 0, layout);
      std::string three = kernel.add("$ = arith.constant dense<3> : " + type);
      std::string old =
          kernel.add("$ = tile.atomic_rmw add relaxed gpu " + to + ", " + three + " : " +
                     tileType(size, 0, "!tile.ptr<i32>", layout) + " -> " + type);
      std::string total = kernel.add("$ = tile.reduce (" + old +
                                     ") axis 0 { ^bb0(%a: i32, %b: i32): %c = arith.addi %a, %b : "
                                     "i32 tile.yield %c : i32 } : (" +
                                     type + ") -> i32");
      std::string before = kernel.add("$ = tile.atomic_rmw xchg acq_rel gpu " + y + ", " + total +
                                      " : !tile.ptr<i32> -> i32");
      std::string after = kernel.add("$ = tile.atomic_cas acq_rel gpu " + y + ", " + total + ", " +
                                     before + " : !tile.ptr<i32>, i32");
      std::string same = kernel.add("$ = arith.addi " + after + ", " + before + " : i32");
      kernel.add("%un = tile.atomic_rmw add relaxed block " + y + ", " + same +
                 " : !tile.ptr<i32> -> i32");

      PtxMachine machine(compileToPtx(kernel.str()));
      std::vector<int32_t> in = scrambled(size), given = in, out{1000};
      machine.run("kernel", {1, 1, 1}, {machine.buffer(in), machine.buffer(out)});
      for (int i = 0; i < size; ++i)
        CHECK(in[i] == given[i] + 3);
      CHECK(out[0] == 2000 + std::accumulate(given.begin(), given.end(), 0));
    }
}
