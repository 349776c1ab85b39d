// RUN: teeny-opt %s -tile-use-warpgroup-dots -canonicalize -split-input-file | FileCheck %s

#blocked = #tile.blocked<registers = [1, 8], lanes = [8, 4], warps = [4, 1], order = [1, 0]>
#mma = #tile.mma<version = 2, warps = [4, 1], instruction = [16, 8]>
#a = #tile.dot_operand<index = 0, parent = #mma, k_width = 2>
#b = #tile.dot_operand<index = 1, parent = #mma, k_width = 2>
// Both operands from buffers, whose tiles lose their layout.
// CHECK-LABEL: func @product
// CHECK: %[[A:.*]] = tile.alloc_buffer : <2 of tensor<64x32xf16>, written #
// CHECK: %[[B:.*]] = tile.alloc_buffer : <2 of tensor<32x32xf16>, written #
// CHECK: tile.copy_async %arg0 to %[[A]]
// CHECK-NOT: tile.read_buffer
// CHECK: %[[D:.*]] = tile.warpgroup_dot %[[A]][%arg2], %[[B]][%arg2], %arg3 :
// CHECK-NEXT: %[[R:.*]] = tile.wait_dots 0, %[[D]]
// CHECK-NEXT: return %[[R]]
func.func @product(%p: tensor<64x32x!tile.ptr<f16>, #blocked>, %q: tensor<32x32x!tile.ptr<f16>, #blocked>, %i: i32,
                   %acc: tensor<64x32xf32, #mma>) -> tensor<64x32xf32, #mma> attributes {tile.num_warps = 4 : i32} {
  %left = tile.alloc_buffer : !tile.buffer<2 of tensor<64x32xf16, #a>, written #blocked>
  %right = tile.alloc_buffer : !tile.buffer<2 of tensor<32x32xf16, #b>, written #blocked>
  tile.copy_async %p to %left[%i] width 8 : tensor<64x32x!tile.ptr<f16>, #blocked>, !tile.buffer<2 of tensor<64x32xf16, #a>, written #blocked>
  tile.copy_async %q to %right[%i] width 8 : tensor<32x32x!tile.ptr<f16>, #blocked>, !tile.buffer<2 of tensor<32x32xf16, #b>, written #blocked>
  %a = tile.read_buffer %left[%i] : !tile.buffer<2 of tensor<64x32xf16, #a>, written #blocked> -> tensor<64x32xf16, #a>
  %b = tile.read_buffer %right[%i] : !tile.buffer<2 of tensor<32x32xf16, #b>, written #blocked> -> tensor<32x32xf16, #b>
  %d = tile.dot ieee %a, %b, %acc : tensor<64x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<64x32xf32, #mma>
  return %d : tensor<64x32xf32, #mma>
}

// -----

#blocked = #tile.blocked<registers = [1, 8], lanes = [8, 4], warps = [4, 1], order = [1, 0]>
#mma = #tile.mma<version = 2, warps = [4, 1], instruction = [16, 8]>
#a = #tile.dot_operand<index = 0, parent = #mma, k_width = 2>
#b = #tile.dot_operand<index = 1, parent = #mma, k_width = 2>
#bt = #tile.linear<shape = [32, 32], registers = [[0, 1], [0, 8], [0, 16], [8, 0], [16, 0]], lanes = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warps = [[0, 0], [0, 0]]>
// A left operand that is computed, in registers; one buffer for an operand and for its transpose, which has no layout.
// CHECK-LABEL: func @both_ways
// CHECK: %[[B:.*]] = tile.alloc_buffer : <2 of tensor<32x32xf16>, written #
// CHECK-NOT: tile.read_buffer
// CHECK: tile.warpgroup_dot %[[X:.*]], %[[B]][%arg1], %arg2 :
// CHECK: tile.warpgroup_dot %[[X]], trans %[[B]][%arg1], %{{.*}} :
func.func @both_ways(%q: tensor<32x32x!tile.ptr<f16>, #blocked>, %i: i32, %acc: tensor<64x32xf32, #mma>, %f: tensor<64x32xf32, #a>)
    -> tensor<64x32xf32, #mma> attributes {tile.num_warps = 4 : i32} {
  %x = arith.truncf %f : tensor<64x32xf32, #a> to tensor<64x32xf16, #a>
  %buffer = tile.alloc_buffer : !tile.buffer<2 of tensor<32x32xf16>, written #blocked>
  tile.copy_async %q to %buffer[%i] width 8 : tensor<32x32x!tile.ptr<f16>, #blocked>, !tile.buffer<2 of tensor<32x32xf16>, written #blocked>
  %b = tile.read_buffer %buffer[%i] : !tile.buffer<2 of tensor<32x32xf16>, written #blocked> -> tensor<32x32xf16, #b>
  %d = tile.dot ieee %x, %b, %acc : tensor<64x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<64x32xf32, #mma>
  %c = tile.read_buffer %buffer[%i] : !tile.buffer<2 of tensor<32x32xf16>, written #blocked> -> tensor<32x32xf16, #bt>
  %t = tile.trans %c by [1, 0] : tensor<32x32xf16, #bt> -> tensor<32x32xf16, #b>
  %e = tile.dot ieee %x, %t, %d : tensor<64x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<64x32xf32, #mma>
  return %e : tensor<64x32xf32, #mma>
}

