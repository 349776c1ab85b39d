// RUN: teeny-opt %s -tile-remove-layout-conversions -cse -split-input-file | FileCheck %s

#a = #tile.blocked<registers = [1], lanes = [32], warps = [4], order = [0]>
#b = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>
// Cheap values are made again, once for both uses.
// CHECK: #[[$B:.*]] = #tile.blocked<registers = [4]
// CHECK-LABEL: func @cheap
// CHECK-NEXT: %[[S:.*]] = tile.splat %arg1 : i32 -> tensor<512xi32, #[[$B]]>
// CHECK-NEXT: %[[R:.*]] = tile.arange 0 to 512 : tensor<512xi32, #[[$B]]>
// CHECK-NEXT: %[[O:.*]] = arith.addi %[[S]], %[[R]] : tensor<512xi32, #[[$B]]>
// CHECK-NEXT: %[[M:.*]] = arith.cmpi slt, %[[O]], %[[S]] : tensor<512xi32, #[[$B]]>
// CHECK-NEXT: tile.addptr %{{.*}}, %[[O]]
// CHECK-NEXT: tile.store %{{.*}}, %[[O]] mask %[[M]]
// CHECK-NEXT: return
func.func @cheap(%ps: tensor<512x!tile.ptr<i32>, #b>, %n: i32) {
  %s = tile.splat %n : i32 -> tensor<512xi32, #a>
  %r = tile.arange 0 to 512 : tensor<512xi32, #a>
  %o = arith.addi %s, %r : tensor<512xi32, #a>
  %m = arith.cmpi slt, %o, %s : tensor<512xi32, #a>
  %mb = tile.convert_layout %m : tensor<512xi1, #a> -> tensor<512xi1, #b>
  %ob = tile.convert_layout %o : tensor<512xi32, #a> -> tensor<512xi32, #b>
  %p = tile.addptr %ps, %ob : tensor<512x!tile.ptr<i32>, #b>, tensor<512xi32, #b>
  tile.store %p, %ob mask %mb : tensor<512x!tile.ptr<i32>, #b>
  return
}

// -----

#a = #tile.blocked<registers = [1], lanes = [32], warps = [4], order = [0]>
#b = #tile.blocked<registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#c = #tile.blocked<registers = [4, 1], lanes = [8, 4], warps = [1, 4], order = [0, 1]>
// Through changes of shape and other conversions: the range becomes a slice of what is wanted.
// CHECK-DAG: #[[$B:.*]] = #tile.blocked<registers = [1, 4]
// CHECK-DAG: #[[$S:.*]] = #tile.slice<dim = 0, parent = #[[$B]]>
// CHECK-LABEL: func @shapes
// CHECK-NEXT: %[[R:.*]] = tile.arange 0 to 64 : tensor<64xi32, #[[$S]]>
// CHECK-NEXT: %[[E:.*]] = tile.expand_dims %[[R]] at 0 : tensor<64xi32, #[[$S]]> -> tensor<1x64xi32, #[[$B]]>
// CHECK-NEXT: %[[W:.*]] = tile.broadcast %[[E]] : tensor<1x64xi32, #[[$B]]> -> tensor<32x64xi32, #[[$B]]>
// CHECK-NEXT: tile.store %arg0, %[[W]]
// CHECK-NEXT: return
func.func @shapes(%p: tensor<32x64x!tile.ptr<i32>, #b>) {
  %r = tile.arange 0 to 64 : tensor<64xi32, #a>
  %rs = tile.convert_layout %r : tensor<64xi32, #a> -> tensor<64xi32, #tile.slice<dim = 0, parent = #c>>
  %e = tile.expand_dims %rs at 0 : tensor<64xi32, #tile.slice<dim = 0, parent = #c>> -> tensor<1x64xi32, #c>
  %w = tile.broadcast %e : tensor<1x64xi32, #c> -> tensor<32x64xi32, #c>
  %wb = tile.convert_layout %w : tensor<32x64xi32, #c> -> tensor<32x64xi32, #b>
  tile.store %p, %wb : tensor<32x64x!tile.ptr<i32>, #b>
  return
}

// -----

#b = #tile.blocked<registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#c = #tile.blocked<registers = [4, 1], lanes = [8, 4], warps = [1, 4], order = [0, 1]>
// Data stays data: what was loaded is converted, before it is made wider.
// CHECK-LABEL: func @data
// CHECK: %[[X:.*]] = tile.load %arg0
// CHECK-NEXT: %[[Y:.*]] = tile.convert_layout %[[X]] : tensor<32x64xf16, #{{.*}}> -> tensor<32x64xf16, #{{.*}}>
// CHECK-NEXT: %[[Z:.*]] = arith.extf %[[Y]]
// CHECK-NEXT: tile.store %arg1, %[[Z]]
func.func @data(%p: tensor<32x64x!tile.ptr<f16>, #b>, %q: tensor<32x64x!tile.ptr<f32>, #c>) {
  %x = tile.load %p : tensor<32x64x!tile.ptr<f16>, #b>
  %w = arith.extf %x : tensor<32x64xf16, #b> to tensor<32x64xf32, #b>
  %y = tile.convert_layout %w : tensor<32x64xf32, #b> -> tensor<32x64xf32, #c>
  tile.store %q, %y : tensor<32x64x!tile.ptr<f32>, #c>
  return
}

