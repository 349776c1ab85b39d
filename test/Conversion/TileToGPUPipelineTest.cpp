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
struct Case {
  std::string element;
  bool transposed, rowSums;
  int stages, m, n, k, warps;
};

std::string replaced(const Case &c, std::string line) {
  for (auto [from, to] : {std::pair<std::string, std::string>("$E", c.element),
                          {"$STAGES", std::to_string(c.stages)},
                          {"$WARPS", std::to_string(c.warps)},
                          {"$M", std::to_string(c.m)},
                          {"$N", std::to_string(c.n)},
                          {"$K", std::to_string(c.k)},
                          {"$COLUMN", c.transposed ? "%k_n" : "%one"},
                          {"$ROW", c.transposed ? "%one" : "%width_b"},
                          {"$TERM", c.rowSums ? "%with" : "%dot"}})
    for (size_t at; (at = line.find(from)) != std::string::npos;)
      line.replace(at, from.size(), to);
  return line;
}

// out [M, N] = a [M, K] times b, which is [K, N], or [N, K] if transposed, for blocks of m x n x k.
// If `rowSums`, each product is followed by a sum over the columns, which warps may exchange, and
// out's elements grow by all that the row had summed before.
std::string productKernel(const Case &c) {
  return replaced(c, R"(
func.func @kernel(%a: !tile.ptr<$E> {tile.divisibility = 16 : i64}, %b: !tile.ptr<$E> {tile.divisibility = 16 : i64},
                  %out: !tile.ptr<f32>, %k: i32 {tile.divisibility = 16 : i64, tile.range = array<i64: 0, 4096>})
    attributes {tile.kernel, tile.num_warps = $WARPS : i32, tile.num_stages = $STAGES : i32} {
  %c0 = arith.constant 0 : i32
  %step = arith.constant $K : i32
  %none = arith.constant dense<0.0> : tensor<$Mx$Kx$E>
  %noneb = arith.constant dense<0.0> : tensor<$Kx$Nx$E>
  %zero = arith.constant dense<0.0> : tensor<$Mx$Nxf32>
  %one = arith.constant dense<1> : tensor<$Kx$Nxi32>
  %width_b = arith.constant dense<$N> : tensor<$Kx$Nxi32>
  %k_n = tile.splat %k : i32 -> tensor<$Kx$Nxi32>
  %m = tile.arange 0 to $M : tensor<$Mxi32>
  %n = tile.arange 0 to $N : tensor<$Nxi32>
  %l = tile.arange 0 to $K : tensor<$Kxi32>
  %m1 = tile.expand_dims %m at 1 : tensor<$Mxi32> -> tensor<$Mx1xi32>
  %ks = tile.splat %k : i32 -> tensor<$Mx1xi32>
  %row = arith.muli %m1, %ks : tensor<$Mx1xi32>
  %rows = tile.broadcast %row : tensor<$Mx1xi32> -> tensor<$Mx$Kxi32>
  %l1 = tile.expand_dims %l at 0 : tensor<$Kxi32> -> tensor<1x$Kxi32>
  %acolumns = tile.broadcast %l1 : tensor<1x$Kxi32> -> tensor<$Mx$Kxi32>
  %r1 = tile.expand_dims %l at 1 : tensor<$Kxi32> -> tensor<$Kx1xi32>
  %n1 = tile.expand_dims %n at 0 : tensor<$Nxi32> -> tensor<1x$Nxi32>
  %columns = tile.broadcast %n1 : tensor<1x$Nxi32> -> tensor<$Mx$Nxi32>
  %bcolumns = tile.broadcast %n1 : tensor<1x$Nxi32> -> tensor<$Kx$Nxi32>
  %abase = tile.splat %a : !tile.ptr<$E> -> tensor<$Mx$Kx!tile.ptr<$E>>
  %arow = tile.addptr %abase, %rows : tensor<$Mx$Kx!tile.ptr<$E>>, tensor<$Mx$Kxi32>
  %astart = tile.addptr %arow, %acolumns : tensor<$Mx$Kx!tile.ptr<$E>>, tensor<$Mx$Kxi32>
  %bbase = tile.splat %b : !tile.ptr<$E> -> tensor<$Kx$Nx!tile.ptr<$E>>
  %bcolumn = arith.muli %bcolumns, $COLUMN : tensor<$Kx$Nxi32>
  %bcol = tile.addptr %bbase, %bcolumn : tensor<$Kx$Nx!tile.ptr<$E>>, tensor<$Kx$Nxi32>
  %astep = arith.constant dense<$K> : tensor<$Mx$Kxi32>
  %kmax = tile.splat %k : i32 -> tensor<1x$Kxi32>
  %kmaxb = tile.splat %k : i32 -> tensor<$Kx1xi32>
  %sum, %end = scf.for %i = %c0 to %k step %step iter_args(%acc = %zero, %ap = %astart)
      -> (tensor<$Mx$Nxf32>, tensor<$Mx$Kx!tile.ptr<$E>>) : i32 {
    %is = tile.splat %i : i32 -> tensor<1x$Kxi32>
    %at = arith.addi %is, %l1 : tensor<1x$Kxi32>
    %in = arith.cmpi slt, %at, %kmax : tensor<1x$Kxi32>
    %inside = tile.broadcast %in : tensor<1x$Kxi1> -> tensor<$Mx$Kxi1>
    %x = tile.load %ap mask %inside other %none : tensor<$Mx$Kx!tile.ptr<$E>>
    %ib = tile.splat %i : i32 -> tensor<$Kx1xi32>
    %bat = arith.addi %ib, %r1 : tensor<$Kx1xi32>
    %bin = arith.cmpi slt, %bat, %kmaxb : tensor<$Kx1xi32>
    %binside = tile.broadcast %bin : tensor<$Kx1xi1> -> tensor<$Kx$Nxi1>
    %batrows = tile.broadcast %bat : tensor<$Kx1xi32> -> tensor<$Kx$Nxi32>
    %boffset = arith.muli %batrows, $ROW : tensor<$Kx$Nxi32>
    %bp = tile.addptr %bcol, %boffset : tensor<$Kx$Nx!tile.ptr<$E>>, tensor<$Kx$Nxi32>
    %y = tile.load %bp mask %binside other %noneb : tensor<$Kx$Nx!tile.ptr<$E>>
    %dot = tile.dot tf32 %x, %y, %acc : tensor<$Mx$Kx$E> * tensor<$Kx$Nx$E> -> tensor<$Mx$Nxf32>
    %total = tile.reduce(%dot) axis 1 {
    ^bb0(%s: f32, %r: f32):
      %t = arith.addf %s, %r : f32
      tile.yield %t : f32
    } : (tensor<$Mx$Nxf32>) -> tensor<$Mxf32>
    %total1 = tile.expand_dims %total at 1 : tensor<$Mxf32> -> tensor<$Mx1xf32>
    %totals = tile.broadcast %total1 : tensor<$Mx1xf32> -> tensor<$Mx$Nxf32>
    %with = arith.addf %dot, %totals : tensor<$Mx$Nxf32>
    %next = tile.addptr %ap, %astep : tensor<$Mx$Kx!tile.ptr<$E>>, tensor<$Mx$Kxi32>
    scf.yield $TERM, %next : tensor<$Mx$Nxf32>, tensor<$Mx$Kx!tile.ptr<$E>>
  }
  %obase = tile.splat %out : !tile.ptr<f32> -> tensor<$Mx$Nx!tile.ptr<f32>>
  %width = arith.constant dense<$N> : tensor<$Mx1xi32>
  %orow = arith.muli %m1, %width : tensor<$Mx1xi32>
  %orows = tile.broadcast %orow : tensor<$Mx1xi32> -> tensor<$Mx$Nxi32>
  %op = tile.addptr %obase, %orows : tensor<$Mx$Nx!tile.ptr<f32>>, tensor<$Mx$Nxi32>
  %o = tile.addptr %op, %columns : tensor<$Mx$Nx!tile.ptr<f32>>, tensor<$Mx$Nxi32>
  tile.store %o, %sum : tensor<$Mx$Nx!tile.ptr<f32>>
  return
})");
}

