// RUN: teeny-opt %s -convert-tile-to-gpu=target=sm_90a -cse | FileCheck %s
// RUN: teeny-opt %s -tile-to-gpu=target=sm_90a -emit-ptx=target=sm_90a -o /dev/null | FileCheck %s --check-prefix=PTX

#b = #tile.blocked<registers = [4], lanes = [32], warps = [4], order = [0]>

// CHECK-LABEL: func.func @add
// CHECK-SAME: (%[[X:.*]]: !llvm.ptr<1> {{.*}}, %[[Y:.*]]: !llvm.ptr<1>
// CHECK: %[[PID:.*]] = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.ctaid.x"
// CHECK: %[[TID:.*]] = llvm.call_intrinsic "llvm.nvvm.read.ptx.sreg.tid.x"
// CHECK: %[[I0:.*]] = arith.shli %[[TID]], %c2_i32
// CHECK: %[[I1:.*]] = arith.addi %[[I0]], %c1_i32 overflow<nsw, nuw>
// CHECK-COUNT-4: arith.cmpi slt
// CHECK-COUNT-8: ld.global.b32 $0, [$1];", "=r,l,b,0"
// CHECK-COUNT-4: arith.addf {{.*}} fastmath<contract> : f32
// CHECK-COUNT-4: st.global.b32 [$0], $1;", "l,r,b,~{memory}"
// CHECK: return

// PTX: .visible .entry add(
// PTX: .param .u64 .ptr .global .align 16 add_param_0
// PTX: .reqntid 128
// PTX: @%p1 ld.global.b32
// PTX: @%p1 st.global.b32
// PTX: // census add: {{.*}} ld.global 8, {{.*}} st.global 4
module {
  func.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i64}, %y: !tile.ptr<f32>, %z: !tile.ptr<f32>,
                 %n: i32) attributes {tile.kernel, tile.num_warps = 4 : i32} {
    %pid = tile.program_id 0 : i32
    %c512 = arith.constant 512 : i32
    %start = arith.muli %pid, %c512 : i32
    %range = tile.arange 0 to 512 : tensor<512xi32, #b>
    %s = tile.splat %start : i32 -> tensor<512xi32, #b>
    %i = arith.addi %s, %range : tensor<512xi32, #b>
    %ns = tile.splat %n : i32 -> tensor<512xi32, #b>
    %m = arith.cmpi slt, %i, %ns : tensor<512xi32, #b>
    %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #b>
    %xp = tile.addptr %xs, %i : tensor<512x!tile.ptr<f32>, #b>, tensor<512xi32, #b>
    %ys = tile.splat %y : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #b>
    %yp = tile.addptr %ys, %i : tensor<512x!tile.ptr<f32>, #b>, tensor<512xi32, #b>
    %zs = tile.splat %z : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #b>
    %zp = tile.addptr %zs, %i : tensor<512x!tile.ptr<f32>, #b>, tensor<512xi32, #b>
    %a = tile.load %xp mask %m : tensor<512x!tile.ptr<f32>, #b>
    %b = tile.load %yp mask %m : tensor<512x!tile.ptr<f32>, #b>
    %c = arith.addf %a, %b fastmath<contract> : tensor<512xf32, #b>
    tile.store %zp, %c mask %m : tensor<512x!tile.ptr<f32>, #b>
    return
  }
}
