// RUN: teeny-opt %s -tile-assign-gpu-layouts -tile-remove-layout-conversions -tile-verify-layouts -canonicalize -cse -split-input-file | FileCheck %s

// 256 elements and 128 threads: two each. A kernel that works element by element needs no conversion.
// CHECK: #[[$B:.*]] = #tile.blocked<registers = [2], lanes = [32], warps = [4], order = [0]>
// CHECK-LABEL: func @elementwise
// CHECK-NOT: convert_layout
// CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<256x!tile.ptr<f32>, #[[$B]]>
// CHECK-NOT: convert_layout
// CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<256x!tile.ptr<f32>, #[[$B]]>
func.func @elementwise(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64},
    %n: i32 {tile.divisibility = 4 : i64}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c256 = arith.constant 256 : i32
  %pid = tile.program_id 0 : i32
  %start = arith.muli %pid, %c256 : i32
  %s = tile.splat %start : i32 -> tensor<256xi32>
  %r = tile.arange 0 to 256 : tensor<256xi32>
  %offs = arith.addi %s, %r : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %offs : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %pp mask %mask : tensor<256x!tile.ptr<f32>>
  %y = arith.mulf %x, %x : tensor<256xf32>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %op = tile.addptr %os, %offs : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %op, %y mask %mask : tensor<256x!tile.ptr<f32>>
  return
}

// -----

// 1024 elements: four each, 16 bytes. The mask is constant over groups of 4, as n is a multiple of 4.
// CHECK: #[[$B:.*]] = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>
// CHECK-LABEL: func @four
// CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<1024x!tile.ptr<f32>, #[[$B]]>
func.func @four(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 4 : i64})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c1024 = arith.constant 1024 : i32
  %pid = tile.program_id 0 : i32
  %start = arith.muli %pid, %c1024 : i32
  %s = tile.splat %start : i32 -> tensor<1024xi32>
  %r = tile.arange 0 to 1024 : tensor<1024xi32>
  %offs = arith.addi %s, %r : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %offs : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %pp mask %mask : tensor<1024x!tile.ptr<f32>>
  tile.store %pp, %x mask %mask : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// Nothing is known of n: a mask may split any group, so each element goes by itself.
// CHECK: #[[$B:.*]] = #tile.blocked<registers = [1], lanes = [32], warps = [4], order = [0]>
// CHECK-LABEL: func @split_mask
// CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<1024x!tile.ptr<f32>, #[[$B]]>
func.func @split_mask(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.arange 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %pp mask %mask : tensor<1024x!tile.ptr<f32>>
  tile.store %pp, %x mask %mask : tensor<1024x!tile.ptr<f32>>
  return
}

// -----

// f16 in, f32 out: one layout, for the wider vector.
// CHECK: #[[$B:.*]] = #tile.blocked<registers = [8], lanes = [32], warps = [4], order = [0]>
// CHECK-LABEL: func @two_types
// CHECK: tile.load %{{.*}} : tensor<2048x!tile.ptr<f16>, #[[$B]]>
// CHECK-NOT: convert_layout
// CHECK: tile.store %{{.*}}, %{{.*}} : tensor<2048x!tile.ptr<f32>, #[[$B]]>
func.func @two_types(%p: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.arange 0 to 2048 : tensor<2048xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<2048x!tile.ptr<f16>>
  %pp = tile.addptr %ps, %r : tensor<2048x!tile.ptr<f16>>, tensor<2048xi32>
  %x = tile.load %pp : tensor<2048x!tile.ptr<f16>>
  %y = arith.extf %x : tensor<2048xf16> to tensor<2048xf32>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>>
  %op = tile.addptr %os, %r : tensor<2048x!tile.ptr<f32>>, tensor<2048xi32>
  tile.store %op, %y : tensor<2048x!tile.ptr<f32>>
  return
}

// -----

// Rows with their sum: the sum's layout is a slice of the rows', and is stored from there.
// CHECK-DAG: #[[$B:.*]] = #tile.blocked<registers = [1, 4], lanes = [2, 16], warps = [4, 1], order = [1, 0]>
// CHECK-DAG: #[[$S:.*]] = #tile.slice<dim = 1, parent = #[[$B]]>
// CHECK-LABEL: func @rows
// CHECK-NOT: convert_layout
// CHECK: tile.load %{{.*}} : tensor<16x64x!tile.ptr<f32>, #[[$B]]>
// CHECK: tile.reduce
// CHECK: (tensor<16x64xf32, #[[$B]]>) -> tensor<16xf32, #[[$S]]>
// CHECK: tile.expand_dims %{{.*}} at 1 : tensor<16xf32, #[[$S]]> -> tensor<16x1xf32, #[[$B]]>
// CHECK: tile.store %{{.*}}, %{{.*}} : tensor<16x64x!tile.ptr<f32>, #[[$B]]>
// CHECK: tile.store %{{.*}}, %{{.*}} : tensor<16x!tile.ptr<f32>, #[[$S]]>
func.func @rows(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %stride: i32 {tile.divisibility = 16 : i64}, %sums: !tile.ptr<f32>)
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %rows = tile.arange 0 to 16 : tensor<16xi32>
  %columns = tile.arange 0 to 64 : tensor<64xi32>
  %ss = tile.splat %stride : i32 -> tensor<16xi32>
  %starts = arith.muli %rows, %ss : tensor<16xi32>
  %s1 = tile.expand_dims %starts at 1 : tensor<16xi32> -> tensor<16x1xi32>
  %s2 = tile.broadcast %s1 : tensor<16x1xi32> -> tensor<16x64xi32>
  %c1 = tile.expand_dims %columns at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %c2 = tile.broadcast %c1 : tensor<1x64xi32> -> tensor<16x64xi32>
  %offs = arith.addi %s2, %c2 : tensor<16x64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %offs : tensor<16x64x!tile.ptr<f32>>, tensor<16x64xi32>
  %x = tile.load %pp : tensor<16x64x!tile.ptr<f32>>
  %sum = tile.reduce (%x) axis 1 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<16x64xf32>) -> tensor<16xf32>
  %e = tile.expand_dims %sum at 1 : tensor<16xf32> -> tensor<16x1xf32>
  %b = tile.broadcast %e : tensor<16x1xf32> -> tensor<16x64xf32>
  %y = arith.divf %x, %b : tensor<16x64xf32>
  tile.store %pp, %y : tensor<16x64x!tile.ptr<f32>>
  %qs = tile.splat %sums : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %q = tile.addptr %qs, %rows : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  tile.store %q, %sum : tensor<16x!tile.ptr<f32>>
  return
}