// With layouts and with loads begun ahead; for chips that have them, with dots of warp groups.
std::string prepared(const std::string &text, bool warpgroups) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::math::MathDialect,
                      mlir::scf::SCFDialect, tile::TileDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  REQUIRE(module);
  mlir::PassManager passes(&context);
  tile::AssignGpuLayoutsOptions assign;
  assign.mmaVersion = warpgroups ? 3 : 2;
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addNestedPass<mlir::func::FuncOp>(tile::createAssignGpuLayouts(assign));
  passes.addNestedPass<mlir::func::FuncOp>(tile::createRemoveLayoutConversions());
  passes.addPass(mlir::createCanonicalizerPass());
  passes.addPass(mlir::createCSEPass());
  passes.addPass(mlir::createLoopInvariantCodeMotionPass());
  passes.addNestedPass<mlir::func::FuncOp>(tile::createPipelineLoads());
  if (warpgroups)
    passes.addNestedPass<mlir::func::FuncOp>(tile::createUseWarpgroupDots());
  passes.addPass(mlir::createCanonicalizerPass());
  if (warpgroups)
    passes.addNestedPass<mlir::func::FuncOp>(tile::createScheduleWarpgroupDots());
  REQUIRE(mlir::succeeded(passes.run(*module)));
  std::string result;
  llvm::raw_string_ostream os(result);
  module->print(os);
  return result;
}
} // namespace

