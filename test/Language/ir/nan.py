# What minimum, maximum and clamp do with NaN: the rules of IEEE's minNum, or NaN stays NaN. exp needs the latter.
# RUN: teeny-language-test %s::kept 'x=*fp32,y=*fp32' | FileCheck %s --check-prefix=KEPT
# RUN: teeny-language-test %s::dropped 'x=*fp32,y=*fp32' | FileCheck %s --check-prefix=DROPPED
# RUN: teeny-language-test %s::exponential 'x=*fp32,y=*fp32' | FileCheck %s --check-prefix=EXP
import triton
import triton.language as tl


# KEPT: %[[LOW:.*]] = arith.maximumf
# KEPT: arith.minimumf %[[LOW]]
# KEPT: arith.maximumf
@triton.jit
def kept(x, y):
    value = tl.clamp(tl.load(x), -1.0, 1.0, propagate_nan=tl.PropagateNan.ALL)
    tl.store(y, tl.maximum(value, 0.5, tl.PropagateNan.ALL))


# DROPPED: arith.maxnumf
# DROPPED: arith.minnumf
@triton.jit
def dropped(x, y):
    tl.store(y, tl.clamp(tl.load(x), -1.0, 1.0, propagate_nan=tl.PropagateNan.NONE))


# EXP: arith.maximumf %{{.*}}, %{{.*}} : f32
# EXP: arith.minimumf
# EXP: %[[T:.*]] = arith.mulf
# EXP: math.fma %[[T]]
# EXP: math.fma %[[T]]
# EXP: math.exp2 %[[T]]
# EXP: math.fma
@triton.jit
def exponential(x, y):
    tl.store(y, tl.exp(tl.load(x)))
