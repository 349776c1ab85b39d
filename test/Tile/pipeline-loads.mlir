// RUN: teeny-opt %s -tile-pipeline-loads -canonicalize | FileCheck %s
// RUN: teeny-opt %s -tile-pipeline-loads=shared-bytes=22000 | FileCheck %s --check-prefix=SMALL
// RUN: teeny-opt %s -tile-pipeline-loads=shared-bytes=18000 | FileCheck %s --check-prefix=NONE

#blocked = #tile.blocked<registers = [1, 8], lanes = [8, 4], warps = [4, 1], order = [1, 0]>
#mma = #tile.mma<version = 2, warps = [4, 1], instruction = [16, 8]>
#a = #tile.dot_operand<index = 0, parent = #mma, k_width = 2>
#b = #tile.dot_operand<index = 1, parent = #mma, k_width = 2>
// Three stages: two iterations' copies before the loop, each only if there is such an iteration; in the loop wait, copy,
// read, multiply. The left operand stays a load, for nothing is known of its addresses.
// CHECK-LABEL: func @product
// CHECK: %[[B:.*]] = tile.alloc_buffer : <3 of tensor<32x32xf16, #[[$OPERAND:.*]]>, written #[[$BLOCKED:.*]]>
// CHECK-NEXT: tile.barrier
// CHECK-NEXT: %[[FIRST:.*]] = arith.cmpi sgt, %arg2, %c0_i32
// CHECK: %[[M0:.*]] = tile.splat %[[FIRST]]
// CHECK-NEXT: tile.copy_async %{{.*}} to %[[B]][%c0_i32] mask %[[M0]] width 8
// CHECK-NEXT: tile.commit_copies
// CHECK-NEXT: %[[SECOND:.*]] = arith.cmpi sgt, %arg2, %c32_i32
// CHECK: %[[M1:.*]] = tile.splat %[[SECOND]]
// CHECK-NEXT: tile.copy_async %{{.*}} to %[[B]][%c1_i32] mask %[[M1]] width 8
// CHECK-NEXT: tile.commit_copies
// CHECK-NEXT: scf.for %[[I:.*]] = %c0_i32 to %arg2 step %c32_i32 iter_args(%[[ACC:.*]] = %{{.*}}, %[[P:.*]] = %arg0, %[[TO:.*]] = %c2_i32, %[[FROM:.*]] = %c0_i32)
// CHECK-NEXT: %[[BOUND:.*]] = arith.subi %arg2, %c64_i32
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[I]], %[[BOUND]]
// CHECK-NEXT: tile.wait_copies 1
// CHECK-NEXT: %[[LATER:.*]] = arith.addi %[[I]], %c64_i32
// CHECK: %[[M:.*]] = tile.splat %[[MORE]]
// CHECK-NEXT: tile.copy_async %{{.*}} to %[[B]][%[[TO]]] mask %[[M]] width 8
// CHECK-NEXT: tile.commit_copies
// CHECK: %[[X:.*]] = tile.load %[[P]]
// CHECK-NEXT: %[[A:.*]] = tile.convert_layout %[[X]]
// CHECK-NEXT: %[[Y:.*]] = tile.read_buffer %[[B]][%[[FROM]]] : {{.*}} -> tensor<32x32xf16, #[[$OPERAND]]>
// CHECK-NEXT: tile.dot ieee %[[A]], %[[Y]], %[[ACC]]
// CHECK: } {tile.buffers}
// CHECK-NEXT: tile.wait_copies 0
// Two stages take 4 KB beside what the conversion of the left operand and reductions may need; one is none.
// SMALL: tile.alloc_buffer : <2 of
// NONE-LABEL: func @product
// NONE-NOT: buffer
func.func @product(%start: tensor<64x32x!tile.ptr<f16>, #blocked>, %right: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32,
                   %out: tensor<64x32x!tile.ptr<f32>, #mma>) attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #mma>
  %step = arith.constant dense<32> : tensor<64x32xi32, #blocked>
  %columns = tile.arange 0 to 32 : tensor<32xi32, #tile.slice<dim = 0, parent = #blocked>>
  %c1 = tile.expand_dims %columns at 0 : tensor<32xi32, #tile.slice<dim = 0, parent = #blocked>> -> tensor<1x32xi32, #blocked>
  %c2 = tile.broadcast %c1 : tensor<1x32xi32, #blocked> -> tensor<32x32xi32, #blocked>
  %bs = tile.splat %right : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>, #blocked>
  %r, %p = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero, %ps = %start)
      -> (tensor<64x32xf32, #mma>, tensor<64x32x!tile.ptr<f16>, #blocked>) : i32 {
    %x = tile.load %ps : tensor<64x32x!tile.ptr<f16>, #blocked>
    %is = tile.splat %i : i32 -> tensor<32x32xi32, #blocked>
    %offset = arith.addi %is, %c2 : tensor<32x32xi32, #blocked>
    %bp = tile.addptr %bs, %offset : tensor<32x32x!tile.ptr<f16>, #blocked>, tensor<32x32xi32, #blocked>
    %y = tile.load %bp : tensor<32x32x!tile.ptr<f16>, #blocked>
    %a = tile.convert_layout %x : tensor<64x32xf16, #blocked> -> tensor<64x32xf16, #a>
    %b = tile.convert_layout %y : tensor<32x32xf16, #blocked> -> tensor<32x32xf16, #b>
    %d = tile.dot ieee %a, %b, %acc : tensor<64x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<64x32xf32, #mma>
    %next = tile.addptr %ps, %step {tile.contiguity = array<i64: 1, 32>, tile.divisibility = array<i64: 16, 16>} : tensor<64x32x!tile.ptr<f16>, #blocked>, tensor<64x32xi32, #blocked>
    scf.yield %d, %next : tensor<64x32xf32, #mma>, tensor<64x32x!tile.ptr<f16>, #blocked>
  }
  tile.store %out, %r : tensor<64x32x!tile.ptr<f32>, #mma>
  return
}