namespace {
void checkProducts(const Case &c, const std::string &text, const std::string &target) {
  INFO(text);
  CHECK(text.find("tile.load") == std::string::npos);
  std::string ptx = compileToPtx(text, target);
  bool usesDynamic = ptx.find(".extern .shared") != std::string::npos;
  PtxMachine machine(ptx);
  unsigned bytes = bitsOf(c.element) / 8;
  for (int k : {0, 16, c.k, c.k + 16, 3 * c.k, 6 * c.k + 16}) {
    // Sums of rows are added again and again: small numbers stay exact.
    auto number = [&](int i, int by) { return (i * 7 + i / 5) % by - by / 2; };
    std::vector<uint8_t> as(std::max(1u, c.m * k * bytes)), bs(std::max(1u, k * c.n * bytes));
    std::vector<float> out(c.m * c.n, -1);
    auto put = [&](std::vector<uint8_t> &data, int i, int value) {
      uint64_t bits = fromDouble(c.element, value);
      std::memcpy(data.data() + i * bytes, &bits, bytes);
    };
    for (int i = 0; i < c.m * k; ++i)
      put(as, i, number(i, 3));
    for (int row = 0; row < k; ++row)
      for (int column = 0; column < c.n; ++column)
        put(bs, c.transposed ? column * k + row : row * c.n + column,
            number(row * c.n + column, 5));
    machine.run("kernel", {1, 1, 1},
                {machine.buffer(as), machine.buffer(bs), machine.buffer(out), uint64_t(k)},
                /*dynamicShared=*/usesDynamic ? 200000 : 0);
    bool allEqual = true;
    for (int i = 0; i < c.m; ++i) {
      std::vector<double> row(c.n);
      for (int begin = 0; begin < k; begin += c.k) {
        double total = 0;
        for (int j = 0; j < c.n; ++j) {
          for (int l = begin; l < std::min(begin + c.k, k); ++l)
            row[j] += number(i * k + l, 3) * number(l * c.n + j, 5);
          total += row[j];
        }
        for (int j = 0; c.rowSums && j < c.n; ++j)
          row[j] += total;
      }
      for (int j = 0; j < c.n; ++j)
        allEqual &= std::abs(out[i * c.n + j] - row[j]) <= 1e-6 * std::abs(row[j]);
    }
    INFO("k = " << k);
    CHECK(allEqual);
  }
}
} // namespace

