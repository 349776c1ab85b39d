// RUN: teeny-opt %s -tile-assign-gpu-layouts=mma-version=2 -tile-remove-layout-conversions -tile-verify-layouts -canonicalize -cse -split-input-file | FileCheck %s

// The accumulator is carried in the layout of the instruction, its start is made there, and each operand is loaded
// coalesced and converted once. The result, which is narrower, goes to memory through a conversion.
// CHECK-DAG: #[[$M:.*]] = #tile.mma<version = 2, warps = [2, 2], instruction = [16, 8]>
// CHECK-DAG: #[[$L:.*]] = #tile.dot_operand<index = 0, parent = #[[$M]], k_width = 2>
// CHECK-DAG: #[[$R:.*]] = #tile.dot_operand<index = 1, parent = #[[$M]], k_width = 2>
// CHECK-LABEL: func @matmul
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #[[$M]]>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]],
// CHECK: %[[X:.*]] = tile.load
// CHECK: %[[Y:.*]] = tile.load
// CHECK: tile.convert_layout %{{.*}} : tensor<{{.*}}xf16, #blocked{{.*}}> -> tensor<64x32xf16, #[[$L]]>
// CHECK: tile.convert_layout %{{.*}} : tensor<{{.*}}xf16, #blocked{{.*}}> -> tensor<32x64xf16, #[[$R]]>
// CHECK: tile.dot tf32 {{.*}} -> tensor<64x64xf32, #[[$M]]>
// CHECK-NOT: convert_layout
// CHECK: scf.yield
// CHECK: arith.truncf %{{.*}} : tensor<64x64xf32, #[[$M]]> to tensor<64x64xf16, #[[$M]]>
// CHECK: tile.convert_layout
// CHECK: tile.store
func.func @matmul(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i64},
    %out: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %k: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %r64 = tile.arange 0 to 64 : tensor<64xi32>
  %r32 = tile.arange 0 to 32 : tensor<32xi32>
  %s1024 = arith.constant dense<1024> : tensor<64x1xi32>
  %t1024 = arith.constant dense<1024> : tensor<32x1xi32>
  %m = tile.expand_dims %r64 at 1 : tensor<64xi32> -> tensor<64x1xi32>
  %n = tile.expand_dims %r64 at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %k0 = tile.expand_dims %r32 at 0 : tensor<32xi32> -> tensor<1x32xi32>
  %k1 = tile.expand_dims %r32 at 1 : tensor<32xi32> -> tensor<32x1xi32>
  %ms = arith.muli %m, %s1024 : tensor<64x1xi32>
  %ks = arith.muli %k1, %t1024 : tensor<32x1xi32>
  %mb = tile.broadcast %ms : tensor<64x1xi32> -> tensor<64x32xi32>
  %kb = tile.broadcast %k0 : tensor<1x32xi32> -> tensor<64x32xi32>
  %xo = arith.addi %mb, %kb : tensor<64x32xi32>
  %kc = tile.broadcast %ks : tensor<32x1xi32> -> tensor<32x64xi32>
  %nc = tile.broadcast %n : tensor<1x64xi32> -> tensor<32x64xi32>
  %yo = arith.addi %kc, %nc : tensor<32x64xi32>
  %md = tile.broadcast %ms : tensor<64x1xi32> -> tensor<64x64xi32>
  %nd = tile.broadcast %n : tensor<1x64xi32> -> tensor<64x64xi32>
  %zo = arith.addi %md, %nd : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  %qs = tile.splat %q : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  %os = tile.splat %out : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %xp = tile.addptr %ps, %xo : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %yp = tile.addptr %qs, %yo : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %zp = tile.addptr %os, %zo : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %xstep = arith.constant dense<32> : tensor<64x32xi32>
  %ystep = arith.constant dense<32768> : tensor<32x64xi32>
  %acc, %xe, %ye = scf.for %i = %c0 to %k step %c32 iter_args(%a = %zero, %xi = %xp, %yi = %yp)
      -> (tensor<64x64xf32>, tensor<64x32x!tile.ptr<f16>>, tensor<32x64x!tile.ptr<f16>>) : i32 {
    %x = tile.load %xi : tensor<64x32x!tile.ptr<f16>>
    %y = tile.load %yi : tensor<32x64x!tile.ptr<f16>>
    %d = tile.dot tf32 %x, %y, %a : tensor<64x32xf16> * tensor<32x64xf16> -> tensor<64x64xf32>
    %xn = tile.addptr %xi, %xstep : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %yn = tile.addptr %yi, %ystep : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
    scf.yield %d, %xn, %yn : tensor<64x64xf32>, tensor<64x32x!tile.ptr<f16>>, tensor<32x64x!tile.ptr<f16>>
  }
  %h = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %zp, %h : tensor<64x64x!tile.ptr<f16>>
  return
}

// -----

// An f32 dot that must be exact has no instruction.
// CHECK-LABEL: func @exact
// CHECK-NOT: #tile.mma
// CHECK: tile.dot ieee {{.*}} -> tensor<64x64xf32, #blocked{{.*}}>
func.func @exact(%p: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %x = tile.load %ps : tensor<64x64x!tile.ptr<f32>>
  %z = tile.dot ieee %x, %x, %x : tensor<64x64xf32> * tensor<64x64xf32> -> tensor<64x64xf32>
  tile.store %ps, %z : tensor<64x64x!tile.ptr<f32>>
  return
}
