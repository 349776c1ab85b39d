// Loops whose loads are begun ahead: the whole way from tiles without layouts to PTX, run by a
// machine that ends asynchronous copies as late as they may, for numbers of iterations around the
// number of stages.
#include "../Target/PtxTypes.h"
#include "Tile/IR/Tile.h"
#include "Tile/Transforms/Passes.h"
#include "TileToGPUSupport.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include <catch2/catch.hpp>

using namespace teeny;
using namespace teeny::test;

namespace {
constexpr int M = 64, N = 32, blockK = 32;

// out [M, N] = a [M, K] times b, which is [K, N], or [N, K] if transposed. If `rowSums`, each
// product is followed by a sum over the columns, which warps exchange, and out's elements by all
// that the row had summed before.
std::string productKernel(const std::string &element, bool transposed, bool rowSums, int stages) {
  std::string a = "tensor<64x32x", b = "tensor<32x32x", text;
  auto replaced = [&](std::string line) {
    for (auto [from, to] : {std::pair<std::string, std::string>("$E", element),
                            {"$STAGES", std::to_string(stages)},
                            {"$COLUMN", transposed ? "%k_n" : "%one"},
                            {"$ROW", transposed ? "%one" : "%n32"},
                            {"$TERM", rowSums ? "%with" : "%dot"}})
      for (size_t at; (at = line.find(from)) != std::string::npos;)
        line.replace(at, from.size(), to);
    return line;
  };
  return replaced(R"(
func.func @kernel(%a: !tile.ptr<$E> {tile.divisibility = 16 : i64}, %b: !tile.ptr<$E> {tile.divisibility = 16 : i64},
                  %out: !tile.ptr<f32>, %k: i32 {tile.divisibility = 16 : i64, tile.range = array<i64: 0, 4096>})
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.num_stages = $STAGES : i32} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %none = arith.constant dense<0.0> : tensor<64x32x$E>
  %noneb = arith.constant dense<0.0> : tensor<32x32x$E>
  %zero = arith.constant dense<0.0> : tensor<64x32xf32>
  %one = arith.constant dense<1> : tensor<32x32xi32>
  %n32 = arith.constant dense<32> : tensor<32x32xi32>
  %k_n = tile.splat %k : i32 -> tensor<32x32xi32>
  %m = tile.arange 0 to 64 : tensor<64xi32>
  %n = tile.arange 0 to 32 : tensor<32xi32>
  %m1 = tile.expand_dims %m at 1 : tensor<64xi32> -> tensor<64x1xi32>
  %ks = tile.splat %k : i32 -> tensor<64x1xi32>
  %row = arith.muli %m1, %ks : tensor<64x1xi32>
  %rows = tile.broadcast %row : tensor<64x1xi32> -> tensor<64x32xi32>
  %r1 = tile.expand_dims %n at 1 : tensor<32xi32> -> tensor<32x1xi32>
  %c1 = tile.expand_dims %n at 0 : tensor<32xi32> -> tensor<1x32xi32>
  %columns = tile.broadcast %c1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %bcolumns = tile.broadcast %c1 : tensor<1x32xi32> -> tensor<32x32xi32>
  %brows = tile.broadcast %r1 : tensor<32x1xi32> -> tensor<32x32xi32>
  %abase = tile.splat %a : !tile.ptr<$E> -> tensor<64x32x!tile.ptr<$E>>
  %arow = tile.addptr %abase, %rows : tensor<64x32x!tile.ptr<$E>>, tensor<64x32xi32>
  %astart = tile.addptr %arow, %columns : tensor<64x32x!tile.ptr<$E>>, tensor<64x32xi32>
  %bbase = tile.splat %b : !tile.ptr<$E> -> tensor<32x32x!tile.ptr<$E>>
  %bcolumn = arith.muli %bcolumns, $COLUMN : tensor<32x32xi32>
  %bcol = tile.addptr %bbase, %bcolumn : tensor<32x32x!tile.ptr<$E>>, tensor<32x32xi32>
  %astep = arith.constant dense<32> : tensor<64x32xi32>
  %kmax = tile.splat %k : i32 -> tensor<1x32xi32>
  %kmaxb = tile.splat %k : i32 -> tensor<32x1xi32>
  %sum, %end = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero, %ap = %astart)
      -> (tensor<64x32xf32>, tensor<64x32x!tile.ptr<$E>>) : i32 {
    %is = tile.splat %i : i32 -> tensor<1x32xi32>
    %at = arith.addi %is, %c1 : tensor<1x32xi32>
    %in = arith.cmpi slt, %at, %kmax : tensor<1x32xi32>
    %inside = tile.broadcast %in : tensor<1x32xi1> -> tensor<64x32xi1>
    %x = tile.load %ap mask %inside other %none : tensor<64x32x!tile.ptr<$E>>
    %ib = tile.splat %i : i32 -> tensor<32x1xi32>
    %bat = arith.addi %ib, %r1 : tensor<32x1xi32>
    %bin = arith.cmpi slt, %bat, %kmaxb : tensor<32x1xi32>
    %binside = tile.broadcast %bin : tensor<32x1xi1> -> tensor<32x32xi1>
    %batrows = tile.broadcast %bat : tensor<32x1xi32> -> tensor<32x32xi32>
    %boffset = arith.muli %batrows, $ROW : tensor<32x32xi32>
    %bp = tile.addptr %bcol, %boffset : tensor<32x32x!tile.ptr<$E>>, tensor<32x32xi32>
    %y = tile.load %bp mask %binside other %noneb : tensor<32x32x!tile.ptr<$E>>
    %dot = tile.dot tf32 %x, %y, %acc : tensor<64x32x$E> * tensor<32x32x$E> -> tensor<64x32xf32>
    %total = tile.reduce(%dot) axis 1 {
    ^bb0(%l: f32, %r: f32):
      %t = arith.addf %l, %r : f32
      tile.yield %t : f32
    } : (tensor<64x32xf32>) -> tensor<64xf32>
    %total1 = tile.expand_dims %total at 1 : tensor<64xf32> -> tensor<64x1xf32>
    %totals = tile.broadcast %total1 : tensor<64x1xf32> -> tensor<64x32xf32>
    %with = arith.addf %dot, %totals : tensor<64x32xf32>
    %next = tile.addptr %ap, %astep : tensor<64x32x!tile.ptr<$E>>, tensor<64x32xi32>
    scf.yield $TERM, %next : tensor<64x32xf32>, tensor<64x32x!tile.ptr<$E>>
  }
  %obase = tile.splat %out : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %width = arith.constant dense<32> : tensor<64x1xi32>
  %orow = arith.muli %m1, %width : tensor<64x1xi32>
  %orows = tile.broadcast %orow : tensor<64x1xi32> -> tensor<64x32xi32>
  %op = tile.addptr %obase, %orows : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  %o = tile.addptr %op, %columns : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  tile.store %o, %sum : tensor<64x32x!tile.ptr<f32>>
  return
})");
}

