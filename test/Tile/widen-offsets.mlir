// RUN: teeny-opt %s -tile-widen-offsets -canonicalize | FileCheck %s

// 319 * 7864320 = 2508718080 is more than an i32 holds.
// CHECK-LABEL: func @row
// CHECK-DAG: %[[PID:.*]] = tile.program_id 0 : i32
// CHECK-DAG: %[[A:.*]] = arith.extsi %[[PID]] : i32 to i64
// CHECK-DAG: %[[B:.*]] = arith.extsi %arg1 : i32 to i64
// CHECK: %[[M:.*]] = arith.muli %[[A]], %[[B]] : i64
// CHECK: tile.addptr %arg0, %[[M]] : !tile.ptr<f32>, i64
func.func @row(%p: !tile.ptr<f32>, %stride: i32 {tile.range = array<i64: 1, 7864320>})
    attributes {tile.kernel, tile.grid_max = array<i64: 320, 1, 1>} {
  %pid = tile.program_id 0 : i32
  %start = arith.muli %pid, %stride : i32
  %q = tile.addptr %p, %start : !tile.ptr<f32>, i32
  %x = tile.load %q : !tile.ptr<f32>
  tile.store %q, %x : !tile.ptr<f32>
  return
}

// 273 * 7864320 = 2146959360 is not: nothing changes.
// CHECK-LABEL: func @fits
// CHECK-NOT: arith.extsi
// CHECK: tile.addptr %arg0, %{{.*}} : !tile.ptr<f32>, i32
func.func @fits(%p: !tile.ptr<f32>, %stride: i32 {tile.range = array<i64: 1, 7864320>})
    attributes {tile.kernel, tile.grid_max = array<i64: 274, 1, 1>} {
  %pid = tile.program_id 0 : i32
  %start = arith.muli %pid, %stride : i32
  %q = tile.addptr %p, %start : !tile.ptr<f32>, i32
  %x = tile.load %q : !tile.ptr<f32>
  tile.store %q, %x : !tile.ptr<f32>
  return
}

// The tile of offsets, and the mask, follow the scalar; a range of numbers is extended where it is added.
// CHECK-LABEL: func @tile
// CHECK: %[[M:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: %[[S:.*]] = tile.splat %[[M]] : i64 -> tensor<256xi64>
// CHECK: %[[R:.*]] = arith.extsi %{{.*}} : tensor<256xi32> to tensor<256xi64>
// CHECK: %[[O:.*]] = arith.addi %[[S]], %[[R]] : tensor<256xi64>
// CHECK: %[[N:.*]] = arith.extsi %{{.*}} : tensor<256xi32> to tensor<256xi64>
// CHECK: arith.cmpi slt, %[[O]], %[[N]] : tensor<256xi64>
// CHECK: tile.addptr %{{.*}}, %[[O]] : tensor<256x!tile.ptr<f32>>, tensor<256xi64>
func.func @tile(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.grid_max = array<i64: 8388609, 1, 1>} {
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
  tile.store %pp, %x mask %mask : tensor<256x!tile.ptr<f32>>
  return
}

// One program fewer, and the last offset is 2^31 - 1.
// CHECK-LABEL: func @tile_that_fits
// CHECK-NOT: arith.extsi
// CHECK: return
func.func @tile_that_fits(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, tile.grid_max = array<i64: 8388608, 1, 1>} {
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
  tile.store %pp, %x mask %mask : tensor<256x!tile.ptr<f32>>
  return
}

// A loop that moves an offset carries it in i64; the count beside it, which no offset needs, stays as it is.
// CHECK-LABEL: func @loop
// CHECK: scf.for {{.*}} iter_args(%[[O:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}) -> (i64, i32)
// CHECK: tile.addptr %arg0, %[[O]] : !tile.ptr<f32>, i64
// CHECK: %[[NEXT:.*]] = arith.addi %[[O]], %{{.*}} : i64
// CHECK: %[[COUNT:.*]] = arith.addi %[[C]], %{{.*}} : i32
// CHECK: scf.yield %[[NEXT]], %[[COUNT]] : i64, i32
func.func @loop(%p: !tile.ptr<f32>, %stride: i32, %n: i32, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %offset, %count = scf.for %i = %c0 to %n step %c1 iter_args(%o = %c0, %c = %c0) -> (i32, i32) : i32 {
    %q = tile.addptr %p, %o : !tile.ptr<f32>, i32
    %x = tile.load %q : !tile.ptr<f32>
    tile.store %q, %x : !tile.ptr<f32>
    %next = arith.addi %o, %stride : i32
    %more = arith.addi %c, %stride : i32
    scf.yield %next, %more : i32, i32
  }
  tile.store %out, %count : !tile.ptr<i32>
  return
}

