# Index of the largest element of each row; the first one of equals.
import triton
import triton.language as tl


@triton.jit
def argmax_forward(x, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    # Per lane, the largest element and the first place of it; lanes meet once, at the end.
    best = tl.full((BLOCK,), float("-inf"), tl.float32)
    index = tl.zeros((BLOCK,), tl.int32)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        values = tl.load(x + row * N + i, mask=i < N, other=float("-inf")).to(tl.float32)
        better = values > best
        index = tl.where(better, i, index)
        best = tl.where(better, values, best)
    first = tl.where(best == tl.max(best, axis=0), index, 2147483647)
    tl.store(out + row, tl.min(first, axis=0))
