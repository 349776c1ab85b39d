# A masked vector add: offsets, masks, the facts about arguments, a known value, locations.
# RUN: teeny-language-test %s::add 'x_ptr=*fp32:16,y_ptr=*fp32:16:noalias,out_ptr=*fp32,n=i32@0..1000:4,stride=i32!1,BLOCK=256' | FileCheck %s
# RUN: teeny-language-test %s::add 'x_ptr=*fp32,y_ptr=*fp32,out_ptr=*fp32,n=i32,stride=i32,BLOCK=256' --locations | FileCheck %s --check-prefix=LOC
import triton
import triton.language as tl


@triton.jit
def offsets_of(pid, BLOCK: tl.constexpr):
    return pid * BLOCK + tl.arange(0, BLOCK)


# CHECK: func.func @add(%[[X:.*]]: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "x_ptr"},
# CHECK-SAME: !tile.ptr<f32> {tile.divisibility = 16 : i64, tile.name = "y_ptr", tile.noalias},
# CHECK-SAME: !tile.ptr<f32> {tile.name = "out_ptr"},
# CHECK-SAME: %[[N:.*]]: i32 {tile.divisibility = 4 : i64, tile.name = "n", tile.range = array<i64: 0, 1000>})
# CHECK-SAME: attributes {tile.kernel, tile.num_warps = 4 : i32}
# CHECK: %[[ONE:.*]] = arith.constant 1 : i32
# CHECK: %[[PID:.*]] = tile.program_id 0 : i32
# CHECK: %[[FIRST:.*]] = arith.muli %[[PID]], %{{.*}} : i32
# CHECK: %[[RANGE:.*]] = tile.arange 0 to 256 : tensor<256xi32>
# CHECK: %[[BASE:.*]] = tile.splat %[[FIRST]] : i32 -> tensor<256xi32>
# CHECK: %[[OFFS:.*]] = arith.addi %[[BASE]], %[[RANGE]] : tensor<256xi32>
# CHECK: %[[LIMIT:.*]] = tile.splat %[[N]] : i32 -> tensor<256xi32>
# CHECK: %[[MASK:.*]] = arith.cmpi slt, %[[OFFS]], %[[LIMIT]] : tensor<256xi32>
# CHECK: %[[STEP:.*]] = tile.splat %[[ONE]]
# CHECK: %[[SCALED:.*]] = arith.muli %[[OFFS]], %[[STEP]]
# CHECK: %[[PTRS:.*]] = tile.splat %[[X]] : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
# CHECK: %[[AT:.*]] = tile.addptr %[[PTRS]], %[[SCALED]]
# CHECK: %[[A:.*]] = tile.load %[[AT]] mask %[[MASK]] :
# CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
# CHECK: %[[ZEROS:.*]] = tile.splat %[[ZERO]] : f32 -> tensor<256xf32>
# CHECK: %[[B:.*]] = tile.load %{{.*}} mask %[[MASK]] other %[[ZEROS]] :
# CHECK: %[[SUM:.*]] = arith.addf %[[A]], %[[B]] : tensor<256xf32>
# CHECK: tile.store %{{.*}}, %[[SUM]] mask %[[MASK]] :
# CHECK-NEXT: return
# LOC: tile.arange 0 to 256 : tensor<256xi32> loc(#[[ARANGE:loc[0-9]+]])
# LOC-DAG: #[[CALLER:loc[0-9]+]] = loc("add.py":43:12)
# LOC-DAG: #[[CALLEE:loc[0-9]+]] = loc("add.py":10:26)
# LOC: #[[ARANGE]] = loc(callsite(#[[CALLEE]] at #[[CALLER]]))
@triton.jit
def add(x_ptr, y_ptr, out_ptr, n, stride, BLOCK: tl.constexpr):
    offs = offsets_of(tl.program_id(axis=0), BLOCK)
    mask = offs < n
    x = tl.load(x_ptr + offs * stride, mask=mask)
    y = tl.load(y_ptr + offs, mask=mask, other=0.0)
    tl.store(out_ptr + offs, x + y, mask=mask)
