// teeny-opt: runs passes over IR files, for tests and for looking at one step of the pipeline.
#include "Conversion/TileToCPU/TileToCPU.h"
#include "Conversion/TileToGPU/TileToGPU.h"
#include "Graph/IR/Graph.h"
#include "Graph/Transforms/Passes.h"
#include "Target/PTX/EmitPTX.h"
#include "Tile/IR/Tile.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry
      .insert<mlir::arith::ArithDialect, mlir::cf::ControlFlowDialect, mlir::func::FuncDialect,
              mlir::LLVM::LLVMDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
              mlir::tensor::TensorDialect, teeny::graph::GraphDialect, teeny::tile::TileDialect>();
  mlir::func::registerInlinerExtension(registry);

  // Upstream passes that tests combine with ours; a library of the project adds its own with one
  // call of its register...Passes().
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerInlinerPass();
  mlir::registerLoopInvariantCodeMotionPass();
  mlir::registerSymbolDCEPass();
  teeny::graph::registerGraphPasses();
  teeny::registerTileToCPUPasses();
  teeny::registerTileToGPUPasses();
  teeny::registerEmitPTXPass();
  teeny::tile::registerTilePasses();

  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "teenyc's passes, one at a time\n", registry));
}
