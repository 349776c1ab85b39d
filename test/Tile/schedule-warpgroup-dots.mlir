// RUN: teeny-opt %s -tile-schedule-warpgroup-dots -split-input-file | FileCheck %s

#blocked = #tile.blocked<registers = [1, 8], lanes = [8, 4], warps = [4, 1], order = [1, 0]>
#mma = #tile.mma<version = 2, warps = [4, 1], instruction = [16, 8]>
#a = #tile.dot_operand<index = 0, parent = #mma, k_width = 2>
// Two products of what was loaded begin together, in front of the copies; a sum that needs the first runs while the second one's
// result is used, and is waited for in the next iteration, in front of the barrier that its slot's next copy needs.
// CHECK-LABEL: func @gradient
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %
// CHECK-NEXT: %[[READY:.*]] = tile.wait_dots 0, %[[ACC]]
// CHECK-NEXT: tile.wait_copies 1
// CHECK-NEXT: %[[S:.*]] = tile.warpgroup_dot %arg2, trans
// CHECK-NEXT: %[[P:.*]] = tile.warpgroup_dot %arg3, trans
// CHECK-NEXT: tile.copy_async
// CHECK-NEXT: tile.commit_copies
// CHECK-NEXT: %[[S1:.*]] = tile.wait_dots 1, %[[S]]
// CHECK-NEXT: math.exp2 %[[S1]]
// CHECK: %[[P1:.*]] = tile.wait_dots 0, %[[P]]
// CHECK-NEXT: arith.mulf %{{.*}}, %[[P1]]
// CHECK: %[[NEXT:.*]] = tile.warpgroup_dot %{{.*}}, %{{.*}}, %[[READY]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: %[[DONE:.*]] = tile.wait_dots 0
// CHECK-NEXT: tile.wait_copies 0
// CHECK-NEXT: return %[[DONE]]
func.func @gradient(%q: tensor<32x32x!tile.ptr<f16>, #blocked>, %n: i32, %x: tensor<64x32xf16, #a>, %y: tensor<64x32xf16, #a>)
    -> tensor<64x32xf32, #mma> attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #mma>
  %buffer = tile.alloc_buffer : !tile.buffer<3 of tensor<32x32xf16>, written #blocked>
  %d = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x32xf32, #mma> : i32 {
    tile.wait_copies 1
    tile.copy_async %q to %buffer[%i] width 8 : tensor<32x32x!tile.ptr<f16>, #blocked>, !tile.buffer<3 of tensor<32x32xf16>, written #blocked>
    tile.commit_copies
    %s0 = tile.warpgroup_dot %x, trans %buffer[%i], %zero : tensor<64x32xf16, #a> * !tile.buffer<3 of tensor<32x32xf16>, written #blocked> -> tensor<64x32xf32, #mma>
    %s = tile.wait_dots 0, %s0 : tensor<64x32xf32, #mma>
    %e = math.exp2 %s : tensor<64x32xf32, #mma>
    %p0 = tile.warpgroup_dot %y, trans %buffer[%i], %zero : tensor<64x32xf16, #a> * !tile.buffer<3 of tensor<32x32xf16>, written #blocked> -> tensor<64x32xf32, #mma>
    %p = tile.wait_dots 0, %p0 : tensor<64x32xf32, #mma>
    %f = arith.mulf %e, %p : tensor<64x32xf32, #mma>
    %h = arith.truncf %f : tensor<64x32xf32, #mma> to tensor<64x32xf16, #mma>
    %o = tile.convert_layout %h : tensor<64x32xf16, #mma> -> tensor<64x32xf16, #a>
    %r0 = tile.warpgroup_dot %o, %buffer[%i], %acc : tensor<64x32xf16, #a> * !tile.buffer<3 of tensor<32x32xf16>, written #blocked> -> tensor<64x32xf32, #mma>
    %r = tile.wait_dots 0, %r0 : tensor<64x32xf32, #mma>
    scf.yield %r : tensor<64x32xf32, #mma>
  } {tile.buffers}
  tile.wait_copies 0
  return %d : tensor<64x32xf32, #mma>
}
