# Where functions and constants of kernels come from: decorators under other names, functions made kernels by a call,
# functions computed at compile time, constants that conditions of the host choose, and helpers of a file beside.
import math
from functools import partial

import triton
import triton as T
import triton.language as tl
from triton import jit as compiled
from triton.language.extra import libdevice

if hasattr(tl, "no_such_function"):
    logarithm = tl.no_such_function
else:
    logarithm = tl.log2

if triton.__version__.split(".")[0] >= "3":
    positive_exponential = libdevice.exp
else:
    positive_exponential = tl.exp

jit = triton.jit
unspecialized = partial(triton.jit, do_not_specialize=["n"])
load = tl.load
INVERSE_LN2 = tl.constexpr(1.0 / math.log(2.0))
SIZES = tl.constexpr((8, 16))


@jit
def clipped(v):
    return tl.where(v > 0, v, 0.0)


@compiled
def leaky(v, slope: tl.constexpr = 0.25):
    return tl.where(v >= 0, v, slope * v)


@T.constexpr_function
def bits_of(n):
    count = 0
    while n > 1:
        n //= 2
        count += 1
    return count


@triton.constexpr_function
def halves(n, deep=False):
    dims = [n // 2]
    for depth in range(2):
        if depth == 1 and not deep:
            continue
        dims.append(2 if depth == 0 else 1)
    return tuple(dims)


def scaled_by_size(x, out, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.store(out + i, load(x + i) * bits_of(SIZE) + INVERSE_LN2)


scaled_by_size = triton.jit(scaled_by_size)


@unspecialized
def chosen_functions(x, out, n, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v = load(x + i, mask=i < n, other=1.0)
    tl.store(out + i, logarithm(v) + positive_exponential(-v))


@triton.jit
def renamed_functions(x, out, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v = load(x + i)
    tl.store(out + i, clipped(v) + leaky(v, slope=0.5))


@triton.jit
def shapes_at_compile_time(x, out, SIZE: tl.constexpr):
    pairs = tl.reshape(load(x + tl.arange(0, SIZE)), halves(SIZE))
    tl.store(out + tl.arange(0, SIZE // 2), tl.sum(pairs, axis=1))
    j = tl.arange(0, SIZES[1])
    tl.store(out + SIZE // 2 + j, j.to(tl.float32))


@triton.jit
def loop_condition(x, out, n):
    i = 0
    total = 0.0
    while tl.condition(i < n, disable_licm=True):
        total += load(x + i)
        i += 1
    tl.store(out, total)
