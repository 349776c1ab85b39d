# What few kernels use: questions to types, bits, and statements in branches that are not taken.
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def sizes_and_bits(x, out, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    v = tl.load(x + i)
    shape: tl.constexpr = v.type.get_block_shapes()
    width: tl.constexpr = v.dtype.primitive_bitwidth
    first = libdevice.ffs(v)
    tl.store(out + i, tl.sub(first, width + v.numel + shape[0], sanitize_overflow=False))


@triton.jit
def uniform_of_bits(x, out, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.store(out + i, tl.uint_to_uniform_float(tl.load(x + i)))


@triton.jit
def quiet(x, out, n, MODE: tl.constexpr, DEBUG: tl.constexpr):
    if MODE == "sum":
        total = 0.0
    elif MODE == "product":
        total = 1.0
    else:
        raise ValueError("no such mode")
    for i in tl.range(0, n, warp_specialize=False):
        v = tl.load(x + i)
        if DEBUG:
            print("element", v)
        total = total + v if MODE == "sum" else total * v
    tl.store(out, total)


@triton.jit
def absolute_of_eight_bits(x, out, SIZE: tl.constexpr):
    i = tl.arange(0, SIZE)
    tl.store(out + i, tl.abs(tl.load(x + i)))
