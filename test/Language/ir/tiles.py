# Reductions, scans, dot, block pointers, atomics.
# RUN: teeny-language-test %s::rows 'x=*bf16,o=*fp32,i=*i32' | FileCheck %s --check-prefix=ROWS
# RUN: teeny-language-test %s::product 'a=*fp32,b=*fp32,c=*fp32' | FileCheck %s --check-prefix=DOT
# RUN: teeny-language-test %s::product 'a=*fp32,b=*fp32,c=*fp32' --ieee | FileCheck %s --check-prefix=IEEE
# RUN: teeny-language-test %s::blocks 'x=*fp16,M=i32,N=i64' | FileCheck %s --check-prefix=BLOCKS
# RUN: teeny-language-test %s::atomics 'x=*fp32,i=*i32' | FileCheck %s --check-prefix=ATOMICS
import triton
import triton.language as tl


# ROWS: %[[X:.*]] = arith.extf %{{.*}} : tensor<4x8xbf16> to tensor<4x8xf32>
# ROWS: %[[MAX:.*]] = tile.reduce(%[[X]]) axis 1 {
# ROWS: arith.maxnumf
# ROWS: } : (tensor<4x8xf32>) -> tensor<4xf32>
# ROWS: tile.reduce(%{{.*}}, %{{.*}}) axis 1 {
# ROWS: ^bb0(%[[V:.*]]: f32, %[[I:.*]]: i32, %[[W:.*]]: f32, %[[J:.*]]: i32):
# ROWS: %[[GREATER:.*]] = arith.cmpf ogt, %[[V]], %[[W]] : f32
# ROWS: arith.cmpf oeq, %[[V]], %[[W]] : f32
# ROWS: arith.cmpi slt, %[[I]], %[[J]] : i32
# ROWS: } : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4xf32>, tensor<4xi32>)
# ROWS: tile.scan(%{{.*}}) axis 0 reverse {
# ROWS: arith.addf
# ROWS: %[[ALL:.*]] = tile.reshape %{{.*}} : tensor<4x8xf32> -> tensor<32xf32>
# ROWS: tile.reduce(%[[ALL]]) axis 0 {
# ROWS: } : (tensor<32xf32>) -> f32
@triton.jit
def rows(x, o, i):
    r = tl.arange(0, 4)
    tile = tl.load(x + r[:, None] * 8 + tl.arange(0, 8)[None, :])
    tl.store(o + r, tl.max(tile, axis=1))
    tl.store(i + r, tl.argmax(tile, axis=-1))
    sums = tl.cumsum(tile, axis=0, reverse=True)
    tl.store(o, tl.sum(sums))


# DOT: tile.dot tf32 %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xf32> * tensor<32x16xf32> -> tensor<16x16xf32>
# DOT: tile.dot ieee
# IEEE: tile.dot ieee
# IEEE: tile.dot ieee
@triton.jit
def product(a, b, c):
    x = tl.load(a + tl.arange(0, 16)[:, None] * 32 + tl.arange(0, 32)[None, :])
    y = tl.load(b + tl.arange(0, 32)[:, None] * 16 + tl.arange(0, 16)[None, :])
    z = tl.dot(x, y)
    z = tl.dot(x, y, acc=z, input_precision="ieee")
    tl.store(c + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 16)[None, :], z)


# Of a block pointer a loop carries the offsets that it moves.
# BLOCKS: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[OFF:.*]] = %{{.*}}) -> (i64) : i64 {
# BLOCKS: arith.cmpi sge, %{{.*}}, %{{.*}} : tensor<32xi64>
# BLOCKS: arith.cmpi slt, %{{.*}}, %{{.*}} : tensor<32xi64>
# BLOCKS: %[[X:.*]] = tile.load %{{.*}} mask %[[MASK:.*]] other %{{.*}} : tensor<16x32x!tile.ptr<f16>>
# BLOCKS: tile.store %{{.*}}, %{{.*}} mask %{{.*}} : tensor<16x32x!tile.ptr<f16>>
# BLOCKS: scf.yield %{{.*}} : i64
@triton.jit
def blocks(x, M, N):
    p = tl.make_block_ptr(base=x, shape=(M, N), strides=(N, 1), offsets=(tl.program_id(0) * 16, 0),
                          block_shape=(16, 32), order=(1, 0))
    for _ in range(0, N, 32):
        tile = tl.load(p, boundary_check=(1,), padding_option="zero")
        tl.store(p, (tile * 2).to(p.dtype.element_ty), boundary_check=(0, 1))
        p = tl.advance(p, (0, 32))


# ATOMICS: tile.atomic_rmw fadd relaxed gpu
# ATOMICS: tile.atomic_rmw smax acq_rel gpu
# ATOMICS: tile.atomic_rmw umin acq_rel gpu
# ATOMICS: tile.atomic_cas acquire system
@triton.jit
def atomics(x, i):
    offs = tl.arange(0, 16)
    tl.atomic_add(x + offs, 1.0, mask=offs < 10, sem="relaxed")
    tl.atomic_max(x + offs, -1.0)
    tl.atomic_cas(i, 0, 1, sem="acquire", scope="sys")