#turned = #tile.blocked<registers = [8, 1], lanes = [4, 8], warps = [1, 4], order = [0, 1]>
#row = #tile.slice<dim = 0, parent = #mma>
// A tile that is multiplied as it is and transposed: its buffer has no layout, and is read in two. A small load of something else
// begins one iteration ahead, behind the copies of two, with its address for that iteration.
// CHECK-LABEL: func @both_ways
// CHECK: %[[B:.*]] = tile.alloc_buffer : <3 of tensor<32x32xf16>, written #
// CHECK: %[[W0:.*]] = tile.load
// CHECK: scf.for %[[I:.*]] = %c0_i32 to %{{.*}} step %c32_i32 iter_args({{.*}}, %[[W:.*]] = %[[W0]])
// CHECK: tile.commit_copies
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %c32_i32
// CHECK: tile.addptr %arg1, %[[NEXT]]
// CHECK: %[[W1:.*]] = tile.load {{.*}} mask
// CHECK: %[[R:.*]] = tile.read_buffer %[[B]][%[[FROM:.*]]] : {{.*}} -> tensor<32x32xf16, #[[$LINEAR:linear.*]]>
// CHECK-NEXT: %[[T:.*]] = tile.trans %[[R]] by [1, 0] : {{.*}} -> tensor<32x32xf16, #[[$OPERAND:dot_operand.*]]>
// CHECK-NEXT: tile.dot ieee %{{.*}}, %[[T]],
// CHECK: tile.read_buffer %[[B]][%[[FROM]]] : {{.*}} -> tensor<32x32xf16, #[[$OPERAND]]>
// CHECK: tile.expand_dims %[[W]] at 0
// CHECK: scf.yield {{.*}}, %[[W1]] :
func.func @both_ways(%right: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %weights: !tile.ptr<f32>, %n: i32, %x: tensor<64x32xf16, #a>,
                     %out: tensor<64x32x!tile.ptr<f32>, #mma>) attributes {tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #mma>
  %columns = tile.arange 0 to 32 : tensor<32xi32, #tile.slice<dim = 0, parent = #blocked>>
  %c1 = tile.expand_dims %columns at 0 : tensor<32xi32, #tile.slice<dim = 0, parent = #blocked>> -> tensor<1x32xi32, #blocked>
  %c2 = tile.broadcast %c1 : tensor<1x32xi32, #blocked> -> tensor<32x32xi32, #blocked>
  %bs = tile.splat %right : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>, #blocked>
  %ws = tile.splat %weights : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #row>
  %r = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %zero) -> tensor<64x32xf32, #mma> : i32 {
    %is = tile.splat %i : i32 -> tensor<32x32xi32, #blocked>
    %offset = arith.addi %is, %c2 : tensor<32x32xi32, #blocked>
    %bp = tile.addptr %bs, %offset : tensor<32x32x!tile.ptr<f16>, #blocked>, tensor<32x32xi32, #blocked>
    %y = tile.load %bp : tensor<32x32x!tile.ptr<f16>, #blocked>
    %iw = tile.splat %i : i32 -> tensor<32xi32, #row>
    %wp = tile.addptr %ws, %iw : tensor<32x!tile.ptr<f32>, #row>, tensor<32xi32, #row>
    %w = tile.load %wp : tensor<32x!tile.ptr<f32>, #row>
    %t = tile.trans %y by [1, 0] : tensor<32x32xf16, #blocked> -> tensor<32x32xf16, #turned>
    %bt = tile.convert_layout %t : tensor<32x32xf16, #turned> -> tensor<32x32xf16, #b>
    %s = tile.dot ieee %x, %bt, %zero : tensor<64x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<64x32xf32, #mma>
    %b = tile.convert_layout %y : tensor<32x32xf16, #blocked> -> tensor<32x32xf16, #b>
    %w1 = tile.expand_dims %w at 0 : tensor<32xf32, #row> -> tensor<1x32xf32, #mma>
    %w2 = tile.broadcast %w1 : tensor<1x32xf32, #mma> -> tensor<64x32xf32, #mma>
    %p = arith.mulf %s, %w2 : tensor<64x32xf32, #mma>
    %h = arith.truncf %p : tensor<64x32xf32, #mma> to tensor<64x32xf16, #mma>
    %l = tile.convert_layout %h : tensor<64x32xf16, #mma> -> tensor<64x32xf16, #a>
    %d = tile.dot ieee %l, %b, %acc : tensor<64x32xf16, #a> * tensor<32x32xf16, #b> -> tensor<64x32xf32, #mma>
    scf.yield %d : tensor<64x32xf32, #mma>
  }
  tile.store %out, %r : tensor<64x32x!tile.ptr<f32>, #mma>
  return
}