// What else uses the offset takes the low bits: it wraps as before.
// CHECK-LABEL: func @low_bits
// CHECK: %[[R:.*]] = scf.for {{.*}} -> (i64)
// CHECK: %[[LOW:.*]] = arith.trunci %[[R]] : i64 to i32
// CHECK: tile.store %{{.*}}, %[[LOW]] : !tile.ptr<i32>
func.func @low_bits(%p: !tile.ptr<f32>, %stride: i32, %n: i32, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %offset = scf.for %i = %c0 to %n step %c1 iter_args(%o = %c0) -> (i32) : i32 {
    %q = tile.addptr %p, %o : !tile.ptr<f32>, i32
    %x = tile.load %q : !tile.ptr<f32>
    tile.store %q, %x : !tile.ptr<f32>
    %next = arith.addi %o, %stride : i32
    scf.yield %next : i32
  }
  tile.store %out, %offset : !tile.ptr<i32>
  return
}

// A branch, and a while loop.
// CHECK-LABEL: func @branch
// CHECK: scf.if %{{.*}} -> (i64)
// CHECK: scf.while (%{{.*}} = %{{.*}}) : (i64) -> i64
// CHECK: arith.cmpi slt, %{{.*}}, %{{.*}} : i64
// CHECK: scf.condition
// CHECK: ^bb0(%[[O:.*]]: i64)
// CHECK: tile.addptr %arg0, %[[O]] : !tile.ptr<f32>, i64
func.func @branch(%p: !tile.ptr<f32>, %stride: i32, %n: i32, %flag: i1) attributes {tile.kernel} {
  %c2 = arith.constant 2 : i32
  %start = scf.if %flag -> (i32) {
    %twice = arith.muli %stride, %c2 : i32
    scf.yield %twice : i32
  } else {
    scf.yield %c2 : i32
  }
  scf.while (%o = %start) : (i32) -> i32 {
    %more = arith.cmpi slt, %o, %n : i32
    scf.condition(%more) %o : i32
  } do {
  ^bb0(%o: i32):
    %q = tile.addptr %p, %o : !tile.ptr<f32>, i32
    %x = tile.load %q : !tile.ptr<f32>
    tile.store %q, %x : !tile.ptr<f32>
    %next = arith.addi %o, %stride : i32
    scf.yield %next : i32
  }
  return
}

// An index from memory may be anything, times a stride more than anything.
// CHECK-LABEL: func @gather
// CHECK: %[[I:.*]] = tile.load %arg1 : !tile.ptr<i32>
// CHECK: %[[W:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: %[[M:.*]] = arith.muli %[[W]], %{{.*}} : i64
// CHECK: tile.addptr %arg0, %[[M]] : !tile.ptr<f32>, i64
// The index itself fits.
// CHECK: tile.addptr %arg0, %[[I]] : !tile.ptr<f32>, i32
func.func @gather(%p: !tile.ptr<f32>, %indices: !tile.ptr<i32>) attributes {tile.kernel} {
  %c64 = arith.constant 64 : i32
  %i = tile.load %indices : !tile.ptr<i32>
  %o = arith.muli %i, %c64 : i32
  %q = tile.addptr %p, %o : !tile.ptr<f32>, i32
  %r = tile.addptr %p, %i : !tile.ptr<f32>, i32
  %x = tile.load %q : !tile.ptr<f32>
  tile.store %r, %x : !tile.ptr<f32>
  return
}