// -----

#a = #tile.blocked<registers = [1], lanes = [32], warps = [4], order = [0]>
#b = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>
// What a loop carries is carried in the layout that is wanted, and no longer in the other.
// CHECK: #[[$B:.*]] = #tile.blocked<registers = [4]
// CHECK-LABEL: func @loop
// CHECK: %[[R:.*]] = tile.arange 0 to 512 : tensor<512xi32, #[[$B]]>
// CHECK: %[[LAST:.*]] = scf.for {{.*}} iter_args(%[[O:.*]] = %[[R]]) -> (tensor<512xi32, #[[$B]]>)
// CHECK-NOT: convert_layout
// CHECK: tile.addptr %{{.*}}, %[[O]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[O]], %{{.*}} : tensor<512xi32, #[[$B]]>
// CHECK: scf.yield %[[NEXT]] : tensor<512xi32, #[[$B]]>
// CHECK: tile.store %{{.*}}, %[[LAST]]
func.func @loop(%ps: tensor<512x!tile.ptr<i32>, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<512> : tensor<512xi32, #a>
  %r = tile.arange 0 to 512 : tensor<512xi32, #a>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%o = %r) -> (tensor<512xi32, #a>) : i32 {
    %ob = tile.convert_layout %o : tensor<512xi32, #a> -> tensor<512xi32, #b>
    %p = tile.addptr %ps, %ob : tensor<512x!tile.ptr<i32>, #b>, tensor<512xi32, #b>
    %x = tile.load %p : tensor<512x!tile.ptr<i32>, #b>
    tile.store %p, %x : tensor<512x!tile.ptr<i32>, #b>
    %next = arith.addi %o, %step : tensor<512xi32, #a>
    scf.yield %next : tensor<512xi32, #a>
  }
  %lb = tile.convert_layout %last : tensor<512xi32, #a> -> tensor<512xi32, #b>
  tile.store %ps, %lb : tensor<512x!tile.ptr<i32>, #b>
  return
}

// -----

#a = #tile.blocked<registers = [1], lanes = [32], warps = [4], order = [0]>
#b = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>
// Two loops, one in the other, that carry one value.
// CHECK: #[[$B:.*]] = #tile.blocked<registers = [4]
// CHECK-LABEL: func @nested
// CHECK: scf.for {{.*}} -> (tensor<512xi32, #[[$B]]>)
// CHECK: scf.for {{.*}} -> (tensor<512xi32, #[[$B]]>)
// CHECK-NOT: convert_layout
// CHECK: return
func.func @nested(%ps: tensor<512x!tile.ptr<i32>, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<512> : tensor<512xi32, #a>
  %r = tile.arange 0 to 512 : tensor<512xi32, #a>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%o = %r) -> (tensor<512xi32, #a>) : i32 {
    %inner = scf.for %j = %c0 to %n step %c1 iter_args(%q = %o) -> (tensor<512xi32, #a>) : i32 {
      %qb = tile.convert_layout %q : tensor<512xi32, #a> -> tensor<512xi32, #b>
      tile.store %ps, %qb : tensor<512x!tile.ptr<i32>, #b>
      %next = arith.addi %q, %step : tensor<512xi32, #a>
      scf.yield %next : tensor<512xi32, #a>
    }
    scf.yield %inner : tensor<512xi32, #a>
  }
  %lb = tile.convert_layout %last : tensor<512xi32, #a> -> tensor<512xi32, #b>
  tile.store %ps, %lb : tensor<512x!tile.ptr<i32>, #b>
  return
}

// -----

#a = #tile.blocked<registers = [1], lanes = [32], warps = [4], order = [0]>
#b = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>
// A loop that adds up data carries it as it is.
// CHECK-LABEL: func @sum
// CHECK: scf.for
// CHECK-NOT: convert_layout
// CHECK: scf.yield
// CHECK: tile.convert_layout
// CHECK: tile.store
func.func @sum(%p: tensor<512x!tile.ptr<f32>, #a>, %q: tensor<512x!tile.ptr<f32>, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<512xf32, #a>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<512xf32, #a>) : i32 {
    %x = tile.load %p : tensor<512x!tile.ptr<f32>, #a>
    %next = arith.addf %acc, %x : tensor<512xf32, #a>
    scf.yield %next : tensor<512xf32, #a>
  }
  %sb = tile.convert_layout %sum : tensor<512xf32, #a> -> tensor<512xf32, #b>
  tile.store %q, %sb : tensor<512x!tile.ptr<f32>, #b>
  return
}
