# Promotion, and what constants adapt to.
# RUN: teeny-language-test %s::promote 'h=*fp16,b=*bf16,f=*fp32,i=*i32,u=*u8,l=*i64,t=*i1' | FileCheck %s
import triton
import triton.language as tl


# CHECK-LABEL: func.func @promote
@triton.jit
def promote(h, b, f, i, u, l, t):
    half = tl.load(h)
    brain = tl.load(b)
    single = tl.load(f)
    word = tl.load(i)
    byte = tl.load(u)
    # A bool is a byte in memory.
    # CHECK: %[[BYTES:.*]] = tile.ptr_cast %{{.*}} : !tile.ptr<i1> -> !tile.ptr<i8>
    # CHECK: %[[BYTE:.*]] = tile.load %[[BYTES]]
    # CHECK: arith.cmpi ne, %[[BYTE]], %{{.*}} : i8
    flag = tl.load(t)
    # A constant takes the tile's type, a scalar variable does not.
    # CHECK: %[[TWO:.*]] = arith.constant 2.000000e+00 : f16
    # CHECK: arith.mulf %{{.*}}, %[[TWO]] : f16
    tl.store(h, half * 2.0)
    # CHECK: %[[W:.*]] = arith.extf %{{.*}} : f16 to f32
    # CHECK: arith.mulf %[[W]], %{{.*}} : f32
    two = 2.0
    tl.store(f, half * two)
    # Division is never done in 16 bits; of integers it gives fp32.
    # CHECK: arith.divf %{{.*}}, %{{.*}} : f32
    tl.store(f, half / 3)
    # CHECK: arith.sitofp %{{.*}} : i32 to f32
    # CHECK: arith.divf %{{.*}}, %{{.*}} : f32
    tl.store(f, word / 3)
    # CHECK: arith.extf %{{.*}} : f16 to f32
    # CHECK: arith.extf %{{.*}} : bf16 to f32
    # CHECK: arith.addf %{{.*}}, %{{.*}} : f32
    half_and_brain = half.to(tl.float32) + brain
    # Signedness is the front end's: shifts, comparisons, divisions and extensions follow it.
    # CHECK: arith.extui %{{.*}} : i8 to i32
    # CHECK: arith.addi %{{.*}}, %{{.*}} : i32
    tl.store(i, word + byte)
    # CHECK: arith.shrui %{{.*}}, %{{.*}} : i8
    # CHECK: arith.divui %{{.*}}, %{{.*}} : i8
    tl.store(u, (byte >> 1) // 3)
    # CHECK: arith.shrsi %{{.*}}, %{{.*}} : i32
    # CHECK: arith.remsi %{{.*}}, %{{.*}} : i32
    tl.store(i, (word >> 1) % 3)
    # CHECK: arith.maxnumf
    # CHECK: arith.truncf %{{.*}} : f32 to bf16
    tl.store(b, tl.maximum(brain, 0.0))
    # CHECK: arith.uitofp %{{.*}} : i1 to f32
    tl.store(f, flag.to(tl.float32))
