"""The product of one tile with another, of any shapes, added to what is there."""

import triton
import triton.language as tl


@triton.jit
def tile_product(a_ptr, b_ptr, out_ptr, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.arange(0, M)[:, None]
    columns = tl.arange(0, N)[None, :]
    inner = tl.arange(0, K)
    a = tl.load(a_ptr + rows * K + inner[None, :])
    b = tl.load(b_ptr + inner[:, None] * N + columns)
    out = out_ptr + rows * N + columns
    tl.store(out, tl.dot(a, b, tl.load(out), input_precision="ieee", out_dtype=out_ptr.dtype.element_ty))
