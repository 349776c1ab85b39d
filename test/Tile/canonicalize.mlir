// Folders and canonicalisation of the tile dialect.
// RUN: teeny-opt %s -canonicalize | FileCheck %s

#row = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>
#pair = #tile.blocked<registers = [2], lanes = [32], warps = [4], order = [0]>

// A constant splat stays one through every change of shape.
// CHECK-LABEL: func @constants
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<3> : tensor<8x16x2xi32>
// CHECK-NEXT: return %[[C]]
func.func @constants() -> tensor<8x16x2xi32> {
  %three = arith.constant 3 : i32
  %0 = tile.splat %three : i32 -> tensor<16xi32>
  %1 = tile.expand_dims %0 at 0 : tensor<16xi32> -> tensor<1x16xi32>
  %2 = tile.broadcast %1 : tensor<1x16xi32> -> tensor<16x16xi32>
  %3 = tile.reshape %2 : tensor<16x16xi32> -> tensor<16x8x2xi32>
  %4 = tile.trans %3 by [1, 0, 2] : tensor<16x8x2xi32> -> tensor<8x16x2xi32>
  return %4 : tensor<8x16x2xi32>
}

// So does the splat of a run-time value.
// CHECK-LABEL: func @splats
// CHECK-NEXT: %[[S:.*]] = tile.splat %arg0 : f32 -> tensor<8x16xf32>
// CHECK-NEXT: return %[[S]]
func.func @splats(%x: f32) -> tensor<8x16xf32> {
  %0 = tile.splat %x : f32 -> tensor<16xf32>
  %1 = tile.expand_dims %0 at 1 : tensor<16xf32> -> tensor<16x1xf32>
  %2 = tile.broadcast %1 : tensor<16x1xf32> -> tensor<16x8xf32>
  %3 = tile.trans %2 by [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

// CHECK-LABEL: func @range_of_one
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<-5> : tensor<1xi32>
// CHECK-NEXT: return %[[C]]
func.func @range_of_one() -> tensor<1xi32> {
  %0 = tile.arange -5 to -4 : tensor<1xi32>
  return %0 : tensor<1xi32>
}

// CHECK-LABEL: func @nothing_changes
// CHECK-NEXT: return %arg0, %arg0, %arg0, %arg1, %arg2
func.func @nothing_changes(%x: tensor<16x8xf32>, %y: tensor<512xf32, #row>, %p: !tile.ptr<f32>)
    -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<512xf32, #row>, !tile.ptr<f32>) {
  %0 = tile.broadcast %x : tensor<16x8xf32> -> tensor<16x8xf32>
  %1 = tile.reshape %x : tensor<16x8xf32> -> tensor<128xf32>
  %2 = tile.reshape %1 : tensor<128xf32> -> tensor<16x8xf32>
  %3 = tile.trans %x by [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %4 = tile.trans %3 by [1, 0] : tensor<8x16xf32> -> tensor<16x8xf32>
  %5 = tile.convert_layout %y : tensor<512xf32, #row> -> tensor<512xf32, #pair>
  %6 = tile.convert_layout %5 : tensor<512xf32, #pair> -> tensor<512xf32, #row>
  %7 = tile.ptr_cast %p : !tile.ptr<f32> -> !tile.ptr<i32>
  %8 = tile.ptr_cast %7 : !tile.ptr<i32> -> !tile.ptr<f32>
  %9 = tile.ptr_to_int %8 : !tile.ptr<f32> -> i64
  %10 = tile.int_to_ptr %9 : i64 -> !tile.ptr<f32>
  return %0, %2, %4, %6, %10 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<512xf32, #row>, !tile.ptr<f32>
}

// Orders compose: dim i of the result is dim order[i] of the source, twice.
// CHECK-LABEL: func @transposed_twice
// CHECK-NEXT: tile.trans %arg0 by [2, 0, 1] : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
func.func @transposed_twice(%x: tensor<2x4x8xf32>) -> tensor<8x2x4xf32> {
  %0 = tile.trans %x by [1, 2, 0] : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  %1 = tile.trans %0 by [1, 2, 0] : tensor<4x8x2xf32> -> tensor<8x2x4xf32>
  return %1 : tensor<8x2x4xf32>
}

// CHECK-LABEL: func @pointers
// CHECK-NEXT: %[[P:.*]] = tile.addptr %arg0, %arg1 : !tile.ptr<f32>, i32
// CHECK-NEXT: %[[S:.*]] = tile.splat %[[P]]
// CHECK-NEXT: return %[[S]], %arg0
func.func @pointers(%p: !tile.ptr<f32>, %i: i32) -> (tensor<64x!tile.ptr<f32>>, !tile.ptr<f32>) {
  %zero = arith.constant 0 : i32
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %is = tile.splat %i : i32 -> tensor<64xi32>
  %0 = tile.addptr %ps, %is : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %1 = tile.addptr %p, %zero : !tile.ptr<f32>, i32
  return %0, %1 : tensor<64x!tile.ptr<f32>>, !tile.ptr<f32>
}

// CHECK-LABEL: func @masks
// CHECK-NEXT: %[[L:.*]] = tile.load %arg0 : tensor<64x!tile.ptr<f32>>
// CHECK-NEXT: tile.store %arg0, %[[L]] : tensor<64x!tile.ptr<f32>>
// CHECK-NEXT: tile.store %arg0, %arg1 : tensor<64x!tile.ptr<f32>>
// CHECK-NEXT: return
func.func @masks(%p: tensor<64x!tile.ptr<f32>>, %x: tensor<64xf32>) {
  %yes = arith.constant dense<true> : tensor<64xi1>
  %no = arith.constant dense<false> : tensor<64xi1>
  %0 = tile.load %p mask %yes other %x : tensor<64x!tile.ptr<f32>>
  tile.store %p, %0 mask %yes : tensor<64x!tile.ptr<f32>>
  %1 = tile.load %p mask %no other %x : tensor<64x!tile.ptr<f32>>
  tile.store %p, %1 : tensor<64x!tile.ptr<f32>>
  tile.store %p, %0 mask %no : tensor<64x!tile.ptr<f32>>
  return
}
