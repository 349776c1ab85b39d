// Every operation prints what was parsed, and the same again.
// RUN: teeny-opt %s | FileCheck %s
// RUN: teeny-opt %s | teeny-opt | FileCheck %s
// RUN: teeny-opt %s -mlir-print-op-generic | teeny-opt | FileCheck %s

// CHECK-DAG: #[[$ROW:.*]] = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>
#row = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>
// CHECK-DAG: #[[$SQUARE:.*]] = #tile.blocked<registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
#square = #tile.blocked<registers = [1, 4], lanes = [4, 8], warps = [4, 1], order = [1, 0]>
// CHECK-DAG: #[[$SLICE:.*]] = #tile.slice<dim = 1, parent = #[[$SQUARE]]>
// CHECK-DAG: #[[$SLICE0:.*]] = #tile.slice<dim = 0, parent = #[[$SQUARE]]>

// CHECK-LABEL: func @memory
// CHECK-SAME: attributes {tile.grid_max = array<i64: 100, 1, 1>, tile.kernel, tile.num_warps = 4 : i32}
func.func @memory(%p: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "p", tile.noalias}, %m: i1, %x: f32)
    attributes {tile.kernel, tile.num_warps = 4 : i32, tile.grid_max = array<i64: 100, 1, 1>} {
  // CHECK: tile.program_id 0 : i32
  %pid = tile.program_id 0 : i32
  // CHECK: tile.num_programs 2 : i32
  %n = tile.num_programs 2 : i32
  // CHECK: tile.arange 0 to 256 : tensor<256xi32>
  %r = tile.arange 0 to 256 : tensor<256xi32>
  // CHECK: tile.arange -8 to 8 : tensor<16xi32, #[[$ROW]]>
  %neg = tile.arange -8 to 8 : tensor<16xi32, #row>
  // CHECK: tile.splat %{{.*}} : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %ptrs = tile.addptr %ps, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : !tile.ptr<f32>, i32
  %q = tile.addptr %p, %pid : !tile.ptr<f32>, i32
  %mask = tile.splat %m : i1 -> tensor<256xi1>
  %other = tile.splat %x : f32 -> tensor<256xf32>
  // CHECK: tile.load %{{.*}} : tensor<256x!tile.ptr<f32>>
  %a = tile.load %ptrs : tensor<256x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}} mask %{{.*}} : tensor<256x!tile.ptr<f32>>
  %b = tile.load %ptrs mask %mask : tensor<256x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} : tensor<256x!tile.ptr<f32>>
  %c = tile.load %ptrs mask %mask other %other : tensor<256x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}} mask %{{.*}} other %{{.*}} : !tile.ptr<f32>
  %d = tile.load %q mask %m other %x : !tile.ptr<f32>
  // CHECK: tile.store %{{.*}}, %{{.*}} : tensor<256x!tile.ptr<f32>>
  tile.store %ptrs, %a : tensor<256x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<256x!tile.ptr<f32>>
  tile.store %ptrs, %b mask %mask : tensor<256x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{.*}} : !tile.ptr<f32>
  tile.store %q, %d : !tile.ptr<f32>
  // CHECK: tile.atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} mask %{{.*}} : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  %e = tile.atomic_rmw fadd relaxed gpu %ptrs, %c mask %mask : tensor<256x!tile.ptr<f32>> -> tensor<256xf32>
  // CHECK: tile.atomic_rmw xchg acq_rel system %{{.*}}, %{{.*}} : !tile.ptr<f32> -> f32
  %f = tile.atomic_rmw xchg acq_rel system %q, %d : !tile.ptr<f32> -> f32
  // CHECK: tile.ptr_cast %{{.*}} : !tile.ptr<f32> -> !tile.ptr<i32>
  %pi = tile.ptr_cast %q : !tile.ptr<f32> -> !tile.ptr<i32>
  // CHECK: tile.atomic_rmw and release block %{{.*}}, %{{.*}} : !tile.ptr<i32> -> i32
  %g = tile.atomic_rmw and release block %pi, %n : !tile.ptr<i32> -> i32
  // CHECK: tile.atomic_cas acquire gpu %{{.*}}, %{{.*}}, %{{.*}} : !tile.ptr<i32>, i32
  %h = tile.atomic_cas acquire gpu %pi, %n, %pid : !tile.ptr<i32>, i32
  // CHECK: tile.barrier
  tile.barrier
  // CHECK: tile.ptr_to_int %{{.*}} : tensor<256x!tile.ptr<f32>> -> tensor<256xi64>
  %i = tile.ptr_to_int %ptrs : tensor<256x!tile.ptr<f32>> -> tensor<256xi64>
  // CHECK: tile.int_to_ptr %{{.*}} : tensor<256xi64> -> tensor<256x!tile.ptr<f16>>
  %j = tile.int_to_ptr %i : tensor<256xi64> -> tensor<256x!tile.ptr<f16>>
  %k = tile.load %j : tensor<256x!tile.ptr<f16>>
  tile.store %j, %k : tensor<256x!tile.ptr<f16>>
  return
}