TEST_CASE("products of tiles that are copied ahead") {
  for (const Case &c :
       {Case{"f16", false, false, 3, 64, 32, 32, 4}, Case{"f16", true, false, 2, 64, 32, 32, 4},
        Case{"bf16", true, true, 4, 64, 32, 32, 4}, Case{"f32", false, true, 3, 64, 32, 32, 4},
        Case{"f32", true, false, 2, 64, 32, 32, 4},
        // Threads hold less than a row for a matrix load, and copy 8 bytes at once.
        Case{"f16", true, false, 2, 128, 32, 32, 8}}) {
    std::string text = prepared(productKernel(c), /*warpgroups=*/false);
    CHECK(text.find("tile.read_buffer") != std::string::npos);
    checkProducts(c, text, "sm_80");
  }
}

// Rows of 64, 128 and 32 bytes; several parts to a row; several blocks of 64 rows; two groups.
TEST_CASE("products by warp groups of tiles that are copied ahead") {
  for (const Case &c :
       {Case{"f16", false, false, 3, 64, 32, 32, 4}, Case{"f16", true, true, 2, 64, 64, 64, 4},
        Case{"bf16", false, false, 2, 128, 128, 16, 4},
        Case{"f16", false, true, 2, 128, 16, 128, 8},
        Case{"f16", true, false, 2, 256, 64, 32, 8}}) {
    std::string text = prepared(productKernel(c), /*warpgroups=*/true);
    CHECK(text.find("tile.warpgroup_dot") != std::string::npos);
    CHECK(text.find("tile.read_buffer") == std::string::npos);
    checkProducts(c, text, "sm_90a");
  }
}