// With layouts and with loads begun ahead.
std::string prepared(const std::string &text) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, tile::TileDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
  mlir::PassManager passes(&context);
  tile::AssignGpuLayoutsOptions assign;
  assign.mmaVersion = 2;
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addNestedPass<mlir::func::FuncOp>(tile::createAssignGpuLayouts(assign));
  passes.addNestedPass<mlir::func::FuncOp>(tile::createRemoveLayoutConversions());
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  passes.addNestedPass<mlir::func::FuncOp>(tile::createPipelineLoads());
  passes.addPass(mlir::createCanonicalizerPass());
  REQUIRE(mlir::succeeded(passes.run(*module)));
  std::string result;
  llvm::raw_string_ostream os(result);
  module->print(os);
  return result;
}
} // namespace

TEST_CASE("products of tiles that are copied ahead") {
  struct Case {
    std::string element;
    bool transposed, rowSums;
    int stages;
  };
  for (const Case &c :
       {Case{"f16", false, false, 3}, Case{"f16", true, false, 2}, Case{"bf16", true, true, 4},
        Case{"f32", false, true, 3}, Case{"f32", true, false, 2}}) {
    std::string text = prepared(productKernel(c.element, c.transposed, c.rowSums, c.stages));
    INFO(text);
    REQUIRE(text.find("tile.read_buffer") != std::string::npos);
    CHECK(text.find("tile.load") == std::string::npos);
    PtxMachine machine(compileToPtx(text, "sm_80"));
    unsigned bytes = bitsOf(c.element) / 8;
    for (int k : {0, 16, 32, 48, 96, 208}) {
      // Sums of rows are added again and again: small numbers stay exact.
      auto number = [&](int i, int by) { return (i * 7 + i / 5) % by - by / 2; };
      std::vector<uint8_t> as(std::max(1u, M * k * bytes)), bs(std::max(1u, k * N * bytes));
      std::vector<float> out(M * N, -1);
      auto put = [&](std::vector<uint8_t> &data, int i, int value) {
        uint64_t bits = fromDouble(c.element, value);
        std::memcpy(data.data() + i * bytes, &bits, bytes);
      };
      for (int i = 0; i < M * k; ++i)
        put(as, i, number(i, 3));
      for (int row = 0; row < k; ++row)
        for (int column = 0; column < N; ++column)
          put(bs, c.transposed ? column * k + row : row * N + column, number(row * N + column, 5));
      machine.run("kernel", {1, 1, 1},
                  {machine.buffer(as), machine.buffer(bs), machine.buffer(out), uint64_t(k)},
                  /*dynamicShared=*/0);
      bool allEqual = true;
      for (int i = 0; i < M; ++i) {
        std::vector<double> row(N);
        for (int begin = 0; begin < k; begin += blockK) {
          double total = 0;
          for (int j = 0; j < N; ++j) {
            for (int l = begin; l < std::min(begin + blockK, k); ++l)
              row[j] += number(i * k + l, 3) * number(l * N + j, 5);
            total += row[j];
          }
          for (int j = 0; c.rowSums && j < N; ++j)
            row[j] += total;
        }
        for (int j = 0; j < N; ++j)
          allEqual &= std::abs(out[i * N + j] - row[j]) <= 1e-6 * std::abs(row[j]);
      }
      INFO("k = " << k);
      CHECK(allEqual);
    }
  }
}
