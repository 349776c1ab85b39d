# Block pointers: boundaries checked or not, padding, order, moving.
import triton
import triton.language as tl


@triton.jit
def copy_rows(x, out, n, BLOCK: tl.constexpr):
    source = tl.make_block_ptr(x, (n, ), (1, ), (tl.program_id(0) * BLOCK, ), (BLOCK, ), (0, ))
    target = tl.make_block_ptr(base=out, shape=(n, ), strides=(1, ), offsets=(tl.program_id(0) * BLOCK, ),
                               block_shape=(BLOCK, ), order=(0, ))
    tl.store(target, tl.load(source, boundary_check=(0, )) * 2, boundary_check=(0, ))


@triton.jit
def copy_matrix(x, out, m, n, stride, M: tl.constexpr, N: tl.constexpr):
    source = tl.make_block_ptr(base=x, shape=(m, n), strides=(stride, 1),
                               offsets=(tl.program_id(0) * M, tl.program_id(1) * N), block_shape=(M, N),
                               order=(1, 0))
    target = tl.make_block_ptr(base=out, shape=(m, n), strides=(n, 1),
                               offsets=(tl.program_id(0) * M, tl.program_id(1) * N), block_shape=(M, N),
                               order=(1, 0))
    a = tl.load(source, boundary_check=(0, 1))
    tl.store(target, a, boundary_check=(0, 1))


@triton.jit
def padding_is_zero(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    source = tl.make_block_ptr(x, (m, n), (n, 1), (0, 0), (M, N), (1, 0))
    a = tl.load(source, boundary_check=(0, 1), padding_option="zero")
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], a)


@triton.jit
def padding_is_nan(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    source = tl.make_block_ptr(x, (m, n), (n, 1), (0, 0), (M, N), (1, 0))
    a = tl.load(source, boundary_check=(0, 1), padding_option="nan")
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], a)


@triton.jit
def one_dim_checked(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    source = tl.make_block_ptr(x, (m, n), (N, 1), (0, 0), (M, N), (1, 0))
    a = tl.load(source, boundary_check=(0, ))
    tl.store(out + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], a)


@triton.jit
def unchecked(x, out, M: tl.constexpr, N: tl.constexpr):
    source = tl.make_block_ptr(x, (M, N), (N, 1), (0, 0), (M, N), (1, 0))
    target = tl.make_block_ptr(out, (M, N), (N, 1), (0, 0), (M, N), (1, 0))
    tl.store(target, tl.load(source) + 1)


@triton.jit
def moves_along(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    source = tl.make_block_ptr(x, (m, n), (n, 1), (tl.program_id(0) * M, 0), (M, N), (1, 0))
    total = tl.zeros([M, N], dtype=tl.float32)
    for k in range(0, tl.cdiv(n, N)):
        total += tl.load(source, boundary_check=(0, 1))
        source = tl.advance(source, (0, N))
    rows = tl.program_id(0) * M + tl.arange(0, M)
    tl.store(out + rows, tl.sum(total, axis=1), mask=rows < m)


@triton.jit
def moves_both_ways(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    source = tl.make_block_ptr(x, (m, n), (n, 1), (0, 0), (M, N), (1, 0))
    source = source.advance([M, N]) if False else tl.advance(source, [M, N])
    source = tl.advance(source, (0, -3))
    target = tl.make_block_ptr(out, (m, n), (n, 1), (M, N - 3), (M, N), (1, 0))
    tl.store(target, tl.load(source, boundary_check=(0, 1)), boundary_check=(0, 1))


@triton.jit
def transposed_view(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    # A row-major m x n matrix seen as n x m.
    source = tl.make_block_ptr(x, (n, m), (1, n), (0, 0), (N, M), (0, 1))
    target = tl.make_block_ptr(out, (n, m), (m, 1), (0, 0), (N, M), (1, 0))
    tl.store(target, tl.load(source, boundary_check=(0, 1)), boundary_check=(0, 1))


@triton.jit
def offset_of_64_bits(x, out, m, n, M: tl.constexpr, N: tl.constexpr):
    base = x + tl.program_id(0).to(tl.int64) * m * n
    source = tl.make_block_ptr(base, (m, n), (n, 1), (0, 0), (M, N), (1, 0))
    target = tl.make_block_ptr(out + tl.program_id(0) * m * n, (m, n), (n, 1), (0, 0), (M, N), (1, 0))
    a = tl.load(source, boundary_check=(0, 1))
    tl.store(target, (a.to(tl.float32) * 0.5).to(out.dtype.element_ty), boundary_check=(0, 1))


@triton.jit
def negative_offset(x, out, n, BLOCK: tl.constexpr):
    source = tl.make_block_ptr(x, (n, ), (1, ), (-3, ), (BLOCK, ), (0, ))
    tl.store(out + tl.arange(0, BLOCK), tl.load(source, boundary_check=(0, ), padding_option="zero"))


@triton.jit
def three_dims(x, out, a, b, c, A: tl.constexpr, B: tl.constexpr, C: tl.constexpr):
    source = tl.make_block_ptr(x, (a, b, c), (b * c, c, 1), (0, 0, 0), (A, B, C), (2, 1, 0))
    target = tl.make_block_ptr(out, (a, b, c), (b * c, c, 1), (0, 0, 0), (A, B, C), (2, 1, 0))
    tl.store(target, tl.load(source, boundary_check=(0, 1, 2)) * 3, boundary_check=(0, 1, 2))


@triton.jit
def product_of_blocks(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    left = tl.make_block_ptr(a, (m, k), (k, 1), (tl.program_id(0) * M, 0), (M, K), (1, 0))
    right = tl.make_block_ptr(b, (k, n), (n, 1), (0, tl.program_id(1) * N), (K, N), (1, 0))
    acc = tl.zeros((M, N), dtype=tl.float32)
    for _ in range(0, k, K):
        x = tl.load(left, boundary_check=(0, 1))
        y = tl.load(right, boundary_check=(0, 1))
        acc += tl.dot(x, y)
        left = tl.advance(left, (0, K))
        right = tl.advance(right, (K, 0))
    target = tl.make_block_ptr(c, (m, n), (n, 1), (tl.program_id(0) * M, tl.program_id(1) * N), (M, N), (1, 0))
    tl.store(target, acc.to(c.dtype.element_ty), boundary_check=(0, 1))
