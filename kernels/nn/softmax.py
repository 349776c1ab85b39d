# Softmax of each row, for any number of columns. Exponentials are to base 2, the machine's: exp(x) = exp2(x * log2(e)).
import triton
import triton.language as tl


@triton.jit
def softmax_forward(x, out, N, BLOCK: tl.constexpr):
    # One pass for the maximum and the sum, one for the quotients.
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
        total = total * tl.exp2((largest - base) * 1.4426950408889634) + tl.exp2((value - base) * 1.4426950408889634)
        largest = peak
    peak = tl.max(largest, axis=0)
    base = tl.where(peak == float("-inf"), 0.0, peak)
    total = tl.sum(total * tl.exp2((largest - base) * 1.4426950408889634), axis=0)
    for start in range(0, N, BLOCK):
        i = start + tl.arange(0, BLOCK)
        value = tl.load(x + i, mask=i < N, other=float("-inf")).to(tl.float32)
        tl.store(out + i, tl.exp2((value - peak) * 1.4426950408889634) / total, mask=i < N)