// -----

#blocked = #tile.blocked<registers = [1, 8], lanes = [8, 4], warps = [4, 1], order = [1, 0]>
#mma = #tile.mma<version = 2, warps = [4, 1], instruction = [16, 8]>
#a = #tile.dot_operand<index = 0, parent = #mma, k_width = 2>
#b = #tile.dot_operand<index = 1, parent = #mma, k_width = 2>
// A left operand from outside of the loop goes to a buffer behind the barrier, once, as it was loaded; one that the loop carries, and
// one without a barrier, stay with mma.sync.
// CHECK-LABEL: func @outside
// CHECK: tile.barrier
// CHECK-NEXT: %[[A:.*]] = tile.alloc_buffer : <1 of tensor<64x32xf16>, written #blocked>
// CHECK: tile.write_buffer %arg2 to %[[A]]
// CHECK: scf.for
// CHECK: tile.warpgroup_dot %[[A]][%{{.*}}], %{{.*}}, %{{.*}} :
// CHECK: tile.warpgroup_dot %[[A]][%{{.*}}], %{{.*}}, %{{.*}} :
// CHECK: tile.dot
func.func @outside(%q: tensor<32x32x!tile.ptr<f16>, #blocked>, %n: i32, %l: tensor<64x32xf16, #blocked>, %y: tensor<64x32xf16, #a>)
    -> tensor<64x32xf32, #mma> attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #mma>
  %buffer = tile.alloc_buffer : !tile.buffer<2 of tensor<32x32xf16, #b>, written #blocked>
  %x = tile.convert_layout %l : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
  tile.barrier
  %d:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %carried = %y) -> (tensor<64x32xf32, #mma>, tensor<64x32xf16, #a>) : i32 {
    tile.wait_copies 0
    tile.copy_async %q to %buffer[%i] width 8 : tensor<32x32x!tile.ptr<f16>, #blocked>, !tile.buffer<2 of tensor<32x32xf16, #b>, written #blocked>
    %b = tile.read_buffer %buffer[%i] : !tile.buffer<2 of tensor<32x32xf16, #b>, written #blocked> -> tensor<32x32xf16, #b>
    %e = tile.dot ieee %x, %b, %acc : tensor<64x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<64x32xf32, #mma>
    %f = tile.dot ieee %x, %b, %e : tensor<64x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<64x32xf32, #mma>
    %g = tile.dot ieee %carried, %b, %f : tensor<64x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<64x32xf32, #mma>
    scf.yield %g, %carried : tensor<64x32xf32, #mma>, tensor<64x32xf16, #a>
  } {tile.buffers}
  return %d#0 : tensor<64x32xf32, #mma>
}

// -----

#blocked = #tile.blocked<registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#mma = #tile.mma<version = 2, warps = [4, 1], instruction = [16, 8]>
#b = #tile.dot_operand<index = 1, parent = #mma, k_width = 2>
#a = #tile.dot_operand<index = 0, parent = #mma, k_width = 2>
// Buffers copied 8 bytes at a time stay with mma.sync.
// CHECK-LABEL: func @narrow
// CHECK: tile.read_buffer
// CHECK: tile.dot
func.func @narrow(%q: tensor<32x32x!tile.ptr<f16>, #blocked>, %i: i32, %acc: tensor<64x32xf32, #mma>, %x: tensor<64x32xf16, #a>)
    -> tensor<64x32xf32, #mma> attributes {tile.num_warps = 4 : i32} {
  %right = tile.alloc_buffer : !tile.buffer<2 of tensor<32x32xf16, #b>, written #blocked>
  tile.copy_async %q to %right[%i] width 4 : tensor<32x32x!tile.ptr<f16>, #blocked>, !tile.buffer<2 of tensor<32x32xf16, #b>, written #blocked>
  %b = tile.read_buffer %right[%i] : !tile.buffer<2 of tensor<32x32xf16, #b>, written #blocked> -> tensor<32x32xf16, #b>
  %e = tile.dot ieee %x, %b, %acc : tensor<64x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<64x32xf32, #mma>
  return %e : tensor<64x32xf32, #mma>
}
