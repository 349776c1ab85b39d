# Matrix product of row-major a [M, K] and b [K, N], any sizes; blocks in groups of rows, so that the cache is shared.
import triton
import triton.language as tl


@triton.jit
def matmul_forward(
    a, b, out, M, N, K,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    blocks_m = tl.cdiv(M, BLOCK_M)
    blocks_n = tl.cdiv(N, BLOCK_N)
    group = program // (GROUP * blocks_n)
    first = group * GROUP
    rows_here = min(blocks_m - first, GROUP)
    block_m = first + (program % (GROUP * blocks_n)) % rows_here
    block_n = (program % (GROUP * blocks_n)) // rows_here

    m = block_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = block_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a_block = a + m[:, None] * K + k[None, :]
    b_block = b + k[:, None] * N + n[None, :]
    dtype: tl.constexpr = tl.float64 if a.dtype.element_ty == tl.float64 else tl.float32
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype)
    for start in range(0, K, BLOCK_K):
        left = tl.load(a_block, mask=(m[:, None] < M) & (start + k[None, :] < K), other=0.0)
        right = tl.load(b_block, mask=(start + k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(left, right, acc, input_precision=PRECISION, out_dtype=dtype)
        a_block += BLOCK_K
        b_block += BLOCK_K * N
    tl.store(out + m[:, None] * N + n[None, :], acc.to(out.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


@triton.jit
def matmul_split_k(
    a, b, out, M, N, K, SPLIT: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    # Program (tile, part) adds every SPLIT-th block of the sum; out, f32, holds zeros before the launch.
    program = tl.program_id(0)
    part = tl.program_id(1)
    blocks_m = tl.cdiv(M, BLOCK_M)
    blocks_n = tl.cdiv(N, BLOCK_N)
    first = program // (GROUP * blocks_n) * GROUP
    rows_here = min(blocks_m - first, GROUP)
    block_m = first + (program % (GROUP * blocks_n)) % rows_here
    block_n = (program % (GROUP * blocks_n)) // rows_here

    m = block_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = block_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = part * BLOCK_K + tl.arange(0, BLOCK_K)
    a_block = a + m[:, None] * K + k[None, :]
    b_block = b + k[:, None] * N + n[None, :]
    acc = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for start in range(0, K - part * BLOCK_K, SPLIT * BLOCK_K):
        left = tl.load(a_block, mask=(m[:, None] < M) & (start + k[None, :] < K), other=0.0)
        right = tl.load(b_block, mask=(start + k[:, None] < K) & (n[None, :] < N), other=0.0)
        acc = tl.dot(left, right, acc, input_precision=PRECISION)
        a_block += SPLIT * BLOCK_K
        b_block += SPLIT * BLOCK_K * N
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.atomic_add(out + m[:, None] * N + n[None, :], acc, mask=inside, sem="relaxed")


@triton.jit
def fill_zero(out, elements, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.zeros((BLOCK,), tl.float32), mask=i < elements)
