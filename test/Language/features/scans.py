# Scans: cumulative sums and products, backwards, along an axis, with a function of one's own.
import triton
import triton.language as tl


@triton.jit
def _running_max(a, b):
    return tl.maximum(a, b)


@triton.jit
def _linear_recurrence(a1, b1, a2, b2):
    return a1 * a2, a2 * b1 + b2


@triton.jit
def cumsum_masked(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.cumsum(tl.load(x + i, mask=mask, other=0), axis=0), mask=mask)


@triton.jit
def cumsum_of_axis(x, out, M: tl.constexpr, N: tl.constexpr, AXIS: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + at, tl.cumsum(tl.load(x + at), axis=AXIS))


@triton.jit
def cumsum_backwards(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumsum(tl.load(x + i), axis=0, reverse=True))


@triton.jit
def cumsum_method(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i).cumsum(axis=0, reverse=False))


@triton.jit
def cumprod_of_all(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.cumprod(tl.load(x + i), axis=0))


@triton.jit
def running_maximum(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.load(x + at)
    tl.store(out + at, tl.associative_scan(a, 1, _running_max))
    tl.store(out + M * N + at, tl.associative_scan(a, axis=0, combine_fn=_running_max, reverse=True))


@triton.jit
def recurrence(x, y, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    _, b = tl.associative_scan((tl.load(x + i), tl.load(y + i)), 0, _linear_recurrence)
    tl.store(out + i, b)


@triton.jit
def cumsum_over_blocks(x, out, n, BLOCK: tl.constexpr):
    total = 0
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        mask = i < n
        a = tl.load(x + i, mask=mask, other=0)
        tl.store(out + i, tl.cumsum(a, axis=0) + total, mask=mask)
        total += tl.sum(a, axis=0)


@triton.jit
def compaction(x, out, count, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    keep = (a > 0).to(tl.int32)
    place = tl.cumsum(keep, axis=0) - keep
    tl.store(out + place, a, mask=keep != 0)
    tl.store(count, tl.sum(keep, axis=0))
