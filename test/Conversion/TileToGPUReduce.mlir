// RUN: teeny-opt %s -split-input-file -tile-to-gpu=target=sm_90a | FileCheck %s

#b = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>

// Registers in a tree, lanes by shuffles, warps through shared memory.
// CHECK: llvm.mlir.global internal @sum_shared() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<16 x i8>
// CHECK-LABEL: llvm.func ptx_kernelcc @sum(
// CHECK-SAME: tile.shared_bytes = 16
// CHECK: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
// CHECK-COUNT-3: llvm.fadd
// CHECK: shfl.sync.bfly.i32
// CHECK: llvm.fadd
// CHECK-COUNT-4: shfl.sync.bfly.i32
// CHECK: llvm.store {{.*}}!llvm.ptr<3>
// CHECK: barrier.cta.sync
// CHECK: llvm.load {{.*}}!llvm.ptr<3> -> vector<4xi32>
// CHECK-COUNT-3: llvm.fadd
// CHECK-NOT: barrier
func.func @sum(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i = tile.arange 0 to 512 : tensor<512xi32, #b>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #b>
  %xp = tile.addptr %xs, %i : tensor<512x!tile.ptr<f32>, #b>, tensor<512xi32, #b>
  %v = tile.load %xp : tensor<512x!tile.ptr<f32>, #b>
  %s = tile.reduce (%v) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<512xf32, #b>) -> f32
  tile.store %y, %s : !tile.ptr<f32>
  return
}
