# Products of G pairs of row-major matrices: out[g] = op(a[g]) op(b[g]), any sizes; op transposes or not. A row of `a` is
# a_stride elements, one of `b` b_stride. Blocks go in groups of GROUP rows of blocks, so that the cache is shared.
import triton
import triton.language as tl


@triton.jit(do_not_specialize_on_alignment=["M"])
def matmul(
    a, b, out, M, N, K, a_stride, b_stride, TA: tl.constexpr, TB: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    blocks_m = tl.cdiv(M, BLOCK_M)
    blocks_n = tl.cdiv(N, BLOCK_N)
    batch = tl.program_id(0) // (blocks_m * blocks_n)
    program = tl.program_id(0) % (blocks_m * blocks_n)
    group = program // (GROUP * blocks_n)
    first = group * GROUP
    rows_here = min(blocks_m - first, GROUP)
    block_m = first + (program % (GROUP * blocks_n)) % rows_here
    block_n = (program % (GROUP * blocks_n)) // rows_here

    m = block_m * BLOCK_M + tl.arange(0, BLOCK_M)
    n = block_n * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    a += batch * M * K
    b += batch * K * N
    if TA:
        a_block = a + k[None, :] * a_stride + m[:, None]
    else:
        a_block = a + m[:, None] * a_stride + k[None, :]
    if TB:
        b_block = b + n[None, :] * b_stride + k[:, None]
    else:
        b_block = b + k[:, None] * b_stride + n[None, :]
    element: tl.constexpr = a.dtype.element_ty
    sums: tl.constexpr = tl.float32 if element == tl.float16 or element == tl.bfloat16 else element
    acc = tl.zeros((BLOCK_M, BLOCK_N), sums)
    for start in range(0, K, BLOCK_K):
        left = tl.load(a_block, mask=(m[:, None] < M) & (start + k[None, :] < K), other=0)
        right = tl.load(b_block, mask=(start + k[:, None] < K) & (n[None, :] < N), other=0)
        acc = tl.dot(left, right, acc, input_precision=PRECISION, out_dtype=sums)
        a_block += BLOCK_K * a_stride if TA else BLOCK_K
        b_block += BLOCK_K if TB else BLOCK_K * b_stride
    out += batch * M * N
    tl.store(out + m[:, None] * N + n[None, :], acc.to(out.dtype.element_ty), mask=(m[:, None] < M) & (n[None, :] < N))


# The same for types that tl.dot does not multiply: a column of `a` times a row of `b` at a time.
@triton.jit(do_not_specialize_on_alignment=["M"])
def matmul_by_columns(
    a, b, out, M, N, K, a_stride, b_stride, TA: tl.constexpr, TB: tl.constexpr,
    BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
):  # fmt: skip
    blocks_m = tl.cdiv(M, BLOCK_M)
    blocks_n = tl.cdiv(N, BLOCK_N)
    batch = tl.program_id(0) // (blocks_m * blocks_n)
    program = tl.program_id(0) % (blocks_m * blocks_n)
    m = program // blocks_n * BLOCK_M + tl.arange(0, BLOCK_M)
    n = program % blocks_n * BLOCK_N + tl.arange(0, BLOCK_N)
    a += batch * M * K
    b += batch * K * N
    acc = tl.zeros((BLOCK_M, BLOCK_N), a.dtype.element_ty)
    for k in range(0, K):
        left = tl.load(a + (k * a_stride + m if TA else m * a_stride + k), mask=m < M, other=0)
        right = tl.load(b + (n * b_stride + k if TB else k * b_stride + n), mask=n < N, other=0)
        acc += left[:, None] * right[None, :]
    out += batch * M * N
    tl.store(out + m[:, None] * N + n[None, :], acc, mask=(m[:, None] < M) & (n[None, :] < N))