// -----

// A transpose in memory: each access in its own layout, and one conversion of the data between them.
// CHECK-DAG: #[[$IN:.*]] = #tile.blocked<registers = [1, 4], lanes = [2, 16], warps = [4, 1], order = [1, 0]>
// CHECK-DAG: #[[$OUT:.*]] = #tile.blocked<registers = [4, 1], lanes = [16, 2], warps = [1, 4], order = [0, 1]>
// CHECK-LABEL: func @transpose
// CHECK-NOT: convert_layout
// CHECK: %[[X:.*]] = tile.load %{{.*}} : tensor<64x64x!tile.ptr<f32>, #[[$IN]]>
// CHECK: %[[Y:.*]] = tile.convert_layout %[[X]] : tensor<64x64xf32, #[[$IN]]> -> tensor<64x64xf32, #[[$OUT]]>
// CHECK-NOT: convert_layout
// CHECK: tile.store %{{.*}}, %[[Y]] : tensor<64x64x!tile.ptr<f32>, #[[$OUT]]>
func.func @transpose(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i64},
    %stride: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %r = tile.arange 0 to 64 : tensor<64xi32>
  %ss = tile.splat %stride : i32 -> tensor<64xi32>
  %m = arith.muli %r, %ss : tensor<64xi32>
  %m1 = tile.expand_dims %m at 1 : tensor<64xi32> -> tensor<64x1xi32>
  %m2 = tile.broadcast %m1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %r0 = tile.expand_dims %r at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %r2 = tile.broadcast %r0 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %m2, %r2 : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %x = tile.load %pp : tensor<64x64x!tile.ptr<f32>>
  %m3 = tile.expand_dims %m at 0 : tensor<64xi32> -> tensor<1x64xi32>
  %m4 = tile.broadcast %m3 : tensor<1x64xi32> -> tensor<64x64xi32>
  %r3 = tile.expand_dims %r at 1 : tensor<64xi32> -> tensor<64x1xi32>
  %r4 = tile.broadcast %r3 : tensor<64x1xi32> -> tensor<64x64xi32>
  %o2 = arith.addi %m4, %r4 : tensor<64x64xi32>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %op = tile.addptr %os, %o2 : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %op, %x : tensor<64x64x!tile.ptr<f32>>
  return
}

// -----

// What a loop carries is in the layout of what is added to it; its start is made there.
// CHECK: #[[$B:.*]] = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>
// CHECK-LABEL: func @accumulate
// CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<512xf32, #[[$B]]>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[Z]], %{{.*}} = %{{.*}}) -> (tensor<512xf32, #[[$B]]>, tensor<512x!tile.ptr<f32>, #[[$B]]>)
// CHECK-NOT: convert_layout
// CHECK: tile.store
func.func @accumulate(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<512xf32>
  %step = arith.constant dense<512> : tensor<512xi32>
  %r = tile.arange 0 to 512 : tensor<512xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %r : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %sum, %end = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %q = %pp) -> (tensor<512xf32>, tensor<512x!tile.ptr<f32>>) : i32 {
    %x = tile.load %q : tensor<512x!tile.ptr<f32>>
    %more = arith.addf %acc, %x : tensor<512xf32>
    %next = tile.addptr %q, %step : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
    scf.yield %more, %next : tensor<512xf32>, tensor<512x!tile.ptr<f32>>
  }
  tile.store %pp, %sum : tensor<512x!tile.ptr<f32>>
  return
}

// -----

// A dot without matrix instructions: threads hold the rows and columns that their results need.
// CHECK-DAG: #[[$B:.*]] = #tile.blocked<registers = [4, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
// CHECK-DAG: #[[$L:.*]] = #tile.dot_operand<index = 0, parent = #[[$B]], k_width = 0>
// CHECK-DAG: #[[$R:.*]] = #tile.dot_operand<index = 1, parent = #[[$B]], k_width = 0>
// CHECK-LABEL: func @dot
// CHECK-DAG: tile.convert_layout %{{.*}} -> tensor<64x16xf32, #[[$L]]>
// CHECK-DAG: tile.convert_layout %{{.*}} -> tensor<16x64xf32, #[[$R]]>
// CHECK: tile.dot ieee %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x16xf32, #[[$L]]> * tensor<16x64xf32, #[[$R]]> -> tensor<64x64xf32, #[[$B]]>
func.func @dot(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %x = tile.load %ps : tensor<64x16x!tile.ptr<f32>>
  %y = tile.load %qs : tensor<16x64x!tile.ptr<f32>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot ieee %x, %y, %zero : tensor<64x16xf32> * tensor<16x64xf32> -> tensor<64x64xf32>
  tile.store %os, %z : tensor<64x64x!tile.ptr<f32>>
  return
}
