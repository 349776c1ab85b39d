// RUN: teeny-opt %s -tile-assign-gpu-layouts -tile-to-gpu=target=sm_80 | FileCheck %s

// CHECK-DAG: llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
// CHECK-DAG: llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)
// CHECK-DAG: @[[$TILE:.*]]("pid (%u, %u, %u) idx (%2u) x: %f\0A\00") {addr_space = 1
// CHECK-DAG: @[[$SCALAR:.*]]("pid (%u, %u, %u) idx () 100%% n: 0x%08x\0A\00") {addr_space = 1
// CHECK-DAG: @[[$TEXT:.*]]("pid (%u, %u, %u) here\0A\00") {addr_space = 1
// CHECK-DAG: @[[$MESSAGE:.*]]("n is positive\00") {addr_space = 1
// CHECK-DAG: @[[$FILE:.*]]("kernel.py\00") {addr_space = 1
// CHECK-DAG: @[[$FUNCTION:.*]]("show\00") {addr_space = 1

// 64 elements and 128 threads: the first 64 print one each, as double precision after the id and the place.
// CHECK-LABEL: llvm.func ptx_kernelcc @show(
// CHECK: %[[MEMORY:.*]] = llvm.alloca %{{.*}} x !llvm.struct<(i32, i32, i32, i32, f64)> {alignment = 8
// CHECK: %[[PLACE:.*]] = llvm.and %{{.*}}, %{{.*}} : i32
// CHECK: llvm.mlir.constant(64 : i32)
// CHECK: llvm.cond_br
// CHECK: %[[WIDE:.*]] = llvm.fpext %{{.*}} : f16 to f64
// CHECK: llvm.mlir.addressof @[[$TILE]]
// CHECK: llvm.store %[[WIDE]]
// CHECK: llvm.call @vprintf(%{{.*}}, %[[MEMORY]])

// What all threads have is printed by one.
// CHECK: %[[THREAD:.*]] = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"()
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[THREAD]], %{{.*}} : i32
// CHECK: llvm.cond_br %[[FIRST]]
// CHECK: llvm.mlir.addressof @[[$SCALAR]]
// CHECK: llvm.store %arg1
// CHECK: llvm.call @vprintf
// CHECK: llvm.mlir.addressof @[[$TEXT]]
// CHECK: llvm.call @vprintf

// CHECK: %[[HOLDS:.*]] = llvm.icmp "sgt" %arg1
// CHECK: %[[FAILS:.*]] = llvm.xor %[[HOLDS]]
// CHECK: llvm.cond_br %[[FAILS]]
// CHECK: llvm.mlir.addressof @[[$MESSAGE]]
// CHECK: llvm.mlir.addressof @[[$FILE]]
// CHECK: llvm.mlir.addressof @[[$FUNCTION]]
// CHECK: llvm.mlir.constant(7 : i32)
// CHECK: llvm.call @__assertfail
func.func @show(%p: !tile.ptr<f16>, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %base = tile.splat %p : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %at = tile.addptr %base, %i : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %x = tile.load %at : tensor<64x!tile.ptr<f16>>
  tile.print " x: " [false] (%x : tensor<64xf16>)
  tile.print " 100% n: " hex [true] (%n : i32)
  tile.print " here" []
  %zero = arith.constant 0 : i32
  %holds = arith.cmpi sgt, %n, %zero : i32
  tile.assert %holds, "n is positive" at "kernel.py" : 7 in "show" : i1
  return
}