namespace {
// Like attention's gradients: for blocks of K rows of y and z [rows, N], all tiles of which are
// used as they are and transposed, and of w [rows]:
//   s = a y^T   t = a z^T   p = s * (t - w)   out [M, N] += p y + s z
std::string gradientKernel(const Case &c) {
  return replaced(c, R"(
func.func @kernel(%a: !tile.ptr<$E> {tile.divisibility = 16 : i64}, %y: !tile.ptr<$E> {tile.divisibility = 16 : i64},
                  %z: !tile.ptr<$E> {tile.divisibility = 16 : i64}, %w: !tile.ptr<f32>, %out: !tile.ptr<f32>,
                  %rows: i32 {tile.range = array<i64: 0, 4096>})
    attributes {tile.kernel, tile.num_warps = $WARPS : i32, tile.num_stages = $STAGES : i32} {
  %c0 = arith.constant 0 : i32
  %step = arith.constant $K : i32
  %none = arith.constant dense<0.0> : tensor<$Kx$Nx$E>
  %nothing = arith.constant dense<0.0> : tensor<$Kxf32>
  %zero = arith.constant dense<0.0> : tensor<$Mx$Nxf32>
  %zeros = arith.constant dense<0.0> : tensor<$Mx$Kxf32>
  %m = tile.arange 0 to $M : tensor<$Mxi32>
  %n = tile.arange 0 to $N : tensor<$Nxi32>
  %l = tile.arange 0 to $K : tensor<$Kxi32>
  %m1 = tile.expand_dims %m at 1 : tensor<$Mxi32> -> tensor<$Mx1xi32>
  %l1 = tile.expand_dims %l at 1 : tensor<$Kxi32> -> tensor<$Kx1xi32>
  %n1 = tile.expand_dims %n at 0 : tensor<$Nxi32> -> tensor<1x$Nxi32>
  %width = arith.constant dense<$N> : tensor<$Mx1xi32>
  %widthk = arith.constant dense<$N> : tensor<$Kx1xi32>
  %row = arith.muli %m1, %width : tensor<$Mx1xi32>
  %rowb = tile.broadcast %row : tensor<$Mx1xi32> -> tensor<$Mx$Nxi32>
  %columns = tile.broadcast %n1 : tensor<1x$Nxi32> -> tensor<$Mx$Nxi32>
  %columnsk = tile.broadcast %n1 : tensor<1x$Nxi32> -> tensor<$Kx$Nxi32>
  %places = arith.addi %rowb, %columns : tensor<$Mx$Nxi32>
  %abase = tile.splat %a : !tile.ptr<$E> -> tensor<$Mx$Nx!tile.ptr<$E>>
  %ap = tile.addptr %abase, %places : tensor<$Mx$Nx!tile.ptr<$E>>, tensor<$Mx$Nxi32>
  %left = tile.load %ap : tensor<$Mx$Nx!tile.ptr<$E>>
  %ybase = tile.splat %y : !tile.ptr<$E> -> tensor<$Kx$Nx!tile.ptr<$E>>
  %zbase = tile.splat %z : !tile.ptr<$E> -> tensor<$Kx$Nx!tile.ptr<$E>>
  %wbase = tile.splat %w : !tile.ptr<f32> -> tensor<$Kx!tile.ptr<f32>>
  %end1 = tile.splat %rows : i32 -> tensor<$Kx1xi32>
  %end = tile.splat %rows : i32 -> tensor<$Kxi32>
  %sum = scf.for %i = %c0 to %rows step %step iter_args(%acc = %zero) -> tensor<$Mx$Nxf32> : i32 {
    %is = tile.splat %i : i32 -> tensor<$Kx1xi32>
    %at = arith.addi %is, %l1 : tensor<$Kx1xi32>
    %in = arith.cmpi slt, %at, %end1 : tensor<$Kx1xi32>
    %inside = tile.broadcast %in : tensor<$Kx1xi1> -> tensor<$Kx$Nxi1>
    %begin = arith.muli %at, %widthk : tensor<$Kx1xi32>
    %begins = tile.broadcast %begin : tensor<$Kx1xi32> -> tensor<$Kx$Nxi32>
    %offsets = arith.addi %begins, %columnsk : tensor<$Kx$Nxi32>
    %yp = tile.addptr %ybase, %offsets : tensor<$Kx$Nx!tile.ptr<$E>>, tensor<$Kx$Nxi32>
    %zp = tile.addptr %zbase, %offsets : tensor<$Kx$Nx!tile.ptr<$E>>, tensor<$Kx$Nxi32>
    %ys = tile.load %yp mask %inside other %none : tensor<$Kx$Nx!tile.ptr<$E>>
    %zs = tile.load %zp mask %inside other %none : tensor<$Kx$Nx!tile.ptr<$E>>
    %iw = tile.splat %i : i32 -> tensor<$Kxi32>
    %wat = arith.addi %iw, %l : tensor<$Kxi32>
    %win = arith.cmpi slt, %wat, %end : tensor<$Kxi32>
    %wp = tile.addptr %wbase, %wat : tensor<$Kx!tile.ptr<f32>>, tensor<$Kxi32>
    %ws = tile.load %wp mask %win other %nothing : tensor<$Kx!tile.ptr<f32>>
    %yt = tile.trans %ys by [1, 0] : tensor<$Kx$Nx$E> -> tensor<$Nx$Kx$E>
    %s = tile.dot ieee %left, %yt, %zeros : tensor<$Mx$Nx$E> * tensor<$Nx$Kx$E> -> tensor<$Mx$Kxf32>
    %sh = arith.truncf %s : tensor<$Mx$Kxf32> to tensor<$Mx$Kx$E>
    %acc1 = tile.dot ieee %sh, %zs, %acc : tensor<$Mx$Kx$E> * tensor<$Kx$Nx$E> -> tensor<$Mx$Nxf32>
    %zt = tile.trans %zs by [1, 0] : tensor<$Kx$Nx$E> -> tensor<$Nx$Kx$E>
    %t = tile.dot ieee %left, %zt, %zeros : tensor<$Mx$Nx$E> * tensor<$Nx$Kx$E> -> tensor<$Mx$Kxf32>
    %w1 = tile.expand_dims %ws at 0 : tensor<$Kxf32> -> tensor<1x$Kxf32>
    %wb = tile.broadcast %w1 : tensor<1x$Kxf32> -> tensor<$Mx$Kxf32>
    %u = arith.subf %t, %wb : tensor<$Mx$Kxf32>
    %p = arith.mulf %s, %u : tensor<$Mx$Kxf32>
    %ph = arith.truncf %p : tensor<$Mx$Kxf32> to tensor<$Mx$Kx$E>
    %acc2 = tile.dot ieee %ph, %ys, %acc1 : tensor<$Mx$Kx$E> * tensor<$Kx$Nx$E> -> tensor<$Mx$Nxf32>
    scf.yield %acc2 : tensor<$Mx$Nxf32>
  }
  %obase = tile.splat %out : !tile.ptr<f32> -> tensor<$Mx$Nx!tile.ptr<f32>>
  %o = tile.addptr %obase, %places : tensor<$Mx$Nx!tile.ptr<f32>>, tensor<$Mx$Nxi32>
  tile.store %o, %sum : tensor<$Mx$Nx!tile.ptr<f32>>
  return
})");
}

void checkGradients(const Case &c, const std::string &text, const std::string &target) {
  INFO(text);
  std::string ptx = compileToPtx(text, target);
  bool usesDynamic = ptx.find(".extern .shared") != std::string::npos;
  PtxMachine machine(ptx);
  // Few numbers are not 0, so that all sums are exact in 11 bits.
  auto number = [](int i, int by) { return i % 7 == by ? i % 3 - 1 : i % 11 == by ? 1 : 0; };
  for (int rows : {0, 5, c.k, 3 * c.k, 5 * c.k - 3}) {
    std::vector<uint16_t> a(c.m * c.n), y(std::max(1, rows * c.n)), z(y.size());
    std::vector<float> w(std::max(1, rows)), out(c.m * c.n, -1), want(c.m * c.n);
    for (size_t i = 0; i < a.size(); ++i)
      a[i] = fromDouble(c.element, number(i, 1));
    for (int i = 0; i < rows * c.n; ++i) {
      y[i] = fromDouble(c.element, number(i, 2));
      z[i] = fromDouble(c.element, number(i, 4));
    }
    for (int i = 0; i < rows; ++i)
      w[i] = i % 5;
    for (int row = 0; row < c.m; ++row)
      for (int i = 0; i < rows; ++i) {
        double s = 0, t = 0;
        for (int j = 0; j < c.n; ++j) {
          s += number(row * c.n + j, 1) * number(i * c.n + j, 2);
          t += number(row * c.n + j, 1) * number(i * c.n + j, 4);
        }
        for (int j = 0; j < c.n; ++j)
          want[row * c.n + j] +=
              s * (t - w[i]) * number(i * c.n + j, 2) + s * number(i * c.n + j, 4);
      }
    machine.run("kernel", {1, 1, 1},
                {machine.buffer(a), machine.buffer(y), machine.buffer(z), machine.buffer(w),
                 machine.buffer(out), uint64_t(rows)},
                /*dynamicShared=*/usesDynamic ? 200000 : 0);
    INFO("rows = " << rows);
    CHECK(out == want);
  }
}
} // namespace

// Tiles that are multiplied as they are and transposed, from one buffer, and left operands that
// were computed; a small tile that is loaded ahead into registers.
TEST_CASE("products of one tile both ways") {
  for (const Case &c : {Case{"f16", false, false, 3, 64, 64, 32, 4},
                        Case{"bf16", false, false, 2, 64, 32, 64, 4}}) {
    std::string text = prepared(gradientKernel(c), /*warpgroups=*/false);
    CHECK(text.find("tile.copy_async") != std::string::npos);
    checkGradients(c, text, "sm_80");
  }
}
TEST_CASE("products by warp groups of one tile both ways") {
  for (const Case &c :
       {Case{"f16", false, false, 3, 64, 64, 32, 4}, Case{"bf16", false, false, 2, 128, 32, 64, 4},
        Case{"f16", false, false, 4, 128, 128, 16, 8}}) {
    std::string text = prepared(gradientKernel(c), /*warpgroups=*/true);
    CHECK(text.find("tile.read_buffer") == std::string::npos);
    CHECK(text.find("tile.wait_dots 1") != std::string::npos);
    checkGradients(c, text, "sm_90a");
  }
}
