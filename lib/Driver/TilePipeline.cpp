#include "Driver/TilePipeline.h"

#include "Conversion/TileToCPU/TileToCPU.h"
#include "Graph/IR/Graph.h"
#include "Tile/IR/Tile.h"
#include "Tile/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace teeny;

const DialectRegistry &teeny::compilerDialects() {
  static const DialectRegistry registry = [] {
    DialectRegistry dialects;
    dialects.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect,
                    graph::GraphDialect, LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect,
                    tile::TileDialect, ub::UBDialect, vector::VectorDialect>();
    return dialects;
  }();
  return registry;
}

void teeny::addTilePasses(OpPassManager &passes) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  // Before ranges are looked at, loops are left with what changes in them.
  passes.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
  passes.addNestedPass<func::FuncOp>(tile::createWidenOffsets());
  // Widening makes constants and conversions that fold, and arithmetic that repeats.
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void teeny::addGpuTilePasses(OpPassManager &passes, const Target &target) {
  tile::AssignGpuLayoutsOptions assign;
  assign.threadsPerWarp = target.gpu->warpSize;
  // The layouts are those of mma.sync; where it lacks some types (tf32, bf16), it is not used.
  if (llvm::any_of(target.gpu->mmaShapes,
                   [](const MmaShape &shape) { return shape.type == MmaType::tf32; }))
    assign.mmaVersion = target.wgmma() ? 3 : 2;
  passes.addNestedPass<func::FuncOp>(tile::createAssignGpuLayouts(assign));
  passes.addNestedPass<func::FuncOp>(tile::createRemoveLayoutConversions());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  // Conversions of what is loaded outside of loops.
  passes.addNestedPass<func::FuncOp>(createLoopInvariantCodeMotionPass());
  if (target.gpu->cpAsync) {
    passes.addNestedPass<func::FuncOp>(
        tile::createPipelineLoads({target.gpu->sharedPerBlockOptIn}));
    if (target.wgmma())
      passes.addNestedPass<func::FuncOp>(
          tile::createUseWarpgroupDots({target.gpu->sharedPerBlockOptIn}));
    passes.addPass(createCanonicalizerPass());
    passes.addPass(createCSEPass());
    if (target.wgmma())
      passes.addNestedPass<func::FuncOp>(tile::createScheduleWarpgroupDots());
  }
  tile::VerifyLayoutsOptions verify;
  verify.threadsPerWarp = target.gpu->warpSize;
  passes.addNestedPass<func::FuncOp>(tile::createVerifyLayouts(verify));
}

void teeny::addCpuPasses(OpPassManager &passes, const Target &target) {
  ConvertTileToCPUOptions options;
  options.vectorBits = target.cpu->vectorBits;
  options.vectorRegisters = target.cpu->vectorRegisters;
  passes.addPass(createConvertTileToCPU(options));
}

std::string teeny::printIR(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, OpPrintingFlags().assumeVerified().elideLargeElementsAttrs(64));
  os << "\n";
  return text;
}
