// What each phase promises, broken on purpose.
#include "Driver/VerifyPhase.h"
#include "Graph/IR/Graph.h"
#include "Tile/IR/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include <catch2/catch.hpp>

using namespace teeny;

namespace {

// What is said of a graph with this operation on %x and %w after each phase; nothing where it may
// be there.
std::string said(const std::string &body, Phase phase) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<graph::GraphDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect,
                      tile::TileDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(body, &context);
  REQUIRE(module);
  std::string text;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
    text += diagnostic.str();
    return mlir::success();
  });
  bool failed = mlir::failed(verifyPhase(*module, phase));
  CHECK(failed == !text.empty());
  return text;
}

std::string inGraph(const std::string &operation, const std::string &type) {
  return R"(graph.graph "g" dims [#graph.dim<"B", min = 0, max = 64>] {
  %x = graph.input "x" : !graph.tensor<[B, 3, 8], f32>
  %y = )" +
         operation + R"(
  graph.output %y as ["y"] : !graph.tensor<)" +
         type + ", f32>\n}";
}

} // namespace

TEST_CASE("each phase is closed by a check of what it takes away") {
  struct Case {
    std::string module;
    Phase first; // that it may not outlive
    const char *message;
  };
  const Case cases[] = {
      {inGraph(
           R"(graph.reduce "y" %x sum : !graph.tensor<[B, 3, 8], f32> -> !graph.tensor<[B, 8], f32>)",
           "[B, 8]"),
       Phase::legalizeOps, "an operation that has a declaration"},
      {inGraph(
           R"(graph.permute "y" %x [1, 0, 2] : !graph.tensor<[B, 3, 8], f32> -> !graph.tensor<[3, B, 8], f32>)",
           "[3, B, 8]"),
       Phase::bindKernels, "an operation without a kernel"},
      {R"(graph.op @add dtypes {T = [f32]} {
  graph.declare input "a" : "T" [N]
  graph.declare output "sum" : "T" [N]
})",
       Phase::bindKernels, "a call or a declaration"},
      {R"(func.func private @g(%a: i32) -> i32 {
  return %a : i32
}
func.func @f(%a: i32) -> i32 {
  %b = func.call @g(%a) : (i32) -> i32
  return %b : i32
})",
       Phase::tile, "a call of a function"},
      {R"(#blocked = #tile.blocked<registers = [1], lanes = [32], warps = [4], order = [0]>
func.func @f() {
  %a = tile.arange 0 to 128 : tensor<128xi32, #blocked>
  return
})",
       Phase::tile, "a layout"},
  };
  for (const Case &c : cases)
    for (Phase phase : {Phase::import, Phase::inferShapes, Phase::simplify, Phase::legalizeOps,
                        Phase::fuse, Phase::bindKernels, Phase::tile}) {
      CAPTURE(c.module, int(phase));
      std::string text = said(c.module, phase);
      if (phase < c.first)
        CHECK(text.empty());
      else
        CHECK(text.find(std::string("internal error: after ") + info(phase).name.str() +
                        " there is still " + c.message) != std::string::npos);
    }
}
