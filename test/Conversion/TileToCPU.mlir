// RUN: teeny-opt %s -split-input-file -convert-tile-to-cpu=keep-structure=true -canonicalize -verify-diagnostics | FileCheck %s

// The range where the mask holds, by its end before the loop; no mask inside; the store is left out
// elsewhere. What wraps in i32 goes to the last loop.

// CHECK-LABEL: func.func private @masked.program
// CHECK:         %[[EXACT:.*]] = arith.cmpi sle
// CHECK:         %[[LIVE:.*]] = arith.select %[[EXACT]]
// CHECK:         scf.for %{{.*}} = %c0_i64 to %[[LAST:.*]] step
// CHECK-NOT:       scf.if
// CHECK:           llvm.store
// CHECK:         scf.for %{{.*}} = %[[LAST]] to %[[LIVE]] step
// CHECK:           scf.if
// CHECK-LABEL: func.func @masked(
// CHECK-SAME:    tile.scratch_bytes = 0 : i64
func.func @masked(%out: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id 0 : i32
  %start = arith.muli %pid, %c64 : i32
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %s = tile.splat %start : i32 -> tensor<64xi32>
  %offs = arith.addi %s, %i : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %mask = arith.cmpi slt, %offs, %ns : tensor<64xi32>
  %os = tile.splat %out : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %p = tile.addptr %os, %offs : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  tile.store %p, %offs mask %mask : tensor<64x!tile.ptr<i32>>
  return
}

// -----

// Arguments that may overlap: the whole tile is read before any of it is written.

// CHECK-LABEL: func.func private @overlap.program
// CHECK:         scf.for
// CHECK:           llvm.load
// CHECK:           llvm.store
// CHECK:         scf.for
// CHECK:           llvm.load
// CHECK:           llvm.store
// CHECK-LABEL: func.func @overlap(
// CHECK-SAME:    tile.scratch_bytes = 256 : i64
func.func @overlap(%x: !tile.ptr<f32>, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.arange 0 to 64 : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %p : tensor<64x!tile.ptr<f32>>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.addptr %os, %i : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %q, %v : tensor<64x!tile.ptr<f32>>
  return
}

// -----

func.func @tangent(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %v = tile.load %x : !tile.ptr<f32>
  // expected-error @+1 {{'math.tan' is not supported on CPUs}}
  %t = math.tan %v : f32
  tile.store %x, %t : !tile.ptr<f32>
  return
}
