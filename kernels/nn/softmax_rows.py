# Softmax of rows that fit into a tile, which are read once, and its gradient. Exponentials are to base 2: exp(x) =
# exp2(x * log2(e)).
import triton
import triton.language as tl


@triton.jit(do_not_specialize_on_alignment=["M"])
def softmax_rows(x, out, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    m = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    n = tl.arange(0, BLOCK)[None, :]
    inside = (m < M) & (n < N)
    value = tl.load(x + m * N + n, mask=inside, other=float("-inf")).to(tl.float32)
    share = tl.exp2((value - tl.max(value, axis=1)[:, None]) * 1.4426950408889634)
    tl.store(out + m * N + n, share / tl.sum(share, axis=1)[:, None], mask=inside)


@triton.jit(do_not_specialize_on_alignment=["M"])
def softmax_backward(out, d_out, d_x, M, N, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    # d_x = out * (d_out - sum(out * d_out))
    m = tl.program_id(0) * ROWS + tl.arange(0, ROWS)[:, None]
    n = tl.arange(0, BLOCK)[None, :]
    inside = (m < M) & (n < N)
    y = tl.load(out + m * N + n, mask=inside, other=0.0).to(tl.float32)
    d = tl.load(d_out + m * N + n, mask=inside, other=0.0).to(tl.float32)
    tl.store(d_x + m * N + n, y * (d - tl.sum(y * d, axis=1)[:, None]), mask=inside)


@triton.jit
def softmax_backward_wide(out, d_out, d_x, N, BLOCK: tl.constexpr):
    # Rows of any length, in two passes.
    row = tl.program_id(0)
    out += row * N
    d_out += row * N
    d_x += row * N
    sums = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        y = tl.load(out + i, mask=i < N, other=0.0).to(tl.float32)
        sums += y * tl.load(d_out + i, mask=i < N, other=0.0).to(tl.float32)
    total = tl.sum(sums, axis=0)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        y = tl.load(out + i, mask=i < N, other=0.0).to(tl.float32)
        d = tl.load(d_out + i, mask=i < N, other=0.0).to(tl.float32)
        tl.store(d_x + i, y * (d - total), mask=i < N)
