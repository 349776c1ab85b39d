# Matrices with strides: not contiguous, with padding, transposed, broadcast, batched.
import triton
import triton.language as tl


@triton.jit
def copy_strided(x, out, m, n, xs0, xs1, os0, os1, M: tl.constexpr, N: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    cols = tl.program_id(1) * N + tl.arange(0, N)
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    a = tl.load(x + rows[:, None] * xs0 + cols[None, :] * xs1, mask=mask, other=0)
    tl.store(out + rows[:, None] * os0 + cols[None, :] * os1, a, mask=mask)


@triton.jit
def every_other(x, out, n, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i * stride, mask=i < n), mask=i < n)


@triton.jit
def negative_stride(x, out, n, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + (n - 1) * (-stride) + i * stride, mask=i < n), mask=i < n)


@triton.jit
def stride_zero(x, y, out, n, ys, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i * ys, mask=mask), mask=mask)


@triton.jit
def batched(x, out, m, n, sb, sm, sn, M: tl.constexpr, N: tl.constexpr):
    x += tl.program_id(2) * sb
    rows = tl.program_id(0) * M + tl.arange(0, M)
    cols = tl.program_id(1) * N + tl.arange(0, N)
    mask = (rows < m)[:, None] & (cols < n)[None, :]
    a = tl.load(x + rows[:, None] * sm + cols[None, :] * sn, mask=mask)
    at = tl.program_id(2) * m * n + rows[:, None] * n + cols[None, :]
    tl.store(out + at, -a, mask=mask)


@triton.jit
def rows_with_wrap(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    # As matrix products do: rows beyond the end are some other row, and are not stored.
    rows = tl.program_id(0) * M + tl.arange(0, M)
    cols = tl.arange(0, N)
    a = tl.load(x + (rows % m)[:, None] * n + cols[None, :], mask=cols[None, :] < n)
    tl.store(out + rows[:, None] * n + cols[None, :], a * 2, mask=(rows[:, None] < m) & (cols[None, :] < n))


@triton.jit
def diagonal(x, out, n, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i * (stride + 1), mask=i < n), mask=i < n)


@triton.jit
def lower_triangle(x, out, n, M: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, M)
    inside = (rows[:, None] < n) & (cols[None, :] < n)
    a = tl.load(x + rows[:, None] * n + cols[None, :], mask=inside & (rows[:, None] >= cols[None, :]), other=0)
    tl.store(out + rows[:, None] * n + cols[None, :], a, mask=inside)


@triton.jit
def channels_last(x, out, c, h, w, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < c * h * w
    channel = i % c
    column = i // c % w
    row = i // (c * w)
    tl.store(out + i, tl.load(x + (channel * h + row) * w + column, mask=mask), mask=mask)
