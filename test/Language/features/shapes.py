# Shapes of tiles: reshape, transpose, broadcast, new axes, join and split.
import triton
import triton.language as tl


@triton.jit
def outer_product(x, y, out, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    a = tl.load(x + rows)[:, None] * tl.load(y + cols)[None, :]
    tl.store(out + rows[:, None] * N + cols[None, :], a)


@triton.jit
def transposed(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    mask = (rows[:, None] < m) & (cols[None, :] < n)
    a = tl.load(x + rows[:, None] * n + cols[None, :], mask=mask)
    tl.store(out + cols[:, None] * m + rows[None, :], tl.trans(a), mask=tl.trans(mask))


@triton.jit
def transposed_property(x, out, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    a = tl.load(x + rows[:, None] * N + cols[None, :])
    tl.store(out + cols[:, None] * M + rows[None, :], a.T + a.trans())


@triton.jit
def permuted(x, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a = tl.arange(0, A)
    b = tl.arange(0, B)
    c = tl.arange(0, C)
    value = tl.load(x + a[:, None, None] * (B * C) + b[None, :, None] * C + c[None, None, :])
    at = c[:, None, None] * (A * B) + a[None, :, None] * B + b[None, None, :]
    tl.store(out + at, tl.permute(value, (2, 0, 1)))
    tl.store(out + A * B * C + at, value.permute(2, 0, 1))
    tl.store(out + 2 * A * B * C + at, tl.trans(value, 2, 0, 1))


@triton.jit
def reshaped(x, out, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M * N)
    a = tl.load(x + i)
    rows = tl.reshape(a, (M, N))
    tl.store(out + tl.arange(0, M), tl.sum(rows, axis=1))
    other = a.reshape(N, M)
    tl.store(out + M + tl.arange(0, M), tl.sum(other, axis=0))
    tl.store(out + 2 * M + i, tl.reshape(tl.trans(rows), [M * N]))


@triton.jit
def viewed(x, out, M: tl.constexpr, N: tl.constexpr):
    i = tl.arange(0, M * N)
    # A view may order the elements in any way.
    a = tl.view(tl.load(x + i), [M, N])
    tl.store(out, tl.max(tl.max(a, axis=0), axis=0))


@triton.jit
def raveled(x, out, M: tl.constexpr, N: tl.constexpr):
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    tl.store(out + tl.arange(0, M * N), tl.ravel(tl.load(x + at)))


@triton.jit
def broadcast_to_shape(x, out, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    a = tl.load(x + cols)
    at = rows[:, None] * N + cols[None, :]
    tl.store(out + at, tl.broadcast_to(a[None, :], (M, N)))
    tl.store(out + M * N + at, tl.broadcast_to(tl.load(x), [M, N]))


@triton.jit
def broadcast_pair(x, y, out, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    a, b = tl.broadcast(tl.load(x + rows)[:, None], tl.load(y + cols)[None, :])
    tl.store(out + rows[:, None] * N + cols[None, :], a - b)


@triton.jit
def axes_of_three(x, y, z, out, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    a = tl.arange(0, A)
    b = tl.arange(0, B)
    c = tl.arange(0, C)
    value = tl.load(x + a)[:, None, None] + tl.load(y + b)[None, :, None] * tl.load(z + c)[None, None, :]
    tl.store(out + (a[:, None, None] * B + b[None, :, None]) * C + c[None, None, :], value)


@triton.jit
def axes_added_to_matrix(x, out, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    deep = tl.arange(0, K)
    a = tl.load(x + rows[:, None] * N + cols[None, :])
    at = rows[:, None] * N + cols[None, :]
    first = a[None, :, :] + deep[:, None, None]
    tl.store(out + deep[:, None, None] * (M * N) + at[None, :, :], first)
    middle = a[:, None, :] * 2 - deep[None, :, None]
    tl.store(out + K * M * N + deep[None, :, None] * (M * N) + at[:, None, :], middle)
    last = a[:, :, None] * 3 + deep[None, None, :]
    tl.store(out + 2 * K * M * N + deep[None, None, :] * (M * N) + at[:, :, None], last)


@triton.jit
def expanded(x, out, M: tl.constexpr, N: tl.constexpr):
    rows = tl.expand_dims(tl.arange(0, M), 1)
    cols = tl.expand_dims(tl.arange(0, N), axis=0)
    tl.store(out + rows * N + cols, tl.load(x + rows) + cols)


@triton.jit
def leading_axis(x, out, N: tl.constexpr):
    i = tl.arange(0, N)
    a = tl.load(x + i)[None]
    tl.store((out + i)[None, :], a * 2)


@triton.jit
def joined(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    pair = tl.join(tl.load(x + i), tl.load(y + i))
    tl.store(out + i[:, None] * 2 + tl.arange(0, 2)[None, :], pair)


@triton.jit
def split_pairs(x, low, high, N: tl.constexpr):
    i = tl.arange(0, N)
    a, b = tl.split(tl.load(x + i[:, None] * 2 + tl.arange(0, 2)[None, :]))
    tl.store(low + i, a)
    tl.store(high + i, b)


@triton.jit
def split_after_reshape(x, out, N: tl.constexpr):
    i = tl.arange(0, 2 * N)
    even, odd = tl.load(x + i).reshape(N, 2).split()
    j = tl.arange(0, N)
    tl.store(out + j, even * 2 + odd)


@triton.jit
def interleaved(x, y, out, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + tl.arange(0, 2 * N), tl.interleave(tl.load(x + i), tl.load(y + i)))


@triton.jit
def shape_of_tile(x, out, M: tl.constexpr, N: tl.constexpr):
    a = tl.load(x + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :])
    rows: tl.constexpr = a.shape[0]
    cols: tl.constexpr = a.shape[1]
    tl.store(out + tl.arange(0, rows * cols), tl.reshape(a, [rows * cols]))
    tl.store(out + M * N, a.numel)


@triton.jit
def zeros_and_full(out, value, N: tl.constexpr):
    i = tl.arange(0, N)
    tl.store(out + i, tl.zeros((N, ), dtype=tl.float32))
    tl.store(out + N + i, tl.full((N, ), 3, dtype=tl.float32))
    tl.store(out + 2 * N + i, tl.full([N], value=-1.5, dtype=tl.float16))
    tl.store(out + 3 * N + i, tl.full([N], value, tl.float32))
    tl.store(out + 4 * N + i, tl.zeros_like(i))


@triton.jit
def swizzled_ids(out, ROWS: tl.constexpr, COLS: tl.constexpr, GROUP: tl.constexpr):
    i, j = tl.swizzle2d(tl.program_id(0), tl.program_id(1), ROWS, COLS, GROUP)
    at = tl.program_id(0) * COLS + tl.program_id(1)
    tl.store(out + at, i * 100 + j)


@triton.jit
def grouped_ids(out, m, n, GROUP: tl.constexpr):
    pid = tl.program_id(0)
    per_group = GROUP * n
    group = pid // per_group
    first = group * GROUP
    size = min(m - first, GROUP)
    row = first + (pid % per_group) % size
    col = (pid % per_group) // size
    tl.store(out + pid, row * 100 + col)
