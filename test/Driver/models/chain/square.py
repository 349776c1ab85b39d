import triton
import triton.language as tl


@triton.jit
def store_square(x, square, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < N
    value = tl.load(x + i, mask=inside)
    tl.store(square.to(tl.pointer_type(tl.float32)) + i, value * value, mask=inside)


@triton.jit
def add_square(x, square, y, N, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < N
    value = tl.load(x + i, mask=inside)
    squared = tl.load(square.to(tl.pointer_type(tl.float32)) + i, mask=inside)
    tl.store(y + i, squared + value, mask=inside)
