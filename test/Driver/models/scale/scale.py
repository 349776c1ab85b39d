import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, y_ptr, N, BLOCK: tl.constexpr):
    row = tl.program_id(1)
    column = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = column < N
    x = tl.load(x_ptr + row * N + column, mask=inside)
    tl.store(y_ptr + row * N + column, 2 * x + 1, mask=inside)
