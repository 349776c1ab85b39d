#ifndef TEENY_TILE_TO_GPU_PASSES
#define TEENY_TILE_TO_GPU_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTileToGPU : Pass<"convert-tile-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Distributes the tiles of kernels over the threads of a GPU";
  let description = [{
    In each `func.func` with `tile.kernel`, whose tiles all have layouts, every tile becomes the scalars that one thread
    holds of it (Distribution.h), and what threads do with each other becomes shuffles and shared memory:

    ```mlir
    %i = tile.arange 0 to 256 : tensor<256xi32, #l>       // 4 registers, 32 lanes, 2 warps
    ```
    becomes
    ```mlir
    %t = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"() : () -> i32
    %i0 = arith.shli %t, %c2 : i32                        // and %i1 = %i0 + 1, %i2, %i3
    ```

    Arithmetic stays `arith` and `math`, control flow `scf`. The function is told the bytes of shared memory that it uses:
    `tile.shared_bytes`; above what a program has without asking, also `tile.dynamic_shared_bytes`, the same number.
  }];
  let options = [Option<"target", "target", "std::string", "\"compute_80\"", "Target whose facts to use">];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect",
                           "::mlir::ub::UBDialect"];
}

def ConvertGPUKernelToLLVM : Pass<"convert-gpu-kernel-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Kernels of scalars to PTX kernels in the LLVM dialect";
  let description = [{
    Each `func.func` with `tile.kernel` and no tiles or structured control flow left becomes an `llvm.func` with the calling convention
    of PTX kernels and the ABI of lib/Bundle/README.md. The number of threads is fixed (`nvvm.reqntid`); what is known
    of pointers becomes `llvm.noalias` and `llvm.align`. Division, exp2, sqrt and rsqrt of f32 become the
    approximate instructions of the GPU.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
