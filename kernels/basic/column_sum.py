# Sums of the columns of a matrix, by atomics: each program adds the sum of its rows.
import triton
import triton.language as tl


@triton.jit
def column_sum_forward(x, out, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):
    # `out` holds zeros before the launch.
    rows = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    columns = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    inside = (rows[:, None] < M) & (columns[None, :] < N)
    tile = tl.load(x + rows[:, None] * N + columns[None, :], mask=inside, other=0.0).to(tl.float32)
    tl.atomic_add(out + columns, tl.sum(tile, axis=0), mask=columns < N, sem="relaxed")


@triton.jit
def fill_zero(out, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.zeros((BLOCK,), tl.float32), mask=i < N)
