#ifndef TEENY_TILE_TO_CPU_PASSES
#define TEENY_TILE_TO_CPU_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTileToCPU : Pass<"convert-tile-to-cpu", "::mlir::ModuleOp"> {
  let summary = "Kernels over tiles to functions in the LLVM dialect that run a range of programs";
  let description = [{
    Each `func.func` with `tile.kernel` (no layouts on its tensors, calls inlined) becomes

    ```mlir
    llvm.func @kernel(%args: !llvm.ptr, %grid: !llvm.ptr, %begin: i64, %end: i64, %scratch: !llvm.ptr)
        attributes {tile.scratch_bytes = 4096 : i64}
    ```

    the kernel ABI of lib/Bundle/README.md. Tiles become loops; LoopFusion.h says which. What the CPU cannot do is an error
    at the operation. Everything that is not arithmetic (loops, vectors, control flow) is lowered here too, so the module
    is ready for translation to LLVM IR.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int", "256", "Width of the vector registers that dots are tiled for">,
    Option<"vectorRegisters", "vector-registers", "int", "16", "Number of vector registers">,
    Option<"keepStructure", "keep-structure", "bool", "false",
           "Stop before loops and arithmetic become LLVM dialect, for tests of the structure">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect", "::mlir::func::FuncDialect",
                           "::mlir::cf::ControlFlowDialect"];
}

#endif
