# Rows of a table by index. An index that is no row gives NaN, and no gradient.
import triton
import triton.language as tl


@triton.jit(do_not_specialize_on_alignment=["V", "M"])
def embedding_forward(table, indices, out, V, M, D, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    blocks = tl.cdiv(D, BLOCK)
    m = (tl.program_id(0) // blocks) * ROWS + tl.arange(0, ROWS)
    d = (tl.program_id(0) % blocks) * BLOCK + tl.arange(0, BLOCK)[None, :]
    index = tl.load(indices + m, mask=m < M, other=-1)
    valid = (index >= 0) & (index < V)
    row = tl.where(valid, index, 0)[:, None]
    value = tl.load(table + row * D + d, mask=valid[:, None] & (d < D), other=float("nan"))
    tl.store(out + m[:, None] * D + d, value, mask=(m[:, None] < M) & (d < D))


@triton.jit(do_not_specialize_on_alignment=["V", "M", "padding"])
def embedding_backward(indices, d_out, d_table, V, M, D, padding, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    # d_table, f32, holds zeros before the launch.
    blocks = tl.cdiv(D, BLOCK)
    m = (tl.program_id(0) // blocks) * ROWS + tl.arange(0, ROWS)
    d = (tl.program_id(0) % blocks) * BLOCK + tl.arange(0, BLOCK)[None, :]
    index = tl.load(indices + m, mask=m < M, other=-1)
    valid = (index >= 0) & (index < V) & (index != padding)
    row = tl.where(valid, index, 0)[:, None]
    inside = valid[:, None] & (d < D)
    value = tl.load(d_out + m[:, None] * D + d, mask=inside, other=0.0).to(tl.float32)
    tl.atomic_add(d_table + row * D + d, value, mask=inside, sem="relaxed")


@triton.jit
def fill_zero(out, elements, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.zeros((BLOCK,), tl.float32), mask=i < elements)
