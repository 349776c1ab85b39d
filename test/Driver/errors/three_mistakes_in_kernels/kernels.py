import triton
import triton.language as tl


@triton.jit
def first(x, out, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arnge(0, BLOCK)
    tl.store(out + offsets, tl.load(x + offsets, mask=offsets < n), mask=offsets < n)


@triton.jit
def second(x, out, BLOCK: tl.constexpr):
    offsets = tl.arange(0, BLOCK)
    tl.store(out + offsets, tl.load(x + ofsets))
    tl.store(out + offsets, tl.exp(tl.load(x + offsets)), msk=offsets < 4)
