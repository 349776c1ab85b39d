# Products of operands in microscaling formats: elements of 4, 8 and 16 bits, scales of 32 or 16 of them.
import triton
import triton.language as tl


@triton.jit
def tile_of(x, ROWS: tl.constexpr, COLS: tl.constexpr):
    return tl.load(x + tl.arange(0, ROWS)[:, None] * COLS + tl.arange(0, COLS)[None, :])


@triton.jit
def scaled_product(a, a_scale, b, b_scale, c, A: tl.constexpr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    x = tile_of(a, M, K // 2 if A == "e2m1" else K)
    y = tile_of(b, K // 2 if B == "e2m1" else K, N)
    x_scale = tile_of(a_scale, M, K // 32)
    y_scale = tile_of(b_scale, N, K // 32)
    z = tl.dot_scaled(x, x_scale, A, y, y_scale, B)
    tl.store(c + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], z)


@triton.jit
def one_side_scaled(a, a_scale, b, c, A: tl.constexpr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    x = tile_of(a, M, K // 2 if A == "e2m1" else K)
    y = tile_of(b, K // 2 if B == "e2m1" else K, N)
    at = tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :]
    acc = tl.load(c + at)
    acc = tl.dot_scaled(x, tile_of(a_scale, M, K // 32), A, y, None, B, acc=acc)
    tl.store(c + at, acc)


@triton.jit
def other_side_scaled(a, b, b_scale, c, A: tl.constexpr, B: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    x = tile_of(a, M, K // 2 if A == "e2m1" else K)
    y = tile_of(b, K // 2 if B == "e2m1" else K, N)
    acc = tl.zeros((M, N), tl.float32)
    acc = tl.dot_scaled(x, None, A, y, tile_of(b_scale, N, K // 32), B, acc, fast_math=True, out_dtype=tl.float32)
    tl.store(c + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], acc)


@triton.jit
def packed_across(a, a_scale, b, b_scale, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    x = tile_of(a, M // 2, K)
    y = tile_of(b, K, N // 2)
    x_scale = tile_of(a_scale, M, K // 32)
    y_scale = tile_of(b_scale, N, K // 32)
    z = tl.dot_scaled(x, x_scale, "e2m1", y, y_scale, "e2m1", lhs_k_pack=False, rhs_k_pack=False)
    tl.store(c + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], z)


@triton.jit
def scales_of_16(a, a_scale, b, b_scale, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    x = tile_of(a, M, K // 2)
    y = tile_of(b, K // 2, N)
    z = tl.dot_scaled(x, tile_of(a_scale, M, K // 16), "e2m1", y, tile_of(b_scale, N, K // 16), "e2m1")
    tl.store(c + tl.arange(0, M)[:, None] * N + tl.arange(0, N)[None, :], z)


@triton.jit
def batch_without_scales(a, b, c, G: tl.constexpr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    group = tl.arange(0, G)[:, None, None]
    x = tl.load(a + group * M * K + tl.arange(0, M)[None, :, None] * K + tl.arange(0, K)[None, None, :])
    half: tl.constexpr = K // 2
    y = tl.load(b + group * half * N + tl.arange(0, half)[None, :, None] * N + tl.arange(0, N)[None, None, :])
    z = tl.dot_scaled(x, None, "e5m2", y, None, "e2m1")
    tl.store(c + group * M * N + tl.arange(0, M)[None, :, None] * N + tl.arange(0, N)[None, None, :], z)
