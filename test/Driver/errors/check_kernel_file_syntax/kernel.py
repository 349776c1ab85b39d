import triton
import triton.language as tl


@triton.jit
def first(x):
    tl.store(x, 1


@triton.jit
def second(x):
    y = tl.load(x +)


@triton.jit
def third(x):
    tl.stor(x, 1)
