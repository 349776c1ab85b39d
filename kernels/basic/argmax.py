# Index of the largest element of each row; the first one of equals.
import triton
import triton.language as tl


@triton.jit
def argmax_forward(x, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    best = float("-inf")
    index = 0
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * N + i, mask=i < N, other=float("-inf")).to(tl.float32)
        block_best, block_index = tl.max(values, axis=0, return_indices=True)
        better = block_best > best
        index = tl.where(better, start + block_index, index)
        best = tl.where(better, block_best, best)
    tl.store(out + row, index)
