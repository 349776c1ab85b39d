import triton
import triton.language as tl


@triton.jit
def helper(x, scale=1.0):
    return x * scale


@triton.jit
def first(x, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOK + tl.arange(0, BLOCK)
    value = tl.load(x + i, mask=i < n, othr=0.0)
    tl.store(x + i, helper(value, 2.0, True), mask=i < n)
    if BLOCK > 1024:
        tl.not_judged()


@triton.jit
def second(x):
    tl.store(x, tl.sqroot(tl.load(x)))
    for i in range(4):
        continue
