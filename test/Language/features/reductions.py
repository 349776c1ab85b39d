# Reductions: over an axis or all, of every type, with a function of one's own, with indices.
import triton
import triton.language as tl


@triton.jit
def _product(a, b):
    return a * b


@triton.jit
def _larger_magnitude(a, b):
    return tl.maximum(tl.abs(a), tl.abs(b))


@triton.jit
def _add_pairs(a, n, b, m):
    return a + b, n + m


@triton.jit
def _welford(mean1, m1, weight1, mean2, m2, weight2):
    delta = mean2 - mean1
    weight = weight1 + weight2
    ratio = tl.where(weight == 0, 0.0, weight2 / weight)
    return mean1 + delta * ratio, m1 + m2 + delta * delta * weight1 * ratio, weight


@triton.jit
def sum_of_all(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + i, mask=i < n, other=0)))


@triton.jit
def sum_of_integers(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + tl.program_id(0), tl.sum(tl.load(x + i, mask=i < n, other=0), 0))


@triton.jit
def sum_rows(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    a = tl.load(x + rows[:, None] * n + cols[None, :], mask=mask, other=0.0)
    tl.store(out + rows, tl.sum(a, axis=1), mask=rows < m)


@triton.jit
def sum_columns(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    a = tl.load(x + rows[:, None] * n + cols[None, :], mask=mask, other=0.0)
    tl.store(out + cols, tl.sum(a, axis=0), mask=cols < n)


@triton.jit
def sum_keeps_dim(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.load(x + at)
    tl.store(out + at, a - tl.sum(a, axis=1, keep_dims=True))


@triton.jit
def sum_of_middle_axis(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a = tl.arange(0, A)
    b = tl.arange(0, B)
    c = tl.arange(0, C)
    value = tl.load(x + a[:, None, None] * (B * C) + b[None, :, None] * C + c[None, None, :])
    tl.store(out + a[:, None] * C + c[None, :], tl.sum(value, 1))


@triton.jit
def sum_in_half_precision(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + i), axis=0))


@triton.jit
def sum_as_type(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out, tl.sum(tl.load(x + i), axis=0, dtype=tl.int64))


@triton.jit
def sum_of_booleans(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out, tl.sum((tl.load(x + i) > 0).to(tl.int32), axis=0))


@triton.jit
def sum_accumulated(x, out, n, BLOCK: tl.constexpr):
    acc = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, n, BLOCK):
        i = start + tl.arange(0, BLOCK)
        acc += tl.load(x + i, mask=i < n, other=0.0)
    tl.store(out, tl.sum(acc, axis=0))


@triton.jit
def max_of_rows(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    a = tl.load(x + rows[:, None] * n + cols[None, :], mask=mask, other=float("-inf"))
    tl.store(out + rows, tl.max(a, axis=1), mask=rows < m)


@triton.jit
def max_min_of_all(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    a = tl.load(x + i)
    tl.store(out, tl.max(a, axis=0))
    tl.store(out + 1, tl.min(a, axis=0))
    tl.store(out + 2, tl.max(tl.abs(a)))


@triton.jit
def max_with_index(x, values, indices, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    a = tl.load(x + rows[:, None] * N + tl.arange(0, N)[None, :])
    value, index = tl.max(a, axis=1, return_indices=True)
    tl.store(values + rows, value)
    tl.store(indices + rows, index)


@triton.jit
def min_with_index(x, values, indices, M: tl.constexpr, N: tl.constexpr):
    cols = tl.arange(0, N)
    a = tl.load(x + tl.arange(0, M)[:, None] * N + cols[None, :])
    value, index = tl.min(a, axis=0, return_indices=True, return_indices_tie_break_left=True)
    tl.store(values + cols, value)
    tl.store(indices + cols, index)


@triton.jit
def argmax_argmin(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    row = x + tl.program_id(0) * n
    tl.store(out + 2 * tl.program_id(0), tl.argmax(tl.load(row + i, mask=mask, other=-1000), axis=0))
    tl.store(out + 2 * tl.program_id(0) + 1, tl.argmin(tl.load(row + i, mask=mask, other=1000), axis=0))


@triton.jit
def max_keeps_dims(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.load(x + at)
    tl.store(out + at, a - tl.max(a, axis=0, keep_dims=True))


@triton.jit
def reduce_by_function(x, out, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    a = tl.load(x + rows[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out + rows, tl.reduce(a, 1, _product))
    tl.store(out + M + rows, tl.reduce(a, axis=1, combine_fn=_larger_magnitude))


@triton.jit
def reduce_pairs(x, y, out, counts, M: tl.constexpr, N: tl.constexpr):
    cols = tl.arange(0, N)
    at = tl.arange(0, M)[:, None] * N + cols[None, :]
    total, count = tl.reduce((tl.load(x + at), tl.load(y + at)), 0, _add_pairs)
    tl.store(out + cols, total)
    tl.store(counts + cols, count)


@triton.jit
def welford_variance(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    a = tl.load(x + i, mask=mask, other=0.0)
    weight = mask.to(tl.float32)
    mean, m2, weight = tl.reduce((a, tl.zeros_like(a), weight), 0, _welford)
    tl.store(out, mean)
    tl.store(out + 1, m2 / weight)


@triton.jit
def exclusive_or(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out, tl.xor_sum(tl.load(x + i), axis=0))


@triton.jit
def any_set(x, out, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    a = tl.load(x + rows[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out + rows, tl.reduce_or(a, axis=1))


@triton.jit
def softmax_rows(x, out, n, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < n
    a = tl.load(x + row * stride + i, mask=mask, other=-float("inf")).to(tl.float32)
    a = tl.exp(a - tl.max(a, axis=0))
    tl.store(out + row * n + i, a / tl.sum(a, axis=0), mask=mask)


@triton.jit
def softmax_function(x, out, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.softmax(tl.load(x + i)))


@triton.jit
def reduced_twice(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.load(x + at)
    tl.store(out, tl.max(tl.sum(a, axis=1), axis=0))
    tl.store(out + 1, tl.sum(tl.max(a, axis=0), axis=0))


@triton.jit
def methods(x, out, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    a = tl.load(x + rows[:, None] * N + tl.arange(0, N)[None, :])
    tl.store(out + rows, a.sum(axis=1))
    tl.store(out + M + rows, a.max(axis=1))
