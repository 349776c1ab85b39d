# Products of matrices: types, accumulators, precision, shapes, transposed operands.
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    deep = tl.arange(0, K)
    x = tl.load(a + rows[:, None] * K + deep[None, :])
    y = tl.load(b + deep[:, None] * N + cols[None, :])
    tl.store(c + rows[:, None] * N + cols[None, :], tl.dot(x, y))


@triton.jit
def product_in_fp32(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    deep = tl.arange(0, K)
    x = tl.load(a + rows[:, None] * K + deep[None, :])
    y = tl.load(b + deep[:, None] * N + cols[None, :])
    tl.store(c + rows[:, None] * N + cols[None, :], tl.dot(x, y, allow_tf32=False))


@triton.jit
def product_with_precision(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, PRECISION: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    deep = tl.arange(0, K)
    x = tl.load(a + rows[:, None] * K + deep[None, :])
    y = tl.load(b + deep[:, None] * N + cols[None, :])
    tl.store(c + rows[:, None] * N + cols[None, :], tl.dot(x, y, input_precision=PRECISION))


@triton.jit
def product_with_accumulator(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    deep = tl.arange(0, K)
    at = rows[:, None] * N + cols[None, :]
    x = tl.load(a + rows[:, None] * K + deep[None, :])
    y = tl.load(b + deep[:, None] * N + cols[None, :])
    acc = tl.load(c + at)
    acc = tl.dot(x, y, acc)
    acc = tl.dot(x, y, acc=acc)
    tl.store(c + at, acc)


@triton.jit
def product_in_half(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    deep = tl.arange(0, K)
    x = tl.load(a + rows[:, None] * K + deep[None, :])
    y = tl.load(b + deep[:, None] * N + cols[None, :])
    tl.store(c + rows[:, None] * N + cols[None, :], tl.dot(x, y, out_dtype=tl.float16))


@triton.jit
def product_transposed(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    deep = tl.arange(0, K)
    x = tl.load(a + rows[:, None] * K + deep[None, :])
    y = tl.load(b + cols[:, None] * K + deep[None, :])
    tl.store(c + rows[:, None] * N + cols[None, :], tl.dot(x, tl.trans(y)))


@triton.jit
def product_of_loaded_transposed(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    deep = tl.arange(0, K)
    x = tl.load(a + deep[None, :] * M + rows[:, None])
    y = tl.load(b + cols[None, :] * K + deep[:, None])
    tl.store(c + rows[:, None] * N + cols[None, :], tl.dot(x, y))


@triton.jit
def matmul(a, b, c, m, n, k, sam, sak, sbk, sbn, scm, scn, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
           GROUP: tl.constexpr):
    pid = tl.program_id(axis=0)
    rows_of_tiles = tl.cdiv(m, M)
    cols_of_tiles = tl.cdiv(n, N)
    per_group = GROUP * cols_of_tiles
    group = pid // per_group
    first = group * GROUP
    size = min(rows_of_tiles - first, GROUP)
    pid_m = first + ((pid % per_group) % size)
    pid_n = (pid % per_group) // size
    rows = (pid_m * M + tl.arange(0, M)) % m
    cols = (pid_n * N + tl.arange(0, N)) % n
    deep = tl.arange(0, K)
    left = a + (rows[:, None] * sam + deep[None, :] * sak)
    right = b + (deep[:, None] * sbk + cols[None, :] * sbn)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, K)):
        x = tl.load(left, mask=deep[None, :] < k - step * K, other=0.0)
        y = tl.load(right, mask=deep[:, None] < k - step * K, other=0.0)
        acc = tl.dot(x, y, acc)
        left += K * sak
        right += K * sbk
    rows = pid_m * M + tl.arange(0, M)
    cols = pid_n * N + tl.arange(0, N)
    target = c + scm * rows[:, None] + scn * cols[None, :]
    tl.store(target, acc.to(c.dtype.element_ty), mask=(rows[:, None] < m) & (cols[None, :] < n))


@triton.jit
def product_then_function(a, b, bias, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    deep = tl.arange(0, K)
    x = tl.load(a + rows[:, None] * K + deep[None, :])
    y = tl.load(b + deep[:, None] * N + cols[None, :])
    acc = tl.dot(x, y) + tl.load(bias + cols)[None, :]
    acc = tl.where(acc > 0, acc, acc * 0.125)
    tl.store(c + rows[:, None] * N + cols[None, :], acc)


@triton.jit
def product_of_product(a, b, c, M: tl.constexpr, N: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    x = tl.load(a + rows[:, None] * N + cols[None, :])
    y = tl.load(b + rows[:, None] * N + cols[None, :])
    scores = tl.dot(x, tl.trans(y))
    weights = (scores * 0.0625).to(x.dtype)
    tl.store(c + rows[:, None] * N + cols[None, :], tl.dot(weights, y))


@triton.jit
def product_reduced(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    deep = tl.arange(0, K)
    x = tl.load(a + rows[:, None] * K + deep[None, :])
    y = tl.load(b + deep[:, None] * N + cols[None, :])
    acc = tl.dot(x, y)
    tl.store(c + rows, tl.max(acc, axis=1))
    tl.store(c + M + cols, tl.sum(acc, axis=0))


@triton.jit
def batch_of_products(a, b, c, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    batch = tl.arange(0, B)[:, None, None]
    rows = tl.arange(0, M)[None, :, None]
    x = tl.load(a + (batch * M + rows) * K + tl.arange(0, K)[None, None, :])
    y = tl.load(b + (batch * K + tl.arange(0, K)[None, :, None]) * N + tl.arange(0, N)[None, None, :])
    tl.store(c + (batch * M + rows) * N + tl.arange(0, N)[None, None, :], tl.dot(x, y))


@triton.jit
def product_by_sum(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)
    cols = tl.arange(0, N)
    deep = tl.arange(0, K)
    x = tl.load(a + rows[:, None] * K + deep[None, :])
    y = tl.load(b + deep[:, None] * N + cols[None, :])
    acc = tl.sum(x[:, :, None] * y[None, :, :], axis=1)
    tl.store(c + rows[:, None] * N + cols[None, :], acc)


@triton.jit
def attention(q, k, v, out, n, scale, CAUSAL: tl.constexpr, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    start = tl.program_id(0) * M
    rows = start + tl.arange(0, M)
    deep = tl.arange(0, D)
    query = tl.load(q + rows[:, None] * D + deep[None, :], mask=rows[:, None] < n, other=0.0)
    largest = tl.zeros([M], dtype=tl.float32) - float("inf")
    total = tl.zeros([M], dtype=tl.float32)
    acc = tl.zeros([M, D], dtype=tl.float32)
    end = tl.minimum(start + M, n) if CAUSAL else n
    for first in range(0, end, N):
        cols = first + tl.arange(0, N)
        key = tl.load(k + cols[None, :] * D + deep[:, None], mask=cols[None, :] < n, other=0.0)
        scores = tl.dot(query, key) * (scale * 1.44269504)
        inside = cols[None, :] < n
        if CAUSAL:
            inside = inside & (rows[:, None] >= cols[None, :])
        scores = tl.where(inside, scores, float("-inf"))
        new = tl.maximum(largest, tl.max(scores, 1))
        weights = tl.math.exp2(scores - new[:, None])
        correction = tl.math.exp2(largest - new)
        total = total * correction + tl.sum(weights, 1)
        value = tl.load(v + cols[:, None] * D + deep[None, :], mask=cols[:, None] < n, other=0.0)
        acc = acc * correction[:, None]
        acc += tl.dot(weights.to(value.dtype), value)
        largest = new
    acc = acc / total[:, None]
    tl.store(out + rows[:, None] * D + deep[None, :], acc.to(out.dtype.element_ty), mask=rows[:, None] < n)