// CHECK-LABEL: func @shapes
func.func @shapes(%x: tensor<64xf32, #tile.slice<dim = 1, parent = #square>>, %y: tensor<64x32xf32>, %z: tensor<256xf32, #row>) {
  // CHECK: tile.expand_dims %{{.*}} at 1 : tensor<64xf32, #[[$SLICE]]> -> tensor<64x1xf32, #[[$SQUARE]]>
  %a = tile.expand_dims %x at 1 : tensor<64xf32, #tile.slice<dim = 1, parent = #square>> -> tensor<64x1xf32, #square>
  // CHECK: tile.broadcast %{{.*}} : tensor<64x1xf32, #[[$SQUARE]]> -> tensor<64x32xf32, #[[$SQUARE]]>
  %b = tile.broadcast %a : tensor<64x1xf32, #square> -> tensor<64x32xf32, #square>
  // CHECK: tile.reshape %{{.*}} : tensor<64x32xf32> -> tensor<32x4x16xf32>
  %c = tile.reshape %y : tensor<64x32xf32> -> tensor<32x4x16xf32>
  // CHECK: tile.trans %{{.*}} by [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  %d = tile.trans %y by [1, 0] : tensor<64x32xf32> -> tensor<32x64xf32>
  // CHECK: tile.join %{{.*}}, %{{.*}} : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x32x2xf32>
  %e = tile.join %y, %y : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x32x2xf32>
  // CHECK: tile.split %{{.*}} : tensor<64x32x2xf32> -> tensor<64x32xf32>, tensor<64x32xf32>
  %f, %g = tile.split %e : tensor<64x32x2xf32> -> tensor<64x32xf32>, tensor<64x32xf32>
  // CHECK: tile.convert_layout %{{.*}} : tensor<256xf32, #[[$ROW]]> -> tensor<256xf32, #[[$SLICE0]]>
  %h = tile.convert_layout %z : tensor<256xf32, #row> -> tensor<256xf32, #tile.slice<dim = 0, parent = #square>>
  return
}

// CHECK-LABEL: func @across
func.func @across(%x: tensor<64x32xf32, #square>, %i: tensor<64x32xi32, #square>, %v: tensor<256xf32>,
                  %lhs: tensor<2x64x32xf16>, %rhs: tensor<2x32x16xf16>, %acc: tensor<2x64x16xf32>) {
  // CHECK: tile.reduce(%{{.*}}, %{{.*}}) axis 1 {
  // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i32
  // CHECK: } : (tensor<64x32xf32, #[[$SQUARE]]>, tensor<64x32xi32, #[[$SQUARE]]>) -> (tensor<64xf32, #[[$SLICE]]>, tensor<64xi32, #[[$SLICE]]>)
  %m, %at = tile.reduce (%x, %i) axis 1 {
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %less = arith.cmpf olt, %a, %b : f32
    %c = arith.select %less, %b, %a : f32
    %ci = arith.select %less, %bi, %ai : i32
    tile.yield %c, %ci : f32, i32
  } : (tensor<64x32xf32, #square>, tensor<64x32xi32, #square>)
      -> (tensor<64xf32, #tile.slice<dim = 1, parent = #square>>, tensor<64xi32, #tile.slice<dim = 1, parent = #square>>)
  // CHECK: tile.reduce(%{{.*}}) axis 0 {
  // CHECK: } : (tensor<256xf32>) -> f32
  %s = tile.reduce (%v) axis 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<256xf32>) -> f32
  // CHECK: tile.scan(%{{.*}}) axis 0 reverse {
  // CHECK: } : (tensor<256xf32>) -> tensor<256xf32>
  %t = tile.scan (%v) axis 0 reverse {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<256xf32>) -> tensor<256xf32>
  // CHECK: tile.dot ieee %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x64x32xf16> * tensor<2x32x16xf16> -> tensor<2x64x16xf32>
  %d = tile.dot ieee %lhs, %rhs, %acc : tensor<2x64x32xf16> * tensor<2x32x16xf16> -> tensor<2x64x16xf32>
  return
}

// -----

// CHECK-LABEL: func @text
func.func @text(%x: tensor<16xf32>, %n: i32, %holds: tensor<16xi1>) {
  // CHECK: tile.print " x: " [false, true](%{{.*}}, %{{.*}} : tensor<16xf32>, i32)
  tile.print " x: " [false, true] (%x, %n : tensor<16xf32>, i32)
  // CHECK: tile.print " n: " hex [true](%{{.*}} : i32)
  tile.print " n: " hex [true] (%n : i32)
  // CHECK: tile.print " here" []
  tile.print " here" []
  // CHECK: tile.assert %{{.*}}, "all" at "kernel.py" : 3 in "f" : tensor<16xi1>
  tile.assert %holds, "all" at "kernel.py" : 3 in "f" : tensor<16xi1>
  return
}
