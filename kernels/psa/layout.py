# Around the attention of YOLO26's PSA blocks. Channels of a convolution's result are, for each head, [Q | K | V_lo | V_hi], each
# K wide, and each a matrix [K, N] over the N = H * W places; attention takes [N, K].
import triton
import triton.language as tl


@triton.jit
def _transpose(x, out, rows, columns, row_block, column_block, BLOCK_R: tl.constexpr, BLOCK_C: tl.constexpr):
    """One block of x [rows, columns], to out [columns, rows]; both accesses run along consecutive addresses."""
    r = row_block * BLOCK_R + tl.arange(0, BLOCK_R)
    c = column_block * BLOCK_C + tl.arange(0, BLOCK_C)
    tile = tl.load(x + r[:, None] * columns + c[None, :], mask=(r[:, None] < rows) & (c[None, :] < columns))
    tl.store(out + c[:, None] * rows + r[None, :], tl.trans(tile), mask=(c[:, None] < columns) & (r[None, :] < rows))


@triton.jit(do_not_specialize_on_alignment=["heads_all"])
def pack_qkv_forward(qkv, out, heads_all, K, N, BLOCK_K: tl.constexpr, BLOCK_N: tl.constexpr):
    # qkv [heads_all, 4, K, N] -> out [4, heads_all, N, K]
    matrix = tl.program_id(1)
    from_here = qkv + matrix * K * N
    to_here = out + ((matrix % 4) * heads_all + matrix // 4) * K * N
    blocks = tl.cdiv(N, BLOCK_N)
    _transpose(from_here, to_here, K, N, tl.program_id(0) // blocks, tl.program_id(0) % blocks, BLOCK_K, BLOCK_N)


@triton.jit(do_not_specialize_on_alignment=["heads_all"])
def pack_qkv_backward(d_out, d_qkv, heads_all, K, N, BLOCK_K: tl.constexpr, BLOCK_N: tl.constexpr):
    matrix = tl.program_id(1)
    from_here = d_out + ((matrix % 4) * heads_all + matrix // 4) * K * N
    to_here = d_qkv + matrix * K * N
    blocks = tl.cdiv(N, BLOCK_N)
    _transpose(from_here, to_here, N, K, tl.program_id(0) % blocks, tl.program_id(0) // blocks, BLOCK_N, BLOCK_K)


@triton.jit
def extract_v_forward(qkv, out, half, BLOCK: tl.constexpr):
    # The second half, `half` elements, of each head.
    head = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(qkv + (head * 2 + 1) * half + i, mask=i < half)
    tl.store(out + head * half + i, value, mask=i < half)


@triton.jit
def extract_v_backward(d_out, d_qkv, half, BLOCK: tl.constexpr):
    head = tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(d_out + head * half + i, mask=i < half)
    tl.store(d_qkv + head * 2 * half + i, tl.zeros((BLOCK,), d_qkv.dtype.element_ty), mask=i < half)
    tl.store(d_qkv + (head * 2 + 1) * half + i, value, mask=i < half)


@triton.jit
def merge_attn_forward(lo, hi, out, K, N, BLOCK_K: tl.constexpr, BLOCK_N: tl.constexpr):
    # lo, hi [heads_all, N, K] -> out [heads_all, 2, K, N]
    head = tl.program_id(1)
    blocks = tl.cdiv(N, BLOCK_N)
    n = tl.program_id(0) % blocks
    k = tl.program_id(0) // blocks
    _transpose(lo + head * K * N, out + head * 2 * K * N, N, K, n, k, BLOCK_N, BLOCK_K)
    _transpose(hi + head * K * N, out + (head * 2 + 1) * K * N, N, K, n, k, BLOCK_N, BLOCK_K)


@triton.jit
def merge_attn_backward(d_out, d_lo, d_hi, K, N, BLOCK_K: tl.constexpr, BLOCK_N: tl.constexpr):
    head = tl.program_id(1)
    blocks = tl.cdiv(N, BLOCK_N)
    n = tl.program_id(0) % blocks
    k = tl.program_id(0) // blocks
    _transpose(d_out + head * 2 * K * N, d_lo + head * K * N, K, N, k, n, BLOCK_K, BLOCK_N)
    _transpose(d_out + (head * 2 + 1) * K * N, d_hi + head * K * N, K, N, k, n, BLOCK_K, BLOCK_N)
