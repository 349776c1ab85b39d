# Sorting and choosing: sort, topk, flip, gather, histogram.
import triton
import triton.language as tl


@triton.jit
def sort_all(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.sort(tl.load(x + i)))


@triton.jit
def sort_rows(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.sort(tl.load(x + at), dim=1, descending=True))


@triton.jit
def largest(x, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    top = tl.topk(tl.load(x + at), K, dim=1)
    tl.store(out + tl.arange(0, M)[:, None] * K + tl.arange(0, K)[None, :], top)


@triton.jit
def flip_rows(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.load(x + at)
    tl.store(out + at, tl.flip(a, dim=1))
    tl.store(out + M * N + at, tl.flip(a, 0))


@triton.jit
def gather_within(x, index, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.gather(tl.load(x + at), tl.load(index + at), axis=1))


@triton.jit
def gather_line(x, index, out, BLOCK: tl.constexpr, MANY: tl.constexpr):
    at = tl.load(index + tl.arange(0, MANY))
    tl.store(out + tl.arange(0, MANY), tl.load(x + tl.arange(0, BLOCK)).gather(at, 0))


@triton.jit
def histogram(x, out, BLOCK: tl.constexpr, BINS: tl.constexpr):
    tl.store(out + tl.arange(0, BINS), tl.histogram(tl.load(x + tl.arange(0, BLOCK)), BINS))


@triton.jit
def histogram_masked(x, out, n, BLOCK: tl.constexpr, BINS: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i, mask=i < n, other=0)
    tl.store(out + tl.arange(0, BINS), tl.histogram(a, BINS, mask=i < n))