// The source already widens the sum, but too late.
// CHECK-LABEL: func @too_late
// CHECK: %[[M:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: tile.addptr %arg0, %[[M]] : !tile.ptr<f32>, i64
func.func @too_late(%p: !tile.ptr<f32>, %a: i32, %b: i32) attributes {tile.kernel} {
  %m = arith.muli %a, %b : i32
  %w = arith.extsi %m : i32 to i64
  %q = tile.addptr %p, %w : !tile.ptr<f32>, i64
  %x = tile.load %q : !tile.ptr<f32>
  tile.store %q, %x : !tile.ptr<f32>
  return
}

// A remainder of a sum that may wrap is that of the exact sum.
// CHECK-LABEL: func @remainder
// CHECK: %[[S:.*]] = arith.addi %{{.*}}, %{{.*}} : i64
// CHECK: %[[R:.*]] = arith.remsi %[[S]], %{{.*}} : i64
// CHECK: tile.addptr %arg0, %[[R]] : !tile.ptr<f32>, i64
func.func @remainder(%p: !tile.ptr<f32>, %a: i32, %b: i32) attributes {tile.kernel} {
  %c = arith.constant 1000 : i32
  %s = arith.addi %a, %b : i32
  %r = arith.remsi %s, %c : i32
  %q = tile.addptr %p, %r : !tile.ptr<f32>, i32
  %x = tile.load %q : !tile.ptr<f32>
  tile.store %q, %x : !tile.ptr<f32>
  return
}

// The index of a loop with inexact bounds, in an offset that is made from it: the index is i64 from then on.
// CHECK-LABEL: func @from_index
// CHECK: %[[N:.*]] = arith.subi %{{.*}}, %{{.*}} : i64
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %[[N]] step %{{.*}} : i64 {
// CHECK: %[[D:.*]] = arith.subi %[[N]], %[[K]] : i64
// CHECK: tile.addptr %arg0, %[[D]] : !tile.ptr<f32>, i64
func.func @from_index(%p: !tile.ptr<f32>, %n: i32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %last = arith.subi %n, %one : i32
  scf.for %k = %zero to %last step %one : i32 {
    %left = arith.subi %last, %k : i32
    %q = tile.addptr %p, %left : !tile.ptr<f32>, i32
    %x = tile.load %q : !tile.ptr<f32>
    tile.store %out, %x : !tile.ptr<f32>
  }
  return
}

// Integers that feed no offset wrap.
// CHECK-LABEL: func @other_integers
// CHECK-NOT: arith.extsi
// CHECK: return
func.func @other_integers(%p: !tile.ptr<i32>, %a: i32, %b: i32) attributes {tile.kernel} {
  %m = arith.muli %a, %b : i32
  %less = arith.cmpi slt, %m, %a : i32
  %x = arith.select %less, %m, %b : i32
  tile.store %p, %x : !tile.ptr<i32>
  return
}

// A loop to a bound that may not fit counts in i64; what its counter is splat to follows.
// CHECK-LABEL: func @counter
// CHECK: %[[BOUND:.*]] = arith.muli %{{.*}}, %{{.*}} : i64
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[BOUND]] step %{{.*}}  : i64
// CHECK: %[[S:.*]] = tile.splat %[[I]] : i64 -> tensor<32xi64>
// CHECK: %[[O:.*]] = arith.addi %[[S]], %{{.*}} : tensor<32xi64>
// CHECK: tile.addptr %{{.*}}, %[[O]] : tensor<32x!tile.ptr<f32>>, tensor<32xi64>
func.func @counter(%p: !tile.ptr<f32>, %a: i32, %b: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %block = arith.constant 32 : i32
  %value = arith.constant dense<1.0> : tensor<32xf32>
  %lanes = tile.arange 0 to 32 : tensor<32xi32>
  %base = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>>
  %n = arith.muli %a, %b : i32
  scf.for %start = %zero to %n step %block : i32 {
    %s = tile.splat %start : i32 -> tensor<32xi32>
    %i = arith.addi %s, %lanes : tensor<32xi32>
    %q = tile.addptr %base, %i : tensor<32x!tile.ptr<f32>>, tensor<32xi32>
    tile.store %q, %value : tensor<32x!tile.ptr<f32>>
  }
  return
}
