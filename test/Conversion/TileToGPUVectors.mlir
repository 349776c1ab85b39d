// RUN: teeny-opt %s -tile-to-gpu=target=sm_90a -emit-ptx=target=sm_90a -o /dev/null | FileCheck %s

#b = #tile.blocked<registers = [8], lanes = [32], warps = [4], order = [0]>
#w = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>

// A pointer and a bound that are multiples of 16 make accesses of 16 bytes, under one predicate each.
// CHECK: .visible .entry wide(
// CHECK: @%p1 ld.global.v4.b32 {%{{.*}}}, [%rd{{.*}}];
// CHECK: @%p1 st.global.v4.b32 [%rd{{.*}}], {%{{.*}}};
func.func @wide(%x: !tile.ptr<f16> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 16 : i64})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i = tile.arange 0 to 1024 : tensor<1024xi32, #b>
  %ns = tile.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>, #b>
  %xp = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f16>, #b>, tensor<1024xi32, #b>
  %v = tile.load %xp mask %m : tensor<1024x!tile.ptr<f16>, #b>
  %w = arith.addf %v, %v : tensor<1024xf16, #b>
  tile.store %xp, %w mask %m : tensor<1024x!tile.ptr<f16>, #b>
  return
}

// One comparison decides for a group that the bound cannot split, two accesses here, also where its elements are chosen one by one.
// CHECK: .visible .entry chosen(
func.func @chosen(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i64},
                  %n: i32 {tile.divisibility = 16 : i64}) attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %one = arith.constant dense<1.0> : tensor<1024xf32, #b>
  %i = tile.arange 0 to 1024 : tensor<1024xi32, #b>
  %ns = tile.splat %n : i32 -> tensor<1024xi32, #b>
  %m = arith.cmpi slt, %i, %ns : tensor<1024xi32, #b>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #b>
  %xp = tile.addptr %xs, %i : tensor<1024x!tile.ptr<f32>, #b>, tensor<1024xi32, #b>
  %v = tile.load %xp mask %m : tensor<1024x!tile.ptr<f32>, #b>
  %w = arith.select %m, %v, %one : tensor<1024xi1, #b>, tensor<1024xf32, #b>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>, #b>
  %yp = tile.addptr %ys, %i : tensor<1024x!tile.ptr<f32>, #b>, tensor<1024xi32, #b>
  tile.store %yp, %w : tensor<1024x!tile.ptr<f32>, #b>
  return
}

// A bound that is a multiple of 1024 splits no group of 1024 elements, of which a thread has two accesses.
// CHECK: .visible .entry apart(
func.func @apart(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %n: i32 {tile.divisibility = 1024 : i64})
    attributes {tile.kernel, tile.num_warps = 4 : i32} {
  %i = tile.arange 0 to 2048 : tensor<2048xi32, #w>
  %ns = tile.splat %n : i32 -> tensor<2048xi32, #w>
  %m = arith.cmpi slt, %i, %ns : tensor<2048xi32, #w>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<2048x!tile.ptr<f32>, #w>
  %xp = tile.addptr %xs, %i : tensor<2048x!tile.ptr<f32>, #w>, tensor<2048xi32, #w>
  %v = tile.load %xp mask %m : tensor<2048x!tile.ptr<f32>, #w>
  %u = arith.addf %v, %v : tensor<2048xf32, #w>
  tile.store %xp, %u mask %m : tensor<2048x!tile.ptr<f32>, #w>
  return
}

// A launch of few programs leaves each the registers of a multiprocessor; one of more does not.
// CHECK: .entry alone(
// CHECK: .reqntid 128
// CHECK-NEXT: .minnctapersm 1
// CHECK: .entry many(
// CHECK: .reqntid 128
// CHECK-NOT: .minnctapersm
// CHECK: // census wide: {{.*}} ld.global.v4 1, {{.*}} st.global.v4 1
// CHECK: // census chosen: {{.*}} ld.global.v4 2, {{.*}} selp 8, setp 1, {{.*}} st.global.v4 2
// CHECK: // census apart: {{.*}} ld.global.v4 4, {{.*}} setp 2, {{.*}} st.global.v4 4
func.func @alone(%x: !tile.ptr<f32>, %v: f32)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.grid_max = array<i64: 64, 2, 1>} {
  tile.store %x, %v : !tile.ptr<f32>
  return
}
func.func @many(%x: !tile.ptr<f32>, %v: f32)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.grid_max = array<i64: 64, 3, 1>} {
  tile.store %x, %v : !tile.ptr<f32>
  return
}
