# Softmax of each row, for any number of columns: one pass for the maximum and the sum, one for the quotients.
import triton
import triton.language as tl


@triton.jit
def softmax_forward(x, out, N, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    x += row * N
    out += row * N
    # Per lane, the largest value seen and the sum of exponentials relative to it.
    largest = tl.full((BLOCK,), float("-inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        value = tl.load(x + i, mask=i < N, other=float("-inf")).to(tl.float32)
        peak = tl.maximum(largest, value)
        base = tl.where(peak == float("-inf"), 0.0, peak)
        total = total * tl.exp(largest - base) + tl.exp(value - base)
        largest = peak
    peak = tl.max(largest, axis=0)
    base = tl.where(peak == float("-inf"), 0.0, peak)
    total = tl.sum(total * tl.exp(largest - base), axis=0)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        value = tl.load(x + i, mask=i < N, other=float("-inf")).to(tl.float32)
        tl.store(out + i, tl.exp(value - peak) / total, mask=i < N)
